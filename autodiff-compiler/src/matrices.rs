//! Which functions may be about matrices and arrays of other crates, whose methods have their hidden forms in traits.
//!
//! The macro sees no types. A function about numbers, lists and tuples of them alone has no need of these traits, and does not import them.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::attr::GradFn;
use crate::{lower, rules, tensors};

/// Types, variants and traits of the standard library that say nothing of what the function is about.
const STANDARD: &[&str] = &[
    "Box", "Copy", "Clone", "Default", "Err", "Fn", "FnMut", "FnOnce", "Into", "Iterator", "None",
    "Ok", "Option", "Result", "Self", "Some", "String", "Vec", "Float", "Sized", "From", "Debug",
];

/// Whether a function may be about them: a type that is not one of the standard library is named, or a method that this has not is called.
pub(crate) fn may_concern(function: &GradFn) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
            let name = m.method.to_string();
            self.0 |= rules::by_method(&name).is_none() && !lower::is_standard(&name);
            visit::visit_expr_method_call(self, m);
        }
    }
    if !cfg!(feature = "matrices") {
        return false;
    }
    let (written, body) = (&function.written, &function.body);
    let parameters = written.sig.generics.params.iter().map(|p| match p {
        syn::GenericParam::Type(t) => t.ident.to_string(),
        syn::GenericParam::Const(c) => c.ident.to_string(),
        syn::GenericParam::Lifetime(l) => l.lifetime.ident.to_string(),
    });
    let parameters: Vec<String> = parameters.collect();
    // A receiver is of any type.
    let mut find = Find(
        function.method.is_some()
            || names_a_type(written.sig.to_token_stream(), &parameters)
            || names_a_type(body.to_token_stream(), &parameters),
    );
    find.visit_block(body);
    find.0
}

/// Whether something is named as types are, which is neither known nor a parameter; constants are named in capitals.
fn names_a_type(tokens: TokenStream, parameters: &[String]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => {
            let name = ident.to_string();
            let capital = name.starts_with(|c: char| c.is_uppercase());
            let constant = name.len() > 1 && !name.contains(|c: char| c.is_lowercase());
            let known = STANDARD.contains(&name.as_str()) || name == tensors::TENSOR;
            capital && !constant && !known && !parameters.contains(&name)
        }
        TokenTree::Group(group) => names_a_type(group.stream(), parameters),
        _ => false,
    })
}

/// A macro that makes a vector or a matrix, as the call that it stands for, and what makes rustc check that it is this macro.
pub(crate) fn open(mac: &syn::Macro) -> Option<(&'static str, TokenStream, syn::Expr)> {
    let (path, name) = (&mac.path, mac.path.segments.last()?.ident.to_string());
    let at = Span::mixed_site().located_at(path.span());
    // Only if the elements are evaluated from left to right does the second one have the first one's variable.
    let check = |ty: TokenStream, between: TokenStream| {
        quote_spanned! {at=>
            let _: fn() -> (#ty, bool) = || {
                let (first, second);
                (#path![{ first = true; rt::OfAutodiff } #between { second = first; rt::OfAutodiff }], second)
            };
        }
    };
    match name.as_str() {
        "vector" if cfg!(feature = "nalgebra") => {
            let [elements] = &rows(mac)?[..] else {
                return None;
            };
            let (of, count) = (quote!(rt::linalg::nalgebra::SVector), elements.len());
            let made = syn::parse_quote_spanned!(at=> #of::<_, #count>::from_column_slice(&[#(#elements),*]));
            Some((
                "vector",
                check(quote!(#of<rt::OfAutodiff, 2>), quote!(,)),
                made,
            ))
        }
        "matrix" if cfg!(feature = "nalgebra") => {
            let rows = rows(mac)?;
            let (count, columns) = (rows.len(), rows.first()?.len());
            if rows.iter().any(|row| row.len() != columns) {
                return None;
            }
            let (of, elements) = (quote!(rt::linalg::nalgebra::SMatrix), rows.iter().flatten());
            let made = syn::parse_quote_spanned!(at=> #of::<_, #count, #columns>::from_row_slice(&[#(#elements),*]));
            Some((
                "matrix",
                check(quote!(#of<rt::OfAutodiff, 2, 1>), quote!(;)),
                made,
            ))
        }
        "array" if cfg!(feature = "ndarray") => {
            let [elements] = &rows(mac)?[..] else {
                return None;
            };
            // More dimensions are arrays of arrays.
            if elements.iter().any(|e| matches!(e, syn::Expr::Array(_))) {
                return None;
            }
            let (of, list) = (
                quote!(rt::linalg::ndarray::Array1),
                quote_spanned!(at=> vec![#(#elements),*]),
            );
            let mac: syn::Macro = syn::parse2(list).ok()?;
            let list = crate::facts::open_vec(&mac)?;
            let made = syn::parse_quote_spanned!(at=> #of::<_>::from_vec(#list));
            Some(("array", check(quote!(#of<rt::OfAutodiff>), quote!(,)), made))
        }
        _ => None,
    }
}

/// The elements of such a macro: rows end with a semicolon.
fn rows(mac: &syn::Macro) -> Option<Vec<Vec<syn::Expr>>> {
    let row = |input: syn::parse::ParseStream<'_>| {
        let mut row = Vec::new();
        while !input.is_empty() && !input.peek(syn::Token![;]) {
            row.push(input.parse::<syn::Expr>()?);
            if !input.is_empty() && !input.peek(syn::Token![;]) {
                input.parse::<syn::Token![,]>()?;
            }
        }
        Ok::<_, syn::Error>(row)
    };
    let all = |input: syn::parse::ParseStream<'_>| {
        let mut rows = vec![row(input)?];
        while input.parse::<Option<syn::Token![;]>>()?.is_some() {
            if !input.is_empty() {
                rows.push(row(input)?);
            }
        }
        Ok::<_, syn::Error>(rows)
    };
    let rows = syn::parse::Parser::parse2(all, mac.tokens.clone()).ok()?;
    rows.iter()
        .all(|row: &Vec<_>| !row.is_empty())
        .then_some(rows)
}

#[cfg(all(test, feature = "matrices"))]
mod tests {
    use super::may_concern;
    use crate::testing::function;

    #[test]
    fn functions_of_numbers_have_no_need_of_matrices() {
        for source in [
            "fn f(x: f64, y: &[f64]) -> f64 { x.sin() * y[0] + std::f64::consts::PI }",
            "fn f<const N: usize>(x: &[f64; N]) -> f64 { x.iter().map(|x| x * x).sum() }",
            "fn f(x: Vec<f64>) -> Option<f64> { if x.len() > 1 { Some(x[0]) } else { None } }",
        ] {
            assert!(!may_concern(&function(source)), "{source}");
        }
        for source in [
            "fn f(x: &Vector3<f64>) -> f64 { x[0] }",
            "fn f(x: f64) -> f64 { position(x).norm() }",
            "fn f(x: f64) -> f64 { let v = Vector2::new(x, x); v[0] }",
        ] {
            assert!(may_concern(&function(source)), "{source}");
        }
    }
}
