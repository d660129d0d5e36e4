//! `P { x: a, y: b } = e;` is `let P { x: one, y: two } = e; a = one; b = two;`.

use proc_macro2::Span;
use syn::{Expr, Pat, Stmt, parse_quote};

use super::apply::unparen;
use super::make;
use crate::names::Names;
use crate::visit_mut::{self, VisitMut};

/// Takes structs apart by patterns where they are assigned to their parts.
pub(super) fn assigned(body: &mut syn::Block, names: &mut Names) {
    Assigned { names }.visit_block_mut(body);
}

struct Assigned<'a> {
    names: &'a mut Names,
}

/// Whether a struct is taken apart there.
fn has_struct(left: &Expr) -> bool {
    match unparen(left) {
        Expr::Struct(_) => true,
        Expr::Call(c) => matches!(&*c.func, Expr::Path(_)),
        Expr::Tuple(t) => t.elems.iter().any(has_struct),
        Expr::Array(a) => a.elems.iter().any(has_struct),
        _ => false,
    }
}

impl Assigned<'_> {
    /// The left side as a pattern; what is assigned then goes to `stmts`.
    fn pattern(&mut self, left: &Expr, stmts: &mut Vec<Stmt>) -> Pat {
        match unparen(left) {
            Expr::Infer(_) => make::wild(),
            Expr::Range(r) if r.start.is_none() && r.end.is_none() => parse_quote!(..),
            Expr::Tuple(t) => {
                let parts = t.elems.iter().map(|e| self.pattern(e, stmts));
                make::tuple_pat(parts.collect::<Vec<_>>())
            }
            Expr::Array(a) => {
                let parts = a.elems.iter().map(|e| self.pattern(e, stmts));
                let parts: Vec<Pat> = parts.collect();
                parse_quote!([#(#parts),*])
            }
            Expr::Call(c) if matches!(&*c.func, Expr::Path(_)) => {
                let parts = c.args.iter().map(|e| self.pattern(e, stmts));
                let (of, parts): (_, Vec<Pat>) = (&c.func, parts.collect());
                parse_quote!(#of(#(#parts),*))
            }
            Expr::Struct(s) => {
                let of = &s.path;
                let fields = s.fields.iter().map(|f| {
                    let (name, pat) = (&f.member, self.pattern(&f.expr, stmts));
                    quote::quote!(#name: #pat)
                });
                let fields: Vec<_> = fields.collect();
                let rest = s.dot2_token.map(|dots| quote::quote!(#dots));
                parse_quote!(#of { #(#fields,)* #rest })
            }
            place => {
                let part = self.names.fresh("part", Span::call_site());
                stmts.push(make::assign(place.clone(), make::path(&part)));
                make::ident(&part, false)
            }
        }
    }
}

impl VisitMut for Assigned<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        visit_mut::visit_block_mut(self, block);
        for stmt in std::mem::take(&mut block.stmts) {
            match &stmt {
                Stmt::Expr(Expr::Assign(e), _) if has_struct(&e.left) => {
                    let mut assignments = Vec::new();
                    let pat = self.pattern(&e.left, &mut assignments);
                    block.stmts.push(make::local(pat, (*e.right).clone()));
                    block.stmts.extend(assignments);
                }
                _ => block.stmts.push(stmt),
            }
        }
    }
}
