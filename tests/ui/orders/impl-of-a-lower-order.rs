use autodiff::{Differentiable, grad};

#[grad(order = 2)]
trait Model {
    fn energy(&self, x: f64) -> f64;
}

#[derive(Clone, Differentiable)]
struct Spring {
    k: f64,
}

#[grad]
impl Model for Spring {
    fn energy(&self, x: f64) -> f64 {
        self.k * x * x
    }
}

fn main() {}
