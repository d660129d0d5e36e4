//! The squared length of a matrix times a vector, 512 × 512, by matrix and vector.

use std::hint::black_box;

use autodiff::grad;

use crate::data::Random;
use crate::problem::{Kind, Problem};

const N: usize = 512;

#[grad]
fn matvec(a: &[f64], x: &[f64]) -> f64 {
    let n = x.len();
    let mut sum = 0.0;
    for i in 0..a.len() / n {
        let row = &a[i * n..(i + 1) * n];
        let mut y = 0.0;
        for j in 0..n {
            y += row[j] * x[j];
        }
        sum += y * y;
    }
    0.5 * sum
}

/// The gradient of the matrix is written row by row as soon as the row's product is known.
fn hand(a: &[f64], x: &[f64]) -> (f64, (Vec<f64>, Vec<f64>)) {
    let n = x.len();
    let mut da = Vec::with_capacity(a.len());
    let mut dx = vec![0.0; n];
    let mut sum = 0.0;
    for row in a.chunks_exact(n) {
        let mut y = 0.0;
        for (a, x) in row.iter().zip(x) {
            y += a * x;
        }
        sum += y * y;
        da.extend(x.iter().map(|x| y * x));
        for (dx, a) in dx.iter_mut().zip(row) {
            *dx += y * a;
        }
    }
    (0.5 * sum, (da, dx))
}

fn hand_into(a: &[f64], x: &[f64], da: &mut [f64], dx: &mut [f64]) -> f64 {
    assert_eq!(a.len(), da.len());
    assert_eq!(x.len(), dx.len());
    let n = x.len();
    let mut sum = 0.0;
    for (row, drow) in a.chunks_exact(n).zip(da.chunks_exact_mut(n)) {
        let mut y = 0.0;
        for (a, x) in row.iter().zip(x) {
            y += a * x;
        }
        sum += y * y;
        for ((da, dx), (a, x)) in drow.iter_mut().zip(&mut *dx).zip(row.iter().zip(x)) {
            *da += y * x;
            *dx += y * a;
        }
    }
    0.5 * sum
}

/// The problem, with everything that is measured about it.
pub(crate) fn problem() -> Problem {
    let mut random = Random::new(4);
    let point = random.vec(N * N + N, -1.0, 1.0);
    let (a, x) = point.clone().leak().split_at(N * N);
    Problem::new("matvec", point, |p| matvec(&p[..N * N], &p[N * N..]))
        .primal(|| matvec(black_box(a), black_box(x)))
        .returns(Kind::Grad, || {
            matvec::value_and_grad(black_box(a), black_box(x))
        })
        .returns(Kind::Hand, || hand(black_box(a), black_box(x)))
        .adds(Kind::GradInto, zeros(), |(da, dx)| {
            matvec::grad_into(black_box(a), black_box(x), da, dx)
        })
        .adds(Kind::HandInto, zeros(), |(da, dx)| {
            hand_into(black_box(a), black_box(x), da, dx)
        })
}

fn zeros() -> (Vec<f64>, Vec<f64>) {
    (vec![0.0; N * N], vec![0.0; N])
}
