//! Least squares: attempts with Levenberg–Marquardt, each polished by Gauss–Newton steps; the smallest sum of squares wins.

use std::cell::Cell;

use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use nalgebra::{DMatrix, DVector, Dyn, storage::Owned};

use crate::data::Dataset;
use crate::jacobian::jacobian;

/// How far the first step of an attempt may go, as a multiple of the starting point's norm (in the scale of the Jacobian's columns).
///
/// The first is the solver's default. A long first step can end where the model no longer depends on a parameter, a short one can
/// creep into the wrong valley; which is better cannot be known beforehand, so each is tried on every dataset.
const STEP_BOUNDS: [f64; 3] = [100.0, 1.0, 0.1];

/// Evaluations that an attempt may use, per parameter: narrow valleys take hundreds of iterations.
const PATIENCE: usize = 500;

/// Gauss–Newton steps that may follow; they converge or are refused long before.
const MOST_POLISHING_STEPS: usize = 100;

/// The relative difference of two sums of squares that may be rounding alone.
const ROUNDING: f64 = 1e-9;

/// The best point found from one start.
#[derive(Debug)]
pub(crate) struct Fit {
    pub(crate) parameters: Vec<f64>,
    /// The residual sum of squares.
    pub(crate) rss: f64,
    /// How many Jacobians all attempts together have taken.
    pub(crate) iterations: usize,
    pub(crate) attempts: Vec<Attempt>,
}

/// What came of one attempt.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) step_bound: f64,
    pub(crate) iterations: usize,
    pub(crate) rss: f64,
    /// Why Levenberg–Marquardt stopped.
    pub(crate) stopped: String,
}

/// Fits a dataset's model from one starting point; `None` if the residuals are not finite there.
pub(crate) fn fit(data: &Dataset, start: &[f64]) -> Option<Fit> {
    let mut attempts = Vec::new();
    let mut best: Option<(Vec<f64>, f64)> = None;
    for step_bound in STEP_BOUNDS {
        let (problem, report) = LevenbergMarquardt::new()
            .with_ftol(f64::EPSILON)
            .with_xtol(f64::EPSILON)
            .with_gtol(0.0)
            .with_patience(PATIENCE)
            .with_stepbound(step_bound)
            .minimize(Problem::new(data, start));
        let (b, rss) = problem.polished();
        attempts.push(Attempt {
            step_bound,
            iterations: problem.jacobians.get(),
            rss,
            stopped: format!("{:?}", report.termination),
        });
        let is_better = best
            .as_ref()
            .is_none_or(|(_, least)| rss < least * (1.0 - ROUNDING));
        if rss.is_finite() && is_better {
            best = Some((b.as_slice().to_vec(), rss));
        }
    }
    let (parameters, rss) = best?;
    Some(Fit {
        parameters,
        rss,
        iterations: attempts.iter().map(|attempt| attempt.iterations).sum(),
        attempts,
    })
}

/// The residuals of a model on a dataset, at the solver's current point.
struct Problem<'a> {
    data: &'a Dataset,
    b: DVector<f64>,
    jacobians: Cell<usize>,
}

/// A Gauss–Newton step, and the length of the part of the residuals that it would remove if the model were linear.
///
/// That length is zero at a minimum, and nowhere near as blind to the last digits as the sum of squares.
struct Step {
    by: DVector<f64>,
    removes: f64,
}

impl<'a> Problem<'a> {
    fn new(data: &'a Dataset, start: &[f64]) -> Self {
        Self {
            data,
            b: DVector::from_column_slice(start),
            jacobians: Cell::new(0),
        }
    }

    /// Model minus response. Where the model is undefined the residual is infinite, so that the solver turns back.
    fn residuals_at(&self, b: &DVector<f64>) -> DVector<f64> {
        let observations = &self.data.observations;
        let residuals = observations.iter().map(|(x, y)| {
            let residual = (self.data.model.value)(b.as_slice(), x) - y;
            if residual.is_nan() {
                f64::INFINITY
            } else {
                residual
            }
        });
        DVector::from_iterator(observations.len(), residuals)
    }

    fn jacobian_at(&self, b: &DVector<f64>) -> Option<DMatrix<f64>> {
        self.jacobians.set(self.jacobians.get() + 1);
        let jacobian = jacobian(self.data.model, &self.data.observations, b.as_slice());
        let is_finite = jacobian.iter().all(|entry| entry.is_finite());
        is_finite.then_some(jacobian)
    }

    /// Solves the linearised problem at `b` by QR with columns scaled to length one.
    fn gauss_newton(&self, b: &DVector<f64>) -> Option<Step> {
        let mut jacobian = self.jacobian_at(b)?;
        let norms = DVector::from_iterator(b.len(), jacobian.column_iter().map(|c| c.norm()));
        for (mut column, norm) in jacobian.column_iter_mut().zip(&norms) {
            column /= *norm;
        }
        let qr = jacobian.qr();
        let projected = qr.q().tr_mul(&self.residuals_at(b));
        let by = -qr
            .r()
            .solve_upper_triangular(&projected)?
            .component_div(&norms);
        let removes = projected.norm();
        let is_finite = removes.is_finite() && by.iter().all(|entry| entry.is_finite());
        is_finite.then_some(Step { by, removes })
    }

    /// Where Gauss–Newton steps lead from the current point, and the sum of squares there.
    ///
    /// Levenberg–Marquardt judges a step by the sum of squares. That is flat at its minimum: the last half of the
    /// parameters' digits no longer changes it. Full steps are judged here by what they leave to remove.
    fn polished(&self) -> (DVector<f64>, f64) {
        let mut b = self.b.clone();
        let mut rss = self.residuals_at(&b).norm_squared();
        let limit = rss * (1.0 + ROUNDING);
        let Some(mut step) = self.gauss_newton(&b) else {
            return (b, rss);
        };
        for _ in 0..MOST_POLISHING_STEPS {
            let next = &b + &step.by;
            let next_rss = self.residuals_at(&next).norm_squared();
            let next_step = match self.gauss_newton(&next) {
                Some(next) if next.removes < step.removes && next_rss <= limit => next,
                _ => return (b, rss),
            };
            (b, rss, step) = (next, next_rss, next_step);
        }
        (b, rss)
    }
}

impl LeastSquaresProblem<f64, Dyn, Dyn> for Problem<'_> {
    type ParameterStorage = Owned<f64, Dyn>;
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;

    fn set_params(&mut self, b: &DVector<f64>) {
        self.b.copy_from(b);
    }

    fn params(&self) -> DVector<f64> {
        self.b.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        Some(self.residuals_at(&self.b))
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        self.jacobian_at(&self.b)
    }
}
