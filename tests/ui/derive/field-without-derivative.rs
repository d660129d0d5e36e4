use std::collections::VecDeque;

use autodiff::Differentiable;

#[derive(Clone)]
struct Options {
    steps: usize,
}

#[derive(Clone, Differentiable)]
struct Model {
    options: Options,
    history: VecDeque<f64>,
    rate: f64,
}

fn main() {}
