//! `saddle`: the least of the greatest values of a function, by descent on what is found by ascent.
//!
//! Of the two letters of a function the first is the mode of the outer derivative, the second that of the inner one.

use autodiff::grad;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Refusal, parse};
use crate::descent::argmin;
use crate::output::Output;
use crate::task::{Task, task};

#[grad(order = 2)]
fn objective(x: [f64; 2], y: [f64; 2]) -> f64 {
    (x[0] * x[0] + x[1] * x[1]) - (y[0] * y[0] + y[1] * y[1])
}

/// By one derivative in reverse mode.
#[grad]
fn slope_reverse(x: [f64; 2], y: [f64; 2]) -> [f64; 2] {
    objective::grad(x, y).1
}

/// By two derivatives in forward mode.
#[grad]
fn slope_forward(x: [f64; 2], y: [f64; 2]) -> [f64; 2] {
    let zero = [0.0, 0.0];
    [
        objective::jvp(x, y, (zero, [1.0, 0.0])).1,
        objective::jvp(x, y, (zero, [0.0, 1.0])).1,
    ]
}

#[grad(wrt(x))]
fn argmax_reverse(x: [f64; 2], start: [f64; 2]) -> [f64; 2] {
    argmin(
        |y: [f64; 2]| -objective(x, y),
        |y: [f64; 2]| {
            let g = slope_reverse(x, y);
            [-g[0], -g[1]]
        },
        start,
    )
}

#[grad(wrt(x))]
fn argmax_forward(x: [f64; 2], start: [f64; 2]) -> [f64; 2] {
    argmin(
        |y: [f64; 2]| -objective(x, y),
        |y: [f64; 2]| {
            let g = slope_forward(x, y);
            [-g[0], -g[1]]
        },
        start,
    )
}

#[grad(wrt(x), mode = reverse)]
fn greatest_reverse(x: [f64; 2], start: [f64; 2]) -> f64 {
    objective(x, argmax_reverse(x, start))
}

#[grad(wrt(x), mode = reverse)]
fn greatest_forward(x: [f64; 2], start: [f64; 2]) -> f64 {
    objective(x, argmax_forward(x, start))
}

/// What the functions are given.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Input {
    pub(crate) start: [f64; 2],
}

/// A function of two numbers, of which the other two are where ascent starts.
type Function<T> = fn([f64; 2], [f64; 2]) -> T;

/// The saddle: where the greatest value is least, and where it is taken.
fn saddle(
    input: Input,
    value: Function<f64>,
    gradient: Function<[f64; 2]>,
    argmax: Function<[f64; 2]>,
) -> [f64; 4] {
    let start = input.start;
    let x = argmin(|x| value(x, start), |x| gradient(x, start), start);
    let y = argmax(x, start);
    [x[0], x[1], y[0], y[1]]
}

/// The outer derivative in reverse mode, and so the inner one.
pub(crate) fn rr(input: Input) -> [f64; 4] {
    saddle(
        input,
        greatest_reverse,
        greatest_reverse::grad,
        argmax_reverse,
    )
}

/// The outer derivative in reverse mode, the inner one in forward mode.
pub(crate) fn rf(input: Input) -> [f64; 4] {
    saddle(
        input,
        greatest_forward,
        greatest_forward::grad,
        argmax_forward,
    )
}

/// The outer derivative in forward mode, the inner one in reverse mode.
pub(crate) fn fr(input: Input) -> [f64; 4] {
    let gradient = |x, start| {
        [
            greatest_reverse::jvp(x, start, [1.0, 0.0]).1,
            greatest_reverse::jvp(x, start, [0.0, 1.0]).1,
        ]
    };
    saddle(input, greatest_reverse, gradient, argmax_reverse)
}

/// Both derivatives in forward mode.
pub(crate) fn ff(input: Input) -> [f64; 4] {
    let gradient = |x, start| {
        [
            greatest_forward::jvp(x, start, [1.0, 0.0]).1,
            greatest_forward::jvp(x, start, [0.0, 1.0]).1,
        ]
    };
    saddle(input, greatest_forward, gradient, argmax_forward)
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
        task(move || run(input), |at| Output::from(at.to_vec()))
    })
}
