use autodiff::grad;

#[grad(order = 2, order = 1)]
fn f(x: f64) -> f64 {
    x * x
}

#[grad(wrt(x, x))]
fn g(x: f64, y: f64) -> f64 {
    x * y
}

fn main() {}
