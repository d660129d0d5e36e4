//! Which functions are about complex numbers, whose methods are named like those of numbers.
//!
//! As with tensors, a value whose type the macro does not know may be one in such a function: its elementary functions are calls of hidden forms, which numbers have as well.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

use crate::features::features;
use crate::function::GradFn;
use crate::iterators::is_chain;
use crate::rules;

/// The types of num-complex.
pub(crate) const TYPES: &[&str] = &["Complex", "Complex32", "Complex64"];

/// Whether a function is about them: one of the types is named.
pub(crate) fn concerns(function: &GradFn, body: &syn::Block) -> bool {
    features().num_complex
        && (names(function.item.sig.to_token_stream()) || names(body.to_token_stream()))
}

fn names(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => TYPES.iter().any(|ty| ident == ty),
        TokenTree::Group(group) => names(group.stream()),
        _ => false,
    })
}

/// Whether a method, of what may be a complex number, is one of these if it is that.
pub(crate) fn may_have(m: &syn::ExprMethodCall) -> bool {
    rules::by_method(&m.method.to_string()).is_some() && !is_chain(&m.receiver)
}
