//! The rates of hunters and prey from how many there were, by the method of Gauss and Newton.

use autodiff::{Residuals, grad};
use nalgebra::{DMatrix, DVector};

use crate::picture::{Series, draw};

#[grad]
fn slope(s: [f64; 2], p: &[f64; 4]) -> [f64; 2] {
    [s[0] * (p[0] - p[1] * s[1]), s[1] * (p[2] * s[0] - p[3])]
}

#[grad]
fn ahead(s: [f64; 2], k: [f64; 2], h: f64) -> [f64; 2] {
    [s[0] + h * k[0], s[1] + h * k[1]]
}

/// Prey and hunters at 40 times, by steps of Runge and Kutta.
#[grad]
fn solve(p: &[f64; 4]) -> Vec<f64> {
    let (mut s, h) = ([1.0, 0.5], 0.1);
    let mut out = Vec::new();
    for _ in 0..40 {
        for _ in 0..4 {
            let k1 = slope(s, p);
            let k2 = slope(ahead(s, k1, 0.5 * h), p);
            let k3 = slope(ahead(s, k2, 0.5 * h), p);
            let k4 = slope(ahead(s, k3, h), p);
            for i in 0..2 {
                s[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
            }
        }
        out.push(s[0]);
        out.push(s[1]);
    }
    out
}

pub(crate) fn main() {
    let truth = [1.1, 0.9, 0.7, 0.8];
    let data = solve(&truth);
    let mut p = [1.0, 1.0, 0.8, 0.9];
    for _ in 0..20 {
        let (values, j) = (solve {}).residuals_and_jacobian(&p);
        let r = DVector::from_vec(values) - DVector::from_row_slice(&data);
        let j = DMatrix::from(j);
        let step = j.tr_mul(&j).lu().solve(&j.tr_mul(&r)).unwrap();
        p.iter_mut().zip(&step).for_each(|(p, s)| *p -= s);
    }
    assert!(p.iter().zip(truth).all(|(p, t)| (p - t).abs() < 1e-8));

    let fit = solve(&p);
    let of = |s: &[f64], k: usize| (0..40).map(|i| (i as f64, s[2 * i + k])).collect();
    let [a, b] = [0, 1].map(|k| Series::Dots("data", of(&data, k)));
    let (x, y) = (of(&fit, 0), of(&fit, 1));
    let series = [Series::Line("prey", x), Series::Line("hunters", y), a, b];
    draw("ode_fit", "sample", "number", &series);
}
