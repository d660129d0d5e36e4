//! The forms of a step of Newton's method to the solution of an equation, by a solver that is given products of the Jacobian.
//!
//! The value of the step is the solution `y` that it begins with, and its tangent `ẏ − A⁻¹ ṙ`, where `r` is what remains of the residual and `A` its Jacobian by `y`, a constant.
//! So `ȳ` is the seed, and `r̄` is `−A⁻ᵀ` times the seed; and the tangents of these cotangents are the same of the tangent of the seed.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::jacobian::scalar_of;
use super::refused::Refused;
use super::{
    Bodies, GradientBody, OrderBodies, Pieces, api, closure_params, dual_closure_params, prefixed,
};
use crate::function::{By, GradFn, Step};
use crate::second::{Several, dotted};
use crate::slopes::Steep;

/// The type beside a step.
pub(crate) fn step(function: &GradFn) -> TokenStream {
    let names = crate::function::param_names(function);
    let pieces = Pieces::new(function, names.clone());
    let (Some(step), [y, remains, ..]) = (&function.options.own.step, names.as_slice()) else {
        unreachable!("a step is one of a result and a residual");
    };
    let (turbofish, lent) = (&pieces.turbofish, lent(&pieces));
    let solved = |by: &str, of: &Ident| {
        let by = Ident::new(by, Span::mixed_site());
        quote!(Self::#by #turbofish (#(#lent,)* &#of))
    };
    let (of, scalar) = (&step.of, scalar_of(function));
    let verified = step.verify.then(|| {
        let along = Ident::new("along", Span::mixed_site());
        let step = solved("__ahead", &along);
        quote!(rt::implicit::assert_found::<#scalar, _>(#of, &#y, &#remains, |#along| #step);)
    });
    let [dot_y, dot_remains] = [y, remains].map(|name| prefixed("dot", name));
    let tangent = {
        let along = solved("__ahead", &dot_remains);
        quote!(let tangent = rt::implicit::less(#dot_y, &#along);)
    };
    let bars = |seed: &Ident| {
        let back = solved("__back", seed);
        let rest = given(&pieces).filter(|(_, (_, p))| p.by == By::Value);
        let rest = rest.map(|(k, (name, _))| {
            let zero = format_ident!("__zero_{k}");
            quote!(Self::#zero(&#name))
        });
        quote!((rt::copy(&#seed), rt::implicit::less(rt::zero_like(&#seed), &#back), #(#rest,)*))
    };
    let plain = bars(&format_ident!("seed"));
    let [first, second] = {
        let seed = Ident::new("seed", Span::mixed_site());
        [0, 1].map(|level| bars(&dotted(level, &seed)))
    };
    let closure = closure_params(function, &names);
    let dual_closure = dual_closure_params(function, &names, 2, Several::No);
    let tangent_type = pieces.result_tangent();
    let orders = (function.options.order > 1).then(|| OrderBodies {
        several: Several::No,
        vjp: None,
        wide: None,
        each: None,
        fwd: quote! {
            #verified
            #tangent
            let value = (rt::copy(&#y), tangent);
            let back = move |#dual_closure| { (#first, #second) };
        },
    });
    let bodies = Bodies {
        jvp: quote!(#verified #tangent (#y, tangent)),
        trace: None,
        vjp: Some(quote!(#verified let bars = #plain; (#y, bars))),
        fwd: quote! {
            #verified
            let value = rt::copy(&#y);
            let back = move |seed: #tangent_type #closure| { #plain };
        },
        program: false,
        gradient: GradientBody::Reverse,
        lanes: None,
        orders: orders.into_iter().collect(),
        recursive: false,
        steep: Steep::default(),
        overwrites: Vec::new(),
        leaving: None,
        deep: false,
        inspect: solvers(&pieces, step, y),
        refused: Refused::default(),
        hidden: true,
        stub: false,
    };
    api(function, names, &bodies)
}

/// The parameters of the function itself, with their places among those of the step.
fn given<'a>(
    pieces: &'a Pieces<'_>,
) -> impl Iterator<Item = (usize, (&'a Ident, &'a crate::function::ParamInfo))> {
    pieces.params().enumerate().skip(2)
}

/// The solution and the parameters, as what solves takes them.
fn lent(pieces: &Pieces<'_>) -> Vec<TokenStream> {
    let params = pieces.params().enumerate().filter(|(k, _)| *k != 1);
    let params = params.map(|(_, (name, p))| match p.by {
        By::Value => quote!(&#name),
        By::Ref | By::Mut => name.to_token_stream(),
    });
    params.collect()
}

/// `__ahead` and `__back`: the solutions for a right-hand side with the Jacobian of the residual and with its transpose, by what `solve` names.
fn solvers(pieces: &Pieces<'_>, step: &Step, y: &Ident) -> TokenStream {
    let Step {
        of,
        residual,
        solve,
        verify,
    } = step;
    let (generics, turbofish, clause) = (&pieces.generics, &pieces.turbofish, &pieces.clause);
    let (scalar, tangent) = (scalar_of(pieces.function), pieces.result_tangent());
    let inputs = pieces.params().enumerate().filter(|(k, _)| *k != 1);
    let inputs = inputs.map(|(_, (name, p))| {
        let ty = &p.passed;
        match p.by {
            By::Value => quote!(#name: &#ty),
            By::Ref | By::Mut => quote!(#name: #ty),
        }
    });
    let inputs: Vec<_> = inputs.collect();
    let again = given(pieces).map(|(_, (name, p))| match p.by {
        By::Value => quote!(rt::copy(#name)),
        By::Ref | By::Mut => name.to_token_stream(),
    });
    let again: Vec<_> = again.collect();
    let (zeros, along): (Vec<_>, Vec<_>) = given(pieces)
        .map(|(k, (name, p))| {
            let (made, zero) = (prefixed("zero", name), format_ident!("__zero_{k}"));
            let along = match p.by {
                By::Value => quote!(rt::copy(&#made)),
                By::Ref | By::Mut => quote!(&#made),
            };
            (quote!(let #made = Self::#zero(#name);), along)
        })
        .unzip();
    let alone = !given(pieces).any(|(_, (_, p))| p.active);
    let first = if alone {
        quote!(first)
    } else {
        quote!((first, ..))
    };
    quote! {
        fn __ahead #generics (#(#inputs,)* right: &#tangent) -> #tangent #clause {
            #(#zeros)*
            rt::implicit::solved::<#scalar, _>(
                #of, #verify, right,
                |along| #residual::__jvp #turbofish (rt::copy(#y), #(#again,)* along, #(#along),*).1,
                Self::__solve #turbofish,
            )
        }
        fn __back #generics (#(#inputs,)* right: &#tangent) -> #tangent #clause {
            rt::implicit::solved::<#scalar, _>(
                #of, #verify, right,
                |seed| {
                    let (_, #first) = #residual::vjp #turbofish (rt::copy(#y), #(#again,)* seed);
                    first
                },
                Self::__solve #turbofish,
            )
        }
        fn __solve #generics (product: &dyn ::core::ops::Fn(&[#scalar]) -> rt::Vec<#scalar>, right: &[#scalar]) -> rt::Vec<#scalar> #clause {
            #solve(&product, right)
        }
    }
}
