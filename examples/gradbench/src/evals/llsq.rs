//! `llsq`: how well a polynomial follows the sign of its argument.

use autodiff::grad;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Refusal, parse};
use crate::output::Output;
use crate::task::{Task, task};

/// The sign of a number, zero at zero, unlike that of std.
fn sign(t: f64) -> f64 {
    f64::from(i8::from(t > 0.0) - i8::from(t < 0.0))
}

#[grad]
fn half_squares(x: &[f64], n: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..n {
        let t = -1.0 + i as f64 * 2.0 / (n as f64 - 1.0);
        let mut inner = sign(t);
        let mut power = 1.0;
        for j in 0..x.len() {
            inner -= x[j] * power;
            power *= t;
        }
        sum += inner * inner;
    }
    sum / 2.0
}

/// What the functions are given.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Given")]
pub(crate) struct Input {
    pub(crate) x: Vec<f64>,
    pub(crate) n: usize,
}

#[derive(Deserialize)]
struct Given {
    x: Vec<f64>,
    n: usize,
}

/// More points than this are taken for a mistake: the gradient would take all memory.
const MOST: usize = 1 << 27;

impl TryFrom<Given> for Input {
    type Error = String;

    fn try_from(Given { x, n }: Given) -> Result<Self, String> {
        if n > MOST {
            return Err(format!("`n` may be at most {MOST}"));
        }
        Ok(Input { x, n })
    }
}

/// The function itself.
pub(crate) fn primal(input: &Input) -> f64 {
    half_squares(&input.x, input.n)
}

/// Its gradient.
pub(crate) fn gradient(input: &Input) -> Vec<f64> {
    half_squares::grad(&input.x, input.n)
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
