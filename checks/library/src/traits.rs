//! Traits, what implements them, and functions that are generic in them.

use autodiff::{Differentiable, Float, grad};

use crate::enums::Law;
use crate::structs::{Pair, Spring, Wave};

/// Of numbers of one type.
#[grad(order = 2)]
pub trait Potential {
    /// At a place.
    fn energy_at(&self, r: f64) -> f64;

    /// Of a list.
    fn energies(&self, rs: &[f64]) -> f64 {
        let mut sum = 0.0;
        for &r in rs {
            sum += self.energy_at(r) * r;
        }
        sum
    }
}

#[grad(order = 2)]
impl Potential for Law<f64> {
    fn energy_at(&self, r: f64) -> f64 {
        self.force(r) * r
    }
}

#[grad(order = 2)]
impl Potential for Spring<f64> {
    fn energy_at(&self, r: f64) -> f64 {
        self.both(r, r * self.k)
    }
}

/// Generic in the trait.
#[grad(order = 2)]
pub fn total<P: Potential + Differentiable>(p: &P, rs: &[f64]) -> f64 {
    p.energies(rs) * p.energy_at(rs[0])
}

/// Calls it with types.
#[grad(order = 2)]
pub fn totals(spring: &Spring<f64>, k: f64, rs: &[f64]) -> f64 {
    total(spring, rs) * total(&Law::Linear(k), rs)
}

/// In lengths.
#[grad]
pub trait Signal<const N: usize> {
    /// At a time.
    fn value(&self, t: &[f64; N]) -> f64;

    /// Twice.
    fn twice(&self, t: &[f64; N]) -> f64 {
        self.value(t) * self.value(&[self.value(t); N])
    }

    /// Changes it.
    fn shift(&mut self, by: f64);
}

#[grad]
impl<const N: usize> Signal<N> for Pair<[f64; N]> {
    fn value(&self, t: &[f64; N]) -> f64 {
        let mut sum = 0.0;
        for i in 0..N {
            sum += self.x[i] * t[i] + self.y[i];
        }
        sum
    }

    fn shift(&mut self, by: f64) {
        for y in self.y.iter_mut() {
            *y += by;
        }
    }
}

/// One of a signal with another's.
#[derive(Clone, Copy, Debug, Differentiable)]
pub struct Scaled<S> {
    /// What is scaled.
    pub of: S,
    /// By how much.
    pub by: f64,
}

#[grad]
impl<S: Signal<2> + Differentiable> Scaled<S> {
    /// Through the trait.
    pub fn scaled(&self, t: &[f64; 2]) -> f64 {
        self.of.value(t) * self.by + self.of.twice(t)
    }
}

/// Generic in both.
#[grad]
pub fn shifted<const N: usize, S: Signal<N> + Differentiable + Clone>(s: &S, t: &[f64; N]) -> f64 {
    let mut moved = s.clone();
    moved.shift(t[0]);
    moved.value(t) * s.twice(t)
}

/// Calls it with types with parameters.
#[grad]
pub fn of_signals(pair: &Pair<[f64; 2]>, by: f64, t: &[f64; 2]) -> f64 {
    let scaled = Scaled {
        of: pair.clone(),
        by,
    };
    scaled.scaled(t) * shifted(pair, t)
}

/// Derivatives of a trait's functions for one type alone.
pub trait Plain<T> {
    /// A number.
    fn plain(&self, x: T) -> T;
}

#[grad]
impl<T: Float> Plain<T> for Wave<T> {
    fn plain(&self, x: T) -> T {
        self.height * x
    }
}
