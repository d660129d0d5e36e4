//! `if let Some(p) = list.last() && p > 0.0 { … }`: what asks for elements stands in a condition of its own, where it is understood.

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, parse_quote};

use super::apply::unparen;
use super::exits;
use crate::facts::Facts;

/// Takes chains of conditions apart that ask for elements of something active.
pub(super) fn links(body: &mut syn::Block, facts: &Facts) {
    Links { facts }.visit_block_mut(body);
}

struct Links<'a> {
    facts: &'a Facts,
}

impl Links<'_> {
    fn asks(&self, cond: &Expr) -> bool {
        match cond {
            Expr::Binary(e) if matches!(e.op, syn::BinOp::And(_)) => {
                self.asks(&e.left) || self.asks(&e.right)
            }
            Expr::Let(e) => match unparen(&e.expr) {
                Expr::MethodCall(m) => {
                    let name = m.method.to_string();
                    let ends = ["first", "last", "get", "split_first", "split_last"];
                    ends.contains(&name.trim_end_matches("_mut"))
                        && self.facts.mentions_active(&m.receiver)
                }
                _ => false,
            },
            _ => false,
        }
    }
}

impl VisitMut for Links<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let Expr::If(chain) = &*e else { return };
        if !matches!(*chain.cond, Expr::Binary(_)) || !self.asks(&chain.cond) {
            return;
        }
        let conds = exits::links(&chain.cond);
        let then = &chain.then_branch;
        let nested = |inner: syn::Block| {
            let around = |inner, cond: &&Expr| parse_quote!({ if #cond #inner });
            conds.iter().rev().fold(inner, around)
        };
        *e = match &chain.else_branch {
            None => Expr::Block(syn::ExprBlock {
                attrs: Vec::new(),
                label: None,
                block: nested(then.clone()),
            }),
            Some((_, other)) => {
                let label = exits::label_of(chain);
                let found: syn::Block = parse_quote!({ break #label #then; });
                let stmts = nested(found).stmts;
                parse_quote!(#label: { #(#stmts)* #other })
            }
        };
    }
}
