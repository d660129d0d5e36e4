use autodiff::{Differentiable, grad};

#[grad]
trait Shape {
    fn area(&self, x: f64) -> f64;
}

#[derive(Differentiable)]
struct Square {
    side: f64,
}

#[grad]
impl Shape for Square {
    fn area(&self, x: f64, y: f64) -> f64 {
        self.side * x * y
    }
}

fn main() {}
