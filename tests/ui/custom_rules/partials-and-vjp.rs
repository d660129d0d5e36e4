use autodiff::grad;

fn p(x: f64) -> (f64, impl FnOnce(f64) -> f64) {
    (x * x, move |seed| 2.0 * x * seed)
}

#[grad(partials = (2.0 * x), vjp = p)]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {}
