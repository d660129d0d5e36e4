//! `lstm`: the gates of every step are remembered, and nothing else but the states in front of them.

use crate::evals::lstm::Input;

/// What a cell remembers of a step: what it was given and had, its four gates, and the tanh of its new cell.
#[derive(Clone, Copy, Default)]
struct Step {
    input: f64,
    hidden: f64,
    cell: f64,
    forget: f64,
    ingate: f64,
    outgate: f64,
    change: f64,
    tanh: f64,
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

pub(crate) fn jacobian(input: &Input) -> Vec<f64> {
    let Input {
        b,
        main_params,
        extra_params,
        state,
        sequence,
    } = input;
    let b = *b;
    let layers = main_params.len() / (8 * b);
    let rounds = sequence.len() / b - 1;
    let mut state = state.clone();
    let mut tape = vec![Step::default(); rounds * layers * b];
    // The outputs of the last layer, and the weights of the exponentials.
    let mut last = vec![0.0; rounds * b];
    let mut softmax = vec![0.0; rounds * b];
    let (in_weight, out) = extra_params.split_at(b);
    let (out_weight, out_bias) = out.split_at(b);

    for t in 0..rounds {
        let x = &mut last[t * b..][..b];
        for ((x, s), w) in x.iter_mut().zip(&sequence[t * b..]).zip(in_weight) {
            *x = s * w;
        }
        for k in 0..layers {
            let (weight, bias) = main_params[8 * b * k..][..8 * b].split_at(4 * b);
            let (hidden, cell) = state[2 * b * k..][..2 * b].split_at_mut(b);
            let steps = &mut tape[(t * layers + k) * b..][..b];
            for i in 0..b {
                let gate = |x: f64, at: usize| x * weight[at * b + i] + bias[at * b + i];
                let step = Step {
                    input: x[i],
                    hidden: hidden[i],
                    cell: cell[i],
                    forget: sigmoid(gate(x[i], 0)),
                    ingate: sigmoid(gate(hidden[i], 1)),
                    outgate: sigmoid(gate(x[i], 2)),
                    change: gate(hidden[i], 3).tanh(),
                    tanh: 0.0,
                };
                cell[i] = step.cell * step.forget + step.ingate * step.change;
                let tanh = cell[i].tanh();
                hidden[i] = step.outgate * tanh;
                x[i] = hidden[i];
                steps[i] = Step { tanh, ..step };
            }
        }
        let softmax = &mut softmax[t * b..][..b];
        let mut sum = 2.0;
        for i in 0..b {
            softmax[i] = (x[i] * out_weight[i] + out_bias[i]).exp();
            sum += softmax[i];
        }
        softmax.iter_mut().for_each(|e| *e /= sum);
    }

    let mut gradient = vec![0.0; main_params.len() + extra_params.len()];
    let (d_main, d_extra) = gradient.split_at_mut(main_params.len());
    let (d_in, d_out) = d_extra.split_at_mut(b);
    let (d_weight, d_bias) = d_out.split_at_mut(b);
    let mut d_state = vec![0.0; state.len()];
    let mut d_x = vec![0.0; b];
    let scale = -1.0 / (rounds * b) as f64;
    for t in (0..rounds).rev() {
        let gold = &sequence[(t + 1) * b..][..b];
        let (last, softmax) = (&last[t * b..][..b], &softmax[t * b..][..b]);
        let total = gold.iter().sum::<f64>();
        for i in 0..b {
            let d_y = scale * (gold[i] - total * softmax[i]);
            d_bias[i] += d_y;
            d_weight[i] += d_y * last[i];
            d_x[i] = d_y * out_weight[i];
        }
        for k in (0..layers).rev() {
            let weight = &main_params[8 * b * k..][..4 * b];
            let (d_w, d_b) = d_main[8 * b * k..][..8 * b].split_at_mut(4 * b);
            let (d_hidden, d_cell) = d_state[2 * b * k..][..2 * b].split_at_mut(b);
            let steps = &tape[(t * layers + k) * b..][..b];
            for i in 0..b {
                let step = steps[i];
                let d_new = d_hidden[i] + d_x[i];
                let d = d_cell[i] + d_new * step.outgate * (1.0 - step.tanh * step.tanh);
                d_cell[i] = d * step.forget;
                let slope = |y: f64| y * (1.0 - y);
                let d_gates = [
                    d * step.cell * slope(step.forget),
                    d * step.change * slope(step.ingate),
                    d_new * step.tanh * slope(step.outgate),
                    d * step.ingate * (1.0 - step.change * step.change),
                ];
                let given = [step.input, step.hidden, step.input, step.hidden];
                for at in 0..4 {
                    d_w[at * b + i] += d_gates[at] * given[at];
                    d_b[at * b + i] += d_gates[at];
                }
                let w = |at: usize| weight[at * b + i];
                d_x[i] = d_gates[0] * w(0) + d_gates[2] * w(2);
                d_hidden[i] = d_gates[1] * w(1) + d_gates[3] * w(3);
            }
        }
        for ((d, d_x), s) in d_in.iter_mut().zip(&d_x).zip(&sequence[t * b..]) {
            *d += d_x * s;
        }
    }
    gradient
}
