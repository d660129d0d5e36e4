use autodiff::grad;

#[grad]
fn integral<F: Fn(f64) -> f64>(f: F, a: f64) -> f64 {
    f(a) * 0.5
}

#[grad(dynamic)]
fn caller(x: f64) -> f64 {
    integral(|t| t * x, x)
}

fn main() {}
