//! The reverse of what a guard selects stands under that guard.

use expect_test::expect;

use crate::testing::{check_early, check_late, check_sweeps};
use crate::vjp::Seed;

#[test]
fn what_one_arm_selects_is_reversed_there() {
    check_late(
        "fn f(x: f64, d: f64) -> f64 { let inv = 1.0 / d; let a = x * inv; if d > 0.0 { a } else { 0.0 } }",
        &expect![[r#"
            fn(x, d; seed) {
              inv = 1.0 / d
              a = x * inv
              v0 = d > 0.0
              a#2 = if v0 {
                yield a
              } else {
                yield 0.0
              }
              // reverse
              d_x, d_d = if v0 {
                d_x#2 = seed * inv
                d_inv = seed * x
                v1 = smul(d_inv, inv)
                v2 = smul(v1, inv)
                d_d#2 = -v2
                yield d_x#2, d_d#2
              } else {
                yield -0.0, -0.0
              }
              yield a#2, d_x, d_d
            }"#]],
    );
}

#[test]
fn where_some_arms_select_it_a_truth_value_says_so() {
    check_late(
        "fn f(x: f64, d: f64, k: usize) -> f64 { let a = x * d; match k { 0 => a, 1 => a * a, _ => d } }",
        &expect![[r#"
            fn(x, d, k; seed) {
              a = x * d
              a#2, arm = match `k` {
                0 => {
                  yield a
                }
                1 => {
                  v0 = a * a
                  yield v0
                }
                _ => {
                  yield d
                }
              }
              // reverse
              d_a, d_d, taken = switch arm {
                yield seed, -0.0, true
              } else {
                d_a#2 = seed * a
                d_a#3 = seed * a
                d_a#4 = d_a#2 + d_a#3
                yield d_a#4, -0.0, true
              } else {
                yield -0.0, seed, false
              }
              d_x, d_d#2 = if taken {
                d_x#2 = d_a * d
                d_d#3 = d_a * x
                yield d_x#2, d_d#3
              } else {
                yield -0.0, -0.0
              }
              d_d#4 = d_d + d_d#2
              yield a#2, d_x, d_d#4
            }"#]],
    );
}

#[test]
fn arms_in_arms() {
    check_late(
        "fn f(x: f64, d: f64) -> f64 { let a = x * d; if d > 0.0 { if x > 0.0 { a } else { x } } else { 0.0 } }",
        &expect![[r#"
            fn(x, d; seed) {
              a = x * d
              v0 = d > 0.0
              a#2 = if v0 {
                v1 = x > 0.0
                a#3 = if v1 {
                  yield a
                } else {
                  yield x
                }
                yield a#3
              } else {
                yield 0.0
              }
              // reverse
              d_x, d_x#2, d_d = if v0 {
                v2 = x > 0.0
                d_x#3, d_x#4, d_d#2 = if v2 {
                  d_x#5 = seed * d
                  d_d#3 = seed * x
                  yield -0.0, d_x#5, d_d#3
                } else {
                  yield seed, -0.0, -0.0
                }
                yield d_x#3, d_x#4, d_d#2
              } else {
                yield -0.0, -0.0, -0.0
              }
              d_x#6 = d_x + d_x#2
              yield a#2, d_x#6, d_d
            }"#]],
    );
}

#[test]
fn two_guards_of_one_value() {
    check_late(
        "fn f(x: f64, d: f64) -> f64 { let a = x * d; let mut s = 0.0; if d > 0.0 { s += a * x; } if x > 0.0 { s += a * d; } s }",
        &expect![[r#"
            fn(x, d; seed) {
              a = x * d
              v0 = d > 0.0
              s = if v0 {
                v1 = a * x
                s#2 = 0.0 + v1
                yield s#2
              } else {
                yield 0.0
              }
              v2 = x > 0.0
              s#3 = if v2 {
                v3 = a * d
                s#4 = s + v3
                yield s#4
              } else {
                yield s
              }
              // reverse
              d_s, d_a, d_d, taken = if v2 {
                d_a#2 = seed * d
                d_d#2 = seed * a
                yield seed, d_a#2, d_d#2, true
              } else {
                yield seed, -0.0, -0.0, false
              }
              d_a#3, d_x, taken#2 = if v0 {
                d_a#4 = d_s * x
                d_a#5 = d_a + d_a#4
                d_x#2 = d_s * a
                yield d_a#5, d_x#2, true
              } else {
                yield d_a, -0.0, taken
              }
              d_x#3, d_d#3 = if taken#2 {
                d_x#4 = d_a#3 * d
                d_d#4 = d_a#3 * x
                yield d_x#4, d_d#4
              } else {
                yield -0.0, -0.0
              }
              d_x#5 = d_x + d_x#3
              d_d#5 = d_d + d_d#3
              yield s#3, d_x#5, d_d#5
            }"#]],
    );
}

#[test]
fn the_loop_of_a_distance_is_skipped_as_one() {
    check_sweeps(
        "__choose_nothing",
        "fn f(x: &[f64; 4], c: &[[f64; 4]]) -> f64 {
            let mut best = 1e9;
            for row in 0..c.len() {
                let mut d2 = 0.0;
                for j in 0..4 { let d = x[j] - c[row][j]; d2 += d * d; }
                best = if d2 < best { d2 } else { best };
            }
            best
        }",
        Seed::Late,
        &expect![[r#"
            fn(&x, &c; seed, &mut d_x, &mut d_c) {
              n = len c
              best#2 = for row in 0..n, best = 1e9 on tape 0 {
                d2#2 = for j in 0..4, d2 = 0.0 {
                  v0 = load x[j]
                  v1 = load c[row][j]
                  d = v0 - v1
                  v2 = d * d
                  d2#3 = d2 + v2
                  yield d2#3
                }
                v3 = d2#2 < best
                d2#4 = if v3 {
                  yield d2#2
                } else {
                  yield best
                }
                record v3
                yield d2#4
              }
              // reverse
              d_best#2 = for row#2 in rev 0..n, d_best = seed on tape 0 {
                recall v4
                d_best#3 = if v4 {
                  d_d2#2 = for j#2 in rev 0..4, d_d2 = d_best {
                    d_d2#3 = d_d2 + d_d2
                    v5 = load x[j#2]
                    v6 = load c[row#2][j#2]
                    d#2 = v5 - v6
                    d_d = d_d2#3 * d#2
                    v7 = -d_d
                    store d_c[row#2][j#2] += v7
                    store d_x[j#2] += d_d
                    yield d_d2
                  }
                  yield -0.0
                } else {
                  yield d_best
                }
                yield d_best#3
              }
              yield best#2
            }"#]],
    );
}

#[test]
fn a_guard_in_a_loop_of_what_stands_before_it() {
    check_late(
        "fn f(x: f64, d: f64, g: &[f64]) -> f64 { let inv = 1.0 / d; let a = x * inv; let mut s = 1.0; for i in 0..g.len() { if g[i] > 0.0 { s = s * a; } } s }",
        &expect![[r#"
            fn(x, d, &g; seed, &mut d_g) {
              inv = 1.0 / d
              a = x * inv
              n = len g
              s#2 = for i in 0..n, s = 1.0 on tape 0 {
                v0 = load g[i]
                v1 = v0 > 0.0
                s#3 = if v1 {
                  s#4 = s * a
                  yield s#4
                } else {
                  yield s
                }
                record s
                yield s#3
              }
              // reverse
              d_s#2, d_a#2, taken#2 = for i#2 in rev 0..n, d_s = seed, d_a = -0.0, taken = false on tape 0 {
                recall s#5
                v2 = load g[i#2]
                v3 = v2 > 0.0
                d_s#3, d_a#3, taken#3 = if v3 {
                  d_s#4 = d_s * a
                  d_a#4 = d_s * s#5
                  yield d_s#4, d_a#4, true
                } else {
                  yield d_s, -0.0, false
                }
                d_a#5 = d_a + d_a#3
                taken#4 = taken || taken#3
                yield d_s#3, d_a#5, taken#4
              }
              d_x, d_d = if taken#2 {
                d_x#2 = d_a#2 * inv
                d_inv = d_a#2 * x
                v4 = smul(d_inv, inv)
                v5 = smul(v4, inv)
                d_d#2 = -v5
                yield d_x#2, d_d#2
              } else {
                yield -0.0, -0.0
              }
              yield s#2, d_x, d_d
            }"#]],
    );
}

#[test]
fn a_fused_loop_guards_its_rounds() {
    check_early(
        "fn f(c: &[f64]) -> f64 { let mut s = 0.0; for i in 0..c.len() { let w = c[i].ln(); if c[i] > 0.0 { s += c[i] * w; } } s }",
        &expect![[r#"
            fn(&c; seed, &mut d_c) {
              n = len c
              s#2 = for i in 0..n, s = 0.0 {
                v0 = load c[i]
                w = ln(v0)
                v1 = v0 > 0.0
                s#3 = if v1 {
                  v2 = v0 * w
                  s#4 = s + v2
                  yield s#4
                } else {
                  yield s
                }
                d_ = if v1 {
                  v3 = seed * w
                  d_w = seed * v0
                  v4 = sdiv(d_w, v0)
                  d_#2 = v3 + v4
                  yield d_#2
                } else {
                  yield -0.0
                }
                store d_c[i] += d_
                yield s#3
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn a_pullback_is_not_called() {
    check_late(
        "fn f(x: f64, v: &[f64]) -> f64 { let a = g(x, v); if a > 0.0 { a } else { 0.0 } }",
        &expect![[r#"
            fn(x, &v; seed, &mut d_v) {
              a, back = forward g(x, &v)
              v0 = a > 0.0
              a#2 = if v0 {
                yield a
              } else {
                yield 0.0
              }
              // reverse
              d_x = if v0 {
                d_x#2 = backward back(seed, _, &v; d_v)
                yield d_x#2
              } else {
                yield -0.0
              }
              yield a#2, d_x
            }"#]],
    );
}

#[test]
fn what_is_cheap_and_finite_stays() {
    check_late(
        "fn f(x: f64, y: f64) -> f64 { let a = x - y * 2.0; if a > 0.0 { a } else { 0.0 } }",
        &expect![[r#"
            fn(x, y; seed) {
              v0 = y * 2.0
              a = x - v0
              v1 = a > 0.0
              a#2 = if v1 {
                yield a
              } else {
                yield 0.0
              }
              // reverse
              d_a = if v1 {
                yield seed
              } else {
                yield -0.0
              }
              v2 = -d_a
              d_y = v2 * 2.0
              yield a#2, d_a, d_y
            }"#]],
    );
}

#[test]
fn what_a_function_does_not_choose_is_not_reversed() {
    check_late(
        "fn f(v: &[f64], c: f64) -> f64 { let a = g(v); a.max(c) }",
        &expect![[r#"
            fn(&v, c; seed, &mut d_v) {
              a, back = forward g(&v)
              v0 = max(a, c)
              // reverse
              v1 = larger(a, c)
              d_a = select(seed, v1)
              v2 = larger(c, a)
              d_c = select(seed, v2)
              chosen = v1 != 0.0
              if chosen {
                backward back(d_a, &v; d_v)
              } else {
              }
              yield v0, d_c
            }"#]],
    );
}

#[test]
fn what_is_cheap_is_reversed_although_it_is_not_chosen() {
    check_late(
        "fn f(x: f64, w: f64) -> f64 { let a = x * w; a.max(0.0) }",
        &expect![[r#"
            fn(x, w; seed) {
              a = x * w
              v0 = max(a, 0.0)
              // reverse
              v1 = larger(a, 0.0)
              d_a = select(seed, v1)
              d_x = d_a * w
              d_w = d_a * x
              yield v0, d_x, d_w
            }"#]],
    );
}
