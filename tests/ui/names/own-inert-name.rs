use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Bond {
    rate: f64,
    years: f64,
}

#[grad]
impl Bond {
    fn floor(&self) -> f64 {
        self.rate * self.years
    }

    fn classify(&self, x: f64) -> f64 {
        self.rate * x
    }
}

#[grad]
fn total(b: &Bond, x: f64) -> f64 {
    2.0 * b.floor() + b.classify(x)
}

fn main() {}
