//! A type that is generic in its numbers, with variables of a tape in their place.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

use super::Input;
use super::fields::{self, Field};
use crate::types;
use crate::visit_mut::{self, VisitMut};

/// What is made of a field that a reference leads to.
type Each<'a> = &'a dyn Fn(&Field, TokenStream) -> TokenStream;

/// The implementations, if the type may hold anything that its parameters say: it borrows nothing, and asks nothing of them.
/// `made` is a value of the type again, from what is made of each of its fields.
pub(super) fn lifted(
    input: &Input,
    fields: &[&Field],
    made: &dyn Fn(Each<'_>) -> TokenStream,
) -> TokenStream {
    let generics = &input.item.generics;
    let params: Vec<Ident> = generics.type_params().map(|t| t.ident.clone()).collect();
    let asks = generics.type_params().any(|t| !t.bounds.is_empty())
        || generics.lifetimes().next().is_some()
        || generics
            .where_clause
            .as_ref()
            .is_some_and(|clause| !clause.predicates.is_empty());
    if params.is_empty() || asks || fields.iter().any(|f| fields::borrows(&f.ty)) {
        return TokenStream::new();
    }
    let rt = &input.rt;
    let lift = lift(input, fields, &params, made);
    let lower = lower(input, fields, &params, made);
    quote!(#rt::with_tape! { #lift #lower })
}

fn lift(
    input: &Input,
    fields: &[&Field],
    params: &[Ident],
    made: &dyn Fn(Each<'_>) -> TokenStream,
) -> TokenStream {
    let (rt, name) = (&input.rt, &input.item.ident);
    let float = float();
    let of = |t: &syn::Type, lifetime: &str| {
        let lifetime = syn::Lifetime::new(lifetime, Span::call_site());
        let each = |t: &Ident| quote!(<#t as #rt::dynamic::Lift<#float>>::Vars<#lifetime>);
        replaced(t, params, &each)
    };
    let bounds = fields.iter().filter_map(|f| {
        let ty = unboxed(&f.ty);
        if !mentions(ty, params) {
            return Some(still(rt, f, &float));
        }
        let vars = of(ty, "'__x");
        (!is_param(ty, params) && !input.holds(ty))
            .then(|| quote!(for<'__x> #ty: #rt::dynamic::Lift<#float, Vars<'__x> = #vars>))
    });
    let bounds: Vec<_> = bounds.collect();
    let mut generics = input.with_bound(&quote!(#rt::dynamic::Lift<#float>), |_| true);
    generics
        .params
        .push(syn::parse_quote!(#float: #rt::dynamic::Float));
    for bound in bounds {
        let clause = generics.make_where_clause();
        clause.predicates.push(syn::parse_quote!(#bound));
    }
    let (impls, _, clause) = generics.split_for_impl();
    let (_, names, _) = input.item.generics.split_for_impl();
    let vars = of(&syn::parse_quote!(#name #names), "'__t");
    let made = made(&|f, x| match (mentions(&f.ty, params), f.constant) {
        (false, _) => again(rt, f, &float, &x),
        (true, true) => quote!(#rt::dynamic::constants(#x)),
        (true, false) => boxed(
            rt,
            &f.ty,
            &x,
            &|x| quote!(#rt::dynamic::Lift::lift(#x, each)),
        ),
    });
    quote! {
        #[automatically_derived]
        impl #impls #rt::dynamic::Lift<#float> for #name #names #clause {
            type Vars<'__t> = #vars;
            #[inline]
            fn lift<'__t>(&self, each: &mut impl ::core::ops::FnMut(#float) -> #rt::Var<'__t, #float>) -> Self::Vars<'__t> {
                #made
            }
        }
    }
}

fn lower(
    input: &Input,
    fields: &[&Field],
    params: &[Ident],
    made: &dyn Fn(Each<'_>) -> TokenStream,
) -> TokenStream {
    let (rt, name) = (&input.rt, &input.item.ident);
    let float = float();
    let bound = quote!(#rt::dynamic::Lower<'__t, #float>);
    let each = |t: &Ident| quote!(<#t as #bound>::Value);
    let bounds = fields.iter().filter_map(|f| {
        let ty = unboxed(&f.ty);
        if !mentions(ty, params) {
            return Some(still(rt, f, &float));
        }
        let value = replaced(ty, params, &each);
        (!is_param(ty, params) && !input.holds(ty))
            .then(|| quote!(#ty: #rt::dynamic::Lower<'__t, #float, Value = #value>))
    });
    let bounds: Vec<_> = bounds.collect();
    let mut generics = input.with_bound(&bound, |_| true);
    generics.params.insert(0, syn::parse_quote!('__t));
    generics
        .params
        .push(syn::parse_quote!(#float: #rt::dynamic::Float));
    for bound in bounds {
        let clause = generics.make_where_clause();
        clause.predicates.push(syn::parse_quote!(#bound));
    }
    let (impls, _, clause) = generics.split_for_impl();
    let (_, names, _) = input.item.generics.split_for_impl();
    let value = replaced(&syn::parse_quote!(#name #names), params, &each);
    let made = made(&|f, x| match (mentions(&f.ty, params), f.constant) {
        (false, _) => again(rt, f, &float, &x),
        (true, true) => quote!(#rt::dynamic::values(#x)),
        (true, false) => boxed(
            rt,
            &f.ty,
            &x,
            &|x| quote!(#rt::dynamic::Lower::lower(#x, vars)),
        ),
    });
    quote! {
        #[automatically_derived]
        impl #impls #rt::dynamic::Lower<'__t, #float> for #name #names #clause {
            type Value = #value;
            #[inline]
            fn lower(&self, vars: &mut #rt::Vec<#rt::Var<'__t, #float>>) -> Self::Value {
                #made
            }
        }
    }
}

/// The type of the numbers.
fn float() -> Ident {
    Ident::new("__Float", Span::mixed_site())
}

/// What is asked of a field that stays what it is: a constant can be copied, anything else has no numbers in it.
fn still(rt: &TokenStream, f: &Field, float: &Ident) -> TokenStream {
    let ty = &f.ty;
    if f.constant {
        quote!(#ty: #rt::dynamic::Kept<#float>)
    } else {
        quote!(#ty: #rt::dynamic::Still<#float>)
    }
}

/// Such a field again.
fn again(rt: &TokenStream, f: &Field, float: &Ident, x: &TokenStream) -> TokenStream {
    if f.constant {
        quote!(#rt::dynamic::Kept::<#float>::kept(#x))
    } else {
        quote!(#rt::dynamic::Still::<#float>::still(#x))
    }
}

fn mentions(ty: &syn::Type, params: &[Ident]) -> bool {
    let tokens = ty.to_token_stream();
    params.iter().any(|t| types::mentions(&tokens, t))
}

/// The type of what is in a box, or in an option of one: the traits are not there for boxes, which may be numbers to rustc.
fn unboxed(ty: &syn::Type) -> &syn::Type {
    match holder(ty) {
        Some((_, inner)) => unboxed(inner),
        None => ty,
    }
}

/// What is made of a field, in boxes where it is in boxes.
fn boxed(
    rt: &TokenStream,
    ty: &syn::Type,
    x: &TokenStream,
    made: &dyn Fn(&TokenStream) -> TokenStream,
) -> TokenStream {
    match holder(ty) {
        Some((Holder::Box, inner)) => {
            let inner = boxed(rt, inner, &quote!(&**#x), made);
            quote!(#rt::Box::new(#inner))
        }
        Some((Holder::Option, inner)) => {
            let inner = boxed(rt, inner, &quote!(x), made);
            quote!((#x).as_ref().map(|x| #inner))
        }
        None => made(x),
    }
}

enum Holder {
    Box,
    Option,
}

/// A box, or an option of one, and what is in it.
fn holder(ty: &syn::Type) -> Option<(Holder, &syn::Type)> {
    let (name, inner) = (types::last(ty)?, types::argument_of(ty)?);
    if name.ident == "Box" {
        Some((Holder::Box, inner))
    } else if name.ident == "Option" && holder(inner).is_some() {
        Some((Holder::Option, inner))
    } else {
        None
    }
}

fn is_param(ty: &syn::Type, params: &[Ident]) -> bool {
    matches!(ty, syn::Type::Path(p) if params.iter().any(|t| p.path.is_ident(t)))
}

/// A type with another in place of each parameter.
fn replaced(ty: &syn::Type, params: &[Ident], each: &dyn Fn(&Ident) -> TokenStream) -> syn::Type {
    struct Replace<'a>(&'a [Ident], &'a dyn Fn(&Ident) -> TokenStream);
    impl VisitMut for Replace<'_> {
        fn visit_type_mut(&mut self, ty: &mut syn::Type) {
            match ty {
                syn::Type::Path(path) => match path.path.get_ident() {
                    Some(name) if self.0.contains(name) => {
                        let other = (self.1)(name);
                        *ty = syn::parse_quote!(#other);
                    }
                    _ => visit_mut::visit_type_mut(self, ty),
                },
                _ => visit_mut::visit_type_mut(self, ty),
            }
        }
    }
    let mut ty = ty.clone();
    Replace(params, each).visit_type_mut(&mut ty);
    ty
}
