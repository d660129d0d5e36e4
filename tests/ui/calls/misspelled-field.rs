use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[grad]
fn of_a_parameter(p: &Point) -> f64 {
    p.z * p.y
}

#[grad]
impl Point {
    fn of_the_receiver(&self, k: f64) -> f64 {
        self.z * k
    }

    fn length(&self) -> f64 {
        self.x.hypot(self.y)
    }

    fn method(&self, k: f64) -> f64 {
        self.lenght() * k
    }
}

fn main() {}
