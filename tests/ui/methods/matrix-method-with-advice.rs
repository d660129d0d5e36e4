use autodiff::grad;
use nalgebra::DVector;

#[grad(order = 2)]
fn f(v: &DVector<f64>) -> f64 {
    v.amax() * v[0]
}

fn main() {}
