use std::iter::Sum;

use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Metres(f64);

impl Sum for Metres {
    fn sum<I: Iterator<Item = Metres>>(all: I) -> Metres {
        Metres(all.map(|m| m.0).sum())
    }
}

#[grad]
fn all(x: &[Option<Metres>]) -> f64 {
    let sum: Option<Metres> = x.iter().copied().sum();
    sum.map_or(0.0, |m| m.0)
}

fn main() {}
