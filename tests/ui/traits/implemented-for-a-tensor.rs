use autodiff::{Tensor, grad};

trait Doubled {
    fn doubled(&self) -> Self;
}

#[grad]
impl Doubled for Tensor<f64> {
    fn doubled(&self) -> Self {
        self * 2.0
    }
}

fn main() {}
