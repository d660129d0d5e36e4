use autodiff::{Tensor, grad};

#[grad]
fn f(x: &Tensor<f64>) -> f64 {
    x.tahn().sum()
}

fn main() {}
