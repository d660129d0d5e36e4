//! Loops that walk through parts of sequences run from zero.

use expect_test::expect;

use crate::testing::check_early;

#[test]
fn from_an_offset_and_along_an_index_of_its_own() {
    check_early(
        "fn f(l: &[f64], x: &[f64], lo: usize) -> f64 {
                let mut at = 0;
                let mut sum = 0.0;
                for j in lo..x.len() {
                    sum += (l[at] * x[j] * x[j - 1]).sin();
                    at += 1;
                }
                sum
            }",
        &expect![[r#"
            fn(&l, &x, lo; seed, &mut d_l, &mut d_x) {
              n = len x
              n#2 = pure `rt::rounds(&(lo..n))`
              at#2, sum#2, d_x#3 = for k in 0..n#2, at = 0, sum = 0.0, d_x#2 = -0.0 {
                j = pure `lo + k`
                at#3 = pure `0 + k`
                v0 = load l[at#3]
                v1 = load x[j]
                v2 = v0 * v1
                v3 = pure `(lo - 1) + k`
                v4 = load x[v3]
                v5 = v2 * v4
                v6 = sin(v5)
                sum#3 = sum + v6
                at#4 = pure `at + 1`
                v7 = cos(v5)
                v8 = seed * v7
                v9 = v8 * v4
                v10 = v8 * v2
                d_x#4 = d_x#2 + v10
                store d_x[v3] += d_x#4
                v11 = v9 * v1
                v12 = v9 * v0
                store d_l[at#3] += v11
                yield at#4, sum#3, v12
              }
              v13 = pure `0 < n#2`
              if v13 {
                v14 = pure `(lo - 1) + n#2`
                store d_x[v14] += d_x#3
              } else {
              }
              yield sum#2
            }"#]],
    );
}

#[test]
fn from_a_number_what_is_so_much_less_is_the_round_itself() {
    check_early(
        "fn f(x: &[f64]) -> f64 {
                let mut sum = 0.0;
                for j in 2..x.len() {
                    sum += x[j - 2] * x[j - 1];
                }
                sum
            }",
        &expect![[r#"
            fn(&x; seed, &mut d_x) {
              n = len x
              n#2 = pure `rt::rounds(&(2..n))`
              sum#2, d_x#3 = for k in 0..n#2, sum = 0.0, d_x#2 = -0.0 {
                v0 = load x[k]
                v1 = pure `1 + k`
                v2 = load x[v1]
                v3 = v0 * v2
                sum#3 = sum + v3
                v4 = seed * v2
                v5 = seed * v0
                d_x#4 = d_x#2 + v4
                store d_x[k] += d_x#4
                yield sum#3, v5
              }
              v6 = pure `0 < n#2`
              if v6 {
                store d_x[n#2] += d_x#3
              } else {
              }
              yield sum#2
            }"#]],
    );
}

#[test]
fn items_that_are_no_indices_stay() {
    check_early(
        "fn f(x: &[f64], from: i64) -> f64 {
                let mut sum = 0.0;
                for j in from..9 {
                    sum += x[j as usize];
                }
                sum
            }",
        &expect![[r#"
            fn(&x, from; seed, &mut d_x) {
              sum#2 = for j in from..9, sum = 0.0 {
                v0 = pure `j as usize`
                v1 = load x[v0]
                sum#3 = sum + v1
                store d_x[v0] += seed
                yield sum#3
              }
              yield sum#2
            }"#]],
    );
}
