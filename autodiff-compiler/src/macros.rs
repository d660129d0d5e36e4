//! `vec!` as a call and `matches!` as a `match`, so that everything sees the expressions in them.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::features::features;

/// Elements of `vec![…]`.
pub(crate) enum VecMacro<'e> {
    List(Vec<&'e syn::Expr>),
    Repeat(&'e syn::Expr, &'e syn::Expr),
}

/// The functions that stand for `vec!`, so that everything sees the expressions in it.
pub(super) const LIST: &str = "__autodiff_vec_list";

pub(super) const REPEAT: &str = "__autodiff_vec_repeat";

/// The elements, if a call stands for `vec!`.
pub(crate) fn vec_macro(call: &syn::ExprCall) -> Option<VecMacro<'_>> {
    let syn::Expr::Path(func) = &*call.func else {
        return None;
    };
    if func.path.is_ident(LIST) {
        return Some(VecMacro::List(call.args.iter().collect()));
    }
    if func.path.is_ident(REPEAT) {
        return Some(VecMacro::Repeat(&call.args[0], &call.args[1]));
    }
    None
}

/// `vec![…]` as a call that stands for it; `None` for any other macro.
pub(crate) fn open_vec(mac: &syn::Macro) -> Option<syn::ExprCall> {
    if !mac.path.is_ident("vec") {
        return None;
    }
    let parser = |input: syn::parse::ParseStream<'_>| {
        let mut all: Vec<syn::Expr> = Vec::new();
        if !input.is_empty() {
            all.push(input.parse()?);
        }
        if input.peek(syn::Token![;]) {
            input.parse::<syn::Token![;]>()?;
            all.push(input.parse()?);
            return Ok((REPEAT, all));
        }
        while !input.is_empty() {
            input.parse::<syn::Token![,]>()?;
            if !input.is_empty() {
                all.push(input.parse()?);
            }
        }
        Ok((LIST, all))
    };
    let (name, all) = syn::parse::Parser::parse2(parser, mac.tokens.clone()).ok()?;
    let span = syn::spanned::Spanned::span(&mac.path);
    let func = proc_macro2::Ident::new(name, span);
    Some(syn::parse_quote_spanned!(span=> #func(#(#all),*)))
}

/// What `matches!(…)` stands for; `None` for any other macro.
pub(crate) fn open_matches(mac: &syn::Macro) -> Option<syn::Expr> {
    if !mac.path.is_ident("matches") {
        return None;
    }
    let span = syn::spanned::Spanned::span(&mac.path);
    let parser = |input: syn::parse::ParseStream<'_>| {
        let e: syn::Expr = input.parse()?;
        input.parse::<syn::Token![,]>()?;
        let pat = syn::Pat::parse_multi_with_leading_vert(input)?;
        let guard: Option<syn::Token![if]> = input.parse()?;
        let guard = guard.map(|word| Ok::<_, syn::Error>((word, input.parse::<syn::Expr>()?)));
        let guard = guard
            .transpose()?
            .map(|(word, guard)| quote::quote!(#word #guard));
        input.parse::<Option<syn::Token![,]>>()?;
        let mut opened: syn::ExprMatch =
            syn::parse_quote_spanned!(span=> match () { #pat #guard => true, _ => false });
        // As tokens, a struct would be taken for the braces of the `match`.
        opened.expr = Box::new(e);
        Ok(syn::Expr::Match(opened))
    };
    syn::parse::Parser::parse2(parser, mac.tokens.clone()).ok()
}

/// The call that stands for `vec![value; n]`.
pub(crate) fn repeated(value: syn::Expr, n: syn::Expr, span: proc_macro2::Span) -> syn::Expr {
    let func = proc_macro2::Ident::new(REPEAT, span);
    let mut call: syn::ExprCall = syn::parse_quote_spanned!(span=> #func());
    call.args = [value, n].into_iter().collect();
    syn::Expr::Call(call)
}

/// The macro again, for code that is copied.
pub(crate) fn close_vec(call: &syn::ExprCall) -> Option<syn::Expr> {
    Some(match vec_macro(call)? {
        VecMacro::List(all) => syn::parse_quote!(vec![#(#all),*]),
        VecMacro::Repeat(v, n) => syn::parse_quote!(vec![#v; #n]),
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
        "vector" if features().nalgebra => {
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
        "matrix" if features().nalgebra => {
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
        "dvector" if features().nalgebra => {
            let [elements] = &rows(mac)?[..] else {
                return None;
            };
            let of = quote!(rt::linalg::nalgebra::DVector);
            let made =
                syn::parse_quote_spanned!(at=> #of::<_>::from_column_slice(&[#(#elements),*]));
            Some((
                "dvector",
                check(quote!(#of<rt::OfAutodiff>), quote!(,)),
                made,
            ))
        }
        "dmatrix" if features().nalgebra => {
            let rows = rows(mac)?;
            let (count, columns) = (rows.len(), rows.first()?.len());
            if rows.iter().any(|row| row.len() != columns) {
                return None;
            }
            let (of, elements) = (quote!(rt::linalg::nalgebra::DMatrix), rows.iter().flatten());
            let made = syn::parse_quote_spanned!(at=> #of::<_>::from_row_slice(#count, #columns, &[#(#elements),*]));
            Some((
                "dmatrix",
                check(quote!(#of<rt::OfAutodiff>), quote!(;)),
                made,
            ))
        }
        "array" if features().ndarray => {
            let [elements] = &rows(mac)?[..] else {
                return None;
            };
            let vector = quote!(rt::linalg::ndarray::Array1);
            let check = check(quote!(#vector<rt::OfAutodiff>), quote!(,));
            // More dimensions are arrays of arrays.
            let rows = elements.iter().map(|e| match e {
                syn::Expr::Array(row) => Some(&row.elems),
                _ => None,
            });
            let rows: Vec<_> = rows.collect();
            let made = if rows.iter().all(Option::is_none) {
                let list = list(&quote_spanned!(at=> vec![#(#elements),*]))?;
                syn::parse_quote_spanned!(at=> #vector::<_>::from_vec(#list))
            } else {
                let rows = rows.into_iter().collect::<Option<Vec<_>>>()?;
                let (count, columns) = (rows.len(), rows.first()?.len());
                let entries: Vec<_> = rows.iter().copied().flatten().collect();
                let deeper = entries.iter().any(|e| matches!(e, syn::Expr::Array(_)));
                if deeper || rows.iter().any(|row| row.len() != columns) {
                    return None;
                }
                let list = list(&quote_spanned!(at=> vec![#(#entries),*]))?;
                syn::parse_quote_spanned!(at=> rt::linalg::ndarray::Array2::<_>::of_entries(#count, #columns, #list))
            };
            Some(("array", check, made))
        }
        _ => None,
    }
}

/// What `vec![…]` makes.
pub(crate) fn list(written: &TokenStream) -> Option<syn::ExprCall> {
    let mac: syn::Macro = syn::parse2(written.clone()).ok()?;
    open_vec(&mac)
}

/// The elements of such a macro: rows end with a semicolon.
pub(crate) fn rows(mac: &syn::Macro) -> Option<Vec<Vec<syn::Expr>>> {
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
