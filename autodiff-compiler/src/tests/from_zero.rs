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
              v0 = pure `0 < n#2`
              d_x#2 = if v0 {
                v1 = pure `(lo - 1) + 0`
                d_x#3 = load d_x[v1]
                yield d_x#3
              } else {
                yield -0.0
              }
              at#2, sum#2, d_x#5 = for k in 0..n#2, at = 0, sum = 0.0, d_x#4 = d_x#2 {
                j = pure `lo + k`
                at#3 = pure `0 + k`
                v2 = load l[at#3]
                v3 = load x[j]
                v4 = v2 * v3
                v5 = pure `(lo - 1) + k`
                v6 = load x[v5]
                v7 = v4 * v6
                v8 = sin(v7)
                sum#3 = sum + v8
                at#4 = pure `at + 1`
                v9 = cos(v7)
                v10 = seed * v9
                v11 = v10 * v6
                v12 = v10 * v4
                d_x#6 = d_x#4 + v12
                store d_x[v5] = d_x#6
                v13 = v11 * v3
                v14 = v11 * v2
                d_x#7 = load d_x[j]
                d_x#8 = d_x#7 + v14
                store d_l[at#3] += v13
                yield at#4, sum#3, d_x#8
              }
              if v0 {
                v15 = pure `(lo - 1) + n#2`
                store d_x[v15] = d_x#5
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
              v0 = pure `0 < n#2`
              d_x#2 = if v0 {
                d_x#3 = load d_x[0]
                yield d_x#3
              } else {
                yield -0.0
              }
              sum#2, d_x#5 = for k in 0..n#2, sum = 0.0, d_x#4 = d_x#2 {
                v1 = load x[k]
                v2 = pure `1 + k`
                v3 = load x[v2]
                v4 = v1 * v3
                sum#3 = sum + v4
                v5 = seed * v3
                v6 = seed * v1
                d_x#6 = load d_x[v2]
                d_x#7 = d_x#6 + v6
                d_x#8 = d_x#4 + v5
                store d_x[k] = d_x#8
                yield sum#3, d_x#7
              }
              if v0 {
                store d_x[n#2] = d_x#5
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
