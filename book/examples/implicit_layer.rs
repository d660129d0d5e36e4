//! A layer whose value is a fixed point, differentiated by the implicit function theorem.

use autodiff::grad;
use autodiff::optim::Adam;

use crate::picture::{Series, draw};

/// The solution of `y = tanh(a y + u)`, by iteration.
#[grad(implicit = y - (a * y + u).tanh())]
fn equilibrium(a: f64, u: f64) -> f64 {
    let mut y = 0.0;
    for _ in 0..200 {
        y = f64::tanh(a * y + u);
    }
    y
}

/// The same with a derivative that goes through all rounds.
#[grad]
fn unrolled(a: f64, u: f64) -> f64 {
    let mut y = 0.0;
    for _ in 0..200 {
        y = f64::tanh(a * y + u);
    }
    y
}

#[grad]
fn loss(w: &[f64; 4], #[constant] data: &[(f64, f64)]) -> f64 {
    let mut sum = 0.0;
    for &(x, y) in data {
        sum += (w[3] * equilibrium(w[0], w[1] * x + w[2]) - y).powi(2);
    }
    sum / data.len() as f64
}

pub(crate) fn main() {
    let (one, other) = (equilibrium::grad(0.5, 0.3), unrolled::grad(0.5, 0.3));
    assert!((one.0 - other.0).abs() < 1e-12 && (one.1 - other.1).abs() < 1e-12);

    let truth = |x: f64| 2.0 * equilibrium(0.8, 1.5 * x - 0.5);
    let xs = (-20..=20).map(|i| 0.1 * f64::from(i));
    let data: Vec<(f64, f64)> = xs.map(|x| (x, truth(x))).collect();
    let (mut w, mut adam) = ([0.0, 1.0, 0.0, 1.0], Adam::new(0.02));
    for _ in 0..3000 {
        let gradient = loss::grad(&w, &data);
        adam.step(&mut w, &gradient);
    }
    let errors = [w[0] - 0.8, w[1] - 1.5, w[2] + 0.5, w[3] - 2.0];
    assert!(errors.iter().all(|e| e.abs() < 1e-2), "{w:?}");

    let found = |x: f64| (x, w[3] * equilibrium(w[0], w[1] * x + w[2]));
    let curve = (-40..=40).map(|i| found(0.05 * f64::from(i))).collect();
    let series = [Series::Line("layer", curve), Series::Dots("data", data)];
    draw("implicit_layer", "x", "y", &series);
}
