//! Parameters that are functions: `f: F` with `F: Fn(f64) -> f64`, `f: impl Fn(f64) -> f64`, `f: &dyn Fn(f64) -> f64`, `f: fn(f64) -> f64`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use crate::types::{self, is_named, predicates};

/// A function parameter that is differentiated through: the generated forms call it for value and derivative at once.
#[derive(Clone)]
pub(crate) struct Callable {
    /// Its type parameter; made up for `impl Fn`.
    pub(crate) generic: Ident,
    /// `Fn`, `FnMut` or `FnOnce`.
    pub(crate) kind: Ident,
    pub(crate) inputs: Vec<syn::Type>,
    pub(crate) output: syn::Type,
}

/// What a parameter of this type is.
pub(crate) enum Kind {
    /// No function.
    Other,
    /// A function whose results have no derivative.
    Constant,
    Callable(Box<Callable>),
}

/// Looks at the type of parameter `k`.
pub(crate) fn read(k: usize, ty: &syn::Type, generics: &syn::Generics) -> Kind {
    match types::strip(ty) {
        syn::Type::ImplTrait(t) => {
            let made_up = format_ident!("__F{k}", span = Span::mixed_site());
            find(&made_up, t.bounds.iter())
        }
        // Whatever implements the trait may stand in for it; one in a box is owned.
        syn::Type::TraitObject(t) => {
            let made_up = format_ident!("__F{k}", span = Span::mixed_site());
            find(&made_up, t.bounds.iter())
        }
        syn::Type::FnPtr(t) if t.unsafety.is_none() && t.abi.is_none() => {
            let made_up = format_ident!("__F{k}", span = Span::mixed_site());
            let inputs = t.inputs.iter().map(|arg| arg.ty.clone()).collect();
            let kind = Ident::new("Fn", Span::call_site());
            function(&made_up, kind, inputs, &t.output)
        }
        syn::Type::Path(path) if path.qself.is_none() => {
            let Some(name) = path.path.get_ident() else {
                return Kind::Other;
            };
            let Some(param) = generics.type_params().find(|p| p.ident == *name) else {
                return Kind::Other;
            };
            let bounds = param.bounds.iter().chain(predicates(generics, name));
            find(name, bounds)
        }
        _ => Kind::Other,
    }
}

fn find<'a>(generic: &Ident, bounds: impl Iterator<Item = &'a syn::TypeParamBound>) -> Kind {
    for bound in bounds {
        let syn::TypeParamBound::Trait(bound) = bound else {
            continue;
        };
        let Some(last) = bound.path.segments.last() else {
            continue;
        };
        let syn::PathArguments::Parenthesized(args) = &last.arguments else {
            continue;
        };
        let inputs = args.inputs.iter().map(|arg| arg.ty.clone()).collect();
        return function(generic, last.ident.clone(), inputs, &args.output);
    }
    Kind::Other
}

fn function(
    generic: &Ident,
    kind: Ident,
    inputs: Vec<syn::Type>,
    output: &syn::ReturnType,
) -> Kind {
    match output {
        syn::ReturnType::Type(_, output) if !types::read(output).is_inert() => {
            Kind::Callable(Box::new(Callable {
                generic: generic.clone(),
                kind,
                inputs,
                output: (**output).clone(),
            }))
        }
        _ => Kind::Constant,
    }
}

/// The generic parameters of a function without the bounds of its function parameters, which generated forms replace.
pub(crate) fn without_bounds(generics: &syn::Generics, callables: &[&Callable]) -> syn::Generics {
    let mut generics = generics.clone();
    for callable in callables {
        let name = &callable.generic;
        let declared = generics.type_params_mut().find(|p| p.ident == *name);
        match declared {
            Some(param) => {
                param.colon_token = None;
                param.bounds.clear();
            }
            None => generics.params.push(syn::parse_quote!(#name)),
        }
        if let Some(clause) = &mut generics.where_clause {
            let others = std::mem::take(&mut clause.predicates).into_iter().filter(|predicate| {
                !matches!(predicate, syn::WherePredicate::Type(p) if is_named(&p.bounded_ty, name))
            });
            clause.predicates = others.collect();
        }
    }
    generics
}

impl Callable {
    /// The types of its pullback and of the cotangents of what it captures.
    pub(crate) fn hidden(&self) -> [Ident; 2] {
        ["B", "E"]
            .map(|letter| format_ident!("__{letter}_{}", self.generic, span = Span::mixed_site()))
    }

    /// The types of the tangents of its inputs.
    fn dots(&self, tangent: &dyn Fn(&syn::Type) -> TokenStream) -> Vec<TokenStream> {
        let dots = self.inputs.iter().map(|ty| match ty {
            syn::Type::Reference(r) => {
                let (mutability, inner) = (&r.mutability, lent(r, tangent));
                quote!(&#mutability #inner)
            }
            ty => tangent(ty),
        });
        dots.collect()
    }

    /// `F: Fn(x, ẋ) -> (y, ẏ)`
    pub(crate) fn forward(&self, tangent: &dyn Fn(&syn::Type) -> TokenStream) -> TokenStream {
        let Callable {
            generic,
            kind,
            inputs,
            output,
        } = self;
        let tangents = self.dots(tangent);
        let output_tangent = tangent(output);
        quote!(#generic: ::core::ops::#kind(#(#inputs,)* #(#tangents),*) -> (#output, #output_tangent) + ::core::clone::Clone)
    }

    /// `F: Fn(x) -> (y, B)`, `B: FnOnce(ȳ, references again, their shadows, captures) -> (x̄,)`.
    ///
    /// With tangents, each thing stands with those behind it: `count` is 2 to the number of directions.
    pub(crate) fn reverse(
        &self,
        count: usize,
        tangent: &dyn Fn(&syn::Type) -> TokenStream,
    ) -> [TokenStream; 2] {
        let Callable {
            generic,
            kind,
            inputs,
            output,
        } = self;
        let [back, captures] = self.hidden();
        let references = || {
            inputs.iter().filter_map(|ty| match ty {
                syn::Type::Reference(r) => Some(r),
                _ => None,
            })
        };
        let dots = self.dots(tangent);
        let again = references().map(ToTokens::to_token_stream);
        let dots_again = dots
            .iter()
            .zip(inputs)
            .filter(|(_, ty)| matches!(ty, syn::Type::Reference(_)))
            .map(|(dot, _)| dot.clone());
        let dots_again: Vec<TokenStream> = dots_again.collect();
        let again = again.chain((1..count).flat_map(|_| dots_again.clone()));
        let dots = (1..count).flat_map(|_| &dots);
        let shadows: Vec<TokenStream> = references()
            .map(|r| {
                let inner = lent(r, tangent);
                quote!(&mut #inner)
            })
            .chain([quote!(&mut #captures)])
            .collect();
        let shadows = (0..count).flat_map(|_| &shadows);
        let bars: Vec<TokenStream> = inputs
            .iter()
            .filter(|ty| !matches!(ty, syn::Type::Reference(_)))
            .map(tangent)
            .collect();
        let bars = groups(&vec![bars; count]);
        let seed = tangent(output);
        let (seeds, tangents) = ((0..count).map(|_| &seed), (1..count).map(|_| &seed));
        [
            quote!(#generic: ::core::ops::#kind(#(#inputs,)* #(#dots),*) -> (#output, #(#tangents,)* #back) + ::core::clone::Clone),
            quote!(#back: ::core::ops::FnOnce(#(#seeds),* #(, #again)* #(, #shadows)*) -> #bars),
        ]
    }
}

/// The tangent behind a reference: that of a vector is a slice, unless its length may change.
fn lent(r: &syn::TypeReference, tangent: &dyn Fn(&syn::Type) -> TokenStream) -> TokenStream {
    let vector = types::last(types::strip_groups(&r.elem)).filter(|last| last.ident == "Vec");
    match vector.and_then(types::argument) {
        Some(element) if r.mutability.is_none() => {
            let element = tangent(element);
            quote!([#element])
        }
        _ => tangent(&r.elem),
    }
}

/// What a pullback returns: a tuple, or with tangents a tuple of tuples.
pub(crate) fn groups(groups: &[Vec<TokenStream>]) -> TokenStream {
    match groups {
        [one] => quote!((#(#one,)*)),
        all => {
            let all = all.iter().map(|group| quote!((#(#group,)*)));
            quote!((#(#all),*))
        }
    }
}
