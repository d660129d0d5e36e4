use autodiff::grad;
use num_traits::Float;

trait Sizes: Sized {
    fn abs(&self) -> Self;
    fn max(&self, other: &Self) -> Self;
}

impl Sizes for f64 {
    fn abs(&self) -> f64 {
        2.0 * self
    }
    fn max(&self, other: &f64) -> f64 {
        self + other
    }
}

#[grad]
fn f<T: Float + Sizes>(x: &T) -> T {
    x.abs()
}

#[grad]
fn g<U: Float, T: Float + Sizes>(xs: &[T], y: U) -> (T, U) {
    let mut s = T::zero();
    for x in xs {
        s = s + x.max(&s);
    }
    (s, y)
}

fn main() {
    f::grad(&1.0);
}
