use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Celsius {
    degrees: f64,
}

impl From<f64> for Celsius {
    fn from(degrees: f64) -> Self {
        Celsius { degrees }
    }
}

#[grad]
fn f(x: f64) -> f64 {
    let warm: Celsius = x.into();
    warm.degrees
}

fn main() {
    f::grad(1.0);
}
