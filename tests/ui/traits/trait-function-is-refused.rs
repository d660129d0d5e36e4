use autodiff::{Differentiable, grad};

#[grad]
trait Model {
    fn energy(&self, x: f64) -> f64;

    fn bits(&self, x: f64) -> f64 {
        f64::from_bits(self.energy(x).to_bits())
    }
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
fn f<M: Model + Differentiable>(m: &M, x: f64) -> f64 {
    m.bits(x)
}

fn main() {}
