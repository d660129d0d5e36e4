//! Inactive values that may be references: of a number the graph takes the number itself, and nothing that outlives a variable refers to it.

use proc_macro2::TokenStream;
use quote::quote;

use super::expr::unparen;
use super::{Binding, Lower};
use crate::facts;
use crate::ir::{Storage, Ty, Value, Width};
use crate::rules;

impl Lower<'_> {
    /// An inactive value of which it is not known whether it is a number or a reference to one.
    pub(super) fn may_refer(&mut self, v: Value, borrows: bool) {
        let ty = self.func.ty(v).clone();
        let number = match ty {
            Ty::Float(width) => self.behind(width),
            Ty::Unknown => {
                self.matched.insert(v);
                None
            }
            _ => None,
        };
        if matches!(ty, Ty::Int | Ty::Bool) {
            return;
        }
        self.func.values[v.0 as usize].borrows = borrows;
        if let (Some(tokens), false) = (number, self.numbers.contains_key(&v)) {
            let number = self.pure(tokens, vec![v], ty);
            self.numbers.insert(v, number);
        }
    }

    /// The code that makes a number of a reference to one.
    fn behind(&self, width: Width) -> Option<TokenStream> {
        let width = match width {
            Width::Any => self.float?,
            width => width,
        };
        let ty = match (width, self.numeric.as_slice()) {
            (Width::F64, _) => quote!(f64),
            (Width::F32, _) => quote!(f32),
            (Width::Generic, [only]) => quote!(#only),
            _ => return None,
        };
        Some(quote!(rt::number::<#ty, _>(&__a0)))
    }

    /// As `may_refer`, for the value of an inactive expression.
    pub(super) fn may_refer_as(&mut self, v: Value, e: &syn::Expr) {
        if !is_own(e) {
            let borrows = self.lends_local(e);
            self.may_refer(v, borrows);
        }
    }

    /// Whether the value of an expression may refer to memory that does not outlive the function.
    pub(super) fn lends_local(&self, e: &syn::Expr) -> bool {
        match unparen(e) {
            syn::Expr::Path(_) => facts::root(e).is_some_and(|name| self.borrows(&name)),
            syn::Expr::Reference(r) => self.lends_local(&r.expr) || self.is_local(&r.expr),
            syn::Expr::MethodCall(m) => {
                self.lends_local(&m.receiver)
                    || self.is_local(&m.receiver)
                    || m.args.iter().any(|e| self.lends_local(e))
            }
            syn::Expr::Call(c) => c.args.iter().any(|e| self.lends_local(e)),
            syn::Expr::Try(e) => self.lends_local(&e.expr),
            e if is_own(e) => false,
            e => facts::mentions(e, &|name| {
                self.env.contains_key(name) && !self.is_shared(name)
            }),
        }
    }

    /// A part of a variable of the body, or of an owned parameter.
    fn is_local(&self, e: &syn::Expr) -> bool {
        facts::root(e).is_some_and(|name| {
            let refers = self.facts.get(&name).is_some_and(|v| !v.roots.is_empty());
            let number = self.facts.get(&name).is_some_and(|v| v.ty.is_scalar());
            self.env.contains_key(&name) && !refers && !number && !self.is_shared(&name)
        })
    }

    fn is_shared(&self, name: &str) -> bool {
        matches!(self.env.get(name), Some(Binding::Place(path) | Binding::View(path))
            if self.func.at(path.root).storage == Storage::Shared)
    }

    /// Whether a variable may refer to memory that does not outlive the function: to anything but a `&` parameter.
    pub(super) fn borrows(&self, name: &str) -> bool {
        let mut all: Vec<&str> = vec![name];
        let mut next = 0;
        while let Some(&name) = all.get(next) {
            next += 1;
            let roots = self.facts.get(name).map_or(&[][..], |var| &var.roots);
            for root in roots.iter().filter(|root| !self.is_shared(root)) {
                let refers = self.facts.get(root).is_some_and(|v| !v.roots.is_empty());
                if !refers {
                    return true;
                }
                if !all.contains(&root.as_str()) {
                    all.push(root);
                }
            }
        }
        false
    }
}

/// The width of all floats in these types, if it is one.
pub(super) fn only_width<'a>(tys: impl Iterator<Item = &'a Ty>) -> Option<Width> {
    fn widths(ty: &Ty, out: &mut Vec<Width>) {
        match ty {
            Ty::Float(width) => out.push(*width),
            Ty::Array(ty, _) | Ty::Slice(ty) | Ty::Vec(ty) | Ty::Option(ty) => widths(ty, out),
            Ty::Tuple(parts) => parts.iter().for_each(|ty| widths(ty, out)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    tys.for_each(|ty| widths(ty, &mut all));
    let first = *all.first()?;
    all.iter().all(|&width| width == first).then_some(first)
}

/// Certainly no reference: the result of arithmetic, an element, a field.
fn is_own(e: &syn::Expr) -> bool {
    match unparen(e) {
        syn::Expr::Lit(_)
        | syn::Expr::Binary(_)
        | syn::Expr::Unary(_)
        | syn::Expr::Cast(_)
        | syn::Expr::Index(_)
        | syn::Expr::Field(_)
        | syn::Expr::Struct(_)
        | syn::Expr::Array(_)
        | syn::Expr::Repeat(_)
        | syn::Expr::Closure(_)
        | syn::Expr::Range(_)
        | syn::Expr::Macro(_) => true,
        syn::Expr::MethodCall(m) => {
            let name = m.method.to_string();
            rules::by_method(&name).is_some() || OWNING.contains(&name.as_str())
        }
        _ => false,
    }
}

/// Methods whose result refers to nothing.
const OWNING: &[&str] = &[
    "clone",
    "cloned",
    "collect",
    "copied",
    "count",
    "len",
    "parse",
    "product",
    "sum",
    "to_owned",
    "to_string",
    "to_vec",
];
