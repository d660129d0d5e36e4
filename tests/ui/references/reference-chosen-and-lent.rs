use autodiff::grad;

#[grad]
fn g(a: &[f64]) -> f64 {
    a[0]
}

#[grad]
fn f(x: f64) -> f64 {
    let (a, b) = ([x, 1.0], [2.0, x]);
    let r = if x > 0.0 { &a } else { &b };
    g(r)
}

fn main() {}
