//! The gains of a controller that follows a step, by gradient descent through the simulation.

use autodiff::optim::Adam;
use autodiff::{Differentiable, grad};

use crate::picture::{Series, draw};

#[derive(Clone, Copy, Differentiable)]
struct Gains {
    p: f64,
    i: f64,
    d: f64,
}

/// The positions of a damped mass that is to go to 1.
#[grad]
fn response(gains: Gains) -> Vec<f64> {
    let (mut x, mut v, mut sum, h) = (0.0, 0.0, 0.0, 0.02);
    let mut out = Vec::new();
    for _ in 0..400 {
        let error = 1.0 - x;
        sum += h * error;
        let force = gains.p * error + gains.i * sum - gains.d * v;
        v += h * (force - 0.5 * v - x);
        x += h * v;
        out.push(x);
    }
    out
}

/// Errors weigh more the later they come, and gains have a price.
#[grad]
fn cost(gains: Gains) -> f64 {
    let mut sum = 0.0;
    for (i, x) in response(gains).iter().enumerate() {
        sum += 0.0004 * i as f64 * (1.0 - x) * (1.0 - x);
    }
    sum + 1e-4 * (gains.p.powi(2) + gains.i.powi(2) + gains.d.powi(2))
}

pub(crate) fn main() {
    let [p, i, d] = [1.0, 0.5, 0.0];
    let start = Gains { p, i, d };
    let (mut gains, mut adam) = (start, Adam::new(0.1));
    for _ in 0..2000 {
        let gradient = cost::grad(gains);
        adam.step(&mut gains, &gradient);
    }
    let g = cost::grad(gains);
    assert!(g.p.abs() + g.i.abs() + g.d.abs() < 1e-3);
    let found = response(gains);
    assert!(found.iter().all(|x| *x < 1.1) && (found[399] - 1.0).abs() < 0.01);
    assert!(cost(gains) < 0.1 * cost(start));

    let path = |xs: Vec<f64>| (0..400).map(|i| (0.02 * i as f64, xs[i])).collect();
    let before = Series::Line("before", path(response(start)));
    let series = [before, Series::Line("tuned", path(found))];
    draw("pid_tuning", "time", "position", &series);
}
