//! What loops add to neighbouring elements is carried.

use expect_test::expect;

use crate::testing::{check_late, check_sweeps};
use crate::vjp::Seed;

const STEPS: &str = "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..x.len() - 1 { let d = x[i + 1] - x[i]; s += d * d; } s }";

#[test]
fn the_next_element_waits_for_its_round() {
    check_sweeps(
        "",
        STEPS,
        Seed::Early,
        &expect![[r#"
            fn(&x; seed, &mut d_x) {
              n = len x
              v0 = n - 1
              v1 = pure `0 < v0`
              d_x#2 = if v1 {
                d_x#3 = load d_x[0]
                yield d_x#3
              } else {
                yield -0.0
              }
              s#2, d_x#5 = for i in 0..v0, s = 0.0, d_x#4 = d_x#2 {
                v2 = pure `i + 1`
                v3 = load x[v2]
                v4 = load x[i]
                d = v3 - v4
                v5 = d * d
                s#3 = s + v5
                seed#2 = seed + seed
                d_d = seed#2 * d
                v6 = -d_d
                d_x#6 = d_x#4 + v6
                store d_x[i] = d_x#6
                d_x#7 = load d_x[v2]
                d_x#8 = d_x#7 + d_d
                yield s#3, d_x#8
              }
              if v1 {
                store d_x[v0] = d_x#5
              } else {
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn on_demand_each_element_is_added_to_in_its_round() {
    check_sweeps(
        "__carry_nothing",
        STEPS,
        Seed::Early,
        &expect![[r#"
        fn(&x; seed, &mut d_x) {
          n = len x
          v0 = n - 1
          s#2 = for i in 0..v0, s = 0.0 {
            v1 = pure `i + 1`
            v2 = load x[v1]
            v3 = load x[i]
            d = v2 - v3
            v4 = d * d
            s#3 = s + v4
            seed#2 = seed + seed
            d_d = seed#2 * d
            v5 = -d_d
            store d_x[i] += v5
            store d_x[v1] += d_d
            yield s#3
          }
          yield s#2
        }"#]],
    );
}

#[test]
fn backwards_the_element_before_waits() {
    check_late(
        "fn f(x: &[f64]) -> f64 { let mut s = 1.0; for i in 1..x.len() - 1 { s *= x[i - 1] - 2.0 * x[i] + x[i + 1]; } s }",
        &expect![[r#"
            fn(&x; seed, &mut d_x) {
              n = len x
              v0 = n - 1
              n#2 = pure `rt::rounds(&(1..v0))`
              s#2 = for k in 0..n#2, s = 1.0 on tape 0 {
                i = pure `1 + k`
                v1 = load x[k]
                v2 = load x[i]
                v3 = 2.0 * v2
                v4 = v1 - v3
                v5 = pure `2 + k`
                v6 = load x[v5]
                v7 = v4 + v6
                s#3 = s * v7
                record v7, s
                yield s#3
              }
              // reverse
              n#3 = pure `rt::rounds(&(1..v0))`
              v8 = pure `0 < n#3`
              d_x#2, d_x#3 = if v8 {
                v9 = pure `1 + n#3`
                d_x#4 = load d_x[v9]
                d_x#5 = load d_x[n#3]
                yield d_x#4, d_x#5
              } else {
                yield -0.0, -0.0
              }
              d_s#2, d_x#8, d_x#9 = for k#2 in rev 0..n#3, d_s = seed, d_x#6 = d_x#2, d_x#7 = d_x#3 on tape 0 {
                recall v10, s#4
                d_s#3 = d_s * v10
                v11 = d_s * s#4
                v12 = pure `2 + k#2`
                d_x#10 = d_x#6 + v11
                store d_x[v12] = d_x#10
                v13 = -v11
                v14 = v13 * 2.0
                d_x#11 = d_x#7 + v14
                d_x#12 = load d_x[k#2]
                d_x#13 = d_x#12 + v11
                yield d_s#3, d_x#11, d_x#13
              }
              if v8 {
                v15 = pure `1 + 0`
                store d_x[v15] = d_x#8
                store d_x[0] = d_x#9
              } else {
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn elements_that_are_two_apart_stay() {
    check_late(
        "fn f(x: &[f64]) -> f64 { let mut s = 1.0; for i in 2..x.len() { s *= x[i] - x[i - 2]; } s }",
        &expect![[r#"
            fn(&x; seed, &mut d_x) {
              n = len x
              n#2 = pure `rt::rounds(&(2..n))`
              s#2 = for k in 0..n#2, s = 1.0 on tape 0 {
                i = pure `2 + k`
                v0 = load x[i]
                v1 = load x[k]
                v2 = v0 - v1
                s#3 = s * v2
                record v2, s
                yield s#3
              }
              // reverse
              n#3 = pure `rt::rounds(&(2..n))`
              d_s#2 = for k#2 in rev 0..n#3, d_s = seed on tape 0 {
                recall v3, s#4
                i#2 = pure `2 + k#2`
                d_s#3 = d_s * v3
                v4 = d_s * s#4
                v5 = -v4
                store d_x[k#2] += v5
                store d_x[i#2] += v4
                yield d_s#3
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn elements_of_a_row_are_neighbours() {
    check_late(
        "fn f(x: &[Vec<f64>]) -> f64 { let mut s = 1.0; for r in 0..3 { for i in 1..4 { s *= x[r][i] - x[r][i - 1]; } } s }",
        &expect![[r#"
            fn(&x; seed, &mut d_x) {
              s#2 = for r in 0..3, s = 1.0 {
                n = pure `rt::rounds(&(1..4))`
                s#4 = for k in 0..n, s#3 = s on tape 0 {
                  i = pure `1 + k`
                  v0 = load x[r][i]
                  v1 = load x[r][k]
                  v2 = v0 - v1
                  s#5 = s#3 * v2
                  record v2, s#3
                  yield s#5
                }
                yield s#4
              }
              // reverse
              d_s#2 = for r#2 in rev 0..3, d_s = seed {
                n#2 = pure `rt::rounds(&(1..4))`
                v3 = pure `0 < n#2`
                d_x#2 = if v3 {
                  d_x#3 = load d_x[r#2][n#2]
                  yield d_x#3
                } else {
                  yield -0.0
                }
                d_s#4, d_x#5 = for k#2 in rev 0..n#2, d_s#3 = d_s, d_x#4 = d_x#2 on tape 0 {
                  recall v4, s#6
                  i#2 = pure `1 + k#2`
                  d_s#5 = d_s#3 * v4
                  v5 = d_s#3 * s#6
                  v6 = -v5
                  d_x#6 = load d_x[r#2][k#2]
                  d_x#7 = d_x#6 + v6
                  d_x#8 = d_x#4 + v5
                  store d_x[r#2][i#2] = d_x#8
                  yield d_s#5, d_x#7
                }
                if v3 {
                  store d_x[r#2][0] = d_x#5
                } else {
                }
                yield d_s#4
              }
              yield s#2
            }"#]],
    );
}

#[test]
fn what_a_round_reads_as_well_stays() {
    check_late(
        "fn f(x: &mut [f64]) { for i in 1..x.len() { x[i] = x[i] * x[i - 1]; } }",
        &expect![[r#"
            fn(&mut x; &mut d_x) {
              n = len x
              n#2 = pure `rt::rounds(&(1..n))`
              for k in 0..n#2 on tape 0 {
                i = pure `1 + k`
                v0 = load x[i]
                v1 = load x[k]
                v2 = v0 * v1
                old = load x[i]
                store x[i] = v2
                record old
              }
              // reverse
              n#3 = pure `rt::rounds(&(1..n))`
              for k#2 in rev 0..n#3 on tape 0 {
                recall old#2
                i#2 = pure `1 + k#2`
                v3 = load and zero d_x[i#2]
                store x[i#2] = old#2
                v4 = load x[k#2]
                v5 = v3 * v4
                v6 = load x[i#2]
                v7 = v3 * v6
                store d_x[k#2] += v7
                store d_x[i#2] += v5
              }
            }"#]],
    );
}
