//! Reverse mode: the rules of the operations, before it is decided how the primal values they mention are obtained.

use expect_test::expect;

use crate::testing::check_vjp;

#[test]
fn a_sum_passes_its_adjoint_to_both() {
    check_vjp("fn f(x: f64, y: f64) -> f64 { x + y }", &expect![[""]]);
}

#[test]
fn a_difference_negates_it_for_the_second() {
    check_vjp("fn f(x: f64, y: f64) -> f64 { x - y }", &expect![[""]]);
}

#[test]
fn a_product_multiplies_by_the_other_factor() {
    check_vjp("fn f(x: f64, y: f64) -> f64 { x * y }", &expect![[""]]);
}

#[test]
fn a_constant_factor_needs_no_value_of_the_other() {
    check_vjp("fn f(x: f64) -> f64 { x * 3.0 }", &expect![[""]]);
}

#[test]
fn a_quotient_divides_once() {
    check_vjp("fn f(x: f64, y: f64) -> f64 { x / y }", &expect![[""]]);
}

#[test]
fn adjoints_of_several_uses_add_up() {
    check_vjp(
        "fn f(x: f64) -> f64 { let y = x * 2.0; y + y * y }",
        &expect![[""]],
    );
}

#[test]
fn a_row_uses_its_result_where_its_partial_names_it() {
    check_vjp("fn f(x: f64) -> f64 { x.exp() }", &expect![[""]]);
}

#[test]
fn a_row_with_literal_partials() {
    check_vjp(
        "fn f(x: f64, y: f64) -> f64 { x.midpoint(y) }",
        &expect![[""]],
    );
}

#[test]
fn a_row_with_a_partial_of_one_passes_the_adjoint_on() {
    check_vjp("fn f(x: f64) -> f64 { x.fract() }", &expect![[""]]);
}

#[test]
fn a_row_with_a_reciprocal_partial_divides() {
    check_vjp("fn f(x: f64) -> f64 { x.ln() }", &expect![[""]]);
}

#[test]
fn an_integer_argument_has_no_adjoint() {
    check_vjp("fn f(x: f64, n: i32) -> f64 { x.powi(n) }", &expect![[""]]);
}

#[test]
fn an_unused_argument_has_zero_adjoint() {
    check_vjp("fn f(x: f64, y: f64) -> f64 { x * 2.0 }", &expect![[""]]);
}

#[test]
fn a_result_that_is_a_parameter_has_the_seed_as_adjoint() {
    check_vjp("fn f(x: f64) -> f64 { x }", &expect![[""]]);
}

#[test]
fn the_adjoint_of_an_outer_value_passes_through_both_arms() {
    check_vjp(
        "fn f(x: f64, y: f64) -> f64 { let z = if x > 0.0 { x * y } else { y }; z + x }",
        &expect![[""]],
    );
}

#[test]
fn an_arm_without_use_yields_a_zero() {
    check_vjp(
        "fn f(x: f64, c: bool) -> f64 { if c { x * x } else { 1.0 } }",
        &expect![[""]],
    );
}

#[test]
fn a_panicking_arm_has_no_reverse() {
    check_vjp(
        "fn f(x: f64) -> f64 { if x < 0.0 { panic!() } else { x.sqrt() } }",
        &expect![[""]],
    );
}

#[test]
fn a_loop_is_reversed_round_by_round() {
    check_vjp(
        "fn f(x: f64, n: usize) -> f64 { let mut y = 1.0; for _ in 0..n { y = y * x; } y }",
        &expect![[""]],
    );
}

#[test]
fn nested_loops_carry_the_adjoints_of_outer_values() {
    check_vjp(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; for i in 0..n { for _ in 0..i { y = y * x; } } y }",
        &expect![[""]],
    );
}

#[test]
fn a_loop_over_an_unknown_number_of_items_counts_its_rounds() {
    check_vjp(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; for _ in (0..n).step_by(3) { y = y * x; } y }",
        &expect![[""]],
    );
}

#[test]
fn a_carried_value_that_starts_from_an_outer_one_adds_to_its_adjoint() {
    check_vjp(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; for _ in 0..n { y = y + x; } y * x }",
        &expect![[""]],
    );
}

#[test]
fn carried_values_that_swap_have_adjoints_that_swap() {
    check_vjp(
        "fn f(x: f64, y: f64, n: usize) -> f64 { let mut a = x; let mut b = y; for _ in 0..n { let t = a; a = b; b = t; } a - b }",
        &expect![[""]],
    );
}

#[test]
fn a_load_adds_to_the_shadow() {
    check_vjp(
        "fn f(xs: &[f64], i: usize) -> f64 { xs[i] * xs[i + 1] }",
        &expect![[""]],
    );
}

#[test]
fn a_store_takes_the_adjoint_of_the_element_and_zeroes_it() {
    check_vjp(
        "fn f(x: f64, out: &mut [f64], i: usize) { out[i] = x * x; }",
        &expect![[""]],
    );
}

#[test]
fn the_store_of_a_constant_zeroes_the_adjoint_of_the_element() {
    check_vjp(
        "fn f(xs: &mut [f64], i: usize) { xs[i] = 1.0; }",
        &expect![[""]],
    );
}

#[test]
fn an_addition_to_an_element_leaves_its_adjoint() {
    check_vjp(
        "fn f(x: f64, out: &mut [f64], i: usize) { out[i] += x; }",
        &expect![[""]],
    );
}

#[test]
fn an_element_multiplied_in_place_keeps_its_own_share() {
    check_vjp(
        "fn f(xs: &mut [f64], i: usize, k: f64) { xs[i] *= k; }",
        &expect![[""]],
    );
}

#[test]
fn swapped_elements_have_their_adjoints_swapped() {
    check_vjp(
        "fn f(a: &mut [f64], i: usize, j: usize) { a.swap(i, j); }",
        &expect![[""]],
    );
}

#[test]
fn a_local_array_has_a_shadow_that_its_elements_take_apart() {
    check_vjp(
        "fn f(x: f64, y: f64, i: usize) -> f64 { let mut a = [x, y]; a[i] *= 2.0; a[0] }",
        &expect![[""]],
    );
}

#[test]
fn a_repeated_element_sums_the_adjoints() {
    check_vjp(
        "fn f(x: f64, i: usize) -> f64 { let mut a = [x; 3]; a[i] = 2.0; a[0] }",
        &expect![[""]],
    );
}

#[test]
fn a_tuple_result_has_its_seed_taken_apart() {
    check_vjp(
        "fn f(x: f64, n: usize) -> (f64, usize) { (x * x, n) }",
        &expect![[""]],
    );
}

#[test]
fn a_call_hands_its_adjoint_to_a_pullback() {
    check_vjp(
        "fn f(x: f64, xs: &[f64], n: usize) -> f64 { g(x, xs, n) * x }",
        &expect![[""]],
    );
}

#[test]
fn a_cast_casts_the_adjoint_back() {
    check_vjp("fn f(x: f64) -> f32 { x as f32 }", &expect![[""]]);
}

#[test]
fn a_value_that_nothing_depends_on_has_no_reverse() {
    check_vjp(
        "fn f(x: f64) -> f64 { let _ = (x - x).sqrt(); x * 2.0 }",
        &expect![[""]],
    );
}
