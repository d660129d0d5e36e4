//! `jacobian` and its kin.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::own::call;
use super::refused::Refused;
use super::{NO_FORWARD, NO_REVERSE, Pieces, prefixed};
use crate::attr::{By, GradFn};
use crate::callable;
use crate::ir::Ty;
use crate::types;

/// What running forward mode along one direction after the other takes.
pub(super) struct Directions {
    /// The arguments, copied where they are owned.
    pub(super) again: Vec<TokenStream>,
    /// Makes the tangents.
    pub(super) zeros: TokenStream,
    /// The tangents as they are passed.
    pub(super) given: TokenStream,
    pub(super) dots: Vec<Ident>,
}

impl Directions {
    pub(super) fn new(pieces: &Pieces<'_>) -> Directions {
        // Calling a function again and again needs its owned arguments again and again.
        let again: Vec<TokenStream> = pieces
            .params()
            .map(|(n, p)| {
                if p.by == By::Value {
                    quote!(rt::copy(&#n))
                } else {
                    quote!(#n)
                }
            })
            .collect();
        let mut zeros = TokenStream::new();
        let mut tangents = Vec::new();
        let mut dots = Vec::new();
        for (k, (name, p)) in pieces.params().enumerate() {
            if !p.active {
                continue;
            }
            let dot = prefixed("dot", name);
            let zero = format_ident!("__zero_{k}");
            let of = if p.by == By::Value {
                quote!(&#name)
            } else {
                quote!(#name)
            };
            zeros.extend(quote!(let mut #dot = Self::#zero(#of);));
            tangents.push(match p.by {
                By::Value => quote!(rt::copy(&#dot)),
                By::Ref | By::Mut => quote!(&#dot),
            });
            dots.push(dot);
        }
        let given = match tangents.as_slice() {
            [one] => one.clone(),
            all => quote!((#(#all),*)),
        };
        Directions {
            again,
            zeros,
            given,
            dots,
        }
    }
}

/// The type parameters that are the types of constants, of which nobody has said that they can be cloned.
pub(super) fn constants_of_parameters<'a>(pieces: &Pieces<'a>) -> Vec<&'a Ident> {
    let function = pieces.function;
    let parameters = function.item.sig.generics.type_params();
    let constants = function
        .params
        .iter()
        .filter(|p| p.by == By::Value && !p.tangible);
    let constants: Vec<&syn::Type> = constants.map(|p| &p.inner).collect();
    parameters
        .map(|t| &t.ident)
        .filter(|name| constants.iter().any(|ty| callable::is_named(ty, name)))
        .collect()
}

/// The bounds of a function that calls the function again and again: constants that are passed by value are needed as often.
pub(super) fn repeated(pieces: &Pieces<'_>) -> Option<syn::WhereClause> {
    let mut clause = pieces.clause.clone();
    for name in constants_of_parameters(pieces) {
        let clause = clause.get_or_insert_with(|| syn::parse_quote!(where));
        clause
            .predicates
            .push(syn::parse_quote!(#name: ::core::clone::Clone));
    }
    // What does not hold of a type without parameters is no error where a lifetime stands in front.
    let constants = pieces.function.params.iter();
    let constants =
        constants.filter(|p| p.by == By::Value && !p.tangible && types::is_foreign(&p.inner));
    // A bound on one lifetime would be taken for that on another.
    let again: syn::Lifetime = syn::parse_quote!('__again);
    let constants = constants.map(|p| types::spelled_as(&p.passed, &again));
    for ty in constants.filter(|ty| !types::shows_lifetime(ty, &again)) {
        let clause = clause.get_or_insert_with(|| syn::parse_quote!(where));
        clause
            .predicates
            .push(syn::parse_quote!(for<'__again> #ty: ::core::clone::Clone));
    }
    clause
}

/// The scalar `x`, of a tangent, in the type of the matrix.
pub(super) fn number(function: &GradFn, scalar: &Ident) -> TokenStream {
    // A type parameter has no `as`.
    if function.numeric.contains(scalar) {
        quote!(rt::num::lit::<#scalar>(*x))
    } else {
        quote!(*x as #scalar)
    }
}

pub(super) fn jacobian_api(pieces: &Pieces<'_>, refused: &Refused) -> TokenStream {
    let Pieces {
        generics,
        turbofish,
        function,
        ..
    } = pieces;
    let vis = &function.item.vis;
    let clause = repeated(pieces);
    let inputs = pieces.inputs();
    let ret = pieces.result();
    let tangent = pieces.result_tangent();
    let scalar = scalar_of(function);
    let number = number(function, &scalar);
    let Directions {
        again,
        zeros,
        given,
        dots,
    } = Directions::new(pieces);
    // A number has one row: one reverse sweep. Otherwise the first column shows how many rows there are.
    let scalar_result = matches!(function.ret_ty, Ty::Float(_));
    let value_and_jacobian = if refused.forward.is_some() && !scalar_result {
        let call = call(pieces, &again);
        quote!((#call, Self::jacrev #turbofish (#(#again),*)))
    } else if refused.reverse.is_some() {
        let call = call(pieces, &again);
        quote!((#call, Self::jacfwd #turbofish (#(#again),*)))
    } else if scalar_result {
        quote! {
            let (value, mut gradient) = Self::vjp #turbofish (#(#again,)* <#tangent as rt::Unit>::unit());
            let columns = rt::Tangent::scalar_count(&gradient);
            let mut matrix = rt::zeros::<#scalar>(1, columns);
            let mut column = 0;
            rt::Tangent::for_each_scalar(&mut gradient, &mut |x| { matrix[[0, column]] = #number; column += 1; });
            (value, matrix)
        }
    } else {
        quote! {
            #zeros
            let columns = 0 #(+ rt::Tangent::scalar_count(&#dots))*;
            let mut at = 0;
            #(rt::Tangent::for_each_scalar(&mut #dots, &mut |x| { *x = if at == 0 { 1.0 } else { 0.0 }; at += 1; });)*
            let (value, mut tangent) = Self::jvp #turbofish (#(#again,)* #given);
            let rows = rt::Tangent::scalar_count(&tangent);
            // A reverse sweep costs about three forward ones.
            if columns > 3 * rows {
                return (value, Self::jacrev #turbofish (#(#again),*));
            }
            let mut matrix = rt::zeros::<#scalar>(rows, columns);
            for column in 0..columns {
                if column > 0 {
                    let mut at = 0;
                    #(rt::Tangent::for_each_scalar(&mut #dots, &mut |x| { *x = if at == column { 1.0 } else { 0.0 }; at += 1; });)*
                    tangent = Self::jvp #turbofish (#(#again,)* #given).1;
                }
                let mut row = 0;
                rt::Tangent::for_each_scalar(&mut tangent, &mut |x| { matrix[[row, column]] = #number; row += 1; });
            }
            (value, matrix)
        }
    };
    let jacrev = if scalar_result {
        quote!(Self::value_and_jacobian #turbofish (#(#again),*).1)
    } else {
        let shape = if refused.forward.is_some() {
            let call = call(pieces, &again);
            quote!(rt::zero_like(&#call))
        } else {
            quote!({ #zeros Self::jvp #turbofish (#(#again,)* #given).1 })
        };
        quote! {
            let columns = { #zeros 0 #(+ rt::Tangent::scalar_count(&#dots))* };
            let mut seed: #tangent = #shape;
            let rows = rt::Tangent::scalar_count(&seed);
            let mut matrix = rt::zeros::<#scalar>(rows, columns);
            for row in 0..rows {
                let mut at = 0;
                rt::Tangent::for_each_scalar(&mut seed, &mut |x| { *x = if at == row { 1.0 } else { 0.0 }; at += 1; });
                let (_, mut gradient) = Self::vjp #turbofish (#(#again,)* rt::copy(&seed));
                let mut column = 0;
                rt::Tangent::for_each_scalar(&mut gradient, &mut |x| { matrix[[row, column]] = #number; column += 1; });
            }
            matrix
        }
    };
    let matrix = quote!(rt::Matrix<#scalar>);
    let jacfwd = match &refused.forward {
        Some(refusal) => refusal.functions(pieces, NO_FORWARD, &[("jacfwd", 0, matrix.clone())]),
        None => quote! {
            /// The Jacobian in forward mode: one sweep per column.
            #[inline]
            #vis fn jacfwd #generics (#(#inputs),*) -> rt::Matrix<#scalar> #clause {
                #zeros
                let columns = 0 #(+ rt::Tangent::scalar_count(&#dots))*;
                let mut matrix = rt::zeros::<#scalar>(0, columns);
                for column in 0..columns {
                    let mut at = 0;
                    #(rt::Tangent::for_each_scalar(&mut #dots, &mut |x| { *x = if at == column { 1.0 } else { 0.0 }; at += 1; });)*
                    let (_, mut tangent) = Self::jvp #turbofish (#(#again,)* #given);
                    let rows = rt::Tangent::scalar_count(&tangent);
                    if column == 0 {
                        matrix = rt::zeros::<#scalar>(rows, columns);
                    }
                    let mut row = 0;
                    rt::Tangent::for_each_scalar(&mut tangent, &mut |x| { matrix[[row, column]] = #number; row += 1; });
                }
                matrix
            }
        },
    };
    let jacrev = match &refused.reverse {
        Some(refusal) => refusal.functions(pieces, NO_REVERSE, &[("jacrev", 0, matrix)]),
        None => quote! {
            /// The Jacobian in reverse mode: one sweep per row.
            #[inline]
            #vis fn jacrev #generics (#(#inputs),*) -> rt::Matrix<#scalar> #clause {
                #jacrev
            }
        },
    };
    quote! {
        /// The Jacobian, a row per scalar of the result and a column per scalar of the differentiable parameters, in order; by the cheaper mode.
        #[inline]
        #vis fn jacobian #generics (#(#inputs),*) -> rt::Matrix<#scalar> #clause {
            Self::value_and_jacobian #turbofish (#(#again),*).1
        }

        /// The value and the Jacobian.
        #[inline]
        #vis fn value_and_jacobian #generics (#(#inputs),*) -> (#ret, rt::Matrix<#scalar>) #clause {
            #value_and_jacobian
        }

        #jacfwd

        #jacrev

        /// Writes the Jacobian to `out`, row by row.
        ///
        /// # Panics
        /// If `out` does not have as many elements as the Jacobian.
        #[inline]
        #vis fn jacobian_into #generics (#(#inputs,)* out: &mut [#scalar]) #clause {
            let matrix = Self::jacobian #turbofish (#(#again),*);
            rt::check_length(rt::Whose::Argument("jacobian"), matrix.as_slice().len(), out.len());
            out.copy_from_slice(matrix.as_slice());
        }
    }
}

/// The gradient by one forward sweep per direction.
pub(super) fn columns(pieces: &Pieces<'_>) -> TokenStream {
    let Pieces {
        generics,
        turbofish,
        clause,
        ..
    } = pieces;
    let (inputs, ret, gradient) = (pieces.inputs(), pieces.result(), pieces.gradient());
    let Directions {
        again,
        zeros,
        given,
        dots,
    } = Directions::new(pieces);
    let gradients: Vec<Ident> = pieces.active().map(|(n, _)| prefixed("d", n)).collect();
    let made = pieces
        .params()
        .enumerate()
        .filter(|(_, (_, p))| p.active)
        .map(|(k, (name, p))| {
            let (shadow, zero) = (prefixed("d", name), format_ident!("__zero_{k}"));
            let of = if p.by == By::Value {
                quote!(&#name)
            } else {
                quote!(#name)
            };
            quote!(let mut #shadow = Self::#zero(#of);)
        });
    let entries = match gradients.as_slice() {
        [one] => quote!(#one),
        all => quote!((#(#all),*)),
    };
    let call = quote!(Self::jvp #turbofish (#(#again,)* #given));
    quote! {
        #[inline]
        fn __gradient #generics (#(#inputs),*) -> (#ret, #gradient) #clause {
            #(#made)*
            #zeros
            let mut value = rt::None;
            #(
                for k in 0..rt::Tangent::scalar_count(&#gradients) {
                    let mut at = 0;
                    rt::Tangent::for_each_scalar(&mut #dots, &mut |x| { *x = if at == k { 1.0 } else { 0.0 }; at += 1; });
                    let (again, partial) = #call;
                    value = rt::Some(again);
                    let mut at = 0;
                    rt::Tangent::for_each_scalar(&mut #gradients, &mut |x| { if at == k { *x = partial as f64; } at += 1; });
                }
                rt::Tangent::for_each_scalar(&mut #dots, &mut |x| *x = 0.0);
            )*
            let value = match value {
                rt::Some(value) => value,
                rt::None => #call.0,
            };
            (value, #entries)
        }
    }
}

/// The scalar type of the result: `f64` where both widths occur.
pub(super) fn scalar_of(function: &GradFn) -> Ident {
    fn widths(ty: &Ty, narrow: &mut bool, wide: &mut bool) {
        match ty {
            Ty::Float(crate::ir::Width::F32) => *narrow = true,
            Ty::Array(e, _) | Ty::Slice(e) | Ty::Vec(e) | Ty::Option(e) => {
                widths(e, narrow, wide);
            }
            Ty::Tuple(parts) => parts.iter().for_each(|p| widths(p, narrow, wide)),
            Ty::Int | Ty::Bool | Ty::Inert => {}
            _ => *wide = true,
        }
    }
    if function.ret_ty.is_generic() {
        let ret = function.ret.to_token_stream();
        let mut found = function.numeric.iter();
        if let Some(name) = found.find(|name| types::mentions(&ret, name)) {
            return name.clone();
        }
    }
    let (mut narrow, mut wide) = (false, false);
    widths(&function.ret_ty, &mut narrow, &mut wide);
    Ident::new(
        if narrow && !wide { "f32" } else { "f64" },
        Span::mixed_site(),
    )
}
