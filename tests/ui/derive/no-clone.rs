use autodiff::{Differentiable, grad};

#[derive(Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[grad]
fn distance(a: Point, b: Point) -> f64 {
    (a.x - b.x).hypot(a.y - b.y)
}

fn main() {}
