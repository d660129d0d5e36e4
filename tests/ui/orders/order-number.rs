use autodiff::grad;

#[grad(order = 0)]
fn f(x: f64) -> f64 {
    x
}

#[grad(order)]
fn g(x: f64) -> f64 {
    x
}

fn main() {}
