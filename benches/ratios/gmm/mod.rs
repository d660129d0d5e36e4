//! The log-likelihood of a Gaussian mixture with a Wishart prior, as the public benchmarks of the field have it.
//!
//! `K` components in `D` dimensions.
//! The inverse covariance factor of component k is lower triangular: `exp(q[k])` on the diagonal, and below it, column by
//! column, the `T = D (D − 1) / 2` numbers `l[k]`.
//! The terms that depend on sizes and the prior alone come in as one number.

use std::hint::black_box;

use autodiff::grad;

use crate::data::Random;
use crate::problem::{Kind, Problem};

pub(crate) mod chains;
mod hand;

/// The logarithm of a sum of exponentials, without overflow.
#[grad]
fn logsumexp<const K: usize>(terms: &[f64; K]) -> f64 {
    let mut max = terms[0];
    for k in 1..K {
        max = max.max(terms[k]);
    }
    let mut sum = 0.0;
    for k in 0..K {
        sum += (terms[k] - max).exp();
    }
    max + sum.ln()
}

#[grad]
fn gmm<const D: usize, const K: usize, const T: usize>(
    alpha: &[f64; K],
    mu: &[[f64; D]; K],
    q: &[[f64; D]; K],
    l: &[[f64; T]; K],
    #[constant] x: &[[f64; D]],
    #[constant] prior: (f64, f64, f64),
) -> f64 {
    let mut diagonal = [[0.0; D]; K];
    let mut log_det = [0.0; K];
    for k in 0..K {
        for i in 0..D {
            diagonal[k][i] = q[k][i].exp();
            log_det[k] += q[k][i];
        }
    }
    let mut likelihood = 0.0;
    for point in x {
        let mut terms = [0.0; K];
        for k in 0..K {
            let mut offset = [0.0; D];
            let mut scaled = [0.0; D];
            for i in 0..D {
                offset[i] = point[i] - mu[k][i];
                scaled[i] = diagonal[k][i] * offset[i];
            }
            for i in 0..D {
                let start = i * (2 * D - i - 1) / 2;
                for j in i + 1..D {
                    scaled[j] += l[k][start + j - i - 1] * offset[i];
                }
            }
            let mut square = 0.0;
            for i in 0..D {
                square += scaled[i] * scaled[i];
            }
            terms[k] = alpha[k] + log_det[k] - 0.5 * square;
        }
        likelihood += logsumexp(&terms);
    }
    likelihood -= x.len() as f64 * logsumexp(alpha);

    let (gamma, m, constant) = prior;
    let mut squares = 0.0;
    let mut sum = 0.0;
    for k in 0..K {
        for i in 0..D {
            squares += diagonal[k][i] * diagonal[k][i];
        }
        for i in 0..T {
            squares += l[k][i] * l[k][i];
        }
        sum += log_det[k];
    }
    constant + likelihood - 0.5 * gamma * gamma * squares + m * sum
}

/// All four parameters, or their gradients.
type Parameters<const D: usize, const K: usize, const T: usize> =
    ([f64; K], [[f64; D]; K], [[f64; D]; K], [[f64; T]; K]);

/// The problem in `D` dimensions with `K` components and 1,000 points.
pub(crate) fn problem<const D: usize, const K: usize, const T: usize>(
    name: &'static str,
) -> Problem {
    written::<D, K, T>(name, gmm, gmm::value_and_grad, gmm::grad_into)
}

/// The prior's three numbers.
type Prior = (f64, f64, f64);

/// The problem whose function, written in one way or another, is `value`.
fn written<const D: usize, const K: usize, const T: usize>(
    name: &'static str,
    value: impl Fn(&[f64; K], &[[f64; D]; K], &[[f64; D]; K], &[[f64; T]; K], &[[f64; D]], Prior) -> f64
    + Copy
    + 'static,
    value_and_grad: impl Fn(
        &[f64; K],
        &[[f64; D]; K],
        &[[f64; D]; K],
        &[[f64; T]; K],
        &[[f64; D]],
        Prior,
    ) -> (f64, Parameters<D, K, T>)
    + Copy
    + 'static,
    grad_into: impl Fn(
        &[f64; K],
        &[[f64; D]; K],
        &[[f64; D]; K],
        &[[f64; T]; K],
        &[[f64; D]],
        Prior,
        &mut [f64; K],
        &mut [[f64; D]; K],
        &mut [[f64; D]; K],
        &mut [[f64; T]; K],
    ) -> f64
    + Copy
    + 'static,
) -> Problem {
    const N: usize = 1000;
    const PRIOR: Prior = (1.0, 2.0, -1234.5);
    let mut random = Random::new(5);
    let (points, _) = rows::<D, N>(&random.vec(N * D, -2.0, 2.0));
    let x: &'static [[f64; D]] = Vec::from(points).leak();
    let point = random.vec(K + 2 * K * D + K * T, -0.6, 0.6);
    let at: &'static Parameters<D, K, T> = Box::leak(Box::new(parameters(&point)));
    let (alpha, mu, q, l) = at;
    let zeros = ([0.0; K], [[0.0; D]; K], [[0.0; D]; K], [[0.0; T]; K]);
    Problem::new(name, point, move |p| {
        let (alpha, mu, q, l) = parameters::<D, K, T>(p);
        value(&alpha, &mu, &q, &l, x, PRIOR)
    })
    .primal(move || {
        let (alpha, mu, q, l) = black_box((alpha, mu, q, l));
        value(alpha, mu, q, l, black_box(x), PRIOR)
    })
    .returns(Kind::Grad, move || {
        let (alpha, mu, q, l) = black_box((alpha, mu, q, l));
        value_and_grad(alpha, mu, q, l, black_box(x), PRIOR)
    })
    .returns(Kind::Hand, move || {
        let at = black_box(at);
        let mut g = ([0.0; K], [[0.0; D]; K], [[0.0; D]; K], [[0.0; T]; K]);
        let value = hand::hand_into(at, black_box(x), PRIOR, &mut g);
        (value, g)
    })
    .adds(Kind::GradInto, zeros, move |(da, dmu, dq, dl)| {
        let (alpha, mu, q, l) = black_box((alpha, mu, q, l));
        grad_into(alpha, mu, q, l, black_box(x), PRIOR, da, dmu, dq, dl)
    })
    .adds(Kind::HandInto, zeros, move |g| {
        hand::hand_into(black_box(at), black_box(x), PRIOR, g)
    })
}

/// The four parameters in the flat `point`.
fn parameters<const D: usize, const K: usize, const T: usize>(
    point: &[f64],
) -> Parameters<D, K, T> {
    let (alpha, rest) = point.split_at(K);
    let (mu, rest) = rows(rest);
    let (q, rest) = rows(rest);
    let (l, _) = rows(rest);
    let mut first = [0.0; K];
    first.copy_from_slice(alpha);
    (first, mu, q, l)
}

/// The first `M` rows of `N` numbers in `flat`, and what follows them.
fn rows<const N: usize, const M: usize>(flat: &[f64]) -> ([[f64; N]; M], &[f64]) {
    let mut out = [[0.0; N]; M];
    let (used, rest) = flat.split_at(N * M);
    for (row, from) in out.iter_mut().zip(used.chunks(N.max(1))) {
        row.copy_from_slice(from);
    }
    (out, rest)
}
