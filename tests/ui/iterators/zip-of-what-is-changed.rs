use autodiff::grad;

#[grad]
fn f(x: f64, w: &[f64]) -> f64 {
    let mut a = [x, 2.0];
    let mut b = [x * x];
    for (p, q) in a.iter_mut().chain(b.iter_mut()).zip(w) {
        *p *= q;
    }
    a[0] * a[1] + b[0]
}

fn main() {}
