//! `__passed`: both sweeps for functions that take this one.
//!
//! A pullback that is passed is lent the cotangents of what its function captured behind each group of shadows; a function by its name captures nothing.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::Pieces;
use super::reverse::{assumed, restoring};
use super::second::{closure_inputs, dot_inputs};
use super::tangents::owned_or_unit;
use crate::forms::{PASSED, form_name};
use crate::function::By;
use crate::second::dotted;

/// What the pullback is given, and of that what the one of the function itself takes.
fn inputs(pieces: &Pieces<'_>, count: usize) -> (Vec<(Ident, TokenStream)>, Vec<Ident>) {
    let mut known = closure_inputs(pieces.function, &pieces.names, count);
    let names = known.iter().map(|(name, _)| name.clone()).collect();
    let references = (known.len() - count) / (2 * count);
    let mut shadows = known.split_off(count + count * references).into_iter();
    for k in 0..count {
        known.extend(shadows.by_ref().take(references));
        let nothing = format_ident!("_captured_{k}", span = Span::mixed_site());
        known.push((nothing, quote!(&mut ())));
    }
    (known, names)
}

/// The type of the pullback, without `impl`.
fn pullback(pieces: &Pieces<'_>, given: &[(Ident, TokenStream)], count: usize) -> TokenStream {
    let types = given.iter().map(|(_, ty)| ty);
    let owned = pieces.params().filter(|(_, p)| p.by == By::Value);
    let owned: Vec<_> = owned.map(|(_, p)| owned_or_unit(p)).collect();
    let groups = (0..count).map(|_| quote!((#(#owned,)*)));
    quote!((#(#types),*) -> (#(#groups),*))
}

/// The form of an order, the function itself at level 0.
pub(super) fn form(pieces: &Pieces<'_>, level: u32) -> TokenStream {
    if !is_passed(pieces) {
        return TokenStream::new();
    }
    let Pieces {
        generics,
        turbofish,
        captures,
        ..
    } = pieces;
    let (clause, vis) = (
        restoring(pieces, assumed(pieces)),
        &pieces.function.item.vis,
    );
    let count = 1 << level;
    let (given, dots, args) = (pieces.inputs(), dot_inputs(pieces, count), pieces.args());
    let tangents = (1..count).flat_map(|k| pieces.params().map(move |(name, _)| dotted(k, name)));
    let (ret, tangent) = (pieces.result(), pieces.result_tangent());
    let results = (1..count).map(|_| &tangent);
    let value = Ident::new("value", Span::mixed_site());
    let values: Vec<Ident> = (0..count).map(|k| dotted(k, &value)).collect();
    let (params, known) = inputs(pieces, count);
    let pullback = pullback(pieces, &params, count);
    let params = params.iter().map(|(name, _)| name);
    let (name, form) = (form_name(level, PASSED), form_name(level, "fwd"));
    quote! {
        #[doc(hidden)]
        #[inline]
        #vis fn #name #generics (#(#given,)* #(#dots),*) -> (#ret, #(#results,)* impl FnOnce #pullback + use<#captures>) #clause {
            let (#(#values,)* back) = Self::#form #turbofish (#(#args,)* #(#tangents),*);
            (#(#values,)* move |#(#params),*| back(#(#known),*))
        }
    }
}

/// Whether it may be passed by its name.
fn is_passed(pieces: &Pieces<'_>) -> bool {
    pieces.function.method.is_none() && pieces.function.callables().is_empty()
}
