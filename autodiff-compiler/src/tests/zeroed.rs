//! Cotangents that are known to be zero are stored, and what is overwritten next is not emptied.

use expect_test::expect;

use crate::testing::{check_late, check_sweeps};
use crate::vjp::Seed;

const STEPS: &str = "fn f(x: &[f64], n: usize) -> f64 { let m = x.len(); let mut y = x.to_vec(); let mut t = vec![0.0; m]; for _ in 0..n { for i in 0..m { t[i] = x[i] * y[i]; } for i in 0..m { y[i] = 0.5 * t[i]; } } y[0] }";

#[test]
fn what_each_round_overwrites_is_stored() {
    check_sweeps(
        "",
        STEPS,
        Seed::Early,
        &expect![[r#"
        fn(&x, n; seed, &mut d_x) {
          n#2 = len x
          v0 = to_vec x
          new y = v0
          shape = shape of y
          v1 = opaque `vec![0.0; n#2]`
          new t = v1
          shape#2 = shape of t
          for v2 in 0..n {
            for i in 0..n#2 {
              v3 = load x[i]
              v4 = load y[i]
              v5 = v3 * v4
              store t[i] = v5
            }
            for i_1 in 0..n#2 on tape 0 {
              v6 = load t[i_1]
              v7 = 0.5 * v6
              old = load y[i_1]
              store y[i_1] = v7
              record old
            }
          }
          v8 = load y[0]
          // reverse
          new d_y = zero of shape
          new d_t = zero of shape#2
          store d_y[0] = seed
          for v9 in rev 0..n {
            for i_1#2 in rev 0..n#2 on tape 0 {
              recall old#2
              v10 = load d_y[i_1#2]
              store y[i_1#2] = old#2
              v11 = v10 * 0.5
              store d_t[i_1#2] = v11
            }
            for i#2 in 0..n#2 {
              v12 = load d_t[i#2]
              v13 = load y[i#2]
              v14 = v12 * v13
              v15 = load x[i#2]
              v16 = v12 * v15
              store d_y[i#2] = v16
              store d_x[i#2] += v14
            }
          }
          v17 = take d_y
          store d_x += v17
          yield v8
        }"#]],
    );
}

#[test]
fn on_demand_everything_is_added_to_and_emptied() {
    check_sweeps(
        "__zero_all",
        STEPS,
        Seed::Early,
        &expect![[r#"
        fn(&x, n; seed, &mut d_x) {
          n#2 = len x
          v0 = to_vec x
          new y = v0
          shape = shape of y
          v1 = opaque `vec![0.0; n#2]`
          new t = v1
          shape#2 = shape of t
          for v2 in 0..n {
            for i in 0..n#2 {
              v3 = load x[i]
              v4 = load y[i]
              v5 = v3 * v4
              store t[i] = v5
            }
            for i_1 in 0..n#2 on tape 0 {
              v6 = load t[i_1]
              v7 = 0.5 * v6
              old = load y[i_1]
              store y[i_1] = v7
              record old
            }
          }
          v8 = load y[0]
          // reverse
          new d_y = zero of shape
          new d_t = zero of shape#2
          store d_y[0] += seed
          for v9 in rev 0..n {
            for i_1#2 in rev 0..n#2 on tape 0 {
              recall old#2
              v10 = load and zero d_y[i_1#2]
              store y[i_1#2] = old#2
              v11 = v10 * 0.5
              store d_t[i_1#2] += v11
            }
            for i#2 in rev 0..n#2 {
              v12 = load and zero d_t[i#2]
              v13 = load y[i#2]
              v14 = v12 * v13
              v15 = load x[i#2]
              v16 = v12 * v15
              store d_y[i#2] += v16
              store d_x[i#2] += v14
            }
          }
          v17 = take d_y
          store d_x += v17
          yield v8
        }"#]],
    );
}

#[test]
fn elements_that_no_loop_overwrites_are_emptied() {
    check_late(
        "fn f(x: &[f64], n: usize, k: usize) -> f64 { let m = x.len(); let mut y = x.to_vec(); for i in 0..n { for j in k..m { y[j] = x[j] * x[i]; } for j in 0..k { y[j] = 0.5 * y[j]; } } y[0] }",
        &expect![[r#"
            fn(&x, n, k; seed, &mut d_x) {
              n#2 = len x
              v0 = to_vec x
              new y = v0
              shape = shape of y
              for i in 0..n {
                n#3 = pure `rt::rounds(&(k..n#2))`
                for k#2 in 0..n#3 {
                  j = pure `k + k#2`
                  v1 = load x[j]
                  v2 = load x[i]
                  v3 = v1 * v2
                  store y[j] = v3
                }
                for j_1 in 0..k {
                  v4 = load y[j_1]
                  v5 = 0.5 * v4
                  store y[j_1] = v5
                }
              }
              v6 = load y[0]
              // reverse
              new d_y = zero of shape
              store d_y[0] = seed
              for i#2 in rev 0..n {
                for j_1#2 in 0..k {
                  v7 = load d_y[j_1#2]
                  v8 = v7 * 0.5
                  store d_y[j_1#2] = v8
                }
                n#4 = pure `rt::rounds(&(k..n#2))`
                for k#3 in rev 0..n#4 {
                  j#2 = pure `k + k#3`
                  v9 = load and zero d_y[j#2]
                  v10 = load x[i#2]
                  v11 = v9 * v10
                  v12 = load x[j#2]
                  v13 = v9 * v12
                  store d_x[i#2] += v13
                  store d_x[j#2] += v11
                }
              }
              v14 = take d_y
              store d_x += v14
              yield v6
            }"#]],
    );
}

#[test]
fn rows_of_a_matrix_are_overwritten_element_by_element() {
    check_sweeps(
        "",
        "fn f(x: [[f64; 3]; 2], n: usize) -> f64 { let mut y = x; let mut t = [[0.0; 3]; 2]; for _ in 0..n { for i in 0..2 { for j in 0..3 { t[i][j] = y[i][j] * x[1][2]; } } for i in 0..2 { for j in 0..3 { y[i][j] = t[i][j]; } } } y[1][1] }",
        Seed::Early,
        &expect![[r#"
            fn(place x, n; seed) {
              v0 = load x
              new y = v0
              v1 = opaque `[[0.0; 3]; 2]`
              new t = v1
              for v2 in 0..n {
                for i in 0..2 {
                  for j in 0..3 {
                    v3 = load y[i][j]
                    v4 = load x[1][2]
                    v5 = v3 * v4
                    store t[i][j] = v5
                  }
                }
                for i_1 in 0..2 {
                  for j_1 in 0..3 on tape 0 {
                    v6 = load t[i_1][j_1]
                    old = load y[i_1][j_1]
                    store y[i_1][j_1] = v6
                    record old
                  }
                }
              }
              v7 = load y[1][1]
              // reverse
              new d_x = zero
              new d_y = zero
              new d_t = zero
              store d_y[1][1] = seed
              for v8 in rev 0..n {
                for i_1#2 in rev 0..2 {
                  for j_1#2 in rev 0..3 on tape 0 {
                    recall old#2
                    v9 = load d_y[i_1#2][j_1#2]
                    store y[i_1#2][j_1#2] = old#2
                    store d_t[i_1#2][j_1#2] = v9
                  }
                }
                for i#2 in rev 0..2 {
                  for j#2 in rev 0..3 {
                    v10 = load d_t[i#2][j#2]
                    v11 = load x[1][2]
                    v12 = v10 * v11
                    v13 = load y[i#2][j#2]
                    v14 = v10 * v13
                    store d_x[1][2] += v14
                    store d_y[i#2][j#2] = v12
                  }
                }
              }
              v15 = take d_y
              store d_x += v15
              v16 = take d_x
              yield v7, v16
            }"#]],
    );
}
