//! Results that are arrays, tuples, `Vec`s: Jacobians.

use autodiff::grad;

use crate::check::near;

#[grad]
fn polar(r: f64, t: f64) -> [f64; 2] {
    [r * t.cos(), r * t.sin()]
}

#[grad]
fn residuals(p: &[f64], #[constant] x: &[f64], #[constant] y: &[f64]) -> Vec<f64> {
    let mut r = vec![0.0; x.len()];
    for i in 0..x.len() {
        r[i] = p[0] * (-p[1] * x[i]).exp() + p[2] - y[i];
    }
    r
}

#[grad]
fn mixed(x: f64, a: [f64; 2]) -> ([f64; 2], f64) {
    let s = a[0] * x;
    ([s, s * a[1]], x * x)
}

#[grad]
fn independent_rows(x: f64, y: f64) -> [f64; 3] {
    [x * x, 3.0, y.sin()]
}

#[grad]
fn rows_with_infinite_partials(x: f64, y: f64) -> [f64; 2] {
    [x.sqrt(), y]
}

#[test]
fn jacobians() {
    check_vector!(polar(value r = 1.3, value t = 0.4));
    check_vector!(residuals(shared p = [1.5, 0.7, 0.2], constant x = &[0.0, 0.5, 1.0, 2.0], constant y = &[1.0, 0.8, 0.9, 0.1]));
    check_vector!(mixed(value x = 0.6, value a = [1.2, -0.8]));
    check_vector!(independent_rows(value x = 0.6, value y = 1.2));
}

#[test]
fn a_jacobian_has_a_row_for_each_output() {
    let (value, m) = polar::value_and_jacobian(2.0, 0.5);
    near(&value, &polar(2.0, 0.5), 0.0);
    assert_eq!((m.rows(), m.cols()), (2, 2));
    let (s, c) = 0.5f64.sin_cos();
    near(m.as_slice(), &[c, -2.0 * s, s, 2.0 * c], 1e-15);
}

#[test]
fn a_zero_cotangent_times_infinity_is_zero() {
    for m in [
        rows_with_infinite_partials::jacfwd(0.0, 1.0),
        rows_with_infinite_partials::jacrev(0.0, 1.0),
    ] {
        assert_eq!(m.as_slice(), [f64::INFINITY, 0.0, 0.0, 1.0]);
    }
    assert_eq!(
        rows_with_infinite_partials::vjp(0.0, 1.0, [0.0, 1.0]).1,
        (0.0, 1.0)
    );
    assert_eq!(
        rows_with_infinite_partials::jvp(0.0, 1.0, (0.0, 1.0)).1,
        [0.0, 1.0]
    );
}
