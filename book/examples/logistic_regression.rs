//! How the chance to pass an exam grows with the hours of study, by Newton's method.

use autodiff::{grad, sigmoid, softplus};

use crate::picture::{Series, draw};

const HOURS: [f64; 20] = [
    0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0, 3.25, 3.5, 4.0, 4.25, 4.5,
    4.75, 5.0, 5.5,
];
/// One for each student who passed.
const PASSED: [f64; 20] = [
    0., 0., 0., 0., 0., 0., 1., 0., 1., 0., 1., 0., 1., 0., 1., 1., 1., 1., 1., 1.,
];

/// Minus the logarithm of the likelihood.
#[grad(order = 2)]
fn loss(w: [f64; 2]) -> f64 {
    let mut sum = 0.0;
    for (hours, passed) in HOURS.iter().zip(&PASSED) {
        let z = w[0] + w[1] * hours;
        sum += softplus(z) - passed * z;
    }
    sum
}

pub(crate) fn main() {
    let mut w = [0.0, 0.0];
    for _ in 0..10 {
        let (_, g, h) = loss::value_grad_hessian(w);
        let det = h[[0, 0]] * h[[1, 1]] - h[[0, 1]] * h[[1, 0]];
        w[0] -= (h[[1, 1]] * g[0] - h[[0, 1]] * g[1]) / det;
        w[1] -= (h[[0, 0]] * g[1] - h[[1, 0]] * g[0]) / det;
    }
    println!("log-odds {:.4} + {:.4} hours", w[0], w[1]);

    // As many are expected to pass as did.
    let expected: f64 = HOURS.iter().map(|x| sigmoid(w[0] + w[1] * x)).sum();
    assert!((expected - 10.0).abs() < 1e-9, "{expected}");
    assert!(
        (w[0] + 4.0777).abs() < 1e-4 && (w[1] - 1.5046).abs() < 1e-4,
        "{w:?}"
    );

    let curve = (0..=60).map(|i| 0.1 * f64::from(i));
    let curve = curve.map(|x| (x, sigmoid(w[0] + w[1] * x))).collect();
    let seen = HOURS.into_iter().zip(PASSED);
    draw(
        "logistic_regression",
        "hours",
        "passed",
        &[
            Series::Line("chance", curve),
            Series::Dots("students", seen.collect()),
        ],
    );
}
