//! `jacobian_rows`: the Jacobian in the shape of the result, a gradient in place of each scalar.

use proc_macro2::TokenStream;
use quote::quote;

use super::jacobian::{Runs, repeated};
use super::own::call;
use super::refused::Refused;
use super::{NO_REVERSE, Pieces};
use crate::ir::Ty;
use crate::types;

/// The result with something in place of each scalar, as a type and as an expression.
struct Shape {
    ty: TokenStream,
    expr: TokenStream,
}

/// The shape of the part `value` of the result with a gradient in place of each scalar; `None` where the type has no place for gradients.
fn shape(
    written: &syn::Type,
    ty: &Ty,
    value: &TokenStream,
    gradient: &TokenStream,
) -> Option<Shape> {
    let of = |written: &syn::Type, ty: &Ty| shape(written, ty, &quote!(value), gradient);
    Some(match (written, ty) {
        (syn::Type::Paren(inner), _) => return shape(&inner.elem, ty, value, gradient),
        (syn::Type::Group(inner), _) => return shape(&inner.elem, ty, value, gradient),
        (_, Ty::Float(_)) => Shape {
            ty: gradient.clone(),
            expr: quote!(next()),
        },
        (_, Ty::Int | Ty::Bool | Ty::Inert) => Shape {
            ty: quote!(()),
            expr: quote!(()),
        },
        (syn::Type::Array(array), Ty::Array(elem, _)) => {
            let (Shape { ty, expr }, len) = (of(&array.elem, elem)?, &array.len);
            Shape {
                ty: quote!([#ty; #len]),
                expr: quote!((#value).each_ref().map(|value| #expr)),
            }
        }
        (_, Ty::Vec(elem)) => {
            let Shape { ty, expr } = of(types::argument_of(written)?, elem)?;
            Shape {
                ty: quote!(rt::Vec<#ty>),
                expr: quote!((#value).iter().map(|value| #expr).collect()),
            }
        }
        (_, Ty::Option(elem)) => {
            let Shape { ty, expr } = of(types::argument_of(written)?, elem)?;
            Shape {
                ty: quote!(::core::option::Option<#ty>),
                expr: quote!((#value).as_ref().map(|value| #expr)),
            }
        }
        (syn::Type::Tuple(tuple), Ty::Tuple(parts)) => {
            let parts: Option<Vec<Shape>> = tuple
                .elems
                .iter()
                .zip(parts)
                .enumerate()
                .map(|(k, (written, ty))| {
                    let k = syn::Index::from(k);
                    shape(written, ty, &quote!((&(#value).#k)), gradient)
                })
                .collect();
            let parts = parts?;
            let (types, exprs) = (parts.iter().map(|p| &p.ty), parts.iter().map(|p| &p.expr));
            Shape {
                ty: quote!((#(#types,)*)),
                expr: quote!((#(#exprs,)*)),
            }
        }
        _ => return None,
    })
}

pub(super) fn rows_api(pieces: &Pieces<'_>, refused: &Refused) -> TokenStream {
    let function = pieces.function;
    let (gradient, tangent) = (pieces.gradient(), pieces.result_tangent());
    let Some(Shape { ty, expr }) = function
        .ret
        .as_ref()
        .and_then(|ret| shape(ret, &function.ret_ty, &quote!(value), &gradient))
    else {
        return TokenStream::new();
    };
    if let Some(refusal) = &refused.reverse {
        return refusal.functions(pieces, NO_REVERSE, &[("jacobian_rows", 0, ty)]);
    }
    let (vis, generics, turbofish) = (&function.item.vis, &pieces.generics, &pieces.turbofish);
    let inputs = pieces.inputs();
    let (clause, body) = if matches!(function.ret_ty, Ty::Float(_)) {
        let args = pieces.args();
        (
            pieces.clause.clone(),
            quote!(Self::vjp #turbofish (#(#args,)* <#tangent as rt::Unit>::unit()).1),
        )
    } else {
        let Runs {
            start,
            first,
            again,
        } = Runs::new(pieces);
        let call = call(pieces, &first);
        let body = quote! {
            #start
            let value = &#call;
            let mut seed: #tangent = rt::zero_like(value);
            let mut row = 0;
            let mut next = || {
                let mut at = 0;
                rt::Tangent::for_each_scalar(&mut seed, &mut |x| { *x = if at == row { 1.0 } else { 0.0 }; at += 1; });
                row += 1;
                Self::vjp #turbofish (#(#again,)* rt::copy(&seed)).1
            };
            #expr
        };
        (repeated(pieces), body)
    };
    quote! {
        /// The Jacobian as the result with its gradient in place of each scalar: one reverse sweep per scalar.
        #[inline]
        #vis fn jacobian_rows #generics (#(#inputs),*) -> #ty #clause {
            #body
        }
    }
}
