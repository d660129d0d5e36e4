use autodiff::{Tensor, grad};

#[grad(order = 3)]
fn energy(x: &Tensor<f64>, k: f64) -> f64 {
    (x * k).tanh().sum()
}

fn main() {
    energy::grad(&Tensor::from([1.0]), 1.0);
}
