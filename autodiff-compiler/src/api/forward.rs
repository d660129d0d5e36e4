//! `jvp`

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::tangents::{buffer, exclusive, owned};
use super::{Pieces, prefixed};
use crate::attr::By;
use crate::types;

pub(super) fn jvp_api(pieces: &Pieces<'_>, dots: &[Ident]) -> TokenStream {
    let Pieces {
        generics,
        turbofish,
        clause,
        function,
        ..
    } = pieces;
    let vis = &function.item.vis;
    let (inputs, args) = (pieces.inputs(), pieces.args());
    let (ret, tangent) = (pieces.result(), pieces.result_tangent());
    let (pattern, ty) = tangents(pieces);
    let checks = pieces.checks(&|n| prefixed("dot", n), &|_| true);
    // Constant parameters get the zero tangent, and so does what is only written.
    let mut zeros = clear_outs(pieces, "dot");
    let mut given = Vec::new();
    for (k, ((name, p), dot)) in pieces.params().zip(dots).enumerate() {
        if !p.active {
            let zero = format_ident!("__zero_{k}");
            let of = if p.by == By::Value {
                quote!(&#name)
            } else {
                quote!(&*#name)
            };
            zeros.extend(quote!(let mut #dot = Self::#zero(#of);));
        }
        given.push(match (p.active, p.by) {
            (true, By::Mut) => quote!(&mut *#dot),
            (true, _) | (false, By::Value) => quote!(#dot),
            (false, By::Ref) => quote!(&#dot),
            (false, By::Mut) => quote!(&mut #dot),
        });
    }
    let (output, value) = if function.ret.is_none() {
        (quote!(()), quote!(;))
    } else {
        (quote!((#ret, #tangent)), quote!())
    };
    quote! {
        /// Forward mode: the value, and the derivative along the given tangents.
        #[inline]
        #vis fn jvp #generics (#(#inputs,)* tangents: #ty) -> #output #clause {
            let #pattern = tangents;
            #checks
            #zeros
            Self::__jvp #turbofish (#(#args,)* #(#given),*) #value
        }
    }
}

/// Sets the tangents or cotangents of what is only written to zero.
pub(super) fn clear_outs(pieces: &Pieces<'_>, prefix: &str) -> TokenStream {
    let params = pieces.params().enumerate();
    let outs = params.filter(|(_, (_, p))| p.out && p.active);
    outs.map(|(k, (name, p))| {
        let (given, zero) = (prefixed(prefix, name), format_ident!("__zero_{k}"));
        if matches!(types::strip(&p.inner), syn::Type::Slice(_)) {
            quote!(rt::set_zero(&mut *#given);)
        } else {
            quote!(*#given = Self::#zero(&*#name);)
        }
    })
    .collect()
}

/// The argument `tangents`: its names as a pattern, and its type.
pub(super) fn tangents(pieces: &Pieces<'_>) -> (TokenStream, TokenStream) {
    let entries: Vec<(Ident, TokenStream)> = pieces
        .params()
        .filter(|(_, p)| p.active)
        .map(|(name, p)| {
            let ty = match p.by {
                By::Value => owned(&p.inner),
                By::Ref => {
                    let ty = buffer(&p.inner);
                    quote!(&#ty)
                }
                By::Mut => {
                    let ty = exclusive(p);
                    quote!(&mut #ty)
                }
            };
            (prefixed("dot", name), ty)
        })
        .collect();
    let (names, types): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
    match (names.as_slice(), types.as_slice()) {
        ([n], [t]) => (quote!(#n), quote!(#t)),
        _ => (quote!((#(#names),*)), quote!((#(#types),*))),
    }
}
