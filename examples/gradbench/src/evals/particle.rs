//! `particle`: a charge is placed so that a particle lands at a given spot; its acceleration is the gradient of a potential.
//!
//! Of the two letters of a function the first is the mode of the outer derivative, the second that of the inner one.

use autodiff::grad;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Refusal, parse};
use crate::descent::argmin;
use crate::output::Output;
use crate::task::{Task, task};

const DT: f64 = 0.1;
/// A particle that has not landed after as many steps never does.
const STEPS: usize = 100_000;

#[grad(order = 2)]
fn distance(p: [f64; 2], q: [f64; 2]) -> f64 {
    ((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1])).sqrt()
}

#[grad(order = 2)]
fn potential(x: [f64; 2], w: f64) -> f64 {
    1.0 / distance(x, [10.0, 10.0 - w]) + 1.0 / distance(x, [10.0, 0.0])
}

/// By one derivative in reverse mode.
#[grad]
fn slope_reverse(x: [f64; 2], w: f64) -> [f64; 2] {
    potential::grad(x, w).0
}

/// By two derivatives in forward mode.
#[grad]
fn slope_forward(x: [f64; 2], w: f64) -> [f64; 2] {
    [
        potential::jvp(x, w, ([1.0, 0.0], 0.0)).1,
        potential::jvp(x, w, ([0.0, 1.0], 0.0)).1,
    ]
}

/// The square of where the particle lands.
#[grad(mode = reverse)]
fn landing(slope: impl Fn([f64; 2], f64) -> [f64; 2], w: f64) -> f64 {
    let mut x = [0.0, 8.0];
    let mut v = [0.75, 0.0];
    for _ in 0..STEPS {
        let a = slope(x, w);
        x = [x[0] + DT * v[0], x[1] + DT * v[1]];
        if x[1] <= 0.0 {
            let rest = -x[1] / v[1];
            let at = x[0] + rest * v[0];
            return at * at;
        }
        v = [v[0] - DT * a[0], v[1] - DT * a[1]];
    }
    panic!("the particle never lands");
}

#[grad(mode = reverse)]
fn landing_reverse(w: f64) -> f64 {
    landing(slope_reverse, w)
}

#[grad(mode = reverse)]
fn landing_forward(w: f64) -> f64 {
    landing(slope_forward, w)
}

/// What the functions are given.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Input {
    pub(crate) w: f64,
}

/// Where the charge must be: the outer derivative in reverse mode, and so the inner one.
pub(crate) fn rr(input: Input) -> f64 {
    argmin(
        |[w]| landing_reverse(w),
        |[w]| [landing_reverse::grad(w)],
        [input.w],
    )[0]
}

/// The outer derivative in reverse mode, the inner one in forward mode.
pub(crate) fn rf(input: Input) -> f64 {
    argmin(
        |[w]| landing_forward(w),
        |[w]| [landing_forward::grad(w)],
        [input.w],
    )[0]
}

/// The outer derivative in forward mode, the inner one in reverse mode.
pub(crate) fn fr(input: Input) -> f64 {
    argmin(
        |[w]| landing_reverse(w),
        |[w]| [landing_reverse::jvp(w, 1.0).1],
        [input.w],
    )[0]
}

/// Both derivatives in forward mode.
pub(crate) fn ff(input: Input) -> f64 {
    argmin(
        |[w]| landing_forward(w),
        |[w]| [landing_forward::jvp(w, 1.0).1],
        [input.w],
    )[0]
}

/// The function of this name with its input.
pub(crate) fn prepare(function: &str, input: &RawValue) -> Result<Box<dyn Task>, Refusal> {
    let run = match function {
        "ff" => ff,
        "fr" => fr,
        "rf" => rf,
        "rr" => rr,
        _ => return Err(Refusal::NoFunction),
    };
    parse(input, |input| {
        task(move || run(input), |w| Output::from(*w))
    })
}
