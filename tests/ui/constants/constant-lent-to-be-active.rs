use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct State {
    x: f64,
}

#[grad]
fn advance(state: &mut State, x: f64) -> f64 {
    state.x += x;
    state.x
}

#[grad]
fn walk(#[constant] state: &mut State, x: f64) -> f64 {
    advance(state, x) * x
}

fn main() {}
