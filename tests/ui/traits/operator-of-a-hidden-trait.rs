use std::ops::{Add, Mul};

use autodiff::grad;

trait State: Copy + Add<Output = Self> + Mul<f64, Output = Self> {}

#[grad]
fn f<Y: State>(a: Y, b: Y, t: f64) -> Y {
    a + b * t
}

fn main() {}
