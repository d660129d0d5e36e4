//! How the reverse sweep obtains the primal values it mentions.

use expect_test::expect;

use crate::testing::{check_late, check_sweeps};
use crate::vjp::Seed;

#[test]
fn straight_line_code_remembers_nothing() {
    check_late(
        "fn f(x: f64, y: f64) -> f64 { let a = x * y; let b = a.exp(); b * a.sin() }",
        &expect![[r#"
            fn(x, y; seed) {
              a = x * y
              b = exp(a)
              v0 = sin(a)
              v1 = b * v0
              // reverse
              d_b = seed * v0
              v2 = seed * b
              v3 = cos(a)
              d_a = v2 * v3
              d_a#2 = smul(d_b, b)
              d_a#3 = d_a + d_a#2
              d_x = d_a#3 * y
              d_y = d_a#3 * x
              yield v1, d_x, d_y
            }"#]],
    );
}

#[test]
fn the_carried_value_of_a_recurrence_is_recorded_per_round() {
    check_late(
        "fn f(x: f64, n: usize) -> f64 { let mut y = 1.0; for _ in 0..n { y = y * x; } y }",
        &expect![[r#"
            fn(x, n; seed) {
              y#2 = for v0 in 0..n, y = 1.0 on tape 0 {
                y#3 = y * x
                record y
                yield y#3
              }
              // reverse
              d_y#2, d_x#2 = for v1 in rev 0..n, d_y = seed, d_x = -0.0 on tape 0 {
                recall y#4
                d_y#3 = d_y * x
                d_x#3 = d_y * y#4
                d_x#4 = d_x + d_x#3
                yield d_y#3, d_x#4
              }
              yield y#2, d_x#2
            }"#]],
    );
}

#[test]
fn a_linear_recurrence_records_nothing() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut y = x;
                for _ in 0..n {
                    y = y * 0.5 + 1.0;
                }
                y
            }",
        &expect![[r#"
            fn(x, n; seed) {
              y#2 = for v0 in 0..n, y = x {
                v1 = y * 0.5
                y#3 = v1 + 1.0
                yield y#3
              }
              // reverse
              d_y#2 = for v2 in rev 0..n, d_y = seed {
                d_y#3 = d_y * 0.5
                yield d_y#3
              }
              yield y#2, d_y#2
            }"#]],
    );
}

#[test]
fn cheap_arithmetic_is_done_again() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut s = 0.0;
                for i in 0..n {
                    let t = x * i as f64;
                    s += t * t;
                }
                s
            }",
        &expect![[r#"
            fn(x, n; seed) {
              s#2 = for i in 0..n, s = 0.0 {
                v0 = pure `i as f64`
                t = x * v0
                v1 = t * t
                s#3 = s + v1
                yield s#3
              }
              // reverse
              d_s#2, d_x#2 = for i#2 in rev 0..n, d_s = seed, d_x = -0.0 {
                d_s#3 = d_s + d_s
                v2 = pure `i#2 as f64`
                t#2 = x * v2
                d_t = d_s#3 * t#2
                d_x#3 = d_t * v2
                d_x#4 = d_x + d_x#3
                yield d_s, d_x#4
              }
              yield s#2, d_x#2
            }"#]],
    );
}

#[test]
fn what_is_computed_in_front_of_a_loop_costs_nothing_inside() {
    check_late(
        r"
            fn f(a: &[f64], x: f64, n: usize) -> f64 {
                let mut y = x;
                for j in 0..n {
                    let w = (a[j] + x) * x;
                    for i in 0..n {
                        y = y * (w * a[i]);
                    }
                }
                y
            }
        ",
        &expect![[r#"
            fn(&a, x, n; seed, &mut d_a) {
              y#2 = for j in 0..n, y = x {
                v0 = load a[j]
                v1 = v0 + x
                w = v1 * x
                y#4 = for i in 0..n, y#3 = y on tape 0 {
                  v2 = load a[i]
                  v3 = w * v2
                  y#5 = y#3 * v3
                  record y#3
                  yield y#5
                }
                yield y#4
              }
              // reverse
              d_y#2, d_x#2 = for j#2 in rev 0..n, d_y = seed, d_x = -0.0 {
                d_y#4, d_w#2 = for i#2 in rev 0..n, d_y#3 = d_y, d_w = -0.0 on tape 0 {
                  recall y#6
                  v4 = load a[j#2]
                  v5 = v4 + x
                  w#2 = v5 * x
                  v6 = load a[i#2]
                  v7 = w#2 * v6
                  d_y#5 = d_y#3 * v7
                  v8 = d_y#3 * y#6
                  d_w#3 = v8 * v6
                  d_w#4 = d_w + d_w#3
                  v9 = v8 * w#2
                  store d_a[i#2] += v9
                  yield d_y#5, d_w#4
                }
                d_x#3 = d_w#2 * x
                v10 = load a[j#2]
                v11 = v10 + x
                d_x#4 = d_w#2 * v11
                d_x#5 = d_x + d_x#4
                d_x#6 = d_x#5 + d_x#3
                store d_a[j#2] += d_x#3
                yield d_y#4, d_x#6
              }
              d_x#7 = d_x#2 + d_y#2
              yield y#2, d_x#7
            }"#]],
    );
}

#[test]
fn transcendental_results_are_recorded() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut s = 0.0;
                for i in 0..n {
                    s += (x * i as f64).exp();
                }
                s
            }",
        &expect![[r#"
            fn(x, n; seed) {
              s#2 = for i in 0..n, s = 0.0 on tape 0 {
                v0 = pure `i as f64`
                v1 = x * v0
                v2 = exp(v1)
                s#3 = s + v2
                record v2
                yield s#3
              }
              // reverse
              d_s#2, d_x#2 = for i#2 in rev 0..n, d_s = seed, d_x = -0.0 on tape 0 {
                recall v3
                v4 = smul(d_s, v3)
                v5 = pure `i#2 as f64`
                d_x#3 = v4 * v5
                d_x#4 = d_x + d_x#3
                yield d_s, d_x#4
              }
              yield s#2, d_x#2
            }"#]],
    );
}

#[test]
fn memory_that_is_only_read_is_read_again() {
    check_late(
        r"
            fn f(xs: &[f64]) -> f64 {
                let mut s = 0.0;
                for i in 0..xs.len() {
                    s += xs[i] * xs[i];
                }
                s
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
              // reverse
              d_s#2 = for i#2 in 0..n, d_s = seed {
                d_s#3 = d_s + d_s
                v2 = load xs[i#2]
                v3 = d_s#3 * v2
                store d_xs[i#2] += v3
                yield d_s
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn what_a_round_read_before_it_stored_is_restored() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut a = [x, x, x];
                for i in 0..n {
                    a[i] = a[i] * a[0];
                }
                a[2]
            }",
        &expect![[r#"
            fn(x, n; seed) {
              v0 = [x, x, x]
              new a = v0
              for i in 0..n on tape 0 {
                v1 = load a[i]
                v2 = load a[0]
                v3 = v1 * v2
                old = load a[i]
                store a[i] = v3
                record old
              }
              v4 = load a[2]
              // reverse
              new d_a = zero
              store d_a[2] = seed
              for i#2 in rev 0..n on tape 0 {
                recall old#2
                v5 = load and zero d_a[i#2]
                store a[i#2] = old#2
                v6 = load a[0]
                v7 = v5 * v6
                v8 = load a[i#2]
                v9 = v5 * v8
                store d_a[0] += v9
                store d_a[i#2] += v7
              }
              v10 = take d_a
              d_x = v10[0]
              d_x#2 = v10[1]
              d_x#3 = d_x + d_x#2
              d_x#4 = v10[2]
              d_x#5 = d_x#3 + d_x#4
              yield v4, d_x#5
            }"#]],
    );
}

#[test]
fn a_load_is_recorded_where_that_is_less_than_saving_the_stores() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut a = [x, 1.0];
                for _ in 0..n {
                    let t = a[0];
                    a[1] = t * t;
                    a[0] = a[1];
                }
                a[0]
            }",
        &expect![[r#"
            fn(x, n; seed) {
              v0 = [x, 1.0]
              new a = v0
              for v1 in 0..n on tape 0 {
                t = load a[0]
                v2 = t * t
                store a[1] = v2
                v3 = load a[1]
                store a[0] = v3
                record t
              }
              v4 = load a[0]
              // reverse
              new d_a = zero
              store d_a[0] = seed
              for v5 in rev 0..n on tape 0 {
                recall t#2
                v6 = load and zero d_a[0]
                store d_a[1] += v6
                v7 = load and zero d_a[1]
                d_t = v7 * t#2
                d_t#2 = v7 * t#2
                d_t#3 = d_t + d_t#2
                store d_a[0] += d_t#3
              }
              v8 = take d_a
              d_x = v8[0]
              yield v4, d_x
            }"#]],
    );
}

#[test]
fn memory_overwritten_after_the_loop_that_reads_it_is_restored_before_its_reverse() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut a = [x, 1.0];
                let mut s = 0.0;
                for _ in 0..n {
                    s += a[0] * a[0];
                }
                a[0] = s;
                a[0]
            }",
        &expect![[r#"
            fn(x, n; seed) {
              v0 = [x, 1.0]
              new a = v0
              s#2 = for v1 in 0..n, s = 0.0 {
                v2 = load a[0]
                v3 = v2 * v2
                s#3 = s + v3
                yield s#3
              }
              old = load a[0]
              store a[0] = s#2
              v4 = load a[0]
              // reverse
              new d_a = zero
              store d_a[0] = seed
              d_s = load and zero d_a[0]
              store a[0] = old
              d_s#3 = for v5 in rev 0..n, d_s#2 = d_s {
                d_s#4 = d_s#2 + d_s#2
                v6 = load a[0]
                v7 = d_s#4 * v6
                store d_a[0] += v7
                yield d_s#2
              }
              v8 = take d_a
              d_x = v8[0]
              yield v4, d_x
            }"#]],
    );
}

#[test]
fn memory_of_the_caller_is_put_back() {
    check_late(
        "fn f(out: &mut [f64], i: usize) { out[i] = 1.0; }",
        &expect![[r#"
            fn(&mut out, i; &mut d_out) {
              old = load out[i]
              store out[i] = 1.0
              // reverse
              v0 = load and zero d_out[i]
              store out[i] = old
            }"#]],
    );
}

#[test]
fn an_element_is_saved_once() {
    check_late(
        r"
            fn f(a: &[f64], x: f64, out: &mut [f64]) {
                for i in 0..a.len() {
                    out[i] = 0.0;
                    for j in 0..3 { out[i] += a[j] * x; }
                }
                for i in 1..a.len() { out[i] += a[i]; }
            }",
        &expect![[r#"
            fn(&a, x, &mut out; &mut d_a, &mut d_out) {
              n = len a
              for i in 0..n on tape 0 {
                old = load out[i]
                store out[i] = 0.0
                for j in 0..3 {
                  v0 = load a[j]
                  v1 = v0 * x
                  store out[i] += v1
                }
                record old
              }
              n#2 = pure `rt::rounds(&(1..n))`
              for k in 0..n#2 {
                i_1 = pure `1 + k`
                v2 = load a[i_1]
                store out[i_1] += v2
              }
              // reverse
              n#3 = pure `rt::rounds(&(1..n))`
              for k#2 in 0..n#3 {
                i_1#2 = pure `1 + k#2`
                v3 = load d_out[i_1#2]
                store d_a[i_1#2] += v3
              }
              d_x#2 = for i#2 in rev 0..n, d_x = -0.0 on tape 0 {
                recall old#2
                d_x#4 = for j#2 in rev 0..3, d_x#3 = -0.0 {
                  v4 = load d_out[i#2]
                  v5 = v4 * x
                  v6 = load a[j#2]
                  d_x#5 = v4 * v6
                  d_x#6 = d_x#3 + d_x#5
                  store d_a[j#2] += v5
                  yield d_x#6
                }
                d_x#7 = d_x + d_x#4
                v7 = load and zero d_out[i#2]
                store out[i#2] = old#2
                yield d_x#7
              }
              yield d_x#2
            }"#]],
    );
}

#[test]
fn elements_that_another_loop_may_leave_out_are_saved_again() {
    check_late(
        r"
            fn f(a: &[f64], out: &mut [f64], n: usize) {
                for i in 1..n { out[i] = a[i]; }
                for i in 0..n { out[i] += a[i]; }
            }",
        &expect![[r#"
            fn(&a, &mut out, n; &mut d_a, &mut d_out) {
              n#2 = pure `rt::rounds(&(1..n))`
              for k in 0..n#2 on tape 1 {
                i = pure `1 + k`
                v0 = load a[i]
                old = load out[i]
                store out[i] = v0
                record old
              }
              for i_1 in 0..n on tape 0 {
                v1 = load a[i_1]
                old#2 = load out[i_1]
                store out[i_1] += v1
                record old#2
              }
              // reverse
              for i_1#2 in rev 0..n on tape 0 {
                recall old#3
                v2 = load d_out[i_1#2]
                store out[i_1#2] = old#3
                store d_a[i_1#2] += v2
              }
              n#3 = pure `rt::rounds(&(1..n))`
              for k#2 in rev 0..n#3 on tape 1 {
                recall old#4
                i#2 = pure `1 + k#2`
                v3 = load and zero d_out[i#2]
                store out[i#2] = old#4
                store d_a[i#2] += v3
              }
            }"#]],
    );
}

#[test]
fn an_accumulated_place_is_not_saved() {
    check_late(
        r"
            fn f(xs: &[f64], k: usize) -> f64 {
                let mut h = [0.0; 4];
                for i in 0..xs.len() {
                    h[i % k] += xs[i] * xs[i];
                }
                h[0]
            }",
        &expect![[r#"
            fn(&xs, k; seed, &mut d_xs) {
              v0 = opaque `[0.0; 4]`
              new h = v0
              n = len xs
              for i in 0..n {
                v1 = load xs[i]
                v2 = v1 * v1
                v3 = pure `i % k`
                store h[v3] += v2
              }
              v4 = load h[0]
              // reverse
              new d_h = zero
              store d_h[0] = seed
              for i#2 in 0..n {
                v5 = pure `i#2 % k`
                v6 = load d_h[v5]
                v7 = load xs[i#2]
                v8 = v6 * v7
                v9 = v6 * v7
                v10 = v8 + v9
                store d_xs[i#2] += v10
              }
              yield v4
            }"#]],
    );
}

#[test]
fn an_index_that_opaque_code_overwrites_is_recorded() {
    check_late(
        r"
            fn f(xs: &[f64], n: usize) -> f64 {
                let mut p = [0usize; 2];
                let mut s = 0.0;
                for i in 0..n {
                    p[0] = i * i % n;
                    s += xs[p[0]] * xs[p[0]];
                }
                s
            }",
        &expect![[r#"
            fn(&xs, n; seed, &mut d_xs) {
              v0 = opaque `[0usize; 2]`
              new p = v0
              s#2 = for i in 0..n, s = 0.0 on tape 0 {
                opaque `p[0] = i * i % n` writes p
                v1 = load p[0]
                v2 = load xs[v1]
                v3 = v2 * v2
                s#3 = s + v3
                record v1
                yield s#3
              }
              // reverse
              d_s#2 = for i#2 in rev 0..n, d_s = seed on tape 0 {
                recall v4
                d_s#3 = d_s + d_s
                v5 = load xs[v4]
                v6 = d_s#3 * v5
                store d_xs[v4] += v6
                yield d_s
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn the_place_of_a_round_is_kept() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut s = 0.0;
                for i in 0..n {
                    let mut a = [x, 0.0, 1.0];
                    a[1] = x * i as f64;
                    for j in 0..3 {
                        s += a[j] * a[j];
                    }
                }
                s
            }",
        &expect![[r#"
            fn(x, n; seed) {
              s#2 = for i in 0..n, s = 0.0 on tape 0 {
                v0 = [x, 0.0, 1.0]
                new a = v0
                v1 = pure `i as f64`
                v2 = x * v1
                store a[1] = v2
                s#4 = for j in 0..3, s#3 = s {
                  v3 = load a[j]
                  v4 = v3 * v3
                  s#5 = s#3 + v4
                  yield s#5
                }
                a#2 = load a
                record a#2
                yield s#4
              }
              // reverse
              d_s#2, d_x#2 = for i#2 in rev 0..n, d_s = seed, d_x = -0.0 on tape 0 {
                recall a#3
                new a#4 = a#3
                new d_a = zero
                d_s#4 = for j#2 in rev 0..3, d_s#3 = d_s {
                  d_s#5 = d_s#3 + d_s#3
                  v5 = load a#4[j#2]
                  v6 = d_s#5 * v5
                  store d_a[j#2] = v6
                  yield d_s#3
                }
                v7 = load and zero d_a[1]
                v8 = pure `i#2 as f64`
                d_x#3 = v7 * v8
                d_x#4 = d_x + d_x#3
                v9 = take d_a
                d_x#5 = v9[0]
                d_x#6 = d_x#4 + d_x#5
                yield d_s#4, d_x#6
              }
              yield s#2, d_x#2
            }"#]],
    );
}

#[test]
fn a_condition_on_values_at_hand_is_computed_again() {
    check_late(
        r"
            fn f(xs: &[f64]) -> f64 {
                let mut s = 0.0;
                for i in 0..xs.len() {
                    if xs[i] > 0.0 {
                        s += xs[i] * 2.0;
                    }
                }
                s
            }",
        &expect![[r#"
            fn(&xs; seed, &mut d_xs) {
              n = len xs
              s#2 = for i in 0..n, s = 0.0 {
                v0 = load xs[i]
                v1 = v0 > 0.0
                s#3 = if v1 {
                  v2 = v0 * 2.0
                  s#4 = s + v2
                  yield s#4
                } else {
                  yield s
                }
                yield s#3
              }
              // reverse
              d_s#2 = for i#2 in rev 0..n, d_s = seed {
                v3 = load xs[i#2]
                v4 = v3 > 0.0
                d_s#3, d_ = if v4 {
                  v5 = d_s * 2.0
                  yield d_s, v5
                } else {
                  yield d_s, -0.0
                }
                store d_xs[i#2] += d_
                yield d_s#3
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn arms_that_record_say_which_of_them_ran() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut y = x;
                for _ in 0..n {
                    if y > 1.0 {
                        y = y.sqrt();
                    } else {
                        y = y * 2.0;
                    }
                }
                y
            }",
        &expect![[r#"
            fn(x, n; seed) {
              y#2 = for v0 in 0..n, y = x on tape 0 {
                v1 = y > 1.0
                y#3, arm = if v1 {
                  y#4 = sqrt(y)
                  record y#4
                  yield y#4
                } else {
                  y#5 = y * 2.0
                  yield y#5
                }
                record arm
                yield y#3
              }
              // reverse
              d_y#2 = for v2 in rev 0..n, d_y = seed on tape 0 {
                recall arm#2
                d_y#3 = switch arm#2 {
                  recall y#6
                  v3 = 0.5 / y#6
                  d_y#4 = smul(d_y, v3)
                  yield d_y#4
                } else {
                  d_y#5 = d_y * 2.0
                  yield d_y#5
                }
                yield d_y#3
              }
              yield y#2, d_y#2
            }"#]],
    );
}

#[test]
fn a_condition_that_is_not_at_hand_is_recorded() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut y = x;
                for _ in 0..n {
                    if y.sin() > 0.5 {
                        y = y * 3.0;
                    } else {
                        y = y * 2.0;
                    }
                }
                y
            }",
        &expect![[r#"
            fn(x, n; seed) {
              y#2 = for v0 in 0..n, y = x on tape 0 {
                v1 = sin(y)
                v2 = v1 > 0.5
                y#3 = if v2 {
                  y#4 = y * 3.0
                  yield y#4
                } else {
                  y#5 = y * 2.0
                  yield y#5
                }
                record v2
                yield y#3
              }
              // reverse
              d_y#2 = for v3 in rev 0..n, d_y = seed on tape 0 {
                recall v4
                d_y#3 = if v4 {
                  d_y#4 = d_y * 3.0
                  yield d_y#4
                } else {
                  d_y#5 = d_y * 2.0
                  yield d_y#5
                }
                yield d_y#3
              }
              yield y#2, d_y#2
            }"#]],
    );
}

#[test]
fn a_match_is_selected_by_what_its_arms_record() {
    check_late(
        r"
            fn f(x: f64, ks: &[u8]) -> f64 {
                let mut y = x;
                for i in 0..ks.len() {
                    match ks[i] {
                        0 => y = y.sin(),
                        1 => y = y * x,
                        _ => {}
                    }
                }
                y
            }",
        &expect![[r#"
            fn(x, &ks; seed) {
              v0 = pure `ks.len()`
              y#2 = for i in 0..v0, y = x on tape 0 {
                y#3, arm = match `ks[i]` {
                  0 => {
                    y#4 = sin(y)
                    yield y#4
                  }
                  1 => {
                    y#5 = y * x
                    yield y#5
                  }
                  _ => {
                    yield y
                  }
                }
                record y, arm
                yield y#3
              }
              // reverse
              d_y#2, d_x#2 = for i#2 in rev 0..v0, d_y = seed, d_x = -0.0 on tape 0 {
                recall y#6, arm#2
                d_y#3, d_x#3 = switch arm#2 {
                  v1 = cos(y#6)
                  d_y#4 = d_y * v1
                  yield d_y#4, -0.0
                } else {
                  d_y#5 = d_y * x
                  d_x#4 = d_y * y#6
                  yield d_y#5, d_x#4
                } else {
                  yield d_y, -0.0
                }
                d_x#5 = d_x + d_x#3
                yield d_y#3, d_x#5
              }
              d_x#6 = d_x#2 + d_y#2
              yield y#2, d_x#6
            }"#]],
    );
}

#[test]
fn an_inner_loop_records_on_a_tape_of_its_own() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut y = x;
                for i in 0..n {
                    let k = y.exp();
                    for _ in 0..i {
                        y = y * y;
                    }
                    y = y * k;
                }
                y
            }",
        &expect![[r#"
            fn(x, n; seed) {
              y#2 = for i in 0..n, y = x on tape 1 {
                k = exp(y)
                y#4 = for v0 in 0..i, y#3 = y on tape 0 {
                  y#5 = y#3 * y#3
                  record y#3
                  yield y#5
                }
                y#6 = y#4 * k
                record k, y#4
                yield y#6
              }
              // reverse
              d_y#2 = for i#2 in rev 0..n, d_y = seed on tape 1 {
                recall k#2, y#7
                d_y#3 = d_y * k#2
                d_k = d_y * y#7
                d_y#5 = for v1 in rev 0..i#2, d_y#4 = d_y#3 on tape 0 {
                  recall y#8
                  d_y#6 = d_y#4 * y#8
                  d_y#7 = d_y#4 * y#8
                  d_y#8 = d_y#6 + d_y#7
                  yield d_y#8
                }
                d_y#9 = smul(d_k, k#2)
                d_y#10 = d_y#5 + d_y#9
                yield d_y#10
              }
              yield y#2, d_y#2
            }"#]],
    );
}

#[test]
fn a_pullback_in_a_loop_is_recorded() {
    check_late(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; for _ in 0..n { y = g(y); } y }",
        &expect![[r#"
            fn(x, n; seed) {
              y#2 = for v0 in 0..n, y = x on tape 0 {
                y#3, back = forward g(y)
                record back
                yield y#3
              }
              // reverse
              d_y#2 = for v1 in rev 0..n, d_y = seed on tape 0 {
                recall back#2
                d_y#3 = backward back#2(d_y, _)
                yield d_y#3
              }
              yield y#2, d_y#2
            }"#]],
    );
}

#[test]
fn an_effect_is_never_run_again() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut y = x;
                for _ in 0..n {
                    let k = tick();
                    y = y * k as f64;
                }
                y
            }",
        &expect![[r#"
            fn(x, n; seed) {
              y#2 = for v0 in 0..n, y = x on tape 0 {
                k = opaque `tick()`
                v1 = pure `k as f64`
                y#3 = y * v1
                record v1
                yield y#3
              }
              // reverse
              d_y#2 = for v2 in rev 0..n, d_y = seed on tape 0 {
                recall v3
                d_y#3 = d_y * v3
                yield d_y#3
              }
              yield y#2, d_y#2
            }"#]],
    );
}

#[test]
fn everything_is_recorded_on_demand() {
    check_sweeps(
        "__remember_all",
        r"
            fn f(xs: &[f64], x: f64) -> f64 {
                let mut s = 0.0;
                for i in 0..xs.len() {
                    let t = xs[i] * x;
                    s += t * t;
                }
                s
            }",
        Seed::Late,
        &expect![[r#"
            fn(&xs, x; seed, &mut d_xs) {
              n = len xs
              s#2 = for i in 0..n, s = 0.0 on tape 0 {
                v0 = load xs[i]
                t = v0 * x
                v1 = t * t
                s#3 = s + v1
                record t, v0
                yield s#3
              }
              // reverse
              d_x#2 = for i#2 in rev 0..n, d_x = -0.0 on tape 0, which stays {
                recall t#2, v2
                d_s = seed + seed
                d_t = d_s * t#2
                d_x#3 = d_t * v2
                d_x#4 = d_x + d_x#3
                yield d_x#4
              }
              d_s#3 = for i#3 in 0..n, d_s#2 = seed on tape 0, from the first {
                recall t#3, v3
                d_s#4 = d_s#2 + d_s#2
                d_t#2 = d_s#4 * t#3
                v4 = d_t#2 * x
                store d_xs[i#3] += v4
                yield d_s#2
              }
              yield s#2, d_x#2
            }"#]],
    );
}

#[test]
fn what_is_done_again_is_compared_on_demand() {
    check_sweeps(
        "verify",
        r"
            fn f(xs: &[f64], x: f64) -> f64 {
                let mut s = 0.0;
                for i in 0..xs.len() {
                    let t = xs[i] * x;
                    s += t * t;
                }
                s
            }",
        Seed::Late,
        &expect![[r#"
            fn(&xs, x; seed, &mut d_xs) {
              n = len xs
              s#2 = for i in 0..n, s = 0.0 on tape 0 {
                v0 = load xs[i]
                t = v0 * x
                v1 = t * t
                s#3 = s + v1
                record v0, t
                yield s#3
              }
              // reverse
              d_x#2 = for i#2 in rev 0..n, d_x = -0.0 {
                d_s = seed + seed
                v2 = load xs[i#2]
                t#2 = v2 * x
                d_t = d_s * t#2
                d_x#3 = d_t * v2
                d_x#4 = d_x + d_x#3
                yield d_x#4
              }
              d_s#3 = for i#3 in rev 0..n, d_s#2 = seed on tape 0 {
                recall v3, t#3
                d_s#4 = d_s#2 + d_s#2
                v4 = load xs[i#3]
                assert same v4, v3
                t#4 = v4 * x
                assert same t#4, t#3
                d_t#2 = d_s#4 * t#4
                v5 = d_t#2 * x
                store d_xs[i#3] += v5
                yield d_s#2
              }
              yield s#2, d_x#2
            }"#]],
    );
}

#[test]
fn rounds_that_store_elements_of_their_own_save_nothing() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut a = [0.0; 8];
                let mut y = x;
                for i in 0..n {
                    a[i] = y * 2.0;
                    y = y * 0.5 + a[i] * a[i];
                }
                y + a[0]
            }",
        &expect![[r#"
            fn(x, n; seed) {
              v0 = opaque `[0.0; 8]`
              new a = v0
              y#2 = for i in 0..n, y = x {
                v1 = y * 2.0
                store a[i] = v1
                v2 = y * 0.5
                v3 = load a[i]
                v4 = v3 * v3
                y#3 = v2 + v4
                yield y#3
              }
              v5 = load a[0]
              v6 = y#2 + v5
              // reverse
              new d_a = zero
              store d_a[0] = seed
              d_y#2 = for i#2 in rev 0..n, d_y = seed {
                v7 = load a[i#2]
                v8 = d_y * v7
                v9 = d_y * v7
                v10 = v8 + v9
                store d_a[i#2] += v10
                d_y#3 = d_y * 0.5
                v11 = load d_a[i#2]
                d_y#4 = v11 * 2.0
                d_y#5 = d_y#3 + d_y#4
                yield d_y#5
              }
              yield v6, d_y#2
            }"#]],
    );
}

#[test]
fn a_store_of_an_earlier_line_comes_later_in_the_next_round() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut a = [x, x];
                let mut y = x;
                for _ in 0..n {
                    a[0] = y;
                    y = y * 0.5 + a[0] * a[1];
                }
                y
            }",
        &expect![[r#"
            fn(x, n; seed) {
              v0 = [x, x]
              new a = v0
              y#2 = for v1 in 0..n, y = x on tape 0 {
                old = load a[0]
                store a[0] = y
                v2 = y * 0.5
                v3 = load a[0]
                v4 = load a[1]
                v5 = v3 * v4
                y#3 = v2 + v5
                record old
                yield y#3
              }
              // reverse
              new d_a = zero
              d_y#2 = for v6 in rev 0..n, d_y = seed on tape 0 {
                recall old#2
                v7 = load a[1]
                v8 = d_y * v7
                v9 = load a[0]
                v10 = d_y * v9
                store d_a[1] += v10
                store d_a[0] += v8
                d_y#3 = d_y * 0.5
                d_y#4 = load and zero d_a[0]
                store a[0] = old#2
                d_y#5 = d_y#3 + d_y#4
                yield d_y#5
              }
              v11 = take d_a
              d_x = v11[0]
              d_y#6 = d_y#2 + d_x
              d_x#2 = v11[1]
              d_y#7 = d_y#6 + d_x#2
              yield y#2, d_y#7
            }"#]],
    );
}

#[test]
fn a_swapped_element_is_recorded() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut a = [x, 1.0, 2.0];
                let mut y = x;
                for i in 0..n {
                    y = y * a[i];
                    a.swap(0, i);
                }
                y
            }",
        &expect![[r#"
            fn(x, n; seed) {
              v0 = [x, 1.0, 2.0]
              new a = v0
              y#2 = for i in 0..n, y = x on tape 0 {
                v1 = load a[i]
                y#3 = y * v1
                v2 = load a[0]
                store a[0] = v1
                store a[i] = v2
                record v1, y
                yield y#3
              }
              // reverse
              new d_a = zero
              d_y#2 = for i#2 in rev 0..n, d_y = seed on tape 0 {
                recall v3, y#4
                v4 = load and zero d_a[i#2]
                v5 = load d_a[0]
                store d_a[0] = v4
                d_y#3 = d_y * v3
                v6 = d_y * y#4
                v7 = v5 + v6
                store d_a[i#2] += v7
                yield d_y#3
              }
              v8 = take d_a
              d_x = v8[0]
              d_y#4 = d_y#2 + d_x
              yield y#2, d_y#4
            }"#]],
    );
}

#[test]
fn a_replaced_vector_is_moved_out_and_back() {
    check_late(
        r"
            fn f(x: f64, m: usize) -> f64 {
                let mut a = vec![x; 5];
                for i in 0..m {
                    a = vec![x * a[0]; i + 1];
                }
                a[0]
            }",
        &expect![[r#"
            fn(x, m; seed) {
              v0 = vec![x; 5]
              new a = v0
              for i in 0..m on tape 0 {
                v1 = load a[0]
                v2 = x * v1
                v3 = pure `i + 1`
                v4 = vec![v2; v3]
                shape = shape of a
                old = replace a = v4
                record shape, old
              }
              shape#2 = shape of a
              v5 = load a[0]
              // reverse
              new d_a = zero of shape#2
              store d_a[0] = seed
              d_x#2 = for i#2 in rev 0..m, d_x = -0.0 on tape 0 {
                recall shape#3, old#2
                v6 = zero of shape#3
                v7 = replace d_a = v6
                store a = old#2
                v8 = sum of v7 from -0.0
                v9 = load a[0]
                d_x#3 = v8 * v9
                d_x#4 = d_x + d_x#3
                v10 = v8 * x
                store d_a[0] += v10
                yield d_x#4
              }
              v11 = take d_a
              d_x#5 = sum of v11 from -0.0
              d_x#6 = d_x#2 + d_x#5
              yield v5, d_x#6
            }"#]],
    );
}

#[test]
fn the_place_of_an_arm_is_kept_by_the_arm() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut y = x;
                for i in 0..n {
                    if i > 1 {
                        let mut a = [x, 2.0];
                        a[1] = y;
                        for j in 0..2 {
                            y = y * a[j];
                        }
                        a[0] = 1.0;
                        y = y + a[0] * a[1];
                    }
                }
                y
            }",
        &expect![[r#"
            fn(x, n; seed) {
              y#2 = for i in 0..n, y = x on tape 1 {
                v0 = pure `i > 1`
                y#3, arm = if v0 {
                  v1 = [x, 2.0]
                  new a = v1
                  store a[1] = y
                  y#5 = for j in 0..2, y#4 = y on tape 0 {
                    v2 = load a[j]
                    y#6 = y#4 * v2
                    record y#4
                    yield y#6
                  }
                  old = load a[0]
                  store a[0] = 1.0
                  v3 = load a[0]
                  v4 = load a[1]
                  v5 = v3 * v4
                  y#7 = y#5 + v5
                  a#2 = load a
                  record a#2, old
                  yield y#7
                } else {
                  yield y
                }
                record arm
                yield y#3
              }
              // reverse
              d_y#2, d_x#2 = for i#2 in rev 0..n, d_y = seed, d_x = -0.0 on tape 1 {
                recall arm#2
                d_y#3, d_x#3 = switch arm#2 {
                  recall a#3, old#2
                  new a#4 = a#3
                  new d_a = zero
                  v6 = load a#4[1]
                  v7 = d_y * v6
                  v8 = load a#4[0]
                  v9 = d_y * v8
                  store d_a[1] = v9
                  store d_a[0] += v7
                  v10 = load and zero d_a[0]
                  store a#4[0] = old#2
                  d_y#5 = for j#2 in rev 0..2, d_y#4 = d_y on tape 0 {
                    recall y#8
                    v11 = load a#4[j#2]
                    d_y#6 = d_y#4 * v11
                    v12 = d_y#4 * y#8
                    store d_a[j#2] += v12
                    yield d_y#6
                  }
                  d_y#7 = load and zero d_a[1]
                  d_y#8 = d_y#5 + d_y#7
                  v13 = take d_a
                  d_x#4 = v13[0]
                  yield d_y#8, d_x#4
                } else {
                  yield d_y, -0.0
                }
                d_x#5 = d_x + d_x#3
                yield d_y#3, d_x#5
              }
              d_x#6 = d_x#2 + d_y#2
              yield y#2, d_x#6
            }"#]],
    );
}

#[test]
fn what_an_arm_binds_is_recorded_by_the_arm() {
    check_late(
        r"
            fn f(x: f64, n: usize, m: usize) -> f64 {
                let mut y = x;
                for i in 0..m {
                    match n + i {
                        0 => y = 1.0,
                        k if k > m => y = y * k as f64,
                        _ => y = -y,
                    }
                }
                y
            }",
        &expect![[r#"
            fn(x, n, m; seed) {
              y#2 = for i in 0..m, y = x on tape 0 {
                y#3, arm = match `n + i` {
                  0 => {
                    yield 1.0
                  }
                  k if k > m => {
                    v0 = pure `k as f64`
                    y#4 = y * v0
                    record v0
                    yield y#4
                  }
                  _ => {
                    y#5 = -y
                    yield y#5
                  }
                }
                record arm
                yield y#3
              }
              // reverse
              d_y#2 = for i#2 in rev 0..m, d_y = seed on tape 0 {
                recall arm#2
                d_y#3 = switch arm#2 {
                  yield -0.0
                } else {
                  recall v1
                  d_y#4 = d_y * v1
                  yield d_y#4
                } else {
                  d_y#5 = -d_y
                  yield d_y#5
                }
                yield d_y#3
              }
              yield y#2, d_y#2
            }"#]],
    );
}

#[test]
fn a_condition_within_an_arm_is_computed_again_there() {
    check_late(
        r"
            fn f(x: f64, y: f64, c: bool, n: usize) -> f64 {
                let z = x.exp();
                let mut w = y;
                for _ in 0..n {
                    if c {
                        if w > 1.0 {
                            w = w * z;
                        } else {
                            w = w * w;
                        }
                    } else {
                        w = z * w.sin();
                    }
                }
                w * z
            }",
        &expect![[r#"
            fn(x, y, c, n; seed) {
              z = exp(x)
              w#2 = for v0 in 0..n, w = y on tape 0 {
                w#3, arm = if c {
                  v1 = w > 1.0
                  w#4 = if v1 {
                    w#5 = w * z
                    yield w#5
                  } else {
                    w#6 = w * w
                    yield w#6
                  }
                  yield w#4
                } else {
                  v2 = sin(w)
                  w#7 = z * v2
                  record v2
                  yield w#7
                }
                record w, arm
                yield w#3
              }
              v3 = w#2 * z
              // reverse
              d_w = seed * z
              d_z = seed * w#2
              d_w#3, d_z#3 = for v4 in rev 0..n, d_w#2 = d_w, d_z#2 = d_z on tape 0 {
                recall w#8, arm#2
                d_w#4, d_z#4 = switch arm#2 {
                  v5 = w#8 > 1.0
                  d_w#5, d_z#5 = if v5 {
                    d_w#6 = d_w#2 * z
                    d_z#6 = d_w#2 * w#8
                    yield d_w#6, d_z#6
                  } else {
                    d_w#7 = d_w#2 + d_w#2
                    d_w#8 = d_w#7 * w#8
                    yield d_w#8, -0.0
                  }
                  yield d_w#5, d_z#5
                } else {
                  recall v6
                  d_z#7 = d_w#2 * v6
                  v7 = d_w#2 * z
                  v8 = cos(w#8)
                  d_w#9 = v7 * v8
                  yield d_w#9, d_z#7
                }
                d_z#8 = d_z#2 + d_z#4
                yield d_w#4, d_z#8
              }
              d_x = smul(d_z#3, z)
              yield v3, d_x, d_w#3
            }"#]],
    );
}

#[test]
fn elements_of_shifted_ranges_are_the_same_in_other_rounds() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut a = [x; 5];
                let mut y = x;
                for i in 0..n {
                    a[0..4][i] = y;
                    y = a[1..5][i] * a[1..5][i];
                }
                y
            }",
        &expect![[r#"
            fn(x, n; seed) {
              v0 = [x; 5]
              new a = v0
              y#2 = for i in 0..n, y = x on tape 0 {
                old = load a[0..4][i]
                store a[0..4][i] = y
                v1 = load a[1..5][i]
                y#3 = v1 * v1
                record old
                yield y#3
              }
              // reverse
              new d_a = zero
              d_y#2 = for i#2 in rev 0..n, d_y = seed on tape 0 {
                recall old#2
                v2 = load a[1..5][i#2]
                v3 = d_y * v2
                v4 = d_y * v2
                v5 = v3 + v4
                store d_a[1..5][i#2] += v5
                d_y#3 = load and zero d_a[0..4][i#2]
                store a[0..4][i#2] = old#2
                yield d_y#3
              }
              v6 = take d_a
              d_x = sum of v6 from -0.0
              d_y#4 = d_y#2 + d_x
              yield y#2, d_y#4
            }"#]],
    );
}

#[test]
fn a_length_that_changes_later_is_asked_once_the_change_is_undone() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let mut a = vec![x; 5];
                let mut s = 0.0;
                for _ in 0..n {
                    for i in 0..a.len() {
                        s = s * 0.5 + a[i];
                    }
                }
                a = vec![x; 3];
                s + a[0]
            }",
        &expect![[r#"
            fn(x, n; seed) {
              v0 = vec![x; 5]
              new a = v0
              s#2 = for v1 in 0..n, s = 0.0 {
                n#2 = len a
                s#4 = for i in 0..n#2, s#3 = s {
                  v2 = s#3 * 0.5
                  v3 = load a[i]
                  s#5 = v2 + v3
                  yield s#5
                }
                yield s#4
              }
              v4 = vec![x; 3]
              shape = shape of a
              old = replace a = v4
              shape#2 = shape of a
              v5 = load a[0]
              v6 = s#2 + v5
              // reverse
              new d_a = zero of shape#2
              store d_a[0] = seed
              v7 = zero of shape
              v8 = replace d_a = v7
              store a = old
              d_x = sum of v8 from -0.0
              d_s#2 = for v9 in rev 0..n, d_s = seed {
                n#3 = len a
                d_s#4 = for i#2 in rev 0..n#3, d_s#3 = d_s {
                  store d_a[i#2] += d_s#3
                  d_s#5 = d_s#3 * 0.5
                  yield d_s#5
                }
                yield d_s#4
              }
              v10 = take d_a
              d_x#2 = sum of v10 from -0.0
              d_x#3 = d_x + d_x#2
              yield v6, d_x#3
            }"#]],
    );
}

#[test]
fn what_a_call_changed_is_read_again_after_its_pullback_has_undone_it() {
    check_late(
        r"
            fn f(x: f64, n: usize) -> f64 {
                let w = [x, 2.0];
                let mut order = [0usize, 1];
                let mut s = x;
                for _ in 0..n {
                    s = s * w[order[0]];
                    s += step(x, &mut order);
                }
                s
            }",
        &expect![[r#"
            fn(x, n; seed) {
              v0 = [x, 2.0]
              new w = v0
              v1 = opaque `[0usize, 1]`
              new order = v1
              s#2 = for v2 in 0..n, s = x on tape 0 {
                v3 = load order[0]
                v4 = load w[v3]
                s#3 = s * v4
                v5, back = forward step(x, &mut order)
                s#4 = s#3 + v5
                record back, s
                yield s#4
              }
              // reverse
              new d_w = zero
              d_s#2, d_x#2 = for v6 in rev 0..n, d_s = seed, d_x = -0.0 on tape 0 {
                recall back#2, s#5
                d_x#3 = backward back#2(d_s, _, &mut order; zero)
                d_x#4 = d_x + d_x#3
                v7 = load order[0]
                v8 = load w[v7]
                d_s#3 = d_s * v8
                v9 = d_s * s#5
                store d_w[v7] += v9
                yield d_s#3, d_x#4
              }
              d_x#5 = d_x#2 + d_s#2
              v10 = take d_w
              d_x#6 = v10[0]
              d_x#7 = d_x#5 + d_x#6
              yield s#2, d_x#7
            }"#]],
    );
}

#[test]
fn what_a_pullback_borrows_again_is_as_it_was_at_the_call() {
    check_late(
        r"
            fn f(x: f64) -> f64 {
                let mut a = [x, 2.0 * x];
                let y = g(&a);
                a[0] = 5.0;
                y * a[1]
            }",
        &expect![[r#"
            fn(x; seed) {
              v0 = 2.0 * x
              v1 = [x, v0]
              new a = v1
              y, back = forward g(&a)
              old = load a[0]
              store a[0] = 5.0
              v2 = load a[1]
              v3 = y * v2
              // reverse
              new d_a = zero
              d_y = seed * v2
              v4 = seed * y
              store d_a[1] = v4
              v5 = load and zero d_a[0]
              store a[0] = old
              backward back(d_y, &a; d_a)
              v6 = take d_a
              d_x = v6[0]
              v7 = v6[1]
              d_x#2 = v7 * 2.0
              d_x#3 = d_x + d_x#2
              yield v3, d_x#3
            }"#]],
    );
}

#[test]
fn what_code_without_derivative_changes_is_saved_whole_for_pullbacks() {
    check_late(
        r"
            fn f(x: f64) -> f64 {
                let mut a = [1.0, 2.0];
                let mut y = x;
                for i in 0..3 {
                    y = g(&a, y) * a[0];
                    a.reverse();
                }
                y
            }",
        &expect![[r#"
            fn(x; seed) {
              v0 = opaque `[1.0, 2.0]`
              new a = v0
              y#2 = for i in 0..3, y = x on tape 0 {
                v1, back = forward g(&a, y)
                v2 = load a[0]
                y#3 = v1 * v2
                old = load a
                opaque `a.reverse()` writes a
                record old, v2, back
                yield y#3
              }
              // reverse
              d_y#2 = for i#2 in rev 0..3, d_y = seed on tape 0 {
                recall old#2, v3, back#2
                store a = old#2
                v4 = absorb(d_y, v3, g::__STEEP)
                d_y#3 = backward back#2(v4, &a, _; zero)
                yield d_y#3
              }
              yield y#2, d_y#2
            }"#]],
    );
}

#[test]
fn a_pullback_that_is_never_called_borrows_nothing() {
    check_late(
        r"
            fn f(x: f64) -> f64 {
                for i in 0..3 {
                    let mut b = Body { v: x, w: x };
                    let e = b.energy(x);
                    b.v = x;
                }
                x
            }",
        &expect![[r#"
            fn(x; seed) {
              for i in 0..3 on tape 0 {
                v0 = Body { v: x, w: x }
                new b = v0
                e, back = forward energy(&mut b, x)
                old = load b.v
                store b.v = x
                b#2 = load b
                record b#2, old, e, back
              }
              // reverse
              d_x#2 = for i#2 in rev 0..3, d_x = seed on tape 0 {
                recall b#3, old#2, e#2, back#2
                new b#4 = b#3
                store b#4.v = old#2
                v1 = zero like e#2
                d_x#3 = backward back#2(v1, &mut b#4, _; zero)
                d_x#4 = d_x + d_x#3
                yield d_x#4
              }
              yield x, d_x#2
            }"#]],
    );
}

#[test]
fn a_call_without_cotangents_is_undone_by_its_pullback() {
    check_late(
        r"
            fn f(x: f64) -> f64 {
                let mut t = x;
                t = 1.0;
                let mut b = Body { v: t, w: t };
                let mut y = x;
                for i in 0..3 {
                    y = y * b.v;
                    b.step(t);
                }
                y
            }",
        &expect![[r#"
            fn(x; seed) {
              v0 = Body { v: 1.0, w: 1.0 }
              new b = v0
              y#2 = for i in 0..3, y = x on tape 0 {
                v1 = load b.v
                kept = keep for the left of mul (y, v1)
                y#3 = y *' v1
                v2, back = forward step(&mut b, 1.0)
                record v2, back, kept
                yield y#3
              }
              // reverse
              d_y#2 = for i#2 in rev 0..3, d_y = seed on tape 0 {
                recall v3, back#2, kept#2
                v4 = zero like v3
                d_t = backward back#2(v4, &mut b, _; zero)
                d_y#3 = back to the left of mul (kept#2, d_y)
                yield d_y#3
              }
              yield y#2, d_y#2
            }"#]],
    );
}

#[test]
fn what_many_rounds_compute_from_is_recorded_once_around_them() {
    check_late(
        r"
            fn f(a: &[f64], x: f64, n: usize) -> f64 {
                let mut y = x;
                let mut len = 1;
                while len < n {
                    for k in 0..len {
                        y = y * a[k + len];
                    }
                    len *= 2;
                }
                y
            }",
        &expect![[r#"
            fn(&a, x, n; seed, &mut d_a) {
              len#2, y#2, rounds = for  in forever, len = 1, y = x on tape 1 {
                v0 = pure `!(len < n)`
                leave if v0
                y#4 = for k in 0..len, y#3 = y on tape 0 {
                  v1 = pure `k + len`
                  v2 = load a[v1]
                  y#5 = y#3 * v2
                  record y#3
                  yield y#5
                }
                len#3 = pure `len * 2`
                record len
                yield len#3, y#4
              }
              // reverse
              d_y#2 = for round in count rounds, d_y = seed on tape 1 {
                recall len#4
                d_y#4 = for k#2 in rev 0..len#4, d_y#3 = d_y on tape 0 {
                  recall y#6
                  v3 = pure `k#2 + len#4`
                  v4 = load a[v3]
                  d_y#5 = d_y#3 * v4
                  v5 = d_y#3 * y#6
                  store d_a[v3] += v5
                  yield d_y#5
                }
                yield d_y#4
              }
              yield y#2, d_y#2
            }"#]],
    );
}

#[test]
fn an_integer_that_each_round_changes_by_the_same_number_is_run_back() {
    check_late(
        "fn f(x: &[f64]) -> f64 { let mut s = 1.0; let mut i = 0usize; while i < x.len() { s = s * x[i]; i += 2; } s }",
        &expect![[r#"
            fn(&x; seed, &mut d_x) {
              i#2, s#2, rounds = for  in forever, i = 0usize, s = 1.0 on tape 0 {
                n = len x
                v0 = i < n
                v1 = pure `! v0`
                leave if v1
                v2 = load x[i]
                s#3 = s * v2
                i#3 = pure `i + 2`
                record s
                yield i#3, s#3
              }
              // reverse
              d_s#2, i#5 = for round in count rounds, d_s = seed, i#4 = i#2 on tape 0 {
                recall s#4
                i#6 = pure `rt::minus(i#4, 2)`
                v3 = load x[i#6]
                d_s#3 = d_s * v3
                v4 = d_s * s#4
                store d_x[i#6] += v4
                yield d_s#3, i#6
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn an_integer_that_rounds_change_at_will_is_remembered() {
    check_late(
        "fn f(x: &[f64]) -> f64 { let mut s = 1.0; let mut i = 0usize; for k in 0..x.len() { s = s * x[i]; if k > 2 { i += 2; } } s }",
        &expect![[r#"
            fn(&x; seed, &mut d_x) {
              new i = 0usize
              n = len x
              s#2 = for k in 0..n, s = 1.0 on tape 0 {
                v0 = load i
                v1 = load x[v0]
                s#3 = s * v1
                v2 = opaque `if k > 2 { i += 2; }` writes i
                record v0, s
                yield s#3
              }
              // reverse
              d_s#2 = for k#2 in rev 0..n, d_s = seed on tape 0 {
                recall v3, s#4
                v4 = load x[v3]
                d_s#3 = d_s * v4
                v5 = d_s * s#4
                store d_x[v3] += v5
                yield d_s#3
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn an_integer_that_loops_inside_count_on_is_run_back_by_their_rounds() {
    check_late(
        "fn f(x: &[f64], n: usize) -> f64 { let mut s = 1.0; let mut at = 0; for i in 0..n { at += 2; for j in i..n { s = s * x[at]; at += 1; } } s }",
        &expect![[r#"
            fn(&x, n; seed, &mut d_x) {
              at#2, s#2 = for i in 0..n, at = 0, s = 1.0 {
                at#3 = pure `at + 2`
                n#2 = pure `rt::rounds(&(i..n))`
                at#5, s#4 = for k in 0..n#2, at#4 = at#3, s#3 = s on tape 0 {
                  at#6 = pure `at#3 + k`
                  v0 = load x[at#6]
                  s#5 = s#3 * v0
                  at#7 = pure `at#4 + 1`
                  record s#3
                  yield at#7, s#5
                }
                yield at#5, s#4
              }
              // reverse
              d_s#2, at#9 = for i#2 in rev 0..n, d_s = seed, at#8 = at#2 {
                at#10 = pure `rt::minus(at#8, rt::times(1, rt::rounds(&(i#2..n))))`
                at#11 = pure `rt::minus(at#10, 2)`
                n#3 = pure `rt::rounds(&(i#2..n))`
                start = pure `rt::minus(at#8, n#3)`
                d_s#4, at#13 = for k#2 in rev 0..n#3, d_s#3 = d_s, at#12 = at#8 on tape 0 {
                  recall s#6
                  at#14 = pure `start + k#2`
                  at#15 = pure `rt::minus(at#12, 1)`
                  v1 = load x[at#14]
                  d_s#5 = d_s#3 * v1
                  v2 = d_s#3 * s#6
                  store d_x[at#14] += v2
                  yield d_s#5, at#15
                }
                yield d_s#4, at#11
              }
              yield s#2
            }"#]],
    );
    check_late(
        "fn f(x: &[f64], n: usize) -> f64 { let mut s = 1.0; let mut at = n; for i in 0..n { for j in 0..=3 { for k in 0..n { at -= 2; s = s * x[at]; } } } s }",
        &expect![[r#"
            fn(&x, n; seed, &mut d_x) {
              at#2, s#2 = for i in 0..n, at = n, s = 1.0 {
                at#4, s#4 = for j in 0..=3, at#3 = at, s#3 = s {
                  at#6, s#6 = for k in 0..n, at#5 = at#3, s#5 = s#3 on tape 0 {
                    at#7 = pure `at#5 - 2`
                    v0 = load x[at#7]
                    s#7 = s#5 * v0
                    record s#5
                    yield at#7, s#7
                  }
                  yield at#6, s#6
                }
                yield at#4, s#4
              }
              // reverse
              d_s#2, at#9 = for i#2 in rev 0..n, d_s = seed, at#8 = at#2 {
                at#10 = pure `rt::plus(at#8, rt::times(rt::times(2, rt::rounds(&(0..n))), rt::rounds(&(0..= 3))))`
                d_s#4, at#12 = for j#2 in rev 0..=3, d_s#3 = d_s, at#11 = at#8 {
                  at#13 = pure `rt::plus(at#11, rt::times(2, rt::rounds(&(0..n))))`
                  d_s#6, at#15 = for k#2 in rev 0..n, d_s#5 = d_s#3, at#14 = at#11 on tape 0 {
                    recall s#8
                    at#16 = pure `rt::plus(at#14, 2)`
                    at#17 = pure `at#16 - 2`
                    v1 = load x[at#17]
                    d_s#7 = d_s#5 * v1
                    v2 = d_s#5 * s#8
                    store d_x[at#17] += v2
                    yield d_s#7, at#16
                  }
                  yield d_s#6, at#13
                }
                yield d_s#4, at#10
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn an_integer_that_says_how_often_a_loop_inside_runs_is_remembered() {
    check_late(
        "fn f(x: &[f64], n: usize) -> f64 { let mut s = 1.0; let mut at = 0; for i in 0..n { for j in at..n { s = s * x[at]; at += 1; } } s }",
        &expect![[r#"
            fn(&x, n; seed, &mut d_x) {
              at#2, s#2 = for i in 0..n, at = 0, s = 1.0 on tape 1 {
                n#2 = pure `rt::rounds(&(at..n))`
                at#4, s#4 = for k in 0..n#2, at#3 = at, s#3 = s on tape 0 {
                  at#5 = pure `at + k`
                  v0 = load x[at#5]
                  s#5 = s#3 * v0
                  at#6 = pure `at#3 + 1`
                  record s#3
                  yield at#6, s#5
                }
                record at, at#4
                yield at#4, s#4
              }
              // reverse
              d_s#2 = for i#2 in rev 0..n, d_s = seed on tape 1 {
                recall at#7, at#8
                n#3 = pure `rt::rounds(&(at#7..n))`
                start = pure `rt::minus(at#8, n#3)`
                d_s#4, at#10 = for k#2 in rev 0..n#3, d_s#3 = d_s, at#9 = at#8 on tape 0 {
                  recall s#6
                  at#11 = pure `start + k#2`
                  at#12 = pure `rt::minus(at#9, 1)`
                  v1 = load x[at#11]
                  d_s#5 = d_s#3 * v1
                  v2 = d_s#3 * s#6
                  store d_x[at#11] += v2
                  yield d_s#5, at#12
                }
                yield d_s#4
              }
              yield s#2
            }"#]],
    );
}
