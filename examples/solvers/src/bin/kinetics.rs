//! How concentrations depend on reaction rates, in a stiff system: `diffsol` asks for products with two Jacobians, and `jvp` gives both.
//!
//!     cargo run --release --bin kinetics

use autodiff::grad;
use diffsol::{
    MatrixCommon, NalgebraLU, NalgebraMat, OdeBuilder, SensitivitiesOdeSolverMethod,
    error::DiffsolError,
};
use nalgebra::Matrix3x4;

/// Robertson's reactions.
#[grad]
fn reactions(y: &[f64], rates: &[f64], #[out] dy: &mut [f64]) {
    let slow = rates[0] * y[0];
    let back = rates[1] * y[1] * y[2];
    let fast = rates[2] * y[1] * y[1];
    dy[0] = back - slow;
    dy[1] = slow - back - fast;
    dy[2] = fast;
}

const RATES: [f64; 3] = [0.04, 1e4, 3e7];
const TIMES: [f64; 4] = [0.4, 4.0, 40.0, 400.0];

/// A column for each time.
type Course = Matrix3x4<f64>;

/// Concentrations, and their derivatives by each rate.
fn solved(rates: &[f64]) -> Result<(Course, Vec<Course>), DiffsolError> {
    let still = [0.0; 3];
    let problem = OdeBuilder::<NalgebraMat<f64>>::new()
        .p(rates.to_vec())
        .rtol(1e-9)
        .atol([1e-13; 3])
        .rhs_sens_implicit(
            |y, rates, _time, dy| reactions(y, rates, dy),
            // The Jacobian by the concentrations times `v`, and that by the rates.
            |y, rates, _time, v, out| reactions::jvp(y, rates, &mut [0.0; 3], (v, &still, out)),
            |y, rates, _time, v, out| reactions::jvp(y, rates, &mut [0.0; 3], (&still, v, out)),
        )
        .init_sens(
            |_rates, _time, y| y.copy_from_slice(&[1.0, 0.0, 0.0]),
            |_rates, _time, _v, out| out.fill(0.0),
            3,
        )
        .build()?;
    let mut solver = problem.bdf_sens::<NalgebraLU<f64>>()?;
    let (y, by_rates, _) = solver.solve_dense_sensitivities(&TIMES)?;
    let course = |of: &NalgebraMat<f64>| Course::from_fn(|i, k| of.inner()[(i, k)]);
    Ok((course(&y), by_rates.iter().map(course).collect()))
}

fn main() -> Result<(), DiffsolError> {
    let (y, by_rates) = solved(&RATES)?;
    println!("  time  product by rate 1   by rate 2   by rate 3");
    for (k, time) in TIMES.iter().enumerate() {
        let by: Vec<f64> = by_rates.iter().map(|by| by[(2, k)]).collect();
        let product = y[(2, k)];
        println!(
            "{time:6.1} {product:8.5} {:9.5} {:11.3e} {:11.3e}",
            by[0], by[1], by[2]
        );
        // What is there stays, at all rates.
        let lost = by_rates.iter().map(|by| by.column(k).sum().abs());
        assert!(lost.fold(0.0, f64::max) < 1e-6);
    }
    for (k, by) in by_rates.iter().enumerate() {
        let at = |factor: f64| {
            let mut rates = RATES;
            rates[k] *= factor;
            solved(&rates)
        };
        let difference = (at(1.001)?.0 - at(0.999)?.0) / (0.002 * RATES[k]);
        let error = (by - difference).amax() / difference.amax();
        assert!(error < 1e-4, "{by} is not {difference}");
    }
    Ok(())
}
