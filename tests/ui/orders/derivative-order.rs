use autodiff::grad;

#[grad]
fn inner(x: f64) -> f64 {
    x * x
}

#[grad]
fn f(x: f64) -> f64 {
    let slope = inner::grad(x);
    slope * x
}

fn main() {
    f::grad(1.0);
}
