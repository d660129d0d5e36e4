use autodiff::grad;
use ndarray::{Array1, Axis, concatenate};

#[grad]
fn length(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    let joined = concatenate![Axis(0), a.view(), b.view()];
    joined.dot(&joined).sqrt()
}

fn main() {}
