use autodiff::grad;

#[grad(wrt(y))]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {}
