use autodiff::grad;
use ndarray::Array1;

#[grad]
fn f(x: &Array1<f64>) -> f64 {
    let pairs = x.mapv(|v| (v.sin(), v.cos()));
    pairs[0].0 * pairs[1].1
}

fn main() {}
