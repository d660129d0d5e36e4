//! Names from outside of a dynamic body: functions, and constants.
//!
//! Of a function that is called, only its path is known, and not whether there is a type beside it.
//! So both are imported under a name of ours, over one that stands for the type where there is none: an import by name hides what comes with `*`, for types and for values apart.

use proc_macro2::{Ident, Span};
use quote::quote_spanned;

/// Types that have functions, as in `f64::max`.
const PRIMITIVES: &[&str] = &[
    "f32", "f64", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128",
    "isize", "bool", "char", "str",
];

/// Derivatives of a function, which stand beside it and not in a module.
const DERIVATIVES: &[&str] = &[
    "grad",
    "value_and_grad",
    "jvp",
    "jvp_lanes",
    "vjp",
    "vjp_lanes",
    "pullback",
    "jacobian",
    "value_and_jacobian",
    "jacfwd",
    "jacrev",
    "jacobian_rows",
    "hvp",
    "hessian",
    "value_grad_hessian",
    "grad_into",
    "vjp_into",
    "jacobian_into",
    "on_tape",
    "graph",
    "report",
    "trace",
    "with",
];

/// The form for variables of the function that a path names, if it may name one.
pub(super) fn of(path: &syn::ExprPath) -> Option<syn::Expr> {
    if path.qself.is_some() {
        return None;
    }
    let names: Vec<String> = path
        .path
        .segments
        .iter()
        .map(|s| s.ident.to_string())
        .collect();
    let (last, before) = names.split_last()?;
    let lower = |name: &str| {
        name.trim_start_matches(['_', 'r', '#'])
            .chars()
            .next()
            .is_none_or(char::is_lowercase)
            && name.starts_with(|c: char| c.is_lowercase() || c == '_')
    };
    if !lower(last) || last == "self" || last == "drop" {
        return None;
    }
    if before.iter().any(|name| {
        PRIMITIVES.contains(&name.as_str()) || !lower(name) || name == "self" && before.len() > 1
    }) {
        return None;
    }
    match before {
        [] => {}
        // The standard library has no derivatives of its own.
        [first, ..] if matches!(first.as_str(), "std" | "core" | "alloc") => return None,
        _ if DERIVATIVES.contains(&last.as_str()) => return None,
        _ => {}
    }
    let mut plain = path.path.clone();
    let segment = plain.segments.last_mut()?;
    let arguments = std::mem::take(&mut segment.arguments);
    if plain.segments.iter().any(|s| !s.arguments.is_none()) {
        return None;
    }
    let span = Span::mixed_site().located_at(syn::spanned::Spanned::span(path));
    let mut value = syn::Path::from(Ident::new("__callee", span));
    value.segments[0].arguments = arguments;
    let tokens = quote_spanned! {span=> {
        use rt::dynamic::callee::*;
        use #plain as __callee;
        <__callee>::__dynamic(#value)
    }};
    let parsed: syn::Expr = syn::parse2(tokens).ok()?;
    Some(syn::parse_quote_spanned!(span=> (#parsed)))
}

/// Whether a path is that of a derivative, as in `inner::grad`.
pub(super) fn is_derivative(path: &syn::Path) -> bool {
    let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    let Some((last, [.., of])) = names.split_last() else {
        return false;
    };
    let ours = ["std", "core", "alloc", "autodiff", "crate", "self", "super"];
    // What takes variables, or nothing.
    let others = ["on_tape", "graph", "report", "trace", "with"];
    DERIVATIVES.contains(&last.as_str())
        && !others.contains(&last.as_str())
        && of.starts_with(|c: char| c.is_lowercase() || c == '_')
        && !ours.contains(&of.as_str())
        && !PRIMITIVES.contains(&of.as_str())
}

/// Whether a path is written as the names of constants are.
pub(super) fn is_constant(path: &syn::Path) -> bool {
    let Some(last) = path.segments.last() else {
        return false;
    };
    let name = last.ident.to_string();
    let capitals = name
        .chars()
        .all(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_');
    capitals
        && last.arguments.is_none()
        && name.starts_with(char::is_uppercase)
        && path
            .segments
            .first()
            .is_some_and(|s| !PRIMITIVES.iter().any(|name| s.ident == name))
        && path
            .segments
            .iter()
            .rev()
            .skip(1)
            .all(|s| s.ident.to_string().starts_with(char::is_lowercase))
}

/// Whether a place is a constant or a part of one.
pub(super) fn is_in_constant(place: &syn::Expr) -> bool {
    match place {
        syn::Expr::Path(path) => path.qself.is_none() && is_constant(&path.path),
        syn::Expr::Index(index) => is_in_constant(&index.expr),
        syn::Expr::Paren(paren) => is_in_constant(&paren.expr),
        _ => false,
    }
}

/// A constant among variables: if it is a float, as one.
pub(super) fn constant(place: &syn::Expr) -> syn::Expr {
    let span = Span::mixed_site().located_at(syn::spanned::Spanned::span(place));
    syn::parse_quote_spanned!(span=> {
        use rt::dynamic::{NamedNumbers as _, NamedOther as _};
        (&rt::dynamic::Named(&#place)).among_variables()
    })
}
