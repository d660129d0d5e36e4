//! Functions with parameters, over the types with parameters.

use autodiff::{Differentiable, Float, grad};

use crate::structs::{Layer, Pair, Spring, Wave, Weighted};

/// Order 1.
#[grad]
pub fn of_wave<T: Float>(wave: &Wave<T>, x: T) -> T {
    wave.at(x) * wave.again(x, 2) + wave.clone().owned(x)
}

/// Changes what it is lent.
#[grad]
pub fn change<T: Float>(wave: &mut Wave<T>, x: T) -> T {
    wave.grow(x);
    wave.grown(x) * wave.height
}

/// Makes, changes and returns.
#[grad]
pub fn made<T: Float>(x: T, n: usize) -> Wave<T> {
    let mut wave = Wave::new(x, x * x);
    for _ in 0..n {
        wave.grow(x);
    }
    wave.scaled(x)
}

/// By value, in lists and options.
#[grad]
pub fn of_many<T: Float>(waves: &[Wave<T>], pairs: Vec<Pair<T>>, first: Option<Pair<T>>) -> T {
    let mut sum = Wave::total(waves, T::ONE);
    for (wave, pair) in waves.iter().zip(&pairs) {
        sum += of_wave(wave, pair.x) * pair.y;
    }
    match first {
        Some(pair) => sum * pair.x + (&pair * &pairs[0]),
        None => sum,
    }
}

/// Borrowed inside.
#[grad]
pub fn of_weighted<'a, T: Float>(weighted: &Weighted<'a, T>, x: T) -> T {
    let mut other = weighted.clone();
    other.rescale(x);
    other.sum(x) * weighted.sum(x)
}

/// Order 2.
#[grad(order = 2)]
pub fn of_layer<T: Float, const N: usize>(layer: &Layer<T, N>, x: &[T; N]) -> T {
    let pair = Pair {
        x: x[0],
        y: layer.b[0],
    };
    let pair = pair * x[0] + pair;
    layer.loss(x, &layer.b) * layer.decayed(pair.x) + pair.y
}

/// Order 3.
#[grad(order = 3)]
pub fn of_spring<T: Float>(spring: &Spring<T>, x: T) -> T {
    spring.both(x, x * spring.k) * spring.energy(x)
}

/// Of a type that is said to have derivatives.
#[grad]
pub fn of_known<T: Float>(wave: &Wave<T>, x: T) -> T
where
    Wave<T>: Differentiable + Clone,
{
    wave.at(x) * of_wave(wave, x)
}

/// Calls what says more than itself.
#[grad]
pub fn calls_known<T: Float>(wave: &Wave<T>, x: T) -> T {
    of_known(wave, x) * x
}

/// Calls itself.
#[grad]
pub fn recursive<T: Float>(wave: &Wave<T>, x: T, n: usize) -> T {
    if n == 0 {
        x
    } else {
        wave.at(recursive(wave, x, n - 1)) * x
    }
}

/// A constant of a type with parameters.
#[grad]
pub fn at_constant<T: Float>(#[constant] wave: &Wave<T>, x: T) -> T {
    wave.at(x) * wave.sum(&[x, x * x])
}

/// No parameters, of a type that has some.
#[grad(order = 2)]
pub fn plain(spring: &Spring<f64>, layer: &Layer<f64, 2>, x: f64) -> f64 {
    spring.both(x, x) * layer.loss(&[x, x], &layer.b)
}
