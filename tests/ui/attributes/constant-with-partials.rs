use autodiff::grad;

#[grad(constant, partials = (1.0))]
fn f(x: f64) -> f64 {
    x
}

fn main() {}
