//! Type parameters with an operator between two types, `Y: Add<Output = Y> + Mul<f64, Output = Y>`: they stand for a type of the user's own, such as a state.

use proc_macro2::Ident;

use crate::ir::Operator;
use crate::types;
use crate::visit_mut::{self, VisitMut};

/// Whether a type parameter has an operator that takes another type, or yields one.
pub(crate) fn are_mixed(name: &Ident, generics: &syn::Generics) -> bool {
    let bounds = types::bounds(generics, name).into_iter();
    let operators = bounds.filter_map(|bound| operator(bound, name));
    operators
        .flat_map(|of| of.operand.into_iter().chain(of.output))
        .any(|ty| !types::is_named(&ty, name))
}

/// What derivatives ask of such parameters, `held`: the rules of their operators.
pub(crate) fn rules(
    generics: [&syn::Generics; 2],
    held: &[Ident],
    again: bool,
) -> Vec<syn::WherePredicate> {
    let mut rules = Vec::new();
    for (name, generics) in held.iter().flat_map(|name| generics.map(|g| (name, g))) {
        // Derivatives keep what operators take.
        if are_mixed(name, generics) {
            rules.push(syn::parse_quote!(#name: ::core::clone::Clone));
        }
        if types::has_bound(name, &Ident::new("Num", name.span()), generics) {
            for operator in ["Add", "Sub", "Mul", "Div"]
                .into_iter()
                .filter_map(Operator::of_trait)
            {
                let rule = operator.rule(again);
                rules.push(syn::parse_quote!(#name: rt::operators::#rule<#name, false, false, Result = #name>));
            }
        }
        for bound in types::bounds(generics, name) {
            let Some(Bound {
                operator,
                operand,
                output,
            }) = operator(bound, name)
            else {
                continue;
            };
            let rule = operator.rule(again);
            let operand = operand.unwrap_or_else(|| syn::parse_quote!(#name));
            let itself = operator.assigns().then(|| syn::parse_quote!(#name));
            let output = output.or(itself);
            let output = output.map(|ty: syn::Type| quote::quote!(, Result = #ty));
            rules.push(if operator == Operator::NEG {
                syn::parse_quote!(#name: rt::operators::#rule<false #output>)
            } else {
                syn::parse_quote!(#name: rt::operators::#rule<#operand, false, false #output>)
            });
        }
    }
    rules
}

/// An operator that a bound gives a type parameter.
struct Bound {
    operator: Operator,
    operand: Option<syn::Type>,
    output: Option<syn::Type>,
}

fn operator(bound: &syn::TypeParamBound, name: &Ident) -> Option<Bound> {
    let syn::TypeParamBound::Trait(bound) = bound else {
        return None;
    };
    let last = bound.path.segments.last()?;
    let operator = Operator::of_trait(&last.ident.to_string())?;
    let arguments = match &last.arguments {
        syn::PathArguments::AngleBracketed(written) => written.args.clone(),
        _ => syn::punctuated::Punctuated::new(),
    };
    let mut of = Bound {
        operator,
        operand: None,
        output: None,
    };
    for argument in arguments {
        match argument {
            syn::GenericArgument::Type(syn::Type::Reference(_)) => return None,
            syn::GenericArgument::Type(mut ty) => {
                Itself(name).visit_type_mut(&mut ty);
                of.operand = Some(ty);
            }
            syn::GenericArgument::AssocType(mut output) => {
                Itself(name).visit_type_mut(&mut output.ty);
                of.output = Some(output.ty);
            }
            _ => {}
        }
    }
    Some(of)
}

/// `Self` by the name of the parameter.
struct Itself<'a>(&'a Ident);

impl VisitMut for Itself<'_> {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        visit_mut::visit_type_mut(self, ty);
        if matches!(types::strip(ty), syn::Type::Path(p) if p.path.is_ident("Self")) {
            let name = self.0;
            *ty = syn::parse_quote!(#name);
        }
    }
}
