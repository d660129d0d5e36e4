use autodiff::grad;

fn q(xs: &[f64], dxs: &[f64]) -> (f64, f64) {
    (xs[0] * xs[0], 2.0 * xs[0] * dxs[0])
}

#[grad(jvp = q)]
fn f(xs: &[f64]) -> f64 {
    xs[0] * xs[0]
}

fn main() {
    let _ = f::grad(&[1.0, 2.0]);
}
