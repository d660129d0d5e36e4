//! Logarithms of sums and differences, and the cardinal sine.

use crate::float::Float;

/// x ln(y), and 0 where x = 0, unless y is NaN.
pub(crate) fn xlogy<T: Float>(x: T, y: T) -> T {
    if x == T::ZERO && !y.is_nan() {
        T::ZERO
    } else {
        x * y.ln()
    }
}

/// ln(eᵃ + eᵇ).
pub(crate) fn logaddexp<T: Float>(a: T, b: T) -> T {
    if a == b {
        return a + T::from_f64(core::f64::consts::LN_2);
    }
    let gap = (a - b).abs();
    if a.is_nan() || b.is_nan() {
        return gap;
    }
    a.max(b) + (-gap).exp().ln_1p()
}

/// The derivative of `logaddexp` by its first argument, eᵃ / (eᵃ + eᵇ); equal infinities share evenly.
#[inline]
#[must_use]
pub fn share<T: Float>(a: T, b: T) -> T {
    if a == b {
        T::from_f64(0.5)
    } else {
        crate::functions::sigmoid(a - b)
    }
}

/// ln(1 − eˣ).
pub(crate) fn log1mexp<T: Float>(x: T) -> T {
    if x > T::from_f64(-core::f64::consts::LN_2) {
        (-x.exp_m1()).ln()
    } else {
        (-x.exp()).ln_1p()
    }
}

/// The derivative of `log1mexp`, −1 / (e⁻ˣ − 1).
#[inline]
#[must_use]
pub fn dlog1mexp<T: Float>(x: T) -> T {
    -(-x).exp_m1().recip()
}

/// sin(π x), of which the argument is reduced exactly.
pub(crate) fn sin_pi(x: f64) -> f64 {
    let turns = x % 2.0;
    let half = Float::round(2.0 * turns);
    let angle = core::f64::consts::PI * (turns - 0.5 * half);
    match half as i32 & 3 {
        0 => Float::sin(angle),
        1 => Float::cos(angle),
        2 => -Float::sin(angle),
        _ => -Float::cos(angle),
    }
}

/// cos(π x), of which the argument is reduced exactly.
pub(crate) fn cos_pi(x: f64) -> f64 {
    let turns = x % 2.0;
    let half = Float::round(2.0 * turns);
    let angle = core::f64::consts::PI * (turns - 0.5 * half);
    match half as i32 & 3 {
        0 => Float::cos(angle),
        1 => -Float::sin(angle),
        2 => -Float::cos(angle),
        _ => Float::sin(angle),
    }
}

/// sin(πx) / (πx), `k` times derived.
///
/// With g(z) = sin(z) / z, the k-th derivative of z g(z) = sin(z) is z g⁽ᵏ⁾ + k g⁽ᵏ⁻¹⁾ = sin(z + kπ/2): upwards from g where z is large; near 0 by the Taylor series.
#[must_use]
pub fn dsinc<T: Float>(x: T, k: i32) -> T {
    let x = x.to_f64();
    let order = f64::from(k);
    let z = core::f64::consts::PI * x;
    let scale = Float::powi(core::f64::consts::PI, k);
    if z.abs() == f64::INFINITY {
        return T::ZERO;
    }
    if z.abs() < 1.5 + order {
        // The sum of (−1)ʲ z^(2j − k) / ((2j + 1) (2j − k)!), from the first power that is not negative.
        let first = (k + 1) / 2;
        let odd = 2 * first - k;
        let mut term = if first % 2 == 0 { 1.0 } else { -1.0 };
        if odd == 1 {
            term *= z;
        }
        let (mut sum, mut power) = (0.0, f64::from(odd));
        for j in first..first + 40 {
            let more = term / f64::from(2 * j + 1);
            sum += more;
            if more.abs() < 1e-18 * sum.abs() {
                break;
            }
            term *= -z * z / ((power + 1.0) * (power + 2.0));
            power += 2.0;
        }
        return T::from_f64(scale * sum);
    }
    let (sine, cosine) = (sin_pi(x), cos_pi(x));
    let mut g = sine / z;
    for order in 1..=k {
        let wave = match order & 3 {
            0 => sine,
            1 => cosine,
            2 => -sine,
            _ => -cosine,
        };
        g = (wave - f64::from(order) * g) / z;
    }
    T::from_f64(scale * g)
}
