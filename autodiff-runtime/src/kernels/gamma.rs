//! The gamma function and its logarithmic derivatives.
//!
//! Formulas by their numbers in the NIST Digital Library of Mathematical Functions (DLMF), chapter 5.

use super::logarithms::{cos_pi, sin_pi};
use crate::float::Float;

/// The Bernoulli numbers B₂, B₄, ….
const BERNOULLI: [f64; 12] = [
    0.166_666_666_666_666_66,
    -0.033_333_333_333_333_33,
    0.023_809_523_809_523_808,
    -0.033_333_333_333_333_33,
    0.075_757_575_757_575_76,
    -0.253_113_553_113_553_1,
    1.166_666_666_666_666_7,
    -7.092_156_862_745_098,
    54.971_177_944_862_156,
    -529.124_242_424_242_4,
    6_192.123_188_405_797,
    -86_580.253_113_553_12,
];

/// From here on the asymptotic series are as accurate as the numbers.
const FAR: f64 = 16.0;

/// Whether the gamma function has a pole there.
pub(crate) fn is_pole(x: f64) -> bool {
    x <= 0.0 && x == Float::floor(x)
}

/// Γ(x).
pub(crate) fn gamma(x: f64) -> f64 {
    libm::tgamma(x)
}

/// ln |Γ(x)|.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// The sign of Γ(x).
pub(crate) fn sign_of_gamma(x: f64) -> f64 {
    if x < 0.0 && Float::rem_euclid(x, 2.0) < 1.0 {
        // Γ(x) = π / (sin(πx) Γ(1 − x)), 5.5.3.
        if Float::rem_euclid(x, 2.0) == 0.0 {
            f64::NAN
        } else {
            1.0
        }
    } else if x < 0.0 {
        -1.0
    } else {
        1.0
    }
}

/// The (n + 1)-th derivative of ln Γ, n = 0 being the digamma function.
#[must_use]
pub fn polygamma<T: Float>(x: T, n: i32) -> T {
    T::from_f64(polygamma_of(x.to_f64(), n))
}

fn polygamma_of(x: f64, n: i32) -> f64 {
    if x.is_nan() || x == f64::NEG_INFINITY {
        return f64::NAN;
    }
    if x == 0.0 {
        // A pole of even order has one sign.
        return if n % 2 == 1 {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY.copysign(-x)
        };
    }
    if is_pole(x) {
        return if n % 2 == 1 { f64::INFINITY } else { f64::NAN };
    }
    if x < 0.0 {
        // ψ⁽ⁿ⁾(1 − x) (−1)ⁿ − ψ⁽ⁿ⁾(x) = dⁿ/dxⁿ π cot(πx), 5.15.6.
        let reflected = positive(1.0 - x, n);
        let reflected = if n % 2 == 0 { reflected } else { -reflected };
        return reflected - cotangent(x, n);
    }
    positive(x, n)
}

/// For positive arguments: upwards by 5.15.5, then the asymptotic series 5.15.8, 5.11.2.
fn positive(x: f64, n: i32) -> f64 {
    let order = f64::from(n);
    let factorial = (1..=n).map(f64::from).product::<f64>();
    let mut at = x;
    // (−1)ⁿ⁺¹ times the function.
    let mut sum = 0.0;
    while at < FAR {
        sum += factorial / Float::powi(at, n + 1);
        at += 1.0;
    }
    let inverse = at.recip();
    let square = inverse * inverse;
    // The sum of B₂ₖ (2k + n − 1)! / ((2k)! x^(2k + n)).
    let mut weight = factorial * (order + 1.0) / 2.0;
    if n == 0 {
        weight = 0.5;
    }
    let mut power = square;
    let mut series = 0.0;
    for (k, bernoulli) in BERNOULLI.iter().enumerate() {
        let more = bernoulli * weight * power;
        series += more;
        if more.abs() < 1e-19 {
            break;
        }
        let k = 2.0 * (k as f64 + 1.0);
        weight *= (k + order) * (k + order + 1.0) / ((k + 1.0) * (k + 2.0));
        power *= square;
    }
    if n == 0 {
        return Float::ln(at) - (sum + (0.5 * inverse + series));
    }
    // (n − 1)! / xⁿ (1 + n / 2x + …).
    let leading = factorial / order * Float::powi(inverse, n);
    let tail = leading * (1.0 + 0.5 * order * inverse) + Float::powi(inverse, n) * series;
    if n % 2 == 1 {
        sum + tail
    } else {
        -(sum + tail)
    }
}

/// dⁿ/dxⁿ π cot(πx), as a polynomial in c = cot(πx), of which dc/dx = −π (1 + c²).
fn cotangent(x: f64, n: i32) -> f64 {
    const TERMS: usize = 16;
    let mut polynomial = [0.0; TERMS];
    polynomial[1] = 1.0;
    for _ in 0..n {
        let before = polynomial;
        polynomial = [0.0; TERMS];
        for k in 1..TERMS {
            let slope = k as f64 * before[k];
            polynomial[k - 1] -= slope;
            if k + 1 < TERMS {
                polynomial[k + 1] -= slope;
            }
        }
    }
    let c = cos_pi(x) / sin_pi(x);
    let value = polynomial.iter().rev().fold(0.0, |sum, p| sum * c + p);
    value * Float::powi(core::f64::consts::PI, n + 1)
}

/// ψ⁽ⁿ⁾(a) − ψ⁽ⁿ⁾(a + b), accurate also where the two are nearly equal: the derivative of `ln_beta`.
#[must_use]
pub fn polygamma_gap<T: Float>(a: T, b: T, n: i32) -> T {
    T::from_f64(gap_of(a.to_f64(), b.to_f64(), n))
}

fn gap_of(a: f64, b: f64, n: i32) -> f64 {
    // Far from each other, or not both positive, the difference is as good.
    if !(a > 0.0 && b > 0.0) || b > a && a < FAR || !(a + b).is_finite() {
        return polygamma_of(a, n) - polygamma_of(a + b, n);
    }
    let order = f64::from(n);
    let factorial = (1..=n).map(f64::from).product::<f64>();
    // at⁻ᵖ − (at + b)⁻ᵖ.
    let difference = |at: f64, p: f64, log: f64| -Float::powf(at, -p) * Float::exp_m1(-p * log);
    let mut at = a;
    // (−1)ⁿ⁺¹ times the function.
    let mut sum = 0.0;
    while at < FAR {
        let log = Float::ln_1p(b / at);
        sum += if n == 0 {
            b / (at * (at + b))
        } else {
            factorial * difference(at, order + 1.0, log)
        };
        at += 1.0;
    }
    let log = Float::ln_1p(b / at);
    let mut weight = if n == 0 {
        0.5
    } else {
        factorial * (order + 1.0) / 2.0
    };
    for (k, bernoulli) in BERNOULLI.iter().enumerate() {
        let k = 2.0 * (k as f64 + 1.0);
        let more = bernoulli * weight * difference(at, k + order, log);
        sum += more;
        if more.abs() < 1e-19 * sum.abs() {
            break;
        }
        weight *= (k + order) * (k + order + 1.0) / ((k + 1.0) * (k + 2.0));
    }
    sum += 0.5 * factorial * difference(at, order + 1.0, log);
    if n == 0 {
        return -(log + sum);
    }
    sum += factorial / order * difference(at, order, log);
    if n % 2 == 1 { sum } else { -sum }
}

/// What Stirling's formula leaves: ln Γ(x) − (x − ½) ln x + x − ½ ln 2π, 5.11.1, for x ≥ 8.
pub(crate) fn stirling_rest(x: f64) -> f64 {
    let inverse = x.recip();
    let square = inverse * inverse;
    let mut power = inverse;
    let mut sum = 0.0;
    for (k, bernoulli) in BERNOULLI.iter().enumerate() {
        let k = 2.0 * (k as f64 + 1.0);
        let more = bernoulli / (k * (k - 1.0)) * power;
        sum += more;
        if more.abs() < 1e-18 * sum {
            break;
        }
        power *= square;
    }
    sum
}

/// ln Γ(b) − ln Γ(a + b) for a > 0 and b ≥ 8, without cancellation.
pub(crate) fn ln_gamma_gap(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let turned = -(b - 0.5) * Float::ln_1p(a / b);
    let powers = -a * (Float::ln(sum) - 1.0);
    (turned + powers) + (stirling_rest(b) - stirling_rest(sum))
}

/// ln |B(a, b)|.
pub(crate) fn ln_beta(a: f64, b: f64) -> f64 {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    if small == 0.0 && large > 0.0 {
        return f64::INFINITY;
    }
    if small > 0.0 && large == f64::INFINITY {
        return f64::NEG_INFINITY;
    }
    if small > 0.0 && large >= 8.0 {
        if small < 8.0 {
            return ln_gamma(small) + ln_gamma_gap(small, large);
        }
        let sum = small + large;
        let rests = stirling_rest(small) + (stirling_rest(large) - stirling_rest(sum));
        let half_log = 0.918_938_533_204_672_7 - 0.5 * Float::ln(large);
        let of_small = (small - 0.5) * -Float::ln_1p(large / small);
        return (of_small - large * Float::ln_1p(small / large)) + (half_log + rests);
    }
    if is_pole(a) || is_pole(b) || is_pole(a + b) {
        return beta_at_poles(a, b).abs().ln();
    }
    ln_gamma(small) + ln_gamma(large) - ln_gamma(a + b)
}

/// Where one of the three gamma functions has a pole.
fn beta_at_poles(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() || is_pole(a) || is_pole(b) {
        // The limits differ by direction.
        f64::NAN
    } else {
        0.0
    }
}

/// B(a, b) = Γ(a) Γ(b) / Γ(a + b).
pub(crate) fn beta(a: f64, b: f64) -> f64 {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    if small == 0.0 && large > 0.0 {
        return f64::INFINITY;
    }
    if small > 0.0 {
        return if large < 20.0 {
            gamma(small) * (gamma(large) / gamma(small + large))
        } else if small < 8.0 {
            gamma(small) * Float::exp(ln_gamma_gap(small, large))
        } else {
            Float::exp(ln_beta(small, large))
        };
    }
    if is_pole(a) || is_pole(b) || is_pole(a + b) {
        return beta_at_poles(a, b);
    }
    let signs = sign_of_gamma(a) * sign_of_gamma(b) * sign_of_gamma(a + b);
    if [a, b, a + b].iter().all(|x| x.abs() < 165.0) {
        return gamma(small) / gamma(a + b) * gamma(large);
    }
    signs * Float::exp(ln_beta(a, b))
}
