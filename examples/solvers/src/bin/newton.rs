//! Newton's method of `argmin`, with the Hessian that `order = 2` makes.
//!
//!     cargo run --release --bin newton

use argmin::core::{Error, Executor};
use argmin::solver::newton::Newton;
use autodiff::{grad, solvers::Problem};
use nalgebra::{DMatrix, DVector};

/// The energy of a chain of springs between two hooks, with a weight on each joint.
#[grad(order = 2)]
fn energy(joints: &[f64], #[constant] end: [f64; 2]) -> f64 {
    let (mut sum, mut x, mut y) = (0.0, 0.0, 0.0);
    for k in 0..joints.len() / 2 {
        let stretch = (joints[2 * k] - x).hypot(joints[2 * k + 1] - y) - 1.0;
        (x, y) = (joints[2 * k], joints[2 * k + 1]);
        sum += 50.0 * stretch * stretch + y;
    }
    let stretch = (end[0] - x).hypot(end[1] - y) - 1.0;
    sum + 50.0 * stretch * stretch
}

fn main() -> Result<(), Error> {
    let end = [3.0, 0.0];
    let problem = Problem::of(energy::with(end), &[0.8, -0.8, 1.5, -1.2, 2.2, -0.8]);
    // With vectors and matrices of `nalgebra`.
    let problem = problem.typed::<DVector<f64>, DMatrix<f64>>();
    let start = problem.start();
    let run = Executor::new(problem, Newton::<f64>::new());
    let run = run.configure(|state| state.param(start).max_iters(12));
    let found = run
        .run()?
        .state
        .param
        .expect("Newton's method ends somewhere");
    for joint in found.as_slice().chunks(2) {
        println!("a joint at {:8.5}, {:8.5}", joint[0], joint[1]);
    }
    let forces = energy::grad(found.as_slice(), end);
    assert!(forces.iter().all(|f| f.abs() < 1e-10), "{forces:?}");
    Ok(())
}
