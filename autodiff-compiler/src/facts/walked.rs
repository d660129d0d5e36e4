//! Variables that iterators go through, and those that are counts.

use rustc_hash::FxHashSet;

use crate::visit::{self, Enter as _, Other, Visit};

use super::{WALKED, root};
use crate::iterators::parts;
use crate::syntax::peel;

/// The variables of a body that are walked through by reference or by value, as lists are.
pub(super) fn walked(body: &syn::Block) -> FxHashSet<String> {
    let mut walked = Walked::default();
    walked.visit_block(body);
    &walked.through - &walked.arrays
}

#[derive(Default)]
struct Walked {
    through: FxHashSet<String>,
    /// What is taken apart as an array.
    arrays: FxHashSet<String>,
}

/// Methods that nothing but a list has, or what is walked through like one.
const WALKS: &[&str] = &[
    "dedup_by",
    "drain",
    "extend_from_slice",
    "into_iter",
    "iter",
    "iter_mut",
    "retain",
    "sort_by",
    "sort_by_key",
    "sort_unstable_by",
    "split_at",
    "split_at_mut",
];

/// A variable, or a reference to one.
fn variable(e: &syn::Expr) -> Option<String> {
    match peel(e) {
        syn::Expr::Path(_) => root(e),
        syn::Expr::Reference(r) => variable(&r.expr),
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Walked {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        self.through.extend(variable(&e.expr));
        visit::visit_expr_for_loop(self, e);
    }

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        if WALKS.iter().any(|name| e.method == name) || parts(&e.method.to_string()).is_some() {
            self.through.extend(variable(&e.receiver));
        } else if e.method == "map" {
            self.arrays.extend(variable(&e.receiver));
        }
        visit::visit_expr_method_call(self, e);
    }

    /// What is checked to be a list was known as one by methods that are written out by now.
    fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
        if matches!(&*e.func, syn::Expr::Path(p) if p.path.is_ident(WALKED)) {
            self.through.extend(e.args.iter().filter_map(variable));
        }
        visit::visit_expr_call(self, e);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let (syn::Pat::Slice(_), Some(init)) = (&local.pat, &local.init) {
            self.arrays.extend(variable(&init.expr));
        }
        visit::visit_local(self, local);
    }
}

/// The variables of a body that are integers, because a range has them beside an integer or a loop counts by it.
pub(super) fn counted(body: &syn::Block) -> FxHashSet<String> {
    let mut counted = Counted::default();
    counted.visit_block(body);
    counted.0
}

#[derive(Default)]
struct Counted(FxHashSet<String>);

impl Counted {
    fn ends(&mut self, range: &syn::ExprRange) {
        let ends = [&range.start, &range.end].into_iter().flatten();
        let names = ends.filter_map(|e| match peel(e) {
            syn::Expr::Path(p) => p.path.get_ident(),
            _ => None,
        });
        self.0.extend(names.map(ToString::to_string));
    }
}

fn is_integer(e: &syn::Expr) -> bool {
    matches!(peel(e), syn::Expr::Lit(lit) if matches!(lit.lit, syn::Lit::Int(_)))
}

impl<'ast> Visit<'ast> for Counted {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        if let syn::Expr::Range(range) = peel(&e.expr) {
            self.ends(range);
        }
        visit::visit_expr_for_loop(self, e);
    }

    fn visit_other(&mut self, node: Other<'ast>) {
        match node {
            // Both ends are of one type, and no float is written as an integer.
            Other::ExprRange(e) => {
                let mut ends = [&e.start, &e.end].into_iter().flatten();
                if ends.any(|end| is_integer(end)) {
                    self.ends(e);
                }
                Other::ExprRange(e).walk(self);
            }
            other => other.walk(self),
        }
    }
}
