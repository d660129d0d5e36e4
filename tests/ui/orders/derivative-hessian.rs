use autodiff::grad;

#[grad(order = 2)]
fn inner(x: f64) -> f64 {
    x * x
}

#[grad]
fn f(x: f64) -> f64 {
    let curvature = inner::hessian(x)[[0, 0]];
    curvature * x
}

fn main() {}
