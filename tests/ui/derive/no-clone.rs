use autodiff::{Differentiable, grad};

#[derive(Differentiable)]
struct Point {
    x: f64,
    #[constant]
    measure: Box<dyn Fn(f64) -> f64>,
}

#[grad]
fn distance(a: Point, b: Point) -> f64 {
    (a.x - b.x).hypot(a.x)
}

fn main() {}
