use autodiff::grad;

fn p(xs: &[f64], k: f64) -> (f64, impl FnOnce(f64) -> Vec<f64>) {
    (xs[0] * k, move |seed| vec![seed * k])
}

#[grad(vjp = p)]
fn f(xs: &[f64], k: f64) -> f64 {
    xs[0] * k
}

fn main() {}
