use autodiff::{Differentiable, grad};

#[grad]
trait Model {
    fn put(&self, x: f64, out: &mut [f64]) {
        out[0] = x;
    }
}

#[derive(Clone, Differentiable)]
struct Spring {
    k: f64,
}

#[grad]
impl Model for Spring {
    fn put(#[constant] &self, #[constant] x: f64, #[constant] out: &mut [f64]) {
        out[0] = self.k * x * x;
    }
}

fn main() {}
