use autodiff::{Differentiable, grad};

#[grad(constant)]
fn scramble(v: &mut [f64], x: f64) {
    v[0] = x.round();
}

#[derive(Clone, Differentiable)]
struct Point {
    x: f64,
}

impl Point {
    #[grad(constant)]
    fn snap(&mut self, grid: f64) {
        self.x = (self.x / grid).round() * grid;
    }
}

fn main() {}
