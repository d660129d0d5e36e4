//! What many may write to through a shared reference: what is put there comes back as if it were a constant.

use rustc_hash::FxHashSet;

use crate::visit::{self, Enter as _, Visit};

use super::Facts;
use crate::types;

/// Of a call that is given something active beside what it may keep it in.
pub(crate) const STORED: &str = "what this call is given may be kept in a cell, and is hidden from differentiation there; if that is of no account, pass it `autodiff::stop_gradient(…)`";

/// Functions of the standard library that return two ends of what values go through.
const CHANNELS: &[&str] = &["channel", "sync_channel"];

/// Methods that lend what is in such a thing, and those that take it out of their result.
const LENDING: &[&str] = &[
    "borrow_mut",
    "expect",
    "lock",
    "try_borrow_mut",
    "try_lock",
    "try_write",
    "unwrap",
    "write",
];

/// The variable that an argument or a receiver is a reference to, or that lends it.
fn lender(e: &syn::Expr) -> Option<String> {
    match crate::syntax::peel(e) {
        syn::Expr::MethodCall(m) if LENDING.iter().any(|name| m.method == name) => {
            lender(&m.receiver)
        }
        // A copy of what is in it.
        syn::Expr::MethodCall(_) => None,
        e => super::root(e),
    }
}

/// Whether a type, or what makes a value, is such a thing of the standard library: types of the user's own of these names have no arguments, and are made of more than one.
#[derive(Default)]
struct Named(bool);

impl<'ast> Visit<'ast> for Named {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
        let name = segment.ident.to_string();
        self.0 |= types::is_atomic(&name) || types::is_cell(&name) && !segment.arguments.is_none();
        visit::visit_path_segment(self, segment);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(func) = crate::syntax::peel(&call.func) {
            let mut names = func.path.segments.iter().rev();
            let last = names.next().map(|s| s.ident.to_string());
            let owner = names.next().map(|s| s.ident.to_string());
            let made = owner.is_some_and(|owner| types::is_cell(&owner)) && call.args.len() == 1;
            self.0 |= made || last.is_some_and(|last| CHANNELS.contains(&last.as_str()));
        }
        visit::visit_expr_call(self, call);
    }
}

/// Whether a type is one of what is written to through shared references.
pub(crate) fn is_of_cells(ty: &syn::Type) -> bool {
    let mut named = Named::default();
    named.visit_type(ty);
    named.0
}

/// The variables of a body that are bound to such things, beside those that are given.
pub(super) fn cells(body: &syn::Block, given: &FxHashSet<String>) -> FxHashSet<String> {
    struct Cells(FxHashSet<String>);
    impl<'ast> Visit<'ast> for Cells {
        fn visit_item(&mut self, _: &'ast syn::Item) {}

        fn visit_local(&mut self, local: &'ast syn::Local) {
            visit::visit_local(self, local);
            let mut named = Named::default();
            if let syn::Pat::Type(t) = &local.pat {
                named.visit_type(&t.ty);
            }
            let Some(init) = &local.init else { return };
            // A reference to one, or a copy of it.
            let leads = lender(&init.expr).is_some_and(|name| self.0.contains(&name));
            if let syn::Expr::Call(call) = crate::syntax::peel(&init.expr) {
                named.visit_expr_call(call);
            }
            if named.0 || leads {
                let mut bound = Bound(&mut self.0);
                bound.visit_pat(&local.pat);
            }
        }
    }
    struct Bound<'a>(&'a mut FxHashSet<String>);
    impl<'ast> Visit<'ast> for Bound<'_> {
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            self.0.insert(p.ident.to_string());
        }
    }
    let mut cells = Cells(given.clone());
    cells.visit_block(body);
    cells.0
}

impl Facts {
    /// Whether an argument or a receiver is such a thing, or what it lends.
    fn is_cell(&self, e: &syn::Expr) -> bool {
        lender(e).is_some_and(|name| self.cells.contains(&name))
    }

    /// Whether a method is one of such a thing, and is given something active.
    pub(crate) fn is_kept_by(&self, m: &syn::ExprMethodCall) -> bool {
        self.is_cell(&m.receiver)
            && (m.args.iter()).any(|arg| self.mentions_active(arg) && !self.is_stopped(arg))
    }

    /// The innermost call in code that is copied by which something active may be put where the graph does not see it.
    pub(crate) fn stores<'e>(&self, e: &'e syn::Expr) -> Option<&'e syn::Expr> {
        struct Stores<'a, 'e>(&'a Facts, Option<&'e syn::Expr>);
        impl<'ast> Visit<'ast> for Stores<'_, 'ast> {
            fn visit_item(&mut self, _: &'ast syn::Item) {}

            fn visit_expr(&mut self, e: &'ast syn::Expr) {
                if self.0.is_stopped(e) {
                    return;
                }
                visit::visit_expr(self, e);
                let given: Vec<&syn::Expr> = match e {
                    syn::Expr::Call(call) => call.args.iter().collect(),
                    syn::Expr::MethodCall(m) => {
                        std::iter::once(&*m.receiver).chain(m.args.iter()).collect()
                    }
                    _ => Vec::new(),
                };
                let cell = |e: &&syn::Expr| self.0.is_cell(e);
                let active = |e: &&syn::Expr| self.0.mentions_active(e) && !self.0.is_stopped(e);
                if self.1.is_none() && given.iter().any(cell) && given.iter().any(active) {
                    self.1 = Some(e);
                }
            }
        }
        if self.cells.is_empty() {
            return None;
        }
        let mut stores = Stores(self, None);
        stores.visit_expr(e);
        stores.1
    }
}
