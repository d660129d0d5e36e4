use autodiff::{Differentiable, grad};

#[derive(Differentiable)]
enum Shape {
    Circle(f64),
    Square(f64),
}

#[grad]
fn f(s: &Shape) -> f64 {
    let (Shape::Circle(r) | Shape::Square(r)) = s;
    r * r
}

fn main() {}
