//! Comparison up to a tolerance, by the traits of the crate `approx`: what derived tangents call.
//!
//! Tensors and matrices compare entry by entry, as slices do there.
//! A derived tangent has numbers of both precisions in it, so its tolerance is an `f64`, and numbers of `f32` are compared as `f64`; units in the last place are those of each number's own type.
//! Its lists have to be as long as the other's, its tensors of the same shape, and its enums of the same variant.

use alloc::vec::Vec;

pub use ::approx::{AbsDiffEq, RelativeEq, UlpsEq};

use crate::slices::Slice;
use crate::tangent::Tangent;

/// Two numbers that stand at the same place.
enum Pair {
    Single(f32, f32),
    Double(f64, f64),
}

impl Pair {
    fn wide(self) -> (f64, f64) {
        match self {
            Pair::Single(a, b) => (a.into(), b.into()),
            Pair::Double(a, b) => (a, b),
        }
    }
}

/// Whether two tangents have the same structure, and all pairs of their numbers are close.
fn all<T: Tangent + PartialEq>(a: &T, b: &T, close: impl Fn(Pair) -> bool) -> bool {
    if a.zero_like() != b.zero_like() {
        return false;
    }
    let mut ours = Vec::new();
    a.visit_slices(&mut |slice| match slice {
        Slice::F32(xs) => ours.extend(xs.iter().map(|x| Pair::Single(*x, *x))),
        Slice::F64(xs) => ours.extend(xs.iter().map(|x| Pair::Double(*x, *x))),
    });
    let theirs = b.to_flat();
    ours.len() == theirs.len()
        && ours.into_iter().zip(theirs).all(|(pair, b)| match pair {
            Pair::Single(a, _) => close(Pair::Single(a, b as f32)),
            Pair::Double(a, _) => close(Pair::Double(a, b)),
        })
}

/// Whether two tangents differ by at most this.
pub fn abs_diff_eq<T: Tangent + PartialEq>(a: &T, b: &T, epsilon: f64) -> bool {
    all(a, b, |pair| {
        let (a, b) = pair.wide();
        a.abs_diff_eq(&b, epsilon)
    })
}

/// Whether two tangents differ by at most this, absolutely or relatively.
pub fn relative_eq<T: Tangent + PartialEq>(a: &T, b: &T, epsilon: f64, max_relative: f64) -> bool {
    all(a, b, |pair| {
        let (a, b) = pair.wide();
        a.relative_eq(&b, epsilon, max_relative)
    })
}

/// Whether two tangents differ by at most this, absolutely or in units in the last place.
pub fn ulps_eq<T: Tangent + PartialEq>(a: &T, b: &T, epsilon: f64, max_ulps: u32) -> bool {
    all(a, b, |pair| match pair {
        Pair::Single(a, b) => a.ulps_eq(&b, epsilon as f32, max_ulps),
        Pair::Double(a, b) => a.ulps_eq(&b, epsilon, max_ulps),
    })
}
