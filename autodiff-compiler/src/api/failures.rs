//! Derivatives of functions that report their errors by a parameter: what they do where it has been given one.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::forms::{FAILURE, LEAVE};
use crate::function::{By, GradFn};
use crate::ir::{Ty, Width};

/// Where a derivative of a fallible function may be left.
pub(crate) fn leave(function: &GradFn) -> TokenStream {
    if function.options.fails.is_none() {
        return TokenStream::new();
    }
    let leave = format_ident!("{LEAVE}");
    quote!(#leave!();)
}

/// What a pullback does of a function that has failed, whose value nobody looks at: `none` in place of its sweep, which may meet infinite slopes.
///
/// What it did to memory is undone step by step, and a zero that cannot be written is not put in place of anything.
pub(crate) fn unless_failed(
    function: &GradFn,
    names: &[Ident],
    none: &TokenStream,
) -> (TokenStream, TokenStream) {
    let mut params = function.params.iter().zip(names);
    let failure = params.find(|(p, _)| p.name == FAILURE);
    match failure.filter(|_| discards(function)) {
        Some((_, failure)) => (
            quote!(let failed = #failure.is_set();),
            quote!(if failed { return #none; }),
        ),
        None => Default::default(),
    }
}

/// Whether all that is derived of a function that fails is thrown away: it leaves nothing changed that a caller may go on with.
pub(crate) fn discards(function: &GradFn) -> bool {
    let mut params = function.params.iter();
    params.all(|p| match p.by {
        By::Value => !p.active || matches!(p.ty, Ty::Float(Width::F64 | Width::F32)),
        By::Ref => true,
        By::Mut => !p.active,
    })
}
