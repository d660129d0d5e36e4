//! Parameters of dynamic functions that are functions themselves: of variables, where the function is one of variables.
//!
//! Nothing but a call among variables knows such an argument, so there is that form alone.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident};
use syn::punctuated::Punctuated;

use super::variables::Variables;
use crate::function::GradFn;
use crate::types;
use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{self, EnterMut as _, VisitMut};

/// Whether a function of floats stands in the type of a parameter.
pub(crate) fn is_function(ty: &syn::Type, generics: &syn::Generics) -> bool {
    struct Find<'a>(&'a syn::Generics, bool);
    impl Find<'_> {
        fn bounds<'b>(&mut self, mut bounds: impl Iterator<Item = &'b syn::TypeParamBound>) {
            self.1 |= bounds.any(|bound| of_floats(bound, self.0));
        }
    }
    impl<'ast> Visit<'ast> for Find<'_> {
        fn visit_type_impl_trait(&mut self, t: &'ast syn::TypeImplTrait) {
            self.bounds(t.bounds.iter());
        }
        fn visit_type_trait_object(&mut self, t: &'ast syn::TypeTraitObject) {
            self.bounds(t.bounds.iter());
        }
        fn visit_type_fn_ptr(&mut self, t: &'ast syn::TypeFnPtr) {
            self.1 |= mentions_float(&t.to_token_stream(), self.0);
        }
        fn visit_type_path(&mut self, t: &'ast syn::TypePath) {
            if let Some(name) = t.path.get_ident() {
                let generics = self.0;
                self.bounds(types::bounds(generics, name).into_iter());
            }
            visit::visit_type_path(self, t);
        }
    }
    let mut find = Find(generics, false);
    find.visit_type(ty);
    find.1
}

/// `Fn(f64) -> f64` and its kin.
fn of_floats(bound: &syn::TypeParamBound, generics: &syn::Generics) -> bool {
    let syn::TypeParamBound::Trait(bound) = bound else {
        return false;
    };
    let last = bound.path.segments.last();
    last.is_some_and(|s| {
        matches!(s.arguments, syn::PathArguments::Parenthesized(_))
            && mentions_float(&s.arguments.to_token_stream(), generics)
    })
}

fn mentions_float(tokens: &TokenStream, generics: &syn::Generics) -> bool {
    let known = ["f64", "f32"].map(|name| Ident::new(name, Span::call_site()));
    let generic = generics.type_params().map(|t| t.ident.clone());
    let mut all = generic
        .filter(|t| super::is_float(generics, t))
        .chain(known);
    all.any(|name| types::mentions(tokens, &name))
}

/// Whether a function takes one of variables.
pub(crate) fn takes_functions(function: &GradFn) -> bool {
    function.params.iter().any(|p| p.of_variables)
}

/// Whether a type parameter stands for a function of floats.
pub(super) fn is_parameter(name: &Ident, generics: &syn::Generics) -> bool {
    is_function(&syn::parse_quote!(#name), generics)
}

/// Puts variables into the bounds of the parameters that stand for functions.
pub(super) fn put_into(generics: &mut syn::Generics, variables: &mut Variables) {
    let before = generics.clone();
    for param in generics.type_params_mut() {
        if is_parameter(&param.ident, &before) {
            variables.visit_type_param_mut(param);
        }
    }
    for predicate in generics
        .where_clause
        .iter_mut()
        .flat_map(|c| &mut c.predicates)
    {
        if let syn::WherePredicate::Type(p) = predicate {
            if is_function(&p.bounded_ty, &before) {
                let bounds = p.bounds.iter_mut();
                bounds.for_each(|bound| variables.visit_type_param_bound_mut(bound));
            }
        }
    }
}

/// The bounds that a pointer to a function does not meet.
pub(super) fn unmet(generics: &syn::Generics) -> Vec<syn::TypeParamBound> {
    let functions = generics
        .type_params()
        .map(|t| &t.ident)
        .filter(|name| is_parameter(name, generics));
    let bounds = functions.flat_map(|name| types::bounds(generics, name));
    let unmet = bounds.filter(|bound| match bound {
        syn::TypeParamBound::Trait(t) => t.path.segments.last().is_some_and(|s| {
            let plain = ["Copy", "Clone", "Send", "Sync", "Sized"];
            s.arguments.is_none() && !plain.iter().any(|name| s.ident == name)
        }),
        _ => false,
    });
    unmet.cloned().collect()
}

/// How the function of variables is declared where its arguments have to have types with names.
pub(crate) struct Named {
    pub(crate) generics: Vec<syn::GenericParam>,
    pub(crate) clause: Option<syn::WhereClause>,
    /// The types of the parameters, of plain numbers and of variables; a function of plain numbers is a pointer.
    pub(crate) plain: Vec<syn::Type>,
    pub(crate) of_variables: Vec<syn::Type>,
    pub(crate) output: syn::ReturnType,
}

pub(crate) fn named(function: &GradFn) -> Named {
    let sig = &function.written.sig;
    let mut lifted = super::signature(function, sig);
    let generics = lifted.generics.params.iter();
    let mut generics: Vec<syn::GenericParam> = generics
        .filter(|p| !matches!(p, syn::GenericParam::Lifetime(_)))
        .cloned()
        .collect();
    let types = |sig: &syn::Signature| -> Vec<syn::Type> {
        let types = sig.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(input) => Some(elided(&input.ty)),
            syn::FnArg::Receiver(_) => None,
        });
        types.collect()
    };
    let mut plain = types(sig);
    for ty in &mut plain {
        Pointers(&sig.generics).visit_type_mut(ty);
    }
    let mut of_variables = types(&lifted);
    for (k, ty) in of_variables.iter_mut().enumerate() {
        if let syn::Type::ImplTrait(t) = types::strip(ty) {
            let (name, bounds) = (
                format_ident!("__F{k}", span = Span::mixed_site()),
                &t.bounds,
            );
            generics.push(syn::parse_quote!(#name: #bounds));
            *ty = syn::parse_quote!(#name);
        }
    }
    Named {
        generics,
        clause: lifted.generics.where_clause.take(),
        plain,
        of_variables,
        output: lifted.output,
    }
}

fn elided(ty: &syn::Type) -> syn::Type {
    struct Elide;
    impl VisitMut for Elide {
        fn visit_type_reference_mut(&mut self, t: &mut syn::TypeReference) {
            t.lifetime = None;
            visit_mut::visit_type_reference_mut(self, t);
        }
    }
    let mut ty = ty.clone();
    Elide.visit_type_mut(&mut ty);
    ty
}

/// Puts pointers in place of functions of any type.
struct Pointers<'a>(&'a syn::Generics);

impl VisitMut for Pointers<'_> {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        let bounds: Vec<syn::TypeParamBound> = match &*ty {
            syn::Type::ImplTrait(t) => t.bounds.iter().cloned().collect(),
            syn::Type::Path(t) => match t.path.get_ident() {
                Some(name) => types::bounds(self.0, name).into_iter().cloned().collect(),
                None => Vec::new(),
            },
            _ => Vec::new(),
        };
        let called = bounds.iter().find_map(|bound| match bound {
            syn::TypeParamBound::Trait(t) => match &t.path.segments.last()?.arguments {
                syn::PathArguments::Parenthesized(args) => Some(args),
                _ => None,
            },
            _ => None,
        });
        match called {
            Some(called) => {
                let inputs: Punctuated<_, syn::Token![,]> =
                    called.inputs.iter().map(|arg| &arg.ty).collect();
                let output = &called.output;
                *ty = syn::parse_quote!(fn(#inputs) #output);
            }
            None => visit_mut::visit_type_mut(self, ty),
        }
    }
}
