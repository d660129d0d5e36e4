use autodiff::grad;

#[grad(fast)]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {}
