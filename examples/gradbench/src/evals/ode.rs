//! `ode`: Runge and Kutta's method on a chain of equations, each driven by the one before.

use autodiff::grad;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Refusal, parse};
use crate::output::Output;
use crate::task::{Task, task};

#[grad]
fn slope(x: &[f64], y: &[f64], z: &mut [f64]) {
    z[0] = x[0];
    for i in 1..x.len() {
        z[i] = x[i] * y[i - 1];
    }
}

#[grad]
fn runge_kutta(x: &[f64], s: usize) -> Vec<f64> {
    let n = x.len();
    let h = 2.0 / s as f64;
    let mut y = vec![0.0; n];
    let mut k1 = vec![0.0; n];
    let mut k2 = vec![0.0; n];
    let mut k3 = vec![0.0; n];
    let mut k4 = vec![0.0; n];
    let mut tmp = vec![0.0; n];
    for _ in 0..s {
        slope(x, &y, &mut k1);
        for i in 0..n {
            tmp[i] = y[i] + h * k1[i] / 2.0;
        }
        slope(x, &tmp, &mut k2);
        for i in 0..n {
            tmp[i] = y[i] + h * k2[i] / 2.0;
        }
        slope(x, &tmp, &mut k3);
        for i in 0..n {
            tmp[i] = y[i] + h * k3[i];
        }
        slope(x, &tmp, &mut k4);
        for i in 0..n {
            y[i] += h * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0;
        }
    }
    y
}

/// What the functions are given.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Given")]
pub(crate) struct Input {
    pub(crate) x: Vec<f64>,
    pub(crate) s: usize,
}

/// More steps of more equations than this are taken for a mistake: the gradient would take all memory.
const MOST: usize = 1 << 27;

#[derive(Deserialize)]
struct Given {
    x: Vec<f64>,
    s: usize,
}

impl TryFrom<Given> for Input {
    type Error = String;

    fn try_from(Given { x, s }: Given) -> Result<Self, String> {
        if x.is_empty() {
            return Err("`x` is empty".to_owned());
        }
        if s.saturating_mul(x.len()) > MOST {
            return Err(format!("`s` times the length of `x` may be at most {MOST}"));
        }
        Ok(Input { x, s })
    }
}

/// The state at the end.
pub(crate) fn primal(input: &Input) -> Vec<f64> {
    runge_kutta(&input.x, input.s)
}

/// The gradient of the last component of the state.
pub(crate) fn gradient(input: &Input) -> Vec<f64> {
    let mut seed = vec![0.0; input.x.len()];
    seed[input.x.len() - 1] = 1.0;
    runge_kutta::vjp(&input.x, input.s, seed).1
}

/// The function of this name with its input.
pub(crate) fn prepare(function: &str, input: &RawValue) -> Result<Box<dyn Task>, Refusal> {
    match function {
        "primal" => parse(input, |input: Input| {
            task(move || primal(&input), |y| Output::from(y.clone()))
        }),
        "gradient" => parse(input, |input: Input| {
            task(move || gradient(&input), |g| Output::from(g.clone()))
        }),
        _ => Err(Refusal::NoFunction),
    }
}
