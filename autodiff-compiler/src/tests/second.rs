//! Second order: forward mode over both sweeps.

use expect_test::expect;

use crate::testing::check_second;

#[test]
fn a_product() {
    check_second(
        "fn f(x: f64, y: f64) -> f64 { x * y }",
        &expect![[r#"
        fn(x, y; x_dot, y_dot, seed, seed_dot) {
          v0 = x * y
          v1 = x_dot * y
          v2 = y_dot * x
          v3 = v1 + v2
          // reverse
          d_x = seed * y
          v4 = seed_dot * y
          v5 = y_dot * seed
          v6 = v4 + v5
          d_y = seed * x
          v7 = seed_dot * x
          v8 = x_dot * seed
          v9 = v7 + v8
          yield v0, v3, d_x, d_y, v6, v9
        }"#]],
    );
}

#[test]
fn a_row_of_the_table_is_differentiated_again() {
    check_second(
        "fn f(x: f64) -> f64 { x.exp() }",
        &expect![[r#"
            fn(x; x_dot, seed, seed_dot) {
              v0 = exp(x)
              v1 = smul(x_dot, v0)
              // reverse
              d_x = smul(seed, v0)
              v2 = smul(seed_dot, v0)
              v3 = zmul(v1, seed)
              v4 = v2 + v3
              yield v0, v1, d_x, v4
            }"#]],
    );
}

#[test]
fn what_a_loop_remembers_has_tangents() {
    check_second(
        "fn f(x: f64, n: usize) -> f64 { let mut s = x; for i in 0..n { s = s.sin(); } s }",
        &expect![[r#"
            fn(x, n; x_dot, seed, seed_dot) {
              s#2, s_dot#2 = for i in 0..n, s = x, s_dot = x_dot on tape 0 {
                s#3 = sin(s)
                v0 = cos(s)
                v1 = s_dot * v0
                record s, s_dot
                yield s#3, v1
              }
              // reverse
              d_s#2, d_s_dot#2 = for i#2 in rev 0..n, d_s = seed, d_s_dot = seed_dot on tape 0 {
                recall s#4, s_dot#3
                v2 = cos(s#4)
                v3 = sin(s#4)
                v4 = -v3
                v5 = s_dot#3 * v4
                d_s#3 = d_s * v2
                v6 = d_s_dot * v2
                v7 = v5 * d_s
                v8 = v6 + v7
                yield d_s#3, v8
              }
              yield s#2, s_dot#2, d_s#2, d_s_dot#2
            }"#]],
    );
}

#[test]
fn what_an_arm_remembers_has_tangents_and_the_condition_none() {
    check_second(
        "fn f(x: f64) -> f64 { if x > 0.0 { x.sin().cos() } else { x } }",
        &expect![[r#"
            fn(x; x_dot, seed, seed_dot) {
              v0 = x > 0.0
              v1, v2, arm = if v0 {
                v3 = sin(x)
                v4 = cos(x)
                v5 = x_dot * v4
                v6 = cos(v3)
                v7 = sin(v3)
                v8 = -v7
                v9 = v5 * v8
                record v3, v5
                yield v6, v9
              } else {
                yield x, x_dot
              }
              // reverse
              d_x, d_x_dot = switch arm {
                recall v10, v11
                v12 = sin(v10)
                v13 = cos(v10)
                v14 = v11 * v13
                v15 = -v12
                v16 = -v14
                v17 = seed * v15
                v18 = seed_dot * v15
                v19 = v16 * seed
                v20 = v18 + v19
                v21 = cos(x)
                v22 = sin(x)
                v23 = -v22
                v24 = x_dot * v23
                d_x#2 = v17 * v21
                v25 = v20 * v21
                v26 = v24 * v17
                v27 = v25 + v26
                yield d_x#2, v27
              } else {
                yield seed, seed_dot
              }
              yield v1, v2, d_x, d_x_dot
            }"#]],
    );
}

#[test]
fn memory_is_restored_with_its_tangents() {
    check_second(
        "fn f(x: f64, i: usize) -> f64 { let mut a = [x, x]; a[i] = a[0] * a[1]; a[i] * a[1] }",
        &expect![[r#"
            fn(x, i; x_dot, seed, seed_dot) {
              v0 = [x, x]
              v1 = [x_dot, x_dot]
              new a = v0
              new a_dot = v1
              v2 = load a[0]
              v3 = load a_dot[0]
              v4 = load a[1]
              v5 = load a_dot[1]
              v6 = v2 * v4
              v7 = v3 * v4
              v8 = v5 * v2
              v9 = v7 + v8
              store a_dot[i] = v9
              store a[i] = v6
              v10 = load a[i]
              v11 = load a_dot[i]
              v12 = load a[1]
              v13 = load a_dot[1]
              v14 = v10 * v12
              v15 = v11 * v12
              v16 = v13 * v10
              v17 = v15 + v16
              // reverse
              new d_a = zero
              new d_a_dot = zero
              v18 = seed * v12
              v19 = seed_dot * v12
              v20 = v13 * seed
              v21 = v19 + v20
              v22 = seed * v10
              v23 = seed_dot * v10
              v24 = v11 * seed
              v25 = v23 + v24
              store d_a_dot[1] = v25
              store d_a[1] = v22
              store d_a_dot[i] += v21
              store d_a[i] += v18
              v26 = load and zero d_a[i]
              v27 = load and zero d_a_dot[i]
              v28 = v26 * v4
              v29 = v27 * v4
              v30 = v5 * v26
              v31 = v29 + v30
              v32 = v26 * v2
              v33 = v27 * v2
              v34 = v3 * v26
              v35 = v33 + v34
              store d_a_dot[1] += v35
              store d_a[1] += v32
              store d_a_dot[0] += v31
              store d_a[0] += v28
              v36 = take d_a
              v37 = take d_a_dot
              d_x = v36[0]
              d_x_dot = v37[0]
              d_x#2 = v36[1]
              d_x_dot#2 = v37[1]
              d_x#3 = d_x + d_x#2
              v38 = d_x_dot + d_x_dot#2
              yield v14, v17, d_x#3, v38
            }"#]],
    );
}

#[test]
fn a_call_and_its_pullback_take_tangents() {
    check_second(
        "fn f(x: f64, a: &[f64]) -> f64 { g(x, a) * x }",
        &expect![[r#"
            fn(x, &a; x_dot, &a_dot, seed, seed_dot, &mut d_a, &mut d_a_dot) {
              v0, v1, back = forward g(x, &a; x_dot, a_dot)
              v2 = v0 * x
              v3 = absorb(v1, x, g::__STEEP)
              v4 = x_dot * v0
              v5 = v3 + v4
              // reverse
              v6 = seed * x
              v7 = seed_dot * x
              v8 = x_dot * seed
              v9 = v7 + v8
              d_x = seed * v0
              v10 = seed_dot * v0
              v11 = absorb(v1, seed, g::__STEEP)
              v12 = v10 + v11
              d_x#2, d_x_dot = backward back(v6, v9, _, &a; a_dot, d_a, d_a_dot)
              d_x#3 = d_x + d_x#2
              v13 = v12 + d_x_dot
              yield v2, v5, d_x#3, v13
            }"#]],
    );
}

#[test]
fn constants_have_no_tangents() {
    check_second(
        "fn f(x: f64, #[constant] k: f64, n: usize) -> f64 { let c = k.sin(); x * c * n as f64 }",
        &expect![[r#"
            fn(x, k, n; x_dot, seed, seed_dot) {
              c = pure `k.sin()`
              v0 = x * c
              v1 = x_dot * c
              v2 = pure `n as f64`
              v3 = v0 * v2
              v4 = v1 * v2
              // reverse
              v5 = seed * v2
              v6 = seed_dot * v2
              d_x = v5 * c
              v7 = v6 * c
              yield v3, v4, d_x, v7
            }"#]],
    );
}
