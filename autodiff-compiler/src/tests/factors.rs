//! Which products with one cotangent are joined.

use expect_test::expect;

use crate::testing::{check_early, check_late, check_sweeps};
use crate::vjp::Seed;

#[test]
fn two_ways_into_one_result_are_one_product() {
    check_early(
        "fn f(x: f64, a: f64, b: f64) -> f64 { let y = x * a + x * b; y.sin() }",
        &expect![[r#"
            fn(x, a, b; seed) {
              v0 = x * a
              v1 = x * b
              y = v0 + v1
              v2 = sin(y)
              // reverse
              v3 = cos(y)
              d_y = seed * v3
              d_b = d_y * x
              b#2 = b + a
              d_x = d_y * b#2
              d_a = d_y * x
              yield v2, d_x, d_a, d_b
            }"#]],
    );
}

#[test]
fn a_cube_takes_the_square_that_is_there() {
    check_early(
        "fn f(x: f64, p: f64) -> f64 { let y = x * x * x + p * x; y * y }",
        &expect![[r#"
            fn(x, p; seed) {
              v0 = x * x
              v1 = v0 * x
              v2 = p * x
              y = v1 + v2
              v3 = y * y
              // reverse
              d_y = seed * y
              d_y#2 = seed * y
              d_y#3 = d_y + d_y#2
              d_p = d_y#3 * x
              p#2 = p + v0
              p#3 = p#2 + v0
              p#4 = p#3 + v0
              d_x = d_y#3 * p#4
              yield v3, d_x, d_p
            }"#]],
    );
}

#[test]
fn a_guard_serves_all_its_terms() {
    check_late(
        "fn f(x: f64, a: f64, b: f64) -> f64 { (x * a + x * b + x).sqrt() }",
        &expect![[r#"
            fn(x, a, b; seed) {
              v0 = x * a
              v1 = x * b
              v2 = v0 + v1
              v3 = v2 + x
              v4 = sqrt(v3)
              // reverse
              v5 = 0.5 / v4
              d_x = smul(seed, v5)
              d_b = absorb(d_x, x)
              b#2 = b + a
              d_x#2 = absorb(d_x, b#2)
              d_x#3 = d_x + d_x#2
              d_a = absorb(d_x, x)
              yield v4, d_x#3, d_a, d_b
            }"#]],
    );
}

#[test]
fn products_with_different_cotangents_stay_apart() {
    check_early(
        "fn f(x: f64, a: f64) -> f64 { let y = (x * a).sin(); x * y + x * a }",
        &expect![[r#"
            fn(x, a; seed) {
              v0 = x * a
              y = sin(v0)
              v1 = x * y
              v2 = v1 + v0
              // reverse
              d_x = seed * y
              d_y = seed * x
              v3 = cos(v0)
              v4 = d_y * v3
              seed#2 = seed + v4
              d_x#2 = seed#2 * a
              d_x#3 = d_x + d_x#2
              d_a = seed#2 * x
              yield v2, d_x#3, d_a
            }"#]],
    );
}

#[test]
fn a_product_that_is_used_elsewhere_stays() {
    check_early(
        "fn f(x: f64, a: f64, b: f64) -> f64 { let y = x * a * b; y + x * b }",
        &expect![[r#"
            fn(x, a, b; seed) {
              v0 = x * a
              y = v0 * b
              v1 = x * b
              v2 = y + v1
              // reverse
              d_x = seed * b
              v3 = seed * b
              x#2 = x + v0
              d_b = seed * x#2
              d_x#2 = v3 * a
              d_x#3 = d_x + d_x#2
              d_a = v3 * x
              yield v2, d_x#3, d_a, d_b
            }"#]],
    );
}

#[test]
fn a_reciprocal_divides_nothing_on_the_way_back() {
    check_late(
        "fn f(x: f64) -> f64 { 1.0 / (1.0 + (-x).exp()) }",
        &expect![[r#"
            fn(x; seed) {
              v0 = -x
              v1 = exp(v0)
              v2 = 1.0 + v1
              v3 = 1.0 / v2
              // reverse
              v4 = seed * v3
              v5 = v4 * v3
              v6 = -v5
              v7 = smul(v6, v1)
              d_x = -v7
              yield v3, d_x
            }"#]],
    );
}

#[test]
fn a_reciprocal_of_what_may_be_zero_is_guarded() {
    check_late(
        "fn f(x: f64, y: f64) -> f64 { 1.0 / x * y }",
        &expect![[r#"
            fn(x, y; seed) {
              v0 = 1.0 / x
              v1 = v0 * y
              // reverse
              v2 = seed * y
              d_y = seed * v0
              v3 = smul(v2, v0)
              v4 = smul(v3, v0)
              d_x = -v4
              yield v1, d_x, d_y
            }"#]],
    );
}

#[test]
fn a_quotient_is_divided() {
    check_late(
        "fn f(x: f64, y: f64) -> f64 { y / x }",
        &expect![[r#"
        fn(x, y; seed) {
          v0 = y / x
          // reverse
          d_y = sdiv(seed, x)
          v1 = smul(d_y, v0)
          d_x = -v1
          yield v0, d_x, d_y
        }"#]],
    );
}

#[test]
fn on_demand_every_product_stays() {
    check_sweeps(
        "__factor_nothing",
        "fn f(x: f64, a: f64, b: f64) -> f64 { let y = x * a + x * b; y.sin() }",
        Seed::Early,
        &expect![[r#"
            fn(x, a, b; seed) {
              v0 = x * a
              v1 = x * b
              y = v0 + v1
              v2 = sin(y)
              // reverse
              v3 = cos(y)
              d_y = seed * v3
              d_x = d_y * b
              d_b = d_y * x
              d_x#2 = d_y * a
              d_x#3 = d_x + d_x#2
              d_a = d_y * x
              yield v2, d_x#3, d_a, d_b
            }"#]],
    );
}

#[test]
fn a_cotangent_from_outside_is_doubled_not_its_products() {
    check_early(
        "fn f(x: &[f64]) -> f64 { let mut s = 1.0; for i in 0..x.len() { s -= x[i] * x[i]; } 3.0 * s }",
        &expect![[r#"
            fn(&x; seed, &mut d_x) {
              n = len x
              d_s = seed * 3.0
              s#2 = for i in 0..n, s = 1.0 {
                v0 = load x[i]
                v1 = v0 * v0
                s#3 = s - v1
                v2 = -d_s
                v3 = v2 + v2
                v4 = v3 * v0
                store d_x[i] += v4
                yield s#3
              }
              v5 = 3.0 * s#2
              yield v5
            }"#]],
    );
}
