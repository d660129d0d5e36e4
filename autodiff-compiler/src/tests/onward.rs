//! Which reversed loops run from start to end.

use expect_test::expect;

use crate::testing::{check_late, check_sweeps};
use crate::vjp::Seed;

const SINES: &str =
    "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..x.len() { s += x[i].sin(); } s * s }";

#[test]
fn rounds_with_elements_of_their_own() {
    check_late(
        SINES,
        &expect![[r#"
        fn(&x; seed, &mut d_x) {
          n = len x
          s#2 = for i in 0..n, s = 0.0 {
            v0 = load x[i]
            v1 = sin(v0)
            s#3 = s + v1
            yield s#3
          }
          v2 = s#2 * s#2
          // reverse
          d_s = seed * s#2
          d_s#2 = seed * s#2
          d_s#3 = d_s + d_s#2
          d_s#5 = for i#2 in 0..n, d_s#4 = d_s#3 {
            v3 = load x[i#2]
            v4 = cos(v3)
            v5 = d_s#4 * v4
            store d_x[i#2] += v5
            yield d_s#4
          }
          yield v2
        }"#]],
    );
}

#[test]
fn on_demand_backwards() {
    check_sweeps(
        "__turn_nothing",
        SINES,
        Seed::Late,
        &expect![[r#"
        fn(&x; seed, &mut d_x) {
          n = len x
          s#2 = for i in 0..n, s = 0.0 {
            v0 = load x[i]
            v1 = sin(v0)
            s#3 = s + v1
            yield s#3
          }
          v2 = s#2 * s#2
          // reverse
          d_s = seed * s#2
          d_s#2 = seed * s#2
          d_s#3 = d_s + d_s#2
          d_s#5 = for i#2 in rev 0..n, d_s#4 = d_s#3 {
            v3 = load x[i#2]
            v4 = cos(v3)
            v5 = d_s#4 * v4
            store d_x[i#2] += v5
            yield d_s#4
          }
          yield v2
        }"#]],
    );
}

#[test]
fn rounds_that_put_something_back_go_backwards() {
    check_late(
        "fn f(x: &[f64], y: &mut [f64]) { for i in 0..x.len() { y[i] *= x[i]; } }",
        &expect![[r#"
            fn(&x, &mut y; &mut d_x, &mut d_y) {
              n = len x
              for i in 0..n on tape 0 {
                v0 = load x[i]
                v1 = load y[i]
                v2 = v1 * v0
                old = load y[i]
                store y[i] = v2
                record old
              }
              // reverse
              for i#2 in rev 0..n on tape 0 {
                recall old#2
                v3 = load d_y[i#2]
                store y[i#2] = old#2
                v4 = load x[i#2]
                v5 = v3 * v4
                v6 = load y[i#2]
                v7 = v3 * v6
                store d_y[i#2] = v5
                store d_x[i#2] += v7
              }
            }"#]],
    );
}

#[test]
fn rounds_that_add_to_what_others_add_to_go_backwards() {
    check_late(
        "fn f(x: &[f64], n: usize) -> f64 { let mut s = 0.0; for i in 0..n { s += (x[i] * x[i + 1]).sin(); } s * s }",
        &expect![[r#"
            fn(&x, n; seed, &mut d_x) {
              s#2 = for i in 0..n, s = 0.0 on tape 0 {
                v0 = load x[i]
                v1 = pure `i + 1`
                v2 = load x[v1]
                v3 = v0 * v2
                v4 = sin(v3)
                s#3 = s + v4
                record v3
                yield s#3
              }
              v5 = s#2 * s#2
              // reverse
              d_s = seed * s#2
              d_s#2 = seed * s#2
              d_s#3 = d_s + d_s#2
              v6 = pure `0 < n`
              d_x#2 = if v6 {
                d_x#3 = load d_x[n]
                yield d_x#3
              } else {
                yield -0.0
              }
              d_s#5, d_x#5 = for i#2 in rev 0..n, d_s#4 = d_s#3, d_x#4 = d_x#2 on tape 0 {
                recall v7
                v8 = cos(v7)
                v9 = d_s#4 * v8
                v10 = pure `i#2 + 1`
                v11 = load x[v10]
                v12 = v9 * v11
                v13 = load x[i#2]
                v14 = v9 * v13
                d_x#6 = d_x#4 + v14
                store d_x[v10] = d_x#6
                d_x#7 = load d_x[i#2]
                d_x#8 = d_x#7 + v12
                yield d_s#4, d_x#8
              }
              if v6 {
                store d_x[0] = d_x#5
              } else {
              }
              yield v5
            }"#]],
    );
}

#[test]
fn rounds_that_add_to_an_element_that_is_looked_up_go_backwards() {
    check_late(
        "fn f(x: &[f64], i: &[usize]) -> f64 { let mut s = 0.0; for k in 0..i.len() { s += x[i[k]].sin(); } s * s }",
        &expect![[r#"
            fn(&x, &i; seed, &mut d_x) {
              v0 = pure `i.len()`
              s#2 = for k in 0..v0, s = 0.0 {
                v1 = load i[k]
                v2 = load x[v1]
                v3 = sin(v2)
                s#3 = s + v3
                yield s#3
              }
              v4 = s#2 * s#2
              // reverse
              d_s = seed * s#2
              d_s#2 = seed * s#2
              d_s#3 = d_s + d_s#2
              d_s#5 = for k#2 in rev 0..v0, d_s#4 = d_s#3 {
                v5 = load i[k#2]
                v6 = load x[v5]
                v7 = cos(v6)
                v8 = d_s#4 * v7
                store d_x[v5] += v8
                yield d_s#4
              }
              yield v4
            }"#]],
    );
}

#[test]
fn rounds_whose_number_is_counted_go_backwards() {
    check_late(
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for k in 0..x.len() { if x[k] > 9.0 { break; } s += x[k].sin(); } s * s }",
        &expect![[r#"
            fn(&x; seed, &mut d_x) {
              n = len x
              s#2, rounds = for k in 0..n, s = 0.0 {
                v0 = load x[k]
                v1 = v0 > 9.0
                leave if v1
                v2 = sin(v0)
                s#3 = s + v2
                yield s#3
              }
              v3 = s#2 * s#2
              // reverse
              d_s = seed * s#2
              d_s#2 = seed * s#2
              d_s#3 = d_s + d_s#2
              d_s#5 = for k#2 in first rounds of 0..n, backwards, d_s#4 = d_s#3 {
                v4 = load x[k#2]
                v5 = cos(v4)
                v6 = d_s#4 * v5
                store d_x[k#2] += v6
                yield d_s#4
              }
              yield v3
            }"#]],
    );
}
