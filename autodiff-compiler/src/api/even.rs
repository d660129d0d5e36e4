//! `__even`: both sweeps for callers that do not know which of their arguments are references.
//!
//! Its pullback is given something for every parameter, and returns something for each: `()` where a pullback has nothing.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::reverse::{assumed, restoring};
use super::second::{closure_inputs, dot_inputs, lacked};
use super::{Pieces, prefixed};
use crate::forms::form_name;
use crate::function::{By, ParamInfo};
use crate::second::dotted;

/// What the pullback is given: seeds, then a group of all parameters for each direction of the references, and for each of their shadows.
fn inputs(pieces: &Pieces<'_>, count: usize) -> Vec<(Ident, TokenStream)> {
    let mut known = closure_inputs(pieces.function, &pieces.names, count).into_iter();
    let mut out: Vec<(Ident, TokenStream)> = known.by_ref().take(count).collect();
    for group in 0..2 * count {
        for k in 0..pieces.names.len() {
            let nothing = format_ident!("_none_{group}_{k}", span = Span::mixed_site());
            out.push(if pieces.function.params[k].by == By::Value {
                (nothing, quote!(()))
            } else {
                known.next().unwrap_or((nothing, quote!(())))
            });
        }
    }
    out
}

/// What is made of the cotangent of each parameter that is passed by value, `()` for the others, in a group for each direction.
fn groups(
    pieces: &Pieces<'_>,
    count: usize,
    each: impl Fn(usize, &Ident, &ParamInfo) -> TokenStream,
) -> TokenStream {
    let groups = (0..count).map(|k| {
        let all = pieces.params().map(|(name, p)| match p.by {
            By::Value => each(k, name, p),
            By::Ref | By::Mut => quote!(()),
        });
        quote!((#(#all,)*))
    });
    quote!(#(#groups),*)
}

/// The type of the pullback, without its lifetimes.
fn pullback(pieces: &Pieces<'_>, count: usize) -> TokenStream {
    let types = inputs(pieces, count).into_iter().map(|(_, ty)| ty);
    let bars = groups(pieces, count, |_, _, p| super::tangents::owned_or_unit(p));
    quote!((#(#types),*) -> (#bars))
}

/// The form of an order, the function itself at level 0.
pub(super) fn form(pieces: &Pieces<'_>, level: u32) -> TokenStream {
    let Pieces {
        generics,
        turbofish,
        captures,
        ..
    } = pieces;
    let clause = restoring(pieces, assumed(pieces));
    let vis = &pieces.function.item.vis;
    let count = 1 << level;
    let (given, dots, args) = (pieces.inputs(), dot_inputs(pieces, count), pieces.args());
    let tangents = (1..count).flat_map(|k| pieces.params().map(move |(name, _)| dotted(k, name)));
    let tangents: Vec<Ident> = tangents.collect();
    let (ret, tangent) = (pieces.result(), pieces.result_tangent());
    let results = (1..count).map(|_| &tangent);
    let values: Vec<Ident> = (0..count).map(|k| dotted(k, &value())).collect();
    let known = closure_inputs(pieces.function, &pieces.names, count);
    let known = known.iter().map(|(name, _)| name);
    let params = inputs(pieces, count);
    let params = params.iter().map(|(name, _)| name);
    let bar = |k: usize, name: &Ident| dotted(k, &prefixed("bar", name)).to_token_stream();
    let bound = (0..count).map(|k| {
        let owned = pieces.params().filter(|(_, p)| p.by == By::Value);
        let owned = owned.map(|(name, _)| bar(k, name));
        quote!((#(#owned,)*))
    });
    let bars = groups(pieces, count, |k, name, _| bar(k, name));
    let known: Vec<_> = known.collect();
    let returned = if pieces.function.params.iter().all(|p| p.by == By::Value) {
        quote!(back(#(#known),*))
    } else {
        quote!({
            let (#(#bound),*) = back(#(#known),*);
            (#bars)
        })
    };
    let (name, form) = (form_name(level, "even"), form_name(level, "fwd"));
    let pullback = pullback(pieces, count);
    quote! {
        #[doc(hidden)]
        #[inline]
        #vis fn #name #generics (#(#given,)* #(#dots),*) -> (#ret, #(#results,)* impl FnOnce #pullback + use<#captures>) #clause {
            let (#(#values,)* back) = Self::#form #turbofish (#(#args,)* #(#tangents),*);
            (#(#values,)* move |#(#params),*| #returned)
        }
    }
}

/// In place of an order that is lacking.
pub(super) fn stub(
    pieces: &Pieces<'_>,
    level: u32,
    clause: Option<&syn::WhereClause>,
) -> TokenStream {
    let generics = &pieces.generics;
    let vis = &pieces.function.item.vis;
    let count = 1 << level;
    let (given, dots) = (pieces.inputs(), dot_inputs(pieces, count));
    let (ret, tangent) = (pieces.result(), pieces.result_tangent());
    let results = (1..count).map(|_| &tangent);
    let name = form_name(level, "even");
    let pullback = pullback(pieces, count);
    let output = lacked(pieces.function, quote!((#ret, #(#results,)* fn #pullback)));
    quote! {
        #[doc(hidden)]
        #[inline]
        #vis fn #name #generics (#(#given,)* #(#dots),*) -> #output #clause {
            ::core::unreachable!()
        }
    }
}

fn value() -> Ident {
    Ident::new("value", Span::mixed_site())
}
