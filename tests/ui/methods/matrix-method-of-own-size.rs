use autodiff::grad;
use nalgebra::{DVector, Vector2};

trait Coordinates {
    fn xy(&self) -> Vector2<f64>;
}

impl Coordinates for DVector<f64> {
    fn xy(&self) -> Vector2<f64> {
        Vector2::new(self[1], self[0])
    }
}

#[grad]
fn f(v: &DVector<f64>) -> f64 {
    v.xy().x
}

fn main() {}
