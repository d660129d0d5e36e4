use autodiff::grad;

#[grad(dynamic)]
fn integral<F: Fn(f64) -> f64>(f: F, a: f64) -> f64 {
    f(a) * 0.5
}

#[grad]
fn compiled(x: f64) -> f64 {
    integral(|t| t * x, x)
}

fn main() {
    let _ = integral::grad(|t| t, 1.0);
}
