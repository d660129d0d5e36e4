//! The same in `f32`.

use autodiff::grad;

use crate::check::near;

#[grad]
fn norm(a: f32, b: f32, w: &[f32; 2]) -> f32 {
    let n = (a * a * w[0] + b * b * w[1]).sqrt();
    let mut s: f32 = 0.0;
    for i in 0..3 {
        s += n / (i as f32 + 1.5);
    }
    s.ln() + 0.5f32 * a
}

#[grad]
fn recurrence(x: &[f32], k: f32) -> f32 {
    let mut v = x.to_vec();
    for i in 1..v.len() {
        v[i] = (v[i - 1] * k).tanh() + v[i] * v[i];
    }
    v[v.len() - 1]
}

#[grad]
fn pair(x: f32) -> (f32, f32) {
    (x.sin(), f32::cos(x) * x)
}

#[grad]
fn mixed(x: f64, y: f32) -> f64 {
    let z = y * y;
    x * z as f64 + (x as f32 * y) as f64
}

#[test]
fn single_precision() {
    check!(norm(value a = 0.7f32, value b = -0.4f32, shared w = [1.2f32, 0.8]));
    check!(recurrence(shared x = [0.7f32, -0.4, 0.3], value k = 0.9f32));
    check_vector!(pair(value x = 0.6f32));
}

#[test]
fn both_precisions_in_one_function() {
    let (x, y) = mixed::grad(0.5, 1.5);
    near(&x, &(1.5f64 * 1.5 + 1.5), 1e-6);
    near(&y, &(0.5 * 2.0 * 1.5f32 + 0.5), 1e-6);
    near(&mixed::jvp(0.5, 1.5, (1.0, 0.0)).1, &x, 1e-6);
}
