//! What only decides is copied as it stands: `rt::decided(xs.contains(&x))` is a constant, and rustc checks that no float is in it.

use std::collections::BTreeSet;

use proc_macro2::Span;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, parse_quote_spanned};

use super::apply::{unparen, variable};
use super::{closures, make};
use crate::facts::{self, Facts};
use crate::ir::Ty;
use crate::{own_names, rules, types};

/// An expression as a constant that rustc makes sure of.
pub(super) fn decided(e: Expr) -> Expr {
    let span = Span::call_site().located_at(syn::spanned::Spanned::span(&e));
    make::call(parse_quote_spanned!(span=> rt::decided), vec![e])
}

/// The first closure in an expression that changes a variable around it.
pub(super) fn changes(e: &Expr, facts: &Facts) -> Option<syn::ExprClosure> {
    struct Changes<'a> {
        facts: &'a Facts,
        found: Option<syn::ExprClosure>,
    }
    impl<'ast> Visit<'ast> for Changes<'_> {
        fn visit_expr_closure(&mut self, c: &'ast syn::ExprClosure) {
            if closures::changes_captured(c, self.facts) {
                self.found.get_or_insert_with(|| c.clone());
            }
            visit::visit_expr_closure(self, c);
        }
    }
    let mut changes = Changes { facts, found: None };
    changes.visit_expr(e);
    changes.found
}

/// What a place asks for.
#[derive(Clone, Copy)]
enum Asked {
    Truth,
    Count,
    /// Something without a float in it, by its type as it is written.
    Constant,
}

/// Where only a truth value or an integer can stand, what the macro does not know decides: the user's own functions and macros.
pub(super) fn asked(body: &mut syn::Block, facts: &Facts) {
    let mut conditions = Conditions::default();
    conditions.visit_block(body);
    let mut positions = Positions {
        facts,
        truths: conditions.0,
    };
    positions.visit_block_mut(body);
}

/// The variables that are conditions somewhere.
#[derive(Default)]
struct Conditions(BTreeSet<String>);

impl Conditions {
    fn condition(&mut self, e: &Expr) {
        match unparen(e) {
            Expr::Binary(e) if facts::is_logical(&e.op) => {
                self.condition(&e.left);
                self.condition(&e.right);
            }
            Expr::Unary(e) if matches!(e.op, syn::UnOp::Not(_)) => self.condition(&e.expr),
            e => self.0.extend(variable(e).map(ToString::to_string)),
        }
    }
}

impl<'ast> Visit<'ast> for Conditions {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_if(&mut self, e: &'ast syn::ExprIf) {
        self.condition(&e.cond);
        visit::visit_expr_if(self, e);
    }

    fn visit_expr_while(&mut self, e: &'ast syn::ExprWhile) {
        self.condition(&e.cond);
        visit::visit_expr_while(self, e);
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        if facts::is_logical(&e.op) {
            self.condition(&e.left);
            self.condition(&e.right);
        }
        visit::visit_expr_binary(self, e);
    }
}

struct Positions<'a> {
    facts: &'a Facts,
    truths: BTreeSet<String>,
}

impl Positions<'_> {
    fn ask(&self, e: &mut Expr, asked: Asked) {
        match (e, asked) {
            (Expr::Paren(e), _) => self.ask(&mut e.expr, asked),
            (Expr::Group(e), _) => self.ask(&mut e.expr, asked),
            (Expr::Unary(e), Asked::Truth) if matches!(e.op, syn::UnOp::Not(_)) => {
                self.ask(&mut e.expr, asked);
            }
            (Expr::Binary(e), Asked::Count) if !facts::is_comparison(&e.op) => {
                self.ask(&mut e.left, asked);
                self.ask(&mut e.right, asked);
            }
            (e, _) if self.is_unknown(e) => {
                let span = Span::call_site().located_at(syn::spanned::Spanned::span(&*e));
                let func = match asked {
                    Asked::Truth => parse_quote_spanned!(span=> rt::decided::<bool>),
                    Asked::Count => parse_quote_spanned!(span=> rt::counted),
                    Asked::Constant => parse_quote_spanned!(span=> rt::decided),
                };
                let unknown = std::mem::replace(e, make::unit());
                *e = make::call(func, vec![unknown]);
            }
            _ => {}
        }
    }

    /// Whether an expression is a function, method or macro of the user's own that is given something active, and only looks at it.
    fn is_unknown(&self, e: &Expr) -> bool {
        let given = |args: &syn::punctuated::Punctuated<Expr, syn::Token![,]>| {
            !args.iter().any(|arg| self.facts.lends(arg)) && changes(e, self.facts).is_none()
        };
        let unknown = match e {
            Expr::Call(c) => {
                let Expr::Path(p) = unparen(&c.func) else {
                    return false;
                };
                let local = p.path.get_ident().map(ToString::to_string);
                let ours = p.path.segments[0].ident == "rt" || facts::is_stop_gradient(&c.func);
                let made = p.path.segments.last().is_some_and(|s| {
                    types::is_constructor(&s.ident.to_string()) || s.ident == "Some"
                });
                let known = facts::vec_macro(c).is_some() || ours || made;
                !known && local.is_none_or(|name| self.facts.get(&name).is_none()) && given(&c.args)
            }
            Expr::MethodCall(m) => {
                let name = m.method.to_string();
                let root = facts::root(&m.receiver);
                let kept = root.is_none_or(|name| !self.facts.may_change(&name));
                let known = rules::by_method(&name).is_some() || !own_names::is_foreign(&name);
                !known && kept && given(&m.args)
            }
            Expr::Macro(m) => !facts::is_harmless(&m.mac) && self.facts.may_read(&m.mac),
            _ => false,
        };
        unknown && self.facts.mentions_active(e) && !leaves(e)
    }
}

/// Whether there is a jump in an expression.
fn leaves(e: &Expr) -> bool {
    struct Leaves(bool);
    impl<'ast> Visit<'ast> for Leaves {
        fn visit_item(&mut self, _: &'ast syn::Item) {}
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
        fn visit_expr(&mut self, e: &'ast Expr) {
            self.0 |= matches!(
                e,
                Expr::Try(_)
                    | Expr::Return(_)
                    | Expr::Break(_)
                    | Expr::Continue(_)
                    | Expr::Await(_)
            );
            visit::visit_expr(self, e);
        }
    }
    let mut leaves = Leaves(false);
    leaves.visit_expr(e);
    leaves.0
}

impl VisitMut for Positions<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            // What is constant stands as it is.
            Expr::Call(c) if facts::is_stop_gradient(&c.func) => return,
            Expr::If(e) => self.ask(&mut e.cond, Asked::Truth),
            Expr::While(e) => self.ask(&mut e.cond, Asked::Truth),
            Expr::Binary(e) if facts::is_logical(&e.op) => {
                self.ask(&mut e.left, Asked::Truth);
                self.ask(&mut e.right, Asked::Truth);
            }
            Expr::Index(i) => {
                let list = self.facts.ty(&i.expr);
                if matches!(list, Ty::Array(..) | Ty::Slice(_) | Ty::Vec(_)) {
                    self.ask(&mut i.index, Asked::Count);
                }
            }
            Expr::Match(m) => {
                let patterns: Vec<_> = m.arms.iter().map(|arm| literal(&arm.pat)).collect();
                if patterns.contains(&Some(true)) && !patterns.contains(&None) {
                    self.ask(&mut m.expr, Asked::Constant);
                }
            }
            _ => {}
        }
        visit_mut::visit_expr_mut(self, e);
    }

    fn visit_pat_guard_mut(&mut self, p: &mut syn::PatGuard) {
        self.ask(&mut p.guard, Asked::Truth);
        visit_mut::visit_pat_guard_mut(self, p);
    }

    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        if let Expr::Range(r) = &mut *e.expr {
            for end in r.start.iter_mut().chain(&mut r.end) {
                self.ask(end, Asked::Count);
            }
        }
        visit_mut::visit_expr_for_loop_mut(self, e);
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Some(init) = &mut local.init {
            match &local.pat {
                syn::Pat::Type(t) if types::read(&t.ty).is_inert() => {
                    self.ask(&mut init.expr, Asked::Constant);
                }
                syn::Pat::Ident(p) if self.truths.contains(&p.ident.to_string()) => {
                    self.ask(&mut init.expr, Asked::Truth);
                }
                _ => {}
            }
        }
        visit_mut::visit_local_mut(self, local);
    }
}

/// Whether a pattern is an integer or a truth value; nothing if it is something else than these or anything.
fn literal(p: &syn::Pat) -> Option<bool> {
    match p {
        syn::Pat::Lit(p) => matches!(p.lit, syn::Lit::Int(_) | syn::Lit::Bool(_)).then_some(true),
        syn::Pat::Wild(_) => Some(false),
        syn::Pat::Or(p) => p.cases.iter().map(literal).reduce(|a, b| Some(a? | b?))?,
        syn::Pat::Guard(p) => literal(&p.pat),
        syn::Pat::Paren(p) => literal(&p.pat),
        _ => None,
    }
}
