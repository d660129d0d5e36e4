//! Operators, compound assignment, literals, casts, constants.

use autodiff::grad;

use crate::check::near;

const SCALE: f64 = 1.75;
static OFFSETS: [f64; 3] = [0.5, -0.25, 2.0];

#[grad]
fn rosenbrock(x: f64, y: f64) -> f64 {
    let a = 1.0 - x;
    let b = y - x * x;
    a * a + 100.0 * b * b
}

#[test]
fn rosenbrock_has_its_closed_form() {
    check!(rosenbrock(value x = 1.2, value y = 0.7));
    let (x, y) = (1.2f64, 0.7f64);
    near(
        &rosenbrock::grad(x, y),
        &(
            -2.0 * (1.0 - x) - 400.0 * x * (y - x * x),
            200.0 * (y - x * x),
        ),
        1e-13,
    );
}

#[grad]
fn every_operator(x: f64, y: f64) -> f64 {
    let sum = x + y;
    let difference = x - 2.0 * y;
    let quotient = sum / (1.0 + y * y);
    let rest = difference % 0.75;
    -quotient * rest + (x / 3.0 - -y) * sum
}

#[test]
fn every_operator_is_differentiated() {
    check!(every_operator(value x = 0.8, value y = -0.3));
    check!(every_operator(value x = -1.7, value y = 2.1));
}

#[grad]
fn every_compound_assignment(x: f64, y: f64) -> f64 {
    let mut r = x;
    r += y * x;
    r *= y + 2.0;
    r -= x.sin();
    r /= 1.5 + y * y;
    r *= r;
    r += r;
    r %= 5.0;
    r -= r * x;
    r /= r + 3.0;
    r
}

#[test]
fn compound_assignments_are_differentiated() {
    check!(every_compound_assignment(value x = 0.8, value y = 0.4));
    check!(every_compound_assignment(value x = -0.6, value y = 1.3));
}

#[grad]
fn constants_and_statics(x: f64, k: usize) -> f64 {
    const HALF: f64 = 0.5;
    let base = SCALE * x + HALF;
    base * OFFSETS[k % 3] + std::f64::consts::PI * x * x
}

#[test]
fn constants_are_not_active() {
    check!(constants_and_statics(value x = 0.9, constant k = 4));
    near(
        &constants_and_statics::grad(0.9, 4),
        &(-SCALE * 0.25 + 1.8 * std::f64::consts::PI),
        1e-14,
    );
}

#[grad]
fn casts(x: f64, n: i32, m: usize) -> f64 {
    let step = n as f64 / 4.0;
    let cell = (x * 3.0) as i64;
    let weight = (m as f64).sqrt() * cell as f64;
    step * x + weight * x * x
}

#[test]
fn a_cast_to_an_integer_is_constant() {
    check!(casts(value x = 1.4, constant n = -3, constant m = 7));
    near(
        &casts::grad(1.4, -3, 7),
        &(-0.75 + 2.0 * 4.0 * 7f64.sqrt() * 1.4),
        1e-14,
    );
}

#[grad]
fn narrowed(x: f64) -> f64 {
    let y = (x * 2.0) as f32;
    f64::from(3.0f32) * (y as f64) * x
}

#[test]
fn float_casts_carry_derivatives() {
    let (value, gradient) = narrowed::value_and_grad(0.7);
    assert_eq!(value.to_bits(), narrowed(0.7).to_bits());
    near(&gradient, &(12.0 * 0.7), 1e-6);
    near(&narrowed::jvp(0.7, 1.0).1, &gradient, 1e-6);
}

#[grad]
fn unary_minus_chain(x: f64) -> f64 {
    -(-(-x)) * -2.5
}

#[test]
fn unary_minus() {
    check!(unary_minus_chain(value x = 0.3));
    near(&unary_minus_chain::grad(0.3), &2.5, 0.0);
}

#[grad]
fn the_same_operand_twice(x: f64) -> f64 {
    let y = x * x;
    y * y - y / y + (x - x) + y % y
}

#[test]
fn contributions_add_up() {
    near(
        &the_same_operand_twice::grad(1.5),
        &(4.0 * 1.5f64.powi(3)),
        1e-14,
    );
}
