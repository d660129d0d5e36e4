use autodiff::grad;

#[grad(dynamic)]
fn first(x: &mut [f64]) -> f64 {
    x[0]
}

fn main() {}
