//! `#[grad(dynamic)]`: the body once more, with variables of a tape in place of floats.
//!
//! What comes of it is the function of variables, which `api/dynamic.rs` runs on a tape.

mod callee;
mod variables;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;

use self::variables::Variables;
use crate::attr::{By, GradFn, ParamInfo};
use crate::errors::Errors;

/// Refuses signatures that variables cannot be put into.
pub(crate) fn check(function: &GradFn, errors: &mut Errors) {
    let sig = &function.written.sig;
    if let Some(param) = sig.generics.params.first() {
        errors.error(
            param,
            "a generic function cannot be dynamic; write its types out",
        );
        return;
    }
    if mentions(&sig.to_token_stream(), "f64") && mentions(&sig.to_token_stream(), "f32") {
        errors.error(
            &sig.ident,
            "a dynamic function computes with one type of floats; use `f64` or `f32` throughout",
        );
    }
    for param in function.params.iter().filter(|p| p.by == By::Mut) {
        let name = &param.name;
        if !param.active {
            errors.error(&param.written, format_args!("a dynamic function changes nothing but what derivatives flow through; return the new `{name}`"));
        } else if !param.ty.keeps_shape() && !matches!(param.ty, crate::ir::Ty::Slice(_)) {
            errors.error(&param.written, format_args!("a dynamic function cannot change the length of what it is lent; return the new `{name}`, or take a slice"));
        }
    }
    for param in function.params.iter().filter(|p| p.active) {
        if !holds_floats(param) {
            errors.error(&param.written, format_args!("in a dynamic function, derivatives are found in numbers, arrays, slices and vectors of them; take the numbers of `{0}`, or mark it with `#[constant]`", param.name));
        }
    }
}

/// The type of floats.
pub(crate) fn float(function: &GradFn) -> Ident {
    let sig = function.written.sig.to_token_stream();
    let name = if mentions(&sig, "f32") { "f32" } else { "f64" };
    Ident::new(name, Span::call_site())
}

/// Whether the written type of a parameter shows floats: then variables take their place.
pub(crate) fn holds_floats(param: &ParamInfo) -> bool {
    let written = param.written.to_token_stream();
    mentions(&written, "f64") || mentions(&written, "f32")
}

fn mentions(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// The function of variables.
pub(crate) fn on_variables(function: &GradFn) -> TokenStream {
    let mut sig = function.written.sig.clone();
    let mut block = (*function.written.block).clone();
    let mut variables = Variables::new(float(function), sig.ident.clone());
    variables.body(&sig, &mut block);
    for input in &mut sig.inputs {
        variables.visit_fn_arg_mut(input);
    }
    variables.visit_return_type_mut(&mut sig.output);
    let (inputs, output) = (&sig.inputs, &sig.output);
    quote!(fn __on_variables<'__t>(#inputs) #output #block)
}

pub(crate) fn borrowed(name: &Ident, param: &ParamInfo) -> TokenStream {
    match param.by {
        By::Value => quote!(&#name),
        By::Ref | By::Mut => quote!(&*#name),
    }
}
