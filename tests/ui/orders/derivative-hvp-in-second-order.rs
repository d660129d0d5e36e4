use autodiff::grad;

#[grad(order = 3)]
fn inner(x: f64) -> f64 {
    x * x
}

#[grad(order = 2)]
fn f(x: f64) -> f64 {
    inner::hvp(x, 1.0).1 * x
}

fn main() {}
