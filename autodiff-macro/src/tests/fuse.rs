//! Loops that run forward and backward in one pass.

use expect_test::expect;

use crate::testing::{check_early, check_late};

#[test]
fn an_accumulator_with_known_seed_fuses() {
    check_early(
        "fn f(xs: &[f64], x: f64) -> f64 { let mut s = 0.0; for i in 0..xs.len() { s += (xs[i] * x).exp(); } s }",
        &expect![[""]],
    );
}

#[test]
fn a_late_seed_does_not_fuse() {
    check_late(
        "fn f(xs: &[f64], x: f64) -> f64 { let mut s = 0.0; for i in 0..xs.len() { s += (xs[i] * x).exp(); } s }",
        &expect![[""]],
    );
}

#[test]
fn a_linear_use_of_the_sum_keeps_the_adjoint_early() {
    check_early(
        "fn f(xs: &[f64], k: f64) -> f64 { let m = k * k; let mut s = 0.0; for i in 0..xs.len() { s += xs[i].exp(); } 1.0 - s * 0.5 / m }",
        &expect![[""]],
    );
}

#[test]
fn a_nonlinear_use_of_the_sum_does_not_fuse() {
    check_early(
        "fn f(xs: &[f64]) -> f64 { let mut s = 0.0; for i in 0..xs.len() { s += xs[i] * xs[i]; } s.sqrt() }",
        &expect![[""]],
    );
}

#[test]
fn an_accumulator_that_the_body_multiplies_does_not_fuse() {
    check_early(
        "fn f(xs: &[f64]) -> f64 { let mut s = 0.0; for i in 0..xs.len() { s = s * 0.5 + xs[i] * xs[i]; } s }",
        &expect![[""]],
    );
}

#[test]
fn an_accumulator_that_the_body_reads_does_not_fuse() {
    check_early(
        "fn f(xs: &[f64]) -> f64 { let mut s = 0.0; for i in 0..xs.len() { s += xs[i] * s; } s }",
        &expect![[""]],
    );
}

#[test]
fn an_accumulator_that_only_a_condition_reads_fuses() {
    check_early(
        "fn f(xs: &[f64]) -> f64 { let mut s = 0.0; for i in 0..xs.len() { if s < 10.0 { s += xs[i] * xs[i]; } } s }",
        &expect![[""]],
    );
}

#[test]
fn a_later_store_to_what_the_loop_read_prevents_fusing() {
    check_early(
        "fn f(x: f64, n: usize) -> f64 { let mut a = [x, x]; let mut s = 0.0; for i in 0..n { s += a[i] * a[i]; } a[0] = 2.0; s + a[0] * a[1] }",
        &expect![[""]],
    );
}

#[test]
fn a_store_in_the_body_prevents_fusing() {
    check_early(
        "fn f(x: f64, n: usize) -> f64 { let mut a = [x, x]; let mut s = 0.0; for i in 0..n { a[0] = a[1] * 0.5; s += a[i] * a[i]; } s }",
        &expect![[""]],
    );
}

#[test]
fn nested_accumulators_fuse_as_one() {
    check_early(
        "fn f(xs: &[f64], n: usize) -> f64 { let mut s = 0.0; for i in 0..n { for j in 0..n { s += xs[i] * xs[j]; } } s }",
        &expect![[""]],
    );
}

#[test]
fn an_inner_accumulator_of_its_own_fuses_if_its_use_is_linear() {
    check_early(
        "fn f(xs: &[f64], n: usize) -> f64 { let mut s = 0.0; for i in 0..n { let mut t = 0.0; for j in 0..n { t += xs[j].exp(); } s += t * 2.0; } s }",
        &expect![[""]],
    );
}

#[test]
fn an_inner_loop_with_a_nonlinear_tail_records_within_the_round() {
    check_early(
        "fn f(xs: &[f64], n: usize) -> f64 { let mut s = 0.0; for i in 0..n { let mut t = 0.0; for j in 0..n { t += xs[j].exp(); } s += t.ln(); } s }",
        &expect![[""]],
    );
}

#[test]
fn an_accumulator_inside_an_if_fuses() {
    check_early(
        "fn f(xs: &[f64], x: f64) -> f64 { let mut s = 0.0; for i in 0..xs.len() { if xs[i] > 0.0 { s += xs[i] * x; } else { s -= x; } } s }",
        &expect![[""]],
    );
}

#[test]
fn two_accumulators_fuse_together() {
    check_early(
        "fn f(xs: &[f64]) -> f64 { let mut s = 0.0; let mut t = 0.0; for i in 0..xs.len() { let x = xs[i]; s += x * x; t -= x; } s - t * 3.0 }",
        &expect![[""]],
    );
}

#[test]
fn an_accumulator_that_starts_from_an_outer_value_passes_its_adjoint_on() {
    check_early(
        "fn f(xs: &[f64], x: f64) -> f64 { let mut s = x * x; for i in 0..xs.len() { s += xs[i] * x; } s }",
        &expect![[""]],
    );
}

#[test]
fn a_loop_below_a_recurrence_does_not_fuse() {
    check_early(
        "fn f(xs: &[f64], x: f64) -> f64 { let mut s = 0.0; let mut y = x; for i in 0..xs.len() { y = y.sin(); s += xs[i] * y; } s }",
        &expect![[""]],
    );
}
