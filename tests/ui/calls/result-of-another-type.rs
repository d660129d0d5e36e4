use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[grad]
fn of_another_width(x: f64) -> f64 {
    let y: f32 = 1.0;
    y
}

#[grad]
fn a_list(x: f64) -> f64 {
    vec![x, x]
}

#[grad]
impl Point {
    fn scaled(&self, k: f64) -> Point {
        Point { x: self.x * k, y: self.y * k }
    }

    fn length(&self, k: f64) -> f64 {
        let point = self.scaled(k);
        point
    }
}

fn main() {}
