//! The natural logarithm, after FreeBSD's `e_log.c`.

use super::exponential::{Power, size_within, sum};
use crate::float::Float;

/// ln x + `rest` for positive x, the second of which is tiny beside 1.
///
/// With x = 2ᵏ (1 + f) and s = f / (2 + f), ln (1 + f) is f − f²/2 + s (f²/2 + R(s²)).
#[inline(always)]
fn ln_sum<T: Float, const F: bool>(x: T, rest: T) -> T {
    let [k, m] = T::exponent_and_mantissa(x);
    let f = m - T::ONE;
    let s = f / (T::from_f64(2.0) + f);
    let square = s * s;
    let half_square = T::from_f64(0.5) * f * f;
    let low = T::fuse::<F>(k, T::LN_2_LONG_PARTS[1], rest);
    let bend = half_square - T::fuse::<F>(s, half_square + T::ln_rest::<F>(square), low);
    T::fuse::<F>(k, T::LN_2_LONG_PARTS[0], -(bend - f))
}

#[inline(always)]
pub(super) fn ln<T: Float, const F: bool>(x: T) -> T {
    let y = ln_sum::<T, F>(x, T::ZERO);
    let y = if x == T::ZERO { T::NEG_INFINITY } else { y };
    let y = if x < T::ZERO { T::NAN } else { y };
    if x < T::INFINITY { y } else { x }
}

/// ln u with u = 1 + x rounded, and what rounding took, which is divided by u.
#[inline(always)]
pub(super) fn ln_1p<T: Float, const F: bool>(x: T) -> T {
    let u = T::ONE + x;
    let lost = if x > T::ONE {
        T::ONE - (u - x)
    } else {
        x - (u - T::ONE)
    };
    let y = ln_sum::<T, F>(u, lost / u);
    let y = if u == T::ZERO { T::NEG_INFINITY } else { y };
    let y = if u < T::ZERO { T::NAN } else { y };
    if x < T::INFINITY { y.copysign(x) } else { x }
}

/// max(x, 0) + ln(1 + e^(−|x|)).
#[inline(always)]
pub(super) fn softplus<T: Float, const F: bool>(x: T) -> T {
    let Power { scale, q, lost } = Power::of_sum::<F>(-size_within(x, -T::EXP_ENDS[0]), T::ZERO);
    let [high, low] = sum(T::ONE, q);
    let e = high * scale[0] * scale[1];
    let [u, rest] = sum(T::ONE, e);
    let rest = T::fuse::<F>((low + lost) * scale[0], scale[1], rest);
    let y = ln_sum::<T, F>(u, rest / u);
    if x > T::ZERO { x + y } else { y }
}
