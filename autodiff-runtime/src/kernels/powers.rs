//! Derivatives of powers, and of logarithms to any base, of every order.

use crate::float::Float;

/// The `k`-th derivative of xⁿ: n (n − 1) … (n − k + 1) xⁿ⁻ᵏ, and 0 where the factor is 0, whatever x is.
#[inline]
#[must_use]
pub fn dpowi<T: Float>(x: T, n: i32, k: i32) -> T {
    let mut factor = 1.0;
    for i in 0..k {
        factor *= f64::from(n) - f64::from(i);
    }
    if factor == 0.0 {
        return T::ZERO;
    }
    // A product of up to five factors is as accurate as `powf`, and much faster.
    if let Some(e @ -5..=5) = n.checked_sub(k) {
        let power = x.powi(e.abs());
        if e >= 0 {
            return T::from_f64(factor) * power;
        }
        if ordinary(power) {
            return T::from_f64(factor) / power;
        }
    }
    T::from_f64(times_power(factor, x.to_f64(), f64::from(n) - f64::from(k)))
}

/// The derivative of `power` = x^exponent, `k` times by x and `m` times by the exponent.
///
/// At x = 0 it is the limit from the right; what is derived by the exponent alone is 0 there.
#[inline]
#[must_use]
pub fn dpowf<T: Float>(x: T, exponent: T, power: T, k: i32, m: i32) -> T {
    if ordinary(x) && ordinary(power) {
        if (k, m) == (1, 0) {
            return exponent * (power / x);
        }
        if (k, m) == (0, 1) {
            return power * x.ln();
        }
    }
    T::from_f64(dpowf_general(x.to_f64(), exponent.to_f64(), k, m))
}

/// Whether |x| is so far from the ends of the range that quotients of two such numbers are normal.
#[inline]
fn ordinary<T: Float>(x: T) -> bool {
    let bound = T::from_f64(if T::MAX.to_f64() > 1e300 { 1e150 } else { 1e18 });
    x.abs() < bound && x.abs() > bound.recip()
}

fn dpowf_general(x: f64, exponent: f64, k: i32, m: i32) -> f64 {
    if x == 0.0 && k == 0 && m > 0 {
        return 0.0;
    }
    let order = f64::from(k);
    let rest = exponent - order;
    // What rounding took from the exponent matters where ln(x) is large.
    let restored = exponent - rest;
    let taken = (exponent - (rest + restored)) + (restored - order);
    let log = if m > 0 || (taken != 0.0 && x > 0.0) {
        Float::ln(x)
    } else {
        0.0
    };
    let factor = factor(exponent, log, k, m);
    if factor == 0.0 || (x == 0.0 && rest > 0.0) {
        0.0
    } else {
        times_power(factor * (1.0 + taken * log), x, rest)
    }
}

/// The derivative of x^exponent, `k` times by x and `m` times by the exponent, divided by x^(exponent − k), where `log` = ln(x).
fn factor(exponent: f64, log: f64, k: i32, m: i32) -> f64 {
    if k == 0 {
        return Float::powi(log, m);
    }
    let next = (exponent - f64::from(k - 1)) * factor(exponent, log, k - 1, m);
    if m == 0 {
        next
    } else {
        next + f64::from(m) * factor(exponent, log, k - 1, m - 1)
    }
}

/// factor · x^exponent, also where the power alone overflows or underflows.
fn times_power(factor: f64, x: f64, exponent: f64) -> f64 {
    let power = Float::powf(x, exponent);
    if x == 0.0 || ordinary(power) {
        return factor * power;
    }
    let root = Float::powf(x.abs(), 0.5 * exponent);
    factor * root * root * power.signum()
}

/// The derivative of ln(x) / ln(b), `k` times by x and `m` times by b, k + m > 0.
#[must_use]
pub fn dlog<T: Float>(x: T, b: T, k: i32, m: i32) -> T {
    let (x, b) = (x.to_f64(), b.to_f64());
    let inverse = Float::ln(b).recip();
    // That of 1 / ln(b) is (−1)ᵐ / bᵐ times a polynomial in 1 / ln(b); `next` adds an order to one of its terms.
    let mut polynomial = 0.0;
    let mut terms = [0.0; DLOG_TERMS];
    terms[0] = 1.0;
    for order in 0..m {
        for power in (0..DLOG_TERMS).rev() {
            let below = power.checked_sub(1).map_or(0.0, |below| terms[below]);
            terms[power] = f64::from(order) * terms[power] + power as f64 * below;
        }
    }
    for term in terms.into_iter().rev() {
        polynomial = (polynomial + term) * inverse;
    }
    let mut found = if m % 2 == 0 { polynomial } else { -polynomial };
    if k == 0 {
        found *= Float::ln(x);
    }
    for n in 1..k {
        found *= -f64::from(n);
    }
    // What brings it towards 1 is divided by first, as either alone may be out of range.
    let (mut left, mut right) = (k, m);
    while left + right > 0 {
        let shrinks = (x.abs() > b) == (found.abs() > 1.0);
        if right == 0 || left > 0 && shrinks {
            found /= x;
            left -= 1;
        } else {
            found /= b;
            right -= 1;
        }
    }
    T::from_f64(found)
}

/// So many orders by the base are exact.
const DLOG_TERMS: usize = 9;
