//! The error function, and the normal distribution.

use super::exponential::{Power, size_within, sum};
use super::parts::product;
use crate::float::Float;

/// exp(x²) erfc x for x from 0.4 to `ERFC_END`, and what rounding took from that.
#[inline(always)]
pub(super) fn scaled<T: Float, const F: bool>(x: T) -> [T; 2] {
    let c = T::ERFC_CENTRE;
    let below = x + c;
    let q = (x - c) / below;
    // 1 / (x + c), and what rounding took from x + c in parts of that.
    let reciprocal = (T::ONE - q) / (c + c);
    let lost = (x - (below - c)) * reciprocal;
    let [constant, slope] = T::erfc_tail::<F>(q);
    let [above, above_lost] = sum(constant, q * slope);
    let y = above / below;
    let [back, back_lost] = product::<T, F>(y, below);
    // The sum was lost twice: as divisor of y, and of q.
    let missing = T::fuse::<F>(-lost, T::fuse::<F>(q, slope, above), above_lost);
    let missing = (above - back) - (back_lost - missing);
    [y, missing * reciprocal]
}

/// x², first with so few digits that it is exact, then the rest.
#[inline(always)]
pub(super) fn square<T: Float>(x: T) -> [T; 2] {
    let upper = T::upper_half(x);
    [upper * upper, (x - upper) * (x + upper)]
}

/// erfc |x|, where |x| ≥ 0.4.
#[inline(always)]
fn tail<T: Float, const F: bool>(x: T) -> T {
    let x = size_within(x, T::ERFC_END);
    let [upper, rest] = square(x);
    Power::of_sum::<F>(-upper, -rest).times_sum::<F>(scaled::<T, F>(x))
}

/// erf x, where |x| ≤ 0.75.
#[inline(always)]
pub(super) fn near_zero<T: Float, const F: bool>(x: T) -> T {
    T::fuse::<F>(x, T::erf_rest::<F>(x * x), x)
}

#[inline(always)]
pub(super) fn erf<T: Float, const F: bool>(x: T) -> T {
    let near = near_zero::<T, F>(x);
    let far = (T::ONE - tail::<T, F>(x)).copysign(x);
    if x.abs() < T::from_f64(0.75) {
        near
    } else {
        far
    }
}

#[inline(always)]
pub(super) fn erfc<T: Float, const F: bool>(x: T) -> T {
    let near = T::ONE - near_zero::<T, F>(x);
    let tail = tail::<T, F>(x);
    let far = if x < T::ZERO {
        T::from_f64(2.0) - tail
    } else {
        tail
    };
    if x.abs() < T::from_f64(0.4375) {
        near
    } else {
        far
    }
}
