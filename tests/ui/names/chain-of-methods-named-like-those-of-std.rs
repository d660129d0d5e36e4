use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Beam {
    load: f64,
}

#[grad]
impl Beam {
    fn with(&mut self, x: f64) -> &mut Self {
        self.load *= x;
        self
    }

    fn put(&mut self, x: f64) {
        self.load += x;
    }
}

#[grad]
fn f(x: f64) -> f64 {
    let mut b = Beam { load: x };
    b.with(x).put(x);
    b.load
}

fn main() {}
