//! Exits: what is left of jumps in the graph, and how loops that end early are reversed.

use expect_test::expect;

use crate::testing::{check_early, check_primal};

#[test]
fn a_test_at_the_head_leaves_the_loop() {
    check_primal(
        "fn f(x: f64) -> f64 { let mut y = x; while y < 9.0 { y = y * x; } y }",
        &expect![[r#"
            fn(x*) {
              y#2* = for  in forever, y* = x* {
                v0 = y* < 9.0
                v1 = pure `! v0`
                leave if v1
                y#3* = y* * x*
                yield y#3*
              }
              yield y#2*
            }"#]],
    );
}

#[test]
fn a_test_at_the_end_makes_the_round_the_last() {
    check_primal(
        "fn f(x: f64) -> f64 { let mut y = x; loop { y = y * x; if y > 9.0 { break; } } y }",
        &expect![[r#"
            fn(x*) {
              y#2* = for  in forever, y* = x* {
                y#3* = y* * x*
                v0 = y#3* > 9.0
                last if v0
                yield y#3*
              }
              yield y#2*
            }"#]],
    );
}

#[test]
fn the_rest_goes_into_the_arm_that_falls_through() {
    check_primal(
        "fn f(x: f64) -> f64 { if x < 0.0 { return 1.0; } let y = x * x; if y > 2.0 { return y; } y.sin() }",
        &expect![[r#"
            fn(x*) {
              v0 = x* < 0.0
              v1* = if v0 {
                yield 1.0
              } else {
                y* = x* * x*
                v2 = y* > 2.0
                y#2* = if v2 {
                  yield y*
                } else {
                  v3* = sin(y*)
                  yield v3*
                }
                yield y#2*
              }
              yield v1*
            }"#]],
    );
}

#[test]
fn a_return_from_a_loop_waits_in_a_variable() {
    check_primal(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; for i in 0..n { if y > 9.0 { return y * x; } y = y * x; } y }",
        &expect![[r#"
            fn(x*, n) {
              code#2, result#2*, y#2* = for i in 0..n, code = 0, result* = 0.0_f64, y* = x* {
                v0 = y* > 9.0
                v1, code#3, result#3*, y#3* = if v0 {
                  result#4* = y* * x*
                  yield true, 1, result#4*, y*
                } else {
                  y#4* = y* * x*
                  yield false, code, result*, y#4*
                }
                last if v1
                yield code#3, result#3*, y#3*
              }
              v2 = pure `code#2 == 0`
              y#5* = if v2 {
                yield y#2*
              } else {
                yield result#2*
              }
              yield y#5*
            }"#]],
    );
}

#[test]
fn a_jump_to_an_outer_loop_has_a_code() {
    check_primal(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; 'a: for i in 0..n { for j in 0..i { if y > 9.0 { continue 'a; } y = y * x; } y = y + x; } y }",
        &expect![[r#"
            fn(x*, n) {
              new code = 0
              y#2* = for i in 0..n, y* = x* {
                y#4* = for j in 0..i, y#3* = y* {
                  v0 = y#3* > 9.0
                  v1, y#5* = if v0 {
                    store code = 1
                    yield true, y#3*
                  } else {
                    y#6* = y#3* * x*
                    yield false, y#6*
                  }
                  last if v1
                  yield y#5*
                }
                v2 = pure `code == 0`
                y#7* = if v2 {
                  y#8* = y#4* + x*
                  yield y#8*
                } else {
                  store code = 0
                  yield y#4*
                }
                yield y#7*
              }
              yield y#2*
            }"#]],
    );
}

#[test]
fn what_is_inside_an_option_is_taken_out_in_the_arm() {
    check_primal(
        "fn f(x: f64, o: Option<f64>) -> f64 { match o { Some(v) if v > 0.0 => v * x, Some(v) => v, None => x } }",
        &expect![[r#"
            fn(x*, o*) {
              v0* = match `o*` {
                Some(v) if v > 0.0 => {
                  v#2* = payload of o*
                  v1* = v#2* * x*
                  yield v1*
                }
                Some(v_1) => {
                  v_1#2* = payload of o*
                  yield v_1#2*
                }
                None => {
                  yield x*
                }
              }
              yield v0*
            }"#]],
    );
}

#[test]
fn rounds_of_a_while_are_counted_and_reversed() {
    check_early(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; while y < 9.0 { y = y * y.sin(); } y }",
        &expect![[r#"
            fn(x, n; seed) {
              y#2, rounds = for  in forever, y = x on tape 0 {
                v0 = y < 9.0
                v1 = pure `! v0`
                leave if v1
                v2 = sin(y)
                y#3 = y * v2
                record v2, y
                yield y#3
              }
              // reverse
              d_y#2 = for round in count rounds, d_y = seed on tape 0 {
                recall v3, y#4
                d_y#3 = d_y * v3
                v4 = d_y * y#4
                v5 = cos(y#4)
                d_y#4 = v4 * v5
                d_y#5 = d_y#3 + d_y#4
                yield d_y#5
              }
              yield y#2, d_y#2
            }"#]],
    );
}

#[test]
fn a_range_that_was_left_is_walked_back_from_there() {
    check_early(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; for i in 0..n { y = y * i as f64; if y > 9.0 { break; } } y }",
        &expect![[r#"
            fn(x, n; seed) {
              y#2, rounds = for i in 0..n, y = x {
                v0 = pure `i as f64`
                y#3 = y * v0
                v1 = y#3 > 9.0
                last if v1
                yield y#3
              }
              // reverse
              d_y#2 = for i#2 in first rounds of 0..n, backwards, d_y = seed {
                v2 = pure `i#2 as f64`
                d_y#3 = d_y * v2
                yield d_y#3
              }
              yield y#2, d_y#2
            }"#]],
    );
}

#[test]
fn a_sum_that_is_left_early_runs_both_ways_at_once() {
    check_early(
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for &v in x { s += v * v; if s > 9.0 { break; } } s }",
        &expect![[r#"
            fn(&x; seed, &mut d_x) {
              n = len x
              s#2 = for k in 0..n, s = 0.0 {
                v = load x[k]
                v0 = v * v
                s#3 = s + v0
                v1 = s#3 > 9.0
                last if v1
                seed#2 = seed + seed
                d_v = seed#2 * v
                store d_x[k] += d_v
                yield s#3
              }
              yield s#2
            }"#]],
    );
}
