//! Logistic regression by L-BFGS: any objective of this crate as a problem of `argmin`.
//!
//!     cargo run --release --bin minimise

use argmin::core::{Error, Executor};
use argmin::solver::{linesearch::MoreThuenteLineSearch, quasinewton::LBFGS};
use autodiff::{grad, softplus, solvers::Problem};

/// How badly `w` tells two classes apart, with some weight on being small.
#[grad]
fn loss(w: &[f64], #[constant] data: &[([f64; 2], f64)]) -> f64 {
    let mut sum = 0.05 * (w[0] * w[0] + w[1] * w[1]);
    for (x, label) in data {
        let margin = label * (w[0] * x[0] + w[1] * x[1] + w[2]);
        sum += softplus(-margin);
    }
    sum
}

fn main() -> Result<(), Error> {
    let left = [[0.0, 1.0], [1.0, 2.5], [0.5, 2.0]].map(|x| (x, -1.0));
    let right = [[2.0, 0.5], [3.0, 1.5], [1.5, 2.5]].map(|x| (x, 1.0));
    let data = [left, right].concat();

    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 5).with_tolerance_grad(1e-9)?;
    let problem = Problem::of(loss::with(&data), &[0.0; 3]);
    let start = problem.start();
    let run = Executor::new(problem, solver);
    let run = run.configure(|state| state.param(start).max_iters(100));
    let w = run.run()?.state.best_param.expect("a best point");

    for (x, label) in &data {
        let margin = w[0] * x[0] + w[1] * x[1] + w[2];
        println!("{x:?} is of class {label:2}, taken for {margin:6.3}");
    }
    let slope = loss::grad(&w, &data);
    assert!(slope.iter().all(|g| g.abs() < 1e-8), "{slope:?}");
    Ok(())
}
