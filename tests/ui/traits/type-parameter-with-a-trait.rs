use autodiff::{Differentiable, grad};

#[grad]
trait Model {
    fn energy(&self, x: f64) -> f64;
}

#[derive(Clone, Differentiable)]
struct Spring {
    k: f64,
}

#[grad]
impl Model for Spring {
    fn energy(&self, x: f64) -> f64 {
        self.k * x * x
    }
}

#[grad]
fn f<M: Model>(m: &M, x: f64) -> f64 {
    m.energy(x)
}

#[grad]
fn g(k: f64, x: f64) -> f64 {
    f(&Spring { k }, x)
}

fn main() {}
