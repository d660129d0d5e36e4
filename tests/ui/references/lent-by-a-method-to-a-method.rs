use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[grad]
impl Point {
    fn dot(&self, other: &Point) -> f64 {
        self.x * other.x + self.y * other.y
    }
}

#[derive(Clone, Differentiable)]
struct Body {
    at: Point,
}

impl Body {
    #[grad]
    fn at(&self) -> &Point {
        &self.at
    }
}

#[grad]
fn moment(body: &Body, of: &Point) -> f64 {
    let at = body.at();
    at.x * of.dot(at)
}

fn main() {}
