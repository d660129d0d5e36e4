//! Local closures: each call becomes the closure's body, with its parameters bound to the arguments.
//!
//! What a closure borrows cannot change while it lives but by the closure itself, so its body means the same at each call.
//! A `move` closure has copies of what it captures, which are made where it is defined.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

use quote::{ToTokens, format_ident};
use syn::{Expr, Pat, Stmt};

use super::apply::{apply, unparen, variable};
use super::make;
use crate::errors::Errors;
use crate::facts::{self, Changed, Facts};
use crate::names::Names;
use crate::syntax;
use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{self, VisitMut};

/// No function grows by more tokens through calls of its closures.
const LIMIT: usize = 40_000;

/// Replaces the calls of closures in a body; `true` if there were any.
pub(super) fn closures(
    body: &mut syn::Block,
    facts: &Facts,
    names: &mut Names,
    errors: &mut Errors,
) -> bool {
    let mut changed = Changed::default();
    changed.visit_block(body);
    let mut inline = Inline {
        facts,
        names,
        errors,
        changed: changed.names.into_iter().collect(),
        stateful: BTreeSet::new(),
        passed: passed(body, facts),
        known: FxHashMap::default(),
        aliases: FxHashMap::default(),
        tokens: 0,
        done: false,
    };
    inline.visit_block_mut(body);
    inline.done
}

/// A closure whose calls are replaced.
struct Known {
    closure: syn::ExprClosure,
    /// Its variables have been given to a call.
    used: bool,
}

struct Inline<'a> {
    facts: &'a Facts,
    names: &'a mut Names,
    errors: &'a mut Errors,
    /// Variables that change anywhere.
    changed: BTreeSet<String>,
    /// Closures with variables of their own, which they change.
    stateful: BTreeSet<String>,
    /// Variables that are passed to calls with something active.
    passed: BTreeSet<String>,
    /// By the name of their definition.
    known: FxHashMap<String, Known>,
    /// Other names of closures.
    aliases: FxHashMap<String, String>,
    /// The size of the bodies put in place of calls.
    tokens: usize,
    done: bool,
}

/// The closure that an expression is, looked at through references.
fn literal(e: &Expr) -> Option<&syn::ExprClosure> {
    match unparen(e) {
        Expr::Closure(c) => Some(c),
        Expr::Reference(r) => literal(&r.expr),
        _ => None,
    }
}

/// The same, to change it.
pub(super) fn literal_mut(e: &mut Expr) -> Option<&mut syn::ExprClosure> {
    match e {
        Expr::Closure(c) => Some(c),
        Expr::Reference(r) => literal_mut(&mut r.expr),
        Expr::Paren(e) => literal_mut(&mut e.expr),
        Expr::Group(e) => literal_mut(&mut e.expr),
        _ => None,
    }
}

/// The variable that an expression names, looked at through references.
fn named(e: &Expr) -> Option<&syn::Ident> {
    match unparen(e) {
        Expr::Reference(r) => named(&r.expr),
        Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => named(&u.expr),
        e => variable(e),
    }
}

/// The variables that are called with something active, and those passed to such calls: a closure among them is called with it.
fn passed(body: &syn::Block, facts: &Facts) -> BTreeSet<String> {
    struct Passed<'a> {
        facts: &'a Facts,
        names: BTreeSet<String>,
    }
    impl<'ast> Visit<'ast> for Passed<'_> {
        fn visit_item(&mut self, _: &'ast syn::Item) {}

        fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
            visit::visit_expr_call(self, e);
            // Whether a result is active says nothing here: a closure may leave its parameters unused.
            let given = e.args.iter().any(|arg| self.facts.mentions_active(arg));
            if given {
                self.names.extend(named(&e.func).map(ToString::to_string));
            }
            if given || self.facts.active(&Expr::Call(e.clone())) {
                let names = e.args.iter().filter_map(named);
                self.names.extend(names.map(ToString::to_string));
            }
        }
    }
    let mut passed = Passed {
        facts,
        names: BTreeSet::new(),
    };
    passed.visit_block(body);
    passed.names
}

/// Whether a closure changes a variable around it.
pub(super) fn changes_captured(closure: &syn::ExprClosure, facts: &Facts) -> bool {
    let captured = captured(closure, facts);
    let mut changed = Changed::default();
    changed.visit_expr(&closure.body);
    changed.names.iter().any(|name| captured.contains(name))
}

/// The variables that a closure takes from around it.
pub(super) fn captured(closure: &syn::ExprClosure, facts: &Facts) -> BTreeSet<String> {
    struct Named<'a> {
        facts: &'a Facts,
        bound: BTreeSet<String>,
        used: BTreeSet<String>,
    }
    impl<'ast> Visit<'ast> for Named<'_> {
        fn visit_item(&mut self, _: &'ast syn::Item) {}

        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            self.bound.insert(p.ident.to_string());
            visit::visit_pat_ident(self, p);
        }

        fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
            if let Some(ident) = e.path.get_ident() {
                self.used.insert(ident.to_string());
            }
        }

        fn visit_macro(&mut self, mac: &'ast syn::Macro) {
            facts::idents(mac.tokens.clone(), &mut |name| {
                self.used.insert(name);
            });
        }
    }
    let mut named = Named {
        facts,
        bound: BTreeSet::new(),
        used: BTreeSet::new(),
    };
    named.visit_expr_closure(closure);
    let Named { facts, bound, used } = named;
    used.into_iter()
        .filter(|name| !bound.contains(name) && facts.get(name).is_some())
        .collect()
}

/// Makes copies of what a `move` closure captures and anything changes, and lets the closure use them.
pub(super) fn own(
    closure: &mut syn::ExprClosure,
    facts: &Facts,
    changed: &BTreeSet<String>,
    names: &mut Names,
) -> Vec<Stmt> {
    if closure.capture.take().is_none() {
        return Vec::new();
    }
    let mut copies = Vec::new();
    for name in captured(closure, facts) {
        if !changed.contains(&name) {
            continue;
        }
        let old = format_ident!("{name}");
        let copy = names.fresh(&name, old.span());
        names.call(&name, &copy.to_string(), &mut closure.body);
        copies.push(make::mutable(&copy, None, make::path(&old)));
    }
    copies
}

impl Inline<'_> {
    /// Whether the calls of a closure must be replaced: it has to do with something active, or changes a variable.
    fn matters(&self, name: &syn::Ident, closure: &syn::ExprClosure) -> bool {
        let active = |name: &str| self.facts.get(name).is_some_and(|v| v.active);
        if self.passed.contains(&name.to_string())
            || active(&name.to_string())
            || facts::mentions(&Expr::Closure(closure.clone()), &active)
        {
            return true;
        }
        let captured = captured(closure, self.facts);
        let mut changed = Changed::default();
        changed.visit_expr(&closure.body);
        changed.names.iter().any(|name| captured.contains(name))
    }

    /// Reports a closure that is stored in something, or chosen.
    fn refuse_stored(&mut self, init: &Expr) {
        let parts: Vec<&Expr> = match unparen(init) {
            Expr::Tuple(t) => t.elems.iter().collect(),
            Expr::Array(a) => a.elems.iter().collect(),
            Expr::Struct(s) => s.fields.iter().map(|f| &f.expr).collect(),
            Expr::If(i) => {
                let then = syntax::block_value(&i.then_branch);
                then.into_iter()
                    .chain(i.else_branch.as_ref().map(|(_, e)| &**e))
                    .collect()
            }
            Expr::Match(m) => m.arms.iter().map(|arm| &*arm.body).collect(),
            Expr::Block(b) => syntax::block_value(&b.block).into_iter().collect(),
            _ => return,
        };
        for part in parts {
            match literal(part) {
                Some(closure) if self.facts.mentions_active(part) => {
                    self.errors.error(closure.inputs_begin, "a closure that is stored or chosen cannot be followed; give it a name in a `let` of its own and call it by that");
                    return;
                }
                Some(_) => {}
                None => self.refuse_stored(part),
            }
        }
    }

    /// Takes a definition out of the body; gives what has to stand in its place.
    fn define(&mut self, local: &syn::Local) -> Option<Vec<Stmt>> {
        let pat = match &local.pat {
            Pat::Type(t) => &*t.pat,
            pat => pat,
        };
        let Pat::Ident(p) = pat else { return None };
        let init = &local.init.as_ref()?.expr;
        if let Some(other) = named(init).and_then(|i| self.definition(i)) {
            if self.stateful.contains(&other) {
                self.errors.error(init, "a copy of a `move` closure has a state of its own, which the macro does not tell from that of the closure; write the closure twice, or keep the state in variables");
            }
            self.aliases.insert(p.ident.to_string(), other);
            return Some(Vec::new());
        }
        let Some(closure) = literal(init) else {
            self.refuse_stored(init);
            return None;
        };
        if closure.asyncness.is_some() || !self.matters(&p.ident, closure) {
            return None;
        }
        let mut closure = closure.clone();
        self.visit_expr_mut(&mut closure.body);
        let copies = own(&mut closure, self.facts, &self.changed, self.names);
        let mut changes = Changed::default();
        changes.visit_expr(&closure.body);
        let made = |stmt: &Stmt| matches!(stmt, Stmt::Local(l) if matches!(&l.pat, Pat::Ident(p) if changes.names.contains(&p.ident.to_string())));
        if copies.iter().any(made) {
            self.stateful.insert(p.ident.to_string());
        }
        let known = Known {
            closure,
            used: false,
        };
        self.known.insert(p.ident.to_string(), known);
        self.done = true;
        Some(copies)
    }

    /// The name by which the closure behind a name is known.
    fn definition(&self, ident: &syn::Ident) -> Option<String> {
        let name = ident.to_string();
        let name = self.aliases.get(&name).cloned().unwrap_or(name);
        self.known.contains_key(&name).then_some(name)
    }

    /// A copy of a closure with variables of its own.
    fn copy(&mut self, at: &syn::Ident) -> Option<syn::ExprClosure> {
        let name = self.definition(at)?;
        let known = self.known.get_mut(&name)?;
        let before = self.tokens;
        self.tokens += count(known.closure.to_token_stream());
        if self.tokens > LIMIT {
            if before <= LIMIT {
                self.errors.error(at, format_args!("the calls of closure `{name}` make this function too long, since each becomes a copy of its body; turn it into a #[grad] function"));
            }
            return None;
        }
        let mut closure = known.closure.clone();
        if std::mem::replace(&mut known.used, true) {
            self.names.refresh(&mut closure);
        }
        Some(closure)
    }

    /// A closure passed by name is passed as it was written.
    fn argument(&mut self, arg: &mut Expr) {
        match arg {
            Expr::Paren(e) => self.argument(&mut e.expr),
            Expr::Group(e) => self.argument(&mut e.expr),
            Expr::Reference(e) => self.argument(&mut e.expr),
            arg => {
                let known = variable(arg).filter(|i| self.definition(i).is_some());
                if let Some(ident) = known.cloned() {
                    if let Some(closure) = self.copy(&ident) {
                        *arg = Expr::Closure(closure);
                    }
                } else {
                    self.visit_expr_mut(arg);
                }
            }
        }
    }

    fn call(&mut self, e: &mut syn::ExprCall) -> Option<Expr> {
        e.args.iter_mut().for_each(|arg| self.argument(arg));
        let known = named(&e.func).filter(|i| self.definition(i).is_some());
        let (closure, at) = if let Some(ident) = known.cloned() {
            (self.copy(&ident)?, ident.to_token_stream())
        } else if let Some(closure) = literal(&e.func) {
            // `(|t| …)(x)`
            let mut closure = closure.clone();
            self.visit_expr_mut(&mut closure.body);
            let token = closure.inputs_begin;
            (closure, token.to_token_stream())
        } else {
            let dropped = variable(&e.func).is_some_and(|i| i == "drop")
                && e.args.iter().all(|arg| literal(arg).is_some());
            if dropped && !e.args.is_empty() {
                return Some(make::unit());
            }
            self.visit_expr_mut(&mut e.func);
            return None;
        };
        if closure.inputs.len() != e.args.len() {
            self.errors.error(
                at,
                format_args!(
                    "the closure takes {} arguments, not {}; pass as many",
                    closure.inputs.len(),
                    e.args.len()
                ),
            );
            return None;
        }
        self.done = true;
        let mut closure = closure;
        let mut stmts = own(&mut closure, self.facts, &self.changed, self.names);
        let (body, value) = apply(closure, e.args.iter().cloned().collect(), self.names);
        stmts.extend(body);
        Some(make::block(stmts, Some(value)))
    }
}

/// The number of tokens.
pub(super) fn count(tokens: proc_macro2::TokenStream) -> usize {
    tokens
        .into_iter()
        .map(|token| match token {
            proc_macro2::TokenTree::Group(group) => 1 + count(group.stream()),
            _ => 1,
        })
        .sum()
}

impl VisitMut for Inline<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, body: &mut syn::Block) {
        let mut stmts = Vec::new();
        for mut stmt in std::mem::take(&mut body.stmts) {
            if let Stmt::Local(local) = &stmt {
                if let Some(instead) = self.define(local) {
                    stmts.extend(instead);
                    continue;
                }
            }
            self.visit_stmt_mut(&mut stmt);
            stmts.push(stmt);
        }
        body.stmts = stmts;
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            Expr::Call(call) => {
                if let Some(instead) = self.call(call) {
                    *e = instead;
                }
            }
            Expr::MethodCall(m) => {
                self.visit_expr_mut(&mut m.receiver);
                m.args.iter_mut().for_each(|arg| self.argument(arg));
            }
            Expr::Path(_) => {
                let used = variable(e).filter(|i| self.definition(i).is_some());
                if let Some(name) = used {
                    self.errors.error(name, format_args!("closure `{name}` is used as a value here, which cannot be followed; call it, or turn it into a #[grad] function"));
                }
            }
            e => visit_mut::visit_expr_mut(self, e),
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        let mut used = false;
        facts::idents(mac.tokens.clone(), &mut |name| {
            used |= self.aliases.contains_key(&name) || self.known.contains_key(&name);
        });
        if !used {
            return;
        }
        let mut args = syntax::macro_arguments(mac);
        if args.is_empty() {
            self.errors.error(&mac.path, "this macro uses a closure and cannot be looked into; call the closure in a `let` before");
            return;
        }
        args.iter_mut().for_each(|arg| match arg {
            // `name = value` names an argument of the format.
            Expr::Assign(named) => self.visit_expr_mut(&mut named.right),
            arg => self.visit_expr_mut(arg),
        });
        mac.tokens = quote::quote!(#(#args),*);
    }
}
