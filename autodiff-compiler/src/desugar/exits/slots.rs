//! Variables in which the value of a jump waits until its target is reached.

use proc_macro2::Ident;
use quote::{ToTokens, quote};
use syn::parse_quote;

use crate::ir::{Ty, Width};

/// Such a variable: a number that is there from the start where the type is known, or else an option.
#[derive(Clone)]
pub(super) struct Slot {
    name: Ident,
    start: Option<proc_macro2::TokenStream>,
}

impl Slot {
    pub(super) fn new(name: Ident, ty: &Ty) -> Slot {
        Slot {
            name,
            start: start(ty),
        }
    }

    pub(super) fn declare(&self) -> syn::Stmt {
        let name = &self.name;
        match &self.start {
            Some(start) => parse_quote!(let mut #name = #start;),
            None => parse_quote!(let mut #name = None;),
        }
    }

    pub(super) fn assign(&self, value: &syn::Expr) -> syn::Stmt {
        let name = &self.name;
        match &self.start {
            Some(_) => parse_quote!(#name = #value;),
            None => parse_quote!(#name = Some(#value);),
        }
    }

    pub(super) fn read(&self) -> syn::Expr {
        let name = &self.name;
        match &self.start {
            Some(_) => parse_quote!(#name),
            None => parse_quote!(#name.unwrap()),
        }
    }

    pub(super) fn is_named_in(&self, stmts: &[syn::Stmt]) -> bool {
        let mut found = false;
        for stmt in stmts {
            crate::facts::idents(stmt.to_token_stream(), &mut |name| {
                found |= self.name == name;
            });
        }
        found
    }
}

/// Any value of a type made of numbers.
pub(crate) fn start(ty: &Ty) -> Option<proc_macro2::TokenStream> {
    Some(match ty {
        Ty::Float(Width::F64) => quote!(0.0_f64),
        Ty::Float(Width::F32) => quote!(0.0_f32),
        Ty::Float(Width::Any) => quote!(0.0),
        Ty::Int => quote!(0),
        Ty::Bool => quote!(false),
        Ty::Array(elem, Some(len)) => {
            let elem = start(elem)?;
            quote!([#elem; #len])
        }
        Ty::Tuple(parts) => {
            let parts: Option<Vec<_>> = parts.iter().map(start).collect();
            let parts = parts?;
            quote!((#(#parts,)*))
        }
        _ => return None,
    })
}
