//! How the reverse sweep obtains the primal values it mentions.

use expect_test::expect;

use crate::testing::{check_late, check_sweeps};
use crate::vjp::Seed;

#[test]
fn straight_line_code_remembers_nothing() {
    check_late(
        "fn f(x: f64, y: f64) -> f64 { let a = x * y; let b = a.exp(); b * a.sin() }",
        &expect![[""]],
    );
}

#[test]
fn the_carried_value_of_a_recurrence_is_recorded_per_round() {
    check_late(
        "fn f(x: f64, n: usize) -> f64 { let mut y = 1.0; for _ in 0..n { y = y * x; } y }",
        &expect![[""]],
    );
}

#[test]
fn a_linear_recurrence_records_nothing() {
    check_late(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; for _ in 0..n { y = y * 0.5 + 1.0; } y }",
        &expect![[""]],
    );
}

#[test]
fn cheap_arithmetic_is_done_again() {
    check_late(
        "fn f(x: f64, ws: &[f64], n: usize) -> f64 { let mut s = 0.0; for i in 0..n { let t = x * i as f64; s += t * t; } s }",
        &expect![[""]],
    );
}

#[test]
fn transcendental_results_are_recorded() {
    check_late(
        "fn f(x: f64, n: usize) -> f64 { let mut s = 0.0; for i in 0..n { s += (x * i as f64).exp(); } s }",
        &expect![[""]],
    );
}

#[test]
fn memory_that_is_only_read_is_read_again() {
    check_late(
        "fn f(xs: &[f64]) -> f64 { let mut s = 0.0; for i in 0..xs.len() { s += xs[i] * xs[i]; } s }",
        &expect![[""]],
    );
}

#[test]
fn overwritten_memory_is_saved_and_restored() {
    check_late(
        "fn f(x: f64, n: usize) -> f64 { let mut a = [x, x, x]; for i in 0..n { a[i] = a[i] * a[0]; } a[2] }",
        &expect![[""]],
    );
}

#[test]
fn a_load_before_a_store_in_the_same_round_is_made_right_by_restoring() {
    check_late(
        "fn f(x: f64, n: usize) -> f64 { let mut a = [x, 1.0]; for _ in 0..n { let t = a[0]; a[1] = t * t; a[0] = a[1]; } a[0] }",
        &expect![[""]],
    );
}

#[test]
fn elements_named_by_the_item_of_the_loop_are_apart() {
    check_late(
        "fn f(xs: &mut [f64]) { for i in 0..xs.len() { let x = xs[i]; xs[i] = x * x; } }",
        &expect![[""]],
    );
}

#[test]
fn memory_overwritten_after_the_loop_that_reads_it_is_restored_before_its_reverse() {
    check_late(
        "fn f(x: f64, n: usize) -> f64 { let mut a = [x, 1.0]; let mut s = 0.0; for _ in 0..n { s += a[0] * a[0]; } a[0] = s; a[0] }",
        &expect![[""]],
    );
}

#[test]
fn memory_of_the_caller_is_put_back() {
    check_late(
        "fn f(out: &mut [f64], i: usize) { out[i] = 1.0; }",
        &expect![[""]],
    );
}

#[test]
fn an_accumulated_place_is_not_saved() {
    check_late(
        "fn f(xs: &[f64], k: usize) -> f64 { let mut h = [0.0; 4]; for i in 0..xs.len() { h[i % k] += xs[i] * xs[i]; } h[0] }",
        &expect![[""]],
    );
}

#[test]
fn indices_that_were_overwritten_are_recorded_or_restored() {
    check_late(
        "fn f(xs: &[f64], n: usize) -> f64 { let mut p = [0usize; 2]; let mut s = 0.0; for i in 0..n { p[0] = i * i % n; s += xs[p[0]] * xs[p[0]]; } s }",
        &expect![[""]],
    );
}

#[test]
fn the_place_of_a_round_is_kept() {
    check_late(
        "fn f(x: f64, n: usize) -> f64 { let mut s = 0.0; for i in 0..n { let mut a = [x, 0.0, 1.0]; a[1] = x * i as f64; for j in 0..3 { s += a[j] * a[j]; } } s }",
        &expect![[""]],
    );
}

#[test]
fn a_condition_on_values_at_hand_is_computed_again() {
    check_late(
        "fn f(xs: &[f64]) -> f64 { let mut s = 0.0; for i in 0..xs.len() { if xs[i] > 0.0 { s += xs[i] * 2.0; } } s }",
        &expect![[""]],
    );
}

#[test]
fn arms_that_record_say_which_of_them_ran() {
    check_late(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; for _ in 0..n { if y > 1.0 { y = y.sqrt(); } else { y = y * 2.0; } } y }",
        &expect![[""]],
    );
}

#[test]
fn a_condition_that_is_not_at_hand_is_recorded() {
    check_late(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; for _ in 0..n { if y.sin() > 0.5 { y = y * 3.0; } else { y = y * 2.0; } } y }",
        &expect![[""]],
    );
}

#[test]
fn a_match_is_selected_by_what_its_arms_record() {
    check_late(
        "fn f(x: f64, ks: &[u8]) -> f64 { let mut y = x; for i in 0..ks.len() { match ks[i] { 0 => y = y.sin(), 1 => y = y * x, _ => {} } } y }",
        &expect![[""]],
    );
}

#[test]
fn an_inner_loop_records_on_a_tape_of_its_own() {
    check_late(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; for i in 0..n { let k = y.exp(); for _ in 0..i { y = y * y; } y = y * k; } y }",
        &expect![[""]],
    );
}

#[test]
fn a_pullback_in_a_loop_is_recorded() {
    check_late(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; for _ in 0..n { y = g(y); } y }",
        &expect![[""]],
    );
}

#[test]
fn an_effect_is_never_run_again() {
    check_late(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; for _ in 0..n { let k = tick(); y = y * k as f64; } y }",
        &expect![[""]],
    );
}

#[test]
fn everything_is_recorded_on_demand() {
    check_sweeps(
        "__remember_all",
        "fn f(xs: &[f64], x: f64) -> f64 { let mut s = 0.0; for i in 0..xs.len() { let t = xs[i] * x; s += t * t; } s }",
        Seed::Late,
        &expect![[""]],
    );
}

#[test]
fn what_is_done_again_is_compared_on_demand() {
    check_sweeps(
        "verify",
        "fn f(xs: &[f64], x: f64) -> f64 { let mut s = 0.0; for i in 0..xs.len() { let t = xs[i] * x; s += t * t; } s }",
        Seed::Late,
        &expect![[""]],
    );
}
