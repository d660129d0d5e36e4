use autodiff::{Differentiable, grad};

trait Model {
    fn energy(&self, x: f64) -> f64;
}

#[derive(Differentiable)]
struct Spring {
    k: f64,
}

impl Spring {
    fn energy(&self, x: f64) -> f64 {
        self.k * x
    }
}

#[grad]
impl Model for Spring {
    fn energy(&self, x: f64) -> f64 {
        2.0 * self.k * x
    }
}

fn main() {}
