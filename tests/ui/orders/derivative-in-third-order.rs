use autodiff::grad;

#[grad(order = 3)]
fn inner(x: f64) -> f64 {
    x * x
}

#[grad(order = 3)]
fn f(x: f64) -> f64 {
    inner::grad(x) * x
}

fn main() {}
