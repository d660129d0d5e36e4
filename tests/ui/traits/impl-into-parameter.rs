use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[grad]
fn f(center: impl Into<Point>, s: f64) -> f64 {
    let center = center.into();
    center.x * s + center.y
}

fn main() {}
