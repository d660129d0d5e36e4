//! Which products absorb an infinite slope.

use expect_test::expect;

use crate::testing::{check_jvp, check_late, check_second, check_sweeps};
use crate::vjp::Seed;

#[test]
fn the_first_product_absorbs_and_the_next_is_plain() {
    check_jvp(
        "fn f(x: f64, k: f64) -> f64 { x.sqrt() * k * k }",
        &expect![[r#"
            fn(x, k; x_dot, k_dot) {
              v0 = sqrt(x)
              v1 = 0.5 / v0
              v2 = smul(x_dot, v1)
              v3 = v0 * k
              v4 = absorb(v2, k)
              v5 = k_dot * v0
              v6 = v4 + v5
              v7 = v3 * k
              v8 = v6 * k
              v9 = k_dot * v3
              v10 = v8 + v9
              yield v7, v10
            }"#]],
    );
    check_late(
        "fn f(x: f64, k: f64) -> f64 { let a = x * k; let b = a * k; b.sqrt() }",
        &expect![[r#"
            fn(x, k; seed) {
              a = x * k
              b = a * k
              v0 = sqrt(b)
              // reverse
              v1 = 0.5 / v0
              d_b = smul(seed, v1)
              d_a = absorb(d_b, k)
              d_k = absorb(d_b, a)
              d_x = d_a * k
              d_k#2 = absorb(d_b, a)
              d_k#3 = d_k + d_k#2
              yield v0, d_x, d_k#3
            }"#]],
    );
}

#[test]
fn constant_factors_pass_it_on() {
    check_jvp(
        "fn f(x: f64, #[constant] c: f64, k: f64) -> f64 { -(x.sqrt() * c * 2.0) * k }",
        &expect![[r#"
            fn(x, c, k; x_dot, k_dot) {
              v0 = sqrt(x)
              v1 = 0.5 / v0
              v2 = smul(x_dot, v1)
              v3 = v0 * c
              v4 = absorb(v2, c)
              v5 = v3 * 2.0
              v6 = v4 * 2.0
              v7 = -v5
              v8 = -v6
              v9 = v7 * k
              v10 = absorb(v8, k)
              v11 = k_dot * v7
              v12 = v10 + v11
              yield v9, v12
            }"#]],
    );
}

#[test]
fn loops_carry_it_and_ask_once() {
    check_late(
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..x.len() { s += x[i] * x[i]; } s.sqrt() }",
        &expect![[r#"
            fn(&x; seed, &mut d_x) {
              n = len x
              s#2 = for i in 0..n, s = 0.0 {
                v0 = load x[i]
                v1 = v0 * v0
                s#3 = s + v1
                yield s#3
              }
              v2 = sqrt(s#2)
              // reverse
              v3 = 0.5 / v2
              d_s = smul(seed, v3)
              d_s#3 = for i#2 in 0..n, d_s#2 = d_s {
                d_s#4 = d_s#2 + d_s#2
                v4 = load x[i#2]
                v5 = absorb once(d_s#4, v4)
                store d_x[i#2] += v5
                yield d_s#2
              }
              yield v2
            }"#]],
    );
}

#[test]
fn memory_holds_it() {
    check_jvp(
        "fn f(x: f64, k: f64) -> f64 { let mut r = [k, k]; r[0] = x.sqrt(); r[1] * k }",
        &expect![[r#"
            fn(x, k; x_dot, k_dot) {
              v0 = [k, k]
              v1 = [k_dot, k_dot]
              new r = v0
              new r_dot = v1
              v2 = sqrt(x)
              v3 = 0.5 / v2
              v4 = smul(x_dot, v3)
              store r_dot[0] = v4
              store r[0] = v2
              v5 = load r[1]
              v6 = load r_dot[1]
              v7 = v5 * k
              v8 = absorb(v6, k)
              v9 = k_dot * v5
              v10 = v8 + v9
              yield v7, v10
            }"#]],
    );
}

#[test]
fn a_call_says_whether_it_gives_one() {
    check_jvp(
        "fn f(x: f64, k: f64) -> f64 { g(x) * k }",
        &expect![[r#"
            fn(x, k; x_dot, k_dot) {
              v0, v1 = jvp g(x; x_dot)
              v2 = v0 * k
              v3 = absorb(v1, k, g::__STEEP)
              v4 = k_dot * v0
              v5 = v3 + v4
              yield v2, v5
            }"#]],
    );
    check_late(
        "fn f(x: f64, k: f64) -> f64 { g(x * k) }",
        &expect![[r#"
            fn(x, k; seed) {
              v0 = x * k
              v1, back = forward g(v0)
              // reverse
              d_ = backward back(seed, _)
              d_x = absorb(d_, k, g::__STEEP)
              d_k = absorb(d_, x, g::__STEEP)
              yield v1, d_x, d_k
            }"#]],
    );
}

#[test]
fn a_divisor_that_cannot_be_zero_gives_none() {
    check_late(
        "fn f(x: f64, w: f64) -> f64 { 1.0 / (1.0 + (-(x * w)).exp()) }",
        &expect![[r#"
            fn(x, w; seed) {
              v0 = x * w
              v1 = -v0
              v2 = exp(v1)
              v3 = 1.0 + v2
              v4 = 1.0 / v3
              // reverse
              v5 = seed * v4
              v6 = v5 * v4
              v7 = -v6
              v8 = smul(v7, v2)
              v9 = -v8
              d_x = v9 * w
              d_w = v9 * x
              yield v4, d_x, d_w
            }"#]],
    );
    check_late(
        "fn f(x: f64, w: f64) -> f64 { let d = x * w; 1.0 / d }",
        &expect![[r#"
            fn(x, w; seed) {
              d = x * w
              v0 = 1.0 / d
              // reverse
              v1 = smul(seed, v0)
              v2 = smul(v1, v0)
              d_d = -v2
              d_x = absorb(d_d, w)
              d_w = absorb(d_d, x)
              yield v0, d_x, d_w
            }"#]],
    );
}

#[test]
fn every_product_is_guarded_where_zeros_are_strong() {
    check_sweeps(
        "strong_zero",
        "fn f(x: f64, k: f64) -> f64 { x * k * x.sin() }",
        Seed::Late,
        &expect![[r#"
            fn(x, k; seed) {
              v0 = x * k
              v1 = sin(x)
              v2 = v0 * v1
              // reverse
              v3 = zmul(seed, v1)
              v4 = zmul(seed, v0)
              v5 = cos(x)
              d_x = zmul(v4, v5)
              d_x#2 = zmul(v3, k)
              d_x#3 = d_x + d_x#2
              d_k = zmul(v3, x)
              yield v2, d_x#3, d_k
            }"#]],
    );
}

#[test]
fn what_absorbs_absorbs_in_derivatives_of_derivatives() {
    check_second(
        "fn f(x: f64, k: f64) -> f64 { (x * k).sqrt() }",
        &expect![[r#"
            fn(x, k; x_dot, k_dot, seed, seed_dot) {
              v0 = x * k
              v1 = x_dot * k
              v2 = k_dot * x
              v3 = v1 + v2
              v4 = sqrt(v0)
              v5 = 0.5 / v4
              v6 = smul(v3, v5)
              // reverse
              v7 = 0.5 / v4
              v8 = sdiv(v6, v4)
              v9 = smul(v8, v7)
              v10 = -v9
              v11 = smul(seed, v7)
              v12 = smul(seed_dot, v7)
              v13 = zmul(v10, seed)
              v14 = v12 + v13
              d_x = absorb(v11, k)
              v15 = absorb(v14, k)
              v16 = zmul(k_dot, v11)
              v17 = v15 + v16
              d_k = absorb(v11, x)
              v18 = absorb(v14, x)
              v19 = zmul(x_dot, v11)
              v20 = v18 + v19
              yield v4, v6, d_x, d_k, v17, v20
            }"#]],
    );
}

#[test]
fn zeros_that_were_computed_are_watched() {
    check_sweeps(
        "verify",
        "fn f(x: f64) -> f64 { let r = x.sqrt(); r * r }",
        Seed::Late,
        &expect![[r#"
            fn(x; seed) {
              r = sqrt(x)
              v0 = r * r
              // reverse
              d_r = seed * r
              d_r#2 = seed * r
              d_r#3 = d_r + d_r#2
              v1 = 0.5 / r
              absorbed d_r#3, v1, seed
              d_x = smul(d_r#3, v1)
              yield v0, d_x
            }"#]],
    );
}
