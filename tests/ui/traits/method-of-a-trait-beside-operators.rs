use std::ops::Mul;

use autodiff::grad;

trait Activation {
    fn activated(self) -> Self;
}

impl Activation for f64 {
    fn activated(self) -> f64 {
        self.max(0.0)
    }
}

#[grad]
fn f<T: Activation + Copy + Mul<Output = T>>(x: T, y: T) -> T {
    x.activated() * y
}

fn main() {}
