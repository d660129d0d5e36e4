use autodiff::grad;

#[grad(dynamic)]
fn integral<F: Fn(f64) -> f64 + std::fmt::Debug>(f: F, a: f64) -> f64 {
    f(a) * 0.5
}

fn main() {}
