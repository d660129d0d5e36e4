use autodiff::{Differentiable, grad};

#[grad]
trait Model {
    fn energy(&self, x: f64) -> f64;
}

#[grad(order = 2)]
fn f<M: Model + Differentiable>(m: &M, x: f64) -> f64 {
    m.energy(x)
}

fn main() {}
