use autodiff::grad;

fn helper(x: f64) -> f64 {
    x * x
}

#[grad(dynamic)]
fn calls(x: f64) -> f64 {
    helper(x) + 1.0
}

fn main() {}
