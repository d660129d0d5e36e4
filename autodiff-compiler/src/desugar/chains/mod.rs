//! Iterator chains over active values: each becomes a loop, with what its closures do written out in it.
//!
//! The loop runs over the longest part of the chain that lowering knows how to loop over, so it is as fast as one written by hand.
//! Closures run item by item, in the order of the chain, and arguments of adaptors are evaluated once, before.

mod adapt;
mod arrays;
mod counts;
mod cursor;
mod ends;
mod heads;
mod items;
mod named;
mod option;
mod pipe;
mod repeats;
mod source;

use std::collections::BTreeSet;

use syn::Expr;

pub(super) use self::option::{Shape, shape};
pub(super) use self::source::is_place;
use super::apply::unparen;
use crate::errors::Errors;
use crate::facts::{Changed, Facts};
use crate::marks;
use crate::names::Names;

use crate::visit::Enter as _;
use crate::visit_mut::{self, OtherMut, VisitMut};

/// Replaces the chains of a body; `true` if there were any.
pub(super) fn chains(
    body: &mut syn::Block,
    facts: &Facts,
    (ret, usizes): (Option<&syn::Type>, &BTreeSet<String>),
    names: &mut Names,
    errors: &mut Errors,
) -> bool {
    let mut changed = Changed::default();
    changed.visit_block(body);
    let changed = changed.names.into_iter().collect();
    let mut chains = Chains {
        facts,
        names,
        errors,
        changed: &changed,
        counters: BTreeSet::new(),
        positions: BTreeSet::new(),
        usizes: counts::usizes(body, usizes),
        done: false,
    };
    chains.resolve_names(body);
    if let (Some(ret), Some(syn::Stmt::Expr(e, None))) = (ret, body.stmts.last_mut()) {
        let errors = chains.errors.count();
        chains.expect(e, Some(ret));
        if chains.errors.count() > errors {
            return false;
        }
    }
    chains.visit_block_mut(body);
    chains.done
}

pub(super) struct Chains<'a> {
    facts: &'a Facts,
    names: &'a mut Names,
    errors: &'a mut Errors,
    /// Variables that change anywhere.
    changed: &'a BTreeSet<String>,
    /// The variables that count for `enumerate`.
    counters: BTreeSet<String>,
    /// The positions of iterators that are taken on by hand, which change as well.
    positions: BTreeSet<String>,
    /// Variables that are `usize` for sure.
    usizes: BTreeSet<String>,
    done: bool,
}

impl Chains<'_> {
    /// Replaces an expression if it is a chain, whose value is of type `ty` if that is known.
    fn expect(&mut self, e: &mut Expr, ty: Option<&syn::Type>) {
        match e {
            Expr::Paren(e) => return self.expect(&mut e.expr, ty),
            Expr::Group(e) => return self.expect(&mut e.expr, ty),
            _ => {}
        }
        if !self.facts.mentions_active(e) {
            return;
        }
        if ends::is_inert(e, self.facts) {
            let counted = match &*e {
                Expr::MethodCall(m) => self.counted(m),
                _ => None,
            };
            if let Some(instead) = counted.or_else(|| self.decided(e)) {
                *e = instead;
                self.done = true;
            }
            return;
        }
        let instead = match &*e {
            Expr::MethodCall(m) if crate::iterators::is_chain(&m.receiver) => self.end(m, ty),
            // Behind `as_ref` stands an option.
            Expr::MethodCall(m) if m.method == "map" && !is_as_ref(&m.receiver) => {
                self.array_map(m)
            }
            Expr::MethodCall(m) if m.method == "extend" => self.appended(m),
            Expr::MethodCall(m) if m.method == "unwrap" || m.method == "expect" => {
                self.array_of_list(m, ty)
            }
            Expr::Call(c) => (self.made_of_chain(c))
                .or_else(|| self.array_from_fn(c, ty))
                .or_else(|| self.tensor_from_fn(c)),
            _ => None,
        };
        if let Some(instead) = instead {
            *e = instead;
            self.done = true;
        }
    }
}

impl VisitMut for Chains<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.resolve_names(block);
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        self.refuse_named(local);
        if let (syn::Pat::Type(typed), Some(init)) = (&local.pat, &mut local.init) {
            let (ty, errors) = (typed.ty.clone(), self.errors.count());
            self.expect(&mut init.expr, Some(&ty));
            if self.errors.count() > errors {
                return;
            }
        }
        visit_mut::visit_local_mut(self, local);
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if let Expr::ForLoop(_) = e {
            if let Some(instead) = self.head(e) {
                *e = instead;
                self.done = true;
            }
        } else {
            self.expect(e, None);
        }
        // What is constant stands as it is.
        if matches!(unparen(e), Expr::Call(c) if marks::is_stop_gradient(&c.func)) {
            return;
        }
        match e {
            // What runs in the reverse sweep has no derivative.
            Expr::Call(c) if marks::is_with_cotangent(&c.func) => {
                if let Some(x) = c.args.first_mut() {
                    self.visit_expr_mut(x);
                }
            }
            e => visit_mut::visit_expr_mut(self, e),
        }
    }

    fn visit_other_mut(&mut self, node: OtherMut<'_>) {
        match node {
            OtherMut::ExprAssign(assign) => {
                let ty = super::super::types::written(&self.facts.ty(&assign.left));
                if let Some(ty) = ty {
                    self.expect(&mut assign.right, Some(&ty));
                }
                OtherMut::ExprAssign(assign).walk(self);
            }
            other => other.walk(self),
        }
    }
}

fn is_as_ref(e: &Expr) -> bool {
    matches!(unparen(e), Expr::MethodCall(m) if m.method == "as_ref")
}
