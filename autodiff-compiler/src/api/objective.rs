//! The function as solvers take it: `f {}`, and `f::with(…)` with its constants bound.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use super::Pieces;
use super::jacobian::{repeated, scalar_of};
use super::own::call;
use super::refused::Refused;
use crate::function::By;
use crate::ir::{Ty, Width};
use crate::types;

/// What `f::with` and `f {}` are.
pub(super) struct Solvable {
    /// An associated function.
    pub(super) with: TokenStream,
    /// The trait, where nothing has to be bound.
    pub(super) item: TokenStream,
}

/// `curved` where it has second derivatives; `None` where the function has no derivative of one kind, more than one parameter that counts, or something that it writes to.
pub(super) fn solvable(pieces: &Pieces<'_>, refused: &Refused, curved: bool) -> Option<Solvable> {
    let function = pieces.function;
    let mut active = pieces.active().filter(|(_, p)| !p.out);
    let (point_name, p) = active.next()?;
    let alone = active.next().is_none() && function.callables().is_empty();
    // What is constant and changes would be another function each time.
    let reads = pieces.params().all(|(_, p)| p.by != By::Mut || p.active);
    // Refused, but with derivatives that stand in for those that are missing.
    let sig = &function.item.sig;
    let plain = sig.asyncness.is_none() && matches!(sig.safety, syn::Safety::Default);
    let point = &p.inner;
    // A point that borrows cannot be moved by an optimiser.
    if !alone || !reads || !plain || function.method.is_some() || borrows(point.to_token_stream()) {
        return None;
    }
    // Each run begins with copies of the memory that it is lent.
    let states = pieces.params().filter(|(_, p)| p.by == By::Mut);
    let states: Vec<&Ident> = states.map(|(name, _)| name).collect();
    let lent = states.iter().map(|name| {
        let of = if *name == point_name {
            quote!(#name)
        } else {
            quote!(&*#name)
        };
        quote! {
            let mut #name = rt::Start::of(#of);
            let #name = rt::Start::lend(&mut #name);
        }
    });
    let lent: TokenStream = lent.collect();
    let curved = curved && states.is_empty() && function.ret_ty.is_float();
    let several = match &function.ret_ty {
        _ if !states.is_empty() => true,
        Ty::Float(_) | Ty::User | Ty::Unknown => false,
        Ty::Array(..) | Ty::Slice(_) | Ty::Vec(_) | Ty::Tuple(_) => true,
        _ => return None,
    };
    if !several && refused.reverse.is_some() || states.is_empty() && function.ret_ty.is_inert() {
        return None;
    }
    let (vis, turbofish, generics) = (&function.item.vis, &pieces.turbofish, &pieces.generics);
    let lasting = types::unborrowed(point);
    let (ret, seeded) = (pieces.result(), pieces.seeded(None).turbofish);
    let args: Vec<TokenStream> = pieces
        .params()
        .map(|(name, p)| match (p.by, p.active) {
            (By::Value, true) => quote!(rt::copy(#name)),
            (By::Value, false) => quote!(rt::copy(&#name)),
            (By::Ref, _) => quote!(#name),
            (By::Mut, _) => quote!(&mut *#name),
        })
        .collect();
    let constants = pieces.params().filter(|(_, p)| !p.active || p.out);
    let constants: Vec<TokenStream> = constants
        .map(|(name, p)| {
            let ty = &p.passed;
            quote!(#name: #ty)
        })
        .collect();
    // Conditions that only rustc can look up; those that do not hold are no error where a lifetime stands in front.
    let mut clause = repeated(pieces);
    for leaf in leaves(point, &function.numeric) {
        let clause = clause.get_or_insert_with(|| syn::parse_quote!(where));
        let leaf = types::lasting(leaf);
        clause
            .predicates
            .push(syn::parse_quote!(for<'__point> #leaf: rt::Parameters));
    }
    if !function.ret_ty.is_understood() {
        let clause = clause.get_or_insert_with(|| syn::parse_quote!(where));
        clause
            .predicates
            .push(syn::parse_quote!(for<'__point> #ret: rt::Numeric));
    }
    let primal = call(pieces, &args);
    // Without a heap there are no Hessians.
    let mut without = None;
    let (bound, trait_name, doc) = if several {
        let jacobian = match scalar_of(function) {
            scalar if scalar == "f64" => quote!(matrix),
            _ => quote!(rt::wide(&matrix)),
        };
        let derived = if function.ret.is_none() {
            quote!(let (value, matrix) = ((), Self::jacobian #turbofish (#(#args),*));)
        } else {
            quote!(let (value, matrix) = Self::value_and_jacobian #turbofish (#(#args),*);)
        };
        // The result and the final states.
        let flat = |value: TokenStream| match states.as_slice() {
            [] => quote!(rt::flat(&#value)),
            states => quote!({
                let mut all = rt::flat(&#value);
                #(all.extend(rt::flat(&*#states));)*
                all
            }),
        };
        let (with_jacobian, alone) = (flat(quote!(value)), flat(primal));
        let bound = quote! {
            rt::residuals(move |#point_name: &#lasting, tangent: bool| {
                #lent
                if tangent {
                    #derived
                    (#with_jacobian, #jacobian)
                } else {
                    (#alone, rt::Matrix::zeros(0, 0))
                }
            })
        };
        (
            bound,
            "Residuals",
            "The function of its one differentiable parameter, with all others bound: what solvers take.",
        )
    } else {
        let value = match function.ret_ty {
            Ty::Float(Width::F64) => quote!(value),
            _ => quote!(rt::num::cast::<#ret, f64>(value)),
        };
        let bound = quote! {
            rt::objective(move |#point_name: &#lasting, tangent: bool| if tangent {
                let (value, gradient) = Self::value_and_grad #seeded (#(#args),*);
                (#value, rt::Some(gradient))
            } else {
                let value = #primal;
                (#value, rt::None)
            })
        };
        let bound = if curved {
            let hessian = match function.ret_ty {
                Ty::Float(Width::F64) => quote!(hessian),
                _ => quote!(rt::wide(&hessian)),
            };
            let first = bound;
            without = Some(first);
            quote! {
                rt::curved(move |#point_name: &#lasting, order: u32| match order {
                    0 => {
                        let value = #primal;
                        (#value, rt::None, rt::None)
                    }
                    1 => {
                        let (value, gradient) = Self::value_and_grad #seeded (#(#args),*);
                        (#value, rt::Some(gradient), rt::None)
                    }
                    _ => {
                        let (value, gradient, hessian) = Self::value_grad_hessian #seeded (#(#args),*);
                        (#value, rt::Some(gradient), rt::Some(#hessian))
                    }
                })
            }
        } else {
            bound
        };
        (
            bound,
            "Objective",
            "The function of its one differentiable parameter, with all others bound: what optimisers take.",
        )
    };
    // An edition in which it may hold on to every constant, whatever the user's is.
    let span = Span::mixed_site();
    let trait_name = Ident::new(trait_name, span);
    let output = quote_spanned!(span=> impl rt::#trait_name<Point = #lasting>);
    let function = |output: TokenStream, bound: TokenStream| {
        quote! {
            #[doc = #doc]
            #[inline]
            #vis fn with #generics (#(#constants),*) -> #output #clause { #bound }
        }
    };
    let with = match without {
        None => function(output, bound),
        Some(without) => {
            let without = function(output, without);
            let output = quote_spanned!(span=> impl rt::Hessian<Point = #lasting>);
            let with = function(output, bound);
            quote!(rt::with_alloc! { #with } rt::without_alloc! { #without })
        }
    };
    let item = if constants.is_empty() && turbofish.is_empty() {
        let name = pieces.function.type_name();
        let hessian = curved.then(|| {
            quote! {
                rt::with_alloc! {
                    impl rt::Hessian for #name #clause {
                        #[inline]
                        fn value_grad_hessian(&self, x: &#lasting) -> (f64, <#lasting as rt::Differentiable>::Tangent, rt::Matrix<f64>) {
                            rt::Hessian::value_grad_hessian(&Self::with(), x)
                        }
                    }
                }
            }
        });
        let methods = if several {
            quote! {
                #[inline]
                fn residuals(&self, x: &#lasting) -> rt::Vec<f64> { rt::Residuals::residuals(&Self::with(), x) }
                #[inline]
                fn residuals_and_jacobian(&self, x: &#lasting) -> (rt::Vec<f64>, rt::Matrix<f64>) {
                    rt::Residuals::residuals_and_jacobian(&Self::with(), x)
                }
            }
        } else {
            quote! {
                #[inline]
                fn value(&self, x: &#lasting) -> f64 { rt::Objective::value(&Self::with(), x) }
                #[inline]
                fn value_and_grad(&self, x: &#lasting) -> (f64, <#lasting as rt::Differentiable>::Tangent) {
                    rt::Objective::value_and_grad(&Self::with(), x)
                }
            }
        };
        quote!(impl rt::#trait_name for #name #clause { type Point = #lasting; #methods } #hessian)
    } else {
        TokenStream::new()
    };
    if several {
        let heap = |tokens| quote!(rt::with_alloc! { #tokens });
        return Some(Solvable {
            with: heap(with),
            item: heap(item),
        });
    }
    Some(Solvable { with, item })
}

/// The types in a point of which the macro does not know whether they can be moved.
fn leaves<'a>(ty: &'a syn::Type, numeric: &[Ident]) -> Vec<&'a syn::Type> {
    let ty = types::strip(ty);
    match (ty, types::read_in(ty, numeric)) {
        (syn::Type::Array(t), _) => leaves(&t.elem, numeric),
        (syn::Type::Slice(t), _) => leaves(&t.elem, numeric),
        (syn::Type::Tuple(t), _) => {
            let parts = t.elems.iter().flat_map(|t| leaves(t, numeric));
            parts.collect()
        }
        (_, Ty::Vec(_) | Ty::Option(_)) => {
            let inner = types::argument_of(ty);
            inner.into_iter().flat_map(|t| leaves(t, numeric)).collect()
        }
        (_, Ty::Float(Width::F32 | Width::F64) | Ty::Int | Ty::Bool | Ty::Inert) => Vec::new(),
        _ => vec![ty],
    }
}

/// Whether a type has a reference or a lifetime in it.
fn borrows(ty: TokenStream) -> bool {
    ty.into_iter().any(|token| match token {
        TokenTree::Punct(p) => matches!(p.as_char(), '&' | '\''),
        TokenTree::Group(group) => borrows(group.stream()),
        _ => false,
    })
}
