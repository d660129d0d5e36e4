//! The Jacobian of a model on a dataset by `#[grad]`, and the same by central differences to check it.

use std::time::{Duration, Instant};

use nalgebra::DMatrix;

use crate::catalog::Model;
use crate::data::Observations;

/// One row for each observation, one column for each parameter.
pub(crate) fn jacobian(model: &Model, observations: &Observations, b: &[f64]) -> DMatrix<f64> {
    let mut jacobian = DMatrix::zeros(observations.len(), b.len());
    let mut row = vec![0.0; b.len()];
    for (i, (x, _)) in observations.iter().enumerate() {
        (model.gradient)(b, x, &mut row);
        jacobian.row_mut(i).copy_from_slice(&row);
    }
    jacobian
}

/// How the Jacobian at one point did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Check {
    /// The time of one evaluation.
    pub(crate) time: Duration,
    /// How many digits of the worst column agree with central differences, relative to the column's largest entry.
    pub(crate) digits: f64,
}

/// Times the Jacobian at `b` and compares it with central differences.
pub(crate) fn check(model: &Model, observations: &Observations, b: &[f64]) -> Check {
    let exact = jacobian(model, observations, b);
    let approximate = central_differences(model, observations, b, &exact);
    let digits = exact
        .column_iter()
        .zip(approximate.column_iter())
        .map(|(exact, approximate)| {
            let difference = exact - approximate;
            if difference.iter().any(|entry| entry.is_nan()) {
                return 0.0;
            }
            let digits = -(difference.amax() / exact.amax()).log10();
            // A column of zeros proves nothing.
            if digits.is_nan() { 0.0 } else { digits }
        })
        .fold(f64::from(f64::DIGITS), f64::min)
        .max(0.0);
    Check {
        time: shortest_time(|| jacobian(model, observations, b)),
        digits,
    }
}

/// Central differences; each parameter moves by a small part of itself, or less if the model's values react strongly.
fn central_differences(
    model: &Model,
    observations: &Observations,
    b: &[f64],
    jacobian: &DMatrix<f64>,
) -> DMatrix<f64> {
    let values = |b: &[f64]| -> Vec<f64> {
        observations
            .iter()
            .map(|(x, _)| (model.value)(b, x))
            .collect()
    };
    let largest = values(b).iter().fold(0.0_f64, |max, v| max.max(v.abs()));
    let mut differences = DMatrix::zeros(observations.len(), b.len());
    for j in 0..b.len() {
        let reaction = largest / jacobian.column(j).amax();
        let scale = if b[j] == 0.0 {
            reaction
        } else {
            reaction.min(b[j].abs())
        };
        // Rounding errors grow with 1/h, the neglected third derivative with h².
        let h = f64::EPSILON.cbrt() * scale;
        let (mut above, mut below) = (b.to_vec(), b.to_vec());
        above[j] += h;
        below[j] -= h;
        let width = above[j] - below[j];
        for (i, (high, low)) in values(&above).iter().zip(values(&below)).enumerate() {
            differences[(i, j)] = (high - low) / width;
        }
    }
    differences
}

/// The shortest of some runs, which is the one least disturbed by what else the machine does.
fn shortest_time<R>(mut run: impl FnMut() -> R) -> Duration {
    (0..20)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(run());
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::MODELS;

    #[test]
    fn every_gradient_agrees_with_differences() {
        for model in MODELS {
            let b: Vec<f64> =
                [1.3, 0.7, 0.4, 2.1, 1.7, 0.9, 3.2, 1.1, 0.6][..model.parameters].to_vec();
            let mut observations = Observations::new(model);
            for x in ["0.5 1.5", "1.25 0.75", "3 2"] {
                let words = 1 + model.predictors;
                let row = format!("1 {x}");
                let row: Vec<_> = row.split(' ').take(words).collect();
                observations
                    .read_line(model, 1, &row.join(" "))
                    .expect("an observation");
            }
            let check = check(model, &observations, &b);
            assert!(check.digits > 8.0, "{}: {check:?}", model.dataset);
        }
    }
}
