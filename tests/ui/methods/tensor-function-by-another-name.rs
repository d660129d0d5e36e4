use autodiff::{Tensor, grad};

#[grad]
fn f(x: &Tensor<f64>) -> f64 {
    Tensor::cat(&[x, x], 0).sum()
}

fn main() {}
