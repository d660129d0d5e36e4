//! The inverse functions of the error function and of w eʷ.

use super::activations::{exp_minus_square, normal_cdf, product};
use crate::float::Float;

const SQRT_PI_OVER_2: f64 = 0.886_226_925_452_758;

/// The derivative of erf.
fn bell(x: f64) -> f64 {
    exp_minus_square(x, 1.0) / SQRT_PI_OVER_2
}

/// The inverse of the error function.
pub(crate) fn erfinv(y: f64) -> f64 {
    let size = y.abs();
    if size <= 0.5 {
        return middle(y);
    }
    // Exact.
    inverse_erfc(1.0 - size).copysign(y)
}

/// The inverse of the error function between ±1/2: the first terms of its Taylor series, then Halley's method.
fn middle(y: f64) -> f64 {
    let z = SQRT_PI_OVER_2 * y;
    let square = z * z;
    let mut x = z * (1.0 + square * (1.0 / 3.0 + square * (7.0 / 30.0 + square * (127.0 / 630.0))));
    for _ in 0..2 {
        let newton = (libm::erf(x) - y) / bell(x);
        x -= newton / (1.0 + x * newton);
    }
    x
}

/// The inverse of the complementary error function up to 1/2: Abramowitz and Stegun 26.2.23, then Halley's method.
fn inverse_erfc(q: f64) -> f64 {
    if q.is_nan() || q < 0.0 {
        return f64::NAN;
    }
    if q == 0.0 {
        return f64::INFINITY;
    }
    let t = Float::sqrt(-2.0 * (Float::ln(q) - core::f64::consts::LN_2));
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let mut x = (t - above / below) * core::f64::consts::FRAC_1_SQRT_2;
    for _ in 0..3 {
        let newton = (libm::erfc(x) - q) / -bell(x);
        let step = newton / (1.0 + x * newton);
        // Where e^(−x²) is no normal number the first guess is as good as it gets.
        if step.is_finite() {
            x -= step;
        }
    }
    x
}

/// The derivative of `erfinv`.
#[must_use]
pub fn derfinv<T: Float>(x: T) -> T {
    T::from_f64(bell(erfinv(x.to_f64())).recip())
}

/// The inverse of the distribution function of the standard normal distribution.
pub(crate) fn normal_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if (p - 0.5).abs() <= 0.25 {
        // Exact.
        return core::f64::consts::SQRT_2 * middle(2.0 * p - 1.0);
    }
    let tail = if p < 0.5 { p } else { 1.0 - p };
    let x = core::f64::consts::SQRT_2 * inverse_erfc(2.0 * tail);
    if p < 0.5 { -x } else { x }
}

/// The derivative of `normal_quantile`, 1 / φ(x): where φ is steep, what rounding took from x is put back.
#[must_use]
pub fn dnormal_quantile<T: Float>(x: T) -> T {
    let p = x.to_f64();
    let at = normal_quantile(p);
    let density = 0.398_942_280_401_432_7 * exp_minus_square(at, 2.0);
    let (tail, at) = if p < 0.5 { (p, at) } else { (1.0 - p, -at) };
    let rest = if at < -1.0 {
        (tail - normal_cdf(at)) / density
    } else {
        0.0
    };
    let put_back = if rest.is_finite() {
        1.0 + at * rest
    } else {
        1.0
    };
    T::from_f64(put_back / density)
}

/// The principal branch of the inverse of w eʷ.
pub(crate) fn lambert_w(x: f64) -> f64 {
    if x.is_nan() || x == f64::INFINITY || x == 0.0 {
        return x;
    }
    // e x + 1, with e to twice the digits.
    let (high, low) = product(x, core::f64::consts::E);
    let above = (high + 1.0) + (low + x * 1.445_646_891_729_250_2e-16);
    if above < -1e-15 {
        return f64::NAN;
    }
    let p = Float::sqrt(2.0 * above.max(0.0));
    if p < 0.02 {
        // The series at the branch point, DLMF 4.13.6.
        let terms = [
            1.0,
            -1.0 / 3.0,
            11.0 / 72.0,
            -43.0 / 540.0,
            769.0 / 17_280.0,
            -221.0 / 8_505.0,
            680_863.0 / 43_545_600.0,
            -1_963.0 / 204_120.0,
        ];
        return p * terms.iter().rev().fold(0.0, |sum, term| sum * p + term) - 1.0;
    }
    let mut w = if x < 1.0 {
        let guess = p * (1.0 - p * (1.0 / 3.0 - p * 11.0 / 72.0)) - 1.0;
        if x.abs() < 0.2 {
            x * (1.0 - x * (1.0 - 1.5 * x))
        } else {
            guess
        }
    } else {
        let log = Float::ln(x);
        if log < 1.0 {
            0.57 + 0.4 * log
        } else {
            log - Float::ln(log)
        }
    };
    for _ in 0..20 {
        // Halley's method on w − ln(x / w) or w eʷ − x, whichever cannot overflow.
        let step = if x > 3.0 {
            // Newton's of ln.
            let residual = w + Float::ln(w / x);
            let slope = 1.0 + w.recip();
            let bend = -(w * w).recip();
            2.0 * residual * slope / (2.0 * slope * slope - residual * bend)
        } else {
            let e = Float::exp(w);
            let residual = w * e - x;
            residual / (e * (w + 1.0) - (w + 2.0) * residual / (2.0 * w + 2.0))
        };
        w -= step;
        if step.abs() <= 1e-16 * w.abs() + 1e-300 {
            break;
        }
    }
    w
}

/// The derivative of `lambert_w`, of which `w` is the value.
#[must_use]
pub fn dlambert_w<T: Float>(x: T, w: T) -> T {
    let x = x.to_f64();
    if x == f64::INFINITY {
        return T::ZERO;
    }
    let w = if T::EPSILON.to_f64() > 1e-10 {
        lambert_w(x)
    } else {
        w.to_f64()
    };
    T::from_f64(if x.abs() < 0.5 {
        Float::exp(-w) / (1.0 + w)
    } else {
        w / x / (1.0 + w)
    })
}
