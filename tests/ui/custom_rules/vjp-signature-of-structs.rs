use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
struct Line {
    slope: f64,
    offset: f64,
}

fn p(line: &Line, xs: &[f64]) -> (f64, impl FnOnce(f64) -> (Line, Vec<f64>)) {
    let (line, xs) = (line.clone(), xs.to_vec());
    (line.slope * xs[0], move |_| (line, xs))
}

#[grad(vjp = p)]
fn f(line: &Line, xs: &[f64]) -> f64 {
    line.slope * xs[0] + line.offset
}

fn main() {}
