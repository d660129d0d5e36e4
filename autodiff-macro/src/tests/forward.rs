//! Forward mode.

use expect_test::expect;

use crate::testing::check_jvp;

#[test]
fn sums_and_products() {
    check_jvp(
        "fn f(x: f64, y: f64) -> f64 { let a = x * y; let b = a - x; -b + y }",
        &expect![[""]],
    );
}

#[test]
fn a_quotient_is_used_again() {
    check_jvp("fn f(x: f64, y: f64) -> f64 { x / y }", &expect![[""]]);
}

#[test]
fn a_constant_factor_has_no_term() {
    check_jvp("fn f(x: f64) -> f64 { 3.0 * x + 1.0 }", &expect![[""]]);
}

#[test]
fn a_row_of_the_table() {
    check_jvp("fn f(x: f64) -> f64 { x.sin() * x.exp() }", &expect![[""]]);
}

#[test]
fn a_kink_selects_the_tangent() {
    check_jvp("fn f(x: f64, y: f64) -> f64 { x.max(y) }", &expect![[""]]);
}

#[test]
fn the_store_of_a_constant_stores_a_zero_tangent() {
    check_jvp(
        "fn f(x: f64, i: usize) -> f64 { let mut a = [x, x]; a[i] = 1.0; a[0] * a[1] }",
        &expect![[""]],
    );
}

#[test]
fn an_element_multiplied_in_place_stores_its_tangent_from_its_old_value() {
    check_jvp(
        "fn f(xs: &mut [f64], i: usize, k: f64) { xs[i] *= k; }",
        &expect![[""]],
    );
}

#[test]
fn a_loop_carries_tangents_beside_active_values() {
    check_jvp(
        "fn f(x: f64, n: usize) -> f64 { let mut y = 1.0; let mut c = 0.0; for _ in 0..n { y = y * x; c += 1.0; } y * c }",
        &expect![[""]],
    );
}

#[test]
fn an_if_yields_tangents_and_a_zero_where_an_arm_has_none() {
    check_jvp(
        "fn f(x: f64) -> f64 { if x > 0.0 { x * x } else { 1.0 } }",
        &expect![[""]],
    );
}

#[test]
fn a_result_that_does_not_depend_on_anything_has_a_zero_tangent() {
    check_jvp("fn f(x: f64) -> f64 { x.floor() }", &expect![[""]]);
}

#[test]
fn a_call_is_given_the_tangents_of_its_arguments() {
    check_jvp(
        "fn f(x: f64, xs: &[f64], n: usize) -> f64 { g(x, xs, n, 2.0) }",
        &expect![[""]],
    );
}

#[test]
fn a_tuple_has_a_tuple_of_tangents() {
    check_jvp(
        "fn f(x: f64, n: usize) -> (f64, usize) { (x * x, n) }",
        &expect![[""]],
    );
}
