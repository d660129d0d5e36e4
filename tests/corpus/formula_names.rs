//! Names as formulas have them: functions that begin with a capital, constants of a body that do not.

#![allow(nonstandard_style, reason = "the names are what is tested")]

use autodiff::grad;

use crate::check::near;

#[grad(order = 2)]
fn T_saturation(p: f64) -> f64 {
    p.sqrt() * p
}

#[grad(order = 2)]
fn C_mixed(t: f64, x: f64) -> Result<f64, String> {
    if t < 0.0 {
        return Err("below zero".to_owned());
    }
    Ok(t * x)
}

#[grad(order = 2)]
fn polynomial(x: f64, c: &[(i32, f64)]) -> f64 {
    c.iter().map(|(n, c)| c * x.powi(*n)).sum()
}

#[grad(order = 2)]
fn called(x: f64) -> f64 {
    let y = T_saturation(x * x) + T_saturation(2.0);
    y * y
}

#[grad]
fn fails(x: f64) -> Result<f64, String> {
    let y = C_mixed(x, 3.0)?;
    Ok(y * y)
}

#[grad]
fn with_a_table(x: f64) -> f64 {
    const cs: [(i32, f64); 2] = [(1, 2.0), (3, 0.5)];
    polynomial(x * x, &cs) * x
}

const R_gas: f64 = 8.3;

#[derive(Clone, Copy)]
enum Law {
    Square_root,
    Linear,
}

#[grad]
fn by_law(x: f64, r: f64, #[constant] law: Law) -> f64 {
    match law {
        Law::Square_root => (r * x).sqrt(),
        Law::Linear => r * x,
    }
}

/// What is passed by such a name is a constant.
#[grad]
fn passed(x: f64) -> f64 {
    by_law(x, R_gas, Law::Square_root) + by_law(x * x, R_gas, Law::Linear)
}

#[grad]
fn derived(x: f64) -> f64 {
    T_saturation::grad(x) * x
}

#[test]
fn functions_that_begin_with_a_capital() {
    // (x³ + √8)²
    let x: f64 = 1.1;
    let root = 8.0_f64.sqrt();
    near(
        &called::grad(x),
        &(2.0 * (x.powi(3) + root) * 3.0 * x * x),
        1e-13,
    );
    let second = 30.0 * x.powi(4) + 12.0 * root * x;
    near(called::hessian(x).as_slice(), &[second][..], 1e-12);
    check!(called(value x = 0.7));
    near(&fails::grad(2.0).unwrap_or(0.0), &36.0, 1e-13);
    assert!(fails::grad(-1.0).is_err());
    check!(passed(value x = 0.7));
    // 1.5 x^1.5
    near(&derived::grad(x), &(2.25 * x.sqrt()), 1e-13);
}

#[test]
fn constants_of_a_body_that_do_not() {
    check!(with_a_table(value x = 0.7));
}
