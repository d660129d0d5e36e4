//! What a call has returned and is taken for a list: rustc makes sure that it is one.

use rustc_hash::FxHashSet;

use syn::{Expr, Pat, Stmt, parse_quote};

use super::make;
use crate::facts::{Facts, WALKED};
use crate::visit_mut::{self, VisitMut};

/// The statement by which rustc checks it.
pub(super) fn check(list: &Expr, span: proc_macro2::Span) -> Stmt {
    let walked = make::path(&syn::Ident::new(WALKED, span));
    parse_quote!(#walked(&#list);)
}

/// Puts such a check behind each variable that is taken for a list, once.
pub(super) fn listed(body: &mut syn::Block, facts: &Facts, checked: &mut FxHashSet<String>) {
    Listed { facts, checked }.visit_block_mut(body);
}

struct Listed<'a> {
    facts: &'a Facts,
    checked: &'a mut FxHashSet<String>,
}

impl VisitMut for Listed<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        visit_mut::visit_block_mut(self, block);
        for stmt in std::mem::take(&mut block.stmts) {
            let name = match &stmt {
                Stmt::Local(local) => match &local.pat {
                    Pat::Ident(p) => Some(p.ident.clone()),
                    _ => None,
                },
                _ => None,
            };
            block.stmts.push(stmt);
            let Some(name) = name else { continue };
            let taken = |v: &crate::facts::Var| v.listed && v.active;
            if self.facts.get(&name.to_string()).is_some_and(taken)
                && self.checked.insert(name.to_string())
            {
                block.stmts.push(check(&make::path(&name), name.span()));
            }
        }
    }
}
