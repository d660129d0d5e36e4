//! Sine, cosine and tangent, after FreeBSD's `k_sin.c` and `k_cos.c`.

use super::exponential::sum;
use crate::float::Float;

/// Below this the number of quarter turns is below 2²⁰, so that its products with the pieces of π/2 are exact.
pub(super) const BOUND: f64 = 1.6e6;

/// sin(r + rest) for |r| ≤ π/4 and a tiny rest, and what rounding took from it.
#[inline(always)]
fn sin_near<T: Float, const F: bool>([r, rest]: [T; 2]) -> [T; 2] {
    let square = r * r;
    let bent = T::fuse::<F>(r * square, T::sin_rest::<F>(square), rest);
    sum(r, bent)
}

/// cos(r + rest) for |r| ≤ π/4 and a tiny rest, and what rounding took from it.
#[inline(always)]
fn cos_near<T: Float, const F: bool>([r, rest]: [T; 2]) -> [T; 2] {
    let square = r * r;
    let half = T::from_f64(0.5) * square;
    let most = T::ONE - half;
    let lost = (T::ONE - most) - half;
    let bent = T::fuse::<F>(
        square * square,
        T::cos_rest::<F>(square),
        T::fuse::<F>(-r, rest, lost),
    );
    sum(most, bent)
}

#[inline(always)]
pub(super) fn sin<T: Float, const F: bool>(x: T) -> T {
    let (turns, r) = T::turns::<F>(x);
    let ([sin, _], [cos, _]) = (sin_near::<T, F>(r), cos_near::<T, F>(r));
    let y = if T::is_odd(turns) { cos } else { sin };
    let y = T::flip(y, turns);
    // −0 is kept; elsewhere near zero this is the sign in any case.
    let signed = y.copysign(x);
    if x.abs() < T::ONE { signed } else { y }
}

#[inline(always)]
pub(super) fn cos<T: Float, const F: bool>(x: T) -> T {
    let (turns, r) = T::turns::<F>(x);
    let ([sin, _], [cos, _]) = (sin_near::<T, F>(r), cos_near::<T, F>(r));
    let y = if T::is_odd(turns) { sin } else { cos };
    T::flip(y, turns + T::ONE)
}

#[inline(always)]
pub(super) fn tan<T: Float, const F: bool>(x: T) -> T {
    let (turns, r) = T::turns::<F>(x);
    let ([sin, sin_lost], [cos, cos_lost]) = (sin_near::<T, F>(r), cos_near::<T, F>(r));
    let odd = T::is_odd(turns);
    let [above, above_lost] = if odd {
        [-cos, -cos_lost]
    } else {
        [sin, sin_lost]
    };
    let [below, below_lost] = if odd {
        [sin, sin_lost]
    } else {
        [cos, cos_lost]
    };
    let y = above / below;
    let y = y + T::fuse::<F>(-y, below_lost, above_lost) / below;
    if x == T::ZERO { x } else { y }
}
