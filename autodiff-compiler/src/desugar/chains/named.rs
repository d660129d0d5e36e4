//! Iterators that have a name: a chain is put where its name is used, if that is once and not in an inner loop.

use quote::{ToTokens, format_ident};
use syn::{Expr, Pat, Stmt};

use super::super::apply::{unparen, variable};
use super::super::closures::own;
use super::super::make;
use super::Chains;
use crate::facts::{self, Var};
use crate::ir::Ty;
use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{self, VisitMut};

/// How a variable is used in some statements.
pub(super) struct Uses<'a> {
    name: &'a str,
    pub(super) count: usize,
    /// Used where it may run more than once.
    repeated: bool,
    depth: usize,
}

impl<'a> Uses<'a> {
    pub(super) fn of(name: &'a str, stmts: &[Stmt]) -> Self {
        let mut uses = Uses {
            name,
            count: 0,
            repeated: false,
            depth: 0,
        };
        stmts.iter().for_each(|stmt| uses.visit_stmt(stmt));
        uses
    }

    fn inner(&mut self, f: impl FnOnce(&mut Self)) {
        self.depth += 1;
        f(self);
        self.depth -= 1;
    }
}

impl<'ast> Visit<'ast> for Uses<'_> {
    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        if e.path.is_ident(self.name) {
            self.count += 1;
            self.repeated |= self.depth > 0;
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        facts::idents(mac.tokens.clone(), &mut |name| {
            // What a macro does with it cannot be seen.
            self.count += usize::from(name == self.name) * 2;
        });
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        self.visit_expr(&e.expr);
        self.inner(|cx| cx.visit_block(&e.body));
    }

    fn visit_expr_while(&mut self, e: &'ast syn::ExprWhile) {
        if let Some((_, it)) = walked(e) {
            if it == self.name {
                self.count += 1;
                self.repeated |= self.depth > 0;
                self.inner(|cx| cx.visit_block(&e.body));
                return;
            }
        }
        self.inner(|cx| visit::visit_expr_while(cx, e));
    }

    fn visit_expr_loop(&mut self, e: &'ast syn::ExprLoop) {
        self.inner(|cx| visit::visit_expr_loop(cx, e));
    }

    fn visit_expr_closure(&mut self, e: &'ast syn::ExprClosure) {
        self.inner(|cx| visit::visit_expr_closure(cx, e));
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// Whether a loop walks through an iterator by its name, and something active is done in it.
struct Walks<'a> {
    facts: &'a facts::Facts,
    name: &'a str,
    found: bool,
}

impl<'ast> Visit<'ast> for Walks<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        self.found |= variable(&e.expr).is_some_and(|name| name == self.name)
            && self.facts.mentions_active(&Expr::ForLoop(e.clone()));
        visit::visit_expr_for_loop(self, e);
    }
}

/// `while let Some(p) = it.next()`, which is `for p in it`.
pub(super) fn walked(e: &syn::ExprWhile) -> Option<(Pat, String)> {
    let Expr::Let(cond) = unparen(&e.cond) else {
        return None;
    };
    let Expr::MethodCall(m) = unparen(&cond.expr) else {
        return None;
    };
    let next = m.method == "next" && m.args.is_empty();
    let name = variable(&m.receiver).filter(|_| next)?.to_string();
    Some((some(&cond.pat)?, name))
}

/// `Some(p)` with a pattern that every item matches.
pub(super) fn some(pat: &Pat) -> Option<Pat> {
    let Pat::TupleStruct(some) = pat else {
        return None;
    };
    let whole = some.path.is_ident("Some") && some.elems.len() == 1;
    let item = some.elems.first().filter(|_| whole)?;
    always_matches(item).then(|| item.clone())
}

fn always_matches(pat: &Pat) -> bool {
    match pat {
        Pat::Ident(p) => p.subpat.is_none() && !crate::syntax::is_constant(p),
        Pat::Wild(_) | Pat::Rest(_) => true,
        Pat::Tuple(p) => p.elems.iter().all(always_matches),
        Pat::Reference(p) => always_matches(&p.pat),
        Pat::Paren(p) => always_matches(&p.pat),
        _ => false,
    }
}

/// Whether what comes next can be seen before it is taken.
fn looks_ahead(chain: &Expr) -> bool {
    matches!(unparen(chain), Expr::MethodCall(m) if m.method == "peekable" || looks_ahead(&m.receiver))
}

/// Puts an expression in the place of a variable.
struct Put<'a> {
    name: &'a str,
    by: &'a Expr,
}

impl VisitMut for Put<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if variable(e).is_some_and(|i| i == self.name) {
            *e = make::paren(self.by.clone());
            return;
        }
        if let Expr::While(w) = e {
            if let Some((pat, _)) = walked(w).filter(|(_, it)| it == self.name) {
                let mut looped = make::for_loop(None, pat, self.by.clone(), Vec::new());
                if let Expr::ForLoop(f) = &mut looped {
                    f.label.clone_from(&w.label);
                    f.body = w.body.clone();
                }
                *e = looped;
                return;
            }
        }
        visit_mut::visit_expr_mut(self, e);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

impl Chains<'_> {
    /// Puts the chains that `let`s of a block name where they are used.
    pub(super) fn resolve_names(&mut self, block: &mut syn::Block) {
        let mut at = 0;
        while at < block.stmts.len() {
            let rest = &block.stmts[at + 1..];
            let Some((name, chain)) = self.named_chain(&block.stmts[at], rest) else {
                at += 1;
                continue;
            };
            let uses = Uses::of(&name, rest);
            if uses.count != 1 || uses.repeated || looks_ahead(&chain) {
                let count = uses.count;
                self.done |= self.by_position((&name, count), &chain, &mut block.stmts, at);
                at += 1;
                continue;
            }
            let mut before = Vec::new();
            let chain = self.fixed(&chain, &mut before);
            let mut put = Put {
                name: &name,
                by: &chain,
            };
            block.stmts[at + 1..]
                .iter_mut()
                .for_each(|stmt| put.visit_stmt_mut(stmt));
            let count = before.len();
            block.stmts.splice(at..=at, before);
            at += count;
            self.done = true;
        }
    }

    /// A chain that has a name, of active values or walked through by a loop over them.
    fn named_chain(&self, stmt: &Stmt, rest: &[Stmt]) -> Option<(String, Expr)> {
        let Stmt::Local(local) = stmt else {
            return None;
        };
        let Pat::Ident(p) = &local.pat else {
            return None;
        };
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let chain = unparen(&init.expr);
        let known = matches!(chain, Expr::MethodCall(_)) && crate::iterators::is_chain(chain);
        let name = p.ident.to_string();
        let mut walks = Walks {
            facts: self.facts,
            name: &name,
            found: self.facts.mentions_active(chain),
        };
        if known && !walks.found {
            rest.iter().for_each(|stmt| walks.visit_stmt(stmt));
        }
        (known && walks.found).then(|| (name, chain.clone()))
    }

    /// The chain with what it evaluates when it is made taken out of it.
    pub(super) fn fixed(&mut self, e: &Expr, before: &mut Vec<Stmt>) -> Expr {
        match e {
            Expr::MethodCall(m) if crate::iterators::is_chain(e) => {
                let mut m = m.clone();
                m.receiver = Box::new(if m.method == "into_iter" {
                    self.walked_by_value(&m.receiver, before)
                } else {
                    self.fixed(&m.receiver, before)
                });
                let args: Vec<Expr> = m
                    .args
                    .iter()
                    .map(|arg| match unparen(arg) {
                        Expr::Closure(closure) => {
                            let mut closure = closure.clone();
                            before.extend(own(&mut closure, self.facts, self.changed, self.names));
                            Expr::Closure(closure)
                        }
                        arg if crate::iterators::is_chain(arg) => self.fixed(arg, before),
                        arg => self.once(arg, "given", before),
                    })
                    .collect();
                m.args = args.into_iter().collect();
                Expr::MethodCall(m)
            }
            Expr::Paren(p) => self.fixed(&p.expr, before),
            Expr::Range(r) => {
                let mut r = r.clone();
                for bound in [&mut r.start, &mut r.end].into_iter().flatten() {
                    let fixed = self.once(bound, "bound", before);
                    **bound = make::paren(fixed);
                }
                Expr::Paren(syn::ExprParen {
                    attrs: Vec::new(),
                    paren_token: syn::token::Paren::default(),
                    expr: Box::new(Expr::Range(r)),
                })
            }
            other => {
                let mut other = other.clone();
                self.snapshot(&mut other, before, &|var| {
                    let refers = matches!(var.ty, Ty::Slice(_)) || !var.roots.is_empty();
                    var.ty.is_scalar() || refers && !var.exclusive
                });
                other
            }
        }
    }

    /// An array is copied when it is turned into an iterator.
    fn walked_by_value(&mut self, e: &Expr, before: &mut Vec<Stmt>) -> Expr {
        match unparen(e) {
            Expr::Path(_) => {
                let mut e = e.clone();
                self.snapshot(&mut e, before, &|var| matches!(var.ty, Ty::Array(..)));
                self.fixed(&e, before)
            }
            e => self.fixed(e, before),
        }
    }

    /// Puts copies in the place of those variables that change anywhere: an iterator has what they were when it was made.
    fn snapshot(&mut self, e: &mut Expr, before: &mut Vec<Stmt>, copied: &dyn Fn(&Var) -> bool) {
        for name in self.changed {
            let copied = self.facts.get(name).is_some_and(copied);
            if !copied || !facts::mentions(e, &|other| other == name) {
                continue;
            }
            let old = format_ident!("{name}");
            let copy = self.names.fresh(name, old.span());
            self.names.call(name, &copy.to_string(), e);
            before.push(make::variable(&copy, make::path(&old)));
        }
    }

    /// Reports the use of an iterator that could not be put in its place.
    pub(super) fn refuse_named(&mut self, local: &syn::Local) {
        let stmt = Stmt::Local(local.clone());
        if let Some((name, _)) = self.named_chain(&stmt, &[]) {
            // The adaptor that lets an iterator be used so is the cause.
            let mut chain = local.init.as_ref().map(|init| unparen(&init.expr));
            while let Some(Expr::MethodCall(m)) = chain {
                if ["peekable", "by_ref", "cycle"]
                    .iter()
                    .any(|n| m.method == n)
                {
                    self.errors.error(&m.method, format_args!("iterator method `{}` cannot be followed on active values; write a loop over indices", m.method));
                    return;
                }
                chain = Some(unparen(&m.receiver));
            }
            self.errors.error(local.pat.to_token_stream(), format_args!("iterator `{name}` is used more than once or in an inner loop, which cannot be followed on active values; write the chain where it is used, or a `for` loop over indices"));
        }
    }
}
