use autodiff::grad;

#[grad(order = 2)]
fn f(x: f64) -> f64 {
    f::grad(x) * x
}

fn main() {}
