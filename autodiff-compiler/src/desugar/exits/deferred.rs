//! `let r: f64; if c { return x; } else { r = y; }`: a number that is assigned later begins with zero, so that it is one on every way.
//!
//! rustc has checked that nobody sees the zero.

use syn::{Block, Expr, Pat, Stmt, parse_quote};

use super::jumps;
use crate::facts::Facts;
use crate::ir::{Ty, Width};
use crate::types;
use crate::visit_mut::{self, VisitMut};

pub(super) struct Deferred<'a> {
    pub(super) facts: &'a Facts,
}

impl Deferred<'_> {
    /// What a variable begins with that is declared without a value.
    fn zero(&self, pat: &Pat) -> Option<Expr> {
        let ty = match pat {
            Pat::Type(p) if is_never_zero(&p.ty) => return None,
            Pat::Type(p) => types::read(&p.ty),
            Pat::Ident(p) => self.facts.get(&p.ident.to_string())?.ty.clone(),
            _ => return None,
        };
        match ty {
            Ty::Float(Width::F64 | Width::F32 | Width::Any) => Some(parse_quote!(0.0)),
            Ty::Int => Some(parse_quote!(0)),
            Ty::Bool => Some(parse_quote!(false)),
            _ => None,
        }
    }
}

impl VisitMut for Deferred<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        let mut jumps = false;
        for stmt in block.stmts.iter_mut().rev() {
            match stmt {
                Stmt::Local(local) if jumps && local.init.is_none() => {
                    if let Some(zero) = self.zero(&local.pat) {
                        let mut pat = local.pat.clone();
                        if let Pat::Type(p) = &mut pat {
                            change(&mut p.pat);
                        } else {
                            change(&mut pat);
                        }
                        *stmt = parse_quote!(let #pat = #zero;);
                    }
                }
                _ => jumps |= jumps::of_stmt(stmt).into_iter().next().is_some(),
            }
        }
    }
}

fn is_never_zero(ty: &syn::Type) -> bool {
    types::last(ty).is_some_and(|last| last.ident.to_string().starts_with("NonZero"))
}

/// Makes a variable one that changes.
fn change(pat: &mut Pat) {
    if let Pat::Ident(p) = pat {
        p.mutability = Some(parse_quote!(mut));
    }
}
