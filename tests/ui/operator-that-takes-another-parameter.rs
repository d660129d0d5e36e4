use std::ops::{Add, Mul};

use autodiff::{Float, grad};

#[grad]
fn f<T: Float, V: Copy + Add<Output = V> + Mul<T, Output = V>>(a: V, b: V, t: T) -> V {
    a + b * t
}

fn main() {}
