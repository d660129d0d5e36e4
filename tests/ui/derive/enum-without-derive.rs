use autodiff::grad;

enum Shape {
    Circle(f64),
    Point,
}

#[grad]
fn f(x: f64) -> f64 {
    match Shape::Circle(x) {
        Shape::Circle(r) => r * r,
        Shape::Point => 0.0,
    }
}

fn main() {}
