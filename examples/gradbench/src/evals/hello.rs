//! `hello`: the square of a number.

use autodiff::grad;
use serde_json::value::RawValue;

use super::{Refusal, parse};
use crate::output::Output;
use crate::task::{Task, task};

#[grad]
fn square(x: f64) -> f64 {
    x * x
}

/// The function of this name with its input.
pub(crate) fn prepare(function: &str, input: &RawValue) -> Result<Box<dyn Task>, Refusal> {
    match function {
        "square" => parse(input, |x| task(move || square(x), |y| Output::from(*y))),
        "double" => parse(input, |x| {
            task(move || square::grad(x), |y| Output::from(*y))
        }),
        _ => Err(Refusal::NoFunction),
    }
}
