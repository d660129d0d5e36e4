use autodiff::{Differentiable, grad};

#[derive(Differentiable)]
enum Shape {
    Circle(f64),
    Point,
}

#[grad]
fn f(s: &Shape) -> f64 {
    match s {
        whole @ Shape::Circle(r) => r * g(whole),
        Shape::Point => 0.0,
    }
}

#[grad]
fn g(s: &Shape) -> f64 {
    match s {
        Shape::Circle(r) => *r,
        Shape::Point => 0.0,
    }
}

fn main() {}
