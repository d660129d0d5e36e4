//! The function as solvers take it: `f {}`, and `f::with(…)` with its constants bound.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use super::Pieces;
use super::copy_of;
use super::jacobian::scalar_of;
use super::own::call;
use super::refused::Refused;
use super::states::several_runs;
use crate::forms::FAILURE;
use crate::function::{By, GradFn, param_names};
use crate::ir::{Ty, Width};
use crate::types;

/// What `f::with` and `f {}` are.
pub(crate) struct Solvable {
    /// An associated function.
    pub(crate) with: TokenStream,
    /// The trait, where nothing has to be bound.
    pub(crate) item: TokenStream,
}

/// A fallible function as the user wrote it.
#[derive(Clone, Copy)]
pub(crate) struct Fallible<'a> {
    /// The name of its type.
    pub(crate) name: &'a Ident,
    pub(crate) function: &'a Ident,
    /// What it returns.
    pub(crate) ret: &'a syn::Type,
}

/// How a function says that it has no value.
enum Fails<'a> {
    Never,
    ByError(Fallible<'a>),
    ByNone,
}

impl Fails<'_> {
    /// The type of what is returned in place of a value.
    fn error(&self) -> TokenStream {
        match self {
            Fails::Never => quote!(::core::convert::Infallible),
            Fails::ByError(Fallible { ret, .. }) => {
                quote!(<#ret as rt::fallible::Fallible>::Error)
            }
            Fails::ByNone => quote!(()),
        }
    }

    /// The value that an expression gives; where it gives none, what stands around returns the error.
    fn value_of(&self, computed: &TokenStream) -> TokenStream {
        match self {
            Fails::Never => computed.clone(),
            Fails::ByError(_) => quote!(#computed?),
            Fails::ByNone => quote!(#computed.ok_or(())?),
        }
    }

    /// What is returned where there is a value.
    fn success(&self, value: TokenStream) -> TokenStream {
        match self {
            Fails::Never => value,
            _ => quote!(::core::result::Result::Ok(#value)),
        }
    }

    /// The type of what is returned.
    fn output(&self, value: TokenStream) -> TokenStream {
        match self {
            Fails::Never => value,
            _ => {
                let error = self.error();
                quote!(::core::result::Result<#value, #error>)
            }
        }
    }

    /// The name of a trait or function of the runtime; `prefix` stands before it where the function may fail.
    ///
    /// It is of an edition in which what is returned may hold on to every constant, whatever the user's is.
    fn named(&self, prefix: &str, name: &str) -> Ident {
        match self {
            Fails::Never => Ident::new(name, Span::mixed_site()),
            _ => format_ident!("{prefix}{name}", span = Span::mixed_site()),
        }
    }
}

/// `curved` where it has second derivatives; `None` where the function has no derivative of one kind, more than one parameter that counts, or something that it writes to.
pub(super) fn solvable(pieces: &Pieces<'_>, refused: &Refused, curved: bool) -> Option<Solvable> {
    if pieces.function.method.is_some() {
        return None;
    }
    let lends = pieces.params().any(|(_, p)| p.by == By::Mut);
    let fails = match &pieces.function.ret_ty {
        Ty::Option(value) if !lends && value.is_numbers() => Fails::ByNone,
        _ => Fails::Never,
    };
    bound(pieces, refused, curved, &fails)
}

/// The same of a fallible function, from the one that computes its value.
pub(crate) fn solvable_fallible(function: &GradFn, of: Fallible<'_>) -> Option<Solvable> {
    let pieces = Pieces::new(function, param_names(function));
    // An error may borrow what is bound, but not the point, which solvers move.
    let mut points = pieces.active().filter(|(_, p)| !p.out);
    let point = points.next()?.1.passed.to_token_stream();
    let error = of.ret.to_token_stream();
    let mut lifetimes = function.item.sig.generics.lifetimes();
    let shared = |l: &syn::LifetimeParam| {
        let name = &l.lifetime.ident;
        types::mentions(&point, name) && types::mentions(&error, name)
    };
    if lifetimes.any(shared) {
        return None;
    }
    bound(&pieces, &Refused::default(), false, &Fails::ByError(of))
}

fn bound(
    pieces: &Pieces<'_>,
    refused: &Refused,
    curved: bool,
    fails: &Fails<'_>,
) -> Option<Solvable> {
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
    if !alone || !reads || !plain || borrows(point.to_token_stream()) {
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
    let (result, ret) = match (fails, &function.ret_ty, &function.ret) {
        (Fails::ByNone, Ty::Option(inner), Some(ret)) => (
            &**inner,
            types::argument_of(ret).map_or(quote!(()), ToTokens::to_token_stream),
        ),
        _ => (&function.ret_ty, pieces.result()),
    };
    let curved = curved && states.is_empty() && result.is_float() && matches!(fails, Fails::Never);
    let several = match result {
        _ if !states.is_empty() => true,
        Ty::Float(_) | Ty::User | Ty::Unknown => false,
        Ty::Array(..) | Ty::Slice(_) | Ty::Vec(_) | Ty::Tuple(_) => true,
        _ => return None,
    };
    if !several && refused.reverse.is_some() || states.is_empty() && result.is_inert() {
        return None;
    }
    let (vis, turbofish, generics) = (&function.item.vis, &pieces.turbofish, &pieces.generics);
    let lasting = types::unborrowed(point);
    let seeded = pieces.seeded(None).turbofish;
    // The error has a way of its own.
    let given = || pieces.params().filter(|(name, _)| *name != FAILURE);
    let args: Vec<TokenStream> = given()
        .map(|(name, p)| match (p.by, p.active) {
            (By::Value, true) => copy_of(p, quote!(*#name)),
            (By::Value, false) => copy_of(p, name),
            (By::Ref, _) => quote!(#name),
            (By::Mut, _) => quote!(&mut *#name),
        })
        .collect();
    let constants = given().filter(|(_, p)| !p.active || p.out);
    let constants: Vec<TokenStream> = constants
        .map(|(name, p)| {
            let ty = &p.passed;
            quote!(#name: #ty)
        })
        .collect();
    // Conditions that only rustc can look up; those that do not hold are no error where a lifetime stands in front.
    let mut clause = several_runs(pieces);
    for leaf in leaves(point, &function.numeric) {
        let clause = clause.get_or_insert_with(|| syn::parse_quote!(where));
        let leaf = types::lasting(leaf);
        clause
            .predicates
            .push(syn::parse_quote!(for<'__point> #leaf: rt::Parameters));
    }
    if !result.is_understood() {
        let clause = clause.get_or_insert_with(|| syn::parse_quote!(where));
        clause
            .predicates
            .push(syn::parse_quote!(for<'__point> #ret: rt::Numeric));
    }
    let primal = match fails {
        Fails::ByError(of) => {
            let user = of.function;
            quote!(#user #turbofish (#(#args),*))
        }
        _ => call(pieces, &args),
    };
    let primal = fails.value_of(&primal);
    let both = fails.value_of(&quote!(Self::value_and_grad #seeded (#(#args),*)));
    // The types that rustc would have to look for.
    let types = match fails {
        Fails::Never => None,
        _ => {
            let error = fails.error();
            Some(quote!(::<_, #error, _>))
        }
    };
    // Without a heap there are no Hessians.
    let mut without = None;
    let (bound, trait_name, doc) = if several {
        let jacobian = match scalar_of(function) {
            scalar if scalar == "f64" => quote!(matrix),
            _ => quote!(rt::wide(&matrix)),
        };
        let derived = match (function.ret.is_none(), fails) {
            (true, _) => {
                let matrix = fails.value_of(&quote!(Self::jacobian #turbofish (#(#args),*)));
                quote!(let (value, matrix) = ((), #matrix);)
            }
            _ => {
                let both =
                    fails.value_of(&quote!(Self::value_and_jacobian #turbofish (#(#args),*)));
                quote!(let (value, matrix) = #both;)
            }
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
        let with_jacobian = fails.success(quote!((#with_jacobian, #jacobian)));
        let alone = fails.success(quote!((#alone, rt::Matrix::zeros(0, 0))));
        let made = fails.named("fallible_", "residuals");
        let bound = quote! {
            rt::#made #types (move |#point_name: &#lasting, tangent: bool| {
                #lent
                if tangent {
                    #derived
                    #with_jacobian
                } else {
                    #alone
                }
            })
        };
        (
            bound,
            "Residuals",
            "The function of its one differentiable parameter, with all others bound: what solvers take.",
        )
    } else {
        let value = match result {
            Ty::Float(Width::F64) => quote!(value),
            _ => quote!(rt::num::cast::<#ret, f64>(value)),
        };
        let with_gradient = fails.success(quote!((#value, rt::Some(gradient))));
        let alone = fails.success(quote!((#value, rt::None)));
        let made = fails.named("fallible_", "objective");
        let bound = quote! {
            rt::#made #types (move |#point_name: &#lasting, tangent: bool| if tangent {
                let (value, gradient) = #both;
                #with_gradient
            } else {
                let value = #primal;
                #alone
            })
        };
        let bound = if curved {
            let hessian = match result {
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
    let trait_name = fails.named("Fallible", trait_name);
    let error = match fails {
        Fails::Never => None,
        _ => {
            let error = fails.error();
            Some(quote!(Error = #error))
        }
    };
    let output = quote_spanned!(span=> impl rt::#trait_name<Point = #lasting, #error>);
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
        let name = match fails {
            Fails::ByError(of) => of.name.clone(),
            _ => pieces.function.type_name(),
        };
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
            [
                ("residuals", quote!(rt::Vec<f64>)),
                (
                    "residuals_and_jacobian",
                    quote!((rt::Vec<f64>, rt::Matrix<f64>)),
                ),
            ]
        } else {
            let gradient = quote!(<#lasting as rt::Differentiable>::Tangent);
            [
                ("value", quote!(f64)),
                ("value_and_grad", quote!((f64, #gradient))),
            ]
        };
        let methods = methods.map(|(method, value)| {
            let (method, output) = (fails.named("try_", method), fails.output(value));
            quote! {
                #[inline]
                fn #method(&self, x: &#lasting) -> #output { rt::#trait_name::#method(&Self::with(), x) }
            }
        });
        let error = error.map(|error| quote!(type #error;));
        quote!(impl rt::#trait_name for #name #clause { type Point = #lasting; #error #(#methods)* } #hessian)
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
