use autodiff::{Differentiable, grad};

#[derive(Differentiable)]
struct Spring {
    stiffness: f64,
}

#[grad]
impl Spring {
    fn energy<F: Fn(f64) -> f64>(&self, f: F, x: f64) -> f64 {
        0.5 * self.stiffness * f(x)
    }
}

#[grad(order = 2)]
fn total(s: &Spring, x: f64) -> f64 {
    x + s.energy(|t| t * x, x)
}

fn main() {}
