//! Loops that are left: tests at the head of the body stay, other jumps make it yield whether to stop.

use quote::format_ident;
use syn::parse_quote;

use super::jumps::{self, Jump};
use super::rewrite::{Bind, Frame, Mode, Rewrite, Stmts, jumps_of};
use super::slots::Slot;
use crate::visit_mut::VisitMut;

impl Rewrite<'_> {
    pub(super) fn looped(
        &mut self,
        e: syn::Expr,
        bind: Bind,
        rest: Stmts,
        mode: &Mode,
        out: &mut Stmts,
    ) {
        let mut e = e;
        let falls = jumps::falls(&e);
        let escapes = jumps::of_expr(&e);
        let (label, body) = match &mut e {
            syn::Expr::Loop(l) => (jumps::label_of(l.label.as_ref()), &mut l.body),
            syn::Expr::ForLoop(l) => (jumps::label_of(l.label.as_ref()), &mut l.body),
            _ => return,
        };
        let own = Jump::Break(label.clone());
        let ty = self.target_ty(body, None, &own);
        let has_value = !jumps::values(body, &own).is_empty();
        let slot = has_value.then(|| Slot::new(self.fresh("value"), &ty));
        let mut stmts = std::mem::take(&mut body.stmts);
        let mut new = self.head(&mut stmts, &label);
        let leaving = jumps_of(std::slice::from_ref(&stmts));
        let until = leaving.iter().any(|j| *j != Jump::Continue(label.clone()));
        self.frames.push(Frame {
            label: label.clone(),
            slot: slot.clone(),
        });
        new.extend(self.sequence(stmts, &Mode::Loop { label, until }));
        self.frames.pop();
        let attrs = match &mut e {
            syn::Expr::Loop(l) => {
                l.body.stmts = new;
                l.label = None;
                &mut l.attrs
            }
            syn::Expr::ForLoop(l) => {
                self.visit_expr_mut(&mut l.expr);
                l.body.stmts = new;
                l.label = None;
                &mut l.attrs
            }
            _ => return,
        };
        if until {
            let mark = format_ident!("{}", super::UNTIL);
            attrs.push(parse_quote!(#[#mark]));
        }
        out.extend(slot.iter().map(Slot::declare));
        out.push(syn::Stmt::Expr(e, Some(syn::token::Semi::default())));
        let value = slot.as_ref().map(Slot::read);
        if escapes.is_empty() {
            if falls {
                self.settle(value, bind, rest, mode, out);
            } else {
                out.push(parse_quote!(::core::unreachable!();));
            }
        } else if falls {
            self.guarded(value, &escapes, bind, rest, mode, out);
        } else {
            let leave = self.dispatch(&escapes, mode);
            out.extend(leave);
        }
    }

    /// Takes the tests at the head of a loop's body that nothing has changed before.
    fn head(&mut self, stmts: &mut Stmts, label: &str) -> Stmts {
        let mut new = Stmts::new();
        loop {
            let test = stmts
                .iter()
                .position(|s| jumps::plain_break(s, label).is_some());
            let Some(at) = test else { return new };
            let before = &stmts[..at];
            let clean = jumps::plain_break(&stmts[at], label).is_some_and(|cond| {
                jumps::of_expr(cond).is_empty()
                    && jumps_of(std::slice::from_ref(&before.to_vec())).is_empty()
                    && jumps::is_clean(before, cond)
            });
            if !clean {
                return new;
            }
            let tail = stmts.split_off(at + 1);
            for stmt in std::mem::replace(stmts, tail) {
                new.push(self.inside(stmt));
            }
            if let Some(syn::Stmt::Expr(syn::Expr::If(test), _)) = new.last_mut() {
                test.then_branch.stmts = vec![parse_quote!(break;)];
            }
        }
    }
}
