use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Spring {
    k: f64,
}

impl Spring {
    fn energy_grad(&self, x: f64) -> f64 {
        self.k * x
    }
}

#[grad]
fn f(s: &Spring, x: f64) -> f64 {
    s.energy_grad(x) * x
}

fn main() {}
