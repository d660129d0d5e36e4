//! A cell of long short-term memory with 64 units over 100 steps: a recurrence whose rounds are matrix products.
//!
//! The weights lie input by input: row j of `from_input` and of `from_hidden` holds what input j gives to the four gates
//! (forget, input, output, change) of every unit, so that the products run along the rows.

use std::hint::black_box;

use autodiff::grad;

use crate::data::Random;
use crate::problem::{Kind, Problem};

mod hand;

const UNITS: usize = 64;
const STEPS: usize = 100;

#[grad]
fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[grad]
fn lstm(
    from_input: &[f64],
    from_hidden: &[f64],
    bias: &[f64],
    #[constant] inputs: &[f64],
    #[constant] targets: &[f64],
    n: usize,
) -> f64 {
    let gates = 4 * n;
    let mut hidden = vec![0.0; n];
    let mut cell = vec![0.0; n];
    let mut loss = 0.0;
    for t in 0..inputs.len() / n {
        let input = &inputs[t * n..(t + 1) * n];
        let target = &targets[t * n..(t + 1) * n];
        let mut z = vec![0.0; gates];
        for (z, b) in z.iter_mut().zip(bias) {
            *z = *b;
        }
        for j in 0..n {
            let row = &from_input[j * gates..(j + 1) * gates];
            let x = input[j];
            for (z, w) in z.iter_mut().zip(row) {
                *z += w * x;
            }
            let row = &from_hidden[j * gates..(j + 1) * gates];
            let h = hidden[j];
            for (z, w) in z.iter_mut().zip(row) {
                *z += w * h;
            }
        }
        for j in 0..n {
            let forget = sigmoid(z[j]);
            let input = sigmoid(z[n + j]);
            let output = sigmoid(z[2 * n + j]);
            let change = z[3 * n + j].tanh();
            cell[j] = forget * cell[j] + input * change;
            hidden[j] = output * cell[j].tanh();
            let error = hidden[j] - target[j];
            loss += error * error;
        }
    }
    0.5 * loss
}

/// The problem, with everything that is measured about it.
pub(crate) fn problem() -> Problem {
    const W: usize = 4 * UNITS * UNITS;
    let mut random = Random::new(6);
    let inputs: &'static [f64] = random.vec(STEPS * UNITS, -1.0, 1.0).leak();
    let targets: &'static [f64] = random.vec(STEPS * UNITS, -1.0, 1.0).leak();
    let point = random.vec(2 * W + 4 * UNITS, -0.25, 0.25);
    let (u, rest) = point.clone().leak().split_at(W);
    let (w, b) = rest.split_at(W);
    Problem::new("lstm", point, move |p| {
        lstm(&p[..W], &p[W..2 * W], &p[2 * W..], inputs, targets, UNITS)
    })
    .primal(move || {
        let (u, w, b, x, y) = black_box((u, w, b, inputs, targets));
        lstm(u, w, b, x, y, UNITS)
    })
    .returns(Kind::Grad, move || {
        let (u, w, b, x, y) = black_box((u, w, b, inputs, targets));
        lstm::value_and_grad(u, w, b, x, y, UNITS)
    })
    .returns(Kind::Hand, move || {
        let (mut du, mut dw, mut db) = zeros();
        let value = hand::hand_into(
            black_box((u, w, b)),
            black_box((inputs, targets)),
            UNITS,
            (&mut du, &mut dw, &mut db),
        );
        (value, (du, dw, db))
    })
    .adds(Kind::GradInto, zeros(), move |(du, dw, db)| {
        let (u, w, b, x, y) = black_box((u, w, b, inputs, targets));
        lstm::grad_into(u, w, b, x, y, UNITS, du, dw, db)
    })
    .adds(Kind::HandInto, zeros(), move |(du, dw, db)| {
        hand::hand_into(
            black_box((u, w, b)),
            black_box((inputs, targets)),
            UNITS,
            (du, dw, db),
        )
    })
}

fn zeros() -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let weights = 4 * UNITS * UNITS;
    (vec![0.0; weights], vec![0.0; weights], vec![0.0; 4 * UNITS])
}
