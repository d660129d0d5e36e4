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

#[grad]
fn force(s: &Spring, x: f64) -> f64 {
    let (_, slope) = s.energy_grad(x);
    -slope
}

fn main() {}
