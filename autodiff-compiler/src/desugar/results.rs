//! Results in terms of values and of slots that errors are moved to.
//!
//! A call of a fallible function becomes one of the function beside it that computes the value, `g::__try(x, failure)`; whether it has
//! failed is asked before the value is looked at. So `g(x)?` is
//!
//! ```text
//! let slot = Slot::new();
//! let value = g::__try(x, failure(&slot));
//! if failed(&slot) { convert(&slot, __failure); return 0.0; }
//! ```
//!
//! What becomes of errors is constant code, and stands in `stop_gradient`: they may show what is active, and nothing of them comes back.

use rustc_hash::{FxHashMap, FxHashSet};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::{Expr, Pat, Stmt, parse_quote, parse_quote_spanned};

use super::apply::unparen;
use super::exits::{self, block_falls};
use super::outcomes::{self, Around, Bound};
use super::{make, tried, tried_closures};
use crate::errors::Errors;
use crate::facts::{self, Facts, Given};
use crate::forms::{FAILURE, VALUE, absent, value_name};
use crate::ir::Ty;
use crate::marks;
use crate::names::Names;
use crate::own_names;
use crate::rules;
use crate::std_methods;
use crate::syntax;
use crate::tensors;
use crate::types::{self, OWNER};
use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{self, VisitMut};

/// A function whose errors are reported by a parameter.
pub(crate) struct Fails<'a> {
    /// The name of the function that returns a result.
    pub(crate) user: &'a Ident,
    /// It is no method.
    pub(crate) free: bool,
    /// The type of the value.
    pub(crate) ret: Option<&'a syn::Type>,
    /// Methods of its block that look at their receiver, and return an error or nothing.
    pub(crate) checks: &'a [Ident],
}

/// Macros of the standard library that do not return.
pub(super) const HARMLESS: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "matches",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Macros that return an error.
const RETURNING: &[&str] = &["bail", "ensure"];

/// Methods that only results have, which yield a value or an option.
const ENDS: &[&str] = &[
    "ok",
    "err",
    "is_ok",
    "is_err",
    "is_ok_and",
    "is_err_and",
    "unwrap_err",
    "expect_err",
];

/// Methods that results share with options.
const SHARED: &[&str] = &[
    "unwrap",
    "expect",
    "unwrap_or",
    "unwrap_or_else",
    "unwrap_or_default",
    "map_or",
    "map_or_else",
];

/// Methods that yield a result.
const CERTAIN: &[&str] = &[
    "map_err",
    "ok_or",
    "ok_or_else",
    "context",
    "with_context",
    "inspect_err",
];

/// Rewrites what is done with results in a body.
pub(crate) fn results(
    body: &mut syn::Block,
    given: &Given,
    fails: Option<&Fails<'_>>,
    names: &mut Names,
    errors: &mut Errors,
) {
    if fails.is_some() {
        tried_closures::ahead(body, names);
        tried::ahead(body, names);
    }
    let facts = &facts::facts(body, given);
    let mut variables = Variables {
        facts,
        fails: fails.is_some(),
        found: FxHashSet::default(),
        held: Vec::new(),
        options: FxHashSet::default(),
        written: FxHashSet::default(),
    };
    variables.visit_block(body);
    variables.returned(body);
    let options = variables.options;
    let held = variables.held.into_iter();
    let held = held
        .filter(|name| variables.found.contains(&name.to_string()))
        .map(|name| {
            let (slot, value) = (
                names.fresh("failure", name.span()),
                names.fresh("value", name.span()),
            );
            (name.to_string(), Held { slot, value })
        })
        .collect();
    let mut passed = Passed::default();
    passed.visit_block(body);
    let mut results = Results {
        tensors: given.tensors,
        passed: passed.closures,
        caught: passed.errors,
        facts,
        options,
        names,
        errors,
        fails,
        held,
        closures: 0,
        scope: None,
    };
    let target = if fails.is_some() {
        Target::Function
    } else {
        Target::None
    };
    results.block(body, &target);
    let held = std::mem::take(&mut results.held);
    Left { held, errors }.visit_block(body);
}

/// Refuses what was taken for constant code before it showed to be active.
pub(crate) fn unseen(body: &syn::Block, facts: &Facts, errors: &mut Errors) {
    struct Unseen<'a> {
        facts: &'a Facts,
        errors: &'a mut Errors,
    }
    impl<'ast> Visit<'ast> for Unseen<'_> {
        fn visit_item(&mut self, _: &'ast syn::Item) {}

        fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
            if is_of_constants(call) {
                let active = |e: &&Expr| self.facts.mentions_active(e) && !self.facts.is_stopped(e);
                if let Some(e) = call.args.iter().find(active) {
                    self.errors.error(e, "it is not seen that this depends on a differentiable parameter; bind what it is computed from to a variable first");
                }
            }
            visit::visit_expr_call(self, call);
        }
    }
    Unseen { facts, errors }.visit_block(body);
}

/// Whether a call of the runtime is given constant code, which nothing active may come out of.
pub(super) fn is_of_constants(call: &syn::ExprCall) -> bool {
    let Expr::Path(p) = unparen(&call.func) else {
        return false;
    };
    let mut names = p.path.segments.iter().map(|s| s.ident.to_string());
    names.next().as_deref() == Some("rt")
        && names.next().as_deref() == Some("fallible")
        && names
            .next()
            .is_some_and(|last| ["attempt", "outcome", "split"].contains(&last.as_str()))
}

/// Refuses what else is done with a variable that holds a result.
struct Left<'a> {
    held: FxHashMap<String, Held>,
    errors: &'a mut Errors,
}

impl Left<'_> {
    fn refuse(&mut self, name: &dyn ToTokens) {
        self.errors.error(name, "this result cannot be followed here; use `?` on it, `match` it, or take it apart by a method of results first");
    }
}

impl<'ast> Visit<'ast> for Left<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        let name = e.path.get_ident().map(ToString::to_string);
        if name.is_some_and(|name| self.held.contains_key(&name)) {
            self.refuse(e);
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let mut named = false;
        facts::idents(mac.tokens.clone(), &mut |name| {
            named |= self.held.contains_key(&name);
        });
        if named {
            self.refuse(&mac.path);
        }
    }
}

/// Finds what closures bind, of which it is not known before they are written out whether it is active, and what errors are bound to.
#[derive(Default)]
struct Passed {
    closures: FxHashSet<String>,
    errors: FxHashSet<String>,
}

impl<'ast> Visit<'ast> for Passed {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        let handles = ["map_err", "or_else", "unwrap_or_else", "inspect_err"];
        self.visit_expr(&e.receiver);
        for arg in &e.args {
            match unparen(arg) {
                // What is given an error is given a constant.
                Expr::Closure(c) if handles.iter().any(|name| e.method == name) => {
                    self.visit_expr(&c.body);
                }
                arg => self.visit_expr(arg),
            }
        }
    }

    fn visit_expr_closure(&mut self, e: &'ast syn::ExprClosure) {
        let mut bound = Bound::default();
        bound.visit_expr_closure(e);
        self.closures
            .extend(bound.0.iter().map(ToString::to_string));
        visit::visit_expr_closure(self, e);
    }

    fn visit_pat_tuple_struct(&mut self, p: &'ast syn::PatTupleStruct) {
        if is_variant(&p.path) == Some(false) {
            let mut bound = Bound::default();
            bound.visit_pat_tuple_struct(p);
            self.errors.extend(bound.0.iter().map(ToString::to_string));
        }
    }
}

/// Finds variables that hold results.
struct Variables<'a> {
    facts: &'a Facts,
    /// Whether the function returns a result.
    fails: bool,
    /// What is used as a result.
    found: FxHashSet<String>,
    /// What is given the value of a call.
    held: Vec<Ident>,
    /// What holds an option for certain.
    options: FxHashSet<String>,
    /// What holds a result as it is written.
    written: FxHashSet<String>,
}

impl Variables<'_> {
    fn used(&mut self, e: &Expr) {
        if let Expr::Path(p) = unparen(e) {
            self.found
                .extend(p.path.get_ident().map(ToString::to_string));
        }
    }

    /// What a function yields at its end is a result, if it returns one.
    fn returned(&mut self, block: &syn::Block) {
        if let Some(e) = syntax::block_value(block) {
            self.value(e);
        }
    }

    fn value(&mut self, e: &Expr) {
        match unparen(e) {
            _ if !self.fails => {}
            Expr::Block(b) => self.returned(&b.block),
            Expr::If(e) => {
                self.returned(&e.then_branch);
                if let Some((_, other)) = &e.else_branch {
                    self.value(other);
                }
            }
            Expr::Match(m) => m.arms.iter().for_each(|arm| self.value(&arm.body)),
            e => self.used(e),
        }
    }
}

impl<'ast> Visit<'ast> for Variables<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_local(&mut self, local: &'ast syn::Local) {
        visit::visit_local(self, local);
        if let (Some(_), Some(init)) = (variant(&local.pat), &local.init) {
            self.used(&init.expr);
        }
        let (name, init) = match (&local.pat, &local.init) {
            // One that is given another value later has no slot of its own.
            (Pat::Ident(p), Some(init)) if p.mutability.is_none() => (&p.ident, init),
            (Pat::Type(t), Some(init)) => match &*t.pat {
                Pat::Ident(p) if p.mutability.is_none() => (&p.ident, init),
                _ => return,
            },
            _ => return,
        };
        if init.diverge.is_none() && self.facts.mentions_active(&init.expr) && is_call(&init.expr) {
            let written = self.facts.get(&name.to_string()).map(|var| &var.ty);
            if matches!(written, Some(Ty::Option(_)))
                || is_option(&init.expr, self.facts, &self.options)
            {
                self.options.insert(name.to_string());
            } else {
                if is_written(&init.expr, &|_| false) {
                    self.written.insert(name.to_string());
                }
                self.held.push(name.clone());
            }
        }
    }

    fn visit_expr_try(&mut self, e: &'ast syn::ExprTry) {
        visit::visit_expr_try(self, e);
        self.used(&e.expr);
    }

    fn visit_expr_return(&mut self, e: &'ast syn::ExprReturn) {
        visit::visit_expr_return(self, e);
        if let Some(e) = &e.expr {
            self.value(e);
        }
    }

    fn visit_expr_match(&mut self, e: &'ast syn::ExprMatch) {
        visit::visit_expr_match(self, e);
        if e.arms.iter().any(|arm| variant(&arm.pat).is_some()) {
            self.used(&e.expr);
        }
    }

    fn visit_expr_let(&mut self, e: &'ast syn::ExprLet) {
        visit::visit_expr_let(self, e);
        if variant(&e.pat).is_some() {
            self.used(&e.expr);
        }
    }

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        visit::visit_expr_method_call(self, e);
        let is = |names: &[&str]| names.iter().any(|name| e.method == name);
        let shared =
            is(SHARED) && facts::root(&e.receiver).is_some_and(|name| self.written.contains(&name));
        if shared || is(ENDS) || is(&["map_err", "context", "with_context"]) {
            self.used(&e.receiver);
        }
    }
}

/// Whether there are numbers in what is of a type, and no references to any.
fn is_plain(ty: &Ty) -> bool {
    match ty {
        Ty::Array(elem, _) | Ty::Slice(elem) | Ty::Vec(elem) => is_plain(elem),
        ty => ty.is_scalar() || ty.is_inert(),
    }
}

/// A call whose value may be a result.
fn is_call(e: &Expr) -> bool {
    match unparen(e) {
        Expr::Call(_) | Expr::MethodCall(_) => true,
        Expr::If(e) => e.else_branch.is_some(),
        Expr::Match(_) => true,
        _ => false,
    }
}

/// Whether an expression is an option for certain: `variables` hold some. A call may return a result as well.
fn is_option(e: &Expr, facts: &Facts, variables: &FxHashSet<String>) -> bool {
    let e = unparen(e);
    if matches!(facts.ty(e), Ty::Option(_)) {
        return true;
    }
    match e {
        // Results in other values are not followed.
        Expr::Field(_) | Expr::Index(_) => true,
        Expr::Path(p) => {
            (p.path.get_ident()).is_some_and(|name| variables.contains(&name.to_string()))
        }
        Expr::MethodCall(m) => {
            let is = |names: &[&str]| names.iter().any(|name| m.method == name);
            is(std_methods::OPTIONS)
                || is(std_methods::STILL_OPTIONS) && is_option(&m.receiver, facts, variables)
        }
        _ => false,
    }
}

/// Whether an expression is a result as it is written, or one of its parts is `known` to be, which makes it one.
fn is_written(e: &Expr, known: &dyn Fn(&Expr) -> bool) -> bool {
    let ends = |block: &syn::Block| {
        syntax::block_value(block).is_some_and(|value| is_written(value, known))
    };
    match unparen(e) {
        Expr::Block(b) => ends(&b.block),
        Expr::If(e) => {
            let other = e.else_branch.as_ref();
            ends(&e.then_branch) || other.is_some_and(|(_, other)| is_written(other, known))
        }
        Expr::Match(m) => m.arms.iter().any(|arm| is_written(&arm.body, known)),
        Expr::Call(call) => {
            matches!(unparen(&call.func), Expr::Path(p) if is_variant(&p.path).is_some())
        }
        Expr::MethodCall(m) => {
            let is = |names: &[&str]| names.iter().any(|name| m.method == name);
            let given = match m.args.first().map(unparen) {
                Some(Expr::Closure(c)) if c.inputs.len() == 1 => Some(&c.body),
                _ => None,
            };
            is(CERTAIN)
                || m.method == "or_else" && given.is_some()
                || m.method == "and_then" && given.is_some_and(|body| is_written(body, known))
                || is(&["map", "and_then"]) && is_written(&m.receiver, known)
                || known(unparen(e))
        }
        e => known(e),
    }
}

/// `Ok(…)` or `Err(…)`, as a pattern: which of them, and what is in it.
fn variant(pat: &Pat) -> Option<(bool, &Pat)> {
    match pat {
        Pat::Paren(p) => variant(&p.pat),
        Pat::Guard(p) => variant(&p.pat),
        Pat::TupleStruct(p) if p.elems.len() == 1 => Some((is_variant(&p.path)?, &p.elems[0])),
        _ => None,
    }
}

/// Refuses `Ok(…)` and `Err(…)` within a pattern of something active.
fn refuse_within(pat: &Pat, errors: &mut Errors) {
    struct Within<'a>(&'a mut Errors);
    impl<'ast> Visit<'ast> for Within<'_> {
        fn visit_pat_tuple_struct(&mut self, p: &'ast syn::PatTupleStruct) {
            if is_variant(&p.path).is_some() {
                self.0.error(
                    p,
                    "a result in another value cannot be followed; `match` results one by one",
                );
            }
            visit::visit_pat_tuple_struct(self, p);
        }
    }
    Within(errors).visit_pat(pat);
}

/// What is in `Ok(…)` or `Err(…)`, under the same guard.
fn inner(pat: &Pat) -> Option<(bool, Pat)> {
    let (of_value, within) = variant(pat)?;
    let mut within = within.clone();
    if let Pat::Guard(p) = pat {
        within = Pat::Guard(syn::PatGuard {
            pat: Box::new(within),
            ..p.clone()
        });
    }
    Some((of_value, within))
}

/// Whether a path is `Ok`, or `Err`.
fn is_variant(path: &syn::Path) -> Option<bool> {
    let count = path.segments.len();
    let last = path.segments.last()?;
    if count > 1 && path.segments[count - 2].ident != "Result" {
        return None;
    }
    match last.ident.to_string().as_str() {
        "Ok" => Some(true),
        "Err" => Some(false),
        _ => None,
    }
}

/// Where an error goes.
enum Target {
    /// The expression is no result.
    None,
    /// Out of the function, whose value this is.
    Function,
    /// To a slot; by `?`, out of the function from there.
    Slot { slot: Ident, question: bool },
}

struct Results<'a> {
    /// The function is about tensors.
    tensors: bool,
    /// Variables of closures.
    passed: FxHashSet<String>,
    /// Variables that errors are bound to, which are constants.
    caught: FxHashSet<String>,
    facts: &'a Facts,
    /// Variables that hold options.
    options: FxHashSet<String>,
    names: &'a mut Names,
    errors: &'a mut Errors,
    fails: Option<&'a Fails<'a>>,
    /// Variables that hold results, and what stands for each.
    held: FxHashMap<String, Held>,
    /// How many closures this is in.
    closures: usize,
    /// In the body of a closure that is written out as a loop, or in a round of a loop that keeps few states.
    scope: Option<Scope>,
}

/// What code leaves that does not return from the function where it fails.
struct Scope {
    /// Where errors go.
    to: Expr,
    /// What is left.
    label: syn::Lifetime,
    /// What says that it was.
    left: Option<Ident>,
}

/// What stands for a variable that holds a result.
#[derive(Clone)]
struct Held {
    slot: Ident,
    value: Ident,
}

/// An expression as a constant.
fn constant(e: &TokenStream, span: Span) -> Expr {
    parse_quote_spanned!(span=> rt::stop_gradient(#e))
}

/// The argument by which a call reports its error to a slot.
fn failure(slot: &Ident) -> Expr {
    parse_quote!(rt::fallible::failure(&#slot))
}

impl Results<'_> {
    /// Whether something active may be named in an expression that does more than decide.
    fn is_active(&self, e: &Expr) -> bool {
        let active = |name: &str| {
            let known = self.facts.get(name).is_some_and(|var| var.active);
            known && !self.caught.contains(name) || self.passed.contains(name)
        };
        facts::mentions(e, &active) && !self.facts.only_decides(e) && !self.facts.is_stopped(e)
    }

    /// Whether nothing is made of an error but the function's own: numbers that come out of it would lose their derivatives.
    fn hands_on(&self, error: &Pat, handler: &syn::Block) -> bool {
        let returned = match handler.stmts.as_slice() {
            [Stmt::Expr(Expr::Return(r), _)] => self.returns_error(r),
            _ => false,
        };
        returned || binds_nothing(error)
    }

    /// `return Err(…)` from a function that returns a result.
    fn returns_error(&self, r: &syn::ExprReturn) -> bool {
        self.in_fallible() && r.expr.as_ref().is_some_and(|e| error_of(e).is_some())
    }

    /// A result of which nothing but the error matters, as a constant.
    fn stopped(&self, e: &mut Expr) {
        if self.is_active(e) && self.only_checks(e) {
            let span = e.span();
            *e = constant(&e.to_token_stream(), span);
        }
    }

    /// The function returns a result, and this is no closure in it.
    fn in_fallible(&self) -> bool {
        (self.fails.is_some() || self.scope.is_some()) && self.closures == 0
    }

    /// Leaves the function.
    fn leave(&self) -> Expr {
        match &self.scope {
            Some(Scope {
                label,
                left: Some(left),
                ..
            }) => return parse_quote!({ #left = true; break #label }),
            Some(Scope { label, .. }) => return parse_quote!(break #label),
            None => {}
        }
        match self.fails.and_then(|fails| fails.ret) {
            None => parse_quote!(return),
            Some(ty) => {
                let value = absent(ty, &quote!(rt));
                if types::read(ty).is_float() {
                    return parse_quote!(return #value);
                }
                let value = constant(&value, Span::call_site());
                parse_quote!(return #value)
            }
        }
    }

    /// Where errors are reported to.
    fn reported(&self, target: &Target) -> Expr {
        match (target, &self.scope) {
            (Target::Slot { slot, .. }, _) => failure(slot),
            (_, Some(scope)) => scope.to.clone(),
            (Target::None | Target::Function, None) => make::path(&format_ident!("{FAILURE}")),
        }
    }

    fn new_slot(&mut self, span: Span) -> (Ident, Stmt) {
        let slot = self.names.fresh("failure", span);
        let new =
            parse_quote_spanned!(span=> let #slot = rt::stop_gradient(rt::fallible::Slot::new()););
        (slot, new)
    }

    /// The statements that compute a result: they declare its slot, its value, and whether there is none.
    fn computed(&mut self, e: Expr, question: bool) -> (Vec<Stmt>, Ident, Ident, Ident) {
        let span = e.span();
        let value = self.names.fresh("value", span);
        let failed = self.names.fresh("failed", span);
        if let Some(Held { slot, value }) = self.held_by(&e) {
            let stmts = vec![Self::asked(&failed, &slot, span)];
            return (stmts, slot, value, failed);
        }
        let (slot, new) = self.new_slot(span);
        let target = Target::Slot {
            slot: slot.clone(),
            question,
        };
        let computed = self.position(e, &target);
        let stmts = vec![
            new,
            make::variable(&value, computed),
            Self::asked(&failed, &slot, span),
        ];
        (stmts, slot, value, failed)
    }

    fn asked(failed: &Ident, slot: &Ident, span: Span) -> Stmt {
        parse_quote_spanned!(span=> let #failed: bool = rt::stop_gradient(rt::fallible::failed(&#slot));)
    }

    /// What an expression stands for that is a variable that holds a result.
    fn held_by(&self, e: &Expr) -> Option<Held> {
        match unparen(e) {
            Expr::Path(p) => p
                .path
                .get_ident()
                .and_then(|name| self.held.get(&name.to_string()))
                .cloned(),
            _ => None,
        }
    }

    /// `e?`
    fn question(&mut self, e: Expr) -> Expr {
        let span = e.span();
        if let Some(error) = error_of(&e) {
            return self.left_with(error, span);
        }
        let (mut stmts, slot, value, failed) = self.computed(e, true);
        stmts.push(self.left(&failed, &slot, span));
        make::block(stmts, Some(make::path(&value)))
    }

    /// `Err(e)?`
    fn left_with(&mut self, error: &Expr, span: Span) -> Expr {
        let to = self.reported(&Target::Function);
        let failed = constant(&quote!(rt::fallible::fail_into(#to, #error)), span);
        make::block(vec![make::semi(failed)], Some(self.leave()))
    }

    /// Passes an error on as `?` does.
    fn left(&self, failed: &Ident, slot: &Ident, span: Span) -> Stmt {
        let to = self.reported(&Target::Function);
        let passed = constant(&quote!(rt::fallible::convert(&#slot, #to)), span);
        let leave = self.leave();
        parse_quote_spanned!(span=> if #failed { #passed; #leave; })
    }

    /// `e?` of constant code.
    fn attempted(&mut self, e: Expr, span: Span) -> Expr {
        if let Some(error) = error_of(&e) {
            return self.left_with(error, span);
        }
        let (mut stmts, e) = self.apart(e);
        let to = self.reported(&Target::Function);
        let attempt = constant(&quote!(rt::fallible::attempt(#to, #e)), span);
        let (some, leave) = (self.names.fresh("some", span), self.leave());
        let value = parse_quote_spanned! {span=>
            match #attempt {
                ::core::option::Option::Some(#some) => #some,
                ::core::option::Option::None => #leave,
            }
        };
        if stmts.is_empty() {
            return value;
        }
        make::block(std::mem::take(&mut stmts), Some(value))
    }

    /// Takes what an expression leaves the function with out of it, and what is evaluated before that: it is copied as it stands.
    fn apart(&mut self, mut e: Expr) -> (Vec<Stmt>, Expr) {
        let (span, facts) = (e.span(), self.facts);
        let mut stmts = Vec::new();
        exits::hoist(&mut e, facts, &mut stmts, &mut || {
            self.names.fresh("tried", span)
        });
        for stmt in &mut stmts {
            self.visit_stmt_mut(stmt);
        }
        (stmts, e)
    }

    /// An expression that is a result, as its value.
    fn position(&mut self, e: Expr, target: &Target) -> Expr {
        let span = e.span();
        match e {
            Expr::Paren(e) => self.position(*e.expr, target),
            Expr::Group(e) => self.position(*e.expr, target),
            Expr::Block(mut e) => {
                self.block(&mut e.block, target);
                Expr::Block(e)
            }
            Expr::If(e) if e.else_branch.is_some() => self.conditional(e, target),
            Expr::Match(e) => self.matched(e, target),
            Expr::Call(call) => match unparen(&call.func) {
                Expr::Path(p) if is_variant(&p.path) == Some(true) && call.args.len() == 1 => {
                    let mut value = call.args[0].clone();
                    self.visit_expr_mut(&mut value);
                    value
                }
                Expr::Path(p) if is_variant(&p.path) == Some(false) && call.args.len() == 1 => {
                    self.failing(&call.args[0].to_token_stream(), target, span)
                }
                _ if self.is_active(&Expr::Call(call.clone())) => self.called(call, target),
                _ => self.constant(Expr::Call(call), target, span),
            },
            Expr::MethodCall(m) if self.is_active(&Expr::MethodCall(m.clone())) => {
                self.method(m, target)
            }
            Expr::Macro(m) if returns(&m.mac) && self.in_fallible() => {
                self.returned_by(&m.mac.to_token_stream(), span)
            }
            mut e @ (Expr::Return(_)
            | Expr::Break(_)
            | Expr::Continue(_)
            | Expr::Macro(_)
            | Expr::Loop(_)) => {
                self.visit_expr_mut(&mut e);
                e
            }
            e => match self.held_by(&e) {
                Some(Held { slot, value }) => {
                    let to = self.reported(target);
                    let passed = constant(&quote!(rt::fallible::pass(&#slot, #to)), span);
                    make::block(vec![make::semi(passed)], Some(make::path(&value)))
                }
                None if self.is_active(&e) => {
                    self.errors.error(
                        &e,
                        "this result cannot be followed; use `?` on it where it is computed",
                    );
                    e
                }
                None => self.constant(e, target, span),
            },
        }
    }

    /// A result of constant code.
    fn constant(&mut self, e: Expr, target: &Target, span: Span) -> Expr {
        let Target::Slot { .. } = target else {
            return self.attempted(e, span);
        };
        let (stmts, e) = self.apart(e);
        let to = self.reported(target);
        let value = constant(&quote!(rt::fallible::split(#e, #to)), span);
        if stmts.is_empty() {
            return value;
        }
        make::block(stmts, Some(value))
    }

    /// `Err(e)`
    fn failing(&mut self, error: &TokenStream, target: &Target, span: Span) -> Expr {
        match target {
            Target::Slot {
                question: false, ..
            } => {
                let to = self.reported(target);
                let failed = constant(&quote!(rt::fallible::fail(#to, #error)), span);
                let absent = constant(&quote!(rt::fallible::absent()), span);
                make::block(vec![make::semi(failed)], Some(absent))
            }
            Target::Slot {
                question: true,
                slot,
            } => {
                let to = self.reported(&Target::Function);
                let failed = constant(&quote!(rt::fallible::fail_from(#to, &#slot, #error)), span);
                make::block(vec![make::semi(failed)], Some(self.leave()))
            }
            Target::None | Target::Function => {
                let to = self.reported(target);
                let failed = constant(&quote!(rt::fallible::fail(#to, #error)), span);
                make::block(vec![make::semi(failed)], Some(self.leave()))
            }
        }
    }

    /// `bail!(…)`, in a closure that it returns from.
    fn returned_by(&mut self, mac: &TokenStream, span: Span) -> Expr {
        let to = self.reported(&Target::Function);
        let failed = constant(
            &quote!(rt::fallible::caught(#to, || { #mac; ::core::result::Result::Ok(()) })),
            span,
        );
        let ignored = self.names.fresh("failed", span);
        make::block(vec![make::variable(&ignored, failed)], Some(self.leave()))
    }

    /// `ensure!(…);`, in a closure that it returns from.
    fn ensured(&mut self, mac: &TokenStream, span: Span) -> Vec<Stmt> {
        let to = self.reported(&Target::Function);
        let asked = constant(
            &quote!(rt::fallible::caught(#to, || { #mac; ::core::result::Result::Ok(()) })),
            span,
        );
        let (failed, leave) = (self.names.fresh("failed", span), self.leave());
        vec![
            parse_quote_spanned!(span=> let #failed: bool = #asked;),
            parse_quote_spanned!(span=> if #failed { #leave; }),
        ]
    }

    /// A call of a fallible function.
    fn called(&mut self, mut call: syn::ExprCall, target: &Target) -> Expr {
        for arg in &mut call.args {
            self.visit_expr_mut(arg);
        }
        let Expr::Path(func) = &mut *call.func else {
            self.errors.error(
                &call.func,
                "this call cannot be followed; call a #[grad] function by its path",
            );
            return Expr::Call(call);
        };
        let variable = func.path.get_ident().map(ToString::to_string);
        if variable.is_some_and(|name| self.facts.get(&name).is_some()) {
            self.errors.error(&call.func, "a closure or function value that returns a result is followed where each call has `?` behind it; else let it return an `Option`, or write it as a #[grad] function");
            return Expr::Call(call);
        }
        let itself = self
            .fails
            .is_some_and(|fails| fails.free && func.path.is_ident(fails.user));
        if itself {
            let (owner, own) = (format_ident!("{OWNER}"), format_ident!("{VALUE}"));
            func.path = parse_quote!(#owner::#own);
        } else {
            let count = func.path.segments.len();
            let derived = |s: &syn::PathSegment| types::is_derivative(&s.ident.to_string());
            if count > 1 && func.path.segments.last().is_some_and(derived) {
                self.errors.error(
                    &func.path,
                    "the derivative of a fallible function has none itself; call the function",
                );
                return Expr::Call(call);
            }
            let of_type = count > 1 && {
                let owner = func.path.segments[count - 2].ident.to_string();
                owner == OWNER || types::is_type_name(&owner)
            };
            if let Some(last) = func.path.segments.last_mut() {
                if of_type {
                    last.ident = value_name(&last.ident);
                } else {
                    let args = std::mem::take(&mut last.arguments);
                    let own = Ident::new(VALUE, last.ident.span());
                    let mut segment = syn::PathSegment::from(own);
                    segment.arguments = args;
                    func.path.segments.push(segment);
                }
            }
        }
        call.args.push(self.reported(target));
        Expr::Call(call)
    }

    /// A method of a result or an option, or a fallible method.
    fn method(&mut self, mut m: syn::ExprMethodCall, target: &Target) -> Expr {
        let span = m.method.span();
        let (name, count) = (m.method.to_string(), m.args.len());
        match (name.as_str(), count) {
            ("context" | "with_context", 1)
                if is_option(&m.receiver, self.facts, &self.options) =>
            {
                let (given, method) = (&m.args[0], &m.method);
                let error = quote! {
                    match ::core::option::Option::<()>::None.#method(#given) {
                        ::core::result::Result::Err(error) => error,
                        ::core::result::Result::Ok(()) => ::core::unreachable!(),
                    }
                };
                self.visit_expr_mut(&mut m.receiver);
                self.there_or(&m.receiver, &error, target, span)
            }
            ("map_err" | "inspect_err" | "context" | "with_context", 1) => {
                let (arg, method) = (&m.args[0], &m.method);
                let mut given = arg.clone();
                if matches!(name.as_str(), "map_err" | "inspect_err") {
                    let around = Around {
                        facts: self.facts,
                        passed: &self.passed,
                    };
                    outcomes::mapped(&mut given, name == "map_err", around, self.errors);
                }
                let mapped = if name == "map_err" {
                    given.to_token_stream()
                } else {
                    quote!(|error| match ::core::result::Result::<(), _>::Err(error).#method(#given) {
                        ::core::result::Result::Err(error) => error,
                        ::core::result::Result::Ok(()) => ::core::unreachable!(),
                    })
                };
                let to = self.reported(target);
                let (mut stmts, slot, value, failed) = self.computed((*m.receiver).clone(), false);
                let passed = constant(&quote!(rt::fallible::map(&#slot, #to, #mapped)), span);
                stmts.push(parse_quote_spanned!(span=> if #failed { #passed; }));
                make::block(stmts, Some(make::path(&value)))
            }
            ("ok_or" | "ok_or_else", 1) => {
                let error = if name == "ok_or" {
                    m.args[0].to_token_stream()
                } else {
                    let f = &m.args[0];
                    quote!((#f)())
                };
                self.visit_expr_mut(&mut m.receiver);
                if name == "ok_or_else" {
                    return self.there_or(&m.receiver, &error, target, span);
                }
                let (option, some) = (&m.receiver, self.names.fresh("some", span));
                // The error is made in any case, after what it may be the error of.
                let (given, made) = (
                    self.names.fresh("option", span),
                    self.names.fresh("error", span),
                );
                let failing = self.failing(&made.to_token_stream(), target, span);
                make::block(
                    vec![
                        make::variable(&given, (**option).clone()),
                        make::variable(&made, constant(&error, span)),
                    ],
                    Some(
                        parse_quote_spanned!(span=> match #given { Some(#some) => #some, None => #failing }),
                    ),
                )
            }
            ("map" | "and_then", 1) => {
                let Some((pat, body)) = self.closure(&m.args[0]) else {
                    return self.refused(m);
                };
                let body = if name == "map" {
                    let mut body = body;
                    self.visit_expr_mut(&mut body);
                    body
                } else {
                    self.position(body, target)
                };
                let (mut stmts, slot, value, failed) = self.computed((*m.receiver).clone(), false);
                let to = self.reported(target);
                let passed = match target {
                    Target::Slot {
                        question: false, ..
                    } => {
                        let passed = constant(&quote!(rt::fallible::pass(&#slot, #to)), span);
                        let absent = constant(&quote!(rt::fallible::absent()), span);
                        let chosen = parse_quote_spanned!(span=> if #failed { #passed; #absent } else { let #pat = #value; #body });
                        return make::block(stmts, Some(chosen));
                    }
                    Target::Slot { slot: at, .. } => {
                        let out = self.reported(&Target::Function);
                        quote!(rt::fallible::convert_as(&#slot, #out, &#at))
                    }
                    Target::None | Target::Function => quote!(rt::fallible::pass(&#slot, #to)),
                };
                let (passed, leave) = (constant(&passed, span), self.leave());
                stmts.push(parse_quote_spanned!(span=> if #failed { #passed; #leave; }));
                stmts.push(make::local(pat, make::path(&value)));
                make::block(stmts, Some(body))
            }
            ("collect" | "sum" | "product", 0) | ("try_fold", 2) => self.looped(m, target),
            ("or_else", 1) => {
                let Some((pat, body)) = self.closure(&m.args[0]) else {
                    return self.refused(m);
                };
                let (stmts, slot, value, failed) = self.computed((*m.receiver).clone(), false);
                let body = self.position(body, target);
                let body = self.handling(&pat, body);
                let handled = Self::handled(&slot, &pat, body, None, span);
                make::block(
                    stmts,
                    Some(parse_quote_spanned!(span=> if #failed { #handled } else { #value })),
                )
            }
            ("clone" | "cloned" | "copied" | "as_ref" | "as_mut" | "iter", 0) => self.refused(m),
            _ if std_methods::is_standard(&name) || rules::by_method(&name).is_some() => {
                self.refused(m)
            }
            _ if self.facts.is_kept_by(&m) => {
                self.errors.error(&m.method, facts::STORED);
                make::unit()
            }
            _ => {
                self.visit_expr_mut(&mut m.receiver);
                for arg in &mut m.args {
                    self.visit_expr_mut(arg);
                }
                let plain = Ident::new(&own_names::plain(&m.method), span);
                m.method = value_name(&plain);
                m.args.push(self.reported(target));
                Expr::MethodCall(m)
            }
        }
    }

    /// What is in an option, which fails with an error where nothing is.
    fn there_or(
        &mut self,
        option: &Expr,
        error: &TokenStream,
        target: &Target,
        span: Span,
    ) -> Expr {
        let some = make::path(&self.names.fresh("some", span));
        let parts = matches!(unparen(option), Expr::MethodCall(m) if m.method == "split_first" || m.method == "split_last");
        let some = if parts {
            let rest = self.names.fresh("rest", span);
            parse_quote_spanned!(span=> (#some, #rest))
        } else {
            some
        };
        let failing = self.failing(error, target, span);
        parse_quote_spanned!(span=> match #option { Some(#some) => #some, None => #failing })
    }

    /// A closure of one parameter, or a function, as a pattern and a body.
    fn closure(&mut self, f: &Expr) -> Option<(Pat, Expr)> {
        match unparen(f) {
            Expr::Closure(c) if c.inputs.len() == 1 => {
                let pat = match c.inputs.first()? {
                    Pat::Type(t) => (*t.pat).clone(),
                    pat => (*pat).clone(),
                };
                let mut returns = Returns::default();
                returns.visit_expr(&c.body);
                if let Some(span) = returns.returns.or(returns.questions) {
                    self.errors.error_at(
                        span,
                        "what leaves a closure of a result cannot be followed; `match` the result",
                    );
                }
                Some((pat, (*c.body).clone()))
            }
            Expr::Path(p) => {
                let name = self.names.fresh("given", p.span());
                self.passed.insert(name.to_string());
                let called = parse_quote!(#p(#name));
                Some((make::ident(&name, false), called))
            }
            _ => None,
        }
    }

    /// The end of an iterator of results, as a loop that an error leaves.
    fn looped(&mut self, m: syn::ExprMethodCall, target: &Target) -> Expr {
        let span = m.method.span();
        let folds = m.method == "try_fold";
        let mapped = match unparen(&m.receiver) {
            Expr::MethodCall(map) if !folds && map.method == "map" && map.args.len() == 1 => {
                Some(map)
            }
            _ => None,
        };
        let (items, closure) = match (mapped, &m.args) {
            (Some(map), _) => ((*map.receiver).clone(), map.args.first()),
            (None, args) if folds => ((*m.receiver).clone(), args.iter().nth(1)),
            _ => return self.refused(m),
        };
        let Some(Expr::Closure(c)) = closure.map(unparen) else {
            return self.refused(m);
        };
        let mut returns = Returns::default();
        returns.visit_expr(&c.body);
        if returns.returns.is_some() || c.inputs.len() != 1 + usize::from(folds) {
            return self.refused(m);
        }
        let pats: Vec<Pat> = c
            .inputs
            .iter()
            .map(|pat| match pat {
                Pat::Type(t) => (*t.pat).clone(),
                pat => pat.clone(),
            })
            .collect();
        let all = self.names.fresh("all", span);
        let item = self.names.fresh("item", span);
        let name = self.names.fresh("tried", span);
        let label = syn::Lifetime::new(&format!("'{name}"), span);
        let to = self.reported(target);
        let (mut start, mut before): (Expr, Option<Stmt>) = (parse_quote!(Vec::new()), None);
        let (walked, next): (&Pat, Stmt) = match m.method.to_string().as_str() {
            "collect" => (&pats[0], parse_quote_spanned!(span=> #all.push(#item);)),
            "sum" => {
                start = parse_quote!(0.0);
                (&pats[0], parse_quote_spanned!(span=> #all += #item;))
            }
            "product" => {
                start = parse_quote!(1.0);
                (&pats[0], parse_quote_spanned!(span=> #all *= #item;))
            }
            _ => {
                start = m.args[0].clone();
                before = Some(make::local(pats[0].clone(), make::path(&all)));
                (&pats[1], parse_quote_spanned!(span=> #all = #item;))
            }
        };
        self.visit_expr_mut(&mut start);
        let mut items = items;
        self.visit_expr_mut(&mut items);
        let asked = constant(&quote!(#to.is_set()), span);
        let scope = Scope {
            to,
            label: label.clone(),
            left: None,
        };
        let outer = (
            self.scope.replace(scope),
            std::mem::take(&mut self.closures),
        );
        let body = self.position((*c.body).clone(), &Target::Function);
        (self.scope, self.closures) = outer;
        let failed = self.names.fresh("failed", span);
        parse_quote_spanned! {span=> {
            let mut #all = #start;
            #label: for #walked in #items {
                #before
                let #item = #body;
                let #failed: bool = #asked;
                if #failed { break #label; }
                #next
            }
            #all
        }}
    }

    /// A loop that keeps few states runs to its end: what a round leaves by an error is the round, the next ones do nothing, and the function is left after the loop.
    fn checkpointed(&mut self, e: &mut Expr) {
        let span = match &*e {
            Expr::ForLoop(l) => l.for_token.span,
            Expr::While(l) => l.while_token.span,
            e => e.span(),
        };
        let function = make::path(&format_ident!("{FAILURE}"));
        let (shared, left) = (
            self.names.fresh("failure", span),
            self.names.fresh("left", span),
        );
        let label = self.names.fresh("round", span);
        let label = syn::Lifetime::new(&format!("'{label}"), span);
        let scope = Scope {
            to: parse_quote!(rt::fallible::of_round(&#shared)),
            label: label.clone(),
            left: Some(left.clone()),
        };
        let body = match e {
            Expr::ForLoop(l) => {
                self.visit_expr_mut(&mut l.expr);
                &mut l.body
            }
            Expr::While(l) => {
                let mut returns = Returns::default();
                returns.visit_expr(&l.cond);
                if let Some(span) = returns.questions {
                    self.errors.error_at(span, "the condition of a loop with `#[checkpoint]` cannot fail; ask for it in an `if` within the loop, by a variable that says whether to go on");
                }
                self.visit_expr_mut(&mut l.cond);
                &mut l.body
            }
            _ => return visit_mut::visit_expr_mut(self, e),
        };
        self.scope = Some(scope);
        self.visit_block_mut(body);
        self.scope = None;
        if !types::mentions(&body.to_token_stream(), &left) {
            return;
        }
        if let Some(Stmt::Expr(_, semi @ None)) = body.stmts.last_mut() {
            *semi = Some(<syn::Token![;]>::default());
        }
        match e {
            Expr::ForLoop(syn::ExprForLoop { body, .. }) => {
                *body = parse_quote_spanned!(span=> { if !#left { #label: #body } });
            }
            Expr::While(l) => {
                let (cond, body) = (&l.cond, &l.body);
                l.body = parse_quote_spanned!(span=> { #label: #body });
                l.cond = parse_quote_spanned!(span=> !#left && (#cond));
            }
            _ => {}
        }
        let new = constant(&quote!(rt::fallible::Shared::new(#function)), span);
        let passed = constant(&quote!(rt::fallible::pass_on(&#shared, #function)), span);
        let leave = self.leave();
        *e = parse_quote_spanned! {span=> {
            let #shared = #new;
            let mut #left: bool = false;
            #e
            if #left { #passed; #leave; }
        }};
    }

    fn refused(&mut self, m: syn::ExprMethodCall) -> Expr {
        let name = own_names::plain(&m.method);
        let instead = match &*name {
            "try_into" => "look at the length first, and write `.try_into().unwrap()`",
            _ => "use `?` or `match`, and compute with the value",
        };
        self.errors.error(
            &m.method,
            format_args!(
                "method `{name}` of a result of active values cannot be followed; {instead}"
            ),
        );
        Expr::MethodCall(m)
    }

    /// What is done with an error: it is a constant, and rustc checks that no number comes out of it.
    fn handling(&mut self, pat: &Pat, mut body: Expr) -> Expr {
        let around = Around {
            facts: self.facts,
            passed: &self.passed,
        };
        outcomes::handled(pat, &mut body, around, self.errors);
        body
    }

    /// The same, with the error of a slot; `other` is the arm for other errors.
    fn handled(
        slot: &Ident,
        pat: &Pat,
        body: Expr,
        other: Option<(&Pat, &Expr)>,
        span: Span,
    ) -> Expr {
        let error = constant(&quote!(rt::fallible::error(&#slot)), span);
        match (pat, other) {
            (Pat::Wild(_), _) => body,
            (pat, Some((rest, other))) if !crate::names::always_matches(pat) => {
                parse_quote_spanned!(span=> match #error { #pat => #body, #rest => #other })
            }
            _ => make::block(vec![make::local(pat.clone(), error)], Some(body)),
        }
    }

    /// An arm for an error of a result: what takes nothing out of the error of a variable leaves it there.
    fn left_there(&mut self, result: &Expr, pat: Pat, body: Expr) -> (Pat, Expr) {
        let mut bound = Bound::default();
        bound.visit_pat(&pat);
        let Some(Held { slot, .. }) = self.held_by(result).filter(|_| bound.0.is_empty()) else {
            return (pat, body);
        };
        let span = pat.span();
        let error = self.names.fresh("error", span);
        let back = constant(&quote!(rt::fallible::put_back(&#slot, #error)), span);
        let pat = match pat {
            Pat::Guard(mut p) => {
                let inner = &p.pat;
                p.pat = parse_quote!(#error @ (#inner));
                Pat::Guard(p)
            }
            Pat::Wild(_) => parse_quote!(#error),
            pat => parse_quote!(#error @ (#pat)),
        };
        (pat, make::block(vec![make::semi(back)], Some(body)))
    }

    /// The two ways that a result is gone on with.
    fn either(
        &mut self,
        e: Expr,
        ok: impl FnOnce(&Ident) -> Expr,
        err: impl FnOnce(&Ident) -> Expr,
    ) -> Expr {
        let span = e.span();
        let (stmts, slot, value, failed) = self.computed(e, false);
        let (ok, err) = (ok(&value), err(&slot));
        make::block(
            stmts,
            Some(parse_quote_spanned!(span=> if #failed { #err } else { #ok })),
        )
    }

    /// An expression in the position of a target, or a plain one.
    fn at(&mut self, e: Expr, target: &Target) -> Expr {
        match target {
            Target::None => {
                let mut e = e;
                self.visit_expr_mut(&mut e);
                e
            }
            target => self.position(e, target),
        }
    }

    /// `if`, also with `let Ok(…)`.
    fn conditional(&mut self, mut e: syn::ExprIf, target: &Target) -> Expr {
        let other = e.else_branch.take().map(|(_, other)| *other);
        if let Expr::Let(l) = &mut *e.cond {
            if let Some((of_value, pat)) = variant(&l.pat) {
                if !of_value && self.hands_on(pat, &e.then_branch) {
                    self.stopped(&mut l.expr);
                }
                if self.is_active(&l.expr) || self.held_by(&l.expr).is_some() {
                    let (pat, result) = (pat.clone(), (*l.expr).clone());
                    let then = make::labelled(None, e.then_branch);
                    let other = other.unwrap_or_else(|| make::block(Vec::new(), None));
                    let (mut then, other) = (self.at(then, target), self.at(other, target));
                    let (mut pat, mut rest) = (pat, (parse_quote!(_), other.clone()));
                    if !of_value {
                        then = self.handling(&pat, then);
                        if !matches!(pat, Pat::Wild(_)) {
                            (pat, then) = self.left_there(&result, pat, then);
                            rest = self.left_there(&result, rest.0, rest.1);
                        }
                    }
                    let span = l.span();
                    return self.either(
                        result,
                        |value| {
                            if of_value {
                                Self::bound(&pat, value, then.clone(), Some(&other))
                            } else {
                                other.clone()
                            }
                        },
                        |slot| {
                            if of_value {
                                other.clone()
                            } else {
                                let rest = Some((&rest.0, &rest.1));
                                Self::handled(slot, &pat, then.clone(), rest, span)
                            }
                        },
                    );
                }
            }
        }
        self.visit_expr_mut(&mut e.cond);
        self.block(&mut e.then_branch, target);
        e.else_branch = other.map(|other| {
            (
                <syn::Token![else]>::default(),
                Box::new(self.at(other, target)),
            )
        });
        Expr::If(e)
    }

    /// Binds a value to what is in `Ok(…)`.
    fn bound(pat: &Pat, value: &Ident, body: Expr, other: Option<&Expr>) -> Expr {
        let value = make::path(value);
        match (pat, other) {
            (Pat::Wild(_), _) => body,
            (pat, None) => make::block(vec![make::local(pat.clone(), value)], Some(body)),
            (pat, _) if crate::names::always_matches(pat) => {
                make::block(vec![make::local(pat.clone(), value)], Some(body))
            }
            (pat, Some(other)) => parse_quote!(match #value { #pat => #body, _ => #other }),
        }
    }

    /// `match`, also of a result.
    fn matched(&mut self, mut m: syn::ExprMatch, target: &Target) -> Expr {
        let of_result = m.arms.iter().any(|arm| variant(&arm.pat).is_some());
        let unused = |arm: &syn::Arm| match variant(&arm.pat) {
            Some((true, pat)) => is_unused(pat),
            Some((false, pat)) => match &*arm.body {
                Expr::Block(b) => self.hands_on(pat, &b.block),
                Expr::Return(r) => self.returns_error(r) || binds_nothing(pat),
                _ => binds_nothing(pat),
            },
            None => binds_nothing(&arm.pat),
        };
        if of_result && m.arms.iter().all(unused) {
            self.stopped(&mut m.expr);
        }
        let active = self.is_active(&m.expr) || self.held_by(&m.expr).is_some();
        if !of_result || !active {
            if active {
                for arm in &m.arms {
                    refuse_within(&arm.pat, self.errors);
                }
            }
            self.visit_expr_mut(&mut m.expr);
            for arm in &mut m.arms {
                if let Pat::Guard(p) = &mut arm.pat {
                    self.visit_expr_mut(&mut p.guard);
                }
                let body = std::mem::replace(&mut *arm.body, make::unit());
                *arm.body = self.at(body, target);
            }
            return Expr::Match(m);
        }
        let span = m.match_token.span;
        let (mut ok, mut err): (Vec<syn::Arm>, Vec<syn::Arm>) = (Vec::new(), Vec::new());
        for mut arm in std::mem::take(&mut m.arms) {
            if let Pat::Guard(p) = &mut arm.pat {
                self.visit_expr_mut(&mut p.guard);
            }
            let body = std::mem::replace(&mut *arm.body, make::unit());
            *arm.body = self.at(body, target);
            match inner(&arm.pat) {
                Some((true, pat)) => ok.push(syn::Arm { pat, ..arm }),
                Some((false, pat)) => {
                    let body = std::mem::replace(&mut *arm.body, make::unit());
                    *arm.body = self.handling(&pat, body);
                    let comma = Some(<syn::Token![,]>::default());
                    err.push(syn::Arm { pat, comma, ..arm });
                }
                None => {
                    if !matches!(arm.pat, Pat::Wild(_)) {
                        self.errors.error(&arm.pat, "a result in a pattern of its own cannot be followed; write `Ok(…)` and `Err(…)`");
                    }
                    ok.push(arm.clone());
                    err.push(arm);
                }
            }
        }
        let result = (*m.expr).clone();
        if !matches!(err.as_slice(), [one] if matches!(one.pat, Pat::Wild(_))) {
            for arm in &mut err {
                let body = std::mem::replace(&mut *arm.body, make::unit());
                let pat = std::mem::replace(&mut arm.pat, parse_quote!(_));
                (arm.pat, *arm.body) = self.left_there(&result, pat, body);
                arm.comma = Some(<syn::Token![,]>::default());
            }
        }
        self.either(
            result,
            |value| match ok.as_slice() {
                [one] if !matches!(one.pat, Pat::Guard(_)) => {
                    Self::bound(&one.pat, value, (*one.body).clone(), None)
                }
                arms => parse_quote_spanned!(span=> match #value { #(#arms)* }),
            },
            |slot| match err.as_slice() {
                [one] if !matches!(one.pat, Pat::Guard(_)) => {
                    Self::handled(slot, &one.pat, (*one.body).clone(), None, span)
                }
                arms => {
                    let error = constant(&quote!(rt::fallible::error(&#slot)), span);
                    parse_quote_spanned!(span=> match #error { #(#arms)* })
                }
            },
        )
    }

    /// A method that ends with a value or an option, if it is one of a result.
    fn ended(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let span = m.method.span();
        let name = m.method.to_string();
        let receiver = (*m.receiver).clone();
        let is = |names: &[&str]| names.contains(&name.as_str());
        let active = self.is_active(&receiver) || self.held_by(&receiver).is_some();
        let handler = matches!(name.as_str(), "unwrap_or_else" | "map_or_else")
            && matches!(m.args.first().map(unparen), Some(Expr::Closure(c)) if c.inputs.len() == 1);
        let certain = handler
            || is(ENDS) && self.may_be(&receiver)
            || is(SHARED) && self.is_certain(&receiver);
        if !active || !certain {
            return None;
        }
        let args: Vec<Expr> = m.args.iter().cloned().collect();
        Some(match (name.as_str(), args.as_slice()) {
            ("ok", []) => self.either(
                receiver,
                |value| parse_quote_spanned!(span=> ::core::option::Option::Some(#value)),
                |_| parse_quote_spanned!(span=> ::core::option::Option::None),
            ),
            ("is_ok" | "is_err", []) if self.only_checks(&receiver) => {
                constant(&m.to_token_stream(), span)
            }
            ("is_ok" | "is_err", []) => {
                let (stmts, _, _, failed) = self.computed(receiver, false);
                let failed = make::path(&failed);
                let asked = if name == "is_ok" {
                    make::not(failed)
                } else {
                    failed
                };
                make::block(stmts, Some(asked))
            }
            ("err", []) => {
                let (stmts, slot, _, _) = self.computed(receiver, false);
                let error = quote!(rt::fallible::outcome(rt::fallible::taken(&#slot)));
                make::block(stmts, Some(constant(&error, span)))
            }
            ("unwrap_err" | "expect_err", _) => {
                self.errors.error(&m.method, format_args!("method `{name}` of a result of active values cannot be followed; `match` the result"));
                make::unit()
            }
            ("is_ok_and", [f]) => {
                let (pat, mut body) = self.closure(f)?;
                self.visit_expr_mut(&mut body);
                self.either(
                    receiver,
                    |value| Self::bound(&pat, value, body, None),
                    |_| parse_quote_spanned!(span=> false),
                )
            }
            ("is_err_and", [f]) => {
                let (pat, mut body) = self.closure(f)?;
                self.visit_expr_mut(&mut body);
                let body = self.handling(&pat, body);
                self.either(
                    receiver,
                    |_| parse_quote_spanned!(span=> false),
                    |slot| Self::handled(slot, &pat, body, None, span),
                )
            }
            ("unwrap" | "expect", args) if args.len() <= 1 => {
                let (mut stmts, slot, value, failed) = self.computed(receiver, false);
                let panics = match args {
                    [] => quote!(rt::fallible::unwrap(&#slot)),
                    _ => quote!(rt::fallible::expect(&#slot, #(#args),*)),
                };
                let panics = constant(&panics, span);
                stmts.push(parse_quote_spanned!(span=> if #failed { #panics; }));
                make::block(stmts, Some(make::path(&value)))
            }
            ("unwrap_or", [other]) => {
                let mut other = other.clone();
                self.visit_expr_mut(&mut other);
                let (mut stmts, _, value, failed) = self.computed(receiver, false);
                // It is computed in any case, after the result.
                let default = self.names.fresh("default", span);
                stmts.push(make::variable(&default, other));
                let chosen = parse_quote_spanned!(span=> if #failed { #default } else { #value });
                make::block(stmts, Some(chosen))
            }
            ("unwrap_or_default", []) => self.either(
                receiver,
                make::path,
                |_| parse_quote_spanned!(span=> ::core::default::Default::default()),
            ),
            ("unwrap_or_else", [handler]) => {
                let (pat, mut body) = self.closure(handler)?;
                self.visit_expr_mut(&mut body);
                let body = self.handling(&pat, body);
                self.either(receiver, make::path, |slot| {
                    Self::handled(slot, &pat, body, None, span)
                })
            }
            ("map_or", [other, f]) => {
                let (pat, mut body) = self.closure(f)?;
                let mut other = other.clone();
                self.visit_expr_mut(&mut body);
                self.visit_expr_mut(&mut other);
                let (mut stmts, _, value, failed) = self.computed(receiver, false);
                let default = self.names.fresh("default", span);
                stmts.push(make::variable(&default, other));
                let of_value = Self::bound(&pat, &value, body, None);
                let chosen =
                    parse_quote_spanned!(span=> if #failed { #default } else { #of_value });
                make::block(stmts, Some(chosen))
            }
            ("map_or_else", [handler, f]) => {
                let (pat, mut body) = self.closure(f)?;
                let (handled, mut other) = self.closure(handler)?;
                self.visit_expr_mut(&mut body);
                self.visit_expr_mut(&mut other);
                let other = self.handling(&handled, other);
                self.either(
                    receiver,
                    |value| Self::bound(&pat, value, body, None),
                    |slot| Self::handled(slot, &handled, other, None, span),
                )
            }
            _ => return None,
        })
    }

    /// Whether an expression may be a result, if it is used as one.
    fn may_be(&self, e: &Expr) -> bool {
        match unparen(e) {
            Expr::Call(_) => true,
            Expr::MethodCall(m) => {
                let name = m.method.to_string();
                self.is_certain(e)
                    || !std_methods::is_standard(&name) && rules::by_method(&name).is_none()
            }
            e => self.held_by(e).is_some(),
        }
    }

    /// Whether an expression is a result for certain.
    fn is_certain(&self, e: &Expr) -> bool {
        is_written(e, &|e| match e {
            Expr::MethodCall(m) => self.tensors && tensors::may_fail(&m.method.to_string()),
            e => self.held_by(e).is_some(),
        })
    }

    /// Whether a call changes none of what it is given, as far as that shows, and its value is not used.
    fn only_checks(&self, e: &Expr) -> bool {
        let harmless = |e: &Expr| match unparen(e) {
            // What is shared is only read, unless there are `&mut` references in it.
            Expr::Path(_) if !self.facts.lends(e) && is_plain(&self.facts.ty(e)) => true,
            e => !self.facts.may_lend(e, &|_| true),
        };
        match unparen(e) {
            e if self.facts.stores(e).is_some() => false,
            Expr::Call(call) => call.args.iter().all(harmless),
            Expr::MethodCall(m) if m.method == "map_err" => self.only_checks(&m.receiver),
            Expr::MethodCall(m) => {
                let root = facts::root(&m.receiver);
                let changes = root.is_none_or(|name| self.facts.may_change(&name));
                let hides = std_methods::hides(&m.method.to_string());
                let looks = !(changes || hides) || self.is_check(m);
                looks && m.args.iter().all(harmless)
            }
            _ => false,
        }
    }

    /// Whether all that a statement does is to panic where a call that changes nothing fails.
    fn asserts(&self, e: &Expr) -> bool {
        let Expr::MethodCall(m) = e else { return false };
        let asserts = m.method == "unwrap" || m.method == "expect";
        asserts && self.is_active(&m.receiver) && self.only_checks(&m.receiver)
    }

    /// `self.check()`, of which the block says that it only looks.
    fn is_check(&self, m: &syn::ExprMethodCall) -> bool {
        let of_self = matches!(unparen(&m.receiver), Expr::Path(p) if p.path.get_ident().is_some_and(|name| name.to_string().starts_with("self_")));
        of_self && (self.fails).is_some_and(|fails| fails.checks.contains(&m.method))
    }

    fn block(&mut self, block: &mut syn::Block, target: &Target) {
        let stmts = std::mem::take(&mut block.stmts);
        let count = stmts.len();
        for (k, stmt) in stmts.into_iter().enumerate() {
            let last = k + 1 == count;
            match stmt {
                Stmt::Local(local) => self.local(local, &mut block.stmts),
                Stmt::Macro(m) if self.in_fallible() && may_return(&m.mac) => {
                    let (mac, span) = (m.mac.to_token_stream(), m.mac.path.span());
                    if last && m.semi_token.is_none()
                        || m.mac
                            .path
                            .segments
                            .last()
                            .is_some_and(|s| s.ident == "bail")
                    {
                        let left = self.returned_by(&mac, span);
                        block.stmts.push(Stmt::Expr(left, None));
                    } else {
                        block.stmts.extend(self.ensured(&mac, span));
                    }
                }
                Stmt::Expr(Expr::Try(t), Some(_)) if self.in_fallible() => {
                    let span = t.span();
                    if error_of(&t.expr).is_some() {
                        let left = self.question(*t.expr);
                        block.stmts.push(make::semi(left));
                        continue;
                    }
                    if !self.is_active(&t.expr) || self.only_checks(&t.expr) {
                        block.stmts.extend(self.checked(*t.expr, span));
                        continue;
                    }
                    if self.held_by(&t.expr).is_some() {
                        let left = self.question(*t.expr);
                        block.stmts.push(make::semi(left));
                        continue;
                    }
                    let (slot, new) = self.new_slot(span);
                    let to = Target::Slot {
                        slot: slot.clone(),
                        question: true,
                    };
                    let called = self.position(*t.expr, &to);
                    let failed = self.names.fresh("failed", span);
                    let asked = Self::asked(&failed, &slot, span);
                    let left = self.left(&failed, &slot, span);
                    block.stmts.extend([new, make::semi(called), asked, left]);
                }
                Stmt::Expr(e, None) if last => {
                    let e = self.at(e, target);
                    block.stmts.push(Stmt::Expr(e, None));
                }
                Stmt::Expr(mut e, semi) => {
                    // `check(x).unwrap();`
                    if semi.is_some() && self.asserts(&e) {
                        e = constant(&e.to_token_stream(), e.span());
                    }
                    self.visit_expr_mut(&mut e);
                    block.stmts.push(Stmt::Expr(e, semi));
                }
                other => block.stmts.push(other),
            }
        }
    }

    /// `check(x)?;`, of which nothing but its error matters.
    fn checked(&mut self, e: Expr, span: Span) -> Vec<Stmt> {
        let (mut stmts, e) = self.apart(e);
        let to = self.reported(&Target::Function);
        let asked = constant(&quote!(rt::fallible::check(#to, #e)), span);
        let (failed, leave) = (self.names.fresh("failed", span), self.leave());
        stmts.push(parse_quote_spanned!(span=> let #failed: bool = #asked;));
        stmts.push(parse_quote_spanned!(span=> if #failed { #leave; }));
        stmts
    }

    fn local(&mut self, mut local: syn::Local, out: &mut Vec<Stmt>) {
        let Some(init) = &mut local.init else {
            out.push(Stmt::Local(local));
            return;
        };
        let span = local.let_token.span;
        // `let Ok(v) = e else { … };`
        if let (Some((_, other)), Some((true, pat))) = (&init.diverge, variant(&local.pat)) {
            let active = self.is_active(&init.expr) || self.held_by(&init.expr).is_some();
            if active {
                let (pat, mut other) = (pat.clone(), (**other).clone());
                self.visit_expr_mut(&mut other);
                let (stmts, _, value, failed) = self.computed((*init.expr).clone(), false);
                out.extend(stmts);
                out.push(parse_quote_spanned!(span=> if #failed #other));
                out.push(make::local(pat, make::path(&value)));
                return;
            }
        }
        if self.is_active(&init.expr) {
            refuse_within(&local.pat, self.errors);
        }
        let name = match &local.pat {
            Pat::Ident(p) => Some((&p.ident, None)),
            Pat::Type(t) => match &*t.pat {
                Pat::Ident(p) => Some((&p.ident, Some(&*t.ty))),
                _ => None,
            },
            _ => None,
        };
        let held =
            name.and_then(|(name, ty)| Some((self.held.get(&name.to_string())?.clone(), ty)));
        if let Some((Held { slot, value }, ty)) = held {
            let target = Target::Slot {
                slot: slot.clone(),
                question: false,
            };
            let known = ty.filter(|ty| {
                !types::mentions(&ty.to_token_stream(), &Ident::new("_", Span::call_site()))
            });
            let of = known.map(|ty| quote!(::<<#ty as rt::fallible::Fallible>::Error>));
            let computed = self.position((*init.expr).clone(), &target);
            out.push(parse_quote_spanned!(span=> let #slot = rt::stop_gradient(rt::fallible::Slot #of::new());));
            out.push(make::variable(&value, computed));
            let kept = quote!({ use rt::fallible::Kept as _; #slot.keep(); });
            out.push(make::semi(constant(&kept, span)));
            return;
        }
        self.visit_expr_mut(&mut init.expr);
        if let Some((_, other)) = &mut init.diverge {
            self.visit_expr_mut(other);
        }
        out.push(Stmt::Local(local));
    }
}

/// Where code leaves the closure that it stands in.
#[derive(Default)]
struct Returns {
    returns: Option<Span>,
    questions: Option<Span>,
}

impl<'ast> Visit<'ast> for Returns {
    fn visit_item(&mut self, _: &'ast syn::Item) {}
    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    fn visit_expr_return(&mut self, e: &'ast syn::ExprReturn) {
        self.returns.get_or_insert(e.return_token.span);
    }
    fn visit_expr_try(&mut self, e: &'ast syn::ExprTry) {
        self.questions.get_or_insert(e.question_token.span);
        visit::visit_expr_try(self, e);
    }
}

/// Whether a pattern gives no names to parts of a value.
fn binds_nothing(pat: &Pat) -> bool {
    struct Named(bool);
    impl<'ast> Visit<'ast> for Named {
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            self.0 |= !syntax::is_constant(p);
        }
    }
    let mut named = Named(false);
    named.visit_pat(pat);
    !named.0
}

/// Whether a pattern takes nothing of a value: `_` and `()`.
fn is_unused(pat: &Pat) -> bool {
    match pat {
        Pat::Wild(_) => true,
        Pat::Tuple(tuple) => tuple.elems.is_empty(),
        _ => false,
    }
}

/// What is in `Err(…)`.
fn error_of(e: &Expr) -> Option<&Expr> {
    match unparen(e) {
        Expr::Call(call) => match unparen(&call.func) {
            Expr::Path(p) if is_variant(&p.path) == Some(false) => call.args.first(),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a macro returns an error for certain.
fn returns(mac: &syn::Macro) -> bool {
    mac.path
        .segments
        .last()
        .is_some_and(|s| RETURNING.iter().any(|name| s.ident == name))
}

/// Whether a macro that stands as a statement may return an error.
fn may_return(mac: &syn::Macro) -> bool {
    mac.path
        .segments
        .last()
        .is_some_and(|s| HARMLESS.iter().all(|name| s.ident != name))
}

impl VisitMut for Results<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.block(block, &Target::None);
    }

    fn visit_expr_closure_mut(&mut self, e: &mut syn::ExprClosure) {
        self.closures += 1;
        visit_mut::visit_expr_closure_mut(self, e);
        self.closures -= 1;
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            Expr::Call(call) if marks::is_stop_gradient(&call.func) => {}
            Expr::Try(t) if self.in_fallible() => {
                let span = t.span();
                if self.is_active(&t.expr) || self.held_by(&t.expr).is_some() {
                    *e = self.question((*t.expr).clone());
                } else {
                    *e = self.attempted((*t.expr).clone(), span);
                }
            }
            Expr::Return(r) if self.in_fallible() => {
                let Some(value) = r.expr.take() else { return };
                let value = self.position(*value, &Target::Function);
                // What leaves by itself needs no other way out.
                let leaves = matches!(&value, Expr::Block(b) if !block_falls(&b.block));
                if leaves {
                    *e = value;
                } else if self.fails.is_some_and(|fails| fails.ret.is_none()) {
                    *e = make::block(vec![make::semi(value)], Some(parse_quote!(return)));
                } else {
                    r.expr = Some(Box::new(value));
                }
            }
            // The condition of an `if` or a `while` alone does not come here.
            Expr::Let(l)
                if variant(&l.pat).is_some()
                    && (self.is_active(&l.expr) || self.held_by(&l.expr).is_some()) =>
            {
                self.errors.error(&l.pat, "a result in a chain of conditions cannot be followed; write an `if` inside of the `if let`");
            }
            Expr::Let(l) if self.is_active(&l.expr) => {
                refuse_within(&l.pat, self.errors);
                self.visit_expr_mut(&mut l.expr);
            }
            Expr::If(i) => *e = self.conditional(i.clone(), &Target::None),
            Expr::Match(m) => *e = self.matched(m.clone(), &Target::None),
            Expr::ForLoop(syn::ExprForLoop { attrs, .. })
            | Expr::While(syn::ExprWhile { attrs, .. })
                if marks::is_checkpointed(attrs) && self.scope.is_none() && self.in_fallible() =>
            {
                self.checkpointed(e);
            }
            Expr::Macro(m) if self.in_fallible() && returns(&m.mac) => {
                *e = self.returned_by(&m.mac.to_token_stream(), m.span());
            }
            Expr::While(w) => {
                let of_result = matches!(&*w.cond, Expr::Let(l) if variant(&l.pat).is_some() && self.is_active(&l.expr));
                if let (true, Expr::Let(l)) = (of_result, &*w.cond) {
                    let (pat, result, body, label) = (&l.pat, &l.expr, &w.body, &w.label);
                    *e = parse_quote!(#label loop { match #result { #pat => #body, _ => break } });
                }
                visit_mut::visit_expr_mut(self, e);
            }
            // A place in a list, or the one where something belongs.
            Expr::MethodCall(_) if self.facts.only_decides(e) => {
                visit_mut::visit_expr_mut(self, e);
            }
            Expr::MethodCall(m) => match self.ended(&m.clone()) {
                Some(ended) => *e = ended,
                None => visit_mut::visit_expr_mut(self, e),
            },
            _ => visit_mut::visit_expr_mut(self, e),
        }
    }
}
