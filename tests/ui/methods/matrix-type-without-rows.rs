use autodiff::grad;
use nalgebra::{Point3, Similarity3, Vector3};

#[grad]
fn grown(scale: f64, p: &Point3<f64>) -> f64 {
    let growth = Similarity3::new(Vector3::zeros(), Vector3::zeros(), scale);
    (growth * p).x
}

fn main() {}
