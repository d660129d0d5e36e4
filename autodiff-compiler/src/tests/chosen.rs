//! Searches are constants, and their chosen rounds are computed again.

use expect_test::expect;

use crate::testing::{check_early, check_primal};

#[test]
fn what_a_condition_keeps() {
    check_primal(
        "fn f(x: &[f64], k: f64) -> f64 { let mut best = k; for i in 0..x.len() { let y = x[i] * k; if y < best { best = y; } } best }",
        &expect![[r#"
            fn(&x*, k*) {
              n = len x*
              best#2, found#2, i#3 = for i in 0..n, best = k*, found = false, i#2 = 0 {
                v0 = load x*[i]
                y = v0 * k*
                v1 = y < best
                y#2, found#3, i#4 = if v1 {
                  yield y, true, i
                } else {
                  yield best, found, i#2
                }
                yield y#2, found#3, i#4
              }
              best#3* = if found#2 {
                v2* = load x*[i#3]
                y#3* = v2* * k*
                yield y#3*
              } else {
                yield k*
              }
              yield best#3*
            }"#]],
    );
}

#[test]
fn the_largest() {
    check_early(
        "fn f(x: &[f64]) -> f64 { let mut m = x[0]; for i in 1..x.len() { m = m.max(x[i].sin()); } m }",
        &expect![[r#"
            fn(&x; seed, &mut d_x) {
              m = load x[0]
              n = len x
              n#2 = pure `rt::rounds(&(1..n))`
              m#3, first#2, end#2 = for k in 0..n#2, m#2 = m, first = 1, end = 1 {
                i = pure `1 + k`
                v0 = load x[i]
                v1 = sin(v0)
                v2 = v1 < m#2
                m#4, first#3, end#3 = if v2 {
                  yield m#2, first, end
                } else {
                  v3 = v1 > m#2
                  first#4 = if v3 {
                    yield i
                  } else {
                    yield first
                  }
                  v4 = i + 1
                  m#5 = max(m#2, v1)
                  yield m#5, first#4, v4
                }
                yield m#4, first#3, end#3
              }
              n#3 = pure `rt::rounds(&(first#2..end#2))`
              m#7 = for k#2 in 0..n#3, m#6 = m on tape 0 {
                i#2 = pure `first#2 + k#2`
                v5 = load x[i#2]
                v6 = sin(v5)
                m#8 = max(m#6, v6)
                record m#6, v6
                yield m#8
              }
              // reverse
              n#4 = pure `rt::rounds(&(first#2..end#2))`
              d_m#2 = for k#3 in rev 0..n#4, d_m = seed on tape 0 {
                recall m#9, v7
                i#3 = pure `first#2 + k#3`
                v8 = larger(m#9, v7)
                d_m#3 = select(d_m, v8)
                v9 = larger(v7, m#9)
                v10 = select(d_m, v9)
                v11 = load x[i#3]
                v12 = cos(v11)
                v13 = v10 * v12
                store d_x[i#3] += v13
                yield d_m#3
              }
              store d_x[0] += d_m#2
              yield m#7
            }"#]],
    );
}

#[test]
fn a_running_index_is_noted() {
    check_primal(
        "fn f(x: &[f64]) -> f64 { let mut last = 0.0; let mut k = 0; while k < x.len() { if x[k] > 1.0 { last = x[k]; } k += 2; } last }",
        &expect![[r#"
            fn(&x*) {
              k#3, last#2, found#2, k#4 = for  in forever, k = 0, last = 0.0, found = false, k#2 = 0 {
                n = len x*
                v0 = k < n
                v1 = pure `! v0`
                leave if v1
                v2 = load x*[k]
                v3 = v2 > 1.0
                last#3, found#3, k#5 = if v3 {
                  yield v2, true, k
                } else {
                  yield last, found, k#2
                }
                k#6 = pure `k + 2`
                yield k#6, last#3, found#3, k#5
              }
              last#4* = if found#2 {
                v4* = load x*[k#4]
                yield v4*
              } else {
                yield 0.0
              }
              yield last#4*
            }"#]],
    );
}

#[test]
fn what_changes_what_the_rounds_read_stays() {
    check_primal(
        "fn f(x: &[f64]) -> f64 { let mut y = x.to_vec(); let mut m = 0.0; for i in 1..y.len() { y[i] += y[i - 1]; if y[i] > m { m = y[i]; } } m }",
        &expect![[r#"
            fn(&x*) {
              v0* = to_vec x*
              new y* = v0*
              n = len y*
              m#2* = for i in 1..n, m* = 0.0 {
                v1 = pure `i - 1`
                v2* = load y*[v1]
                store y*[i] += v2*
                v3* = load y*[i]
                v4 = v3* > m*
                m#3* = if v4 {
                  yield v3*
                } else {
                  yield m*
                }
                yield m#3*
              }
              yield m#2*
            }"#]],
    );
}

#[test]
fn what_every_round_looks_at_stays() {
    check_primal(
        "fn f(x: &[f64]) -> f64 { let (mut m, mut s) = (0.0, 0.0); for i in 0..x.len() { m = x[i].max(m); s += m; } s }",
        &expect![[r#"
            fn(&x*) {
              n = len x*
              m#2, s#2* = for i in 0..n, m* = 0.0, s* = 0.0 {
                v0* = load x*[i]
                m#3* = max(v0*, m*)
                s#3* = s* + m#3*
                yield m#3*, s#3*
              }
              yield s#2*
            }"#]],
    );
}
