//! Gives every loop a label of its own, and every jump the label it leads to.

use crate::visit_mut::{self, OtherMut, VisitMut};

/// Labels all loops and jumps of a body.
pub(super) fn label(body: &mut syn::Block) {
    Labels {
        scopes: Vec::new(),
        next: 0,
    }
    .visit_block_mut(body);
}

/// A target in scope.
struct Scope {
    written: Option<String>,
    unique: syn::Lifetime,
    is_loop: bool,
}

struct Labels {
    scopes: Vec<Scope>,
    next: usize,
}

impl Labels {
    fn within(&mut self, label: &mut Option<syn::Label>, is_loop: bool, f: impl FnOnce(&mut Self)) {
        let span = label
            .as_ref()
            .map_or(proc_macro2::Span::call_site(), |l| l.name.ident.span());
        let unique = syn::Lifetime::new(&format!("'l{}", self.next), span);
        self.next += 1;
        let written = label.as_ref().map(|l| l.name.ident.to_string());
        self.scopes.push(Scope {
            written,
            unique: unique.clone(),
            is_loop,
        });
        f(self);
        self.scopes.pop();
        *label = Some(syn::Label {
            name: unique,
            colon_token: syn::token::Colon::default(),
        });
    }

    /// The target that a jump names, or the innermost loop.
    fn target(&self, label: Option<&syn::Lifetime>) -> Option<syn::Lifetime> {
        let mut scopes = self.scopes.iter().rev();
        let found = match label {
            Some(label) => scopes.find(|s| {
                s.written
                    .as_ref()
                    .is_some_and(|written| label.ident == written)
            }),
            None => scopes.find(|s| s.is_loop),
        };
        found.map(|s| s.unique.clone())
    }
}

impl VisitMut for Labels {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_closure_mut(&mut self, e: &mut syn::ExprClosure) {
        let outer = std::mem::take(&mut self.scopes);
        visit_mut::visit_expr_closure_mut(self, e);
        self.scopes = outer;
    }

    fn visit_expr_while_mut(&mut self, e: &mut syn::ExprWhile) {
        let (cond, body) = (&mut e.cond, &mut e.body);
        self.within(&mut e.label, true, |cx| {
            cx.visit_expr_mut(cond);
            cx.visit_block_mut(body);
        });
    }

    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        self.visit_expr_mut(&mut e.expr);
        let body = &mut e.body;
        self.within(&mut e.label, true, |cx| cx.visit_block_mut(body));
    }

    fn visit_other_mut(&mut self, node: OtherMut<'_>) {
        match node {
            OtherMut::ExprLoop(e) => {
                let body = &mut e.body;
                self.within(&mut e.label, true, |cx| cx.visit_block_mut(body));
            }
            OtherMut::ExprBlock(e) => {
                let body = &mut e.block;
                if e.label.is_some() {
                    self.within(&mut e.label, false, |cx| cx.visit_block_mut(body));
                } else {
                    self.visit_block_mut(body);
                }
            }
            OtherMut::ExprBreak(e) => {
                if let Some(value) = &mut e.expr {
                    self.visit_expr_mut(value);
                }
                if let Some(target) = self.target(e.label.as_ref()) {
                    e.label = Some(target);
                }
            }
            OtherMut::ExprContinue(e) => {
                if let Some(target) = self.target(e.label.as_ref()) {
                    e.label = Some(target);
                }
            }
            other => other.walk(self),
        }
    }
}
