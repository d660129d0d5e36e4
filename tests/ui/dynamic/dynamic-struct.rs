use autodiff::{Differentiable, grad};

#[derive(Differentiable)]
struct Spring {
    stiffness: f64,
}

#[grad(dynamic)]
fn energy(spring: &Spring, x: f64) -> f64 {
    spring.stiffness * x
}

fn main() {}
