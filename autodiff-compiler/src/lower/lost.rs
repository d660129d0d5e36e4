//! What is written through a `&mut` reference that the macro has copied would be lost: such a reference is refused.

use rustc_hash::FxHashSet;

use proc_macro2::Ident;

use super::expr::unparen;
use super::{Binding, Lower, Tree};
use crate::facts::{self, Facts};
use crate::ir::{Func, Kind, Op, Place};
use crate::syntax;

/// What to write instead.
const ADVICE: &str = "what is written through it would be lost; write to the variable itself, or to an element by its index, or take the value out and put it back";

impl Lower<'_> {
    /// A variable that is written to gets a copy of a value. If it is a reference, that is wrong.
    pub(super) fn copied_into(&mut self, p: &syn::PatIdent, place: Place) {
        if !self
            .facts
            .get(&p.ident.to_string())
            .is_some_and(|v| v.active)
        {
            return;
        }
        if self.lending {
            self.errors.error(&p.ident, message(&p.ident));
        } else if p.mutability.is_none() {
            // What may not be changed itself is changed through it, and so is a reference.
            self.copies.push((place, p.ident.clone()));
        }
    }

    /// `ref mut x`, of a value that is a copy.
    pub(super) fn refuse_reference_to_copy(&mut self, p: &syn::PatIdent, tree: &Tree) {
        let active = self
            .facts
            .get(&p.ident.to_string())
            .is_some_and(|v| v.active);
        if active && p.mutability.is_some() && matches!(tree, Tree::Value(_) | Tree::Tuple(_)) {
            self.errors.error(&p.ident, message(&p.ident));
        }
    }

    /// A part of a tuple that is a bundle of copies, and is not `mut`.
    pub(super) fn refuse_part_of_copy(&mut self, left: &syn::Expr) {
        let syn::Expr::Field(_) = unparen(left) else {
            return;
        };
        let Some(name) = facts::root(left) else {
            return;
        };
        let copied = matches!(
            self.env.get(&name),
            Some(Binding::Tuple(_) | Binding::Value(_))
        );
        let fixed = self
            .facts
            .get(&name)
            .is_some_and(|v| v.active && !v.mutable);
        if copied && fixed {
            self.errors.error(left, message(&name));
        }
    }

    /// A reference as a part of a value: in an option, an array, a struct.
    pub(super) fn refuse_kept_reference(&mut self, e: &syn::Expr) {
        fn kept(e: &syn::Expr) -> Option<&syn::Expr> {
            match unparen(e) {
                syn::Expr::Reference(r) if r.mutability.is_some() => Some(e),
                syn::Expr::Tuple(t) => t.elems.iter().find_map(kept),
                _ => None,
            }
        }
        if let Some(reference) = kept(e).filter(|e| self.facts.active(e)) {
            self.errors.error(
                reference,
                format_args!(
                    "a `&mut` reference inside another value cannot be followed: {ADVICE}"
                ),
            );
        }
    }
}

/// The variables that were copied and are then written to.
pub(super) fn lost<'c>(func: &Func, copies: &'c [(Place, Ident)]) -> Vec<&'c Ident> {
    let mut written: FxHashSet<Place> = FxHashSet::default();
    for op in &func.body.ops {
        op.walk(&mut |op: &Op| match &op.kind {
            // To be assigned once, as a whole, is to be given a value.
            Kind::Store(path) if path.steps.is_empty() => {}
            // What code that is copied may change is not known for sure, and what it names is no copy.
            Kind::Opaque(_) | Kind::Match(..) | Kind::For(_) => {}
            _ => written.extend(op.stores()),
        });
    }
    let lost = copies.iter().filter(|(place, _)| written.contains(place));
    lost.map(|(_, name)| name).collect()
}

/// The message about one of them.
pub(super) fn message(name: &impl std::fmt::Display) -> String {
    format!("`{name}` is a `&mut` reference that the macro cannot follow: {ADVICE}")
}

/// Whether the value of an expression is a `&mut` reference to something active, or has one in it.
pub(super) fn lends(facts: &Facts, e: &syn::Expr) -> bool {
    let block = |block: &syn::Block| syntax::block_value(block).is_some_and(|e| lends(facts, e));
    match unparen(e) {
        syn::Expr::Reference(r) => r.mutability.is_some() && facts.mentions_active(&r.expr),
        syn::Expr::Tuple(t) => t.elems.iter().any(|e| lends(facts, e)),
        syn::Expr::If(i) => {
            block(&i.then_branch) || i.else_branch.as_ref().is_some_and(|(_, e)| lends(facts, e))
        }
        syn::Expr::Match(m) => m.arms.iter().any(|arm| lends(facts, &arm.body)),
        syn::Expr::Block(b) => block(&b.block),
        syn::Expr::Call(c) => {
            let replaced = matches!(unparen(&c.func), syn::Expr::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "replace"));
            replaced && c.args.iter().skip(1).any(|e| lends(facts, e))
        }
        e => facts.lends(e) && facts.active(e),
    }
}
