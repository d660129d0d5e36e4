use autodiff::grad;

#[grad(partials = (1.0))]
fn f(x: f64) -> (f64, f64) {
    (x, 2.0)
}

fn main() {}
