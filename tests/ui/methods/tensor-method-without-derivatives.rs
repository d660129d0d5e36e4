use autodiff::{Tensor, grad};

#[grad]
fn f(x: &Tensor<f64>) -> f64 {
    let y = x * 2.0;
    let (sorted, _) = y.sort(0);
    sorted.sum()
}

fn main() {}
