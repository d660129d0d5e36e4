//! Functions that the tests expand.

use autodiff::{Differentiable, grad};

/// A spring, of which the count of coils is no number to differentiate.
#[derive(Clone, Copy, Debug, Differentiable)]
pub struct Spring {
    // Newtons per metre.
    pub stiffness: f64,
    #[constant]
    pub coils: usize,
}

#[grad]
pub fn energy(spring: &Spring, x: f64) -> f64 {
    // Hooke's law, for each coil.
    0.5 * spring.stiffness * x * x / spring.coils as f64
}

/// A wave.
#[grad(order = 2)]
pub fn wave(x: f64, #[constant] k: f64) -> f64 {
    let seed = k * x; // has the name of something in what is generated
    seed.sin() * x
}

pub mod sums {
    use autodiff::grad;

    #[grad]
    pub fn weighted(xs: &[f64], n: usize) -> f64 {
        let mut value = 0.0;
        for (k, x) in xs.iter().enumerate() {
            if k % 2 == 0 {
                value += x.exp() * x;
            } else {
                value -= x * n as f64;
            }
        }
        value
    }
}

pub fn plain(x: f64) -> f64 {
    x + 1.0
}
