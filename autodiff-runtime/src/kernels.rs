//! Functions that derivatives are made of: products that know about zeros, selections, and the accurate forms of derivatives whose textbook formula is not.

use crate::float::Float;

#[cfg(any(feature = "std", feature = "libm"))]
mod activations;
#[cfg(any(feature = "std", feature = "libm"))]
mod bessel;
#[cfg(any(feature = "std", feature = "libm"))]
mod elementary;
#[cfg(any(feature = "std", feature = "libm"))]
pub(crate) mod gamma;
#[cfg(any(feature = "std", feature = "libm"))]
pub(crate) mod incomplete;
#[cfg(any(feature = "std", feature = "libm"))]
pub(crate) mod inverse;
#[cfg(any(feature = "std", feature = "libm"))]
pub(crate) mod logarithms;
#[cfg(any(feature = "std", feature = "libm"))]
mod powers;

#[cfg(any(feature = "std", feature = "libm"))]
pub use self::{
    activations::*,
    bessel::{dbessel_i, dbessel_j, dbessel_k, dbessel_y},
    elementary::*,
    gamma::{polygamma, polygamma_gap},
    incomplete::{dbeta_inc, dgamma_p},
    inverse::{derfinv, dlambert_w, dnormal_quantile},
    logarithms::{dlog1mexp, dsinc, share},
    powers::*,
};

/// d · p, and 0 where p = 0, whatever d is: the contribution of a cotangent `d` to an operand that was chosen (1), not chosen (0), or shares a tie (1/2).
///
/// ```
/// use autodiff_runtime::kernels::select;
///
/// assert_eq!(select(2.0, -1.0), -2.0);
/// assert_eq!(select(f64::NAN, 0.0), 0.0);
/// ```
#[inline]
#[must_use]
pub fn select<T: Float>(d: T, p: T) -> T {
    if p == T::ZERO { T::ZERO } else { d * p }
}

/// a · b, and 0 where one of them is 0, whatever the other is: a cotangent times a partial that may be infinite or undefined, or times what meets an infinite one.
///
/// ```
/// use autodiff_runtime::kernels::zmul;
///
/// assert_eq!(zmul(2.0, 3.0), 6.0);
/// assert_eq!(zmul(f64::INFINITY, 0.0), 0.0);
/// assert_eq!(zmul(0.0, f64::NAN), 0.0);
/// ```
#[inline]
#[must_use]
pub fn zmul<T: Float>(a: T, b: T) -> T {
    if a == T::ZERO || b == T::ZERO {
        T::ZERO
    } else {
        a * b
    }
}

/// d · p, and 0 where d = 0, whatever p is: as [`zmul`], for a d that is finite.
///
/// ```
/// use autodiff_runtime::kernels::smul;
///
/// assert_eq!(smul(2.0, 3.0), 6.0);
/// assert_eq!(smul(0.0, f64::INFINITY), 0.0);
/// ```
#[inline]
#[must_use]
pub fn smul<T: Float>(d: T, p: T) -> T {
    if d == T::ZERO { T::ZERO } else { d * p }
}

/// d / b, and 0 where d = 0, whatever b is: as [`zdiv`], for a d that is finite.
///
/// ```
/// use autodiff_runtime::kernels::sdiv;
///
/// assert_eq!(sdiv(6.0, 3.0), 2.0);
/// assert_eq!(sdiv(0.0, 0.0), 0.0);
/// ```
#[inline]
#[must_use]
pub fn sdiv<T: Float>(d: T, b: T) -> T {
    if d == T::ZERO { T::ZERO } else { d / b }
}

/// s · p, and 0 where p = 0, whatever s is, as [`select`]: by a branch that is as good as never taken: for a slope that is the same in all rounds of a loop, which then asks once.
#[inline]
#[must_use]
pub fn absorb<T: Float>(s: T, p: T) -> T {
    absorb_if(s, p, true)
}

/// [`select`] for a slope of which is known whether it may be infinite.
#[inline]
#[must_use]
pub fn select_if<T: Float>(s: T, p: T, steep: bool) -> T {
    if steep { select(s, p) } else { s * p }
}

/// [`absorb`] for a slope of which is known whether it may be infinite.
#[inline]
#[must_use]
pub fn absorb_if<T: Float>(s: T, p: T, steep: bool) -> T {
    if steep && !s.is_finite() {
        absorbed(s, p)
    } else {
        s * p
    }
}

/// [`select`], out of the way.
#[cold]
#[inline(never)]
fn absorbed<T: Float>(s: T, p: T) -> T {
    select(s, p)
}

/// d / b, and 0 where d is 0 or b infinite, whatever the other is.
///
/// ```
/// use autodiff_runtime::kernels::zdiv;
///
/// assert_eq!(zdiv(6.0, 3.0), 2.0);
/// assert_eq!(zdiv(0.0, 0.0), 0.0);
/// assert_eq!(zdiv(f64::INFINITY, f64::INFINITY), 0.0);
/// ```
#[inline]
#[must_use]
pub fn zdiv<T: Float>(d: T, b: T) -> T {
    if d == T::ZERO || b.abs() == T::INFINITY {
        T::ZERO
    } else {
        d / b
    }
}

/// x % b.
#[inline]
#[must_use]
pub fn rem<T: Float>(x: T, b: T) -> T {
    x % b
}

/// The derivative of |x|: ±1 with the sign of x, 0 at both zeros, NaN at NaN.
#[inline]
#[must_use]
pub fn sign<T: Float>(x: T) -> T {
    if x == T::ZERO { T::ZERO } else { x.signum() }
}

/// 1 where a < b, else 0.
#[inline]
#[must_use]
pub fn less<T: Float>(a: T, b: T) -> T {
    if a < b { T::ONE } else { T::ZERO }
}

/// The larger of two numbers; NaN if one is.
#[inline]
#[must_use]
pub fn maximum<T: Float>(a: T, b: T) -> T {
    if a > b || a.is_nan() { a } else { b }
}

/// The smaller of two numbers; NaN if one is.
#[inline]
#[must_use]
pub fn minimum<T: Float>(a: T, b: T) -> T {
    if a < b || a.is_nan() { a } else { b }
}

/// The derivative of [`maximum`] by a: 1/2 on a tie, also of two NaN, otherwise 1 where a is larger or NaN, else 0.
#[inline]
#[must_use]
pub fn exceeding<T: Float>(a: T, b: T) -> T {
    if a == b || (a.is_nan() && b.is_nan()) {
        T::from_f64(0.5)
    } else if a > b || a.is_nan() {
        T::ONE
    } else {
        T::ZERO
    }
}

/// Whether x is the largest of a list that has it, as a number; y is the largest: NaN if one of the list is, and then it is those that are.
#[inline]
#[must_use]
pub fn tied<T: Float>(x: T, y: T) -> T {
    if x == y || x.is_nan() {
        T::ONE
    } else {
        T::ZERO
    }
}

/// The derivative of max(a, b) by a: 1 where a is larger or b is NaN, 1/2 on a tie (also of two NaN), else 0.
#[inline]
#[must_use]
pub fn larger<T: Float>(a: T, b: T) -> T {
    if a > b {
        T::ONE
    } else if a < b {
        T::ZERO
    } else if a.is_nan() == b.is_nan() {
        T::from_f64(0.5)
    } else if b.is_nan() {
        T::ONE
    } else {
        T::ZERO
    }
}
