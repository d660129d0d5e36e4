use autodiff::{Differentiable, grad};

#[grad]
trait Model {
    fn energy(&self, x: f64) -> f64;

    fn twice(&self, x: f64) -> f64 {
        2.0 * self.energy(x)
    }
}

#[derive(Clone, Differentiable)]
struct Spring {
    k: f64,
}

impl Model for Spring {
    fn energy(&self, x: f64) -> f64 {
        self.k * x * x
    }
}

#[grad]
fn f<M: Model + Differentiable>(m: &M, x: f64) -> f64 {
    m.twice(x)
}

fn main() {
    f::grad(&Spring { k: 1.0 }, 2.0);
}
