use autodiff::grad;

#[grad]
fn f(x: f64, p: *const f64) -> f64 {
    x * unsafe { *p }
}

#[grad]
fn g(x: f64) -> f64 {
    f(x, &1.0) * x
}

fn main() {
    g::grad(1.0);
}
