//! Inactive values that may be references: of a number the graph takes the number itself, and nothing that outlives a variable refers to it.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::expr::unparen;
use super::{Binding, Lower};
use crate::facts;
use crate::ir::{Storage, Ty, Value, Width};
use crate::marks;
use crate::own_names;
use crate::rules;
use crate::syntax;
use crate::tensors;
use crate::types;

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
        self.referring.insert(v);
        self.func.values[v.0 as usize].borrows |= borrows;
        if let (Some(tokens), false) = (number, self.numbers.contains_key(&v)) {
            let number = self.pure(tokens, vec![v], ty);
            self.numbers.insert(v, number);
        }
    }

    /// The code that makes a number of a reference to one.
    fn behind(&self, width: Width) -> Option<TokenStream> {
        let ty = self.of_width(width)?;
        Some(quote!(rt::number::<#ty, _>(&__a0)))
    }

    /// The type of a float, where the signature shows which one there is.
    fn of_width(&self, width: Width) -> Option<TokenStream> {
        let width = match width {
            Width::Any => self.float?,
            width => width,
        };
        match (width, self.numeric.as_slice()) {
            (Width::F64, _) => Some(quote!(f64)),
            (Width::F32, _) => Some(quote!(f32)),
            (Width::Generic, [only]) => Some(only.to_token_stream()),
            _ => None,
        }
    }

    /// The type of a value that is a float.
    pub(super) fn number_type(&self, v: Value) -> Option<TokenStream> {
        match self.func.ty(v) {
            Ty::Float(width) => self.of_width(*width),
            _ => None,
        }
    }

    /// As `may_refer`, for the value of an inactive expression.
    pub(super) fn may_refer_as(&mut self, v: Value, e: &syn::Expr) {
        if let Some(parts) = parts(e) {
            let borrows = parts.into_iter().any(|e| self.is_given_reference(e));
            self.func.values[v.0 as usize].borrows |= borrows;
        } else if self.is_part_of_borrowing(e) {
            self.may_refer(v, true);
        } else if !is_own(e) {
            let borrows = self.refers_to(e);
            self.may_refer(v, borrows);
        }
    }

    /// Whether what is given to a part of something makes that hold a reference.
    fn is_given_reference(&self, e: &syn::Expr) -> bool {
        match parts(e) {
            Some(parts) => parts.into_iter().any(|e| self.is_given_reference(e)),
            None => self.refers_to(e) || self.is_lent_parameter(e) || self.is_borrowing(e),
        }
    }

    /// A variable of constant code that holds a reference.
    fn is_borrowing(&self, e: &syn::Expr) -> bool {
        let name = match unparen(e) {
            syn::Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        match name.and_then(|name| self.env.get(&name)) {
            Some(Binding::Value(v)) => self.func.values[v.0 as usize].borrows,
            Some(Binding::Place(path)) => path.steps.is_empty() && self.func.at(path.root).borrows,
            _ => false,
        }
    }

    fn is_part_of_borrowing(&self, e: &syn::Expr) -> bool {
        match unparen(e) {
            syn::Expr::Field(f) => {
                matches!(self.tuple_component(f), Some(Binding::View(_)))
                    || self.is_borrowing(&f.base)
                    || self.is_part_of_borrowing(&f.base)
            }
            _ => false,
        }
    }

    /// Whether the value of an expression may refer to memory.
    pub(super) fn refers_to(&self, e: &syn::Expr) -> bool {
        match unparen(e) {
            syn::Expr::Path(_) => facts::root(e).is_some_and(|name| self.borrows(&name)),
            syn::Expr::Reference(r) => {
                is_temporary(&r.expr) || self.refers_to(&r.expr) || self.is_part(&r.expr)
            }
            syn::Expr::MethodCall(m) => {
                self.refers_to(&m.receiver)
                    || self.is_part(&m.receiver)
                    || m.args.iter().any(|e| self.refers_to(e))
            }
            syn::Expr::Call(c) => c.args.iter().any(|e| self.refers_to(e)),
            syn::Expr::Try(e) => self.refers_to(&e.expr),
            e if is_own(e) => false,
            e => facts::mentions(e, &|name| self.env.contains_key(name)),
        }
    }

    /// A parameter that is a reference, named as a whole.
    pub(super) fn is_lent_parameter(&self, e: &syn::Expr) -> bool {
        let syn::Expr::Path(path) = unparen(e) else {
            return false;
        };
        let name = path.path.get_ident().map(ToString::to_string);
        matches!(name.and_then(|name| self.env.get(&name)), Some(Binding::View(path))
            if path.steps.is_empty() && self.func.at(path.root).storage != Storage::Local)
    }

    /// A part of a variable, which a reference to it must not outlive.
    fn is_part(&self, e: &syn::Expr) -> bool {
        facts::root(e).is_some_and(|name| {
            let number = self.facts.get(&name).is_some_and(|v| v.ty.is_scalar());
            self.env.contains_key(&name) && !number
        })
    }

    /// Whether a variable may refer to memory: not even that of a `&` parameter may be in a pullback, which borrows it again.
    pub(super) fn borrows(&self, name: &str) -> bool {
        self.facts.get(name).is_some_and(|v| !v.roots.is_empty())
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

/// What a struct, a variant or an array is made of.
fn parts(e: &syn::Expr) -> Option<Vec<&syn::Expr>> {
    match unparen(e) {
        syn::Expr::Struct(e) => {
            let given = e.fields.iter().map(|f| &f.expr);
            Some(given.chain(e.rest.as_deref()).collect())
        }
        syn::Expr::Call(e) => match unparen(&e.func) {
            syn::Expr::Path(p) => {
                let name = p.path.segments.last()?.ident.to_string();
                types::is_constructor(&name).then(|| e.args.iter().collect())
            }
            _ => None,
        },
        syn::Expr::Array(e) => Some(e.elems.iter().collect()),
        _ => None,
    }
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
            let name = own_names::unmarked(&name);
            rules::by_method(name).is_some() || OWNING.contains(&name) || tensors::makes(name)
        }
        syn::Expr::Call(call) => marks::stands_for_none(call),
        syn::Expr::Block(b) if b.label.is_none() => yields_own(&b.block),
        syn::Expr::If(e) => {
            let otherwise = e.else_branch.as_ref().is_some_and(|(_, e)| is_own(e));
            otherwise && yields_own(&e.then_branch)
        }
        syn::Expr::Match(e) => e.arms.iter().all(|arm| is_own(&arm.body)),
        _ => false,
    }
}

/// What is computed where it stands: a reference makes it live as long as the function, and not as long as its pullback.
fn is_temporary(e: &syn::Expr) -> bool {
    match unparen(e) {
        syn::Expr::Field(e) => is_temporary(&e.base),
        syn::Expr::Index(e) => is_temporary(&e.expr),
        syn::Expr::Array(e) => {
            let variable = |e: &syn::Expr| matches!(unparen(e), syn::Expr::Path(_));
            e.elems.iter().any(|e| variable(e) || is_temporary(e))
        }
        syn::Expr::Path(_) | syn::Expr::Lit(_) | syn::Expr::Reference(_) => false,
        syn::Expr::Unary(e) => !matches!(e.op, syn::UnOp::Deref(_)) && is_temporary(&e.expr),
        _ => true,
    }
}

/// As `is_own`, for the value of a block, which may be a variable of it.
fn yields_own(block: &syn::Block) -> bool {
    let Some(value) = syntax::block_value(block) else {
        return false;
    };
    let Some(name) = facts::root(value).filter(|_| matches!(unparen(value), syn::Expr::Path(_)))
    else {
        return is_own(value);
    };
    block.stmts.iter().any(|stmt| match stmt {
        syn::Stmt::Local(local) => {
            let pat = match &local.pat {
                syn::Pat::Type(t) => &*t.pat,
                pat => pat,
            };
            let named = matches!(pat, syn::Pat::Ident(p) if p.ident == name && p.by_ref.is_none());
            named && local.init.as_ref().is_some_and(|init| is_own(&init.expr))
        }
        _ => false,
    })
}

/// Methods whose result refers to nothing.
pub(super) const OWNING: &[&str] = &[
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
