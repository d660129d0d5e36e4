//! The logarithm of the determinant of a positive definite matrix, 64 × 64, by Cholesky's factorization in place.

use std::hint::black_box;

use autodiff::grad;

use crate::data::Random;
use crate::problem::{Kind, Problem};

const N: usize = 64;

/// Of the matrix `a`, row by row, the lower triangle is read.
#[grad]
fn log_det(a: &[f64], n: usize) -> f64 {
    let mut l = a.to_vec();
    let mut sum = 0.0;
    for i in 0..n {
        for j in 0..i {
            let mut entry = l[i * n + j];
            for k in 0..j {
                entry -= l[i * n + k] * l[j * n + k];
            }
            l[i * n + j] = entry / l[j * n + j];
        }
        let mut square = l[i * n + i];
        for k in 0..i {
            square -= l[i * n + k] * l[i * n + k];
        }
        l[i * n + i] = square.sqrt();
        sum += l[i * n + i].ln();
    }
    2.0 * sum
}

/// The same, with rows as slices.
#[grad]
fn log_det_of_rows(a: &[f64], n: usize) -> f64 {
    let mut l = a.to_vec();
    let mut sum = 0.0;
    for i in 0..n {
        let (done, rest) = l.split_at_mut(i * n);
        for (j, above) in done.chunks_exact(n).enumerate() {
            let mut entry = rest[j];
            for (x, y) in rest[..j].iter().zip(above) {
                entry -= x * y;
            }
            rest[j] = entry / above[j];
        }
        let mut square = rest[i];
        for x in &rest[..i] {
            square -= x * x;
        }
        rest[i] = square.sqrt();
        sum += rest[i].ln();
    }
    2.0 * sum
}

/// No entry of the factor is overwritten after it is used, so the factor is all that is remembered.
///
/// On the way back `d` holds the cotangents of the factor, and those of the matrix as soon as an entry is done.
fn hand(a: &[f64], n: usize) -> (f64, Vec<f64>) {
    let mut l = a.to_vec();
    let mut sum = 0.0;
    for i in 0..n {
        let (done, rest) = l.split_at_mut(i * n);
        let row = &mut rest[..n];
        for (j, above) in done.chunks_exact(n).enumerate() {
            let mut entry = row[j];
            for (x, y) in row[..j].iter().zip(above) {
                entry -= x * y;
            }
            row[j] = entry / above[j];
        }
        let mut square = row[i];
        for x in &row[..i] {
            square -= x * x;
        }
        row[i] = square.sqrt();
        sum += row[i].ln();
    }
    let mut d = vec![0.0; l.len()];
    for i in (0..n).rev() {
        let row = &l[i * n..(i + 1) * n];
        let (d_done, d_rest) = d.split_at_mut(i * n);
        let d_row = &mut d_rest[..n];
        d_row[i] = 0.5 * (d_row[i] + 2.0 / row[i]) / row[i];
        let twice = 2.0 * d_row[i];
        for (dx, x) in d_row[..i].iter_mut().zip(row) {
            *dx -= twice * x;
        }
        let rows = l.chunks_exact(n).zip(d_done.chunks_exact_mut(n));
        for (j, (above, d_above)) in rows.enumerate().take(i).rev() {
            let dentry = d_row[j] / above[j];
            d_above[j] -= dentry * row[j];
            d_row[j] = dentry;
            let both = row[..j].iter().zip(&above[..j]);
            let d_both = d_row[..j].iter_mut().zip(&mut d_above[..j]);
            for ((x, y), (dx, dy)) in both.zip(d_both) {
                *dx -= dentry * y;
                *dy -= dentry * x;
            }
        }
    }
    (2.0 * sum, d)
}

fn hand_into(a: &[f64], n: usize, gradient: &mut [f64]) -> f64 {
    assert_eq!(a.len(), gradient.len());
    let (value, d) = hand(a, n);
    gradient.iter_mut().zip(d).for_each(|(g, d)| *g += d);
    value
}

/// The problem, with everything that is measured about it.
pub(crate) fn problem() -> Problem {
    written(
        "cholesky",
        log_det,
        log_det::value_and_grad,
        log_det::grad_into,
    )
}

/// The problem with rows as slices.
pub(crate) fn of_rows() -> Problem {
    written(
        "cholesky-rows",
        log_det_of_rows,
        log_det_of_rows::value_and_grad,
        log_det_of_rows::grad_into,
    )
}

/// The problem whose function, written in one way or another, is `value`.
fn written(
    name: &'static str,
    value: impl Fn(&[f64], usize) -> f64 + Copy + 'static,
    value_and_grad: impl Fn(&[f64], usize) -> (f64, Vec<f64>) + Copy + 'static,
    grad_into: impl Fn(&[f64], usize, &mut [f64]) -> f64 + Copy + 'static,
) -> Problem {
    let mut point = Random::new(8).vec(N * N, -1.0, 1.0);
    for i in 0..N {
        point[i * N + i] += 16.0;
    }
    let a: &'static [f64] = point.clone().leak();
    Problem::new(name, point, move |a| value(a, N))
        .primal(move || value(black_box(a), black_box(N)))
        .returns(Kind::Grad, move || {
            value_and_grad(black_box(a), black_box(N))
        })
        .returns(Kind::Hand, || hand(black_box(a), black_box(N)))
        .adds(Kind::GradInto, vec![0.0; N * N], move |g| {
            grad_into(black_box(a), black_box(N), g)
        })
        .adds(Kind::HandInto, vec![0.0; N * N], |g| {
            hand_into(black_box(a), black_box(N), g)
        })
}
