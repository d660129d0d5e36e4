//! The transformer, one token at a time, and its derivative by `#[grad]`.

use autodiff::{Differentiable, grad, relu, stop_gradient};

/// What is not learnt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Config {
    pub(crate) embedding: usize,
    pub(crate) heads: usize,
    pub(crate) block: usize,
    pub(crate) epsilon: f64,
}

/// What is learnt: matrices, row by row.
#[derive(Clone, Debug, Differentiable)]
pub(crate) struct Gpt {
    pub(crate) wte: Vec<f64>,
    pub(crate) wpe: Vec<f64>,
    pub(crate) lm_head: Vec<f64>,
    pub(crate) layers: Vec<Layer>,
}

/// What is learnt in one layer.
#[derive(Clone, Debug, Differentiable)]
pub(crate) struct Layer {
    pub(crate) attn_wq: Vec<f64>,
    pub(crate) attn_wk: Vec<f64>,
    pub(crate) attn_wv: Vec<f64>,
    pub(crate) attn_wo: Vec<f64>,
    pub(crate) mlp_fc1: Vec<f64>,
    pub(crate) mlp_fc2: Vec<f64>,
}

#[grad]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The matrix `w` times `x`.
#[grad]
fn linear(w: &[f64], x: &[f64]) -> Vec<f64> {
    let mut y = Vec::with_capacity(w.len() / x.len());
    for row in w.chunks_exact(x.len()) {
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += row[i] * x[i];
        }
        y.push(sum);
    }
    y
}

#[grad]
fn add(x: &mut [f64], y: &[f64]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x += y;
    }
}

#[grad]
fn rmsnorm(x: &[f64], #[constant] epsilon: f64) -> Vec<f64> {
    let scale = 1.0 / (x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64 + epsilon).sqrt();
    let mut y = vec![0.0; x.len()];
    for (y, x) in y.iter_mut().zip(x) {
        *y = scale * x;
    }
    y
}

/// The maximum, as a constant: what is subtracted from every exponent changes no softmax.
fn max(x: &[f64]) -> f64 {
    x.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

#[grad]
pub(crate) fn softmax(x: &[f64]) -> Vec<f64> {
    let max = stop_gradient(max(x));
    let mut y = vec![0.0; x.len()];
    let mut sum = 0.0;
    for (y, x) in y.iter_mut().zip(x) {
        *y = (x - max).exp();
        sum += *y;
    }
    for y in &mut y {
        *y /= sum;
    }
    y
}

/// The loss −ln softmax(logits)\[target\].
#[grad]
fn cross_entropy(logits: &[f64], #[constant] target: usize) -> f64 {
    let max = stop_gradient(max(logits));
    let sum: f64 = logits.iter().map(|x| (x - max).exp()).sum();
    sum.ln() - (logits[target] - max)
}

/// What each head finds for its part of `q` in the keys and values of all positions so far.
#[grad]
fn attention(q: &[f64], keys: &[f64], values: &[f64], #[constant] heads: usize) -> Vec<f64> {
    let n = q.len();
    let width = n / heads;
    let scale = 1.0 / (width as f64).sqrt();
    let mut found = vec![0.0; n];
    let mut scores = vec![0.0; keys.len() / n];
    for head in 0..heads {
        let (from, to) = (head * width, (head + 1) * width);
        for (score, key) in scores.iter_mut().zip(keys.chunks_exact(n)) {
            *score = scale * dot(&q[from..to], &key[from..to]);
        }
        for (weight, value) in softmax(&scores).iter().zip(values.chunks_exact(n)) {
            for j in from..to {
                found[j] += weight * value[j];
            }
        }
    }
    found
}

/// What the token at a position says of the next one; each layer's keys and values grow by those of this token.
#[grad]
pub(crate) fn logits(
    gpt: &Gpt,
    #[constant] config: Config,
    #[constant] token: usize,
    #[constant] position: usize,
    keys: &mut [Vec<f64>],
    values: &mut [Vec<f64>],
) -> Vec<f64> {
    let n = config.embedding;
    let mut x = gpt.wte[token * n..(token + 1) * n].to_vec();
    add(&mut x, &gpt.wpe[position * n..(position + 1) * n]);
    let mut x = rmsnorm(&x, config.epsilon);
    for (i, layer) in gpt.layers.iter().enumerate() {
        let y = rmsnorm(&x, config.epsilon);
        let q = linear(&layer.attn_wq, &y);
        keys[i].extend(linear(&layer.attn_wk, &y));
        values[i].extend(linear(&layer.attn_wv, &y));
        let found = attention(&q, &keys[i], &values[i], config.heads);
        add(&mut x, &linear(&layer.attn_wo, &found));

        let y = rmsnorm(&x, config.epsilon);
        let mut hidden = linear(&layer.mlp_fc1, &y);
        for h in &mut hidden {
            *h = relu(*h);
        }
        add(&mut x, &linear(&layer.mlp_fc2, &hidden));
    }
    linear(&gpt.lm_head, &x)
}

/// How badly each token but the first is foreseen.
#[grad]
pub(crate) fn losses(
    gpt: &Gpt,
    #[constant] config: Config,
    #[constant] tokens: &[usize],
) -> Vec<f64> {
    let count = config.block.min(tokens.len() - 1);
    let mut keys = vec![vec![]; gpt.layers.len()];
    let mut values = vec![vec![]; gpt.layers.len()];
    let mut losses = Vec::with_capacity(count);
    for p in 0..count {
        let logits = logits(gpt, config, tokens[p], p, &mut keys, &mut values);
        losses.push(cross_entropy(&logits, tokens[p + 1]));
    }
    losses
}

/// The mean of the losses.
#[grad]
pub(crate) fn loss(gpt: &Gpt, #[constant] config: Config, #[constant] tokens: &[usize]) -> f64 {
    let losses = losses(gpt, config, tokens);
    losses.iter().sum::<f64>() / losses.len() as f64
}
