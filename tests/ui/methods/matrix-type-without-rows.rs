use autodiff::grad;
use nalgebra::{UnitComplex, Vector2};

#[grad]
fn turned(angle: f64, v: &Vector2<f64>) -> f64 {
    let turn = UnitComplex::new(angle);
    (turn * v).x
}

fn main() {}
