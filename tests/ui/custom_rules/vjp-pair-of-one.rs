use autodiff::grad;

#[grad(vjp = (fwd))]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {}
