//! Conditionals and labelled blocks that jump: the rest goes into the arm that falls through, or waits for no jump to be under way.

use syn::parse_quote;

use super::jumps::{self, Jump};
use super::rewrite::{Bind, Frame, Mode, Rewrite, Stmts, bound, jumps_of};
use super::slots::Slot;
use crate::visit_mut::VisitMut;

impl Rewrite<'_> {
    pub(super) fn labelled(
        &mut self,
        b: syn::ExprBlock,
        bind: Bind,
        rest: Stmts,
        mode: &Mode,
        out: &mut Stmts,
    ) {
        let label = jumps::label_of(b.label.as_ref());
        let own = Jump::Break(label.clone());
        let ty = self.target_ty(&b.block, crate::syntax::block_value(&b.block), &own);
        let slot = match bind {
            Bind::Discard => None,
            Bind::Let(_) | Bind::Tail => Some(Slot::new(self.fresh("value"), &ty)),
        };
        let escapes = jumps::of_expr(&syn::Expr::Block(b.clone()));
        self.frames.push(Frame {
            label: label.clone(),
            slot: slot.clone(),
        });
        if escapes.is_empty() {
            let stmts = self.sequence(b.block.stmts, &Mode::Block { label });
            self.frames.pop();
            // Only a jump from before the end leaves its value in the slot.
            let used = slot.filter(|slot| slot.is_named_in(&stmts));
            out.extend(used.iter().map(Slot::declare));
            self.settle(Some(parse_quote!({ #(#stmts)* })), bind, rest, mode, out);
            return;
        }
        out.extend(slot.iter().map(Slot::declare));
        let inner = Mode::Inner { slot: slot.clone() };
        let stmts = self.sequence(b.block.stmts, &inner);
        self.frames.pop();
        out.extend(stmts.into_iter().map(closed));
        if self.codes.contains(&own) {
            let (code, k) = (self.code.clone(), self.number(&own));
            out.push(syn::Stmt::Expr(
                parse_quote!(if #code == #k { #code = 0; }),
                None,
            ));
        }
        self.guarded(
            slot.as_ref().map(Slot::read),
            &escapes,
            bind,
            rest,
            mode,
            out,
        );
    }

    pub(super) fn conditional(
        &mut self,
        e: syn::Expr,
        bind: Bind,
        rest: Stmts,
        mode: &Mode,
        out: &mut Stmts,
    ) {
        let mut e = e;
        let bodies = take_arms(&mut e);
        let falling: Vec<usize> = (0..bodies.len())
            .filter(|&k| bodies[k].iter().all(jumps::stmt_falls))
            .collect();
        if falling.len() <= 1 || rest.is_empty() && !matches!(bind, Bind::Let(_)) {
            let mut rest = Some(rest);
            let mut new = Vec::new();
            for (k, body) in bodies.into_iter().enumerate() {
                let mut stmts = bound(body, &bind);
                if falling.contains(&k) {
                    if let (1, Some(rest)) = (falling.len(), rest.take()) {
                        stmts.extend(rest);
                    }
                }
                new.push(self.sequence(stmts, mode));
            }
            out.push(syn::Stmt::Expr(self.with_arms(e, new), None));
            return;
        }
        let escapes = jumps_of(&bodies);
        let slot = match &bind {
            Bind::Discard => None,
            Bind::Let(_) | Bind::Tail => {
                let ty = self.arms_ty(&bodies);
                Some(Slot::new(self.fresh("value"), &ty))
            }
        };
        out.extend(slot.iter().map(Slot::declare));
        let inner = Mode::Inner { slot: slot.clone() };
        let new = bodies
            .into_iter()
            .map(|body| {
                self.sequence(body, &inner)
                    .into_iter()
                    .map(closed)
                    .collect()
            })
            .collect();
        let e = self.with_arms(e, new);
        out.push(syn::Stmt::Expr(e, Some(syn::token::Semi::default())));
        self.guarded(
            slot.as_ref().map(Slot::read),
            &escapes,
            bind,
            rest,
            mode,
            out,
        );
    }

    /// Puts arms back, with the patterns and guards rewritten.
    fn with_arms(&mut self, e: syn::Expr, bodies: Vec<Stmts>) -> syn::Expr {
        let mut bodies = bodies.into_iter();
        let mut next = || bodies.next().unwrap_or_default();
        match e {
            syn::Expr::If(mut i) => {
                self.visit_expr_mut(&mut i.cond);
                i.then_branch.stmts = next();
                let other = next();
                i.else_branch = if other.is_empty() {
                    None
                } else {
                    Some((syn::token::Else::default(), parse_quote!({ #(#other)* })))
                };
                // `if c { true } else { false }` is `c`.
                match (
                    stop_of(&i.then_branch.stmts),
                    i.else_branch.as_ref().and_then(|(_, e)| match &**e {
                        syn::Expr::Block(b) => stop_of(&b.block.stmts),
                        _ => None,
                    }),
                ) {
                    (Some(true), Some(false)) => *i.cond,
                    _ => syn::Expr::If(i),
                }
            }
            syn::Expr::Match(mut m) => {
                self.visit_expr_mut(&mut m.expr);
                for arm in &mut m.arms {
                    let stmts = next();
                    *arm.body = parse_quote!({ #(#stmts)* });
                    arm.comma = None;
                }
                syn::Expr::Match(m)
            }
            other => other,
        }
    }
}

/// The truth value that statements consist of.
fn stop_of(stmts: &[syn::Stmt]) -> Option<bool> {
    match stmts {
        [
            syn::Stmt::Expr(
                syn::Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Bool(b),
                    ..
                }),
                None,
            ),
        ] => Some(b.value),
        _ => None,
    }
}

/// A statement whose value is not used.
fn closed(stmt: syn::Stmt) -> syn::Stmt {
    match stmt {
        syn::Stmt::Expr(e, None) => syn::Stmt::Expr(e, Some(syn::token::Semi::default())),
        other => other,
    }
}

/// Takes the statements out of the arms of a conditional.
fn take_arms(e: &mut syn::Expr) -> Vec<Stmts> {
    let of = |body: syn::Expr| match body {
        syn::Expr::Block(b) if b.label.is_none() => b.block.stmts,
        body => vec![syn::Stmt::Expr(body, None)],
    };
    match e {
        syn::Expr::If(i) => {
            let then = std::mem::take(&mut i.then_branch.stmts);
            let other = i.else_branch.take().map(|(_, e)| of(*e));
            vec![then, other.unwrap_or_default()]
        }
        syn::Expr::Match(m) => m
            .arms
            .iter_mut()
            .map(|arm| {
                let body = std::mem::replace(&mut *arm.body, parse_quote!(()));
                of(body)
            })
            .collect(),
        _ => Vec::new(),
    }
}
