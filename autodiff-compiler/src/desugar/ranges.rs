//! Ranges that have a name: the name stands for its bounds.

use proc_macro2::Ident;
use syn::{Expr, Pat, Stmt, parse_quote};

use super::apply::{unparen, variable};
use super::make;
use crate::facts;
use crate::names::Names;
use crate::visit_mut::{self, VisitMut};

/// Puts the ranges that `let`s name where their names are used, and compares with the bounds where a range is asked what it contains.
pub(super) fn ranges(body: &mut syn::Block, names: &mut Names) {
    Ranges { names }.visit_block_mut(body);
}

struct Ranges<'a> {
    names: &'a mut Names,
}

/// `let r = lo..hi;`
fn named(stmt: &Stmt) -> Option<(Ident, syn::ExprRange)> {
    let Stmt::Local(local) = stmt else {
        return None;
    };
    let Pat::Ident(p) = &local.pat else {
        return None;
    };
    let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
    match unparen(&init.expr) {
        Expr::Range(r) if r.start.is_some() && r.end.is_some() => {
            let constant = p.mutability.is_none() && p.by_ref.is_none();
            constant.then(|| (p.ident.clone(), r.clone()))
        }
        _ => None,
    }
}

impl VisitMut for Ranges<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let mut at = 0;
        while at < block.stmts.len() {
            let Some((name, mut range)) = named(&block.stmts[at]) else {
                at += 1;
                continue;
            };
            let mut put = Put {
                name: &name,
                by: None,
                hidden: false,
            };
            let rest = at + 1..block.stmts.len();
            // What a macro does with it cannot be seen.
            block.stmts[rest.clone()]
                .iter_mut()
                .for_each(|stmt| put.visit_stmt_mut(stmt));
            if put.hidden {
                at += 1;
                continue;
            }
            let mut bounds = Vec::new();
            for (bound, is) in [(&mut range.start, "from"), (&mut range.end, "to")] {
                if let Some(e) = bound
                    .as_deref_mut()
                    .filter(|e| !matches!(unparen(e), Expr::Lit(_)))
                {
                    let kept = self.names.fresh(is, name.span());
                    bounds.push(make::variable(
                        &kept,
                        std::mem::replace(e, make::path(&kept)),
                    ));
                }
            }
            put.by = Some(&range);
            block.stmts[rest]
                .iter_mut()
                .for_each(|stmt| put.visit_stmt_mut(stmt));
            block.stmts.splice(at..=at, bounds);
        }
        visit_mut::visit_block_mut(self, block);
    }

    /// `(lo..hi).contains(&x)` compares.
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let Expr::MethodCall(m) = &*e else { return };
        let (Expr::Range(r), Some(Expr::Reference(x))) = (unparen(&m.receiver), m.args.first())
        else {
            return;
        };
        let (Some(lo), Some(hi)) = (&r.start, &r.end) else {
            return;
        };
        // It stands there twice.
        let x = &x.expr;
        let simple = variable(x).is_some() || matches!(unparen(x), Expr::Lit(_));
        if m.method == "contains" && simple {
            *e = match r.limits {
                syn::RangeLimits::HalfOpen(_) => parse_quote!(((#lo) <= #x && #x < (#hi))),
                syn::RangeLimits::Closed(_) => parse_quote!(((#lo) <= #x && #x <= (#hi))),
            };
        }
    }
}

/// Puts a range in the place of a variable; without one, looks for macros that name it.
struct Put<'a> {
    name: &'a Ident,
    by: Option<&'a syn::ExprRange>,
    hidden: bool,
}

impl VisitMut for Put<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        facts::idents(mac.tokens.clone(), &mut |name| {
            self.hidden |= self.name == &name;
        });
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let Some(range) = self.by else { return };
        let is = |e: &Expr| variable(e).is_some_and(|name| name == self.name);
        match e {
            Expr::MethodCall(m) if m.method == "clone" && is_range(&m.receiver, range) => {
                *e = Expr::Range(range.clone());
            }
            Expr::Field(f) if is_range(&f.base, range) => {
                let bound = match &f.member {
                    syn::Member::Named(part) if part == "start" => range.start.as_deref(),
                    syn::Member::Named(part) if part == "end" => range.end.as_deref(),
                    _ => None,
                };
                if let Some(bound) = bound.cloned() {
                    *e = make::paren(bound);
                }
            }
            Expr::MethodCall(m) if is_range(&m.receiver, range) => {
                *m.receiver = parenthesized(range);
            }
            e if is(e) => *e = Expr::Range(range.clone()),
            _ => {}
        }
    }
}

fn parenthesized(range: &syn::ExprRange) -> Expr {
    parse_quote!((#range))
}

/// The range that has been put there.
fn is_range(e: &Expr, range: &syn::ExprRange) -> bool {
    matches!(unparen(e), Expr::Range(r) if r == range)
}
