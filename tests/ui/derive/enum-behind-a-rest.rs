use autodiff::{Differentiable, grad};

#[derive(Differentiable)]
enum Shape {
    Line(f64, f64, f64),
    Point,
}

#[grad]
fn f(s: &Shape) -> f64 {
    match s {
        Shape::Line(a, .., c) => a * c,
        Shape::Point => 0.0,
    }
}

fn main() {}
