use autodiff::grad;

#[grad]
fn inner(x: f64) -> f64 {
    x * x
}

#[grad(trace)]
fn outer(x: f64) -> f64 {
    inner(x) + x
}

fn main() {}
