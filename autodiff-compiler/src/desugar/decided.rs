//! What only decides is copied as it stands: `rt::decided(xs.contains(&x))` is a constant, and rustc checks that no float is in it.

use std::collections::BTreeSet;

use proc_macro2::Span;
use syn::{Expr, parse_quote_spanned};

use super::apply::{unparen, variable};
use super::{closures, make};
use crate::facts::{self, Facts, Given};
use crate::ir::Ty;
use crate::marks;
use crate::own_names;
use crate::syntax;
use crate::types;
use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{self, VisitMut};

/// Where an error about the value of an expression belongs.
fn place(e: &Expr) -> Span {
    let span = match unparen(e) {
        Expr::MethodCall(m) => m.method.span(),
        e => syn::spanned::Spanned::span(e),
    };
    Span::call_site().located_at(span)
}

/// An expression as a constant that rustc makes sure of.
pub(super) fn decided(e: Expr) -> Expr {
    let span = place(&e);
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

/// Whether a chain changes a variable on its way, or may change what it walks through.
pub(super) fn has_effect(e: &Expr, facts: &Facts) -> bool {
    struct Lends(bool);
    impl<'ast> Visit<'ast> for Lends {
        fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
            self.0 |= m.method.to_string().ends_with("_mut");
            visit::visit_expr_method_call(self, m);
        }
    }
    let mut lends = Lends(false);
    lends.visit_expr(e);
    lends.0 || changes(e, facts).is_some()
}

/// Where only a truth value can stand, macros, methods and parameters that the macro does not know decide.
pub(super) fn truths(body: &mut syn::Block, facts: &Facts, given: &Given) {
    let mut conditions = Conditions::default();
    conditions.visit_block(body);
    let mut truths = Truths {
        facts,
        given,
        variables: conditions.0,
    };
    truths.visit_block_mut(body);
}

/// Methods of `Duration`, of whose seconds no derivative depends on anything.
const OF_DURATIONS: &[&str] = &[
    "as_micros",
    "as_millis",
    "as_nanos",
    "as_secs",
    "as_secs_f32",
    "as_secs_f64",
];

/// Durations in fields are constants: each such method is called by its type, so that rustc knows that it is no other.
pub(super) fn durations(body: &mut syn::Block, facts: &Facts) {
    struct Durations<'a>(&'a Facts);
    impl VisitMut for Durations<'_> {
        fn visit_item_mut(&mut self, _: &mut syn::Item) {}

        fn visit_expr_mut(&mut self, e: &mut Expr) {
            visit_mut::visit_expr_mut(self, e);
            let Expr::MethodCall(m) = &*e else { return };
            let of_durations = OF_DURATIONS.iter().any(|name| m.method == name);
            if of_durations
                && m.args.is_empty()
                && matches!(unparen(&m.receiver), Expr::Field(_))
                && self.0.mentions_active(&m.receiver)
            {
                let (of, name, span) = (&m.receiver, &m.method, m.method.span());
                *e = parse_quote_spanned!(span=> rt::stop_gradient(::core::time::Duration::#name(&#of)));
            }
        }
    }
    Durations(facts).visit_block_mut(body);
}

/// The variables that are conditions somewhere.
#[derive(Default)]
struct Conditions(BTreeSet<String>);

impl Conditions {
    fn condition(&mut self, e: &Expr) {
        match unparen(e) {
            Expr::Unary(e) if matches!(e.op, syn::UnOp::Not(_)) => self.condition(&e.expr),
            e => self.0.extend(variable(e).map(ToString::to_string)),
        }
    }
}

impl<'ast> Visit<'ast> for Conditions {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr(&mut self, e: &'ast Expr) {
        match e {
            Expr::If(e) => self.condition(&e.cond),
            Expr::While(e) => self.condition(&e.cond),
            Expr::Binary(e) if syntax::is_logical(&e.op) => {
                self.condition(&e.left);
                self.condition(&e.right);
            }
            _ => {}
        }
        visit::visit_expr(self, e);
    }
}

struct Truths<'a> {
    facts: &'a Facts,
    given: &'a Given,
    /// Variables that are conditions somewhere.
    variables: BTreeSet<String>,
}

impl Truths<'_> {
    fn condition(&self, e: &mut Expr) {
        match e {
            Expr::Paren(e) => self.condition(&mut e.expr),
            Expr::Group(e) => self.condition(&mut e.expr),
            Expr::Unary(e) if matches!(e.op, syn::UnOp::Not(_)) => self.condition(&mut e.expr),
            e if self.is_unknown(e) => {
                let span = place(e);
                let unknown = std::mem::replace(e, make::unit());
                let func = parse_quote_spanned!(span=> rt::decided::<bool>);
                *e = make::call(func, vec![unknown]);
            }
            _ => {}
        }
    }

    fn is_unknown(&self, e: &Expr) -> bool {
        let unknown = match e {
            Expr::Macro(m) => !facts::is_harmless(&m.mac) && self.facts.may_read(&m.mac),
            Expr::MethodCall(m) => {
                let name = m.method.to_string();
                let root = facts::root(&m.receiver);
                let kept = root.is_none_or(|name| !self.facts.may_change(&name));
                let lends = m.args.iter().any(|arg| self.facts.lends(arg));
                own_names::is_foreign(&name) && kept && !lends
            }
            Expr::Call(c) => variable(&c.func).is_some_and(|name| {
                let given = self.given.params.get(&name.to_string());
                given.is_some_and(|v| !v.active && !v.mutable)
            }),
            _ => false,
        };
        let plain = || changes(e, self.facts).is_none() && !leaves(e);
        unknown && self.facts.mentions_active(e) && plain()
    }
}

/// Whether there is a jump in an expression.
fn leaves(e: &Expr) -> bool {
    struct Leaves(bool);
    impl<'ast> Visit<'ast> for Leaves {
        fn visit_item(&mut self, _: &'ast syn::Item) {}

        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

        fn visit_expr(&mut self, e: &'ast Expr) {
            use Expr::{Await, Break, Continue, Return, Try};
            self.0 |= matches!(e, Await(_) | Break(_) | Continue(_) | Return(_) | Try(_));
            visit::visit_expr(self, e);
        }
    }
    let mut leaves = Leaves(false);
    leaves.visit_expr(e);
    leaves.0
}

impl VisitMut for Truths<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            // What is constant stands as it is.
            Expr::Call(c) if marks::is_stop_gradient(&c.func) => return,
            Expr::If(e) => self.condition(&mut e.cond),
            Expr::While(e) => self.condition(&mut e.cond),
            Expr::Binary(e) if syntax::is_logical(&e.op) => {
                self.condition(&mut e.left);
                self.condition(&mut e.right);
            }
            _ => {}
        }
        visit_mut::visit_expr_mut(self, e);
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Some(init) = &mut local.init {
            let truth = match &local.pat {
                syn::Pat::Type(t) => matches!(types::read(&t.ty), Ty::Bool),
                syn::Pat::Ident(p) => self.variables.contains(&p.ident.to_string()),
                _ => false,
            };
            if truth {
                self.condition(&mut init.expr);
            }
        }
        visit_mut::visit_local_mut(self, local);
    }
}
