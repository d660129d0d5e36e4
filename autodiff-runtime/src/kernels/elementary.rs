//! Derivatives of inverse functions, of exp2, of the cubic root, of tanh and of hypot.

use crate::float::Float;

/// The derivative of the inverse sine, 1 / √(1 − x²).
#[inline]
#[must_use]
pub fn dasin<T: Float>(x: T) -> T {
    ((T::ONE - x) * (T::ONE + x)).sqrt().recip()
}

/// The derivative of the inverse hyperbolic tangent, 1 / (1 − x²).
#[inline]
#[must_use]
pub fn datanh<T: Float>(x: T) -> T {
    ((T::ONE - x) * (T::ONE + x)).recip()
}

/// The `k`-th derivative of y = 2ˣ, ln(2)ᵏ 2ˣ, also where 2ˣ alone overflows.
#[inline]
#[must_use]
pub fn dexp2<T: Float>(x: T, y: T, k: i32) -> T {
    let mut factor = 1.0;
    for _ in 0..k {
        factor *= core::f64::consts::LN_2;
    }
    let factor = T::from_f64(factor);
    if y <= T::MAX {
        factor * y
    } else {
        let root = (x * T::from_f64(0.5)).exp2();
        factor * root * root
    }
}

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
    let scale = size(a, b);
    let (a, b) = (a / scale, b / scale);
    T::from_f64(a / (a * a + b * b) / scale)
}

/// A power of two of about the size of the larger of two numbers: what is divided by it has a square.
fn size(a: f64, b: f64) -> f64 {
    let power = |x: f64| f64::from_bits(x.to_bits() & f64::INFINITY.to_bits());
    power(a.abs().max(b.abs())).clamp(f64::MIN_POSITIVE, power(f64::MAX))
}

/// The derivative of ln |a + b i|, `k` times by a and `m` times by b, k + m > 0.
///
/// It is the real part of iᵐ (−1)ⁿ⁻¹ (n − 1)! / zⁿ with n = k + m, where no sum of powers overflows or loses its digits.
#[must_use]
pub fn dln_abs<T: Float>(a: T, b: T, k: i32, m: i32) -> T {
    let (a, b) = (a.to_f64(), b.to_f64());
    if a.abs() == f64::INFINITY || b.abs() == f64::INFINITY {
        return T::ZERO;
    }
    let scale = size(a, b);
    let (a, b) = (a / scale, b / scale);
    let square = a * a + b * b;
    let (re, im) = (a / square, -b / square);
    let order = k + m;
    let mut power = (re, im);
    for n in 1..order {
        let (p, q) = power;
        let factor = -f64::from(n);
        power = if n == 1 {
            ((re - im) * (re + im) * factor, 2.0 * re * im * factor)
        } else {
            ((p * re - q * im) * factor, (p * im + q * re) * factor)
        };
    }
    let (p, q) = power;
    let mut found = [p, -q, -p, q][m.rem_euclid(4) as usize];
    for _ in 0..order {
        found /= scale;
    }
    T::from_f64(found)
}

/// The derivative of r = ∛x, 1 / (3 r²).
#[inline]
#[must_use]
pub fn dcbrt<T: Float>(_: T, r: T) -> T {
    (T::from_f64(3.0) * r * r).recip()
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

/// The derivative of `dhypot` by a: b² / h³.
#[inline]
#[must_use]
pub fn bend<T: Float>(a: T, b: T, h: T) -> T {
    let v = dhypot(b, a, h);
    v * super::zdiv(v, h)
}

/// The derivative of `dhypot` by b with the sign changed: a b / h³.
#[inline]
#[must_use]
pub fn twist<T: Float>(a: T, b: T, h: T) -> T {
    let (u, v) = (dhypot(a, b, h), dhypot(b, a, h));
    // What is small is divided first, as the product alone may be too small.
    if u.abs() < v.abs() {
        v * super::zdiv(u, h)
    } else {
        u * super::zdiv(v, h)
    }
}

#[cold]
fn dhypot_scaled<T: Float>(a: f64, b: f64) -> T {
    let scale = size(a, b);
    let (a, b) = (a / scale, b / scale);
    T::from_f64(a / Float::hypot(a, b))
}
