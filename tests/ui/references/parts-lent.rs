use autodiff::grad;

#[grad]
fn g(a: &mut [f64], b: &[f64], c: &[f64]) {
    a[0] = b[0] * c[0];
}

#[grad]
fn f(x: f64) -> f64 {
    let mut a = [x, x * x, 1.0];
    let (l, rest) = a.split_at_mut(1);
    let (m, r) = rest.split_at_mut(1);
    g(l, m, r);
    a[0]
}

fn main() {}
