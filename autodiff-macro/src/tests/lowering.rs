//! What the graph of a body is.

use expect_test::expect;

use crate::testing::check_primal;

#[test]
fn an_assignment_makes_a_new_value() {
    check_primal(
        "fn f(x: f64) -> f64 { let mut y = x * x; y = y + x; y *= 2.0; y }",
        &expect![[""]],
    );
}

#[test]
fn a_shadowing_variable_is_another_one() {
    check_primal(
        "fn f(x: f64) -> f64 { let y = x * x; let z = { let y = y + 1.0; y * y }; y * z }",
        &expect![[""]],
    );
}

#[test]
fn a_tuple_variable_is_a_bundle() {
    check_primal(
        "fn f(x: f64, y: f64) -> f64 { let mut t = (x * y, x); t.1 = t.0 + y; let (a, b) = t; a * b }",
        &expect![[""]],
    );
}

#[test]
fn a_tuple_parameter_is_taken_apart_once() {
    check_primal(
        "fn f(t: (f64, usize)) -> f64 { t.0 * t.1 as f64 }",
        &expect![[""]],
    );
}

#[test]
fn an_array_that_is_written_to_is_a_place() {
    check_primal(
        "fn f(x: f64) -> f64 { let mut a = [x, 1.0]; a[1] = a[0] * 2.0; a[0] += x; a[1] -= x; a[1] *= x; a[0] * a[1] }",
        &expect![[""]],
    );
}

#[test]
fn a_reference_is_a_path() {
    check_primal(
        "fn f(m: &mut [[f64; 3]; 3], i: usize, j: usize) { let row = &mut m[i]; let e = &mut row[j]; *e *= 2.0; }",
        &expect![[""]],
    );
}

#[test]
fn a_row_of_a_matrix_is_a_range_of_its_place() {
    check_primal(
        "fn f(m: &[f64], n: usize, i: usize) -> f64 { let row = &m[i * n..(i + 1) * n]; row[0] * row[n - 1] }",
        &expect![[""]],
    );
}

#[test]
fn an_iterator_over_a_slice_is_a_loop_over_indices() {
    check_primal(
        "fn f(xs: &[f64]) -> f64 { let mut s = 0.0; for x in xs.iter() { s += x * x; } s }",
        &expect![[""]],
    );
}

#[test]
fn enumerate_yields_the_index_itself() {
    check_primal(
        "fn f(xs: &[f64]) -> f64 { let mut s = 0.0; for (i, x) in xs.iter().enumerate() { s += x * i as f64; } s }",
        &expect![[""]],
    );
}

#[test]
fn zip_reads_both_at_one_index_up_to_the_shorter() {
    check_primal(
        "fn f(xs: &[f64], ys: &[f64]) -> f64 { let mut s = 0.0; for (x, y) in xs.iter().zip(ys) { s += x * y; } s }",
        &expect![[""]],
    );
}

#[test]
fn rev_counts_the_index_down() {
    check_primal(
        "fn f(xs: &[f64], x: f64) -> f64 { let mut s = 0.0; for c in xs.iter().rev() { s = s * x + c; } s }",
        &expect![[""]],
    );
}

#[test]
fn a_reversed_range_is_walked_backwards() {
    check_primal(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; for i in (1..=n).rev() { y *= i as f64; } y }",
        &expect![[""]],
    );
}

#[test]
fn items_of_iter_mut_are_elements_of_the_place() {
    check_primal(
        "fn f(xs: &mut [f64], k: f64) { for x in xs.iter_mut() { *x *= k; } }",
        &expect![[""]],
    );
}

#[test]
fn an_if_yields_what_its_arms_assign() {
    check_primal(
        "fn f(x: f64) -> f64 { let mut y = x; let mut z = 1.0; if x > 0.0 { y = x * x; } else { z = x; } y * z }",
        &expect![[""]],
    );
}

#[test]
fn an_if_yields_its_value_before_what_its_arms_assign() {
    check_primal(
        "fn f(x: f64) -> f64 { let mut n = 1.0; let y = if x > 0.0 { n = x; x * x } else { -x }; y * n }",
        &expect![[""]],
    );
}

#[test]
fn an_arm_that_panics_yields_nothing() {
    check_primal(
        r#"fn f(x: f64) -> f64 { if x < 0.0 { panic!("negative: {x}") } x.sqrt() }"#,
        &expect![[""]],
    );
}

#[test]
fn a_loop_carries_what_its_body_assigns() {
    check_primal(
        "fn f(x: f64, n: usize) -> f64 { let mut y = 1.0; let mut c = 0; let k = 2.0; for _ in 0..n { let t = y * x; y = t * k; c += 1; } y * c as f64 }",
        &expect![[""]],
    );
}

#[test]
fn nested_loops_pass_carried_values_inwards() {
    check_primal(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; for i in 0..n { for _ in 0..i { y = y * x; } } y }",
        &expect![[""]],
    );
}

#[test]
fn a_match_has_guards_and_arms_that_assign() {
    check_primal(
        "fn f(x: f64, n: usize, m: usize) -> f64 { let mut y = x; match n { 0 => y = 1.0, k if k > m => y = x * k as f64, 1 | 2 => {} _ => y = -x } y }",
        &expect![[""]],
    );
}

#[test]
fn a_match_on_an_active_value_binds_it() {
    check_primal(
        "fn f(x: f64) -> f64 { match x * x { y if y > 1.0 => y, _ => x } }",
        &expect![[""]],
    );
}

#[test]
fn logical_operators_evaluate_their_right_side_on_demand() {
    check_primal(
        "fn f(xs: &[f64], i: usize) -> f64 { if i < xs.len() && xs[i] > 0.0 || i == 7 { xs[0] } else { 0.0 } }",
        &expect![[""]],
    );
}

#[test]
fn inactive_code_is_one_operation() {
    check_primal(
        "fn f(x: f64, words: &[String], n: usize) -> f64 { let k = words.iter().filter(|w| w.len() > n).count(); let m = (n + 1) * 2; x * k as f64 * m as f64 }",
        &expect![[""]],
    );
}

#[test]
fn an_opaque_statement_names_what_it_writes() {
    check_primal(
        "fn f(x: f64, n: usize) -> f64 { let mut order = vec![0usize; n]; order.sort(); order[0] = 1; x * order[0] as f64 }",
        &expect![[""]],
    );
}

#[test]
fn a_swap_is_two_loads_and_two_stores() {
    check_primal(
        "fn f(a: &mut [f64], i: usize, j: usize) { a.swap(i, j); }",
        &expect![[""]],
    );
}

#[test]
fn an_index_is_fixed_when_the_reference_is_made() {
    check_primal(
        "fn f(xs: &[f64], n: usize) -> f64 { let mut i = n; let x = &xs[i]; i += 1; x * xs[i] }",
        &expect![[""]],
    );
}

#[test]
fn a_call_borrows_what_it_is_given() {
    check_primal(
        "fn f(x: f64, xs: &[f64], out: &mut [f64]) -> f64 { g(x * 2.0, &xs[1..], out) }",
        &expect![[""]],
    );
}

#[test]
fn an_effect_in_the_right_operand_comes_after_the_left_operand() {
    check_primal(
        "fn f(x: f64) -> f64 { let mut y = x; let z = y + { y = y * x; y }; z * y }",
        &expect![[""]],
    );
}

#[test]
fn a_compound_assignment_evaluates_its_right_side_first() {
    check_primal(
        "fn f(x: f64) -> f64 { let mut y = x; y += { y = x * x; y * 3.0 }; y }",
        &expect![[""]],
    );
}
