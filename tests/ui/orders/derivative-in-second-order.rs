use autodiff::grad;

#[grad(order = 2)]
fn inner(x: f64) -> f64 {
    x * x
}

#[grad(order = 2)]
fn f(x: f64) -> f64 {
    inner::grad(x) * x
}

fn main() {}
