//! `while`, `while let`, `if let`, `let else` and `?` in terms of `loop` and `match`.

use syn::{parse_quote, parse_quote_spanned};

use super::jumps;
use crate::facts::Facts;
use crate::names::Names;
use crate::visit_mut::{self, VisitMut};

/// Rewrites what is active, or jumps out of itself.
pub(super) struct Plain<'a> {
    pub(super) facts: &'a Facts,
    pub(super) names: &'a mut Names,
}

impl Plain<'_> {
    /// Copied as it stands later on: its inner life does not matter.
    fn stays(&self, e: &syn::Expr) -> bool {
        !self.facts.mentions_active(e) && jumps::of_expr(e).is_empty()
    }
}

impl VisitMut for Plain<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        if self.stays(e) {
            return;
        }
        visit_mut::visit_expr_mut(self, e);
        let new = match e {
            syn::Expr::While(w) => while_loop(w),
            syn::Expr::If(i) => if_let(i),
            syn::Expr::Try(t) => {
                let (inner, span) = (&t.expr, t.question_token.span);
                let name = self.names.fresh("some", span);
                Some(parse_quote_spanned! {span=>
                    match (#inner) { Some(#name) => #name, None => return None }
                })
            }
            _ => None,
        };
        if let Some(new) = new {
            *e = new;
        }
    }
}

/// `while c { … }` → `loop { if !c { break; } … }`
fn while_loop(w: &syn::ExprWhile) -> Option<syn::Expr> {
    let label = w.label.clone()?;
    let target = &label.name;
    let body = &w.body.stmts;
    let mut new: syn::ExprLoop = match &*w.cond {
        syn::Expr::Let(cond) => {
            let (pat, e) = (&cond.pat, &cond.expr);
            parse_quote!(loop { match (#e) { #pat => { #(#body)* } _ => break #target } })
        }
        cond if has_let(cond) => {
            let body = &w.body;
            parse_quote!(loop { if #cond #body else { break #target } })
        }
        cond => {
            let cond = not(cond);
            parse_quote!(loop { if #cond { break #target; } #(#body)* })
        }
    };
    if let syn::Expr::If(inner) = first_expr(&new.body)? {
        if let Some(chain) = if_let(inner) {
            new.body.stmts = vec![syn::Stmt::Expr(chain, None)];
        }
    }
    new.label = Some(label);
    new.loop_token.span = w.while_token.span;
    Some(syn::Expr::Loop(new))
}

fn first_expr(block: &syn::Block) -> Option<&syn::Expr> {
    match block.stmts.first() {
        Some(syn::Stmt::Expr(e, _)) => Some(e),
        _ => None,
    }
}

/// The negation of a condition; a comparison of floats is not turned round, for NaN compares to nothing.
fn not(cond: &syn::Expr) -> syn::Expr {
    match cond {
        syn::Expr::Unary(e) if matches!(e.op, syn::UnOp::Not(_)) => (*e.expr).clone(),
        cond => parse_quote!(!(#cond)),
    }
}

fn has_let(cond: &syn::Expr) -> bool {
    match cond {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(e) if matches!(e.op, syn::BinOp::And(_)) => {
            has_let(&e.left) || has_let(&e.right)
        }
        syn::Expr::Paren(e) => has_let(&e.expr),
        _ => false,
    }
}

/// `if let P = e { a } else { b }` → `match e { P => a, _ => b }`
fn if_let(i: &syn::ExprIf) -> Option<syn::Expr> {
    if !has_let(&i.cond) {
        return None;
    }
    let then = &i.then_branch;
    let other: syn::Expr = match &i.else_branch {
        Some((_, e)) => (**e).clone(),
        None => parse_quote!({}),
    };
    let conds = links(&i.cond);
    if let [syn::Expr::Let(only)] = conds.as_slice() {
        let (pat, e) = (&only.pat, &only.expr);
        return Some(parse_quote!(match (#e) { #pat => #then _ => #other }));
    }
    // A chain fails at any of its links: one block that is left by success, and the other arm behind it.
    let label = label_of(i);
    let inner: syn::Expr = parse_quote!(break #label #then);
    let nested = conds.iter().rev().fold(inner, |inner, cond| match cond {
        syn::Expr::Let(cond) => {
            let (pat, e) = (&cond.pat, &cond.expr);
            parse_quote!(match (#e) { #pat => { #inner; } _ => {} })
        }
        cond => parse_quote!(if #cond { #inner; }),
    });
    Some(parse_quote!(#label: { #nested #other }))
}

/// The conditions of a chain, in order.
pub(in crate::desugar) fn links(cond: &syn::Expr) -> Vec<&syn::Expr> {
    let mut out = Vec::new();
    conjuncts(cond, &mut out);
    out
}

/// A label that no other chain has: it is spelled after its first condition's place in the source.
pub(in crate::desugar) fn label_of(of: &syn::ExprIf) -> syn::Lifetime {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    quote::ToTokens::to_token_stream(of)
        .to_string()
        .hash(&mut hasher);
    syn::Lifetime::new(&format!("'chain_{:x}", hasher.finish()), of.if_token.span)
}

fn conjuncts<'e>(cond: &'e syn::Expr, out: &mut Vec<&'e syn::Expr>) {
    match cond {
        syn::Expr::Binary(e) if matches!(e.op, syn::BinOp::And(_)) && has_let(cond) => {
            conjuncts(&e.left, out);
            conjuncts(&e.right, out);
        }
        syn::Expr::Paren(e) => conjuncts(&e.expr, out),
        cond => out.push(cond),
    }
}
