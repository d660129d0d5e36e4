//! Bessel functions of integer order.
//!
//! Formulas by their numbers in the NIST Digital Library of Mathematical Functions (DLMF), chapter 10.

use crate::float::Float;

const EULER: f64 = 0.577_215_664_901_532_9;

/// The k-th derivative of a function whose derivative is a combination of its neighbours: 2⁻ᵏ Σ (±1)ʲ (k over j) f(n − k + 2j), 10.6.7, 10.29.5.
fn derived(n: i32, k: i32, sign: f64, f: impl Fn(i32) -> f64) -> f64 {
    let mut weight = Float::powi(0.5, k);
    let mut sum = 0.0;
    for j in 0..=k {
        let order = n.saturating_sub(k).saturating_add(2 * j);
        sum += weight * f(order);
        weight *= sign * f64::from(k - j) / f64::from(j + 1);
    }
    sum
}

/// The k-th derivative of Jₙ(x).
#[must_use]
pub fn dbessel_j<T: Float>(n: i32, x: T, k: i32) -> T {
    let x = x.to_f64();
    T::from_f64(derived(n, k, -1.0, |n| libm::jn(n, x)))
}

/// The k-th derivative of Yₙ(x).
#[must_use]
pub fn dbessel_y<T: Float>(n: i32, x: T, k: i32) -> T {
    let x = x.to_f64();
    if x == 0.0 {
        return T::from_f64(at_pole(n, k, true));
    }
    let found = derived(n, k, -1.0, |n| libm::yn(n, x));
    // Out of range the neighbours are infinities that would cancel.
    let overflows = found.is_nan() && x > 0.0;
    T::from_f64(if overflows {
        at_pole(n, k, true)
    } else {
        found
    })
}

/// The k-th derivative of Iₙ(x).
#[must_use]
pub fn dbessel_i<T: Float>(n: i32, x: T, k: i32) -> T {
    let x = x.to_f64();
    T::from_f64(derived(n, k, 1.0, |n| bessel_i(n, x)))
}

/// The k-th derivative of Kₙ(x).
#[must_use]
pub fn dbessel_k<T: Float>(n: i32, x: T, k: i32) -> T {
    let x = x.to_f64();
    if x == 0.0 {
        return T::from_f64(at_pole(n, k, false));
    }
    let all = derived(n, k, 1.0, |n| bessel_k(n, x));
    T::from_f64(if k % 2 == 0 { all } else { -all })
}

/// What the functions that are infinite at 0 tend to from the right: K and its derivatives alternate in sign, Y has the other one, and once more for odd negative orders.
fn at_pole(n: i32, k: i32, is_y: bool) -> f64 {
    let odd = is_y && n < 0 && n % 2 != 0;
    if (k % 2 == 1) ^ is_y ^ odd {
        f64::NEG_INFINITY
    } else {
        f64::INFINITY
    }
}

/// Iₙ(x), by its power series 10.25.2, all terms of which have one sign.
fn bessel_i(n: i32, x: f64) -> f64 {
    let order = f64::from(n.unsigned_abs());
    let half = 0.5 * x.abs();
    let sign = if x < 0.0 && n % 2 != 0 { -1.0 } else { 1.0 };
    if x.is_nan() {
        return x;
    }
    if half == f64::INFINITY {
        return sign * half;
    }
    // The first term (x/2)ⁿ / n!, and as often as it got too small the power of two that it was multiplied by.
    let (mut term, mut raised) = (1.0, 0);
    for j in 1..=n.unsigned_abs() {
        term *= half / f64::from(j);
        if term == 0.0 {
            return 0.0;
        }
        if term < 1e-200 && half > 1.0 {
            term *= TWO_TO_600;
            raised += 1;
        }
    }
    let square = half * half;
    let (mut sum, mut j) = (term, 0.0);
    loop {
        j += 1.0;
        term *= square / (j * (order + j));
        sum += term;
        if term <= 1e-17 * sum || sum == f64::INFINITY {
            break;
        }
        if raised > 0 && sum > 1.0 {
            sum /= TWO_TO_600;
            term /= TWO_TO_600;
            raised -= 1;
        }
    }
    for _ in 0..raised {
        sum /= TWO_TO_600;
    }
    sign * sum
}

const TWO_TO_600: f64 = 4.149_515_568_880_993e180;

/// Kₙ(x): of the orders 0 and 1, then upwards by 10.29.1.
fn bessel_k(n: i32, x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == f64::INFINITY {
        return 0.0;
    }
    let n = n.unsigned_abs();
    let (mut below, mut at) = if x < 1.0 { near(x) } else { far(x) };
    if n == 0 {
        return below;
    }
    for j in 1..n {
        (below, at) = (at, 2.0 * f64::from(j) / x * at + below);
        if at == f64::INFINITY {
            break;
        }
    }
    at
}

/// K₀ and K₁ by their power series, 10.31.1.
fn near(x: f64) -> (f64, f64) {
    let half = 0.5 * x;
    let square = half * half;
    let log = Float::ln(half);
    // Of K₀: (x²/4)ʲ / j!² (ψ(j + 1) − ln(x/2)); of K₁: x/4 (x²/4)ʲ / (j! (j + 1)!) (2 ln(x/2) − ψ(j + 1) − ψ(j + 2)).
    let (mut term, mut digamma) = (1.0, -EULER);
    let (mut zeroth, mut first) = (0.0, 0.0);
    for j in 0..20 {
        let j = f64::from(j);
        let next = digamma + (j + 1.0).recip();
        zeroth += term * (digamma - log);
        first += term / (j + 1.0) * (2.0 * log - digamma - next);
        digamma = next;
        term *= square / ((j + 1.0) * (j + 1.0));
        if term < 1e-18 {
            break;
        }
    }
    (zeroth, x.recip() + 0.5 * half * first)
}

/// K₀ and K₁ by the trapezoidal rule for ∫ e^(−x cosh t) cosh(nt) dt, 10.32.9: the error decreases with e^(−π²/h).
fn far(x: f64) -> (f64, f64) {
    let step = (0.6 / Float::sqrt(x)).min(0.22);
    let (mut zeroth, mut first) = (0.5, 0.5);
    for j in 1..200 {
        let sine = Float::sinh(0.5 * step * f64::from(j));
        let less = 2.0 * sine * sine;
        let weight = Float::exp(-x * less);
        zeroth += weight;
        first += weight * (1.0 + less);
        if weight * (1.0 + less) < 1e-18 {
            break;
        }
    }
    let scale = step * Float::exp(-x);
    (scale * zeroth, scale * first)
}
