//! Functions that take functions.

use autodiff::{Float, grad};

use crate::structs::{Pair, Spring, Wave};

/// Order 1.
#[grad]
pub fn twice<T: Float, F: Fn(T) -> T>(f: F, x: T) -> T {
    f(f(x)) * x
}

/// With a struct.
#[grad]
pub fn of_struct<T: Float>(f: impl Fn(&Pair<T>, T) -> T, pair: &Pair<T>, x: T) -> T {
    f(pair, x) * f(pair, pair.x)
}

/// Captures structs.
#[grad]
pub fn capturing<T: Float>(wave: &Wave<T>, pair: Pair<T>, x: T) -> T {
    twice(|t| wave.at(t) * pair.x, x)
        + of_struct(|p: &Pair<T>, t: T| p.y * t + wave.height, &pair, x)
}

/// Order 2.
#[grad(order = 2)]
pub fn folded<F: Fn(f64, f64) -> f64>(f: F, xs: &[f64]) -> f64 {
    let mut sum = 0.0;
    for &x in xs {
        sum = f(sum, x);
    }
    sum
}

/// Captures structs.
#[grad(order = 2)]
pub fn folds(spring: &Spring<f64>, xs: &[f64]) -> f64 {
    folded(|a, x| a * x + spring.energy(x), xs)
}
