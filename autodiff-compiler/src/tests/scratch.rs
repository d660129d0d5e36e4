//! Memory that is private to the rounds of a loop.

use expect_test::expect;
use proc_macro2::TokenStream;

use crate::analysis;
use crate::fuse;
use crate::ir::{Func, Kind, Param};
use crate::scratch::{overwritten, scratch};
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
    let (found, _) = scratch(&func, first, &places, false);
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
                n#2 = pure `rt::rounds(&(1..d))`
                sum#4 = for k#2 in 0..n#2, sum#3 = sum {
                  j_1 = pure `1 + k#2`
                  v4 = load t[j_1]
                  v5 = v4 * v4
                  sum#5 = sum#3 + v5
                  seed#2 = seed + seed
                  v6 = seed#2 * v4
                  store d_t[j_1] += v6
                  yield sum#5
                }
                v7 = pure `0 < d`
                if v7 {
                  d_x#2 = load d_x[k]
                  d_x#4 = for j#2 in rev 0..d, d_x#3 = d_x#2 {
                    v8 = load d_t[j#2]
                    v9 = load w[j#2]
                    v10 = v8 * v9
                    d_x#5 = d_x#3 + v10
                    yield d_x#5
                  }
                  store d_x[k] = d_x#4
                } else {
                }
                for j#3 in rev 0..d {
                  v11 = load and zero d_t[j#3]
                  v12 = load x[k]
                  v13 = v11 * v12
                  store d_w[j#3] += v13
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

/// For each parameter, the parameters up to whose lengths it is overwritten.
fn overwritten_by(source: &str) -> Vec<Vec<usize>> {
    let masks = overwritten(&primal(source)).into_iter();
    masks
        .map(|mask| (0..64).filter(|k| mask >> k & 1 == 1).collect())
        .collect()
}

#[test]
fn callers_are_told_what_is_overwritten() {
    let by = overwritten_by;
    assert_eq!(
        by(
            "fn f(x: &[f64], y: &[f64], out: &mut [f64]) { for i in 0..x.len() { out[i] = x[i] - y[i]; } }"
        ),
        [vec![], vec![], vec![0]]
    );
    assert_eq!(
        by("fn f(k: f64, out: &mut [f64]) { for i in 0..out.len() { out[i] = k; } }"),
        [vec![], vec![1]]
    );
    assert_eq!(
        by("fn f(k: f64, out: &mut [f64; 3]) { for i in 0..3 { out[i] = k; } }"),
        [vec![], vec![1]]
    );
    let not = [
        // Not from the first on, or not up to the last.
        "fn f(x: &[f64], out: &mut [f64]) { for i in 1..x.len() { out[i] = x[i]; } }",
        "fn f(x: &[f64], out: &mut [f64]) { for i in 0..x.len() - 1 { out[i] = x[i]; } }",
        // Read before.
        "fn f(x: &[f64], out: &mut [f64]) { let z = out[0]; for i in 0..x.len() { out[i] = x[i] * z; } }",
        "fn f(x: &[f64], out: &mut [f64]) { for i in 0..x.len() { out[i] += x[i]; } }",
        "fn f(x: &[f64], out: &mut [f64]) { for i in 0..x.len() { out[i] = x[i] * out[x.len() - 1]; } }",
        // Only sometimes.
        "fn f(x: &[f64], out: &mut [f64]) { if x[0] > 0.0 { for i in 0..x.len() { out[i] = x[i]; } } }",
        "fn f(x: &[f64], out: &mut [f64]) { if x[0] > 0.0 { return; } for i in 0..x.len() { out[i] = x[i]; } }",
        "fn f(x: &[f64], out: &mut [f64]) { for i in 0..x.len() { if x[i] > 0.0 { out[i] = x[i]; } } }",
        "fn f(x: &[f64], out: &mut [f64]) { for i in 0..x.len() { if x[i] > 0.0 { break; } out[i] = x[i]; } }",
        // It may be longer afterwards.
        "fn f(x: &[f64], out: &mut Vec<f64>) { for i in 0..x.len() { out[i] = x[i]; } out.push(x[0]); }",
    ];
    for source in not {
        assert_eq!(by(source), [vec![], vec![0_usize; 0]], "{source}");
    }
}

/// What the first loop relies on, for what it lends.
fn relied_on(source: &str) -> String {
    let func: Func = primal(source);
    let activity = analysis::activity(&func, &func.params);
    let mut ops = func.body.ops.iter();
    let first = ops.find(|op| matches!(op.kind, Kind::For(_)));
    let first = first.expect("there is a loop");
    let places = fuse::stored(first, |p| activity.place(p));
    scratch(&func, first, &places, true).1.tokens().to_string()
}

#[test]
fn callers_rely_on_it_where_lengths_are_equal() {
    let relied = relied_on(
        "fn f(x: &[f64], y: &[f64], d: usize) -> f64 {
            let mut a = vec![0.0; d];
            let mut b = vec![0.0; d];
            let mut sum = 0.0;
            for k in 0..x.len() / d {
                subtract(&x[k * d..(k + 1) * d], y, &mut a);
                scale(&a, &x[..d], &y[k..k + d], &x[d..], &mut b);
                sum += b[0] * b[1];
            }
            sum
        }",
    );
    // By the first argument or by itself; and `a`, by whose length the second call is measured, is as long as it was.
    expect![[
        "scale :: __OVERWRITES [4usize] & 23u64 != 0 && subtract :: __OVERWRITES [2usize] & 5u64 != 0"
    ]]
    .assert_eq(&relied);
    let nothing = [
        // Another length, read before, lent twice, in an arm.
        "fn f(x: &[f64], d: usize) -> f64 { let mut a = vec![0.0; d]; let mut sum = 0.0; for k in 0..d { sum += a[0]; g(&x[..d], &mut a); } sum }",
        "fn f(x: &[f64], d: usize) -> f64 { let mut a = vec![0.0; d]; let mut sum = 0.0; for k in 0..d { g(&x[..d], &mut a[1..]); sum += a[0]; } sum }",
        "fn f(x: &[f64], d: usize) -> f64 { let mut a = vec![0.0; d]; let mut sum = 0.0; for k in 0..d { if k > 2 { g(&x[..d], &mut a); } sum += a[0]; } sum }",
        "fn f(x: &[f64], d: usize) -> f64 { let mut a = vec![0.0; d]; let mut sum = 0.0; for k in 0..d { g(&x[..d], &mut a); sum += a[0]; } sum + a[1] }",
        "fn f(x: &[f64], d: usize) -> f64 { let mut a = vec![0.0; d]; let mut sum = 0.0; for k in 0..d { g(&x[..d], &mut a); a.push(x[k]); sum += a[0]; } sum }",
    ];
    for source in nothing {
        assert_eq!(relied_on(source), "", "{source}");
    }
}

#[test]
fn where_callees_decide_both_ways_are_written() {
    let asks = |round: &str| {
        let source = format!(
            "fn f(x: &[f64], d: usize) -> f64 {{ let mut a = vec![0.0; d]; let mut sum = 0.0; for k in 0..x.len() - d {{ {round} }} sum }}"
        );
        let source = source.parse().unwrap_or_default();
        let expansion = crate::expand::grad(TokenStream::new(), source).to_string();
        let (_, behind) = expansion.split_once(":: __OVERWRITES [1usize] & ")?;
        behind.chars().next()?.to_digit(10)
    };
    // By the length of the first argument, or by its own.
    assert_eq!(asks("g(&x[k..k + d], &mut a); sum += a[0];"), Some(3));
    assert_eq!(
        asks("g(&x[k * d..(k + 1) * d], &mut a); sum += a[0];"),
        Some(3)
    );
    assert_eq!(asks("g(&x[k..k + d], &mut a); sum = sum * a[0];"), None);
    // `|` binds weaker than `+`, and nobody knows what a call gives the second time.
    assert_eq!(
        asks("g(&x[k | 2..k | 2 + d], &mut a); sum += a[0];"),
        Some(2)
    );
    assert_eq!(asks("g(&x[h(k)..h(k) + d], &mut a); sum += a[0];"), Some(2));
}

#[test]
fn expansions_are_the_same_each_time() {
    let source = "fn f(x: &[f64], d: usize) -> f64 {
        let (mut a, mut b, mut c) = (vec![0.0; d], vec![0.0; d], vec![0.0; d]);
        let mut sum = 0.0;
        for k in 0..x.len() {
            for j in 0..d { a[j] = x[k] * x[j]; b[j] = a[j].sin(); c[j] = a[j] * b[j]; }
            for j in 0..d { sum += a[j] * b[j] * c[j]; }
        }
        sum
    }";
    let expansion = || {
        let source = source.parse().unwrap_or_default();
        crate::expand::grad(TokenStream::new(), source).to_string()
    };
    let first = expansion();
    assert!(first.contains("d_a") && first.contains("d_b") && first.contains("d_c"));
    for _ in 0..8 {
        assert_eq!(expansion(), first);
    }
}
