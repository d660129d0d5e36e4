//! Forward mode.

use expect_test::expect;

use crate::testing::check_jvp;

#[test]
fn sums_and_products() {
    check_jvp(
        "fn f(x: f64, y: f64) -> f64 { let a = x * y; let b = a - x; -b + y }",
        &expect![[r#"
            fn(x, y; x_dot, y_dot) {
              a = x * y
              v0 = x_dot * y
              v1 = y_dot * x
              v2 = v0 + v1
              b = a - x
              v3 = v2 - x_dot
              v4 = -b
              v5 = -v3
              v6 = v4 + y
              v7 = v5 + y_dot
              yield v6, v7
            }"#]],
    );
}

#[test]
fn a_quotient_is_used_again() {
    check_jvp(
        "fn f(x: f64, y: f64) -> f64 { x / y }",
        &expect![[r#"
        fn(x, y; x_dot, y_dot) {
          v0 = x / y
          v1 = sdiv(x_dot, y)
          v2 = sdiv(y_dot, y)
          v3 = smul(v2, v0)
          v4 = v1 - v3
          yield v0, v4
        }"#]],
    );
}

#[test]
fn a_constant_factor_has_no_term() {
    check_jvp(
        "fn f(x: f64) -> f64 { 3.0 * x + 1.0 }",
        &expect![[r#"
        fn(x; x_dot) {
          v0 = 3.0 * x
          v1 = x_dot * 3.0
          v2 = v0 + 1.0
          yield v2, v1
        }"#]],
    );
}

#[test]
fn a_row_of_the_table() {
    check_jvp(
        "fn f(x: f64) -> f64 { x.sin() * x.exp() }",
        &expect![[r#"
        fn(x; x_dot) {
          v0 = sin(x)
          v1 = cos(x)
          v2 = x_dot * v1
          v3 = exp(x)
          v4 = smul(x_dot, v3)
          v5 = v0 * v3
          v6 = v2 * v3
          v7 = absorb(v4, v0)
          v8 = v6 + v7
          yield v5, v8
        }"#]],
    );
}

#[test]
fn a_kink_selects_the_tangent() {
    check_jvp(
        "fn f(x: f64, y: f64) -> f64 { x.max(y) }",
        &expect![[r#"
        fn(x, y; x_dot, y_dot) {
          v0 = max(x, y)
          v1 = larger(x, y)
          v2 = select(x_dot, v1)
          v3 = larger(y, x)
          v4 = select(y_dot, v3)
          v5 = v2 + v4
          yield v0, v5
        }"#]],
    );
}

#[test]
fn the_store_of_a_constant_stores_a_zero_tangent() {
    check_jvp(
        "fn f(x: f64, i: usize) -> f64 { let mut a = [x, x]; a[i] = 1.0; a[0] * a[1] }",
        &expect![[r#"
            fn(x, i; x_dot) {
              v0 = [x, x]
              v1 = [x_dot, x_dot]
              new a = v0
              new a_dot = v1
              store a_dot[i] = 0.0
              store a[i] = 1.0
              v2 = load a[0]
              v3 = load a_dot[0]
              v4 = load a[1]
              v5 = load a_dot[1]
              v6 = v2 * v4
              v7 = v3 * v4
              v8 = v5 * v2
              v9 = v7 + v8
              yield v6, v9
            }"#]],
    );
}

#[test]
fn an_element_multiplied_in_place_stores_its_tangent_from_its_old_value() {
    check_jvp(
        "fn f(xs: &mut [f64], i: usize, k: f64) { xs[i] *= k; }",
        &expect![[r#"
            fn(&mut xs, i, k; &mut xs_dot, k_dot) {
              v0 = load xs[i]
              v1 = load xs_dot[i]
              v2 = v0 * k
              v3 = v1 * k
              v4 = k_dot * v0
              v5 = v3 + v4
              store xs_dot[i] = v5
              store xs[i] = v2
            }"#]],
    );
}

#[test]
fn a_loop_carries_tangents_beside_active_values() {
    check_jvp(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut y = 1.0;
                let mut c = 0.0;
                for _ in 0..n {
                    y = y * x;
                    c += 1.0;
                }
                y * c
            }",
        &expect![[r#"
            fn(x, n; x_dot) {
              c#2, y#2, y_dot#2 = for v0 in 0..n, c = 0.0, y = 1.0, y_dot = 0.0 {
                y#3 = y * x
                v1 = y_dot * x
                v2 = x_dot * y
                v3 = v1 + v2
                c#3 = c + 1.0
                yield c#3, y#3, v3
              }
              v4 = y#2 * c#2
              v5 = y_dot#2 * c#2
              yield v4, v5
            }"#]],
    );
}

#[test]
fn an_if_yields_tangents_and_a_zero_where_an_arm_has_none() {
    check_jvp(
        "fn f(x: f64) -> f64 { if x > 0.0 { x * x } else { 1.0 } }",
        &expect![[r#"
            fn(x; x_dot) {
              v0 = x > 0.0
              v1, v2 = if v0 {
                v3 = x * x
                v4 = x_dot * x
                v5 = x_dot * x
                v6 = v4 + v5
                yield v3, v6
              } else {
                yield 1.0, 0.0
              }
              yield v1, v2
            }"#]],
    );
}

#[test]
fn a_result_that_does_not_depend_on_anything_has_a_zero_tangent() {
    check_jvp(
        "fn f(x: f64) -> f64 { x.floor() }",
        &expect![[r#"
        fn(x; x_dot) {
          v0 = floor(x)
          yield v0, 0.0
        }"#]],
    );
}

#[test]
fn a_call_is_given_the_tangents_of_its_arguments() {
    check_jvp(
        "fn f(x: f64, xs: &[f64], n: usize) -> f64 { g(x, xs, n, 2.0) }",
        &expect![[r#"
            fn(x, &xs, n; x_dot, &xs_dot) {
              v0, v1 = jvp g(x, &xs, n, 2.0; x_dot, xs_dot, zero, zero)
              yield v0, v1
            }"#]],
    );
}

#[test]
fn a_tuple_has_a_tuple_of_tangents() {
    check_jvp(
        "fn f(x: f64, n: usize) -> (f64, usize) { (x * x, n) }",
        &expect![[r#"
            fn(x, n; x_dot) {
              v0 = x * x
              v1 = x_dot * x
              v2 = x_dot * x
              v3 = v1 + v2
              v4 = (v0, n)
              v5 = (v3, ())
              yield v4, v5
            }"#]],
    );
}

#[test]
fn arms_of_a_match_yield_tangents() {
    check_jvp(
        r"
            fn f(x: f64, n: usize) -> f64 {
                match n {
                    0 => x,
                    k if k > 7 => x * k as f64,
                    _ => 2.0,
                }
            }",
        &expect![[r#"
            fn(x, n; x_dot) {
              x#2, x_dot#2 = match `n` {
                0 => {
                  yield x, x_dot
                }
                k if k > 7 => {
                  v0 = pure `k as f64`
                  v1 = x * v0
                  v2 = x_dot * v0
                  yield v1, v2
                }
                _ => {
                  yield 2.0, 0.0
                }
              }
              yield x#2, x_dot#2
            }"#]],
    );
}

#[test]
fn an_inactive_place_has_no_tangent_place() {
    check_jvp(
        r"
            fn f(x: f64, ks: &[usize], i: usize) -> f64 {
                let mut w = [1.0, 2.0];
                w[i] = 3.0;
                x * w[ks[i]]
            }",
        &expect![[r#"
            fn(x, &ks, i; x_dot) {
              v0 = opaque `[1.0, 2.0]`
              new w = v0
              opaque `w[i] = 3.0` writes w
              v1 = load ks[i]
              v2 = load w[v1]
              v3 = x * v2
              v4 = x_dot * v2
              yield v3, v4
            }"#]],
    );
}

#[test]
fn the_first_zero_of_a_place_that_becomes_active_is_made_before_it() {
    check_jvp(
        "fn f(x: f64, n: usize) -> f64 { let mut a = vec![0.0; n]; a[0] = x; a[1] }",
        &expect![[r#"
            fn(x, n; x_dot) {
              v0 = opaque `vec![0.0; n]`
              v1 = zero like v0
              new a = v0
              new a_dot = v1
              store a_dot[0] = x_dot
              store a[0] = x
              v2 = load a[1]
              v3 = load a_dot[1]
              yield v2, v3
            }"#]],
    );
}

#[test]
fn an_addition_to_an_element_adds_its_tangent() {
    check_jvp(
        "fn f(x: f64, out: &mut [f64], i: usize) { out[i] += x; out[i] -= 2.0; }",
        &expect![[r#"
            fn(x, &mut out, i; x_dot, &mut out_dot) {
              store out_dot[i] += x_dot
              store out[i] += x
              v0 = -2.0
              store out[i] += v0
            }"#]],
    );
}
