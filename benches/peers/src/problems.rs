//! The problems of `benches/ratios`, written once for every kind of number.

use std::ops::{Add, Mul, Sub};

/// What the problems need of a number.
pub(crate) trait Number:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Mul<f64, Output = Self>
{
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    /// A constant beside this number.
    fn constant(self, x: f64) -> Self;
    /// x − self.
    fn from_below(self, x: f64) -> Self;
}

impl Number for f64 {
    fn exp(self) -> f64 {
        f64::exp(self)
    }
    fn ln(self) -> f64 {
        f64::ln(self)
    }
    fn constant(self, x: f64) -> f64 {
        x
    }
    fn from_below(self, x: f64) -> f64 {
        x - self
    }
}

impl Number for autodiff::Var<'_> {
    fn exp(self) -> Self {
        self.exp()
    }
    fn ln(self) -> Self {
        self.ln()
    }
    fn constant(self, x: f64) -> Self {
        x.into()
    }
    fn from_below(self, x: f64) -> Self {
        x - self
    }
}

impl Number for reverse::Var<'_> {
    fn exp(self) -> Self {
        reverse::Var::exp(&self)
    }
    fn ln(self) -> Self {
        reverse::Var::ln(&self)
    }
    fn constant(self, x: f64) -> Self {
        self.tape.add_var(x)
    }
    fn from_below(self, x: f64) -> Self {
        x - self
    }
}

macro_rules! echidna {
    ($Number:ty) => {
        impl Number for $Number {
            fn exp(self) -> Self {
                num_traits::Float::exp(self)
            }
            fn ln(self) -> Self {
                num_traits::Float::ln(self)
            }
            fn constant(self, x: f64) -> Self {
                <$Number>::constant(x)
            }
            fn from_below(self, x: f64) -> Self {
                x - self
            }
        }
    };
}
echidna!(echidna::Reverse<f64>);
echidna!(echidna::BReverse<f64>);

/// Speelpenning's product.
pub(crate) fn speelpenning<N: Number>(x: &[N]) -> N {
    let mut product = x[0].constant(1.0);
    for &factor in x {
        product = product * factor;
    }
    product
}

/// Predators and prey: 1,000 steps of Runge–Kutta.
pub(crate) fn lotka_volterra<N: Number>(x: &[N]) -> N {
    const DT: f64 = 0.01;
    let (a, b, c, d) = (x[0], x[1], x[2], x[3]);
    let (mut u, mut v) = (a.constant(10.0), a.constant(5.0));
    for _ in 0..1000 {
        let u1 = u * (a - b * v);
        let v1 = v * (c * u - d);
        let (p, q) = (u + u1 * (0.5 * DT), v + v1 * (0.5 * DT));
        let u2 = p * (a - b * q);
        let v2 = q * (c * p - d);
        let (p, q) = (u + u2 * (0.5 * DT), v + v2 * (0.5 * DT));
        let u3 = p * (a - b * q);
        let v3 = q * (c * p - d);
        let (p, q) = (u + u3 * DT, v + v3 * DT);
        let u4 = p * (a - b * q);
        let v4 = q * (c * p - d);
        u = u + (u1 + u2 * 2.0 + u3 * 2.0 + u4) * (DT / 6.0);
        v = v + (v1 + v2 * 2.0 + v3 * 2.0 + v4) * (DT / 6.0);
    }
    u * u + v * v
}

fn log_sum_exp<N: Number>(terms: &[N]) -> N {
    let mut max = terms[0];
    for &term in &terms[1..] {
        if term > max {
            max = term;
        }
    }
    let mut sum = (terms[0] - max).exp();
    for &term in &terms[1..] {
        sum = sum + (term - max).exp();
    }
    max + sum.ln()
}

/// The log-likelihood of a Gaussian mixture with `K` components in `D` dimensions.
pub(crate) fn gmm<N: Number, const D: usize, const K: usize>(
    parameters: &[N],
    points: &[[f64; D]],
) -> N {
    let t = D * (D - 1) / 2;
    let (alpha, rest) = parameters.split_at(K);
    let (mu, rest) = rest.split_at(K * D);
    let (q, l) = rest.split_at(K * D);
    let zero = parameters[0].constant(0.0);
    let mut diagonal = [[zero; D]; K];
    let mut log_det = [zero; K];
    for k in 0..K {
        for i in 0..D {
            diagonal[k][i] = q[k * D + i].exp();
            log_det[k] = log_det[k] + q[k * D + i];
        }
    }
    let mut likelihood = zero;
    for point in points {
        let mut terms = [zero; K];
        for k in 0..K {
            let mut offset = [zero; D];
            let mut scaled = [zero; D];
            for i in 0..D {
                offset[i] = mu[k * D + i].from_below(point[i]);
                scaled[i] = diagonal[k][i] * offset[i];
            }
            for i in 0..D {
                let start = k * t + i * (2 * D - i - 1) / 2;
                for j in i + 1..D {
                    scaled[j] = scaled[j] + l[start + j - i - 1] * offset[i];
                }
            }
            let mut square = zero;
            for s in scaled {
                square = square + s * s;
            }
            terms[k] = alpha[k] + log_det[k] - square * 0.5;
        }
        likelihood = likelihood + log_sum_exp(&terms);
    }
    likelihood = likelihood - log_sum_exp(alpha) * points.len() as f64;
    let mut squares = zero;
    for k in 0..K {
        for d in diagonal[k] {
            squares = squares + d * d;
        }
        for &below in &l[k * t..][..t] {
            squares = squares + below * below;
        }
    }
    likelihood - squares * 0.5
}
