use autodiff::grad;
use ndarray::Array1;

trait Weighted {
    fn sum(&self) -> f64;
}

impl Weighted for Array1<f64> {
    fn sum(&self) -> f64 {
        7.0 * self[0]
    }
}

#[grad]
fn f(v: &Array1<f64>) -> f64 {
    v.sum()
}

fn main() {}
