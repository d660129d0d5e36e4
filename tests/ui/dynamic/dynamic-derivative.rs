use autodiff::grad;

#[grad(order = 2)]
fn inner(x: f64) -> f64 {
    x * x * x
}

#[grad(dynamic)]
fn slope(x: f64) -> f64 {
    inner::grad(x) + 1.0
}

fn main() {}
