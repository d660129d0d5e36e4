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
                    let d_d = (seed + seed) * d;
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
fn rows_of_flat_matrices_are_cut_out() {
    check(
        "__vjp",
        "fn f(a: &[f64], x: &[f64], n: usize, i: usize) -> f64 { let mut s = 0.0; for k in 0..n { s += a[i * n + k] * x[k]; } s }",
        &expect![[r#"
            fn __vjp(
                a: &[f64],
                x: &[f64],
                n: usize,
                i: usize,
                seed: f64,
                d_a: &mut [f64],
                d_x: &mut [f64],
            ) -> (f64, ((), ())) {
                let d_a = &mut d_a[..a.len()];
                let d_x = &mut d_x[..x.len()];
                let mut s: f64 = 0.0;
                let a_row = rt::row(&a[..], n, || i * n);
                let x_2 = &x[..n];
                let d_a_row = rt::row_mut(&mut d_a[..], n, || i * n);
                let d_x_2 = &mut d_x[..n];
                for k in 0..n {
                    let t = i * n + k;
                    let t_2 = a_row[k];
                    let t_3 = x_2[k];
                    d_x_2[k] += seed * t_2;
                    d_a_row[k] += seed * t_3;
                    s = s + (t_2 * t_3);
                }
                let value = s;
                (value, ((), ()))
            }
        "#]],
    );
}

#[test]
fn two_rows_that_change_are_cut_out_where_they_do_not_overlap() {
    check(
        "__jvp",
        "fn f(mut a: Vec<f64>, n: usize) -> f64 { for k in 0..n { a[k] *= a[n + k]; a[n + k] = 2.0 * a[k]; } a[0] }",
        &expect![[r#"
            fn __jvp(a: Vec<f64>, n: usize, dot_a: rt::Vec<f64>, dot_n: ()) -> (f64, f64) {
                let mut a_1 = a;
                let mut a_1_dot = dot_a;
                let a_1_2 = &mut a_1[..];
                let a_1_dot_2 = &mut a_1_dot[..];
                if let (
                    ::core::option::Option::Some((a_1_row, a_1_row_2)),
                    ::core::option::Option::Some((a_1_dot_row, a_1_dot_row_2)),
                ) = (
                    rt::two_rows(&mut a_1_2[..], n, || (0, n)),
                    rt::two_rows(&mut a_1_dot_2[..], n, || (0, n)),
                ) {
                    ::core::iter::Iterator::for_each(
                        (0..n),
                        |k| {
                            let t = n + k;
                            let t_2 = a_1_row_2[k];
                            let t_3 = a_1_dot_row_2[k];
                            let t_4 = a_1_row[k];
                            let t_5 = a_1_dot_row[k];
                            a_1_dot_row[k] = (t_5 * t_2) + (t_3 * t_4);
                            a_1_row[k] = t_4 * t_2;
                            let t_6 = a_1_row[k];
                            let t_7 = a_1_dot_row[k];
                            a_1_dot_row_2[k] = t_7 * 2.0;
                            a_1_row_2[k] = 2.0 * t_6;
                        },
                    );
                } else {
                    ::core::iter::Iterator::for_each(
                        (0..n),
                        |k| {
                            let t = n + k;
                            let t_2 = a_1_2[t];
                            let t_3 = a_1_dot_2[t];
                            let t_4 = a_1_2[k];
                            let t_5 = a_1_dot_2[k];
                            a_1_dot_2[k] = (t_5 * t_2) + (t_3 * t_4);
                            a_1_2[k] = t_4 * t_2;
                            let t_6 = a_1_2[k];
                            let t_7 = a_1_dot_2[k];
                            a_1_dot_2[t] = t_7 * 2.0;
                            a_1_2[t] = 2.0 * t_6;
                        },
                    );
                }
                let t_8 = a_1[0];
                let t_9 = a_1_dot[0];
                (t_8, t_9)
            }
        "#]],
    );
}

/// It is put back only if it is there: without a round there need be none.
#[test]
fn the_one_number_that_a_reversed_loop_works_on_is_a_variable() {
    check(
        "__vjp",
        "fn f(l: &[f64], x: &[f64], k: usize, n: usize) -> f64 { let mut s = 1.0; for j in 0..n { s = s * l[j] * x[k]; } s }",
        &expect![[r#"
            fn __vjp(
                l: &[f64],
                x: &[f64],
                k: usize,
                n: usize,
                seed: f64,
                d_l: &mut [f64],
                d_x: &mut [f64],
            ) -> (f64, ((), ())) {
                let d_l = &mut d_l[..l.len()];
                let d_x = &mut d_x[..x.len()];
                let mut tape_0 = rt::Slots::new();
                let mut s: f64 = 1.0;
                let l_2 = &l[..n];
                for (slot, j) in tape_0.open(rt::rounds(&(0..n))).iter_mut().zip(0..n) {
                    let t = l_2[j];
                    let t_2 = x[k];
                    *slot = (s,);
                    s = (s * t) * t_2;
                }
                let mut d_s = seed;
                let l_3 = &l[..n];
                let x_here = rt::number_at(&x[..], k);
                let d_l_2 = &mut d_l[..n];
                let mut d_x_here = rt::number_at(&d_x[..], k);
                for (slot, j_2) in tape_0.last(rt::rounds(&(0..n))).iter().rev().zip((0..n).rev()) {
                    let (s_2,) = *slot;
                    let t_3 = x_here;
                    let t_4 = d_s * t_3;
                    let t_5 = l_3[j_2];
                    d_x_here += d_s * (s_2 * t_5);
                    d_l_2[j_2] += t_4 * s_2;
                    d_s = t_4 * t_5;
                }
                tape_0.close(rt::rounds(&(0..n)));
                rt::put_number(&mut d_x[..], k, d_x_here);
                let value = s;
                (value, ((), ()))
            }
        "#]],
    );
}

/// The directions of an array stand behind those of the number in front of it.
#[test]
fn columns_of_a_jacobian_are_lanes() {
    check(
        "__columns",
        "fn f(a: f64, b: [f64; 2]) -> (f64, f64) { (a * b[0], a.sin()) }",
        &expect![[r#"
            fn __columns(
                a: f64,
                b: [f64; 2],
                first: usize,
            ) -> ((f64, f64), (rt::Lanes<f64, 4>, rt::Lanes<f64, 4>)) {
                const __LANES: usize = 4;
                let mut at = 0;
                let mut dot_a = rt::lanes::widen::<_, __LANES>(&Self::__zero_0(&a));
                rt::lanes::Wide::<__LANES>::point(&mut dot_a, first, &mut at);
                let mut dot_b = rt::lanes::widen::<_, __LANES>(&Self::__zero_1(&b));
                rt::lanes::Wide::<__LANES>::point(&mut dot_b, first, &mut at);
                Self::__lanes_jvp(rt::lanes::Width::<__LANES>, (a, b), (dot_a, dot_b))
            }
        "#]],
    );
}

/// What is called may have no lanes; what is put into a variable, a list or a result has its type.
#[test]
fn calls_go_on_in_lanes() {
    check(
        "__lanes_jvp",
        "fn f(x: &[f64; 2], #[constant] m: &Model) -> Vec<f64> { let y: f64 = g(x[0], m); let mut out = vec![y, h(x)]; fill(&mut out, 3.0); out }",
        &expect![[r#"
            fn __lanes_jvp<'__by0, const __LANES: usize>(
                _: rt::lanes::Width<__LANES>,
                (x, m): (&[f64; 2], &rt::Spelled<fn(&'__by0 ()) -> Model>),
                (dot_x, dot_m): (&[rt::Lanes<f64, __LANES>; 2], &dyn rt::Ignored),
            ) -> (Vec<f64>, rt::Vec<rt::Lanes<f64, __LANES>>) {
                let _: fn() -> (rt::Vec<rt::OfAutodiff>, bool) = || {
                    let (first, second);
                    (
                        vec![{ first = true; rt::OfAutodiff }, { second = first; rt::OfAutodiff }],
                        second,
                    )
                };
                let t = x[0];
                let t_2 = dot_x[0];
                let zero = rt::lanes::Zeros::<_, __LANES>(__of_g::__zero_1(&(*m))).widened();
                let (y, y_dot): (f64, rt::Lanes<f64, __LANES>) = __of_g::__lanes_jvp(
                    rt::lanes::Width::<__LANES>,
                    (t, &(*m)),
                    (t_2, &zero),
                );
                let (t_3, t_4): (f64, rt::Lanes<f64, __LANES>) = __of_h::__lanes_jvp(
                    rt::lanes::Width::<__LANES>,
                    (&(*x),),
                    (&(*dot_x),),
                );
                let t_5 = rt::vec![y, t_3];
                let t_6 = rt::vec![y_dot, t_4];
                let mut out_2 = t_5;
                let mut out_dot = t_6;
                let arg_2 = 3.0;
                let zero_2 = rt::lanes::widen::<_, __LANES>(&__of_fill::__zero_1(&arg_2));
                let (_, _) = __of_fill::__lanes_mut_jvp(
                    rt::lanes::Width::<__LANES>,
                    (&mut out_2, arg_2),
                    (&mut out_dot, zero_2),
                );
                let t_7 = out_2;
                let t_8 = out_dot;
                (t_7, t_8)
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
    let text = expansion.to_string();
    let there = |name| {
        ["fn", "const"].map(|item| text.contains(&format!("{item} {name} "))) != [false, false]
    };
    let forms = [
        "vjp", "__vjp", "__zero_0", "__zero_1", "__fwd", "grad", "graph",
    ];
    assert_eq!(
        forms.map(there),
        [true, true, true, true, false, false, false]
    );
}

#[test]
fn what_the_program_holds_is_not_copied() {
    check(
        "__vjp",
        "fn f(x: f64, n: usize) -> f64 { let mut s = x; for i in 0..n { s = h(&TABLE, s) + h(&TABLE[i..], x); } s }",
        &expect![[r#"
            fn __vjp(x: f64, n: usize, seed: f64) -> (f64, (f64, ())) {
                let mut tape_0 = rt::Stack::new();
                let t = &TABLE;
                tape_0.reserve(rt::rounds(&(0..n)));
                let mut s = x;
                for i in 0..n {
                    let (t_2, back_2) = __of_h::__fwd(&(*t), s);
                    let _ = &t[i..];
                    let (t_3, back_3) = __of_h::__fwd(&t[i..], x);
                    tape_0.push((back_3, back_2));
                    s = rt::operators::assumed(t_2) + rt::operators::assumed(t_3);
                }
                let mut d_s = seed;
                let mut d_x: f64 = -0.0;
                for i_2 in (0..n).rev() {
                    let (back_4, back_5) = tape_0.pop();
                    let mut zero = __of_h::__zero_0(&t[i_2..]);
                    let (d_x_2,) = back_4(d_s, &t[i_2..], &mut zero);
                    let mut zero_2 = __of_h::__zero_0(&(*t));
                    let (d_s_2,) = back_5(d_s, &(*t), &mut zero_2);
                    (d_s, d_x) = (d_s_2, d_x + d_x_2);
                }
                let value = s;
                (value, (d_x + d_s + 0.0, ()))
            }
        "#]],
    );
}

#[test]
fn of_what_may_be_a_reference_its_type_decides() {
    check(
        "__vjp",
        "fn f(x: f64, #[constant] data: &Data) -> f64 { h(data.row(1), x) * h(data.rate, x) }",
        &expect![[r#"
            fn __vjp<'__by0>(
                x: f64,
                data: &rt::Spelled<fn(&'__by0 ()) -> Data>,
                seed: f64,
                d_data: &mut dyn rt::Ignored,
            ) -> (f64, (f64,)) {
                let t = rt::passed(&(data.row(1))).to_kept();
                let (t_2, back_2) = __of_h::__even(rt::passed(&t).arg(), x);
                let (t_3, back_3) = __of_h::__even(rt::passed(&data.rate).arg(), x);
                let t_4 = (rt::copy(&t_2)) * (rt::copy(&t_3));
                let mut zero = rt::passed(&data.rate).zero(|x| __of_h::__zero_0(x));
                let (_, d_x) = back_3(
                    rt::operators::mul::right_now(&t_2, &t_3, &seed),
                    rt::passed(&data.rate).again(),
                    (),
                    rt::passed(&data.rate).shadow(&mut zero),
                    (),
                );
                let mut zero_2 = rt::passed(&t).zero(|x| __of_h::__zero_0(x));
                let (_, d_x_2) = back_2(
                    rt::operators::mul::left_now(&t_2, &t_3, &seed),
                    rt::passed(&t).again(),
                    (),
                    rt::passed(&t).shadow(&mut zero_2),
                    (),
                );
                let value = t_4;
                (value, (d_x + d_x_2 + 0.0,))
            }
        "#]],
    );
}

#[test]
fn a_method_that_stands_alone_says_where_the_attribute_belongs() {
    let advised = |source: &str| {
        let source = source.parse().unwrap_or_default();
        let expansion = crate::expand::grad(TokenStream::new(), source).to_string();
        expansion
            .contains("const __in_an_impl_of_a_trait_put_grad_on_the_whole_impl__energy : () = ()")
    };
    assert!(advised("fn energy(&self, x: f64) -> f64 { self.k * x }"));
    assert!(!advised("fn energy(k: f64, x: f64) -> f64 { k * x }"));
    assert!(!advised(
        "impl S { fn energy(&self, x: f64) -> f64 { self.k * x } }"
    ));
}

/// The number of tokens in an expansion, delimiters included.
fn size(tokens: TokenStream) -> usize {
    tokens.into_iter().fold(0, |sum, token| match token {
        TokenTree::Group(group) => sum + 2 + size(group.stream()),
        _ => sum + 1,
    })
}

#[test]
fn an_order_more_is_at_most_four_times_the_code() {
    let sources = [
        "fn f(x: f64, y: f64) -> f64 { (x * y).sin() * x.exp() / (1.0 + y * y).sqrt() }",
        "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for k in 1..x.len() { let a = x[k] - x[k - 1] * x[k - 1]; s += 100.0 * a * a; } s }",
        "fn f(x: &[f64], k: f64) -> Vec<f64> { let mut y = x.to_vec(); for i in 1..y.len() { if y[i] > k { y[i] *= y[i - 1]; } else { y[i] = y[i].sin() - k; } } y }",
        "fn f(mut x: f64, n: usize) -> f64 { let mut r = x; while r * r > 1e-3 { for _ in 0..n { x = x.cos() * r; } r *= 0.5 * x; } r }",
        "fn f(s: &Spring, at: Point) -> f64 { let d = at - s.rest; s.k * g(&d, s.k) + d.norm() }",
        "fn f(s: &Shape, x: f64) -> f64 { match s { Shape::Disc(r) => r * r * x, Shape::Box { a, b } if *a > x => a * b, Shape::Box { a, b } => g(*a, *b), _ => x } }",
    ];
    for source in sources {
        let sizes = ["", "order = 2", "order = 3"].map(|order| {
            let tokens = |text: &str| text.parse().unwrap_or_default();
            let expansion = crate::expand::grad(tokens(order), tokens(source));
            assert!(
                find(expansion.clone(), "__jvp").is_some(),
                "refused: {source}"
            );
            size(expansion)
        });
        for (less, more) in sizes.iter().zip(&sizes[1..]) {
            assert!(less < more && *more <= 4 * less, "{sizes:?} of {source}");
        }
    }
}

/// The names of the functions with a body in an expansion that stand without `#[inline]`.
fn compiled_where_they_stand(tokens: TokenStream, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut inline = false;
    let mut named = None;
    for (k, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(word) if word == "fn" => {
                named = tokens.get(k + 1).and_then(|next| match next {
                    TokenTree::Ident(name) => Some(name.to_string()),
                    _ => None,
                });
            }
            TokenTree::Punct(p) if p.as_char() == ';' => (inline, named) = (false, None),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
                inline |= group.stream().to_string() == "inline";
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                found.extend(named.filter(|_| !inline));
                (inline, named) = (false, None);
                compiled_where_they_stand(group.stream(), found);
            }
            TokenTree::Group(group) => compiled_where_they_stand(group.stream(), found),
            _ => {}
        }
    }
}

#[test]
fn a_library_compiles_the_derivatives_that_somebody_calls() {
    let check = |args: &str, source: &str, own: &[&str]| {
        let args = args.parse().unwrap_or_default();
        let expansion = crate::expand::grad(args, source.parse().unwrap_or_default());
        let mut found = Vec::new();
        compiled_where_they_stand(expansion, &mut found);
        assert_eq!(found, own, "{source}");
    };
    check(
        "",
        "pub fn f(x: f64, y: &[f64]) -> f64 { x * y[0] }",
        &["f"],
    );
    check(
        "order = 3",
        "pub fn f(x: f64, y: f64) -> f64 { x * y }",
        &["f"],
    );
    check(
        "",
        "fn f(x: f64, n: u32) -> f64 { if n == 0 { x } else { f(x * 0.5, n - 1) } }",
        &["f"],
    );
    check(
        "",
        "fn f(u: &mut [f64], k: f64) { for v in u { *v *= k; } }",
        &["f"],
    );
    check(
        "",
        "fn f(x: &[f64; 4]) -> [f64; 2] { [x[0] * x[1], x[2]] }",
        &["f"],
    );
    check(
        "order = 2",
        "fn f(g: impl Fn(f64) -> f64, x: f64) -> f64 { g(x) * x }",
        &["f"],
    );
    check("dynamic", "fn f(x: f64, y: f64) -> f64 { x * y }", &["f"]);
    check(
        "partials = (y, x)",
        "fn f(x: f64, y: f64) -> f64 { x * y }",
        &["f"],
    );
    check("vjp = p", "fn f(x: f64) -> f64 { x }", &["f"]);
    check(
        "order = 2, method",
        "fn f(&self, x: f64) -> f64 { self.a * x }",
        &["f"],
    );
    check(
        "",
        "impl P { fn f(&self, x: f64) -> f64 { self.a * x } fn g(self) -> P { self } }",
        &["f", "g"],
    );
    check(
        "",
        "impl Mul<f64> for P { type Output = P; fn mul(self, k: f64) -> P { P(self.0 * k) } }",
        &["mul"],
    );

    let derive = |source: &str| {
        let mut found = Vec::new();
        compiled_where_they_stand(
            crate::derive::differentiable(source.parse().unwrap_or_default()),
            &mut found,
        );
        assert_eq!(found, Vec::<String>::new(), "{source}");
    };
    derive("pub struct P<T> { a: T, b: Vec<f64>, n: usize }");
    derive("pub enum E { A(f64), B { c: f64, n: usize }, C }");
}
