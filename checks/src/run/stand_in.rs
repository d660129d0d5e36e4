//! Derivatives by differences in the place of the compiler's, to test the generator and the judge themselves.

use crate::difference::directional_within;
use crate::effect;
use crate::judge::Primal;

/// The columns of the Jacobian.
fn columns(primal: Primal, x: &[f64]) -> Vec<Vec<f64>> {
    let f = |x: &[f64]| {
        effect::reset();
        primal(x)
    };
    let unit = |one: usize| {
        (0..x.len())
            .map(|k| if k == one { 1.0 } else { 0.0 })
            .collect::<Vec<f64>>()
    };
    (0..x.len())
        .map(|k| {
            // The judge knows how large an error matters; here the better estimate is taken wherever there are two.
            directional_within(0.0, &f, x, &unit(k))
                .iter()
                .map(|estimate| estimate.value)
                .collect()
        })
        .collect()
}

/// The value, once: what it counts is what the primal counts.
fn value(primal: Primal, x: &[f64]) -> Vec<f64> {
    effect::reset();
    primal(x)
}

/// Value and directional derivative.
pub fn jvp(primal: Primal, x: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let columns = columns(primal, x);
    let value = value(primal, x);
    let tangent = (0..value.len())
        .map(|row| {
            columns
                .iter()
                .zip(v)
                .filter(|(_, v)| **v != 0.0)
                .map(|(column, v)| column[row] * v)
                .sum()
        })
        .collect();
    (value, tangent)
}

/// Value and gradient of the results' sum weighted by `w`.
pub fn vjp(primal: Primal, x: &[f64], w: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let columns = columns(primal, x);
    let value = value(primal, x);
    let gradient = columns
        .iter()
        .map(|column| {
            column
                .iter()
                .zip(w)
                .filter(|(_, w)| **w != 0.0)
                .map(|(entry, w)| entry * w)
                .sum()
        })
        .collect();
    (value, gradient)
}
