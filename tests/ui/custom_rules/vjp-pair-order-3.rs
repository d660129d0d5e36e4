use autodiff::grad;

#[grad(order = 3, vjp = (fwd, rev))]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {}
