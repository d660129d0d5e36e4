//! The exponential function, and what is made of it.

use super::parts::product;
use crate::float::Float;

/// eˣ as 2ᵏ (1 + q), where 2ᵏ is a product of two factors: it may be outside of the type's range where the result is not.
pub(super) struct Power<T> {
    pub(super) scale: [T; 2],
    pub(super) q: T,
    /// What rounding took from q, where that was asked for.
    pub(super) lost: T,
}

impl<T: Float> Power<T> {
    /// eˣ: 2ᵏ with k = x / ln 2, rounded, times eʳ with the r that is left (Cody and Waite's reduction).
    #[inline(always)]
    pub(super) fn of<const F: bool>(x: T) -> Self {
        let [shifted, k] = rounded::<T, F>(x);
        let r = T::fuse::<F>(-k, T::LN_2_PARTS[1], T::fuse::<F>(-k, T::LN_2_PARTS[0], x));
        Power {
            scale: T::power_of_two(shifted),
            q: T::fuse::<F>(T::exp_rest::<F>(r), r * r, r),
            lost: T::ZERO,
        }
    }

    /// e to the power of a sum, the second term of which is tiny; what rounding takes from r and q is kept.
    #[inline(always)]
    pub(super) fn of_sum<const F: bool>(x: T, rest: T) -> Self {
        let [shifted, k] = rounded::<T, F>(x);
        let high = T::fuse::<F>(-k, T::LN_2_PARTS[0], x);
        let low = T::fuse::<F>(k, T::LN_2_PARTS[1], -rest);
        let r = high - low;
        let lost = (high - r) - low;
        let [q, lost] = sum(r, T::fuse::<F>(T::exp_rest::<F>(r), r * r, lost));
        Power {
            scale: T::power_of_two(shifted),
            q,
            lost,
        }
    }

    /// The power times a number of ordinary size.
    #[inline(always)]
    pub(super) fn times<const F: bool>(self, factor: T) -> T {
        self.times_sum::<F>([factor, T::ZERO])
    }

    /// The power times a sum, the second term of which is tiny beside the first.
    #[inline(always)]
    pub(super) fn times_sum<const F: bool>(self, [factor, rest]: [T; 2]) -> T {
        let rest = T::fuse::<F>(factor, self.q, T::fuse::<F>(factor, self.lost, rest));
        (factor + rest) * self.scale[0] * self.scale[1]
    }
}

/// x / ln 2 rounded to an integer, first with `MAGIC` added.
#[inline(always)]
fn rounded<T: Float, const F: bool>(x: T) -> [T; 2] {
    let shifted = T::fuse::<F>(x, T::from_f64(core::f64::consts::LOG2_E), T::MAGIC);
    [shifted, shifted - T::MAGIC]
}

/// The number, or the end of the range that it is beyond; NaN is passed on.
#[inline(always)]
pub(super) fn within<T: Float>(x: T, [low, high]: [T; 2]) -> T {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// |x|, or the end where it is larger; NaN is passed on.
#[inline(always)]
pub(super) fn size_within<T: Float>(x: T, end: T) -> T {
    let size = x.abs();
    if size > end { end } else { size }
}

#[inline(always)]
pub(super) fn exp<T: Float, const F: bool>(x: T) -> T {
    Power::of::<F>(within(x, T::EXP_ENDS)).times::<F>(T::ONE)
}

#[inline(always)]
pub(super) fn exp_m1<T: Float, const F: bool>(x: T) -> T {
    let half = T::from_f64(0.5);
    // Below −40 the result is −1.
    let Power { scale, q, lost } =
        Power::of_sum::<F>(within(x, [T::from_f64(-40.0), T::EXP_ENDS[1]]), T::ZERO);
    // Half of the result, because 2ᵏ itself may be too large.
    let power = scale[0] * (half * scale[1]);
    let large = T::fuse::<F>(power, q, T::fuse::<F>(power, lost, power - half));
    let y = if power == half { q } else { large + large };
    y.copysign(x)
}

/// 2 e / (1 + e) with e = e^(−2|x|), which is 1 − tanh |x|; near zero Cephes' polynomials. One division serves both.
#[inline(always)]
pub(super) fn tanh<T: Float, const F: bool>(x: T) -> T {
    let size = x.abs();
    let e = decay::<T, F>(size + size);
    let [above, below] = T::tanh_rest::<F>(size);
    let small = size < T::from_f64(0.625);
    let rest = if small { above } else { -(e + e) } / if small { below } else { T::ONE + e };
    (if small { size } else { T::ONE } + rest).copysign(x)
}

/// e⁻ᵃ for a ≥ 0.
#[inline(always)]
pub(super) fn decay<T: Float, const F: bool>(a: T) -> T {
    let a = if a > -T::EXP_ENDS[0] {
        -T::EXP_ENDS[0]
    } else {
        a
    };
    Power::of::<F>(-a).times::<F>(T::ONE)
}

#[inline(always)]
pub(super) fn sigmoid<T: Float, const F: bool>(x: T) -> T {
    let power = Power::of_sum::<F>(-size_within(x, -T::EXP_ENDS[0]), T::ZERO);
    let ([y, rest], scale) = gate::<T, F>(power, x < T::ZERO);
    (y + rest) * scale
}

/// The logistic function times a factor of ordinary size.
#[inline(always)]
pub(super) fn sigmoid_times<T: Float, const F: bool>(
    power: Power<T>,
    negative: bool,
    factor: T,
) -> T {
    let ([y, rest], scale) = gate::<T, F>(power, negative);
    let [y, lost] = product::<T, F>(y, factor);
    (y + T::fuse::<F>(rest, factor, lost)) * scale
}

/// 1 / (1 + e) or, for negative arguments, e / (1 + e), where e = e^(−|x|) is given: rounded, what rounding took from it, e and 1 + e, and a scale.
///
/// The scale is the second factor of the power's own. It is left for the end, so that tiny results are rounded once.
#[inline(always)]
fn gate<T: Float, const F: bool>(
    Power { scale, q, lost }: Power<T>,
    negative: bool,
) -> ([T; 2], T) {
    let [high, low] = sum(T::ONE, q);
    let low = low + lost;
    let [below, below_rest] = sum(T::ONE, high * (scale[0] * scale[1]));
    let below_rest = T::fuse::<F>(scale[0] * scale[1], low, below_rest);
    let above = if negative { high * scale[0] } else { T::ONE };
    let above_rest = if negative { low * scale[0] } else { T::ZERO };
    let y = above / below;
    let reciprocal = if negative { T::ONE - y * scale[1] } else { y };
    let rest = T::fuse::<F>(-y, below_rest, above_rest) * reciprocal;
    ([y, rest], if negative { scale[1] } else { T::ONE })
}

/// a + b where |a| ≥ |b|: rounded, and what that lost.
#[inline(always)]
pub(super) fn sum<T: Float>(a: T, b: T) -> [T; 2] {
    let sum = a + b;
    [sum, b - (sum - a)]
}
