//! `hvp`, `hessian` and the hidden forms of higher order.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::tangents::{buffer, buffer_or_unit, elide, owned, owned_or_unit};
use super::{Bodies, Pieces, jacobian, prefixed};
use crate::attr::{By, GradFn, ParamInfo};
use crate::emit::form_name;
use crate::second::dotted;

/// The type of a tangent as hidden forms take it.
fn dot_type(p: &ParamInfo) -> TokenStream {
    match p.by {
        By::Value => owned_or_unit(p),
        By::Ref => {
            let ty = buffer_or_unit(p);
            quote!(&#ty)
        }
        By::Mut => {
            let ty = buffer_or_unit(p);
            quote!(&mut #ty)
        }
    }
}

/// What a pullback takes, with and without names; `count` is 2 to the number of directions.
fn closure_inputs(function: &GradFn, names: &[Ident], count: usize) -> Vec<(Ident, TokenStream)> {
    let tangent = function.ret.as_ref().map_or(quote!(()), owned);
    let borrowed: Vec<(&Ident, &ParamInfo)> = names
        .iter()
        .zip(&function.params)
        .filter(|(_, p)| p.by != By::Value)
        .collect();
    let seed = Ident::new("seed", proc_macro2::Span::mixed_site());
    let mut out: Vec<(Ident, TokenStream)> = Vec::new();
    out.extend((0..count).map(|k| (dotted(k, &seed), tangent.clone())));
    for k in 0..count {
        out.extend(borrowed.iter().map(|(name, p)| {
            let ty = if k == 0 {
                let ty = elide(&p.written);
                quote!(#ty)
            } else {
                dot_type(p)
            };
            (dotted(k, name), ty)
        }));
    }
    for k in 0..count {
        out.extend(borrowed.iter().map(|(name, p)| {
            let ty = buffer_or_unit(p);
            (dotted(k, &prefixed("d", name)), quote!(&mut #ty))
        }));
    }
    out
}

/// The parameters of a pullback with tangents: cotangents, references and shadows, each with their tangents behind them.
pub(crate) fn dual_closure_params(function: &GradFn, names: &[Ident], count: usize) -> TokenStream {
    let inputs = closure_inputs(function, names, count);
    let inputs = inputs.iter().map(|(name, ty)| quote!(#name: #ty));
    quote!(#(#inputs),*)
}

/// The tangents that come behind the arguments.
fn dot_inputs(pieces: &Pieces<'_>, count: usize) -> Vec<TokenStream> {
    let mut out = Vec::new();
    for k in 1..count {
        out.extend(pieces.params().map(|(name, p)| {
            let (dot, ty) = (dotted(k, name), dot_type(p));
            quote!(#dot: #ty)
        }));
    }
    out
}

/// The types of what the pullback returns.
fn bars(pieces: &Pieces<'_>, count: usize) -> TokenStream {
    let owned = pieces.params().filter(|(_, p)| p.by == By::Value);
    let owned: Vec<_> = owned.map(|(_, p)| owned_or_unit(p)).collect();
    let groups = (0..count).map(|_| quote!((#(#owned,)*)));
    quote!(#(#groups),*)
}

/// What a function that has no second derivatives has in their place, so that a call that asks for them has one error.
pub(super) fn second_stub(pieces: &Pieces<'_>) -> TokenStream {
    let Pieces {
        generics,
        clause,
        function,
        names,
        ..
    } = pieces;
    let vis = &function.item.vis;
    let (inputs, dots) = (pieces.inputs(), dot_inputs(pieces, 2));
    let (ret, tangent) = (pieces.result(), pieces.result_tangent());
    let types = closure_inputs(function, names, 2);
    let types = types.iter().map(|(_, ty)| ty);
    let (form, bars) = (form_name(1, "fwd"), bars(pieces, 2));
    quote! {
        #[doc(hidden)]
        #vis fn #form #generics (#(#inputs,)* #(#dots),*) -> (#ret, #tangent, fn(#(#types),*) -> (#bars)) #clause {
            ::core::unreachable!()
        }
    }
}

pub(super) fn second_api(pieces: &Pieces<'_>, bodies: &Bodies, public: bool) -> TokenStream {
    let Pieces {
        generics,
        captures,
        clause,
        function,
        names,
        ..
    } = pieces;
    let vis = &function.item.vis;
    let inputs = pieces.inputs();
    let (ret, tangent) = (pieces.result(), pieces.result_tangent());
    let mut out = TokenStream::new();
    for (level, body) in (1_u32..).zip(&bodies.orders) {
        let count = 1 << level;
        let dots = dot_inputs(pieces, count);
        let results = (1..count).map(|_| &tangent);
        let results = quote!(#ret, #(#results,)*);
        let types = closure_inputs(function, names, count);
        let bars = bars(pieces, count);
        if let Some(body) = &body.vjp {
            // The arguments are there already.
            let more = types.iter().filter(|(name, _)| {
                !pieces
                    .names
                    .iter()
                    .any(|param| (0..count).any(|k| dotted(k, param) == *name))
            });
            let more = more.map(|(name, ty)| quote!(#name: #ty));
            let form = form_name(level, "vjp");
            out.extend(quote! {
                #[doc(hidden)]
                #[inline]
                #vis fn #form #generics (#(#inputs,)* #(#dots,)* #(#more),*) -> (#results #bars) #clause { #body }
            });
        }
        let types = types.iter().map(|(_, ty)| ty);
        let pullback = quote!(FnOnce(#(#types),*) -> (#bars));
        let (output, back) = if bodies.recursive {
            (quote!(rt::Box<dyn #pullback>), quote!(rt::Box::new(back)))
        } else {
            (quote!(impl #pullback + use<#captures>), quote!(back))
        };
        let parts = (0..count).map(proc_macro2::Literal::usize_unsuffixed);
        let (form, body) = (form_name(level, "fwd"), &body.fwd);
        out.extend(quote! {
            #[doc(hidden)]
            #[inline]
            #vis fn #form #generics (#(#inputs,)* #(#dots),*) -> (#results #output) #clause { #body (#(value.#parts,)* #back) }
        });
    }
    if public {
        out.extend(hvp(pieces));
        let hessians = hessians(pieces);
        out.extend(quote!(rt::with_alloc! { #hessians }));
    }
    out
}

fn hvp(pieces: &Pieces<'_>) -> TokenStream {
    let Pieces {
        generics,
        turbofish,
        clause,
        function,
        ..
    } = pieces;
    let vis = &function.item.vis;
    let (inputs, args) = (pieces.inputs(), pieces.args());
    let (tangent, gradient) = (pieces.result_tangent(), pieces.gradient());
    let (mut names, mut types) = (Vec::new(), Vec::new());
    let (mut made, mut given) = (TokenStream::new(), Vec::new());
    let (mut bars, mut dot_bars) = (Vec::new(), Vec::new());
    let (mut shadows, mut dot_shadows) = (Vec::new(), Vec::new());
    let (mut entries, mut dot_entries) = (Vec::new(), Vec::new());
    for (k, (name, p)) in pieces.params().enumerate() {
        let zero = format_ident!("__zero_{k}");
        let dot = prefixed("dot", name);
        let shadow = prefixed("d", name);
        let dot_shadow = dotted(1, &shadow);
        if p.active {
            names.push(dot.clone());
            types.push(if p.by == By::Value {
                owned(&p.inner)
            } else {
                let ty = buffer(&p.inner);
                quote!(&#ty)
            });
            entries.push(shadow.clone());
            dot_entries.push(dot_shadow.clone());
        }
        let of = if p.by == By::Value {
            quote!(&#name)
        } else {
            quote!(&*#name)
        };
        if !p.active {
            made.extend(quote!(let mut #dot = Self::#zero(#of);));
        }
        given.push(match (p.active, p.by) {
            (true, _) | (false, By::Value) => quote!(#dot),
            (false, By::Ref) => quote!(&#dot),
            (false, By::Mut) => quote!(&mut #dot),
        });
        if p.by == By::Value {
            bars.push(shadow);
            dot_bars.push(dot_shadow);
        } else {
            made.extend(quote! {
                let mut #shadow = Self::#zero(#of);
                let mut #dot_shadow = Self::#zero(#of);
            });
            shadows.push(quote!(&mut #shadow));
            dot_shadows.push(quote!(&mut #dot_shadow));
        }
    }
    let one = |entries: &[Ident]| match entries {
        [one] => quote!(#one),
        all => quote!((#(#all),*)),
    };
    let (pattern, entries, dot_entries) = (one(&names), one(&entries), one(&dot_entries));
    let ty = match types.as_slice() {
        [one] => one.clone(),
        all => quote!((#(#all),*)),
    };
    let checks = pieces.checks(&|n| prefixed("dot", n), &|_| true);
    let form = form_name(1, "vjp");
    quote! {
        /// The gradient, and the Hessian times the given tangents.
        #[inline]
        #vis fn hvp #generics (#(#inputs,)* tangents: #ty) -> (#gradient, #gradient) #clause {
            let #pattern = tangents;
            #checks
            #made
            let seed = <#tangent as rt::Unit>::unit();
            let dot_seed = rt::zero_like(&seed);
            let (_, _, (#(#bars,)*), (#(#dot_bars,)*)) =
                Self::#form #turbofish (#(#args,)* #(#given,)* seed, dot_seed #(, #shadows)* #(, #dot_shadows)*);
            (#entries, #dot_entries)
        }
    }
}

fn hessians(pieces: &Pieces<'_>) -> TokenStream {
    let Pieces {
        generics,
        turbofish,
        function,
        ..
    } = pieces;
    let clause = jacobian::repeated(pieces);
    let vis = &function.item.vis;
    let (inputs, ret, gradient) = (pieces.inputs(), pieces.result(), pieces.gradient());
    let scalar = jacobian::scalar_of(function);
    let number = jacobian::number(function, &scalar);
    let jacobian::Directions {
        again,
        zeros,
        given,
        dots,
    } = jacobian::Directions::new(pieces);
    quote! {
        /// The Hessian: a row and a column per scalar of the differentiable parameters, in order.
        #vis fn hessian #generics (#(#inputs),*) -> rt::Matrix<#scalar> #clause {
            #zeros
            let columns = 0 #(+ rt::Tangent::scalar_count(&#dots))*;
            let mut matrix = rt::zeros::<#scalar>(columns, columns);
            for column in 0..columns {
                let mut at = 0;
                #(rt::Tangent::for_each_scalar(&mut #dots, &mut |x| { *x = if at == column { 1.0 } else { 0.0 }; at += 1; });)*
                let (_, mut curvature) = Self::hvp #turbofish (#(#again,)* #given);
                let mut row = 0;
                rt::Tangent::for_each_scalar(&mut curvature, &mut |x| { matrix[[row, column]] = #number; row += 1; });
            }
            matrix
        }

        /// The value, the gradient and the Hessian.
        #vis fn value_grad_hessian #generics (#(#inputs),*) -> (#ret, #gradient, rt::Matrix<#scalar>) #clause {
            let (value, gradient) = Self::value_and_grad #turbofish (#(#again),*);
            (value, gradient, Self::hessian #turbofish (#(#again),*))
        }
    }
}
