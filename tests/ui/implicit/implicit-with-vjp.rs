use autodiff::grad;

#[grad(implicit = y * y - a, vjp = pullback)]
fn root(a: f64) -> f64 {
    a.sqrt()
}

fn pullback(a: f64) -> (f64, impl FnOnce(f64) -> f64) {
    (a.sqrt(), move |seed: f64| 0.5 * seed / a.sqrt())
}

fn main() {}
