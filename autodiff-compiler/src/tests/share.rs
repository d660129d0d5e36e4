//! What the primal computes twice is computed once.

use expect_test::expect;

use crate::testing::check_primal;

#[test]
fn equal_operations_on_equal_operands_are_one() {
    check_primal(
        "fn f(x: f64) -> f64 { let a = x.exp() * 2.0; let b = x.exp() * 3.0; a * b }",
        &expect![[r#"
            fn(x*) {
              v0* = exp(x*)
              a* = v0* * 2.0
              b* = v0* * 3.0
              v1* = a* * b*
              yield v1*
            }"#]],
    );
}

#[test]
fn operands_in_another_order_are_not_equal() {
    check_primal(
        "fn f(x: f64, y: f64) -> f64 { (x - y) * (y - x) }",
        &expect![[r#"
            fn(x*, y*) {
              v0* = x* - y*
              v1* = y* - x*
              v2* = v0* * v1*
              yield v2*
            }"#]],
    );
}

#[test]
fn loads_of_unchanged_memory_are_one() {
    check_primal(
        "fn f(xs: &[f64], i: usize) -> f64 { xs[i] * xs[i] }",
        &expect![[r#"
            fn(&xs*, i) {
              v0* = load xs*[i]
              v1* = v0* * v0*
              yield v1*
            }"#]],
    );
}

#[test]
fn a_store_between_loads_keeps_them_apart() {
    check_primal(
        r"
            fn f(xs: &mut [f64], i: usize, j: usize) -> f64 {
                let a = xs[i];
                xs[j] = 2.0;
                a * xs[i]
            }",
        &expect![[r#"
            fn(&mut xs*, i, j) {
              a* = load xs*[i]
              store xs*[j] = 2.0
              v0* = load xs*[i]
              v1* = a* * v0*
              yield v1*
            }"#]],
    );
}

#[test]
fn a_store_to_another_place_does_not_matter() {
    check_primal(
        "fn f(xs: &[f64], out: &mut [f64]) -> f64 { let a = xs[0]; out[0] = a; a * xs[0] }",
        &expect![[r#"
            fn(&xs*, &mut out*) {
              a* = load xs*[0]
              store out*[0] = a*
              v0* = a* * a*
              yield v0*
            }"#]],
    );
}

#[test]
fn a_loop_that_stores_loads_again_in_each_round() {
    check_primal(
        r"
            fn f(xs: &mut [f64], n: usize) -> f64 {
                let a = xs[0];
                for i in 0..n {
                    xs[i] = xs[0] * 2.0;
                }
                a * xs[0]
            }",
        &expect![[r#"
            fn(&mut xs*, n) {
              a* = load xs*[0]
              for i in 0..n {
                v0* = load xs*[0]
                v1* = v0* * 2.0
                store xs*[i] = v1*
              }
              v2* = load xs*[0]
              v3* = a* * v2*
              yield v3*
            }"#]],
    );
}

#[test]
fn a_loop_that_does_not_store_reuses_what_was_loaded_before_it() {
    check_primal(
        r"
            fn f(xs: &[f64], n: usize) -> f64 {
                let mut s = xs[0];
                for i in 0..n {
                    s += xs[0] * xs[i];
                }
                s
            }",
        &expect![[r#"
            fn(&xs*, n) {
              s* = load xs*[0]
              s#3* = for i in 0..n, s#2* = s* {
                v0* = load xs*[i]
                v1* = s* * v0*
                s#4* = s#2* + v1*
                yield s#4*
              }
              yield s#3*
            }"#]],
    );
}

#[test]
fn an_arm_that_stores_does_not_hide_its_store_from_what_follows() {
    check_primal(
        r"
            fn f(xs: &mut [f64], c: bool) -> f64 {
                let a = xs[0];
                if c {
                    xs[0] = a * 2.0;
                }
                a * xs[0]
            }",
        &expect![[r#"
            fn(&mut xs*, c) {
              a* = load xs*[0]
              if c {
                v0* = a* * 2.0
                store xs*[0] = v0*
              } else {
              }
              v1* = load xs*[0]
              v2* = a* * v1*
              yield v2*
            }"#]],
    );
}

#[test]
fn a_literal_with_a_name_keeps_its_type() {
    check_primal(
        "fn f(x: f64) -> f64 { let q = x.max(0.0); let zero: f64 = 0.0; q * zero.cos() + x.min(0.0) }",
        &expect![[r#"
            fn(x*) {
              q* = max(x*, 0.0)
              v0 = pure `0.0.cos()`
              v1* = q* * v0
              v2* = min(x*, 0.0)
              v3* = v1* + v2*
              yield v3*
            }"#]],
    );
}

#[test]
fn what_one_arm_computes_is_not_known_in_the_other() {
    check_primal(
        "fn f(x: f64, c: bool) -> f64 { if c { x.exp() } else { x.exp() * 2.0 } }",
        &expect![[r#"
            fn(x*, c) {
              v0* = if c {
                v1* = exp(x*)
                yield v1*
              } else {
                v2* = exp(x*)
                v3* = v2* * 2.0
                yield v3*
              }
              yield v0*
            }"#]],
    );
}

#[test]
fn a_call_that_may_store_keeps_loads_apart() {
    check_primal(
        "fn f(xs: &mut [f64]) -> f64 { let a = xs[0]; g(xs); a * xs[0] }",
        &expect![[r#"
            fn(&mut xs*) {
              a* = load xs*[0]
              v0 = call g(&mut xs*)
              v1* = load xs*[0]
              v2* = a* * v1*
              yield v2*
            }"#]],
    );
}
