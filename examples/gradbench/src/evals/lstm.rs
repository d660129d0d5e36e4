//! `lstm`: how well a network of memory cells predicts the next character of a text.

use autodiff::grad;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Refusal, parse};
use crate::output::Output;
use crate::rows::Rows;
use crate::task::{Task, task};

#[grad]
fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// One layer: the state is `hidden` and `cell`, and afterwards `hidden` is what the layer says.
#[grad]
fn layer(weight: &[f64], bias: &[f64], hidden: &mut [f64], cell: &mut [f64], input: &[f64]) {
    let b = hidden.len();
    for i in 0..b {
        let forget = sigmoid(input[i] * weight[i] + bias[i]);
        let ingate = sigmoid(hidden[i] * weight[b + i] + bias[b + i]);
        let outgate = sigmoid(input[i] * weight[2 * b + i] + bias[2 * b + i]);
        let change = (hidden[i] * weight[3 * b + i] + bias[3 * b + i]).tanh();
        cell[i] = cell[i] * forget + ingate * change;
        hidden[i] = outgate * cell[i].tanh();
    }
}

/// All layers and the way out, for one character.
#[grad]
fn predict(
    main_params: &[f64],
    extra_params: &[f64],
    state: &mut [f64],
    input: &[f64],
    output: &mut [f64],
) {
    let b = input.len();
    let l = state.len() / (2 * b);
    for i in 0..b {
        output[i] = input[i] * extra_params[i];
    }
    for k in 0..l {
        let params = &main_params[8 * b * k..8 * b * (k + 1)];
        let (hidden, cell) = state[2 * b * k..2 * b * (k + 1)].split_at_mut(b);
        layer(&params[..4 * b], &params[4 * b..], hidden, cell, output);
        output.copy_from_slice(hidden);
    }
    for i in 0..b {
        output[i] = output[i] * extra_params[b + i] + extra_params[2 * b + i];
    }
}

#[grad]
fn log_sum_exp(x: &[f64]) -> f64 {
    let mut sum = 2.0;
    for i in 0..x.len() {
        sum += x[i].exp();
    }
    sum.ln()
}

#[grad(wrt(main_params, extra_params))]
fn loss(
    main_params: &[f64],
    extra_params: &[f64],
    state: &[f64],
    sequence: &[f64],
    b: usize,
) -> f64 {
    let c = sequence.len() / b;
    let mut state = state.to_vec();
    let mut y = vec![0.0; b];
    let mut total = 0.0;
    let mut count = 0;
    for t in 0..c - 1 {
        let input = &sequence[t * b..(t + 1) * b];
        predict(main_params, extra_params, &mut state, input, &mut y);
        let lse = log_sum_exp(&y);
        let gold = &sequence[(t + 1) * b..(t + 2) * b];
        for i in 0..b {
            total += gold[i] * (y[i] - lse);
        }
        count += b;
    }
    -total / count as f64
}

/// What the functions are given.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Given")]
pub(crate) struct Input {
    pub(crate) b: usize,
    pub(crate) main_params: Vec<f64>,
    pub(crate) extra_params: Vec<f64>,
    pub(crate) state: Vec<f64>,
    pub(crate) sequence: Vec<f64>,
}

#[derive(Deserialize)]
struct Given {
    main_params: Rows,
    extra_params: Rows,
    state: Rows,
    sequence: Rows,
}

impl TryFrom<Given> for Input {
    type Error = String;

    fn try_from(given: Given) -> Result<Self, String> {
        let (b, rows) = (given.extra_params.width(), given.main_params.len());
        if b == 0 || rows % 2 != 0 {
            return Err(
                "`extra_params` must have columns, and `main_params` two rows a layer".to_owned(),
            );
        }
        let c = given.sequence.len();
        if c < 2 {
            return Err("`sequence` must have at least two rows".to_owned());
        }
        Ok(Input {
            b,
            main_params: given.main_params.expect("main_params", rows, 4 * b)?,
            extra_params: given.extra_params.expect("extra_params", 3, b)?,
            state: given.state.expect("state", rows, b)?,
            sequence: given.sequence.expect("sequence", c, b)?,
        })
    }
}

/// The loss.
pub(crate) fn objective(input: &Input) -> f64 {
    let Input {
        main_params,
        extra_params,
        state,
        sequence,
        b,
    } = input;
    loss(main_params, extra_params, state, sequence, *b)
}

/// Its gradient, first by the parameters of the layers, then by the others.
pub(crate) fn jacobian(input: &Input) -> Vec<f64> {
    let Input {
        main_params,
        extra_params,
        state,
        sequence,
        b,
    } = input;
    let (mut main, extra) = loss::grad(main_params, extra_params, state, sequence, *b);
    main.extend(extra);
    main
}

/// The function of this name with its input.
pub(crate) fn prepare(function: &str, input: &RawValue) -> Result<Box<dyn Task>, Refusal> {
    match function {
        "objective" => parse(input, |input: Input| {
            task(move || objective(&input), |y| Output::from(*y))
        }),
        "jacobian" => parse(input, |input: Input| {
            task(move || jacobian(&input), |g| Output::from(g.clone()))
        }),
        _ => Err(Refusal::NoFunction),
    }
}
