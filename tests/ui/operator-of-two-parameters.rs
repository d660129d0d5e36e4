use std::ops::Mul;

use autodiff::{Float, grad};

#[grad]
fn f<T: Float, C: Copy + Mul<T, Output = T>>(c: C, x: T) -> T {
    c * x
}

fn main() {}
