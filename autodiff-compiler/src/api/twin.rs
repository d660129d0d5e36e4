//! `#[grad(__twin)]`: a compiled function whose `vjp` runs the body on a tape as well, and compares: for tests.

use proc_macro2::TokenStream;
use quote::quote;

use super::copy_of;
use super::dynamic::sweeps;
use super::tangents::{buffer_or_unit, owned_or_unit};
use super::{Pieces, on_tape, prefixed};
use crate::dynamic;
use crate::errors::Errors;
use crate::function::{By, GradFn};

/// Whether there is a twin: one was asked for, and the function could be `#[grad(dynamic)]`.
pub(super) fn is_wanted(function: &GradFn) -> bool {
    let mut errors = Errors::default();
    dynamic::check(function, &mut errors);
    function.options.twin
        && !function.options.own.is_given()
        && function.method.is_none()
        && function.params.iter().all(|p| p.by != By::Mut)
        && function.item.sig.generics.params.is_empty()
        && errors.is_empty()
        && on_tape::float(function).is_some()
}

/// The `vjp` that compares; `made` and `shadows` are the buffers of what is passed by reference.
pub(super) fn twin(
    pieces: &Pieces<'_>,
    made: &TokenStream,
    shadows: &[TokenStream],
    (owned, entries): (&TokenStream, &TokenStream),
) -> TokenStream {
    let vis = &pieces.function.item.vis;
    let name = pieces.function.item.sig.ident.to_string();
    let (ret, tangent, gradient) = (pieces.result(), pieces.result_tangent(), pieces.gradient());
    let on_variables = dynamic::on_variables(pieces.function);
    let body = sweeps(pieces).vjp;
    let borrowed = pieces.params().filter(|(_, p)| p.by != By::Value);
    let shadow_inputs = borrowed.map(|(n, p)| {
        let (shadow, ty) = (prefixed("d", n), buffer_or_unit(p));
        quote!(#shadow: &mut #ty)
    });
    let bars = pieces.params().filter(|(_, p)| p.by == By::Value);
    let bars = bars.map(|(_, p)| owned_or_unit(p));
    let (inputs, args) = (pieces.inputs(), pieces.args());
    let copies = pieces.params().map(|(name, p)| match p.by {
        By::Value => copy_of(p, name),
        By::Ref | By::Mut => quote!(#name),
    });
    quote! {
        /// Reverse mode, twice.
        #[inline]
        #vis fn vjp(#(#inputs,)* seed: #tangent) -> (#ret, #gradient) {
            struct Twin {}
            impl Twin {
                #on_variables
                #[inline]
                fn __vjp(#(#inputs,)* seed: #tangent, #(#shadow_inputs),*) -> (#ret, (#(#bars,)*)) { #body }
            }
            let twin = {
                #made
                let (value, #owned) = Twin::__vjp(#(#copies,)* rt::copy(&seed) #(, #shadows)*);
                (value, #entries)
            };
            let compiled = Self::__compiled_vjp(#(#args,)* seed);
            rt::dynamic::compare(#name, &compiled, &twin);
            compiled
        }
    }
}
