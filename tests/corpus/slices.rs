//! Slices as parameters.

use autodiff::grad;

use crate::check::near;

#[grad]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..a.len() {
        sum += a[i] * b[i];
    }
    sum
}

#[grad]
fn rosenbrock(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() - 1 {
        let a = 1.0 - x[i];
        let b = x[i + 1] - x[i] * x[i];
        sum += a * a + 100.0 * b * b;
    }
    sum
}

#[grad]
fn speelpenning(x: &[f64]) -> f64 {
    let mut product = 1.0;
    for i in 0..x.len() {
        product *= x[i];
    }
    product
}

#[grad]
fn rows(m: &[[f64; 2]], w: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..m.len() {
        let score = m[i][0] * w[0] + m[i][1] * w[1];
        total += score.tanh() * m[i][1];
    }
    total
}

#[grad]
fn log_sum_exp(x: &[f64]) -> f64 {
    let mut top = f64::NEG_INFINITY;
    for i in 0..x.len() {
        top = top.max(x[i]);
    }
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += (x[i] - top).exp();
    }
    top + sum.ln()
}

#[test]
fn sums_over_slices() {
    check!(dot(shared a = [0.7, -0.4, 1.2], shared b = [0.3, 0.9, -1.1]));
    check!(rosenbrock(shared x = [0.7, -0.4, 1.2, 0.9]));
    check!(rows(shared m = [[0.7, -0.4], [1.2, 0.3], [-0.8, 0.1]], shared w = [0.4, -0.6]));
    check!(log_sum_exp(shared x = [0.7, -0.4, 1.2, 0.9]));
}

#[test]
fn a_product_has_the_gradient_of_its_other_factors() {
    check!(speelpenning(shared x = [0.7, -0.4, 1.2, 0.9]));
    near(
        &speelpenning::grad(&[2.0, 3.0, 5.0]),
        &[15.0, 10.0, 6.0],
        1e-15,
    );
    near(
        &speelpenning::grad(&[2.0, 0.0, 5.0]),
        &[0.0, 10.0, 0.0],
        0.0,
    );
}

#[test]
fn empty_slices() {
    assert_eq!(dot::value_and_grad(&[], &[]), (0.0, (vec![], vec![])));
    assert_eq!(speelpenning::value_and_grad(&[]), (1.0, vec![]));
    assert_eq!(speelpenning::jvp(&[], &[]), (1.0, 0.0));
    assert_eq!(speelpenning::jacobian(&[]).cols(), 0);
}
