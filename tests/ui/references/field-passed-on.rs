use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Problem<'a> {
    #[constant]
    xs: &'a [f64],
    scale: f64,
}

#[grad(order = 2)]
fn energy(xs: &[f64], slope: f64) -> f64 {
    xs.iter().map(|x| (slope * x).powi(2)).sum()
}

#[grad(order = 2)]
fn cost(p: &Problem, slope: f64) -> f64 {
    energy(p.xs, slope) * p.scale
}

fn main() {}
