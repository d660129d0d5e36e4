use std::ops::Deref;

use autodiff::grad;
use nalgebra::Vector3;

struct Metric(Vector3<f64>);

impl Deref for Metric {
    type Target = Vector3<f64>;

    fn deref(&self) -> &Vector3<f64> {
        &self.0
    }
}

impl Metric {
    fn dot(&self, other: &Vector3<f64>) -> f64 {
        100.0 * other.x
    }
}

#[grad]
fn f(#[constant] m: &Metric, v: &Vector3<f64>) -> f64 {
    m.dot(v)
}

fn main() {}
