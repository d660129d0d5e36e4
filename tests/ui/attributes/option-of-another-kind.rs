use autodiff::grad;

#[grad(order = "2")]
fn f(x: f64) -> f64 {
    x * x
}

#[grad(mode = "forward")]
fn g(x: f64) -> f64 {
    x * x
}

#[grad(wrt(0))]
fn h(x: f64) -> f64 {
    x * x
}

#[grad(2)]
fn k(x: f64) -> f64 {
    x * x
}

fn main() {}
