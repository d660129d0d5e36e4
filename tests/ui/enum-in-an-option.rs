use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
enum Shape {
    Circle(f64),
    Point,
}

#[grad]
fn f(x: f64) -> f64 {
    let mut shape = Some(Shape::Circle(x));
    if let Some(Shape::Circle(r)) = &mut shape {
        *r *= 2.0;
    }
    match shape {
        Some(Shape::Circle(r)) => r,
        _ => 0.0,
    }
}

fn main() {}
