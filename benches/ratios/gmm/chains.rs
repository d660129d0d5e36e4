//! The same mixture, written with iterator chains.

use std::array;

use autodiff::grad;

use crate::problem::Problem;

/// The logarithm of a sum of exponentials, without overflow.
#[grad]
fn logsumexp<const K: usize>(terms: &[f64; K]) -> f64 {
    let max = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = terms.iter().map(|term| (term - max).exp()).sum();
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
    let diagonal: [[f64; D]; K] = array::from_fn(|k| q[k].map(f64::exp));
    let log_det: [f64; K] = array::from_fn(|k| q[k].iter().sum());
    let likelihood: f64 = x
        .iter()
        .map(|point| {
            let terms: [f64; K] = array::from_fn(|k| {
                let offset: [f64; D] = array::from_fn(|i| point[i] - mu[k][i]);
                let mut scaled: [f64; D] = array::from_fn(|i| diagonal[k][i] * offset[i]);
                (0..D).for_each(|i| {
                    let column = &l[k][i * (2 * D - i - 1) / 2..];
                    scaled[i + 1..]
                        .iter_mut()
                        .zip(column)
                        .for_each(|(s, l)| *s += l * offset[i]);
                });
                alpha[k] + log_det[k] - 0.5 * scaled.iter().map(|s| s * s).sum::<f64>()
            });
            logsumexp(&terms)
        })
        .sum();
    let likelihood = likelihood - x.len() as f64 * logsumexp(alpha);

    let (gamma, m, constant) = prior;
    let squares = diagonal.iter().zip(l).fold(0.0, |sum, (diagonal, below)| {
        let entries = diagonal.iter().chain(below);
        entries.fold(sum, |sum, entry| sum + entry * entry)
    });
    let sum: f64 = log_det.iter().sum();
    constant + likelihood - 0.5 * gamma * gamma * squares + m * sum
}

/// The problem in `D` dimensions with `K` components and 1,000 points.
pub(crate) fn problem<const D: usize, const K: usize, const T: usize>(
    name: &'static str,
) -> Problem {
    super::written::<D, K, T>(name, gmm, gmm::value_and_grad, gmm::grad_into)
}
