use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Spring {
    k: f64,
}

#[grad]
impl Spring {
    #[grad(wrt(self))]
    fn energy(#[constant] &self, x: f64) -> f64 {
        self.k * x * x
    }
}

#[grad(wrt(self, x))]
fn free(x: f64, k: f64) -> f64 {
    k * x * x
}

fn main() {}
