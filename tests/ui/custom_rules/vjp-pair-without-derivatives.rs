use autodiff::grad;

#[grad(order = 2, vjp = (fwd, rev))]
fn f(x: f64) -> f64 {
    x * x
}

fn fwd(x: f64) -> (f64, f64) {
    (x * x, x)
}

#[grad]
fn rev(saved: &f64, seed: f64) -> f64 {
    2.0 * *saved * seed
}

fn main() {}
