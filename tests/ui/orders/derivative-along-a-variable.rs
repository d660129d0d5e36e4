use autodiff::grad;

#[grad(order = 2)]
fn inner(x: f64, y: f64) -> f64 {
    x * y
}

#[grad]
fn f(x: f64, y: f64) -> f64 {
    let direction = (1.0, y);
    inner::jvp(x, y, direction).1
}

fn main() {}
