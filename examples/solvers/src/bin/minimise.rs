//! Logistic regression by L-BFGS: any objective of this crate as a problem of `argmin`.
//!
//!     cargo run --release --bin minimise

use argmin::core::{CostFunction, Error, Executor, Gradient};
use argmin::solver::{linesearch::MoreThuenteLineSearch, quasinewton::LBFGS};
use autodiff::{Objective, grad, softplus};

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

/// What `argmin` wants to know of a function.
struct Problem<O>(O);

impl<O: Objective<Point = [f64]>> CostFunction for Problem<O> {
    type Param = Vec<f64>;
    type Output = f64;
    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.0.value(x))
    }
}

impl<O: Objective<Point = [f64]>> Gradient for Problem<O> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;
    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.0.value_and_grad(x).1)
    }
}

fn main() -> Result<(), Error> {
    let left = [[0.0, 1.0], [1.0, 2.5], [0.5, 2.0]].map(|x| (x, -1.0));
    let right = [[2.0, 0.5], [3.0, 1.5], [1.5, 2.5]].map(|x| (x, 1.0));
    let data = [left, right].concat();

    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 5).with_tolerance_grad(1e-9)?;
    let run = Executor::new(Problem(loss::with(&data)), solver);
    let run = run.configure(|state| state.param(vec![0.0; 3]).max_iters(100));
    let w = run.run()?.state.best_param.expect("a best point");

    for (x, label) in &data {
        let margin = w[0] * x[0] + w[1] * x[1] + w[2];
        println!("{x:?} is of class {label:2}, taken for {margin:6.3}");
    }
    let slope = loss::grad(&w, &data);
    assert!(slope.iter().all(|g| g.abs() < 1e-8), "{slope:?}");
    Ok(())
}
