//! A Gaussian process whose length and noise are those that make the data most likely.

use autodiff::optim::Adam;
use autodiff::{Tensor, grad};

use crate::picture::{Series, draw};

/// The covariance of values at squared distances `d2`.
#[grad]
fn kernel(log: &[f64; 2], #[constant] d2: &Tensor<f64>) -> Tensor<f64> {
    (d2 * (-0.5 * (-2.0 * log[0]).exp())).exp()
}

/// Minus the logarithm of the marginal likelihood, but for a constant.
#[grad]
fn loss(log: &[f64; 2], #[constant] d2: &Tensor<f64>, #[constant] y: &Tensor<f64>) -> f64 {
    let n = y.shape()[0];
    let k = kernel(log, d2) + (2.0 * log[1]).exp() * Tensor::<f64>::eye(n);
    0.5 * (y * k.solve(y)).sum() + 0.5 * k.logdet().sum()
}

fn distances(a: &[f64], b: &[f64]) -> Tensor<f64> {
    Tensor::from_fn(&[a.len(), b.len()], |at| (a[at[0]] - b[at[1]]).powi(2))
}

pub(crate) fn main() {
    let x: Vec<f64> = (0..20).map(|i| 0.35 * f64::from(i)).collect();
    // The noise alternates, so that it is the same everywhere.
    let noisy = |i: usize| x[i].sin() + if i.is_multiple_of(2) { 0.1 } else { -0.1 };
    let y = Tensor::from_fn(&[20], |at| noisy(at[0]));
    let d2 = distances(&x, &x);

    let mut log = [0.0, -1.0];
    let mut adam = Adam::new(0.05);
    for _ in 0..400 {
        let gradient = loss::grad(&log, &d2, &y);
        adam.step(&mut log, &gradient);
    }
    let (length, noise) = (log[0].exp(), log[1].exp());
    println!("length {length:.3}, noise {noise:.3}");
    assert!(loss::grad(&log, &d2, &y).iter().all(|g| g.abs() < 1e-3));
    assert!((0.07..0.14).contains(&noise) && (1.0..3.0).contains(&length));

    let at: Vec<f64> = (0..=66).map(|i| 0.1 * f64::from(i)).collect();
    let k = kernel(&log, &d2) + noise * noise * Tensor::<f64>::eye(20);
    let mean = kernel(&log, &distances(&at, &x)).matmul(k.solve(&y));
    let mean: Vec<(f64, f64)> = at.iter().copied().zip(mean.to_vec()).collect();
    // The sine is found behind the noise.
    assert!(mean.iter().all(|(x, m)| (x.sin() - m).abs() < 0.1));

    draw(
        "gaussian_process",
        "x",
        "y",
        &[
            Series::Line("mean", mean),
            Series::Dots("data", x.iter().copied().zip(y.to_vec()).collect()),
        ],
    );
}
