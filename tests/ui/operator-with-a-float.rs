use std::ops::{Add, Mul};

use autodiff::grad;

#[grad]
fn f<T: Copy + Add<Output = T> + Mul<f64, Output = T>>(a: T, b: T, t: f64) -> T {
    a + b * t
}

fn main() {
    f::jvp(1.0, 2.0, 0.5, (1.0, 1.0, 1.0));
}
