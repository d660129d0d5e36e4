//! Loops that run forward and backward in one pass.

use expect_test::expect;

use crate::testing::{check_early, check_late};

#[test]
fn an_accumulator_with_known_seed_fuses() {
    check_early(
        "fn f(xs: &[f64], x: f64) -> f64 { let mut s = 0.0; for i in 0..xs.len() { s += (xs[i] * x).exp(); } s }",
        &expect![[r#"
            fn(&xs, x; seed, &d_xs) {
              n = len xs
              s#2, d_x#2 = for i in 0..n, s = 0.0, d_x = -0.0 {
                v0 = load xs[i]
                v1 = v0 * x
                v2 = exp(v1)
                s#3 = s + v2
                v3 = smul(seed, v2)
                v4 = v3 * x
                d_x#3 = v3 * v0
                d_x#4 = d_x + d_x#3
                store d_xs[i] += v4
                yield s#3, d_x#4
              }
              yield s#2, d_x#2
            }"#]],
    );
}

#[test]
fn a_late_seed_does_not_fuse() {
    check_late(
        "fn f(xs: &[f64], x: f64) -> f64 { let mut s = 0.0; for i in 0..xs.len() { s += (xs[i] * x).exp(); } s }",
        &expect![[r#"
            fn(&xs, x; seed, &d_xs) {
              n = len xs
              s#2 = for i in 0..n, s = 0.0 on tape 0 {
                v0 = load xs[i]
                v1 = v0 * x
                v2 = exp(v1)
                s#3 = s + v2
                record v2
                yield s#3
              }
              // reverse
              d_s#2, d_x#2 = for i#2 in rev 0..n, d_s = seed, d_x = -0.0 on tape 0 {
                recall v3
                v4 = smul(d_s, v3)
                v5 = v4 * x
                v6 = load xs[i#2]
                d_x#3 = v4 * v6
                d_x#4 = d_x + d_x#3
                store d_xs[i#2] += v5
                yield d_s, d_x#4
              }
              yield s#2, d_x#2
            }"#]],
    );
}

#[test]
fn a_linear_use_of_the_sum_keeps_the_adjoint_early() {
    check_early(
        "fn f(xs: &[f64], k: f64) -> f64 { let m = k * k; let mut s = 0.0; for i in 0..xs.len() { s += xs[i].exp(); } 1.0 - s * 0.5 / m }",
        &expect![[r#"
            fn(&xs, k; seed, &d_xs) {
              m = k * k
              n = len xs
              s#2 = for i in 0..n, s = 0.0 on tape 0 {
                v0 = load xs[i]
                v1 = exp(v0)
                s#3 = s + v1
                record v1
                yield s#3
              }
              v2 = s#2 * 0.5
              v3 = v2 / m
              v4 = 1.0 - v3
              // reverse
              v5 = -seed
              v6 = sdiv(v5, m)
              v7 = smul(v6, v3)
              d_m = -v7
              d_s = v6 * 0.5
              d_s#3 = for i#2 in rev 0..n, d_s#2 = d_s on tape 0 {
                recall v8
                v9 = smul(d_s#2, v8)
                store d_xs[i#2] += v9
                yield d_s#2
              }
              d_k = d_m * k
              d_k#2 = d_m * k
              d_k#3 = d_k + d_k#2
              yield v4, d_k#3
            }"#]],
    );
}

#[test]
fn a_nonlinear_use_of_the_sum_does_not_fuse() {
    check_early(
        "fn f(xs: &[f64]) -> f64 { let mut s = 0.0; for i in 0..xs.len() { s += xs[i] * xs[i]; } s.sqrt() }",
        &expect![[r#"
            fn(&xs; seed, &d_xs) {
              n = len xs
              s#2 = for i in 0..n, s = 0.0 {
                v0 = load xs[i]
                v1 = v0 * v0
                s#3 = s + v1
                yield s#3
              }
              v2 = sqrt(s#2)
              // reverse
              v3 = 0.5 / v2
              d_s = smul(seed, v3)
              d_s#3 = for i#2 in rev 0..n, d_s#2 = d_s {
                v4 = load xs[i#2]
                v5 = d_s#2 * v4
                v6 = d_s#2 * v4
                v7 = v5 + v6
                store d_xs[i#2] += v7
                yield d_s#2
              }
              yield v2
            }"#]],
    );
}

#[test]
fn an_accumulator_that_the_body_multiplies_does_not_fuse() {
    check_early(
        "fn f(xs: &[f64]) -> f64 { let mut s = 0.0; for i in 0..xs.len() { s = s * 0.5 + xs[i] * xs[i]; } s }",
        &expect![[r#"
            fn(&xs; seed, &d_xs) {
              n = len xs
              s#2 = for i in 0..n, s = 0.0 {
                v0 = s * 0.5
                v1 = load xs[i]
                v2 = v1 * v1
                s#3 = v0 + v2
                yield s#3
              }
              // reverse
              d_s#2 = for i#2 in rev 0..n, d_s = seed {
                v3 = load xs[i#2]
                v4 = d_s * v3
                v5 = d_s * v3
                v6 = v4 + v5
                store d_xs[i#2] += v6
                d_s#3 = d_s * 0.5
                yield d_s#3
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn an_accumulator_that_the_body_reads_does_not_fuse() {
    check_early(
        "fn f(xs: &[f64]) -> f64 { let mut s = 0.0; for i in 0..xs.len() { s += xs[i] * s; } s }",
        &expect![[r#"
            fn(&xs; seed, &d_xs) {
              n = len xs
              s#2 = for i in 0..n, s = 0.0 on tape 0 {
                v0 = load xs[i]
                v1 = v0 * s
                s#3 = s + v1
                record s
                yield s#3
              }
              // reverse
              d_s#2 = for i#2 in rev 0..n, d_s = seed on tape 0 {
                recall s#4
                v2 = d_s * s#4
                v3 = load xs[i#2]
                d_s#3 = d_s * v3
                d_s#4 = d_s + d_s#3
                store d_xs[i#2] += v2
                yield d_s#4
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn an_accumulator_that_only_a_condition_reads_fuses() {
    check_early(
        "fn f(xs: &[f64]) -> f64 { let mut s = 0.0; for i in 0..xs.len() { if s < 10.0 { s += xs[i] * xs[i]; } } s }",
        &expect![[r#"
            fn(&xs; seed, &d_xs) {
              n = len xs
              s#2 = for i in 0..n, s = 0.0 {
                v0 = s < 10.0
                s#3 = if v0 {
                  v1 = load xs[i]
                  v2 = v1 * v1
                  s#4 = s + v2
                  yield s#4
                } else {
                  yield s
                }
                d_s = if v0 {
                  v3 = load xs[i]
                  v4 = seed * v3
                  v5 = seed * v3
                  v6 = v4 + v5
                  store d_xs[i] += v6
                  yield seed
                } else {
                  yield seed
                }
                yield s#3
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn a_later_store_to_what_the_loop_read_prevents_fusing() {
    check_early(
        "fn f(x: f64, n: usize) -> f64 { let mut a = [x, x]; let mut s = 0.0; for i in 0..n { s += a[i] * a[i]; } a[0] = 2.0; s + a[0] * a[1] }",
        &expect![[r#"
            fn(x, n; seed) {
              v0 = [x, x]
              new a = v0
              s#2 = for i in 0..n, s = 0.0 {
                v1 = load a[i]
                v2 = v1 * v1
                s#3 = s + v2
                yield s#3
              }
              old = load a[0]
              store a[0] = 2.0
              v3 = load a[0]
              v4 = load a[1]
              v5 = v3 * v4
              v6 = s#2 + v5
              // reverse
              new d_a = zero
              v7 = seed * v4
              v8 = seed * v3
              store d_a[1] += v8
              store d_a[0] += v7
              v9 = load and zero d_a[0]
              store a[0] = old
              d_s#2 = for i#2 in rev 0..n, d_s = seed {
                v10 = load a[i#2]
                v11 = d_s * v10
                v12 = d_s * v10
                v13 = v11 + v12
                store d_a[i#2] += v13
                yield d_s
              }
              v14 = take d_a
              d_x = v14[0]
              d_x#2 = v14[1]
              d_x#3 = d_x + d_x#2
              yield v6, d_x#3
            }"#]],
    );
}

#[test]
fn a_store_in_the_body_prevents_fusing() {
    check_early(
        "fn f(x: f64, n: usize) -> f64 { let mut a = [x, x]; let mut s = 0.0; for i in 0..n { a[0] = a[1] * 0.5; s += a[i] * a[i]; } s }",
        &expect![[r#"
            fn(x, n; seed) {
              v0 = [x, x]
              new a = v0
              s#2 = for i in 0..n, s = 0.0 on tape 0 {
                v1 = load a[1]
                v2 = v1 * 0.5
                old = load a[0]
                store a[0] = v2
                v3 = load a[i]
                v4 = v3 * v3
                s#3 = s + v4
                record old
                yield s#3
              }
              // reverse
              new d_a = zero
              d_s#2 = for i#2 in rev 0..n, d_s = seed on tape 0 {
                recall old#2
                v5 = load a[i#2]
                v6 = d_s * v5
                v7 = d_s * v5
                v8 = v6 + v7
                store d_a[i#2] += v8
                v9 = load and zero d_a[0]
                store a[0] = old#2
                v10 = v9 * 0.5
                store d_a[1] += v10
                yield d_s
              }
              v11 = take d_a
              d_x = v11[0]
              d_x#2 = v11[1]
              d_x#3 = d_x + d_x#2
              yield s#2, d_x#3
            }"#]],
    );
}

#[test]
fn nested_accumulators_fuse_as_one() {
    check_early(
        "fn f(xs: &[f64], n: usize) -> f64 { let mut s = 0.0; for i in 0..n { for j in 0..n { s += xs[i] * xs[j]; } } s }",
        &expect![[r#"
            fn(&xs, n; seed, &d_xs) {
              s#2 = for i in 0..n, s = 0.0 {
                s#4 = for j in 0..n, s#3 = s {
                  v0 = load xs[i]
                  v1 = load xs[j]
                  v2 = v0 * v1
                  s#5 = s#3 + v2
                  v3 = seed * v1
                  v4 = seed * v0
                  store d_xs[j] += v4
                  store d_xs[i] += v3
                  yield s#5
                }
                yield s#4
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn an_inner_accumulator_of_its_own_fuses_if_its_use_is_linear() {
    check_early(
        "fn f(xs: &[f64], n: usize) -> f64 { let mut s = 0.0; for i in 0..n { let mut t = 0.0; for j in 0..n { t += xs[j].exp(); } s += t * 2.0; } s }",
        &expect![[r#"
            fn(&xs, n; seed, &d_xs) {
              s#2 = for i in 0..n, s = 0.0 {
                t#2 = for j in 0..n, t = 0.0 on tape 0 {
                  v0 = load xs[j]
                  v1 = exp(v0)
                  t#3 = t + v1
                  record v1
                  yield t#3
                }
                v2 = t#2 * 2.0
                s#3 = s + v2
                d_t = seed * 2.0
                d_t#3 = for j#2 in rev 0..n, d_t#2 = d_t on tape 0 {
                  recall v3
                  v4 = smul(d_t#2, v3)
                  store d_xs[j#2] += v4
                  yield d_t#2
                }
                yield s#3
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn an_inner_loop_with_a_nonlinear_tail_records_within_the_round() {
    check_early(
        "fn f(xs: &[f64], n: usize) -> f64 { let mut s = 0.0; for i in 0..n { let mut t = 0.0; for j in 0..n { t += xs[j].exp(); } s += t.ln(); } s }",
        &expect![[r#"
            fn(&xs, n; seed, &d_xs) {
              s#2 = for i in 0..n, s = 0.0 {
                t#2 = for j in 0..n, t = 0.0 on tape 0 {
                  v0 = load xs[j]
                  v1 = exp(v0)
                  t#3 = t + v1
                  record v1
                  yield t#3
                }
                v2 = ln(t#2)
                s#3 = s + v2
                d_t = sdiv(seed, t#2)
                d_t#3 = for j#2 in rev 0..n, d_t#2 = d_t on tape 0 {
                  recall v3
                  v4 = smul(d_t#2, v3)
                  store d_xs[j#2] += v4
                  yield d_t#2
                }
                yield s#3
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn an_accumulator_inside_an_if_fuses() {
    check_early(
        "fn f(xs: &[f64], x: f64) -> f64 { let mut s = 0.0; for i in 0..xs.len() { if xs[i] > 0.0 { s += xs[i] * x; } else { s -= x; } } s }",
        &expect![[r#"
            fn(&xs, x; seed, &d_xs) {
              n = len xs
              s#2, d_x#2 = for i in 0..n, s = 0.0, d_x = -0.0 {
                v0 = load xs[i]
                v1 = v0 > 0.0
                s#3 = if v1 {
                  v2 = v0 * x
                  s#4 = s + v2
                  yield s#4
                } else {
                  s#5 = s - x
                  yield s#5
                }
                d_s, d_, d_x#3 = if v1 {
                  v3 = seed * x
                  d_x#4 = seed * v0
                  yield seed, v3, d_x#4
                } else {
                  d_x#5 = -seed
                  yield seed, -0.0, d_x#5
                }
                d_x#6 = d_x + d_x#3
                store d_xs[i] += d_
                yield s#3, d_x#6
              }
              yield s#2, d_x#2
            }"#]],
    );
}

#[test]
fn two_accumulators_fuse_together() {
    check_early(
        "fn f(xs: &[f64]) -> f64 { let mut s = 0.0; let mut t = 0.0; for i in 0..xs.len() { let x = xs[i]; s += x * x; t -= x; } s - t * 3.0 }",
        &expect![[r#"
            fn(&xs; seed, &d_xs) {
              n = len xs
              s#2, t#2 = for i in 0..n, s = 0.0, t = 0.0 {
                x = load xs[i]
                v0 = x * x
                s#3 = s + v0
                t#3 = t - x
                yield s#3, t#3
              }
              v1 = t#2 * 3.0
              v2 = s#2 - v1
              // reverse
              v3 = -seed
              d_t = v3 * 3.0
              d_s#2, d_t#3 = for i#2 in rev 0..n, d_s = seed, d_t#2 = d_t {
                d_x = -d_t#2
                x#2 = load xs[i#2]
                d_x#2 = d_s * x#2
                d_x#3 = d_x + d_x#2
                d_x#4 = d_s * x#2
                d_x#5 = d_x#3 + d_x#4
                store d_xs[i#2] += d_x#5
                yield d_s, d_t#2
              }
              yield v2
            }"#]],
    );
}

#[test]
fn an_accumulator_that_starts_from_an_outer_value_passes_its_adjoint_on() {
    check_early(
        "fn f(xs: &[f64], x: f64) -> f64 { let mut s = x * x; for i in 0..xs.len() { s += xs[i] * x; } s }",
        &expect![[r#"
            fn(&xs, x; seed, &d_xs) {
              s = x * x
              n = len xs
              s#3, d_x#2 = for i in 0..n, s#2 = s, d_x = -0.0 {
                v0 = load xs[i]
                v1 = v0 * x
                s#4 = s#2 + v1
                v2 = seed * x
                d_x#3 = seed * v0
                d_x#4 = d_x + d_x#3
                store d_xs[i] += v2
                yield s#4, d_x#4
              }
              // reverse
              d_x#5 = seed * x
              d_x#6 = d_x#2 + d_x#5
              d_x#7 = seed * x
              d_x#8 = d_x#6 + d_x#7
              yield s#3, d_x#8
            }"#]],
    );
}

#[test]
fn a_loop_below_a_recurrence_does_not_fuse() {
    check_early(
        "fn f(xs: &[f64], x: f64) -> f64 { let mut s = 0.0; let mut y = x; for i in 0..xs.len() { y = y.sin(); s += xs[i] * y; } s }",
        &expect![[r#"
            fn(&xs, x; seed, &d_xs) {
              n = len xs
              s#2, y#2 = for i in 0..n, s = 0.0, y = x on tape 0 {
                y#3 = sin(y)
                v0 = load xs[i]
                v1 = v0 * y#3
                s#3 = s + v1
                record y#3, y
                yield s#3, y#3
              }
              // reverse
              d_s#2, d_y#2 = for i#2 in rev 0..n, d_s = seed, d_y = -0.0 on tape 0 {
                recall y#4, y#5
                v2 = d_s * y#4
                v3 = load xs[i#2]
                d_y#3 = d_s * v3
                d_y#4 = d_y + d_y#3
                store d_xs[i#2] += v2
                v4 = cos(y#5)
                d_y#5 = d_y#4 * v4
                yield d_s, d_y#5
              }
              yield s#2, d_y#2
            }"#]],
    );
}
