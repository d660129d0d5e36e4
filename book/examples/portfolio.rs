//! The portfolio with the best return for its risk, by gradient ascent.

use autodiff::grad;
use nalgebra::{Matrix3, Vector3, matrix, vector};

use crate::picture::{Series, draw};

/// Return by risk of positive weights that sum to one.
#[grad]
fn sharpe(
    logits: &Vector3<f64>,
    #[constant] returns: &Vector3<f64>,
    #[constant] covariance: &Matrix3<f64>,
) -> f64 {
    let w = weights(logits);
    w.dot(returns) / w.dot(&(covariance * w)).sqrt()
}

#[grad]
fn weights(logits: &Vector3<f64>) -> Vector3<f64> {
    let e = Vector3::new(logits.x.exp(), logits.y.exp(), logits.z.exp());
    e / e.sum()
}

pub(crate) fn main() {
    let returns = vector![0.08, 0.05, 0.03];
    let covariance = matrix![
        0.040, 0.006, 0.002;
        0.006, 0.010, 0.001;
        0.002, 0.001, 0.004
    ];
    let mut logits = Vector3::zeros();
    let mut path = Vec::new();
    for step in 0..2000 {
        let (value, g) = sharpe::value_and_grad(&logits, &returns, &covariance);
        logits += g * 5.0;
        if step < 20 {
            path.push((f64::from(step), value));
        }
    }
    let found = weights(&logits);
    // Known in closed form where no weight is negative.
    let best = covariance.try_inverse().expect("regular") * returns;
    let best = best / best.sum();
    println!("weights {:.4?}", found.as_slice());
    assert!((found - best).norm() < 1e-6, "{found} {best}");
    draw(
        "portfolio",
        "step",
        "return by risk",
        &[Series::Line("ascent", path)],
    );
}
