//! Loops that run without tangents where nothing moves.

use expect_test::expect;

use crate::testing::check_idle;

#[test]
fn what_does_not_move_is_added_without_tangents() {
    check_idle(
        "fn f(a: &[[f64; 2]], w: &[i64], n: usize) -> Vec<f64> {
            let mut y = vec![0.0; n];
            for b in 0..a.len() {
                for v in 0..n {
                    let t = [w[v] as f64, 0.5];
                    for i in 0..2 {
                        y[v] += a[b][i] * t[i];
                    }
                }
            }
            y
        }",
        &expect![[r#"
            fn(&a, &w, n; &a_dot) {
              v0 = opaque `vec![0.0; n]`
              v1 = zero like v0
              new y = v0
              new y_dot = v1
              n#2 = len a
              for b in 0..n#2 {
                v2 = opaque `a_dot.get(b).is_none_or(| part | rt::lanes::moves(part))`
                if v2 {
                  for v in 0..n {
                    v3 = opaque `[w[v] as f64, 0.5]`
                    new t = v3
                    for i in 0..2 {
                      v4 = load a[b][i]
                      v5 = load a_dot[b][i]
                      v6 = load t[i]
                      v7 = v4 * v6
                      v8 = v5 * v6
                      store y_dot[v] += v8
                      store y[v] += v7
                    }
                  }
                } else {
                  for v#2 in 0..n {
                    v9 = opaque `[w[v#2] as f64, 0.5]`
                    new t#2 = v9
                    for i#2 in 0..2 {
                      v10 = load a[b][i#2]
                      v11 = load t#2[i#2]
                      v12 = v10 * v11
                      store y[v#2] += v12
                    }
                  }
                }
              }
              v13 = load y
              v14 = load y_dot
              yield v13, v14
            }"#]],
    );
}

/// The loops that may run without.
fn found(rounds: &str) -> usize {
    let source = format!(
        "fn f(a: &[[f64; 2]], x: &[f64], n: usize) -> Vec<f64> {{
            let mut y = vec![0.0; n];
            for b in 0..a.len() {{ {rounds} }}
            y
        }}"
    );
    crate::testing::idle_loops(&source)
}

#[test]
fn other_loops_stay() {
    assert_eq!(found("for v in 0..n { y[v] += a[b][0]; }"), 1);
    assert_eq!(
        found("for v in 0..n { for w in 0..v { y[v] += a[b][w]; } }"),
        1
    );
    for rounds in [
        // Another row in each round, or a part that may be short beside it.
        "for v in 0..n { y[v] += a[v][0]; }",
        "for v in 0..n { y[v] += a[b][v / 2]; }",
        // Something else moves, or is read as well, or is not added.
        "for v in 0..n { y[v] += a[b][0] * x[v]; }",
        "for v in 0..n { y[v] += a[b][0] * y[0]; }",
        "for v in 0..n { y[v] = a[b][0]; }",
        "let k = x[b]; for v in 0..n { y[v] += a[b][0] * k; }",
        "let mut s = 0.0; for v in 0..n { s += a[b][0]; } y[0] += s;",
        // Calls, exits, few rounds.
        "for v in 0..n { y[v] += g(&a[b]); }",
        "for v in 0..n { if v > 3 { break; } y[v] += a[b][0]; }",
        "for v in 0..2 { y[v] += a[b][v]; }",
    ] {
        assert_eq!(found(rounds), 0, "{rounds}");
    }
}
