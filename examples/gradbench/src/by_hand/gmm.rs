//! `gmm`: each point's derivatives are added while its terms are at hand.

use super::dot;
use crate::evals::gmm::{Gradient, Input};

/// `log_sum_exp` of `x` without its value; afterwards `x` holds its derivatives.
fn softmax(x: &mut [f64]) {
    let max = x.iter().fold(x[0], |max, x| max.max(*x));
    let mut sum = 0.0;
    for x in &mut *x {
        *x = (*x - max).exp();
        sum += *x;
    }
    let inverse = 1.0 / sum;
    x.iter_mut().for_each(|x| *x *= inverse);
}

/// `qx = Q x`.
fn multiply(q_diag: &[f64], l: &[f64], x: &[f64], qx: &mut [f64]) {
    let d = x.len();
    let (q_diag, qx) = (&q_diag[..d], &mut qx[..d]);
    for i in 0..d {
        qx[i] = q_diag[i] * x[i];
    }
    let mut rest = l;
    for i in 0..d {
        let (column, after) = rest.split_at(d - i - 1);
        rest = after;
        for (qx, l) in qx[i + 1..].iter_mut().zip(column) {
            *qx += l * x[i];
        }
    }
}

pub(crate) fn gradient(input: &Input) -> Gradient {
    let Input {
        d,
        alpha,
        mu,
        q,
        l,
        x,
        ..
    } = input;
    let (d, k, gamma2) = (*d, alpha.len(), input.gamma * input.gamma);
    let l_size = d * (d - 1) / 2;
    let points = x.len() / d;
    let q_diags: Vec<f64> = q.iter().map(|q| q.exp()).collect();
    let sum_qs: Vec<f64> = q.chunks_exact(d).map(|q| q.iter().sum()).collect();

    let mut d_alpha = vec![0.0; k];
    let mut d_mu = vec![0.0; k * d];
    let mut d_q = vec![0.0; k * d];
    let mut d_l = vec![0.0; k * l_size];
    let mut centered = vec![0.0; k * d];
    let mut qx = vec![0.0; k * d];
    let mut main = vec![0.0; k];
    for x in x.chunks_exact(d) {
        for ik in 0..k {
            let all = ik * d..(ik + 1) * d;
            let (centered, qx) = (&mut centered[all.clone()], &mut qx[all.clone()]);
            let mu = &mu[all.clone()];
            for i in 0..d {
                centered[i] = x[i] - mu[i];
            }
            multiply(&q_diags[all], &l[ik * l_size..][..l_size], centered, qx);
            let mut norm = 0.0;
            for q in &*qx {
                norm += q * q;
            }
            main[ik] = alpha[ik] + sum_qs[ik] - 0.5 * norm;
        }
        softmax(&mut main);
        for ik in 0..k {
            let weight = main[ik];
            d_alpha[ik] += weight;
            let all = ik * d..(ik + 1) * d;
            let (centered, qx) = (&centered[all.clone()], &mut qx[all.clone()]);
            qx.iter_mut().for_each(|q| *q *= -weight);
            let q_diag = &q_diags[all.clone()];
            let (d_mu, d_q) = (&mut d_mu[all.clone()], &mut d_q[all]);
            let mut rest = &l[ik * l_size..][..l_size];
            let mut d_rest = &mut d_l[ik * l_size..][..l_size];
            for i in 0..d {
                let below = &qx[i + 1..];
                let (column, after) = rest.split_at(below.len());
                let (d_column, d_after) = d_rest.split_at_mut(below.len());
                (rest, d_rest) = (after, d_after);
                for (d_l, q) in d_column.iter_mut().zip(below) {
                    *d_l += q * centered[i];
                }
                d_mu[i] -= qx[i] * q_diag[i] + dot(below, column);
                d_q[i] += qx[i] * centered[i];
            }
        }
    }

    // Of the sums of `q`, which are added to the terms as `alpha` is, and of the prior.
    for ik in 0..k {
        for i in ik * d..(ik + 1) * d {
            let diag = q_diags[i];
            d_q[i] = (d_q[i] - gamma2 * diag) * diag + d_alpha[ik] + input.m as f64;
        }
    }
    for (d_l, l) in d_l.iter_mut().zip(l) {
        *d_l -= gamma2 * l;
    }
    let mut weights = alpha.clone();
    softmax(&mut weights);
    for (d_alpha, weight) in d_alpha.iter_mut().zip(&weights) {
        *d_alpha -= points as f64 * weight;
    }
    (d_alpha, d_mu, d_q, d_l)
}
