//! `for` loops over chains.

use proc_macro2::Span;
use syn::Expr;

use super::super::apply::OfFunction;
use super::super::make;
use super::Chains;
use super::ends::needs_writing_out;
use super::pipe::Step;
use crate::visit_mut::{self, OtherMut, VisitMut};

/// Gives jumps of a loop's body the labels of the loops they belong to.
struct Jumps<'a> {
    label: Option<&'a syn::Label>,
    leave: &'a syn::Lifetime,
    next: &'a syn::Lifetime,
    depth: usize,
    leaves: bool,
    continues: bool,
}

impl Jumps<'_> {
    fn belongs(&self, label: Option<&syn::Lifetime>) -> bool {
        match label {
            None => self.depth == 0,
            Some(label) => self.label.is_some_and(|l| l.name.ident == label.ident),
        }
    }

    fn inner(&mut self, f: impl FnOnce(&mut Self)) {
        self.depth += 1;
        f(self);
        self.depth -= 1;
    }
}

impl VisitMut for Jumps<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        self.visit_expr_mut(&mut e.expr);
        self.inner(|cx| cx.visit_block_mut(&mut e.body));
    }

    fn visit_expr_while_mut(&mut self, e: &mut syn::ExprWhile) {
        self.inner(|cx| visit_mut::visit_expr_while_mut(cx, e));
    }

    fn visit_other_mut(&mut self, node: OtherMut<'_>) {
        match node {
            OtherMut::ExprBreak(e) => {
                if self.belongs(e.label.as_ref()) {
                    e.label = Some(self.leave.clone());
                    self.leaves = true;
                }
                OtherMut::ExprBreak(e).walk(self);
            }
            OtherMut::ExprContinue(e) => {
                if self.belongs(e.label.as_ref()) {
                    e.label = Some(self.next.clone());
                    self.continues = true;
                }
            }
            OtherMut::ExprLoop(e) => {
                self.inner(|cx| cx.visit_block_mut(&mut e.body));
            }
            other => other.walk(self),
        }
    }
}

impl Chains<'_> {
    /// `for pat in CHAIN { body }`
    pub(super) fn head(&mut self, e: &Expr) -> Option<Expr> {
        let Expr::ForLoop(e) = e else { return None };
        if !needs_writing_out(&e.expr) || !self.facts.mentions_active(&e.expr) {
            return None;
        }
        let mut pipe = self.pipe(&e.expr)?;
        let name = self.names.fresh("round", Span::call_site());
        let next = syn::Lifetime::new(&format!("'{name}"), Span::call_site());
        let inner = |steps: &[Step]| steps.iter().any(|s| matches!(s, Step::Loop(..)));
        let single = pipe.branches.len() == 1 && !inner(&pipe.branches[0].steps);
        let own = pipe.exit.label.clone();
        let mut jumps = Jumps {
            label: e.label.as_ref(),
            leave: &own,
            next: if single { &own } else { &next },
            depth: 0,
            leaves: false,
            continues: false,
        };
        let mut body = e.body.clone();
        jumps.visit_block_mut(&mut body);
        OfFunction { mark: true }.visit_block_mut(&mut body);
        let (leaves, continues) = (jumps.leaves, jumps.continues);
        pipe.exit.used |= leaves || (single && continues);
        if continues && !single {
            // The round that is left is that of the innermost loop.
            for branch in &mut pipe.branches {
                let innermost = branch.steps.iter_mut().rev().find_map(|step| match step {
                    Step::Loop(label, ..) => Some(label),
                    _ => None,
                });
                match innermost {
                    Some(label) => *label = Some(next.clone()),
                    None => {
                        self.errors.error(
                            e.for_token,
                            "`continue` in a loop over joined iterators is not supported; use `if`",
                        );
                        return None;
                    }
                }
            }
        }
        let mut closure: syn::ExprClosure = syn::parse_quote!(|_| ());
        closure.inputs = std::iter::once((*e.pat).clone()).collect();
        closure.body = Box::new(make::labelled(None, body));
        let mut function = super::pipe::Function::once(closure);
        let stmts = self.run(pipe, &mut |cx, branch| {
            let item = branch.take();
            let value = cx.call(&mut function, vec![item], branch);
            super::adapt::effect(value, branch);
        });
        let mut whole = make::block(stmts, None);
        OfFunction { mark: false }.visit_expr_mut(&mut whole);
        Some(whole)
    }
}
