use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[grad(trace)]
fn f(p: &Point) -> f64 {
    let x: f64 = p.x;
    x.sin() + p.x * p.y
}

fn main() {}
