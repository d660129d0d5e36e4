//! Reverse mode: the rules of the operations, before it is decided how the primal values they mention are obtained.

use expect_test::expect;

use crate::testing::check_vjp;

#[test]
fn a_sum_passes_its_adjoint_to_both() {
    check_vjp(
        "fn f(x: f64, y: f64) -> f64 { x + y }",
        &expect![[r#"
        fn(x, y; seed) {
          v0 = x + y
          yield v0, seed, seed
        }"#]],
    );
}

#[test]
fn a_difference_negates_it_for_the_second() {
    check_vjp(
        "fn f(x: f64, y: f64) -> f64 { x - y }",
        &expect![[r#"
        fn(x, y; seed) {
          v0 = x - y
          // reverse
          d_y = -seed
          yield v0, seed, d_y
        }"#]],
    );
}

#[test]
fn a_product_multiplies_by_the_other_factor() {
    check_vjp(
        "fn f(x: f64, y: f64) -> f64 { x * y }",
        &expect![[r#"
        fn(x, y; seed) {
          v0 = x * y
          // reverse
          y#2 = need y
          d_x = seed * y#2
          x#2 = need x
          d_y = seed * x#2
          yield v0, d_x, d_y
        }"#]],
    );
}

#[test]
fn a_constant_factor_needs_no_value_of_the_other() {
    check_vjp(
        "fn f(x: f64) -> f64 { x * 3.0 }",
        &expect![[r#"
        fn(x; seed) {
          v0 = x * 3.0
          // reverse
          v1 = need 3.0
          d_x = seed * v1
          yield v0, d_x
        }"#]],
    );
}

#[test]
fn a_quotient_divides_once() {
    check_vjp(
        "fn f(x: f64, y: f64) -> f64 { x / y }",
        &expect![[r#"
        fn(x, y; seed) {
          v0 = x / y
          // reverse
          y#2 = need y
          d_x = sdiv(seed, y#2)
          v1 = need v0
          v2 = smul(d_x, v1)
          d_y = -v2
          yield v0, d_x, d_y
        }"#]],
    );
}

#[test]
fn adjoints_of_several_uses_add_up() {
    check_vjp(
        "fn f(x: f64) -> f64 { let y = x * 2.0; y + y * y }",
        &expect![[r#"
            fn(x; seed) {
              y = x * 2.0
              v0 = y * y
              v1 = y + v0
              // reverse
              y#2 = need y
              d_y = seed * y#2
              seed#2 = seed + d_y
              d_y#2 = seed * y#2
              seed#3 = seed#2 + d_y#2
              v2 = need 2.0
              d_x = seed#3 * v2
              yield v1, d_x
            }"#]],
    );
}

#[test]
fn a_row_uses_its_result_where_its_partial_names_it() {
    check_vjp(
        "fn f(x: f64) -> f64 { x.exp() }",
        &expect![[r#"
        fn(x; seed) {
          v0 = exp(x)
          // reverse
          v1 = need v0
          d_x = smul(seed, v1)
          yield v0, d_x
        }"#]],
    );
}

#[test]
fn a_row_with_literal_partials() {
    check_vjp(
        "fn f(x: f64, y: f64) -> f64 { x.midpoint(y) }",
        &expect![[r#"
            fn(x, y; seed) {
              v0 = midpoint(x, y)
              // reverse
              d_x = seed * 0.5
              d_y = seed * 0.5
              yield v0, d_x, d_y
            }"#]],
    );
}

#[test]
fn a_row_with_a_partial_of_one_passes_the_adjoint_on() {
    check_vjp(
        "fn f(x: f64) -> f64 { x.fract() }",
        &expect![[r#"
        fn(x; seed) {
          v0 = fract(x)
          yield v0, seed
        }"#]],
    );
}

#[test]
fn a_row_with_a_reciprocal_partial_divides() {
    check_vjp(
        "fn f(x: f64) -> f64 { x.ln() }",
        &expect![[r#"
        fn(x; seed) {
          v0 = ln(x)
          // reverse
          x#2 = need x
          d_x = sdiv(seed, x#2)
          yield v0, d_x
        }"#]],
    );
}

#[test]
fn an_integer_argument_has_no_adjoint() {
    check_vjp(
        "fn f(x: f64, n: i32) -> f64 { x.powi(n) }",
        &expect![[r#"
        fn(x, n; seed) {
          v0 = powi(x, n)
          // reverse
          x#2 = need x
          n#2 = need n
          v1 = dpowi(x#2, n#2, 1)
          d_x = smul(seed, v1)
          yield v0, d_x
        }"#]],
    );
}

#[test]
fn an_unused_argument_has_zero_adjoint() {
    check_vjp(
        "fn f(x: f64, y: f64) -> f64 { x * 2.0 }",
        &expect![[r#"
        fn(x, y; seed) {
          v0 = x * 2.0
          // reverse
          v1 = need 2.0
          d_x = seed * v1
          yield v0, d_x, 0.0
        }"#]],
    );
}

#[test]
fn a_result_that_is_a_parameter_has_the_seed_as_adjoint() {
    check_vjp(
        "fn f(x: f64) -> f64 { x }",
        &expect![[r#"
        fn(x; seed) {
          yield x, seed
        }"#]],
    );
}

#[test]
fn the_adjoint_of_an_outer_value_passes_through_both_arms() {
    check_vjp(
        "fn f(x: f64, y: f64) -> f64 { let z = if x > 0.0 { x * y } else { y }; z + x }",
        &expect![[r#"
            fn(x, y; seed) {
              v0 = x > 0.0
              z, arm = if v0 {
                v1 = x * y
                yield v1
              } else {
                yield y
              }
              v2 = z + x
              // reverse
              v3 = need v0
              arm#2 = need arm
              d_x, d_y = if v3, arm#2 {
                y#2 = need y
                d_x#2 = seed * y#2
                seed#2 = seed + d_x#2
                x#2 = need x
                d_y#2 = seed * x#2
                yield seed#2, d_y#2
              } else {
                yield seed, seed
              }
              yield v2, d_x, d_y
            }"#]],
    );
}

#[test]
fn an_arm_without_use_yields_a_zero() {
    check_vjp(
        "fn f(x: f64, c: bool) -> f64 { if c { x * x } else { 1.0 } }",
        &expect![[r#"
            fn(x, c; seed) {
              v0, arm = if c {
                v1 = x * x
                yield v1
              } else {
                yield 1.0
              }
              // reverse
              c#2 = need c
              arm#2 = need arm
              d_x = if c#2, arm#2 {
                x#2 = need x
                d_x#2 = seed * x#2
                d_x#3 = seed * x#2
                d_x#4 = d_x#2 + d_x#3
                yield d_x#4
              } else {
                yield -0.0
              }
              yield v0, d_x
            }"#]],
    );
}

#[test]
fn a_panicking_arm_has_no_reverse() {
    check_vjp(
        "fn f(x: f64) -> f64 { if x < 0.0 { panic!() } else { x.sqrt() } }",
        &expect![[r#"
            fn(x; seed) {
              v0 = x < 0.0
              v1, arm = if v0 {
                opaque `panic!()`
                never
              } else {
                v2 = sqrt(x)
                yield v2
              }
              // reverse
              arm#2 = need arm
              d_x = switch arm#2 {
                v3 = need v2
                v4 = 0.5 / v3
                d_x#2 = smul(seed, v4)
                yield d_x#2
              }
              yield v1, d_x
            }"#]],
    );
}

#[test]
fn a_loop_is_reversed_round_by_round() {
    check_vjp(
        "fn f(x: f64, n: usize) -> f64 { let mut y = 1.0; for _ in 0..n { y = y * x; } y }",
        &expect![[r#"
            fn(x, n; seed) {
              y#2 = for v0 in 0..n, y = 1.0 {
                y#3 = y * x
                yield y#3
              }
              // reverse
              v1 = need 0
              n#2 = need n
              d_y#2, d_x#2 = for v2 in rev v1..n#2, d_y = seed, d_x = -0.0 {
                x#2 = need x
                d_y#3 = d_y * x#2
                y#4 = need y
                d_x#3 = d_y * y#4
                d_x#4 = d_x + d_x#3
                yield d_y#3, d_x#4
              }
              yield y#2, d_x#2
            }"#]],
    );
}

#[test]
fn nested_loops_carry_the_adjoints_of_outer_values() {
    check_vjp(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut y = x;
                for i in 0..n {
                    for _ in 0..i {
                        y = y * x;
                    }
                }
                y
            }",
        &expect![[r#"
            fn(x, n; seed) {
              y#2 = for i in 0..n, y = x {
                y#4 = for v0 in 0..i, y#3 = y {
                  y#5 = y#3 * x
                  yield y#5
                }
                yield y#4
              }
              // reverse
              v1 = need 0
              n#2 = need n
              d_y#2, d_x#2 = for i#2 in rev v1..n#2, d_y = seed, d_x = -0.0 {
                d_y#4, d_x#4 = for v2 in rev v1..i#2, d_y#3 = d_y, d_x#3 = -0.0 {
                  x#2 = need x
                  d_y#5 = d_y#3 * x#2
                  y#6 = need y#3
                  d_x#5 = d_y#3 * y#6
                  d_x#6 = d_x#3 + d_x#5
                  yield d_y#5, d_x#6
                }
                d_x#7 = d_x + d_x#4
                yield d_y#4, d_x#7
              }
              d_x#8 = d_x#2 + d_y#2
              yield y#2, d_x#8
            }"#]],
    );
}

#[test]
fn a_loop_over_an_unknown_number_of_items_counts_its_rounds() {
    check_vjp(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut y = x;
                for _ in (0..n).step_by(3) {
                    y = y * x;
                }
                y
            }",
        &expect![[r#"
            fn(x, n; seed) {
              y#2, rounds = for v0 in `(0..n).step_by(3)`, y = x {
                y#3 = y * x
                yield y#3
              }
              // reverse
              rounds#2 = need rounds
              d_y#2, d_x#2 = for round in count rounds#2, d_y = seed, d_x = -0.0 {
                x#2 = need x
                d_y#3 = d_y * x#2
                y#4 = need y
                d_x#3 = d_y * y#4
                d_x#4 = d_x + d_x#3
                yield d_y#3, d_x#4
              }
              d_x#5 = d_x#2 + d_y#2
              yield y#2, d_x#5
            }"#]],
    );
}

#[test]
fn a_carried_value_that_starts_from_an_outer_one_adds_to_its_adjoint() {
    check_vjp(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut y = x;
                for _ in 0..n {
                    y = y + x;
                }
                y * x
            }",
        &expect![[r#"
            fn(x, n; seed) {
              y#2 = for v0 in 0..n, y = x {
                y#3 = y + x
                yield y#3
              }
              v1 = y#2 * x
              // reverse
              x#2 = need x
              d_y = seed * x#2
              y#4 = need y#2
              d_x = seed * y#4
              v2 = need 0
              n#2 = need n
              d_y#3, d_x#3 = for v3 in rev v2..n#2, d_y#2 = d_y, d_x#2 = d_x {
                d_x#4 = d_x#2 + d_y#2
                yield d_y#2, d_x#4
              }
              d_x#5 = d_x#3 + d_y#3
              yield v1, d_x#5
            }"#]],
    );
}

#[test]
fn carried_values_that_swap_have_adjoints_that_swap() {
    check_vjp(
        r"
            fn f(x: f64, y: f64, n: usize) -> f64 {
                let mut a = x;
                let mut b = y;
                for _ in 0..n {
                    let t = a;
                    a = b;
                    b = t;
                }
                a - b
            }",
        &expect![[r#"
            fn(x, y, n; seed) {
              a#2, b#2 = for v0 in 0..n, a = x, b = y {
                yield b, a
              }
              v1 = a#2 - b#2
              // reverse
              d_b = -seed
              v2 = need 0
              n#2 = need n
              d_a#2, d_b#3 = for v3 in rev v2..n#2, d_a = seed, d_b#2 = d_b {
                yield d_b#2, d_a
              }
              yield v1, d_a#2, d_b#3
            }"#]],
    );
}

#[test]
fn a_load_adds_to_the_shadow() {
    check_vjp(
        "fn f(xs: &[f64], i: usize) -> f64 { xs[i] * xs[i + 1] }",
        &expect![[r#"
            fn(&xs, i; seed, &mut d_xs) {
              v0 = load xs[i]
              v1 = pure `i + 1`
              v2 = load xs[v1]
              v3 = v0 * v2
              // reverse
              v4 = need v2
              v5 = seed * v4
              v6 = need v0
              v7 = seed * v6
              v8 = need v1
              store d_xs[v8] += v7
              i#2 = need i
              store d_xs[i#2] += v5
              yield v3
            }"#]],
    );
}

#[test]
fn a_store_takes_the_adjoint_of_the_element_and_zeroes_it() {
    check_vjp(
        "fn f(x: f64, out: &mut [f64], i: usize) { out[i] = x * x; }",
        &expect![[r#"
            fn(x, &mut out, i; &mut d_out) {
              v0 = x * x
              store out[i] = v0
              // reverse
              i#2 = need i
              v1 = load and zero d_out[i#2]
              restore out[i#2]
              x#2 = need x
              d_x = v1 * x#2
              d_x#2 = v1 * x#2
              d_x#3 = d_x + d_x#2
              yield d_x#3
            }"#]],
    );
}

#[test]
fn the_store_of_a_constant_zeroes_the_adjoint_of_the_element() {
    check_vjp(
        "fn f(xs: &mut [f64], i: usize) { xs[i] = 1.0; }",
        &expect![[r#"
            fn(&mut xs, i; &mut d_xs) {
              store xs[i] = 1.0
              // reverse
              i#2 = need i
              v0 = load and zero d_xs[i#2]
              restore xs[i#2]
            }"#]],
    );
}

#[test]
fn an_addition_to_an_element_leaves_its_adjoint() {
    check_vjp(
        "fn f(x: f64, out: &mut [f64], i: usize) { out[i] += x; }",
        &expect![[r#"
            fn(x, &mut out, i; &mut d_out) {
              store out[i] += x
              // reverse
              i#2 = need i
              d_x = load d_out[i#2]
              restore out[i#2]
              yield d_x
            }"#]],
    );
}

#[test]
fn an_element_multiplied_in_place_keeps_its_own_share() {
    check_vjp(
        "fn f(xs: &mut [f64], i: usize, k: f64) { xs[i] *= k; }",
        &expect![[r#"
            fn(&mut xs, i, k; &mut d_xs) {
              v0 = load xs[i]
              v1 = v0 * k
              store xs[i] = v1
              // reverse
              i#2 = need i
              v2 = load and zero d_xs[i#2]
              restore xs[i#2]
              k#2 = need k
              v3 = v2 * k#2
              v4 = need v0
              d_k = v2 * v4
              store d_xs[i#2] += v3
              yield d_k
            }"#]],
    );
}

#[test]
fn swapped_elements_have_their_adjoints_swapped() {
    check_vjp(
        "fn f(a: &mut [f64], i: usize, j: usize) { a.swap(i, j); }",
        &expect![[r#"
            fn(&mut a, i, j; &mut d_a) {
              v0 = load a[i]
              v1 = load a[j]
              store a[i] = v1
              store a[j] = v0
              // reverse
              j#2 = need j
              v2 = load and zero d_a[j#2]
              restore a[j#2]
              i#2 = need i
              v3 = load and zero d_a[i#2]
              restore a[i#2]
              store d_a[j#2] += v3
              store d_a[i#2] += v2
            }"#]],
    );
}

#[test]
fn a_local_array_has_a_shadow_that_its_elements_take_apart() {
    check_vjp(
        "fn f(x: f64, y: f64, i: usize) -> f64 { let mut a = [x, y]; a[i] *= 2.0; a[0] }",
        &expect![[r#"
            fn(x, y, i; seed) {
              v0 = [x, y]
              new a = v0
              v1 = load a[i]
              v2 = v1 * 2.0
              store a[i] = v2
              v3 = load a[0]
              // reverse
              new d_a = zero
              v4 = need 0
              store d_a[v4] += seed
              i#2 = need i
              v5 = load and zero d_a[i#2]
              restore a[i#2]
              v6 = need 2.0
              v7 = v5 * v6
              store d_a[i#2] += v7
              v8 = take d_a
              d_x = v8[0]
              d_y = v8[1]
              yield v3, d_x, d_y
            }"#]],
    );
}

#[test]
fn a_repeated_element_sums_the_adjoints() {
    check_vjp(
        "fn f(x: f64, i: usize) -> f64 { let mut a = [x; 3]; a[i] = 2.0; a[0] }",
        &expect![[r#"
            fn(x, i; seed) {
              v0 = [x; 3]
              new a = v0
              store a[i] = 2.0
              v1 = load a[0]
              // reverse
              new d_a = zero
              v2 = need 0
              store d_a[v2] += seed
              i#2 = need i
              v3 = load and zero d_a[i#2]
              restore a[i#2]
              v4 = take d_a
              d_x = sum of v4 from -0.0
              yield v1, d_x
            }"#]],
    );
}

#[test]
fn a_tuple_result_has_its_seed_taken_apart() {
    check_vjp(
        "fn f(x: f64, n: usize) -> (f64, usize) { (x * x, n) }",
        &expect![[r#"
            fn(x, n; seed) {
              v0 = x * x
              v1 = (v0, n)
              // reverse
              v2 = seed.0
              x#2 = need x
              d_x = v2 * x#2
              d_x#2 = v2 * x#2
              d_x#3 = d_x + d_x#2
              yield v1, d_x#3
            }"#]],
    );
}

#[test]
fn a_call_hands_its_adjoint_to_a_pullback() {
    check_vjp(
        "fn f(x: f64, xs: &[f64], n: usize) -> f64 { g(x, xs, n) * x }",
        &expect![[r#"
            fn(x, &xs, n; seed, &mut d_xs) {
              v0, back = forward g(x, &xs, n)
              v1 = v0 * x
              // reverse
              x#2 = need x
              v2 = seed * x#2
              v3 = need v0
              d_x = seed * v3
              back#2 = need back
              d_x#2, d_n = backward back#2(v2, _, &xs, _; d_xs)
              d_x#3 = d_x + d_x#2
              yield v1, d_x#3
            }"#]],
    );
}

#[test]
fn a_cast_casts_the_adjoint_back() {
    check_vjp(
        "fn f(x: f64) -> f32 { x as f32 }",
        &expect![[r#"
        fn(x; seed) {
          v0 = x as f32
          // reverse
          d_x = seed as f64
          yield v0, d_x
        }"#]],
    );
}

#[test]
fn a_value_that_nothing_depends_on_has_no_reverse() {
    check_vjp(
        "fn f(x: f64) -> f64 { let _ = (x - x).sqrt(); x * 2.0 }",
        &expect![[r#"
            fn(x; seed) {
              v0 = x - x
              v1 = sqrt(v0)
              v2 = x * 2.0
              // reverse
              v3 = need 2.0
              d_x = seed * v3
              yield v2, d_x
            }"#]],
    );
}

#[test]
fn a_second_borrow_of_a_shadow_goes_through_a_temporary() {
    check_vjp(
        "fn f(xs: &[f64]) -> f64 { g(&xs[1..], xs) }",
        &expect![[r#"
            fn(&xs; seed, &mut d_xs) {
              check xs[1..]
              v0, back = forward g(&xs[1..], &xs)
              // reverse
              back#2 = need back
              v1 = need 1
              shape = shape of xs
              new d_t = zero of shape
              backward back#2(seed, &xs[v1..], &xs; d_xs[v1..], d_t)
              v2 = take d_t
              store d_xs += v2
              yield v0
            }"#]],
    );
}

#[test]
fn a_call_that_stores_is_reversed_though_nothing_uses_its_result() {
    check_vjp(
        "fn f(x: f64, out: &mut [f64]) { g(x, out); }",
        &expect![[r#"
            fn(x, &mut out; &mut d_out) {
              v0, back = forward g(x, &mut out)
              // reverse
              v1 = need v0
              v2 = zero like v1
              back#2 = need back
              d_x = backward back#2(v2, _, &mut out; d_out)
              yield d_x
            }"#]],
    );
}

#[test]
fn a_tuple_parameter_has_a_tuple_of_adjoints() {
    check_vjp(
        "fn f(p: (f64, f64, usize)) -> f64 { p.0 * p.0 }",
        &expect![[r#"
            fn(p; seed) {
              p_0 = p.0
              p_1 = p.1
              p_2 = p.2
              v0 = p_0 * p_0
              // reverse
              p_0#2 = need p_0
              d_p_0 = seed * p_0#2
              d_p_0#2 = seed * p_0#2
              d_p_0#3 = d_p_0 + d_p_0#2
              d_p = (d_p_0#3, 0.0, ())
              yield v0, d_p
            }"#]],
    );
}

#[test]
fn variables_assigned_at_once_add_up_their_adjoints() {
    check_vjp(
        r"
            fn f(p: (f64, f64), n: usize) -> (f64, f64) {
                let (mut a, mut b) = p;
                for _ in 0..n {
                    (a, b) = (a * b, a + b);
                }
                (a, b)
            }",
        &expect![[r#"
            fn(p, n; seed) {
              p_0 = p.0
              p_1 = p.1
              a#2, b#2 = for v0 in 0..n, a = p_0, b = p_1 {
                a#3 = a * b
                b#3 = a + b
                yield a#3, b#3
              }
              v1 = (a#2, b#2)
              // reverse
              d_a = seed.0
              d_b = seed.1
              v2 = need 0
              n#2 = need n
              d_a#3, d_b#3 = for v3 in rev v2..n#2, d_a#2 = d_a, d_b#2 = d_b {
                b#4 = need b
                d_a#4 = d_a#2 * b#4
                d_b#4 = d_b#2 + d_a#4
                a#4 = need a
                d_b#5 = d_a#2 * a#4
                d_b#6 = d_b#2 + d_b#5
                yield d_b#4, d_b#6
              }
              d_p = (d_a#3, d_b#3)
              yield v1, d_p
            }"#]],
    );
}

#[test]
fn a_range_of_a_slice_is_a_range_of_its_shadow() {
    check_vjp(
        "fn f(m: &[f64], n: usize, i: usize) -> f64 { let row = &m[i * n..]; row[1] }",
        &expect![[r#"
            fn(&m, n, i; seed, &mut d_m) {
              v0 = pure `i * n`
              check m[v0..]
              v1 = load m[v0..][1]
              // reverse
              v2 = need v0
              v3 = need 1
              store d_m[v2..][v3] += seed
              yield v1
            }"#]],
    );
}

#[test]
fn a_replaced_vector_has_its_adjoint_replaced() {
    check_vjp(
        "fn f(x: f64) -> f64 { let mut a = vec![x; 5]; a = vec![a[0]; 2]; a[1] }",
        &expect![[r#"
            fn(x; seed) {
              v0 = vec![x; 5]
              new a = v0
              v1 = load a[0]
              v2 = vec![v1; 2]
              shape = shape of a
              store a = v2
              shape#2 = shape of a
              v3 = load a[1]
              // reverse
              shape#3 = need shape#2
              new d_a = zero of shape#3
              v4 = need 1
              store d_a[v4] += seed
              shape#4 = need shape
              v5 = zero of shape#4
              v6 = replace d_a = v5
              restore a
              v7 = sum of v6 from -0.0
              v8 = need 0
              store d_a[v8] += v7
              v9 = take d_a
              d_x = sum of v9 from -0.0
              yield v3, d_x
            }"#]],
    );
}
