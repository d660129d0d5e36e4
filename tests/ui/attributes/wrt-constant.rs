use autodiff::grad;

#[grad(wrt(x))]
fn f(#[constant] x: f64, y: f64) -> f64 {
    x * y
}

fn main() {}
