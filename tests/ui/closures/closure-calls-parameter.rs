use autodiff::grad;

#[grad]
fn inner<F: Fn(f64) -> f64>(g: F, a: f64) -> f64 {
    g(a) * a
}

#[grad]
fn outer<F: Fn(f64) -> f64>(g: F, a: f64) -> f64 {
    inner(|t| g(t) * a, a)
}

fn main() {}
