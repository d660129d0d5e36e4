//! What is active: depends on the differentiable parameters, and a result depends on it.

use expect_test::expect;

use crate::testing::check_primal;

#[test]
fn a_counter_is_inactive() {
    check_primal(
        "fn f(x: f64, n: usize) -> f64 { let mut y = 1.0; let mut c = 0.0; for _ in 0..n { y = y * x; c = c + 1.0; } y / c }",
        &expect![[""]],
    );
}

#[test]
fn an_unused_parameter_is_inactive() {
    check_primal("fn f(x: f64, y: f64) -> f64 { x * x }", &expect![[""]]);
}

#[test]
fn what_no_result_depends_on_is_inactive() {
    check_primal(
        "fn f(x: f64) -> f64 { let y = x * x; let z = y.sin(); if z > 0.0 { x } else { -x } }",
        &expect![[""]],
    );
}

#[test]
fn arithmetic_on_constants_is_inactive() {
    check_primal(
        "fn f(x: f64) -> f64 { let k = 2.0_f64.sqrt(); let m = k * 3.0; x * m }",
        &expect![[""]],
    );
}

#[test]
fn a_constant_parameter_is_inactive() {
    check_primal(
        "fn f(x: f64, #[constant] k: f64, #[constant] ws: &[f64]) -> f64 { x * k * ws[0] }",
        &expect![[""]],
    );
}

#[test]
fn a_function_that_is_flat_everywhere_stops_activity() {
    check_primal(
        "fn f(x: f64) -> f64 { let y = x.floor() * 2.0; x.copysign(y) }",
        &expect![[""]],
    );
}

#[test]
fn a_cast_to_an_integer_stops_activity() {
    check_primal(
        "fn f(x: f64, xs: &[f64]) -> f64 { let i = (x * 2.0) as usize; xs[i] }",
        &expect![[""]],
    );
}

#[test]
fn a_cast_between_floats_passes_activity_on() {
    check_primal(
        "fn f(x: f64) -> f32 { let y = x as f32; y * 2.0 }",
        &expect![[""]],
    );
}

#[test]
fn comparisons_and_lengths_are_inactive() {
    check_primal(
        "fn f(x: f64, xs: &[f64]) -> f64 { let b = x > xs[0]; let n = xs.len(); if b { x * n as f64 } else { x } }",
        &expect![[""]],
    );
}

#[test]
fn a_store_makes_the_place_active() {
    check_primal(
        "fn f(x: f64) -> f64 { let mut a = [0.0; 4]; a[0] = 1.0; a[1] = x; a[2] }",
        &expect![[""]],
    );
}

#[test]
fn a_place_that_no_result_reads_is_inactive() {
    check_primal(
        "fn f(x: f64) -> f64 { let mut a = [0.0; 4]; a[1] = x; x * 2.0 }",
        &expect![[""]],
    );
}

#[test]
fn an_array_of_indices_is_inactive() {
    check_primal(
        "fn f(xs: &[f64], order: &[usize]) -> f64 { let mut p = [0usize; 2]; p[0] = order[1]; xs[p[0]] }",
        &expect![[""]],
    );
}

#[test]
fn a_carried_value_is_active_from_the_round_that_makes_it_so() {
    check_primal(
        "fn f(x: f64, n: usize) -> f64 { let mut a = 1.0; let mut b = 1.0; for _ in 0..n { a = b; b = x; } a }",
        &expect![[""]],
    );
}

#[test]
fn a_stopped_gradient_is_inactive() {
    check_primal(
        "fn f(x: f64) -> f64 { x * autodiff::stop_gradient(x * x) }",
        &expect![[""]],
    );
}
