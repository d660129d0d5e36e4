use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct State {
    q: Vec<f64>,
}

#[grad]
impl State {
    fn q(&self) -> &[f64] {
        &self.q
    }
}

#[grad]
fn product(q: &[f64]) -> f64 {
    q[0] * q[1]
}

#[grad]
fn energy(s: &State) -> f64 {
    product(s.q())
}

fn main() {}
