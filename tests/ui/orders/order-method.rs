use autodiff::{Differentiable, grad};

#[derive(Differentiable)]
struct Spring {
    stiffness: f64,
}

impl Spring {
    #[grad]
    fn energy(&self, x: f64) -> f64 {
        0.5 * self.stiffness * x * x
    }
}

#[grad(order = 2)]
fn total(s: &Spring, x: f64) -> f64 {
    x + s.energy(x)
}

fn main() {}
