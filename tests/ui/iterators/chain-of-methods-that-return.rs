use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Gauge {
    level: f64,
}

#[grad]
impl Gauge {
    fn set_to(&mut self, level: f64) -> Gauge {
        self.level = level;
        *self
    }
    fn widen(&mut self, by: f64) {
        self.level *= by;
    }
}

#[grad]
fn f(x: f64) -> f64 {
    let mut gauge = Gauge { level: x };
    gauge.set_to(x * x).widen(x);
    gauge.level
}

fn main() {}
