use autodiff::grad;
use nalgebra::Vector3;

trait Weighted {
    fn norm(self) -> f64;
}

impl Weighted for Vector3<f64> {
    fn norm(self) -> f64 {
        7.0 * self.x
    }
}

#[grad]
fn f(v: Vector3<f64>) -> f64 {
    v.norm()
}

fn main() {}
