use autodiff::{Float, grad};

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
}
