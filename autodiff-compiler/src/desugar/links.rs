//! `if let Some(p) = list.last() && p > 0.0 { … }`: what asks for elements stands in a condition of its own, where it is understood; so do several that are asked for in a tuple.

use syn::{Expr, Pat, Stmt, parse_quote};

use super::apply::unparen;
use super::exits;
use crate::facts::Facts;
use crate::visit_mut::{self, VisitMut};

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
            Expr::Let(e) => self.is_asked(&e.expr),
            _ => false,
        }
    }

    /// An element of something active that may not be there.
    fn is_asked(&self, e: &Expr) -> bool {
        match unparen(e) {
            Expr::MethodCall(m) => {
                let name = m.method.to_string();
                let ends = ["first", "last", "get", "split_first", "split_last"];
                ends.contains(&name.trim_end_matches("_mut"))
                    && self.facts.mentions_active(&m.receiver)
            }
            _ => false,
        }
    }

    /// `(Some(a), Some(b)) = (xs.first(), xs.last())` as conditions one by one.
    fn together(&self, pat: &Pat, of: &Expr) -> Option<Vec<Expr>> {
        let (Pat::Tuple(pats), Expr::Tuple(asked)) = (pat, unparen(of)) else {
            return None;
        };
        let as_many = pats.elems.len() == asked.elems.len();
        let asks = asked.elems.iter().all(|e| self.is_asked(e));
        let pairs = pats.elems.iter().zip(&asked.elems);
        let one = |(pat, e): (&Pat, &Expr)| parse_quote!(let #pat = #e);
        (as_many && asks).then(|| pairs.map(one).collect())
    }
}

impl VisitMut for Links<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let asks = |stmt: &Stmt| match stmt {
            Stmt::Local(local) => local.init.as_ref().is_some_and(|init| {
                init.diverge.is_some() && self.together(&local.pat, &init.expr).is_some()
            }),
            _ => false,
        };
        if let Some(at) = block.stmts.iter().position(asks) {
            let rest = block.stmts.split_off(at + 1);
            if let Some(Stmt::Local(local)) = block.stmts.pop() {
                let (pat, init) = (local.pat, local.init);
                let init = init.and_then(|init| Some((init.expr, init.diverge?.1)));
                block.stmts.extend(init.map(|(asked, other)| {
                    let all = parse_quote!(if let #pat = #asked { #(#rest)* } else #other);
                    Stmt::Expr(all, None)
                }));
            }
        }
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let Expr::If(chain) = &*e else { return };
        let together = match &*chain.cond {
            Expr::Let(one) => self.together(&one.pat, &one.expr),
            _ => None,
        };
        let conds: Vec<&Expr> = match &together {
            Some(conds) => conds.iter().collect(),
            None if matches!(*chain.cond, Expr::Binary(_)) && self.asks(&chain.cond) => {
                exits::links(&chain.cond)
            }
            None => return,
        };
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
