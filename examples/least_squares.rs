//! A curve through measurements, by Levenberg and Marquardt: any residuals of this crate as a problem of `levenberg-marquardt`.
//!
//!     cargo run --release --example least_squares

use autodiff::{Residuals, grad};
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use nalgebra::{DMatrix, DVector, Dyn, storage::Owned};

/// The dataset Misra1a of NIST: pressures, and how much gas is adsorbed.
const X: &[f64] = &[
    77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0,
];
const Y: &[f64] = &[
    10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47,
    81.78,
];

#[grad]
fn misfits(b: &[f64], #[constant] x: &[f64], #[constant] y: &[f64]) -> Vec<f64> {
    let curve = |x: f64| b[0] * (1.0 - (-b[1] * x).exp());
    x.iter().zip(y).map(|(x, y)| curve(*x) - y).collect()
}

/// Residuals, and where they are looked at.
struct Problem<R>(R, DVector<f64>);

impl<R: Residuals<Point = [f64]>> LeastSquaresProblem<f64, Dyn, Dyn> for Problem<R> {
    type ParameterStorage = Owned<f64, Dyn>;
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;

    fn set_params(&mut self, b: &DVector<f64>) {
        self.1.copy_from(b);
    }

    fn params(&self) -> DVector<f64> {
        self.1.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        Some(self.0.residuals(self.1.as_slice()).into())
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let (_, j) = self.0.residuals_and_jacobian(self.1.as_slice());
        Some(DMatrix::from_row_slice(j.rows(), j.cols(), j.as_slice()))
    }
}

fn main() {
    let start = DVector::from_vec(vec![500.0, 0.0001]);
    let problem = Problem(misfits::with(X, Y), start);
    let (Problem(_, b), report) = LevenbergMarquardt::new().minimize(problem);
    println!("{b} after {} evaluations", report.number_of_evaluations);
    for (found, certified) in b.iter().zip([2.3894212918e2, 5.5015643181e-4]) {
        assert!((found / certified - 1.0).abs() < 1e-7, "not {certified}");
    }
}
