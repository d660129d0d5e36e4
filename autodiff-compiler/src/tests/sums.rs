//! Sums of cotangents stand in loops of their own.

use expect_test::expect;

use crate::testing::{check_early, check_late, check_sweeps};
use crate::vjp::Seed;

/// A layer whose weights lie input by input: the cotangent of an input is a sum along a row.
const LAYER: &str = "fn f(w: &[f64], x: &[f64], m: usize) -> f64 {
    let mut y = vec![0.0; m];
    for j in 0..x.len() {
        let h = x[j];
        for k in 0..m {
            y[k] += w[j * m + k] * h;
        }
    }
    y[0] * y[1]
}";

#[test]
fn what_a_loop_carries() {
    check_early(
        LAYER,
        &expect![[r#"
            fn(&w, &x, m; seed, &mut d_w, &mut d_x) {
              v0 = opaque `vec![0.0; m]`
              new y = v0
              shape = shape of y
              n = len x
              for j in 0..n {
                h = load x[j]
                for k in 0..m {
                  v1 = pure `j * m + k`
                  v2 = load w[v1]
                  v3 = v2 * h
                  store y[k] += v3
                }
              }
              v4 = load y[0]
              v5 = load y[1]
              v6 = v4 * v5
              // reverse
              new d_y = zero of shape
              v7 = seed * v5
              v8 = seed * v4
              store d_y[1] = v8
              store d_y[0] += v7
              for j#2 in rev 0..n {
                d_h#2 = for k#2 in rev 0..m, d_h = -0.0 {
                  v9 = load d_y[k#2]
                  v10 = pure `j#2 * m + k#2`
                  v11 = load w[v10]
                  d_h#3 = v9 * v11
                  d_h#4 = d_h + d_h#3
                  yield d_h#4
                }
                for k#3 in 0..m {
                  v12 = load d_y[k#3]
                  h#2 = load x[j#2]
                  v13 = v12 * h#2
                  v14 = pure `j#2 * m + k#3`
                  store d_w[v14] += v13
                }
                store d_x[j#2] += d_h#2
              }
              yield v6
            }"#]],
    );
}

#[test]
fn and_what_it_adds_to_one_number() {
    check_early(
        "fn f(w: &[f64], x: &[f64], m: usize) -> f64 {
            let mut y = vec![0.0; m];
            for j in 0..x.len() {
                for k in 0..m {
                    y[k] += w[j * m + k] * x[j];
                }
            }
            y[0] * y[1]
        }",
        &expect![[r#"
            fn(&w, &x, m; seed, &mut d_w, &mut d_x) {
              v0 = opaque `vec![0.0; m]`
              new y = v0
              shape = shape of y
              n = len x
              for j in 0..n {
                for k in 0..m {
                  v1 = pure `j * m + k`
                  v2 = load w[v1]
                  v3 = load x[j]
                  v4 = v2 * v3
                  store y[k] += v4
                }
              }
              v5 = load y[0]
              v6 = load y[1]
              v7 = v5 * v6
              // reverse
              new d_y = zero of shape
              v8 = seed * v6
              v9 = seed * v5
              store d_y[1] = v9
              store d_y[0] += v8
              for j#2 in rev 0..n {
                v10 = pure `0 < m`
                if v10 {
                  d_x#2 = load d_x[j#2]
                  d_x#4 = for k#2 in rev 0..m, d_x#3 = d_x#2 {
                    v11 = load d_y[k#2]
                    v12 = pure `j#2 * m + k#2`
                    v13 = load w[v12]
                    v14 = v11 * v13
                    d_x#5 = d_x#3 + v14
                    yield d_x#5
                  }
                  store d_x[j#2] = d_x#4
                } else {
                }
                for k#3 in 0..m {
                  v15 = load d_y[k#3]
                  v16 = load x[j#2]
                  v17 = v15 * v16
                  v18 = pure `j#2 * m + k#3`
                  store d_w[v18] += v17
                }
              }
              yield v7
            }"#]],
    );
}

#[test]
fn what_is_taken_is_read_before() {
    check_early(
        "fn f(x: &[f64], a: f64) -> Vec<f64> {
            let mut y = vec![0.0; x.len()];
            for i in 0..x.len() {
                y[i] = a * x[i] + a;
            }
            y
        }",
        &expect![[r#"
            fn(&x, a; seed, &mut d_x) {
              n = len x
              v0 = vec![0.0; n]
              new y = v0
              for i in 0..n {
                v1 = load x[i]
                v2 = a * v1
                v3 = v2 + a
                store y[i] = v3
              }
              v4 = load y
              // reverse
              new d_y = seed
              d_a#2 = for i#2 in rev 0..n, d_a = -0.0 {
                d_a#3 = load d_y[i#2]
                v5 = load x[i#2]
                d_a#4 = d_a#3 * v5
                d_a#5 = d_a + d_a#3
                d_a#6 = d_a#5 + d_a#4
                yield d_a#6
              }
              for i#3 in 0..n {
                d_a#7 = load d_y[i#3]
                v6 = d_a#7 * a
                store d_x[i#3] += v6
              }
              yield v4, d_a#2
            }"#]],
    );
}

#[test]
fn what_is_remembered_is_read_twice() {
    check_early(
        "fn f(x: &[f64], m: f64) -> f64 {
            let mut s = 0.0;
            for i in 0..x.len() {
                s += (x[i] - m).exp();
            }
            s.ln() + m
        }",
        &expect![[r#"
            fn(&x, m; seed, &mut d_x) {
              n = len x
              s#2 = for i in 0..n, s = 0.0 on tape 0 {
                v0 = load x[i]
                v1 = v0 - m
                v2 = exp(v1)
                s#3 = s + v2
                record v2
                yield s#3
              }
              v3 = ln(s#2)
              v4 = v3 + m
              // reverse
              d_s = sdiv(seed, s#2)
              d_m#2 = for i#2 in rev 0..n, d_m = seed on tape 0, which stays {
                recall v5
                v6 = smul(d_s, v5)
                d_m#3 = -v6
                d_m#4 = d_m + d_m#3
                yield d_m#4
              }
              d_s#3 = for i#3 in 0..n, d_s#2 = d_s on tape 0, from the first {
                recall v7
                v8 = smul(d_s#2, v7)
                store d_x[i#3] += v8
                yield d_s#2
              }
              yield v4, d_m#2
            }"#]],
    );
}

#[test]
fn beside_a_sum_of_the_users_they_stay() {
    // The sum of the user's keeps its order, so that nothing is faster apart.
    check_early(
        "fn f(x: &[f64], a: f64) -> f64 {
            let mut s = 0.0;
            for i in 0..x.len() {
                s += a * x[i];
            }
            s
        }",
        &expect![[r#"
            fn(&x, a; seed, &mut d_x) {
              n = len x
              s#2, d_a#2 = for i in 0..n, s = 0.0, d_a = -0.0 {
                v0 = load x[i]
                v1 = a * v0
                s#3 = s + v1
                d_a#3 = seed * v0
                d_a#4 = d_a + d_a#3
                v2 = seed * a
                store d_x[i] += v2
                yield s#3, d_a#4
              }
              yield s#2, d_a#2
            }"#]],
    );
}

#[test]
fn on_demand_everything_stays() {
    check_sweeps(
        "__sum_nothing",
        LAYER,
        Seed::Early,
        &expect![[r#"
            fn(&w, &x, m; seed, &mut d_w, &mut d_x) {
              v0 = opaque `vec![0.0; m]`
              new y = v0
              shape = shape of y
              n = len x
              for j in 0..n {
                h = load x[j]
                for k in 0..m {
                  v1 = pure `j * m + k`
                  v2 = load w[v1]
                  v3 = v2 * h
                  store y[k] += v3
                }
              }
              v4 = load y[0]
              v5 = load y[1]
              v6 = v4 * v5
              // reverse
              new d_y = zero of shape
              v7 = seed * v5
              v8 = seed * v4
              store d_y[1] = v8
              store d_y[0] += v7
              for j#2 in rev 0..n {
                d_h#2 = for k#2 in rev 0..m, d_h = -0.0 {
                  v9 = load d_y[k#2]
                  h#2 = load x[j#2]
                  v10 = v9 * h#2
                  v11 = pure `j#2 * m + k#2`
                  v12 = load w[v11]
                  d_h#3 = v9 * v12
                  d_h#4 = d_h + d_h#3
                  store d_w[v11] += v10
                  yield d_h#4
                }
                store d_x[j#2] += d_h#2
              }
              yield v6
            }"#]],
    );
}

#[test]
fn along_a_part_of_a_short_array_it_stays() {
    check_late(
        "fn f<const N: usize>(x: &[f64; N], w: &[f64; N]) -> f64 { let mut s = 0.0; for i in 0..N { let v = &w[i..]; for k in 0..v.len() { s += x[i] * v[k]; } } s * s }",
        &expect![[r#"
            fn(&x, &w; seed, &mut d_x, &mut d_w) {
              v0 = pure `N`
              s#2 = for i in 0..v0, s = 0.0 {
                check w[i..]
                n = len w[i..]
                s#4 = for k in 0..n, s#3 = s {
                  v1 = load x[i]
                  v2 = load w[i..][k]
                  v3 = v1 * v2
                  s#5 = s#3 + v3
                  yield s#5
                }
                yield s#4
              }
              v4 = s#2 * s#2
              // reverse
              d_s = seed * s#2
              d_s#2 = seed * s#2
              d_s#3 = d_s + d_s#2
              d_s#5 = for i#2 in rev 0..v0, d_s#4 = d_s#3 {
                n#2 = len w[i#2..]
                d_s#7 = for k#2 in rev 0..n#2, d_s#6 = d_s#4 {
                  v5 = load w[i#2..][k#2]
                  v6 = d_s#6 * v5
                  v7 = load x[i#2]
                  v8 = d_s#6 * v7
                  store d_w[i#2..][k#2] += v8
                  store d_x[i#2] += v6
                  yield d_s#6
                }
                yield d_s#7
              }
              yield v4
            }"#]],
    );
}

#[test]
fn along_a_part_of_a_long_array_it_is_taken_out() {
    check_late(
        "fn f(x: &[f64; 64], w: &[f64; 64]) -> f64 { let mut s = 0.0; for i in 0..64 { let v = &w[i..]; for k in 0..v.len() { s += x[i] * v[k]; } } s * s }",
        &expect![[r#"
            fn(&x, &w; seed, &mut d_x, &mut d_w) {
              s#2 = for i in 0..64, s = 0.0 {
                check w[i..]
                n = len w[i..]
                s#4 = for k in 0..n, s#3 = s {
                  v0 = load x[i]
                  v1 = load w[i..][k]
                  v2 = v0 * v1
                  s#5 = s#3 + v2
                  yield s#5
                }
                yield s#4
              }
              v3 = s#2 * s#2
              // reverse
              d_s = seed * s#2
              d_s#2 = seed * s#2
              d_s#3 = d_s + d_s#2
              d_s#5 = for i#2 in rev 0..64, d_s#4 = d_s#3 {
                n#2 = len w[i#2..]
                v4 = pure `0 < n#2`
                if v4 {
                  d_x#2 = load d_x[i#2]
                  d_x#4 = for k#2 in rev 0..n#2, d_x#3 = d_x#2 {
                    v5 = load w[i#2..][k#2]
                    v6 = d_s#4 * v5
                    d_x#5 = d_x#3 + v6
                    yield d_x#5
                  }
                  store d_x[i#2] = d_x#4
                } else {
                }
                d_s#7 = for k#3 in 0..n#2, d_s#6 = d_s#4 {
                  v7 = load x[i#2]
                  v8 = d_s#6 * v7
                  store d_w[i#2..][k#3] += v8
                  yield d_s#6
                }
                yield d_s#7
              }
              yield v3
            }"#]],
    );
}
