use autodiff::{Differentiable, grad};

#[derive(Differentiable)]
struct Model {
    w: f64,
}

#[grad(dynamic)]
impl Model {
    fn scaled(&self, x: f64) -> f64 {
        self.w * x
    }
}

fn main() {}
