use autodiff::grad;

#[grad(partials = (2.0 * x))]
fn f(x: f64, z: f64) -> f64 {
    x * x + z
}

fn main() {}
