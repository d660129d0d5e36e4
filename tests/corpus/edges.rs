//! Values at the edge: NaN, infinities, zeros of both signs, kinks.

use autodiff::grad;

use crate::check::near;

#[grad]
fn root(x: f64) -> f64 {
    x.sqrt()
}

#[grad]
fn root_of_positive_part(x: f64) -> f64 {
    x.max(0.0).sqrt()
}

#[grad]
fn unused_infinity(x: f64) -> f64 {
    let _unused = (x - x).sqrt();
    x * 2.0
}

#[grad]
fn masked_infinity(x: f64, k: usize) -> f64 {
    let r = x.sqrt() * k as f64;
    r + x
}

#[grad]
fn selected_over_nan(x: f64, y: f64) -> f64 {
    (x - 40.0).sqrt().max(y)
}

#[grad]
fn kinks(x: f64, y: f64) -> [f64; 6] {
    [
        x.abs(),
        x.max(y),
        x.min(y),
        x.clamp(0.0, 1.0),
        x.signum(),
        autodiff::relu(x),
    ]
}

#[grad]
fn remainder(x: f64, y: f64) -> f64 {
    x % y
}

#[grad]
fn power(x: f64, y: f64) -> f64 {
    x.powf(y)
}

#[grad]
fn negative(x: f64) -> f64 {
    -0.0 * x
}

#[grad]
fn quotient(x: f64, y: f64) -> f64 {
    x / y
}

#[test]
fn the_formula_at_zero() {
    near(&root::grad(0.0), &f64::INFINITY, 0.0);
    near(&root::jvp(0.0, 1.0).1, &f64::INFINITY, 0.0);
    assert_eq!(root::jvp(0.0, 0.0).1, 0.0);
    assert_eq!(root::vjp(0.0, 0.0).1, 0.0);
    assert!(root::grad(-1.0).is_nan());
}

#[test]
fn zero_times_infinity_is_zero() {
    near(&root_of_positive_part::grad(-1.0), &0.0, 0.0);
    near(&root_of_positive_part::jvp(-1.0, 1.0).1, &0.0, 0.0);
    near(&unused_infinity::grad(0.7), &2.0, 0.0);
    near(&masked_infinity::grad(0.0, 0), &1.0, 0.0);
}

#[test]
fn selection_drops_nan() {
    near(&selected_over_nan::grad(1.0, 2.0), &(0.0, 1.0), 0.0);
    near(&selected_over_nan::jvp(1.0, 2.0, (1.0, 0.5)).1, &0.5, 0.0);
}

#[test]
fn kinks_have_their_agreed_derivatives() {
    let m = kinks::jacrev(0.0, 0.0);
    assert_eq!(
        m.as_slice(),
        [0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    );
    assert_eq!(kinks::jacfwd(0.0, 0.0).as_slice(), m.as_slice());
    assert_eq!(
        kinks::jacrev(1.0, 3.0).as_slice(),
        [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    );
}

#[test]
fn remainders_and_powers() {
    near(&remainder::grad(7.5, 2.0), &(1.0, -3.0), 0.0);
    near(&remainder::grad(-7.5, 2.0), &(1.0, 3.0), 0.0);
    near(&power::grad(0.0, 2.0), &(0.0, 0.0), 0.0);
    near(&power::grad(0.0, 1.0), &(1.0, 0.0), 0.0);
    near(
        &power::grad(2.0, 0.0),
        &(0.0, std::f64::consts::LN_2),
        1e-15,
    );
}

#[test]
fn values_keep_the_sign_of_zero() {
    assert!(negative::value_and_grad(1.0).0.is_sign_negative());
    assert!(negative::jvp(1.0, 1.0).0.is_sign_negative());
    assert!(negative::vjp(1.0, 1.0).0.is_sign_negative());
}

#[test]
fn infinities_and_nan_pass_through() {
    assert!(quotient::grad(f64::NAN, 1.0).1.is_nan());
    near(&quotient::grad(1.0, f64::INFINITY), &(0.0, 0.0), 0.0);
    near(
        &quotient::value_and_grad(1.0, 0.0),
        &(f64::INFINITY, (f64::INFINITY, f64::NEG_INFINITY)),
        0.0,
    );
}
