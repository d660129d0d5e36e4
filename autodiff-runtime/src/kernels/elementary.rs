//! Derivatives of inverse tangents, of tanh and of hypot.

use crate::float::Float;

/// The derivative of the inverse tangent, 1 / (1 + x²), without overflow.
#[inline]
#[must_use]
pub fn datan<T: Float>(x: T) -> T {
    // Beyond 1e9 the 1 is far below the last digit, and 1 / x may be squared where x may not.
    if x.abs() < T::from_f64(1e9) {
        T::ONE / (T::ONE + x * x)
    } else {
        let r = x.recip();
        r * r
    }
}

/// a / (a² + b²), without overflow: the derivative of the angle of the point (a, b) by b; by a it is −`datan2(b, a)`.
#[inline]
#[must_use]
pub fn datan2<T: Float>(a: T, b: T) -> T {
    let square = a * a + b * b;
    // Above the lower bound, what was lost to underflow is below the last digit.
    if square > T::MIN_POSITIVE / (T::EPSILON * T::EPSILON) && square <= T::MAX {
        a / square
    } else {
        datan2_scaled(a.to_f64(), b.to_f64())
    }
}

#[cold]
fn datan2_scaled<T: Float>(a: f64, b: f64) -> T {
    if a.abs() == f64::INFINITY || b.abs() == f64::INFINITY {
        return T::ZERO;
    }
    let scale = towards_one(a, b);
    let (a, b) = (a * scale, b * scale);
    T::from_f64(a / (a * a + b * b) * scale)
}

/// A power of two that brings the larger of two numbers to where its square is an ordinary number.
fn towards_one(a: f64, b: f64) -> f64 {
    let two_to_600 = f64::from_bits(0x6570_0000_0000_0000);
    if a.abs().max(b.abs()) > 1.0 {
        two_to_600.recip()
    } else {
        two_to_600
    }
}

/// The derivative of the hyperbolic tangent, 1 − t² with t = tanh(x), accurate for every x.
#[inline]
#[must_use]
pub fn dtanh<T: Float>(x: T, t: T) -> T {
    if t * t < T::from_f64(0.5) {
        T::ONE - t * t
    } else {
        // 1 / cosh²(x)
        let e = (T::from_f64(-2.0) * x.abs()).exp();
        let s = T::ONE + e;
        T::from_f64(4.0) * e / (s * s)
    }
}

/// The derivative of h = √(a² + b²) by a: a / h; 0 where a = 0, also at the origin.
#[inline]
#[must_use]
pub fn dhypot<T: Float>(a: T, b: T, h: T) -> T {
    if a == T::ZERO {
        T::ZERO
    } else if h >= T::MIN_POSITIVE && h <= T::MAX {
        a / h
    } else {
        dhypot_scaled(a.to_f64(), b.to_f64())
    }
}

#[cold]
fn dhypot_scaled<T: Float>(a: f64, b: f64) -> T {
    let scale = towards_one(a, b);
    let (a, b) = (a * scale, b * scale);
    T::from_f64(a / Float::hypot(a, b))
}
