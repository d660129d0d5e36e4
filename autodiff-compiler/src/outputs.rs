//! `<T as Mul>::Output`: what operators on a type parameter that stands for a float yield is that float.

use proc_macro2::Ident;

use crate::types;
use crate::visit_mut::{self, EnterMut as _, VisitMut};

/// The operators of std whose results have a type.
const OPERATORS: &[&str] = &["Add", "Sub", "Mul", "Div", "Rem", "Neg"];

/// Writes the parameter itself in place of what its operators yield; what is returned says that they are the same.
///
/// `labels` are parameters that stand for no number.
pub(crate) fn write_out(item: &mut syn::ItemFn, labels: &[Ident]) -> Vec<syn::WherePredicate> {
    let mut bounds = bounds(&item.sig.generics);
    bounds.retain(|(name, _)| !labels.contains(name) && !types::is_held(name, &item.sig.generics));
    let mut outputs = Outputs {
        bounds,
        found: Vec::new(),
    };
    outputs.visit_signature_mut(&mut item.sig);
    outputs.visit_block_mut(&mut item.block);
    let mut said = Vec::new();
    for (name, operator) in outputs.found {
        let bound: syn::WherePredicate =
            syn::parse_quote!(#name: ::core::ops::#operator<Output = #name>);
        if !said.contains(&bound) {
            said.push(bound);
        }
    }
    said
}

/// The type parameters, each with an operator that its bounds name.
fn bounds(generics: &syn::Generics) -> Vec<(Ident, Option<Ident>)> {
    let operator = |bound: &syn::TypeParamBound| match bound {
        syn::TypeParamBound::Trait(bound) => {
            let name = &bound.path.segments.last()?.ident;
            OPERATORS.iter().any(|of| name == of).then(|| name.clone())
        }
        _ => None,
    };
    let clauses = generics.where_clause.iter().flat_map(|c| &c.predicates);
    let clauses: Vec<_> = clauses
        .filter_map(|clause| match clause {
            syn::WherePredicate::Type(clause) => Some(clause),
            _ => None,
        })
        .collect();
    let of = |param: &syn::TypeParam| {
        let said = clauses.iter().filter(|clause| {
            matches!(&clause.bounded_ty, syn::Type::Path(p) if p.path.is_ident(&param.ident))
        });
        let mut all = param
            .bounds
            .iter()
            .chain(said.flat_map(|clause| &clause.bounds));
        all.find_map(operator)
    };
    generics
        .type_params()
        .map(|param| (param.ident.clone(), of(param)))
        .collect()
}

struct Outputs {
    bounds: Vec<(Ident, Option<Ident>)>,
    /// The parameters with the operators that yield them.
    found: Vec<(Ident, Ident)>,
}

impl Outputs {
    /// The parameter and the operator, where a type is what that yields.
    fn read(&self, ty: &syn::TypePath) -> Option<(Ident, Ident)> {
        let segments: Vec<_> = ty.path.segments.iter().collect();
        if segments.last()?.ident != "Output" {
            return None;
        }
        let Some(qself) = &ty.qself else {
            let [name, _] = segments.as_slice() else {
                return None;
            };
            let (name, operator) = self.bounds.iter().find(|(of, _)| *of == name.ident)?;
            return Some((name.clone(), operator.clone()?));
        };
        let syn::Type::Path(of) = &*qself.ty else {
            return None;
        };
        let name = of.path.get_ident()?;
        let (name, _) = self.bounds.iter().find(|(of, _)| of == name)?;
        let operator = segments.get(segments.len().checked_sub(2)?)?;
        let itself = match &operator.arguments {
            syn::PathArguments::None => true,
            syn::PathArguments::AngleBracketed(args) => args.args.iter().all(|arg| {
                matches!(arg, syn::GenericArgument::Type(syn::Type::Path(p)) if p.path.is_ident(name))
            }),
            syn::PathArguments::Parenthesized(_) => false,
        };
        let known = OPERATORS.iter().any(|of| operator.ident == of);
        (known && itself).then(|| (name.clone(), operator.ident.clone()))
    }
}

impl VisitMut for Outputs {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        if let syn::Type::Path(path) = ty {
            if let Some((name, operator)) = self.read(path) {
                *ty = syn::parse_quote!(#name);
                self.found.push((name, operator));
                return;
            }
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
