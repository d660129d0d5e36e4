//! Methods that change their receiver and lend it again, `fn rate(&mut self, r: f64) -> &mut Self { self.rate = r; self }`.
//!
//! To derivatives they return nothing. So what is called on what they lend finds no method, unless it is a statement of its own,
//! `b.rate(r).steps(n);`: those are one call after the other.

use syn::{Expr, Stmt};

use crate::types;
use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{self, VisitMut};

/// Whether this is such a method; `owner` is the type of its block, where that is at hand.
pub(crate) fn is_lent(sig: &syn::Signature, block: &syn::Block, owner: Option<&str>) -> bool {
    let syn::ReturnType::Type(_, ty) = &sig.output else {
        return false;
    };
    let syn::Type::Reference(lent) = types::strip_groups(ty) else {
        return false;
    };
    let name = types::named_as(&lent.elem);
    let own = name.is_some_and(|name| name == "Self" || Some(name.as_str()) == owner);
    let changes =
        |r: &syn::Receiver| matches!(&r.kind, syn::ReceiverKind::Reference(_, _, Some(_)));
    let last = matches!(block.stmts.last(), Some(Stmt::Expr(last, None)) if is_self(last));
    let mut others = Others(false);
    others.visit_block(block);
    own && lent.mutability.is_some() && sig.receiver().is_some_and(changes) && last && !others.0
}

/// Makes such a method one that returns nothing.
pub(crate) fn return_nothing(sig: &mut syn::Signature, block: &mut syn::Block) {
    sig.output = syn::ReturnType::Default;
    block.stmts.pop();
    Nothing.visit_block_mut(block);
}

fn is_self(e: &Expr) -> bool {
    matches!(e, Expr::Path(p) if p.path.is_ident("self"))
}

/// Whether something else is returned somewhere.
struct Others(bool);

impl<'ast> Visit<'ast> for Others {
    fn visit_expr_return(&mut self, e: &'ast syn::ExprReturn) {
        self.0 |= !e.expr.as_deref().is_some_and(is_self);
        visit::visit_expr_return(self, e);
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

struct Nothing;

impl VisitMut for Nothing {
    fn visit_expr_return_mut(&mut self, e: &mut syn::ExprReturn) {
        visit_mut::visit_expr_return_mut(self, e);
        e.expr = None;
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
