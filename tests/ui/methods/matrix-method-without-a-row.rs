use autodiff::grad;
use ndarray::Array1;

#[grad(order = 2)]
fn f(a: &Array1<f64>) -> f64 {
    a.clone().permuted_axes([0]).sum()
}

fn main() {}
