//! `lse`: the logarithm of a sum of exponentials.

use autodiff::grad;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Refusal, parse};
use crate::output::Output;
use crate::task::{Task, task};

#[grad]
fn log_sum_exp(x: &[f64]) -> f64 {
    let mut max = x[0];
    for i in 1..x.len() {
        max = max.max(x[i]);
    }
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += (x[i] - max).exp();
    }
    sum.ln() + max
}

/// What the functions are given.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Given")]
pub(crate) struct Input {
    pub(crate) x: Vec<f64>,
}

#[derive(Deserialize)]
struct Given {
    x: Vec<f64>,
}

impl TryFrom<Given> for Input {
    type Error = String;

    fn try_from(Given { x }: Given) -> Result<Self, String> {
        if x.is_empty() {
            return Err("`x` is empty".to_owned());
        }
        Ok(Input { x })
    }
}

/// The function itself.
pub(crate) fn primal(input: &Input) -> f64 {
    log_sum_exp(&input.x)
}

/// Its gradient.
pub(crate) fn gradient(input: &Input) -> Vec<f64> {
    log_sum_exp::grad(&input.x)
}

/// The function of this name with its input.
pub(crate) fn prepare(function: &str, input: &RawValue) -> Result<Box<dyn Task>, Refusal> {
    match function {
        "primal" => parse(input, |input: Input| {
            task(move || primal(&input), |y| Output::from(*y))
        }),
        "gradient" => parse(input, |input: Input| {
            task(move || gradient(&input), |g| Output::from(g.clone()))
        }),
        _ => Err(Refusal::NoFunction),
    }
}
