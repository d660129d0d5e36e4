use autodiff::{Tensor, grad};

#[grad]
fn f(x: &Tensor<f64>) -> f64 {
    let n = x.mean();
    Tensor::<f64>::zeros(&[n, 2.0]).sum()
}

fn main() {}
