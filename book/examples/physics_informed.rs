//! A network that solves the equation of a spring, u'' = -u: no value of the solution is given but the start.

use autodiff::{Residuals, grad};
use nalgebra::{DMatrix, DVector};

use crate::picture::{Series, draw};

const UNITS: usize = 6;

#[grad(order = 3)]
fn net(p: &[f64], x: f64) -> f64 {
    let mut sum = 0.0;
    for k in 0..UNITS {
        sum += p[3 * k] * (p[3 * k + 1] * x + p[3 * k + 2]).tanh();
    }
    sum
}

/// The derivative of the network by `x`.
#[grad(order = 2)]
fn slope(p: &[f64], x: f64) -> f64 {
    net::jvp(p, x, (&[0.0; 3 * UNITS], 1.0)).1
}

/// What the network misses of the equation at some points, and of the start.
#[grad]
fn misses(p: &[f64], #[constant] xs: &[f64]) -> Vec<f64> {
    let mut out = vec![10.0 * net(p, 0.0), 10.0 * (slope(p, 0.0) - 1.0)];
    for &x in xs {
        let bend = slope::jvp(p, x, (&[0.0; 3 * UNITS], 1.0)).1;
        out.push(bend + net(p, x));
    }
    out
}

pub(crate) fn main() {
    let xs: Vec<f64> = (0..20).map(|i| 0.25 * f64::from(i)).collect();
    // Each unit bends somewhere else.
    let unit = |k: usize| [0.3 * (k as f64).sin(), 1.0, -0.8 * k as f64];
    let mut p: Vec<f64> = (0..UNITS).flat_map(unit).collect();
    let problem = misses::with(&xs);
    let square = |p: &[f64]| problem.residuals(p).iter().map(|r| r * r).sum::<f64>();
    let mut damping = 1e-2;
    for _ in 0..40 {
        let (r, j) = problem.residuals_and_jacobian(&p);
        let (r, j) = (DVector::from_vec(r), DMatrix::from(j));
        let normal = j.tr_mul(&j) + DMatrix::identity(p.len(), p.len()) * damping;
        let step = normal.lu().solve(&j.tr_mul(&r)).unwrap();
        let next: Vec<f64> = p.iter().zip(&step).map(|(p, s)| p - s).collect();
        let better = square(&next) < square(&p);
        damping = f64::max(damping * if better { 0.3 } else { 4.0 }, 1e-12);
        p = if better { next } else { p };
    }
    let at: Vec<f64> = (0..=48).map(|i| 0.1 * f64::from(i)).collect();
    assert!(at.iter().all(|x| (net(&p, *x) - x.sin()).abs() < 1e-3));
    let found = at.iter().map(|&x| (x, net(&p, x))).collect();
    let sine = at.iter().step_by(4).map(|x| (*x, x.sin())).collect();
    let series = [Series::Line("network", found), Series::Dots("sine", sine)];
    draw("physics_informed", "x", "u", &series);
}
