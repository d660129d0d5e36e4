//! The hidden forms of functions that take functions.
//!
//! Where the function has `F: Fn(f64) -> f64`, its forms are given a function that returns value and derivative at once:
//! `F: Fn(f64, f64) -> (f64, f64)` in `__jvp`, and in `__fwd` `F: Fn(f64) -> (f64, B)` with the pullback `B: FnOnce(f64, &mut E) -> (f64,)`,
//! which adds the cotangents of what the function captured to `E`.
//! With tangents, each thing stands with those behind it: `F: Fn(f64, f64) -> (f64, f64, B)` with `B: FnOnce(f64, f64, &mut E, &mut E) -> ((f64,), (f64,))`.
//! A plain closure is none of these, so only other `#[grad]` functions can call these.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::reverse::restoring;
use super::second::{FwdForm, fwd_form, lacking, stub_body};
use super::tangents::{buffer_or_unit, owned_or_unit, view};
use super::{Bodies, Pieces, captured, zero_form};
use crate::callable;
use crate::function::By;

pub(super) fn forms(pieces: &Pieces<'_>, bodies: &Bodies, vis_hidden: &TokenStream) -> TokenStream {
    let function = pieces.function;
    let callables = function.callables();
    let generics = callable::without_bounds(&function.item.sig.generics, &callables);
    let clause = |more: Vec<TokenStream>| {
        let written = generics.where_clause.iter().flat_map(|c| &c.predicates);
        let bounds = function.hidden_bounds();
        quote!(where #(#written,)* #(#bounds,)* #(#more),*)
    };
    let params: Vec<_> = generics.params.iter().collect();
    let hidden: Vec<Ident> = callables.iter().flat_map(|c| c.hidden()).collect();
    let captures = captured(function, &generics).into_iter();
    let captures: Vec<TokenStream> = captures
        .chain(hidden.iter().map(ToTokens::to_token_stream))
        .collect();
    let lent = function.is_lent();
    let zeros = pieces
        .params()
        .enumerate()
        .filter(|_| !lent)
        .map(|(k, (_, p))| zero_form(k, p, function, vis_hidden));

    let (ret, tangent) = (pieces.result(), pieces.result_tangent());
    let inputs = pieces.inputs();
    let dots = pieces.names_of("dot");
    let dot_inputs = pieces
        .params()
        .zip(&dots)
        .filter(|((_, p), _)| p.callable.is_none())
        .map(|((_, p), dot)| match p.by {
            By::Value => {
                let ty = owned_or_unit(p);
                quote!(#dot: #ty)
            }
            By::Ref => {
                let ty = buffer_or_unit(p);
                quote!(#dot: &#ty)
            }
            By::Mut => {
                let ty = buffer_or_unit(p);
                quote!(#dot: &mut #ty)
            }
        });
    let forward = clause(callables.iter().map(|c| c.forward(&view)).collect());

    let restored = restoring(pieces, None);
    let restored = restored.iter().flat_map(|c| &c.predicates);
    let restored: Vec<_> = restored.map(ToTokens::to_token_stream).collect();
    let reverse_at = |count: usize| {
        let mut reverse = restored.clone();
        for callable in &callables {
            reverse.extend(callable.reverse(count, &view));
            if bodies.recursive {
                // What is boxed holds the pullbacks of the function.
                let (generic, [back, captures]) = (&callable.generic, callable.hidden());
                reverse.push(quote!(#generic: 'static));
                reverse.push(quote!(#back: 'static));
                reverse.push(quote!(#captures: 'static));
            }
        }
        clause(reverse)
    };
    let reverse = reverse_at(1);
    let again = pieces
        .params()
        .filter(|(_, p)| p.by != By::Value && p.callable.is_none())
        .map(|(_, p)| &p.again);
    let shadows = pieces
        .params()
        .filter(|(_, p)| p.by != By::Value)
        .map(|(_, p)| buffer_or_unit(p));
    let bars = pieces
        .params()
        .filter(|(_, p)| p.by == By::Value)
        .map(|(_, p)| owned_or_unit(p));
    let pullback = quote!(FnOnce(#tangent #(, #again)* #(, &mut #shadows)*) -> (#(#bars,)*));
    let (output, back) = if bodies.recursive {
        (quote!(rt::Box<dyn #pullback>), quote!(rt::Box::new(back)))
    } else {
        (quote!(impl #pullback + use<#(#captures),*>), quote!(back))
    };
    let (jvp, fwd) = (&bodies.jvp, &bodies.fwd);
    let rebind: TokenStream = pieces
        .params()
        .filter(|(_, p)| p.callable.as_ref().is_some_and(|c| c.kind == "FnMut"))
        .map(|(name, _)| quote!(let mut #name = #name;))
        .collect();
    let bodies_of_orders = bodies.orders.iter().map(|order| order.fwd.clone());
    // So that a call that asks for the order behind the last has one error.
    let mut bodies_of_orders: Vec<TokenStream> = bodies_of_orders.collect();
    let last = bodies_of_orders.iter().fold(1, |level, _| level + 1);
    bodies_of_orders.push(stub_body(pieces, last));
    let orders = (1_u32..).zip(&bodies_of_orders).map(|(level, body)| {
        let clause = reverse_at(1 << level);
        let lacking = (level == last && function.method.is_some()).then(|| lacking(level));
        let form = FwdForm {
            generics: quote!(<#(#params,)* #(#hidden),*>),
            clause: quote!(#clause, #lacking),
            captures: quote!(#(#captures),*),
            before: rebind.clone(),
        };
        fwd_form(pieces, level, bodies, body, form)
    });
    let orders: Vec<_> = orders.collect();
    let public = (!lent && !bodies.hidden).then(|| public(pieces));
    quote! {
        #(#zeros)*
        #vis_hidden fn __jvp<#(#params),*>(#(#inputs,)* #(#dot_inputs),*) -> (#ret, #tangent) #forward { #rebind #jvp }
        #vis_hidden fn __fwd<#(#params,)* #(#hidden),*>(#(#inputs),*) -> (#ret, #output) #reverse { #rebind #fwd (value, #back) }
        #(#orders)*
        #public
    }
}

/// Public functions that say why there are none.
fn public(pieces: &Pieces<'_>) -> TokenStream {
    let vis = &pieces.function.item.vis;
    let forms = [
        ("grad", 0),
        ("value_and_grad", 0),
        ("jvp", 1),
        ("vjp", 1),
        ("pullback", 0),
        ("jacobian", 0),
    ];
    forms
        .into_iter()
        .map(|(name, more)| {
            let name = format_ident!("{name}");
            let receiver = pieces.function.method.is_some_and(|m| m.receiver);
            let params = pieces.params().enumerate().map(|(k, (name, p))| {
                if receiver && k == 0 {
                    let ty = &p.written;
                    quote!(#name: #ty)
                } else if p.callable.is_some() {
                    quote!(#name: impl rt::WithDerivative)
                } else {
                    quote!(#name: impl ::core::marker::Sized)
                }
            });
            let more = (0..more).map(|_| quote!(last: impl ::core::marker::Sized));
            quote! {
                /// A function with a function as parameter has derivatives within other `#[grad]` functions only.
                #[inline]
                #vis fn #name(#(#params,)* #(#more)*) {}
            }
        })
        .collect()
}
