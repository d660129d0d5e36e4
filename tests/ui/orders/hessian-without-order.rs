use autodiff::grad;

#[grad]
fn f(x: f64, y: f64) -> f64 {
    x * x * y
}

fn main() {
    f::hessian(1.0, 2.0);
}
