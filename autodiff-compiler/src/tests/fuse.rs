//! Loops that run forward and backward in one pass.

use expect_test::expect;

use crate::testing::{check_at_once, check_early, check_late};

#[test]
fn an_accumulator_with_known_seed_fuses() {
    check_early(
        r"
            fn f(xs: &[f64], x: f64) -> f64 {
                let mut s = 0.0;
                for i in 0..xs.len() {
                    s += (xs[i] * x).exp();
                }
                s
            }",
        &expect![[r#"
            fn(&xs, x; seed, &mut d_xs) {
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
        r"
            fn f(xs: &[f64], x: f64) -> f64 {
                let mut s = 0.0;
                for i in 0..xs.len() {
                    s += (xs[i] * x).exp();
                }
                s
            }",
        &expect![[r#"
            fn(&xs, x; seed, &mut d_xs) {
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
              d_x#2 = for i#2 in rev 0..n, d_x = -0.0 on tape 0, which stays {
                recall v3
                v4 = smul(seed, v3)
                v5 = load xs[i#2]
                d_x#3 = v4 * v5
                d_x#4 = d_x + d_x#3
                yield d_x#4
              }
              d_s#2 = for i#3 in 0..n, d_s = seed on tape 0, from the first {
                recall v6
                v7 = smul(d_s, v6)
                v8 = v7 * x
                store d_xs[i#3] += v8
                yield d_s
              }
              yield s#2, d_x#2
            }"#]],
    );
}

#[test]
fn a_linear_use_of_the_sum_keeps_the_adjoint_early() {
    check_early(
        r"
            fn f(xs: &[f64], x: f64, k: f64) -> f64 {
                let m = k * k;
                let mut s = 0.0;
                for i in 0..xs.len() {
                    s += xs[i].exp();
                }
                x - k * s / m
            }",
        &expect![[r#"
            fn(&xs, x, k; seed, &mut d_xs) {
              m = k * k
              n = len xs
              v0 = -seed
              v1 = sdiv(v0, m)
              d_s = absorb(v1, k)
              s#2 = for i in 0..n, s = 0.0 {
                v2 = load xs[i]
                v3 = exp(v2)
                s#3 = s + v3
                v4 = smul(d_s, v3)
                store d_xs[i] += v4
                yield s#3
              }
              v5 = k * s#2
              v6 = v5 / m
              v7 = x - v6
              // reverse
              v8 = -seed
              v9 = sdiv(v8, m)
              v10 = smul(v9, v6)
              d_m = -v10
              d_k = absorb(v9, s#2)
              k#2 = k + k
              d_k#2 = absorb(d_m, k#2)
              d_k#3 = d_k + d_k#2
              yield v7, seed, d_k#3
            }"#]],
    );
}

#[test]
fn a_sum_that_another_branch_yields_does_not_fuse() {
    check_early(
        r"
            fn f(xs: &[f64]) -> f64 {
                let mut cum = 0.0;
                let mut loss = 0.0;
                for i in 0..xs.len() {
                    cum += xs[i];
                    loss += if cum > 1.0 { cum } else { 0.5 };
                }
                loss
            }",
        &expect![[r#"
            fn(&xs; seed, &mut d_xs) {
              n = len xs
              cum#2, loss#2 = for i in 0..n, cum = 0.0, loss = 0.0 on tape 0 {
                v0 = load xs[i]
                cum#3 = cum + v0
                v1 = cum#3 > 1.0
                cum#4 = if v1 {
                  yield cum#3
                } else {
                  yield 0.5
                }
                loss#3 = loss + cum#4
                record v1
                yield cum#3, loss#3
              }
              // reverse
              d_cum#2, d_loss#2 = for i#2 in rev 0..n, d_cum = -0.0, d_loss = seed on tape 0 {
                recall v2
                d_cum#3 = if v2 {
                  d_cum#4 = d_cum + d_loss
                  yield d_cum#4
                } else {
                  yield d_cum
                }
                store d_xs[i#2] += d_cum#3
                yield d_cum#3, d_loss
              }
              yield loss#2
            }"#]],
    );
}

#[test]
fn a_nonlinear_use_of_the_sum_does_not_fuse() {
    check_early(
        r"
            fn f(xs: &[f64]) -> f64 {
                let mut s = 0.0;
                for i in 0..xs.len() {
                    s += xs[i] * xs[i];
                }
                s.sqrt()
            }",
        &expect![[r#"
            fn(&xs; seed, &mut d_xs) {
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
              d_s#3 = for i#2 in 0..n, d_s#2 = d_s {
                d_s#4 = d_s#2 + d_s#2
                v4 = load xs[i#2]
                v5 = absorb once(d_s#4, v4)
                store d_xs[i#2] += v5
                yield d_s#2
              }
              yield v2
            }"#]],
    );
}

#[test]
fn an_accumulator_that_the_body_multiplies_does_not_fuse() {
    check_early(
        r"
            fn f(xs: &[f64]) -> f64 {
                let mut s = 0.0;
                for i in 0..xs.len() {
                    s = s * 0.5 + xs[i] * xs[i];
                }
                s
            }",
        &expect![[r#"
            fn(&xs; seed, &mut d_xs) {
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
        r"
            fn f(xs: &[f64]) -> f64 {
                let mut s = 0.0;
                for i in 0..xs.len() {
                    s += xs[i] * s;
                }
                s
            }",
        &expect![[r#"
            fn(&xs; seed, &mut d_xs) {
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
        r"
            fn f(xs: &[f64]) -> f64 {
                let mut s = 0.0;
                for i in 0..xs.len() {
                    if s < 10.0 {
                        s += xs[i] * xs[i];
                    }
                }
                s
            }",
        &expect![[r#"
            fn(&xs; seed, &mut d_xs) {
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
                if v0 {
                  seed#2 = seed + seed
                  v3 = load xs[i]
                  v4 = seed#2 * v3
                  store d_xs[i] += v4
                } else {
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
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut a = [x, x];
                let mut s = 0.0;
                for i in 0..n {
                    s += a[i] * a[i];
                }
                a[0] = 2.0;
                s + a[0] * a[1]
            }",
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
              store d_a[1] = v8
              store d_a[0] += v7
              v9 = load and zero d_a[0]
              store a[0] = old
              d_s#2 = for i#2 in rev 0..n, d_s = seed {
                d_s#3 = d_s + d_s
                v10 = load a[i#2]
                v11 = d_s#3 * v10
                store d_a[i#2] += v11
                yield d_s
              }
              v12 = take d_a
              d_x = v12[0]
              d_x#2 = v12[1]
              d_x#3 = d_x + d_x#2
              yield v6, d_x#3
            }"#]],
    );
}

#[test]
fn a_store_in_the_body_prevents_fusing() {
    check_early(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut a = [x, x];
                let mut s = 0.0;
                for i in 0..n {
                    a[0] = a[1] * 0.5;
                    s += a[i] * a[i];
                }
                s
            }",
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
                d_s#3 = d_s + d_s
                v5 = load a[i#2]
                v6 = d_s#3 * v5
                store d_a[i#2] += v6
                v7 = load and zero d_a[0]
                store a[0] = old#2
                v8 = v7 * 0.5
                store d_a[1] += v8
                yield d_s
              }
              v9 = take d_a
              d_x = v9[0]
              d_x#2 = v9[1]
              d_x#3 = d_x + d_x#2
              yield s#2, d_x#3
            }"#]],
    );
}

#[test]
fn nested_accumulators_fuse_as_one() {
    check_early(
        r"
            fn f(xs: &[f64], n: usize) -> f64 {
                let mut s = 0.0;
                for i in 0..n {
                    for j in 0..n {
                        s += xs[i] * xs[j];
                    }
                }
                s
            }",
        &expect![[r#"
            fn(&xs, n; seed, &mut d_xs) {
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
        r"
            fn f(xs: &[f64], k: f64, n: usize) -> f64 {
                let mut s = 0.0;
                for i in 0..n {
                    let mut t = 0.0;
                    for j in 0..n {
                        t += xs[j].exp();
                    }
                    s += t * k;
                }
                s
            }",
        &expect![[r#"
            fn(&xs, k, n; seed, &mut d_xs) {
              s#2, d_k#2 = for i in 0..n, s = 0.0, d_k = -0.0 {
                d_t = seed * k
                t#2 = for j in 0..n, t = 0.0 {
                  v0 = load xs[j]
                  v1 = exp(v0)
                  t#3 = t + v1
                  v2 = smul(d_t, v1)
                  store d_xs[j] += v2
                  yield t#3
                }
                v3 = t#2 * k
                s#3 = s + v3
                d_k#3 = seed * t#2
                d_k#4 = d_k + d_k#3
                yield s#3, d_k#4
              }
              yield s#2, d_k#2
            }"#]],
    );
}

#[test]
fn an_inner_loop_with_a_nonlinear_tail_records_within_the_round() {
    check_early(
        r"
            fn f(xs: &[f64], n: usize) -> f64 {
                let mut s = 0.0;
                for i in 0..n {
                    let mut t = 0.0;
                    for j in 0..n {
                        t += xs[j].exp();
                    }
                    s += t.ln();
                }
                s
            }",
        &expect![[r#"
            fn(&xs, n; seed, &mut d_xs) {
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
                d_t#3 = for j#2 in 0..n, d_t#2 = d_t on tape 0, from the first {
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
        r"
            fn f(xs: &[f64], x: f64) -> f64 {
                let mut s = 0.0;
                for i in 0..xs.len() {
                    if xs[i] > 0.0 {
                        s += xs[i] * x;
                    } else {
                        s -= x;
                    }
                }
                s
            }",
        &expect![[r#"
            fn(&xs, x; seed, &mut d_xs) {
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
                d_, d_x#3 = if v1 {
                  v3 = seed * x
                  d_x#4 = seed * v0
                  yield v3, d_x#4
                } else {
                  d_x#5 = -seed
                  yield -0.0, d_x#5
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
        r"
            fn f(xs: &[f64], k: f64) -> f64 {
                let mut s = 0.0;
                let mut t = 0.0;
                for i in 0..xs.len() {
                    let x = xs[i];
                    s += x * x;
                    t -= x;
                }
                s - t * k
            }",
        &expect![[r#"
            fn(&xs, k; seed, &mut d_xs) {
              n = len xs
              v0 = -seed
              d_t = v0 * k
              s#2, t#2 = for i in 0..n, s = 0.0, t = 0.0 {
                x = load xs[i]
                v1 = x * x
                s#3 = s + v1
                t#3 = t - x
                d_x = -d_t
                seed#2 = seed + seed
                d_x#2 = seed#2 * x
                d_x#3 = d_x + d_x#2
                store d_xs[i] += d_x#3
                yield s#3, t#3
              }
              v2 = t#2 * k
              v3 = s#2 - v2
              // reverse
              v4 = -seed
              d_k = v4 * t#2
              yield v3, d_k
            }"#]],
    );
}

#[test]
fn an_accumulator_that_starts_from_an_outer_value_passes_its_adjoint_on() {
    check_early(
        r"
            fn f(xs: &[f64], x: f64) -> f64 {
                let mut s = x * x;
                for i in 0..xs.len() {
                    s += xs[i] * x;
                }
                s
            }",
        &expect![[r#"
            fn(&xs, x; seed, &mut d_xs) {
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
              x#2 = x + x
              d_x#5 = seed * x#2
              d_x#6 = d_x#2 + d_x#5
              yield s#3, d_x#6
            }"#]],
    );
}

#[test]
fn a_loop_below_a_recurrence_does_not_fuse() {
    check_early(
        r"
            fn f(xs: &[f64], x: f64) -> f64 {
                let mut s = 0.0;
                let mut y = x;
                for i in 0..xs.len() {
                    y = y.sin();
                    s += xs[i] * y;
                }
                s
            }",
        &expect![[r#"
            fn(&xs, x; seed, &mut d_xs) {
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

#[test]
fn a_place_of_the_round_does_not_prevent_fusing() {
    check_early(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut s = 0.0;
                for i in 0..n {
                    let mut a = [x, x];
                    a[0] = x * i as f64;
                    s += a[0] * a[1];
                }
                s
            }",
        &expect![[r#"
            fn(x, n; seed) {
              s#2, d_x#2 = for i in 0..n, s = 0.0, d_x = -0.0 {
                v0 = [x, x]
                new a = v0
                v1 = pure `i as f64`
                v2 = x * v1
                store a[0] = v2
                v3 = load a[0]
                v4 = load a[1]
                v5 = v3 * v4
                s#3 = s + v5
                new d_a = zero
                v6 = seed * v4
                v7 = seed * v3
                store d_a[1] = v7
                store d_a[0] += v6
                v8 = load and zero d_a[0]
                d_x#3 = v8 * v1
                d_x#4 = d_x + d_x#3
                v9 = take d_a
                d_x#5 = v9[0]
                d_x#6 = d_x#4 + d_x#5
                d_x#7 = v9[1]
                d_x#8 = d_x#6 + d_x#7
                yield s#3, d_x#8
              }
              yield s#2, d_x#2
            }"#]],
    );
}

#[test]
fn an_active_place_of_another_level_prevents_fusing() {
    check_early(
        r"
            fn f(xs: &[f64], n: usize) -> f64 {
                let mut h = [0.0; 2];
                for i in 0..n {
                    h[i % 2] += xs[i] * xs[i];
                }
                h[0] - h[1]
            }",
        &expect![[r#"
            fn(&xs, n; seed, &mut d_xs) {
              v0 = opaque `[0.0; 2]`
              new h = v0
              for i in 0..n {
                v1 = load xs[i]
                v2 = v1 * v1
                v3 = pure `i % 2`
                store h[v3] += v2
              }
              v4 = load h[0]
              v5 = load h[1]
              v6 = v4 - v5
              // reverse
              new d_h = zero
              v7 = -seed
              store d_h[1] = v7
              store d_h[0] += seed
              for i#2 in 0..n {
                v8 = pure `i#2 % 2`
                v9 = load d_h[v8]
                v10 = load xs[i#2]
                v11 = v9 * v10
                v12 = v9 * v10
                v13 = v11 + v12
                store d_xs[i#2] += v13
              }
              yield v6
            }"#]],
    );
}

#[test]
fn an_inactive_store_is_not_undone_in_a_fused_loop() {
    check_early(
        r"
            fn f(xs: &[f64], n: usize) -> f64 {
                let mut p = [0usize; 1];
                let mut s = 0.0;
                for i in 0..n {
                    p[0] = (p[0] + i) % n;
                    s += xs[p[0]] * xs[p[0]];
                }
                s
            }",
        &expect![[r#"
            fn(&xs, n; seed, &mut d_xs) {
              v0 = opaque `[0usize; 1]`
              new p = v0
              s#2 = for i in 0..n, s = 0.0 {
                opaque `p[0] = (p[0] + i) % n` writes p
                v1 = load p[0]
                v2 = load xs[v1]
                v3 = v2 * v2
                s#3 = s + v3
                seed#2 = seed + seed
                v4 = seed#2 * v2
                store d_xs[v1] += v4
                yield s#3
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn of_two_loops_the_one_whose_sum_the_other_uses_does_not_fuse() {
    check_early(
        r"
            fn f(xs: &[f64], x: f64) -> f64 {
                let mut m = 0.0;
                for i in 0..xs.len() {
                    m += xs[i] * x;
                }
                let mut s = 0.0;
                for i in 0..xs.len() {
                    s += (xs[i] - m) * xs[i];
                }
                s + m
            }",
        &expect![[r#"
            fn(&xs, x; seed, &mut d_xs) {
              n = len xs
              m#2 = for i in 0..n, m = 0.0 {
                v0 = load xs[i]
                v1 = v0 * x
                m#3 = m + v1
                yield m#3
              }
              s#2, d_m#2 = for i_1 in 0..n, s = 0.0, d_m = -0.0 {
                v2 = load xs[i_1]
                v3 = v2 - m#2
                v4 = v3 * v2
                s#3 = s + v4
                v5 = seed * v2
                v6 = seed * v3
                v7 = v6 + v5
                d_m#3 = -v5
                d_m#4 = d_m + d_m#3
                store d_xs[i_1] += v7
                yield s#3, d_m#4
              }
              v8 = s#2 + m#2
              // reverse
              seed#2 = seed + d_m#2
              d_x#2 = for i#2 in rev 0..n, d_x = -0.0 {
                v9 = load xs[i#2]
                d_x#3 = seed#2 * v9
                d_x#4 = d_x + d_x#3
                yield d_x#4
              }
              d_m#6 = for i#3 in 0..n, d_m#5 = seed#2 {
                v10 = d_m#5 * x
                store d_xs[i#3] += v10
                yield d_m#5
              }
              yield v8, d_x#2
            }"#]],
    );
}

#[test]
fn an_inner_loop_that_starts_another_value_from_the_sum_prevents_fusing() {
    check_early(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut s = 0.0;
                let mut w = 0.0;
                for _ in 0..n {
                    let mut t = s;
                    for _ in 0..2 {
                        s += x;
                        t = t * x;
                    }
                    w += t;
                }
                w + s
            }",
        &expect![[r#"
            fn(x, n; seed) {
              s#2, w#2 = for v0 in 0..n, s = 0.0, w = 0.0 {
                s#4, t#2 = for v1 in 0..2, s#3 = s, t = s on tape 0 {
                  s#5 = s#3 + x
                  t#3 = t * x
                  record t
                  yield s#5, t#3
                }
                w#3 = w + t#2
                yield s#4, w#3
              }
              v2 = w#2 + s#2
              // reverse
              d_s#2, d_w#2, d_x#2 = for v3 in rev 0..n, d_s = seed, d_w = seed, d_x = -0.0 {
                d_s#4, d_t#2, d_x#4 = for v4 in rev 0..2, d_s#3 = d_s, d_t = d_w, d_x#3 = -0.0 on tape 0 {
                  recall t#4
                  d_t#3 = d_t * x
                  d_x#5 = d_t * t#4
                  d_x#6 = d_x#3 + d_x#5
                  d_x#7 = d_x#6 + d_s#3
                  yield d_s#3, d_t#3, d_x#7
                }
                d_x#8 = d_x + d_x#4
                d_s#5 = d_s#4 + d_t#2
                yield d_s#5, d_w, d_x#8
              }
              yield v2, d_x#2
            }"#]],
    );
}

#[test]
fn a_mean_fuses() {
    check_early(
        r"
            fn f(xs: &[f64]) -> f64 {
                let mut s = 0.0;
                for x in xs {
                    s += x * x;
                }
                0.5 * s / xs.len() as f64
            }",
        &expect![[r#"
            fn(&xs; seed, &mut d_xs) {
              n = len xs
              v0 = pure `n as f64`
              v1 = sdiv(seed, v0)
              d_s = v1 * 0.5
              s#2 = for k in 0..n, s = 0.0 {
                v2 = load xs[k]
                v3 = v2 * v2
                s#3 = s + v3
                d_s#2 = d_s + d_s
                v4 = absorb once(d_s#2, v2)
                store d_xs[k] += v4
                yield s#3
              }
              v5 = 0.5 * s#2
              v6 = pure `n as f64`
              v7 = v5 / v6
              yield v7
            }"#]],
    );
}

#[test]
fn a_loop_behind_a_guard_fuses() {
    check_early(
        "fn f(x: &[f64], s: f64) -> f64 {
            if x.is_empty() { return s; }
            let mut sum = 0.0;
            for v in x { sum += v * v * s; }
            sum / s
        }",
        &expect![[r#"
            fn(&x, s; seed, &mut d_x) {
              n = len x
              v0 = pure `n == 0`
              s#2, d_s = if v0 {
                yield s, seed
              } else {
                d_sum = sdiv(seed, s)
                sum#2, d_s#3 = for k in 0..n, sum = 0.0, d_s#2 = -0.0 {
                  v1 = load x[k]
                  v2 = v1 * v1
                  v3 = v2 * s
                  sum#3 = sum + v3
                  v4 = absorb once(d_sum, s)
                  d_s#4 = absorb once(d_sum, v2)
                  d_s#5 = d_s#2 + d_s#4
                  v5 = v4 * v1
                  v6 = v4 * v1
                  v7 = v5 + v6
                  store d_x[k] += v7
                  yield sum#3, d_s#5
                }
                v8 = sum#2 / s
                v9 = sdiv(seed, s)
                v10 = smul(v9, v8)
                d_s#6 = -v10
                d_s#7 = d_s#6 + d_s#3
                yield v8, d_s#7
              }
              yield s#2, d_s
            }"#]],
    );
}

#[test]
fn arms_without_a_loop_stay_apart() {
    check_early(
        "fn f(x: f64, s: f64) -> f64 {
            if x > s { x * s } else { x.sin() }
        }",
        &expect![[r#"
            fn(x, s; seed) {
              v0 = x > s
              v1 = if v0 {
                v2 = x * s
                yield v2
              } else {
                v3 = sin(x)
                yield v3
              }
              // reverse
              d_x, d_s = if v0 {
                d_x#2 = seed * s
                d_s#2 = seed * x
                yield d_x#2, d_s#2
              } else {
                v4 = cos(x)
                d_x#3 = seed * v4
                yield d_x#3, -0.0
              }
              yield v1, d_x, d_s
            }"#]],
    );
}

#[test]
fn an_arm_that_writes_memory_of_the_function_stays_apart() {
    check_early(
        "fn f(x: &[f64], s: f64) -> f64 {
            let mut last = vec![s; 2];
            let sum = if s > 0.0 {
                let mut sum = 0.0;
                for v in x { sum += v * s; }
                last[0] = sum;
                sum
            } else { s };
            sum * 2.0 + last[0]
        }",
        &expect![[r#"
            fn(&x, s; seed, &mut d_x) {
              v0 = vec![s; 2]
              new last = v0
              shape = shape of last
              v1 = s > 0.0
              sum = if v1 {
                n = len x
                sum#3 = for k in 0..n, sum#2 = 0.0 {
                  v2 = load x[k]
                  v3 = v2 * s
                  sum#4 = sum#2 + v3
                  yield sum#4
                }
                store last[0] = sum#3
                yield sum#3
              } else {
                yield s
              }
              v4 = sum * 2.0
              v5 = load last[0]
              v6 = v4 + v5
              // reverse
              new d_last = zero of shape
              store d_last[0] = seed
              d_sum = seed * 2.0
              d_s = if v1 {
                d_sum#2 = load and zero d_last[0]
                d_sum#3 = d_sum + d_sum#2
                n#2 = len x
                d_s#3 = for k#2 in rev 0..n#2, d_s#2 = -0.0 {
                  v7 = load x[k#2]
                  d_s#4 = d_sum#3 * v7
                  d_s#5 = d_s#2 + d_s#4
                  yield d_s#5
                }
                d_sum#5 = for k#3 in 0..n#2, d_sum#4 = d_sum#3 {
                  v8 = d_sum#4 * s
                  store d_x[k#3] += v8
                  yield d_sum#4
                }
                yield d_s#3
              } else {
                yield d_sum
              }
              v9 = take d_last
              d_s#6 = sum of v9 from -0.0
              d_s#7 = d_s + d_s#6
              yield v6, d_s#7
            }"#]],
    );
}

#[test]
fn a_call_in_a_fused_loop_is_given_its_seed() {
    check_at_once(
        "fn f(x: &[f64], w: &[f64], s: f64) -> f64 {
            let mut sum = 0.0;
            for k in 0..w.len() { sum += g(x, s) * w[k]; }
            sum
        }",
        &expect![[r#"
            fn(&x, &w, s; seed, &mut d_x, &mut d_w) {
              n = len w
              sum#2, d_s#2 = for k in 0..n, sum = 0.0, d_s = -0.0 {
                v0 = load w[k]
                v1 = seed * v0
                v2, d_s#3 = at once g(&x, s, seed v1; d_x)
                v3 = load w[k]
                v4 = v2 * v3
                sum#3 = sum + v4
                v5 = seed * v2
                store d_w[k] += v5
                d_s#4 = d_s + d_s#3
                yield sum#3, d_s#4
              }
              yield sum#2, d_s#2
            }"#]],
    );
}

#[test]
fn a_call_whose_seed_depends_on_its_value_leaves_a_pullback() {
    check_at_once(
        "fn f(x: &[f64], s: f64) -> f64 {
            let a = g(x, s);
            a * a + g(x, a)
        }",
        &expect![[r#"
            fn(&x, s; seed, &mut d_x) {
              a, back = forward g(&x, s)
              v0 = a * a
              v1, d_a = at once g(&x, a, seed seed; d_x)
              v2 = v0 + v1
              // reverse
              a#2 = a + a
              d_a#2 = seed * a#2
              d_a#3 = d_a + d_a#2
              d_s = backward back(d_a#3, &x, _; d_x)
              yield v2, d_s
            }"#]],
    );
}

#[test]
fn a_call_that_both_arms_use_is_given_its_seed() {
    check_at_once(
        "fn f(x: &[f64], s: f64, k: usize) -> f64 {
            let a = g(x, s);
            if k > 2 { a * s } else { s - a }
        }",
        &expect![[r#"
            fn(&x, s, k; seed, &mut d_x) {
              v0 = pure `k > 2`
              d_a = if v0 {
                v1 = seed * s
                yield v1
              } else {
                v2 = -seed
                yield v2
              }
              a, d_s = at once g(&x, s, seed d_a; d_x)
              v3 = pure `k > 2`
              v4 = if v3 {
                v5 = a * s
                yield v5
              } else {
                v6 = s - a
                yield v6
              }
              // reverse
              d_s#2 = if v3 {
                d_s#3 = seed * a
                yield d_s#3
              } else {
                yield seed
              }
              d_s#4 = d_s#2 + d_s
              yield v4, d_s#4
            }"#]],
    );
}

#[test]
fn a_call_that_one_arm_uses_leaves_a_pullback() {
    check_at_once(
        "fn f(x: &[f64], s: f64, k: usize) -> f64 {
            let a = g(x, s);
            if k > 2 { a * s } else { s }
        }",
        &expect![[r#"
            fn(&x, s, k; seed, &mut d_x) {
              a, back = forward g(&x, s)
              v0 = pure `k > 2`
              v1 = if v0 {
                v2 = a * s
                yield v2
              } else {
                yield s
              }
              // reverse
              d_s, d_s#2 = if v0 {
                d_a = seed * s
                d_s#3 = seed * a
                d_s#4 = backward back(d_a, &x, _; d_x)
                yield d_s#3, d_s#4
              } else {
                yield seed, -0.0
              }
              d_s#5 = d_s + d_s#2
              yield v1, d_s#5
            }"#]],
    );
}

#[test]
fn a_call_leaves_a_pullback_where_what_it_reads_is_written_later() {
    check_at_once(
        "fn f(x: &[f64], s: f64) -> f64 {
            let mut y = x.to_vec();
            let a = g(&y, s);
            y[0] = s;
            a + y[0]
        }",
        &expect![[r#"
            fn(&x, s; seed, &mut d_x) {
              v0 = to_vec x
              new y = v0
              shape = shape of y
              a, back = forward g(&y, s)
              old = load y[0]
              store y[0] = s
              v1 = load y[0]
              v2 = a + v1
              // reverse
              new d_y = zero of shape
              store d_y[0] = seed
              d_s = load and zero d_y[0]
              store y[0] = old
              d_s#2 = backward back(seed, &y, _; d_y)
              d_s#3 = d_s + d_s#2
              v3 = take d_y
              store d_x += v3
              yield v2, d_s#3
            }"#]],
    );
}

#[test]
fn a_function_that_calls_itself_needs_no_stack() {
    check_at_once(
        "fn f(x: &[f64], at: &mut [usize], k: usize) -> f64 {
            if k == 0 { return x[at[0]]; }
            at[0] = at[k];
            let inner = f(x, at, k - 1);
            x[k] * inner
        }",
        &expect![[r#"
            fn(&x, &mut at, k; seed, &mut d_x) {
              v0 = pure `k == 0`
              v1 = if v0 {
                v2 = load at[0]
                v3 = load x[v2]
                store d_x[v2] += seed
                yield v3
              } else {
                opaque `at[0] = at[k]` writes at
                v4 = pure `k - 1`
                v5 = load x[k]
                d_inner = seed * v5
                inner, d_ = at once f(&x, &mut at, v4, seed d_inner; d_x, zero)
                v6 = load x[k]
                v7 = v6 * inner
                v8 = seed * inner
                store d_x[k] += v8
                yield v7
              }
              yield v1
            }"#]],
    );
}

#[test]
fn a_loop_that_may_fail_fuses() {
    check_early(
        r"
            fn f(xs: &[f64], #[constant] __failure: rt::fallible::Failure<'_, Bad>) -> f64 {
                let mut s = 0.0;
                for x in xs {
                    if *x < 0.0 {
                        rt::fallible::fail(__failure, Bad);
                        return 0.0;
                    }
                    s += x * x;
                }
                s / xs.len() as f64
            }",
        &expect![[r#"
            fn(&xs, __failure; seed, &mut d_xs) {
              n = len xs
              v0 = pure `n as f64`
              d_s = sdiv(seed, v0)
              code#2, result#2, s#2 = for k in 0..n, code = 0, result = 0.0_f64, s = 0.0 {
                v1 = load xs[k]
                v2 = v1 < 0.0
                v3, code#3, result#3, s#3 = if v2 {
                  opaque `rt::fallible::fail(__failure, Bad)`
                  yield true, 1, 0.0, s
                  fails
                } else {
                  v4 = v1 * v1
                  s#4 = s + v4
                  yield false, code, result, s#4
                }
                last if v3
                d_ = if v2 {
                  yield -0.0
                } else {
                  d_s#2 = d_s + d_s
                  v5 = absorb once(d_s#2, v1)
                  yield v5
                }
                store d_xs[k] += d_
                yield code#3, result#3, s#3
              }
              v6 = pure `code#2 == 0`
              v7 = if v6 {
                v8 = pure `n as f64`
                v9 = s#2 / v8
                yield v9
              } else {
                yield result#2
                fails
              }
              yield v7
            }"#]],
    );
}

#[test]
fn a_loop_that_is_left_with_a_result_does_not_fuse() {
    check_early(
        r"
            fn f(xs: &[f64], #[constant] __failure: rt::fallible::Failure<'_, Bad>) -> f64 {
                let mut s = 0.0;
                for x in xs {
                    if *x < 0.0 {
                        rt::fallible::fail(__failure, Bad);
                        return 0.0;
                    }
                    if *x > 9.0 {
                        return 3.0 * s;
                    }
                    s += x * x;
                }
                s
            }",
        &expect![[r#"
            fn(&xs, __failure; seed, &mut d_xs) {
              n = len xs
              code#2, result#2, s#2, rounds = for k in 0..n, code = 0, result = 0.0_f64, s = 0.0 {
                v0 = load xs[k]
                v1 = v0 < 0.0
                v2, code#3, result#3, s#3 = if v1 {
                  opaque `rt::fallible::fail(__failure, Bad)`
                  yield true, 1, 0.0, s
                  fails
                } else {
                  v3 = v0 > 9.0
                  v4, code#4, result#4, s#4 = if v3 {
                    result#5 = 3.0 * s
                    yield true, 1, result#5, s
                  } else {
                    v5 = v0 * v0
                    s#5 = s + v5
                    yield false, code, result, s#5
                  }
                  yield v4, code#4, result#4, s#4
                }
                last if v2
                yield code#3, result#3, s#3
              }
              v6 = pure `code#2 == 0`
              s#6 = if v6 {
                yield s#2
              } else {
                yield result#2
              }
              // reverse
              d_s, d_result, taken, taken#2 = if v6 {
                yield seed, -0.0, true, false
              } else {
                yield -0.0, seed, false, true
              }
              taken#3 = taken || taken#2
              if taken#3 {
                d_result#3, d_s#3, taken#6, taken#7 = for k#2 in first rounds of 0..n, backwards, d_result#2 = d_result, d_s#2 = d_s, taken#4 = taken#2, taken#5 = taken {
                  taken#8 = taken#4 || taken#5
                  d_s#4, d_result#4 = if taken#8 {
                    v7 = load xs[k#2]
                    v8 = v7 < 0.0
                    d_s#5, d_result#5, d_ = if v8 {
                      yield d_s#2, -0.0, -0.0
                    } else {
                      v9 = load xs[k#2]
                      v10 = v9 > 9.0
                      d_s#6, d_result#6, d_#2 = if v10 {
                        d_s#7 = d_result#2 * 3.0
                        d_s#8 = d_s#2 + d_s#7
                        yield d_s#8, -0.0, -0.0
                      } else {
                        d_s#9 = d_s#2 + d_s#2
                        v11 = load xs[k#2]
                        v12 = d_s#9 * v11
                        yield d_s#2, d_result#2, v12
                      }
                      yield d_s#6, d_result#6, d_#2
                    }
                    store d_xs[k#2] += d_
                    yield d_s#5, d_result#5
                  } else {
                    yield -0.0, -0.0
                  }
                  taken#9 = taken#4 || taken#5
                  taken#10 = taken#4 || taken#5
                  yield d_result#4, d_s#4, taken#9, taken#10
                }
              } else {
              }
              yield s#6
            }"#]],
    );
}
