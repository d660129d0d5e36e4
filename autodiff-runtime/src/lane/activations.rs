//! The activation functions of machine learning, with their slopes.
//!
//! All are made of e^(−a) with a ≥ 0: so nothing overflows, and both tails have their digits.
//! Arguments are cut where nothing but the exponential's zero is left, so that no zero meets an infinity.

use super::error::{near_zero, scaled, square};
use super::exponential::{Power, sigmoid_times, size_within, tanh, within};
use super::parts::{GELU_LINEAR, difference, product};
use crate::float::Float;

/// 1 / √(2π).
const DENSITY: f64 = 0.398_942_280_401_432_7;
/// 2 √(2/π) times 3 · 0.044715.
const TRIPLE: f64 = 0.214_064_448_817_800_73;

/// e^(−a) / (1 + e^(−a))², with a in two parts, the second of which is tiny, times a factor of ordinary size.
#[inline(always)]
fn bell<T: Float, const F: bool>([a, rest]: [T; 2], factor: T) -> T {
    let Power { scale, q, .. } = Power::of_sum::<F>(-a, -rest);
    let e = (T::ONE + q) * scale[0];
    let below = T::fuse::<F>(e, scale[1], T::ONE);
    factor * e / (below * below) * scale[1]
}

/// The slope of x σ(u) where a = |u| and v = x u': σ(u) + v σ'(u), for x on either side of zero.
#[inline(always)]
fn gated_slope<T: Float, const F: bool>([a, rest]: [T; 2], v: T, negative: bool) -> T {
    let Power { scale, q, .. } = Power::of_sum::<F>(-a, -rest);
    let e = (T::ONE + q) * scale[0];
    let below = T::fuse::<F>(e, scale[1], T::ONE);
    let tail = e * (below + v);
    let top = T::fuse::<F>(e * scale[1], T::ONE + v, T::ONE);
    let above = if negative { tail } else { top };
    let y = above / (below * below);
    if negative { y * scale[1] } else { y }
}

/// Beyond this on either side eˣ is 0, its product with x as well, and σ is 1.
#[inline(always)]
fn end<T: Float>() -> T {
    T::from_f64(1.06) * -T::EXP_ENDS[0]
}

/// The derivative of `tanh`, 1 / cosh².
#[inline(always)]
pub(super) fn dtanh<T: Float, const F: bool>(x: T) -> T {
    let a = size_within(x + x, end());
    bell::<T, F>([a, T::ZERO], T::from_f64(4.0))
}

/// The second derivative of `tanh`.
#[inline(always)]
pub(super) fn d2tanh<T: Float, const F: bool>(x: T) -> T {
    let a = size_within(x + x, end());
    bell::<T, F>([a, T::ZERO], T::from_f64(-8.0) * tanh::<T, F>(x))
}

/// The derivative of `sigmoid`.
#[inline(always)]
pub(super) fn dsigmoid<T: Float, const F: bool>(x: T) -> T {
    bell::<T, F>([size_within(x, end()), T::ZERO], T::ONE)
}

/// The second derivative of `sigmoid`.
#[inline(always)]
pub(super) fn d2sigmoid<T: Float, const F: bool>(x: T) -> T {
    let half = T::from_f64(0.5) * x;
    bell::<T, F>([size_within(x, end()), T::ZERO], -tanh::<T, F>(half))
}

/// x σ(x).
#[inline(always)]
pub(super) fn silu<T: Float, const F: bool>(x: T) -> T {
    let cut = within(x, [-end::<T>(), end()]);
    let power = Power::of_sum::<F>(-cut.abs(), T::ZERO);
    let y = sigmoid_times::<T, F>(power, x < T::ZERO, cut);
    if x > cut { x } else { y.copysign(x) }
}

/// The derivative of `silu`.
#[inline(always)]
pub(super) fn dsilu<T: Float, const F: bool>(x: T) -> T {
    let x = within(x, [-end::<T>(), end()]);
    gated_slope::<T, F>([x.abs(), T::ZERO], x, x < T::ZERO)
}

/// The second derivative of `silu`.
#[inline(always)]
pub(super) fn d2silu<T: Float, const F: bool>(x: T) -> T {
    let x = within(x, [-end::<T>(), end()]);
    let bend = tanh::<T, F>(T::from_f64(0.5) * x);
    bell::<T, F>([x.abs(), T::ZERO], T::fuse::<F>(-x, bend, T::from_f64(2.0)))
}

/// The argument, or the end where it is so far out that the normal density is 0.
#[inline(always)]
fn within_normal<T: Float>(x: T) -> T {
    within(x, [-T::NORMAL_END, T::NORMAL_END])
}

/// exp(−x²/2).
#[inline(always)]
fn normal<T: Float, const F: bool>(x: T) -> Power<T> {
    let [upper, rest] = square(x);
    let half = T::from_f64(0.5);
    Power::of_sum::<F>(-half * upper, -half * rest)
}

/// exp(x²/2) Φ(−|x|) for |x| from 0.6 to `NORMAL_END`, and what rounding took from that.
#[inline(always)]
fn scaled_normal<T: Float, const F: bool>(x: T) -> [T; 2] {
    let [root, root_rest] = T::FRAC_1_SQRT_2_PARTS;
    let [z, z_lost] = product::<T, F>(x.abs(), root);
    let z_lost = T::fuse::<F>(x.abs(), root_rest, z_lost);
    let [y, rest] = scaled::<T, F>(z);
    // The derivative of exp(z²) erfc z is 2 z times that, minus 2/√π.
    let slope = T::fuse::<F>(z + z, y, T::from_f64(-core::f64::consts::FRAC_2_SQRT_PI));
    let half = T::from_f64(0.5);
    [half * y, half * T::fuse::<F>(slope, z_lost, rest)]
}

/// Φ(x) near zero, for |x| up to 1.
#[inline(always)]
fn cdf_near<T: Float, const F: bool>(x: T) -> T {
    let half = T::from_f64(0.5);
    T::fuse::<F>(half, near_zero::<T, F>(x * T::FRAC_1_SQRT_2_PARTS[0]), half)
}

/// Where Φ is summed from the middle, not from the tails.
#[inline(always)]
fn is_near<T: Float>(x: T) -> bool {
    x.abs() < T::from_f64(0.6)
}

/// x Φ(x).
#[inline(always)]
pub(super) fn gelu<T: Float, const F: bool>(x: T) -> T {
    let cut = within_normal(x);
    let [y, rest] = scaled_normal::<T, F>(cut);
    let [tail, lost] = product::<T, F>(cut, y);
    let tail = normal::<T, F>(cut).times_sum::<F>([tail, T::fuse::<F>(cut, rest, lost)]);
    let far = if x < T::ZERO { tail } else { x - tail };
    let near = x * cdf_near::<T, F>(x);
    if is_near(x) { near } else { far }
}

/// The derivative of `gelu`, Φ(x) + x φ(x).
#[inline(always)]
pub(super) fn dgelu<T: Float, const F: bool>(x: T) -> T {
    let x = within_normal(x);
    let density = x * T::from_f64(DENSITY);
    let [y, rest] = scaled_normal::<T, F>(x);
    let [tail, lost] = difference(y, density.abs());
    let tail = normal::<T, F>(x).times_sum::<F>([tail, lost + rest]);
    let far = if x < T::ZERO { tail } else { T::ONE - tail };
    let near = cdf_near::<T, F>(x) + normal::<T, F>(x).times::<F>(density);
    if is_near(x) { near } else { far }
}

/// The second derivative of `gelu`, φ(x) (2 − x²).
#[inline(always)]
pub(super) fn d2gelu<T: Float, const F: bool>(x: T) -> T {
    let x = within_normal(x);
    let root = T::from_f64(core::f64::consts::SQRT_2);
    let bend = (root - x) * (root + x);
    normal::<T, F>(x).times::<F>(T::from_f64(DENSITY) * bend)
}

/// The argument, or the end where it is so far out that σ(u) is 0 or 1.
#[inline(always)]
fn within_gelu_tanh<T: Float>(x: T) -> T {
    within(x, [-T::GELU_TANH_END, T::GELU_TANH_END])
}

/// x σ(u) with u = 2 √(2/π) (x + 0.044715 x³).
#[inline(always)]
pub(super) fn gelu_tanh<T: Float, const F: bool>(x: T) -> T {
    let cut = within_gelu_tanh(x);
    let [a, rest] = T::gelu_exponent::<F>(cut.abs());
    let power = Power::of_sum::<F>(-a, -rest);
    let y = sigmoid_times::<T, F>(power, x < T::ZERO, cut);
    if x > cut { x } else { y.copysign(x) }
}

/// The derivative of `gelu_tanh`.
#[inline(always)]
pub(super) fn dgelu_tanh<T: Float, const F: bool>(x: T) -> T {
    let x = within_gelu_tanh(x);
    gated_slope::<T, F>(
        T::gelu_exponent::<F>(x.abs()),
        x * exponent_slope::<T, F>(x),
        x < T::ZERO,
    )
}

/// The second derivative of `gelu_tanh`: σ'(u) (2u' + x u'' − x u'² tanh(u/2)).
#[inline(always)]
pub(super) fn d2gelu_tanh<T: Float, const F: bool>(x: T) -> T {
    let x = within_gelu_tanh(x);
    let exponent = T::gelu_exponent::<F>(x.abs());
    let slope = exponent_slope::<T, F>(x);
    let two = T::from_f64(2.0);
    let turn = x.abs() * slope * slope * tanh::<T, F>(T::from_f64(0.5) * exponent[0]);
    let plain = T::fuse::<F>(two, slope, T::from_f64(2.0 * TRIPLE) * x * x);
    bell::<T, F>(exponent, plain - turn)
}

/// u', where u is the exponent of `gelu_tanh`.
#[inline(always)]
fn exponent_slope<T: Float, const F: bool>(x: T) -> T {
    T::fuse::<F>(T::from_f64(TRIPLE), x * x, T::from_f64(GELU_LINEAR[0]))
}

/// exp(−x²) times a factor of ordinary size.
#[inline(always)]
fn bell_of_square<T: Float, const F: bool>(x: T, factor: f64) -> T {
    let [upper, rest] = square(size_within(x, T::ERFC_END));
    Power::of_sum::<F>(-upper, -rest).times::<F>(T::from_f64(factor))
}

/// exp(−x²).
#[inline(always)]
pub(super) fn gaussian<T: Float, const F: bool>(x: T) -> T {
    bell_of_square::<T, F>(x, 1.0)
}

/// The density of the standard normal distribution.
#[inline(always)]
pub(super) fn normal_pdf<T: Float, const F: bool>(x: T) -> T {
    normal::<T, F>(within_normal(x)).times::<F>(T::from_f64(DENSITY))
}

/// The derivative of `erf`, 2/√π exp(−x²).
#[inline(always)]
pub(super) fn derf<T: Float, const F: bool>(x: T) -> T {
    bell_of_square::<T, F>(x, core::f64::consts::FRAC_2_SQRT_PI)
}

/// The second derivative of `erf`.
#[inline(always)]
pub(super) fn d2erf<T: Float, const F: bool>(x: T) -> T {
    let x = within(x, [-T::ERFC_END, T::ERFC_END]);
    let [upper, rest] = square(x);
    let slope = T::from_f64(-2.0 * core::f64::consts::FRAC_2_SQRT_PI);
    Power::of_sum::<F>(-upper, -rest).times::<F>(slope * x)
}
