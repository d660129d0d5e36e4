use autodiff::grad;

#[grad(trace)]
fn twice<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
    f(f(x))
}

fn main() {}
