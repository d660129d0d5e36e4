use autodiff::{Differentiable, Float, grad};

#[grad]
trait Model {
    fn energy(&self, x: f64) -> f64;
}

#[derive(Clone, Differentiable)]
struct Spring<T> {
    k: T,
}

#[grad]
impl<T: Float> Model for Spring<T> {
    fn energy(&self, x: f64) -> f64 {
        x * x
    }
}

fn main() {}
