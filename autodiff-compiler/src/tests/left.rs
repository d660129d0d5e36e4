//! What a call has changed, and its pullback leaves as it is.

use proc_macro2::TokenStream;

use crate::testing::late_text;

/// How many calls in rounds of a loop are left.
fn left(rounds: &str) -> usize {
    let source = format!(
        "fn f(x: &[f64], lent: &mut [f64], n: usize) -> f64 {{
            let (mut y, mut a, mut b) = (vec![0.5; n], vec![0.0; n], vec![0.0; n]);
            for k in 0..n {{ {rounds} }}
            y[0] + y[1]
        }}"
    );
    late_text(&source).matches("leaving forward").count()
}

#[test]
fn what_nobody_reads_again() {
    for (rounds, count) in [
        (
            "g(x, &y, &mut a); for i in 0..n { y[i] = y[i].sin() + a[i] * 0.5; }",
            1,
        ),
        (
            "g(x, &y, &mut a); g(&y, x, &mut b); for i in 0..n { y[i] += a[i] - b[i]; }",
            2,
        ),
        (
            "g(x, &y, &mut a); y[0] += a[0]; g(&y, x, &mut a); y[1] += a[1];",
            2,
        ),
        ("if k > 2 { g(x, &y, &mut a); y[0] += a[0]; }", 1),
    ] {
        assert_eq!(left(rounds), count, "{rounds}");
    }
}

#[test]
fn what_is_read_again_is_put_back() {
    for rounds in [
        // By loads, by the pullback of another function, of the same one as another argument.
        "g(x, &y, &mut a); y[0] = y[0] * a[0];",
        "g(x, &y, &mut a); h(x, &mut a); y[0] += a[0];",
        "g(x, &a, &mut b); g(x, &b, &mut a); y[0] += a[0];",
        "g(&mut a, x, &mut b); g(&mut b, x, &mut a); y[0] += a[0];",
        // What the caller's own caller has lent; what is exchanged.
        "g(x, &y, lent); y[0] += lent[0];",
        "g(x, &y, &mut a); std::mem::swap(&mut a, &mut b); y[0] += b[0];",
        // Functions of types have no such form.
        "G::g(x, &mut a); y[0] += a[0];",
    ] {
        assert_eq!(left(rounds), 0, "{rounds}");
    }
}

/// Whether a function has the form whose pullback leaves what it changed.
fn has_form(source: &str) -> bool {
    let source = source.parse().unwrap_or_default();
    let expansion = crate::expand::grad(TokenStream::new(), source).to_string();
    expansion.contains("fn __leaving")
}

#[test]
fn functions_that_keep_no_more_with_it_have_the_form() {
    let with = [
        "fn g(x: &[f64], out: &mut [f64]) { for i in 0..x.len() { out[i] = x[i] * x[i]; } }",
        "fn g(x: &[f64], k: f64, out: &mut Vec<f64>) { for i in 0..x.len() { out[i] += x[i] * k; } }",
        "fn g(x: &[f64], k: f64, out: &mut [f64]) { for i in 0..x.len() { out[i] = out[i] * k + x[i]; } }",
        "fn g(x: f64, a: &mut [f64; 2], b: &mut f64) -> f64 { a[0] = x; *b = x * x; x }",
    ];
    let without = [
        // Nothing is saved, what was there is read more often than it is saved, another length, a call, a type of the user's own.
        "fn g(x: &[f64], out: &mut [f64]) -> f64 { x[0] * out[0] }",
        "fn g(x: f64, a: &mut [f64; 9]) -> f64 { a[0] = x; let mut s = 0.0; for i in 0..8 { s += a[i] * a[i + 1] * x; } s }",
        "fn g(x: f64, out: &mut Vec<f64>) { out.push(x); }",
        "fn g(x: &[f64], out: &mut [f64]) { h(x, out); out[0] = x[0]; }",
        "fn g(x: f64, out: &mut Model) { out.x = x; }",
        "fn g<T: Float>(x: T, out: &mut [T]) { out[0] = x * x; }",
        "fn g(x: f64, out: &mut [f64], n: usize) { out[n] = x; if n > 0 { g(x, out, n - 1); } }",
        "fn g(x: f64, out: &[f64]) -> f64 { x * out[0] }",
    ];
    for source in with {
        assert!(has_form(source), "{source}");
    }
    for source in without {
        assert!(!has_form(source), "{source}");
    }
}
