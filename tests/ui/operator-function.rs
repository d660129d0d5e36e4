use std::ops::Mul;

use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    Mul::mul(x, x)
}

fn main() {}
