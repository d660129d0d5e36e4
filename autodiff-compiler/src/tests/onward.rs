//! Which reversed loops run from start to end.

use expect_test::expect;

use crate::testing::{check_late, check_sweeps};
use crate::vjp::Seed;

const PRODUCTS: &str = "fn f(x: &[f64], y: &mut [f64]) { for i in 0..x.len() { y[i] *= x[i]; } }";

#[test]
fn rounds_with_elements_of_their_own() {
    check_late(
        PRODUCTS,
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
          for i#2 in 0..n on tape 0, from the first {
            recall old#2
            v3 = load and zero d_y[i#2]
            store y[i#2] = old#2
            v4 = load x[i#2]
            v5 = v3 * v4
            v6 = load y[i#2]
            v7 = v3 * v6
            store d_y[i#2] += v5
            store d_x[i#2] += v7
          }
        }"#]],
    );
}

#[test]
fn on_demand_backwards() {
    check_sweeps(
        "__sum_nothing",
        PRODUCTS,
        Seed::Late,
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
            v3 = load and zero d_y[i#2]
            store y[i#2] = old#2
            v4 = load x[i#2]
            v5 = v3 * v4
            v6 = load y[i#2]
            v7 = v3 * v6
            store d_y[i#2] += v5
            store d_x[i#2] += v7
          }
        }"#]],
    );
}

#[test]
fn rounds_that_change_what_others_read_go_backwards() {
    check_late(
        "fn f(y: &mut [f64], n: usize) { for i in 0..n { y[i] = y[i + 1].sin(); } }",
        &expect![[r#"
            fn(&mut y, n; &mut d_y) {
              for i in 0..n on tape 0 {
                v0 = pure `i + 1`
                v1 = load y[v0]
                v2 = sin(v1)
                old = load y[i]
                store y[i] = v2
                record old
              }
              // reverse
              for i#2 in rev 0..n on tape 0 {
                recall old#2
                v3 = load and zero d_y[i#2]
                store y[i#2] = old#2
                v4 = pure `i#2 + 1`
                v5 = load y[v4]
                v6 = cos(v5)
                v7 = v3 * v6
                store d_y[v4] += v7
              }
            }"#]],
    );
}

#[test]
fn rounds_that_add_to_one_element_go_backwards() {
    check_late(
        "fn f(x: &[f64], i: &[usize], y: &mut [f64]) { for k in 0..y.len() { y[k] += x[i[k]].sin(); } }",
        &expect![[r#"
            fn(&x, &i, &mut y; &mut d_x, &mut d_y) {
              n = len y
              for k in 0..n on tape 0 {
                v0 = load i[k]
                v1 = load x[v0]
                v2 = sin(v1)
                old = load y[k]
                store y[k] += v2
                record old
              }
              // reverse
              for k#2 in rev 0..n on tape 0 {
                recall old#2
                v3 = load d_y[k#2]
                store y[k#2] = old#2
                v4 = load i[k#2]
                v5 = load x[v4]
                v6 = cos(v5)
                v7 = v3 * v6
                store d_x[v4] += v7
              }
            }"#]],
    );
}

#[test]
fn rounds_whose_records_are_popped_go_backwards() {
    check_late(
        "fn f(x: &[f64], y: &mut [f64]) { for k in 0..y.len() { if x[k] > 9.0 { break; } y[k] *= x[k]; } }",
        &expect![[r#"
            fn(&x, &mut y; &mut d_x, &mut d_y) {
              n = len y
              rounds = for k in 0..n on tape 0 {
                v0 = load x[k]
                v1 = v0 > 9.0
                leave if v1
                v2 = load y[k]
                v3 = v2 * v0
                old = load y[k]
                store y[k] = v3
                record old
              }
              // reverse
              for k#2 in first rounds of 0..n, backwards on tape 0 {
                recall old#2
                v4 = load and zero d_y[k#2]
                store y[k#2] = old#2
                v5 = load x[k#2]
                v6 = v4 * v5
                v7 = load y[k#2]
                v8 = v4 * v7
                store d_y[k#2] += v6
                store d_x[k#2] += v8
              }
            }"#]],
    );
}
