use autodiff::{Tensor, grad};

trait Doubled {
    fn doubled(&self) -> Self;
}

impl Doubled for Tensor<f64> {
    fn doubled(&self) -> Self {
        self * 2.0
    }
}

#[grad]
fn f(x: &Tensor<f64>) -> f64 {
    x.doubled().sum()
}

fn main() {}
