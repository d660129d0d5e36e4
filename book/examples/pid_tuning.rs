//! The gains of a controller that follows a step, by gradient descent through the simulation.

use autodiff::optim::Adam;
use autodiff::{Differentiable, grad};

use crate::picture::{Series, draw};

#[derive(Clone, Copy, Debug, Differentiable)]
struct Gains {
    proportional: f64,
    integral: f64,
    derivative: f64,
}

/// The positions of a damped mass that is to go to 1.
#[grad]
fn response(gains: Gains) -> Vec<f64> {
    let (mut x, mut v, mut sum, h) = (0.0, 0.0, 0.0, 0.02);
    let mut out = Vec::new();
    for _ in 0..400 {
        let error = 1.0 - x;
        sum += h * error;
        let force = gains.proportional * error + gains.integral * sum - gains.derivative * v;
        v += h * (force - 0.5 * v - x);
        x += h * v;
        out.push(x);
    }
    out
}

/// Errors weigh more the later they come; so do forces that are large.
#[grad]
fn cost(gains: Gains) -> f64 {
    let mut sum = 0.0;
    for (i, x) in response(gains).iter().enumerate() {
        let t = 0.02 * i as f64;
        sum += 0.02 * t * (1.0 - x) * (1.0 - x);
    }
    sum + 1e-4 * (gains.proportional.powi(2) + gains.integral.powi(2) + gains.derivative.powi(2))
}

pub(crate) fn main() {
    let start = Gains {
        proportional: 1.0,
        integral: 0.5,
        derivative: 0.0,
    };
    let (mut gains, mut adam) = (start, Adam::new(0.1));
    for _ in 0..2000 {
        let gradient = cost::grad(gains);
        adam.step(&mut gains, &gradient);
    }
    let g = cost::grad(gains);
    assert!(g.proportional.abs() + g.integral.abs() + g.derivative.abs() < 1e-3);
    let found = response(gains);
    assert!(found.iter().all(|x| *x < 1.1) && (found[399] - 1.0).abs() < 0.01);
    assert!(cost(gains) < 0.1 * cost(start));

    let path = |xs: Vec<f64>| (0..400).map(|i| (0.02 * i as f64, xs[i])).collect();
    let before = Series::Line("before", path(response(start)));
    draw(
        "pid_tuning",
        "time",
        "position",
        &[before, Series::Line("tuned", path(found))],
    );
}
