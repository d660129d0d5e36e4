//! `partials = (e₁, …)`: the function as a call of itself, linked to the expressions that are its partial derivatives.
//!
//! The body becomes `{ let y = f(x₁, …); linked(y, x₁, …, e₁, …) }`.
//! In first order nothing flows through the call or the expressions; where derivatives are differentiated once more, both have derivatives like any other code.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

use crate::attr::{By, GradFn};
use crate::errors::Errors;
use crate::types;

/// The name by which lowering knows the operation; no user writes it.
pub(crate) const LINKED: &str = "__autodiff_linked";

/// The body of a function whose partials are given.
pub(super) fn body(function: &GradFn, partials: &syn::Expr, errors: &mut Errors) -> syn::Block {
    let given: Vec<&syn::Expr> = match partials {
        syn::Expr::Tuple(tuple) => tuple.elems.iter().collect(),
        syn::Expr::Paren(one) => vec![&one.expr],
        one => vec![one],
    };
    let params: Vec<_> = function.params.iter().filter(|p| p.active).collect();
    if let Some(ret) = function
        .ret
        .as_ref()
        .filter(|_| !function.ret_ty.is_float())
    {
        errors.error(ret, "`partials` are for a function with one number as result; write `vjp = …` or `jvp = …` instead");
    }
    for param in &params {
        if !(param.ty.is_float() && param.by == By::Value) {
            errors.error(&param.written, format_args!("`partials` are for parameters that are numbers, and `{}` is none; write `vjp = …` or `jvp = …` instead, or mark it `#[constant]`", param.name));
        }
    }
    if given.len() != params.len() {
        let names: Vec<String> = params.iter().map(|p| format!("`{}`", p.name)).collect();
        let count = match given.len() {
            1 => "is 1 partial".to_owned(),
            n => format!("are {n} partials"),
        };
        let wanted = match names.as_slice() {
            [one] => format!("parameter {one} alone has a derivative"),
            [first @ .., last] => format!("{} and {last} have derivatives", first.join(", ")),
            [] => return function.body.clone(),
        };
        errors.error(
            partials,
            format_args!(
                "here {count}, but {wanted}; write one expression for each, in this order"
            ),
        );
    }
    let result = result_name(function, partials);
    let call = call_of(function);
    let inputs = function.params.iter().filter(|p| p.active).map(|p| &p.name);
    let ret = function.ret.to_token_stream();
    let patterns = &function.body.stmts;
    let linked = format_ident!("{LINKED}");
    syn::parse_quote!({
        let #result: #ret = #call;
        #(#patterns)*
        #linked(#result, #(#inputs,)* #(#given),*)
    })
}

/// A body that only calls the function, for its picture.
pub(super) fn call(function: &GradFn) -> syn::Block {
    let call = call_of(function);
    syn::parse_quote!({ #call })
}

/// `f(x, n, data)`
fn call_of(function: &GradFn) -> TokenStream {
    let primal = &function.item.sig.ident;
    let args = function.params.iter().map(|p| {
        let name = &p.name;
        // The expressions may mention what the call would move.
        if p.by == By::Value && !p.ty.is_scalar() && !p.active {
            quote!(::core::clone::Clone::clone(&#name))
        } else {
            quote!(#name)
        }
    });
    let generics: Vec<&Ident> = types::named(&function.item.sig.generics).collect();
    if generics.is_empty() {
        quote!(#primal(#(#args),*))
    } else {
        quote!(#primal::<#(#generics),*>(#(#args),*))
    }
}

/// `y` as the expressions write it; a parameter of that name comes first.
fn result_name(function: &GradFn, partials: &syn::Expr) -> Ident {
    fn find(tokens: TokenStream) -> Option<Ident> {
        tokens.into_iter().find_map(|token| match token {
            TokenTree::Ident(ident) if ident == "y" => Some(ident),
            TokenTree::Group(group) => find(group.stream()),
            _ => None,
        })
    }
    let own = |name: &str| Ident::new(name, Span::call_site());
    if function.params.iter().any(|p| p.name == "y") {
        return own("result");
    }
    find(partials.to_token_stream()).unwrap_or_else(|| own("y"))
}
