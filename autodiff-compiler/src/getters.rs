//! Functions that lend part of what they are given, `fn q(&self) -> &[f64] { &self.q }`, as derivatives have them: returning a copy of it.
//!
//! A reference out of a call cannot be followed, and what it refers to may have changed when the reverse sweep comes by.

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Stmt};

use crate::rules;
use crate::std_methods;
use crate::types;

/// Makes such a function one that returns a copy, and says whether it was one.
pub(crate) fn return_copy(sig: &mut syn::Signature, block: &mut syn::Block) -> bool {
    let Some(lent) = lent(sig) else {
        return false;
    };
    let (owned, copy): (syn::Type, fn(&Expr) -> Expr) = match lent {
        syn::Type::Slice(s) => {
            let elem = &s.elem;
            (
                syn::parse_quote!(rt::Vec<#elem>),
                |e| syn::parse_quote!((#e).to_vec()),
            )
        }
        syn::Type::TraitObject(_) | syn::Type::ImplTrait(_) => return false,
        ty => (ty.clone(), |e| syn::parse_quote!((#e).clone())),
    };
    if let syn::ReturnType::Type(_, ty) = &mut sig.output {
        **ty = owned;
    }
    let mut copied = Copied(copy);
    copied.visit_block_mut(block);
    copied.last(block);
    true
}

/// Lends what a method of the user's own gives a variable that is declared a reference, `let q: &[f64] = s.q();`: in derivatives that is a copy.
pub(crate) fn lend_copies(body: &mut syn::Block) {
    struct Lend;
    impl VisitMut for Lend {
        fn visit_item_mut(&mut self, _: &mut syn::Item) {}
        fn visit_local_mut(&mut self, local: &mut syn::Local) {
            visit_mut::visit_local_mut(self, local);
            let declared = match &local.pat {
                syn::Pat::Type(p) => {
                    matches!(types::strip_groups(&p.ty), syn::Type::Reference(r) if r.mutability.is_none())
                }
                _ => false,
            };
            let Some(init) = local.init.as_mut().filter(|_| declared) else {
                return;
            };
            if matches!(&*init.expr, Expr::MethodCall(m) if is_own(m)) {
                let call = &init.expr;
                *init.expr = syn::parse_quote!(&#call);
            }
        }
    }
    Lend.visit_block_mut(body);
}

fn is_own(m: &syn::ExprMethodCall) -> bool {
    let name = m.method.to_string();
    rules::by_method(&name).is_none() && !std_methods::is_standard(&name)
}

/// What a function returns a shared reference to.
fn lent(sig: &syn::Signature) -> Option<&syn::Type> {
    let syn::ReturnType::Type(_, ty) = &sig.output else {
        return None;
    };
    match types::strip_groups(ty) {
        syn::Type::Reference(r) if r.mutability.is_none() => Some(types::strip_groups(&r.elem)),
        _ => None,
    }
}

/// Copies what is returned, with the method for it.
struct Copied(fn(&Expr) -> Expr);

impl Copied {
    fn last(&mut self, block: &mut syn::Block) {
        if let Some(Stmt::Expr(last, None)) = block.stmts.last_mut() {
            self.copy(last);
        }
    }

    fn copy(&mut self, e: &mut Expr) {
        match e {
            Expr::Paren(e) => self.copy(&mut e.expr),
            Expr::Group(e) => self.copy(&mut e.expr),
            Expr::Reference(r) if r.mutability.is_none() => *e = (self.0)(&r.expr),
            Expr::Block(e) if e.label.is_none() => self.last(&mut e.block),
            Expr::Unsafe(e) => self.last(&mut e.block),
            Expr::If(e) => {
                self.last(&mut e.then_branch);
                if let Some((_, other)) = &mut e.else_branch {
                    self.copy(other);
                }
            }
            Expr::Match(e) => e.arms.iter_mut().for_each(|arm| self.copy(&mut arm.body)),
            Expr::Return(_) | Expr::Macro(_) => {}
            _ => *e = (self.0)(e),
        }
    }
}

impl VisitMut for Copied {
    fn visit_expr_return_mut(&mut self, e: &mut syn::ExprReturn) {
        visit_mut::visit_expr_return_mut(self, e);
        if let Some(e) = &mut e.expr {
            self.copy(e);
        }
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
