//! What comes out of an error is a constant, and rustc makes sure that no number is in it.
//!
//! An error, and what it is taken apart into, may be shown, compared and passed on as an error.
//! Whatever else is made of it goes through `rt::fallible::outcome`, which takes what a number cannot be in, and so does a variable that is used otherwise.

use rustc_hash::FxHashSet;

use proc_macro2::{Ident, Span};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Expr, Pat, Stmt, parse_quote_spanned};

use super::apply::unparen;
use super::make;
use super::results::{HARMLESS, is_of_constants};
use crate::errors::Errors;
use crate::facts::{self, Facts};
use crate::marks;
use crate::syntax;
use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{self, VisitMut};

const MIXED: &str = "what is made here of an error and of variables that change or have a derivative is lost; call a function with what the error is of, or write `autodiff::stop_gradient(…)`";

/// The variables of a pattern.
#[derive(Default)]
pub(super) struct Bound(pub(super) Vec<Ident>);

impl<'ast> Visit<'ast> for Bound {
    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        if !crate::syntax::is_constant(p) {
            self.0.push(p.ident.clone());
        }
        visit::visit_pat_ident(self, p);
    }
}

/// What is known around the code that handles an error.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) facts: &'a Facts,
    /// What closures bind.
    pub(super) passed: &'a FxHashSet<String>,
}

impl Around<'_> {
    /// Whether code may see a number by a variable, or keep one in it.
    fn is_of_account(&self, name: &str) -> bool {
        self.passed.contains(name)
            || self
                .facts
                .get(name)
                .is_some_and(|var| var.active || self.facts.may_change(name))
    }
}

/// The code that handles an error, which is bound by a pattern.
pub(super) fn handled(pat: &Pat, body: &mut Expr, around: Around<'_>, errors: &mut Errors) {
    let mut outcomes = Outcomes::of(pat, around, errors);
    outcomes.visit_expr_mut(body);
    let mut checks = Checks(outcomes.used);
    checks.visit_expr_mut(body);
    let stmts = checks.of(pat);
    if !stmts.is_empty() {
        let inner = std::mem::replace(body, make::unit());
        *body = make::block(stmts, Some(inner));
    }
}

/// A closure that is given an error, and perhaps makes another one of it.
pub(super) fn mapped(f: &mut Expr, makes_error: bool, around: Around<'_>, errors: &mut Errors) {
    let Expr::Closure(c) = f else {
        return;
    };
    let Some(pat) = c.inputs.first().cloned() else {
        return;
    };
    let mut outcomes = Outcomes::of(&pat, around, errors);
    outcomes.makes_error = makes_error;
    outcomes.yields = makes_error;
    if !outcomes.is_taken(&c.body) || makes_error {
        outcomes.end(&mut c.body);
    }
    let mut checks = Checks(outcomes.used);
    checks.visit_expr_mut(&mut c.body);
    let stmts = checks.of(&pat);
    if !stmts.is_empty() {
        let inner = std::mem::replace(&mut *c.body, make::unit());
        *c.body = make::block(stmts, Some(inner));
    }
}

/// What rustc checks of an expression, at its place.
fn outcome(e: &Expr) -> Expr {
    let span = match unparen(e) {
        Expr::MethodCall(m) => m.method.span(),
        e => e.span(),
    };
    let span = Span::call_site().located_at(span);
    let func = quote_spanned!(span=> rt::fallible::outcome);
    parse_quote_spanned!(span=> rt::stop_gradient(#func(#e)))
}

struct Outcomes<'a, 'b> {
    around: Around<'a>,
    errors: &'b mut Errors,
    /// Variables that hold errors, or parts of them.
    names: FxHashSet<String>,
    /// Those that are used as values.
    used: FxHashSet<String>,
    /// What this closure returns is an error itself.
    makes_error: bool,
    /// What the code yields here is that.
    yields: bool,
}

impl<'a, 'b> Outcomes<'a, 'b> {
    fn of(pat: &Pat, around: Around<'a>, errors: &'b mut Errors) -> Self {
        let mut outcomes = Outcomes {
            around,
            errors,
            names: FxHashSet::default(),
            used: FxHashSet::default(),
            makes_error: false,
            yields: false,
        };
        outcomes.taken_apart(pat);
        outcomes
    }

    fn taken_apart(&mut self, pat: &Pat) {
        let mut bound = Bound::default();
        bound.visit_pat(pat);
        self.names.extend(bound.0.iter().map(ToString::to_string));
    }

    fn mentions(&self, e: &Expr) -> bool {
        facts::mentions(e, &|name| self.names.contains(name))
    }

    /// Whether an expression is made of errors, and of nothing that changes or has a derivative.
    fn is_of_errors(&self, e: &Expr) -> bool {
        self.mentions(e)
            && !facts::mentions(e, &|name| {
                !self.names.contains(name) && self.around.is_of_account(name)
            })
    }

    /// Whether an expression, which may be taken apart, is made of errors in one go.
    fn is_taken(&self, e: &Expr) -> bool {
        let flows = matches!(
            unparen(e),
            Expr::Block(_)
                | Expr::Closure(_)
                | Expr::ForLoop(_)
                | Expr::If(_)
                | Expr::Loop(_)
                | Expr::Match(_)
                | Expr::Unsafe(_)
                | Expr::While(_)
        );
        !flows && self.is_of_errors(e)
    }

    /// What a closure yields that makes an error.
    fn last(&mut self, e: &mut Expr) {
        match e {
            Expr::Paren(e) => self.last(&mut e.expr),
            Expr::Group(e) => self.last(&mut e.expr),
            Expr::Block(b) => self.visit_block_mut(&mut b.block),
            Expr::If(_) | Expr::Match(_) => self.visit_expr_mut(e),
            _ => {}
        }
    }

    /// What stands where a block, a branch or an arm ends.
    fn end(&mut self, e: &mut Expr) {
        if self.yields {
            self.last(e);
        } else {
            self.visit_expr_mut(e);
        }
    }

    /// What is compared is only looked at.
    fn compared(&mut self, e: &mut Expr) {
        if !self.is_taken(e) {
            self.visit_expr_mut(e);
        }
    }

    /// Whatever a method is called on may keep what it is given, as a `Cell` does.
    fn given(&mut self, m: &mut syn::ExprMethodCall) {
        for arg in &mut m.args {
            if self.is_taken(arg) {
                *arg = outcome(arg);
            } else {
                self.visit_expr_mut(arg);
            }
        }
    }

    fn made_by_macro(&mut self, mac: &syn::Macro) -> bool {
        let harmless = mac.path.segments.last().is_some_and(|s| {
            HARMLESS.iter().any(|name| s.ident == name) && s.ident != "dbg" && s.ident != "vec"
        });
        if harmless {
            return true;
        }
        let mut of_account = false;
        facts::idents(mac.tokens.clone(), &mut |name| {
            of_account |= !self.names.contains(&name) && self.around.is_of_account(&name);
        });
        if of_account {
            self.errors.error(&mac.path, MIXED);
        }
        of_account
    }

    fn mentioned_by(&self, mac: &syn::Macro) -> bool {
        let mut mentioned = false;
        facts::idents(mac.tokens.clone(), &mut |name| {
            mentioned |= self.names.contains(&name);
        });
        mentioned
    }
}

/// Whether what is frozen is a value that comes of an error, and no error that is reported.
fn yields_value(call: &syn::ExprCall) -> bool {
    let Some(Expr::Call(call)) = call.args.first().map(unparen) else {
        return false;
    };
    let checked = matches!(unparen(&call.func), Expr::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "outcome"));
    is_of_constants(call) && !checked
}

impl VisitMut for Outcomes<'_, '_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if !self.mentions(e) {
            return;
        }
        match e {
            Expr::Call(call) if marks::is_stop_gradient(&call.func) && !yields_value(call) => {}
            Expr::Path(_) => {
                let name = facts::root(e);
                self.used.extend(name);
            }
            Expr::Reference(r)
                if r.mutability.is_none() && matches!(unparen(&r.expr), Expr::Path(_)) =>
            {
                self.used.extend(facts::root(&r.expr));
            }
            Expr::Macro(m) => {
                let alone = !self.made_by_macro(&m.mac);
                if alone {
                    *e = outcome(e);
                }
            }
            Expr::MethodCall(m) if !self.mentions(&m.receiver) => {
                let taken = self.is_of_errors(e);
                if let Expr::MethodCall(m) = e {
                    self.given(m);
                }
                if taken {
                    *e = outcome(e);
                }
            }
            Expr::Call(_)
            | Expr::Field(_)
            | Expr::Index(_)
            | Expr::MethodCall(_)
            | Expr::Reference(_)
            | Expr::Struct(_)
                if self.is_taken(e) =>
            {
                *e = outcome(e);
            }
            Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) && self.is_of_errors(&u.expr) => {
                *e = outcome(e);
            }
            Expr::Binary(b) if syntax::is_comparison(&b.op) => {
                self.compared(&mut b.left);
                self.compared(&mut b.right);
            }
            Expr::Assign(a) => {
                let own = facts::root(&a.left).is_some_and(|name| self.names.contains(&name));
                if !own {
                    self.visit_expr_mut(&mut a.left);
                }
                self.visit_expr_mut(&mut a.right);
            }
            Expr::Let(l) if self.is_taken(&l.expr) => self.taken_apart(&l.pat),
            Expr::If(i) => {
                self.visit_expr_mut(&mut i.cond);
                self.visit_block_mut(&mut i.then_branch);
                if let Some((_, other)) = &mut i.else_branch {
                    self.end(other);
                }
            }
            Expr::Match(m) => {
                let taken = self.is_taken(&m.expr);
                if !taken {
                    self.visit_expr_mut(&mut m.expr);
                }
                for arm in &mut m.arms {
                    if taken {
                        self.taken_apart(&arm.pat);
                    }
                    if let Pat::Guard(p) = &mut arm.pat {
                        self.visit_expr_mut(&mut p.guard);
                    }
                    self.end(&mut arm.body);
                }
            }
            Expr::ForLoop(l) => {
                if self.is_taken(&l.expr) {
                    self.taken_apart(&l.pat);
                } else {
                    self.visit_expr_mut(&mut l.expr);
                }
                let yields = std::mem::take(&mut self.yields);
                self.visit_block_mut(&mut l.body);
                self.yields = yields;
            }
            Expr::Return(r) if self.makes_error => {
                if let Some(e) = &mut r.expr {
                    self.last(e);
                }
            }
            // What a block inside of an expression ends with is part of that.
            Expr::Block(_) => visit_mut::visit_expr_mut(self, e),
            _ => {
                let yields = std::mem::take(&mut self.yields);
                visit_mut::visit_expr_mut(self, e);
                self.yields = yields;
            }
        }
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let count = block.stmts.len();
        for (k, stmt) in block.stmts.iter_mut().enumerate() {
            match stmt {
                Stmt::Expr(e, None) if k + 1 == count => self.end(e),
                Stmt::Macro(m) if !self.mentioned_by(&m.mac) => {}
                Stmt::Macro(m) => {
                    let refused = self.made_by_macro(&m.mac);
                    if !refused && k + 1 == count && m.semi_token.is_none() {
                        let made = Expr::Macro(syn::ExprMacro {
                            attrs: Vec::new(),
                            mac: m.mac.clone(),
                        });
                        *stmt = Stmt::Expr(outcome(&made), None);
                    }
                }
                Stmt::Expr(Expr::MethodCall(m), Some(_)) if !self.mentions(&m.receiver) => {
                    self.given(m);
                }
                // What is returned by a call that nothing is kept of goes nowhere.
                Stmt::Expr(e @ (Expr::Call(_) | Expr::MethodCall(_)), Some(_))
                    if self.is_taken(e) => {}
                stmt => {
                    let yields = std::mem::take(&mut self.yields);
                    self.visit_stmt_mut(stmt);
                    self.yields = yields;
                }
            }
        }
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        let Some(init) = &mut local.init else {
            return;
        };
        if self.is_taken(&init.expr) {
            self.taken_apart(&local.pat);
        } else {
            self.visit_expr_mut(&mut init.expr);
        }
        if let Some((_, other)) = &mut init.diverge {
            self.visit_expr_mut(other);
        }
    }
}

/// Makes rustc check variables where they are bound.
struct Checks(FxHashSet<String>);

impl Checks {
    fn of(&self, pat: &Pat) -> Vec<Stmt> {
        let mut bound = Bound::default();
        bound.visit_pat(pat);
        bound
            .0
            .iter()
            .filter(|name| self.0.contains(&name.to_string()))
            .map(|name| {
                let func = quote_spanned!(name.span()=> rt::fallible::is_outcome);
                make::semi(parse_quote_spanned!(name.span()=> rt::stop_gradient(#func(&#name))))
            })
            .collect()
    }

    /// Those that a condition binds.
    fn of_condition(&self, cond: &Expr) -> Vec<Stmt> {
        match unparen(cond) {
            Expr::Let(l) => self.of(&l.pat),
            Expr::Binary(b) => {
                let mut stmts = self.of_condition(&b.left);
                stmts.extend(self.of_condition(&b.right));
                stmts
            }
            _ => Vec::new(),
        }
    }
}

impl VisitMut for Checks {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let (block, stmts) = match e {
            Expr::If(i) => (&mut i.then_branch, self.of_condition(&i.cond)),
            Expr::While(w) => (&mut w.body, self.of_condition(&w.cond)),
            Expr::ForLoop(l) => (&mut l.body, self.of(&l.pat)),
            Expr::Match(m) => {
                for arm in &mut m.arms {
                    let stmts = self.of(&arm.pat);
                    if !stmts.is_empty() {
                        let body = std::mem::replace(&mut *arm.body, make::unit());
                        *arm.body = make::block(stmts, Some(body));
                        arm.comma = Some(<syn::Token![,]>::default());
                    }
                }
                return visit_mut::visit_expr_mut(self, e);
            }
            _ => return visit_mut::visit_expr_mut(self, e),
        };
        block.stmts.splice(0..0, stmts);
        visit_mut::visit_expr_mut(self, e);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            self.visit_stmt_mut(&mut stmt);
            let stmts = match &stmt {
                Stmt::Local(local) => self.of(&local.pat),
                _ => Vec::new(),
            };
            block.stmts.push(stmt);
            block.stmts.extend(stmts);
        }
    }
}
