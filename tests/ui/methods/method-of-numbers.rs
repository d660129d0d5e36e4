use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Dual {
    value: f64,
    slope: f64,
}

#[grad]
impl Dual {
    fn abs(self) -> f64 {
        self.value.hypot(self.slope)
    }
}

#[derive(Clone, Copy, Differentiable)]
struct Filter {
    pole: Dual,
    gain: f64,
}

#[grad]
fn response(filter: &Filter) -> f64 {
    filter.gain / filter.pole.abs()
}

fn main() {}
