use autodiff::{Differentiable, Float, grad};

#[derive(Clone, Copy, Differentiable)]
struct Wave<T> {
    height: T,
}

#[grad]
impl<T: Float> Wave<T> {
    fn at(&self, x: T) -> T {
        x.sin() * self.hight
    }
}

// A star that is missing is an error of the function's own, and of no derivative.
#[grad]
fn squares<T: Float>(xs: &[T], scale: T) -> T {
    let mut sum = T::ZERO;
    for x in xs {
        sum += *x * x * scale;
    }
    sum
}

#[grad]
fn lent<T: Float>(xs: Vec<T>, scale: T) -> T {
    squares(xs, scale)
}

#[grad]
fn nothing<T: Float, const N: usize>(xs: [T; N]) -> T {
    let _ = xs[0] * xs[N - 1];
}

fn main() {
    let _ = squares::grad(&[1.0], 2.0);
    let _ = Wave { height: 1.0 }.at_grad(2.0);
}
