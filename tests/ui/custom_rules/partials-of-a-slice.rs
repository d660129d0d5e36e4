use autodiff::grad;

#[grad(partials = (1.0))]
fn f(xs: &[f64]) -> f64 {
    xs[0]
}

fn main() {}
