//! How a population depends on its growth rate, and on how it began: `ode_solvers` integrates the sensitivities along with it.
//!
//!     cargo run --release --bin population

use autodiff::grad;
use nalgebra::Vector3;
use ode_solvers::{Dopri5, System, dop_shared::IntegrationError};

/// The growth of a population `u` in a world that feeds 10.
#[grad]
fn growth(u: f64, rate: f64) -> f64 {
    rate * u * (1.0 - u / 10.0)
}

/// Population, and its derivatives with respect to rate and start.
struct Logistic {
    rate: f64,
}

impl System<f64, Vector3<f64>> for Logistic {
    fn system(&self, _time: f64, y: &Vector3<f64>, dy: &mut Vector3<f64>) {
        // The derivative of the equation along that of its solution.
        let (slope, by_rate) = growth::jvp(y[0], self.rate, (y[1], 1.0));
        let (_, by_start) = growth::jvp(y[0], self.rate, (y[2], 0.0));
        *dy = Vector3::new(slope, by_rate, by_start);
    }
}

/// The solution that books have, differentiated by the same means.
#[grad]
fn solution(start: f64, rate: f64, time: f64) -> f64 {
    10.0 / (1.0 + (10.0 / start - 1.0) * (-rate * time).exp())
}

fn main() -> Result<(), IntegrationError> {
    let (start, rate) = (0.5, 0.8);
    let begin = Vector3::new(start, 0.0, 1.0);
    let mut solver = Dopri5::new(Logistic { rate }, 0.0, 11.0, 2.0, begin, 1e-10, 1e-10);
    solver.integrate()?;
    println!("time  population    by rate   by start");
    for (time, y) in solver.x_out().iter().zip(solver.y_out()) {
        println!("{time:4.0} {:11.6} {:10.6} {:10.6}", y[0], y[1], y[2]);
        let (value, (by_start, by_rate, _)) = solution::value_and_grad(start, rate, *time);
        let exact = Vector3::new(value, by_rate, by_start);
        assert!((y - exact).amax() < 1e-6, "{y} is not {exact}");
    }
    Ok(())
}
