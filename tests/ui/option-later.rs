use autodiff::grad;

#[grad(dynamic)]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {}
