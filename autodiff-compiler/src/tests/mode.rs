//! The mode of gradients, and forward mode in all directions at once.

use expect_test::expect;

use crate::mode::Gradient;
use crate::testing::{check_lanes, mode_of};

const RECURRENCE: &str =
    "fn f(a: f64, b: f64, n: usize) -> f64 { let mut x = a; for _ in 0..n { x = x * b; } x }";

#[test]
fn few_inputs_of_a_recurrence_go_forward() {
    assert_eq!(mode_of("", RECURRENCE), Gradient::Lanes);
    assert_eq!(
        mode_of(
            "",
            "fn f(p: &[f64; 4]) -> f64 { let mut x = p[0]; while x < 9.0 { x = x * p[1] + p[2] + p[3]; } x }"
        ),
        Gradient::Lanes
    );
    assert_eq!(
        mode_of(
            "",
            "fn f(p: [f64; 5]) -> f64 { let mut x = p[0]; for i in 1..5 { x = x * p[i]; } x }"
        ),
        Gradient::Reverse
    );
}

#[test]
fn straight_lines_sums_and_slices_go_backward() {
    for source in [
        "fn f(a: f64, b: f64) -> f64 { a * b }",
        "fn f(a: f64, b: f64, n: usize) -> f64 { let mut s = 0.0; for i in 0..n { s += a * b.powi(i as i32); } s }",
        "fn f(x: &[f64]) -> f64 { let mut y = x[0]; for i in 1..x.len() { y = y * x[i]; } y }",
        "fn f(a: f64, b: f64) -> f64 { let mut x = a; for _ in 0..9 { x = g(x, b); } x }",
    ] {
        assert_eq!(mode_of("", source), Gradient::Reverse, "{source}");
    }
}

#[test]
fn a_recurrence_of_one_input_may_call() {
    let source = "fn f(x: f64) -> f64 { let mut y = x; for _ in 0..9 { y = g(y); } y }";
    assert_eq!(mode_of("", source), Gradient::Lanes);
}

#[test]
fn the_mode_may_be_given() {
    assert_eq!(mode_of("mode = reverse", RECURRENCE), Gradient::Reverse);
    let product = "fn f(x: &[f64]) -> f64 { x[0] * x[1] }";
    assert_eq!(mode_of("mode = forward", product), Gradient::Columns);
    let plane = "fn f(a: f64, b: f64) -> f64 { a * b }";
    assert_eq!(mode_of("mode = forward", plane), Gradient::Lanes);
    // What tests the reverse sweep is not passed by.
    assert_eq!(mode_of("verify", RECURRENCE), Gradient::Reverse);
}

#[test]
fn partials_are_computed_once() {
    check_lanes(
        "fn f(a: f64, b: f64) -> f64 { let mut x = a; for _ in 0..3 { x = (x * b).sin(); } x }",
        &expect![[r#"
            fn(a, b) {
              x#2, x_dot#3, x_dot#4 = for v0 in 0..3, x = a, x_dot = 1.0, x_dot#2 = 0.0 {
                v1 = x * b
                v2 = x_dot#2 * b
                v3 = 1.0 * x
                v4 = v2 + v3
                v5 = x_dot * b
                x#3 = sin(v1)
                v6 = cos(v1)
                v7 = v4 * v6
                v8 = v5 * v6
                yield x#3, v8, v7
              }
              yield x#2, x_dot#3, x_dot#4
            }"#]],
    );
}

#[test]
fn arrays_start_as_unit_vectors() {
    check_lanes(
        "fn f(p: &[f64; 2]) -> f64 { p[0] * p[1] }",
        &expect![[r#"
        fn(&p) {
          v0 = [0.0, 1.0]
          new p_dot = v0
          v1 = [1.0, 0.0]
          new p_dot#2 = v1
          v2 = load p[0]
          v3 = load p_dot[0]
          v4 = load p_dot#2[0]
          v5 = load p[1]
          v6 = load p_dot[1]
          v7 = load p_dot#2[1]
          v8 = v2 * v5
          v9 = v3 * v5
          v10 = v6 * v2
          v11 = v9 + v10
          v12 = v4 * v5
          v13 = v7 * v2
          v14 = v12 + v13
          yield v8, v14, v11
        }"#]],
    );
}
