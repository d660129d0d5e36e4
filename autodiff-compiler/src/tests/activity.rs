//! What is active: depends on the differentiable parameters, and a result depends on it.

use expect_test::expect;

use crate::testing::check_primal;

#[test]
fn a_counter_is_inactive() {
    check_primal(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut y = 1.0;
                let mut c = 0.0;
                for _ in 0..n {
                    y = y * x;
                    c = c + 1.0;
                }
                y / c
            }",
        &expect![[r#"
            fn(x*, n) {
              c#2, y#2* = for v0 in 0..n, c = 0.0, y* = 1.0 {
                y#3* = y* * x*
                c#3 = pure `c + 1.0`
                yield c#3, y#3*
              }
              v1* = y#2* / c#2
              yield v1*
            }"#]],
    );
}

#[test]
fn an_unused_parameter_is_inactive() {
    check_primal(
        "fn f(x: f64, y: f64) -> f64 { x * x }",
        &expect![[r#"
        fn(x*, y) {
          v0* = x* * x*
          yield v0*
        }"#]],
    );
}

#[test]
fn what_no_result_depends_on_is_inactive() {
    check_primal(
        r"
            fn f(x: f64) -> f64 {
                let y = x * x;
                let z = y.sin();
                if z > 0.0 { x } else { -x }
            }",
        &expect![[r#"
            fn(x*) {
              y = x* * x*
              z = sin(y)
              v0 = z > 0.0
              x#2* = if v0 {
                yield x*
              } else {
                v1* = -x*
                yield v1*
              }
              yield x#2*
            }"#]],
    );
}

#[test]
fn arithmetic_on_constants_is_inactive() {
    check_primal(
        "fn f(x: f64) -> f64 { let k = 2.0_f64.sqrt(); let m = k * 3.0; x * m }",
        &expect![[r#"
            fn(x*) {
              k = pure `2.0_f64.sqrt()`
              m = pure `k * 3.0`
              v0* = x* * m
              yield v0*
            }"#]],
    );
}

#[test]
fn a_constant_parameter_is_inactive() {
    check_primal(
        "fn f(x: f64, #[constant] k: f64, #[constant] ws: &[f64]) -> f64 { x * k * ws[0] }",
        &expect![[r#"
            fn(x*, k, &ws) {
              v0* = x* * k
              v1 = load ws[0]
              v2* = v0* * v1
              yield v2*
            }"#]],
    );
}

#[test]
fn a_function_that_is_flat_everywhere_stops_activity() {
    check_primal(
        "fn f(x: f64) -> f64 { let y = x.floor() * 2.0; x.copysign(y) }",
        &expect![[r#"
            fn(x*) {
              v0 = floor(x*)
              y = v0 * 2.0
              v1* = copysign(x*, y)
              yield v1*
            }"#]],
    );
}

#[test]
fn a_cast_to_an_integer_stops_activity() {
    check_primal(
        "fn f(x: f64, xs: &[f64]) -> f64 { let i = (x * 2.0) as usize; xs[i] }",
        &expect![[r#"
            fn(x, &xs*) {
              v0 = x * 2.0
              i = pure `v0 as usize`
              v1* = load xs*[i]
              yield v1*
            }"#]],
    );
}

#[test]
fn a_cast_between_floats_passes_activity_on() {
    check_primal(
        "fn f(x: f64) -> f32 { let y = x as f32; y * 2.0 }",
        &expect![[r#"
            fn(x*) {
              y* = x* as f32
              v0* = y* * 2.0
              yield v0*
            }"#]],
    );
}

#[test]
fn comparisons_and_lengths_are_inactive() {
    check_primal(
        r"
            fn f(x: f64, xs: &[f64]) -> f64 {
                let b = x > xs[0];
                let n = xs.len();
                if b { x * n as f64 } else { x }
            }",
        &expect![[r#"
            fn(x*, &xs) {
              v0 = load xs[0]
              b = x* > v0
              n = len xs
              v1* = if b {
                v2 = pure `n as f64`
                v3* = x* * v2
                yield v3*
              } else {
                yield x*
              }
              yield v1*
            }"#]],
    );
}

#[test]
fn a_store_makes_the_place_active() {
    check_primal(
        "fn f(x: f64) -> f64 { let mut a = [0.0; 4]; a[0] = 1.0; a[1] = x; a[2] }",
        &expect![[r#"
            fn(x*) {
              v0 = opaque `[0.0; 4]`
              new a* = v0
              store a*[0] = 1.0
              store a*[1] = x*
              v1* = load a*[2]
              yield v1*
            }"#]],
    );
}

#[test]
fn a_place_that_no_result_reads_is_inactive() {
    check_primal(
        "fn f(x: f64) -> f64 { let mut a = [0.0; 4]; a[1] = x; x * 2.0 }",
        &expect![[r#"
            fn(x*) {
              v0 = opaque `[0.0; 4]`
              new a = v0
              store a[1] = x*
              v1* = x* * 2.0
              yield v1*
            }"#]],
    );
}

#[test]
fn an_array_of_indices_is_inactive() {
    check_primal(
        r"
            fn f(xs: &[f64], order: &[usize]) -> f64 {
                let mut p = [0usize; 2];
                p[0] = order[1];
                xs[p[0]]
            }",
        &expect![[r#"
            fn(&xs*, &order) {
              v0 = opaque `[0usize; 2]`
              new p = v0
              opaque `p[0] = order[1]` writes p
              v1 = load p[0]
              v2* = load xs*[v1]
              yield v2*
            }"#]],
    );
}

#[test]
fn a_carried_value_is_active_from_the_round_that_makes_it_so() {
    check_primal(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut a = 1.0;
                let mut b = 1.0;
                for _ in 0..n {
                    a = b;
                    b = x;
                }
                a
            }",
        &expect![[r#"
            fn(x*, n) {
              a#2*, b#2 = for v0 in 0..n, a = 1.0, b* = 1.0 {
                yield b*, x*
              }
              yield a#2*
            }"#]],
    );
}

#[test]
fn a_stopped_gradient_is_inactive() {
    check_primal(
        "fn f(x: f64) -> f64 { x * autodiff::stop_gradient(x * x) }",
        &expect![[r#"
            fn(x*) {
              v0 = opaque `x* * x*`
              v1* = x* * v0
              yield v1*
            }"#]],
    );
}

#[test]
fn a_call_that_nothing_uses_is_active_and_one_that_decides_is_not() {
    check_primal(
        "fn f(x: f64) -> f64 { if small(x) { keep(x); } let y = keep(x); x }",
        &expect![[r#"
            fn(x*) {
              v0 = call small(x*)
              if v0 {
                v1* = call keep(x*)
              } else {
              }
              y* = call keep(x*)
              yield x*
            }"#]],
    );
}
