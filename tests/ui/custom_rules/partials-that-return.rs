use autodiff::grad;

#[grad(partials = (return 2.0,))]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {}
