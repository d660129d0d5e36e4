use autodiff::{Differentiable, grad};

#[derive(Clone)]
struct Payload {
    a: f64,
}

#[derive(Clone, Differentiable)]
enum Shape {
    Disc(Payload),
    Ring { width: f64 },
}

#[grad]
impl Shape {
    fn area(&self, k: f64) -> f64 {
        match self {
            Shape::Disc(p) => p.a * p.a * k,
            Shape::Ring { width } => width * k,
        }
    }
}

#[grad]
fn twice(s: &Shape, k: f64) -> f64 {
    2.0 * s.area(k)
}

fn main() {}
