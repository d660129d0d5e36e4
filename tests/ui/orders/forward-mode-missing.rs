use autodiff::grad;

fn p(x: f64) -> (f64, impl FnOnce(f64) -> f64) {
    (x * x, move |seed| 2.0 * x * seed)
}

#[grad(vjp = p)]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {
    let _ = f::jvp(1.0, 2.0);
}
