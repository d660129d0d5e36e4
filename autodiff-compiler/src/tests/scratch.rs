//! Memory that is private to the rounds of a loop.

use expect_test::expect;

use crate::analysis;
use crate::fuse;
use crate::ir::{Func, Kind, Param};
use crate::scratch::scratch;
use crate::testing::{check_early, primal};

/// The names of the places that are private to the rounds of the first loop.
fn private(source: &str) -> Vec<String> {
    let func: Func = primal(source);
    let wrt: Vec<Param> = func.params.clone();
    let activity = analysis::activity(&func, &wrt);
    let mut ops = func.body.ops.iter();
    let first = ops.find(|op| matches!(op.kind, Kind::For(_)));
    let first = first.expect("there is a loop");
    let places = fuse::stored(first, |p| activity.place(p));
    let found = scratch(&func, first, &places);
    let mut names: Vec<String> = found.iter().map(|p| func.at(*p).hint.clone()).collect();
    names.sort();
    names
}

#[test]
fn a_loop_whose_rounds_overwrite_what_they_read_fuses() {
    check_early(
        "fn f(x: &[f64], w: &[f64], d: usize) -> f64 {
            let mut t = vec![0.0; d];
            let mut sum = 0.0;
            for k in 0..x.len() {
                for j in 0..d { t[j] = x[k] * w[j]; }
                for j in 1..d { sum += t[j] * t[j]; }
            }
            sum
        }",
        &expect![[r#"
            fn(&x, &w, d; seed, &mut d_x, &mut d_w) {
              v0 = opaque `vec![0.0; d]`
              new t = v0
              shape = shape of t
              n = len x
              new d_t = zero of shape
              sum#2 = for k in 0..n, sum = 0.0 {
                for j in 0..d {
                  v1 = load x[k]
                  v2 = load w[j]
                  v3 = v1 * v2
                  store t[j] = v3
                }
                sum#4 = for j_1 in 1..d, sum#3 = sum {
                  v4 = load t[j_1]
                  v5 = v4 * v4
                  sum#5 = sum#3 + v5
                  v6 = seed * v4
                  v7 = seed * v4
                  v8 = v6 + v7
                  store d_t[j_1] += v8
                  yield sum#5
                }
                for j#2 in rev 0..d {
                  v9 = load and zero d_t[j#2]
                  v10 = load w[j#2]
                  v11 = v9 * v10
                  v12 = load x[k]
                  v13 = v9 * v12
                  store d_w[j#2] += v13
                  store d_x[k] += v11
                }
                yield sum#4
              }
              yield sum#2
            }"#]],
    );
}

#[test]
fn what_is_read_was_overwritten_in_the_same_round() {
    let of = |round: &str, after: &str| {
        private(&format!(
            "fn f(x: &[f64], d: usize, c: bool) -> f64 {{
                let mut t = vec![0.0; d];
                let mut u = [0.0; 3];
                let mut sum = 0.0;
                for k in 0..x.len() {{ {round} }}
                {after}
                sum
            }}"
        ))
    };
    let sweep = "for j in 0..d { t[j] = x[k]; }";
    let none: [&str; 0] = [];
    assert_eq!(
        of(&format!("{sweep} for j in 2..d {{ sum += t[j]; }}"), ""),
        ["t"]
    );
    assert_eq!(of(&format!("{sweep} sum += t[k];"), ""), ["t"]);
    assert_eq!(
        of(
            &format!("{sweep} for j in 0..d {{ t[j] *= t[d - 1]; sum += t[j]; }}"),
            ""
        ),
        ["t"]
    );
    assert_eq!(of("t[k] = x[k]; sum += t[k];", ""), ["t"]);
    assert_eq!(of("u = [x[k]; 3]; sum += u[k];", ""), ["u"]);
    assert_eq!(of("for j in 0..3 { u[j] = x[k]; } sum += u[k];", ""), ["u"]);
    assert_eq!(of("t.fill(x[k]); sum += t[0] * t[1];", ""), ["t"]);
    assert_eq!(of("if c { t[1] = x[k]; sum += t[1]; }", ""), ["t"]);
    // Read before, read behind the loop, or not all of it overwritten.
    assert_eq!(of(&format!("sum += t[k]; {sweep}"), ""), none);
    assert_eq!(of(&format!("{sweep} sum += t[k];"), "sum += t[0];"), none);
    assert_eq!(
        of(
            "for j in 1..d { t[j] = x[k]; } for j in 0..d { sum += t[j]; }",
            ""
        ),
        none
    );
    assert_eq!(
        of(
            "for j in 0..k { t[j] = x[k]; } for j in 0..d { sum += t[j]; }",
            ""
        ),
        none
    );
    assert_eq!(
        of(
            "for j in 0..d { if c { t[j] = x[k]; } } for j in 0..d { sum += t[j]; }",
            ""
        ),
        none
    );
    assert_eq!(
        of(
            "for j in 0..d { if j > 4 { break; } t[j] = x[k]; } for j in 0..d { sum += t[j]; }",
            ""
        ),
        none
    );
    assert_eq!(
        of(
            "for j in 0..d { t[j] += x[k]; } for j in 0..d { sum += t[j]; }",
            ""
        ),
        none
    );
    assert_eq!(of("if c { t[1] = x[k]; } sum += t[1];", ""), none);
    assert_eq!(of("t[0] = x[k]; t[k] = 0.5; sum += t[1];", ""), none);
    assert_eq!(of("for j in 0..2 { u[j] = x[k]; } sum += u[k];", ""), none);
    assert_eq!(of(&format!("t.push(x[k]); {sweep} sum += t[k];"), ""), none);
}
