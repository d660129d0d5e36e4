use autodiff::{Differentiable, grad};

trait Model {
    fn value(&self, x: f64) -> f64;
}

#[derive(Differentiable)]
struct Spring {
    stiffness: f64,
}

#[grad]
impl Model for Spring {
    fn value(&self, x: f64) -> f64 {
        0.5 * self.stiffness * x * x
    }
}

#[grad]
fn energy<M: Model>(m: &M, x: f64) -> f64 {
    m.value(x)
}

fn main() {}
