//! What the user would see: expansions are meant to be read.

use expect_test::{Expect, expect};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The tokens of the function `name` anywhere in an expansion.
fn find(tokens: TokenStream, name: &str) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (k, pair) in tokens.windows(2).enumerate() {
        if matches!(pair, [TokenTree::Ident(word), TokenTree::Ident(is)] if word == "fn" && is == name)
        {
            let end = tokens[k..].iter().position(
                |t| matches!(t, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace),
            )?;
            return Some(tokens[k..=k + end].iter().cloned().collect());
        }
    }
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => find(group.stream(), name),
        _ => None,
    })
}

/// The generated function `form` of `source`, as it would be formatted.
fn check(form: &str, source: &str, expect: &Expect) {
    let source = source.parse().unwrap_or_default();
    let expansion = crate::expand::grad(TokenStream::new(), source);
    let function = find(expansion, form).unwrap_or_else(|| panic!("no function {form}"));
    let file = syn::parse2(function).unwrap_or_else(|error| panic!("{error}"));
    expect.assert_eq(&prettyplease::unparse(&file));
}

#[test]
fn a_reverse_sweep_reads_as_if_written_by_hand() {
    check(
        "__vjp",
        "fn f(x: &[f64], y: f64) -> f64 { let mut s = 0.0; for v in x { let d = v - y; s += d * d; } s }",
        &expect![[r#"
            fn __vjp(x: &[f64], y: f64, seed: f64, d_x: &mut [f64]) -> (f64, (f64,)) {
                let d_x = &mut d_x[..x.len()];
                let n = x.len();
                let mut s: f64 = 0.0;
                let mut d_y: f64 = -0.0;
                let x_2 = &x[..n];
                let d_x_2 = &mut d_x[..n];
                for k in 0..n {
                    let t = x_2[k];
                    let d = t - y;
                    let d_d = (seed * d) + (seed * d);
                    d_x_2[k] += d_d;
                    (s, d_y) = (s + (d * d), d_y + (-d_d));
                }
                let value = s;
                (value, (d_y + 0.0,))
            }
        "#]],
    );
}

#[test]
fn tangents_stand_beside_their_values() {
    check(
        "__jvp",
        "fn f(x: f64, y: f64) -> f64 { let p = x * y; p.sin() + x }",
        &expect![[r#"
            fn __jvp(x: f64, y: f64, dot_x: f64, dot_y: f64) -> (f64, f64) {
                let p = x * y;
                ((p.sin()) + x, (((dot_x * y) + (dot_y * x)) * (rt::op::cos(p))) + dot_x)
            }
        "#]],
    );
}

#[test]
fn some_forms_alone_come_with_what_they_call() {
    let source = "fn f(x: &[f64], y: f64) -> f64 { h(x[0] * y) }";
    let expansion = crate::expand::grad(
        "__only = \"vjp, __zero_*\"".parse().unwrap_or_default(),
        source.parse().unwrap_or_default(),
    );
    let there = |name| find(expansion.clone(), name).is_some();
    let forms = [
        "vjp", "__vjp", "__zero_0", "__zero_1", "__fwd", "grad", "graph",
    ];
    assert_eq!(
        forms.map(there),
        [true, true, true, true, false, false, false]
    );
}
