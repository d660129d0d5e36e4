//! Adaptors: what a chain does with its items on the way.

use proc_macro2::{Ident, Span};
use syn::{Expr, parse_quote};

use super::super::apply::unparen;
use super::super::make;
use super::Chains;
use super::option::{Shape, shape};
use super::pipe::{Branch, Function, Kind, Pipe, Step};
use crate::iterators::is_chain;
use crate::visit::{self, Visit};

impl Chains<'_> {
    /// Whether calling a closure once more, or once less, makes no difference.
    pub(super) fn is_pure(&self, e: &Expr) -> bool {
        struct Effects(bool);
        impl<'ast> crate::visit::Visit<'ast> for Effects {
            fn visit_macro(&mut self, _: &'ast syn::Macro) {
                self.0 = true;
            }
        }
        let Expr::Closure(closure) = unparen(e) else {
            return matches!(unparen(e), Expr::Path(_));
        };
        let mut effects = Effects(false);
        crate::visit::Visit::visit_expr(&mut effects, e);
        !effects.0 && !self.changes_captured(closure)
    }

    /// Whether a closure changes a variable around it.
    pub(super) fn changes_captured(&self, closure: &syn::ExprClosure) -> bool {
        super::super::closures::changes_captured(closure, self.facts)
    }

    /// Adds an adaptor to a chain; `None` after an error.
    pub(super) fn adapt(&mut self, pipe: &mut Pipe, m: &syn::ExprMethodCall) -> Option<()> {
        let name = m.method.to_string();
        match (name.as_str(), m.args.len()) {
            ("map", 1) => {
                pipe.pure &= self.is_pure(&m.args[0]);
                self.each(pipe, m, |cx, f, branch| {
                    let item = branch.take();
                    branch.item = cx.call(f, vec![item], branch);
                })
            }
            ("inspect", 1) => {
                pipe.pure = false;
                self.each(pipe, m, |cx, f, branch| {
                    let item = cx.settle(branch);
                    let value = cx.call(f, vec![make::reference(item, false)], branch);
                    effect(value, branch);
                })
            }
            ("filter", 1) => {
                pipe.pure &= self.is_pure(&m.args[0]);
                pipe.one_to_one = false;
                self.each(pipe, m, |cx, f, branch| {
                    let item = cx.settle(branch);
                    let cond = cx.call(f, vec![make::reference(item, false)], branch);
                    branch.steps.push(Step::If(cond));
                })
            }
            ("filter_map", 1) => {
                pipe.pure &= self.is_pure(&m.args[0]);
                pipe.one_to_one = false;
                self.each(pipe, m, |cx, f, branch| {
                    let item = branch.take();
                    let value = cx.call(f, vec![item], branch);
                    match shape(value) {
                        Shape::Always(e) => branch.item = e,
                        Shape::Chosen(chosen) => {
                            let (cond, stmts, e) = *chosen;
                            branch.steps.push(Step::If(cond));
                            branch.steps.extend(stmts.into_iter().map(Step::Do));
                            branch.item = e;
                        }
                        Shape::Option(e) => {
                            let name = cx.names.fresh("item", Span::call_site());
                            branch.steps.push(Step::IfLet(some(&name), e));
                            branch.item = make::path(&name);
                        }
                    }
                })
            }
            ("take_while", 1) => {
                pipe.stateful();
                let label = pipe.exit.label.clone();
                pipe.exit.used = true;
                self.each(pipe, m, |cx, f, branch| {
                    let item = cx.settle(branch);
                    let cond = cx.call(f, vec![make::reference(item, false)], branch);
                    branch.push(leave_unless(cond, &label));
                })
            }
            ("skip_while", 1) => {
                pipe.stateful();
                let skipping = self.names.fresh("skipping", m.method.span());
                pipe.before
                    .push(make::mutable(&skipping, None, parse_quote!(true)));
                self.each(pipe, m, |cx, f, branch| {
                    let item = cx.settle(branch);
                    let steps = std::mem::take(&mut branch.steps);
                    let cond = cx.call(f, vec![make::reference(item, false)], branch);
                    let inner = std::mem::replace(&mut branch.steps, steps);
                    let mut test = Branch::body(inner);
                    test.push(make::assign(make::path(&skipping), cond));
                    branch.push(make::condition(make::path(&skipping), test, None));
                    branch
                        .steps
                        .push(Step::If(make::not(make::path(&skipping))));
                })
            }
            ("map_while", 1) => {
                pipe.stateful();
                let label = pipe.exit.label.clone();
                pipe.exit.used = true;
                self.each(pipe, m, |cx, f, branch| {
                    let item = branch.take();
                    let value = cx.call(f, vec![item], branch);
                    cx.while_some(value, &label, branch);
                })
            }
            ("scan", 2) => self.scan(pipe, m),
            ("flat_map", 1) => {
                pipe.stateful();
                self.flat_map(pipe, m)
            }
            ("flatten", 0) => {
                pipe.stateful();
                self.flatten(pipe, m)
            }
            ("copied" | "cloned", 0) => {
                for branch in &mut pipe.branches {
                    Self::copied(branch, m);
                }
                Some(())
            }
            ("enumerate", 0) => {
                self.enumerate(pipe, m);
                Some(())
            }
            ("zip", 1) => {
                let other = self.iterated(&m.args[0])?;
                self.zip(pipe, other, &m.args[0])
            }
            ("chain", 1) => {
                let mut other = self.iterated(&m.args[0])?;
                if !(self.ends_alone(pipe) && self.ends_alone(&mut other)) {
                    self.errors.error(&m.method, "`chain` after two adaptors that stop what is joined already is not supported; write two `for` loops");
                    return None;
                }
                pipe.before.extend(other.before);
                pipe.branches.extend(other.branches);
                pipe.one_to_one = false;
                pipe.pure &= other.pure;
                pipe.stateless &= other.stateless;
                Some(())
            }
            ("rev", 0) => self.rev(pipe, m),
            ("take", 1) => {
                let n = self.once(&m.args[0], "n", &mut pipe.before);
                self.take(pipe, m, &n);
                Some(())
            }
            ("skip", 1) => {
                let n = self.once(&m.args[0], "n", &mut pipe.before);
                self.skip(pipe, m, &n);
                Some(())
            }
            ("step_by", 1) => {
                let n = self.once(&m.args[0], "n", &mut pipe.before);
                self.step_by(pipe, m, &n);
                Some(())
            }
            ("cycle", 0) if self.repeated(pipe) => Some(()),
            ("by_ref" | "peekable" | "cycle", _) => {
                self.errors.error(&m.method, format_args!("iterator method `{name}` cannot be followed on active values; write a `for` loop over indices"));
                None
            }
            _ => {
                self.errors.error(
                    &m.method,
                    format_args!("`{name}` does not take {} arguments", m.args.len()),
                );
                None
            }
        }
    }

    /// Lets a chain that stops early leave its own loops alone, so that others may come behind it; not where some of them do so already.
    fn ends_alone(&mut self, pipe: &mut Pipe) -> bool {
        if !pipe.exit.used {
            return true;
        }
        let exit = self.exit();
        match pipe.branches.as_mut_slice() {
            [only] => {
                only.label = Some(std::mem::replace(&mut pipe.exit, exit).label);
                true
            }
            several if several.iter().all(|branch| branch.group.is_none()) => {
                let label = std::mem::replace(&mut pipe.exit, exit).label;
                for branch in several {
                    branch.group = Some(label.clone());
                }
                true
            }
            _ => false,
        }
    }

    /// Calls a closure in each branch.
    fn each(
        &mut self,
        pipe: &mut Pipe,
        m: &syn::ExprMethodCall,
        mut f: impl FnMut(&mut Self, &mut Function, &mut Branch),
    ) -> Option<()> {
        let mut function = self.function(m.args.last(), 1, &mut pipe.before, &m.method)?;
        for branch in &mut pipe.branches {
            f(self, &mut function, branch);
        }
        Some(())
    }

    /// The item is what `value` is `Some` of; at `None` the chain ends.
    fn while_some(&mut self, value: Expr, label: &syn::Lifetime, branch: &mut Branch) {
        match shape(value) {
            Shape::Always(e) => branch.item = e,
            Shape::Chosen(chosen) => {
                let (cond, mut stmts, e) = *chosen;
                if !matches!(cond, Expr::Let(_)) {
                    branch.push(leave_unless(cond, label));
                    branch.steps.extend(stmts.into_iter().map(Step::Do));
                    branch.item = e;
                    return;
                }
                let some = make::call(parse_quote!(Some), vec![e]);
                stmts.push(syn::Stmt::Expr(some, None));
                let none = vec![syn::Stmt::Expr(parse_quote!(None), None)];
                if let syn::Stmt::Expr(value, _) = make::condition(cond, stmts, Some(none)) {
                    self.or_leave(value, label, branch);
                }
            }
            Shape::Option(e) => self.or_leave(e, label, branch),
        }
    }

    /// `let Some(item) = value else { break 'label };`
    fn or_leave(&mut self, value: Expr, label: &syn::Lifetime, branch: &mut Branch) {
        let name = self.names.fresh("item", Span::call_site());
        let mut stmt = make::local(some(&name), value);
        if let syn::Stmt::Local(syn::Local {
            init: Some(init), ..
        }) = &mut stmt
        {
            let leave = make::semi(make::leave(label, None, Span::call_site()));
            let diverge = make::labelled(None, make::braces(vec![leave]));
            init.diverge = Some((syn::token::Else::default(), Box::new(diverge)));
        }
        branch.push(stmt);
        branch.item = make::path(&name);
    }

    fn scan(&mut self, pipe: &mut Pipe, m: &syn::ExprMethodCall) -> Option<()> {
        let state = self.names.fresh("state", m.method.span());
        pipe.before
            .push(make::mutable(&state, None, m.args[0].clone()));
        let mut function = self.function(Some(&m.args[1]), 2, &mut pipe.before, &m.method)?;
        // Where nothing ends early the sequence keeps the length that it had.
        let always = pipe.branches.len() == 1 && Self::always(&function);
        let keeps = pipe.one_to_one && always;
        pipe.pure &= self.is_pure(&m.args[1]);
        pipe.stateful();
        let label = pipe.exit.label.clone();
        for branch in &mut pipe.branches {
            let item = branch.take();
            let mut closure = self.copy(&mut function);
            let target = make::path(&state);
            let mut inputs = closure.inputs.into_iter();
            let first = inputs.next();
            closure.inputs = inputs.collect();
            if let Some(pat) = first {
                let seen = matches!(&pat, syn::Pat::Ident(p) if super::super::apply::see_through_mutable(&p.ident, &target, &mut closure.body));
                if !seen {
                    branch.push(make::local(pat, make::reference(target, true)));
                }
            }
            let mut once = Function::once(closure);
            let value = self.call(&mut once, vec![item], branch);
            self.while_some(value, &label, branch);
        }
        pipe.one_to_one = keeps;
        pipe.exit.used |= !always;
        Some(())
    }

    /// Whether a closure always yields `Some`.
    pub(super) fn always(function: &Function) -> bool {
        let mut stmts = Vec::new();
        let value = super::super::apply::flatten(function.body().clone(), &mut stmts);
        matches!(shape(value), Shape::Always(_)) && !super::super::apply::returns(function.body())
    }

    fn flat_map(&mut self, pipe: &mut Pipe, m: &syn::ExprMethodCall) -> Option<()> {
        let mut function = self.function(m.args.first(), 1, &mut pipe.before, &m.method)?;
        for branch in &mut pipe.branches {
            let item = branch.take();
            let inner = self.call(&mut function, vec![item], branch);
            self.nest(&inner, branch, &m.method)?;
        }
        Some(())
    }

    fn flatten(&mut self, pipe: &mut Pipe, m: &syn::ExprMethodCall) -> Option<()> {
        for branch in &mut pipe.branches {
            let inner = branch.take();
            self.nest(&inner, branch, &m.method)?;
        }
        Some(())
    }

    /// A loop over what each item is.
    fn nest(&mut self, inner: &Expr, branch: &mut Branch, at: &Ident) -> Option<()> {
        let option = matches!(unparen(inner), Expr::If(_) | Expr::Match(_));
        let option = option
            || matches!(unparen(inner), Expr::Call(c) if matches!(unparen(&c.func), Expr::Path(p) if p.path.is_ident("Some")));
        if option && !is_chain(inner) {
            self.errors.error(at, format_args!("`{at}` over `Option`s or chosen sequences cannot be followed; use `filter_map`, or write a `for` loop"));
            return None;
        }
        let inner = self.iterated(inner)?;
        let mut branches = inner.branches.into_iter();
        let (Some(only), None, false) = (branches.next(), branches.next(), inner.exit.used) else {
            self.errors.error(at, format_args!("`{at}` over a chain that is joined or stops early cannot be followed; write two `for` loops"));
            return None;
        };
        branch.steps.extend(inner.before.into_iter().map(Step::Do));
        branch.steps.push(Step::Loop(None, only.pat, only.over));
        branch.steps.extend(only.steps);
        branch.item = only.item;
        // Patterns could not stand in the head of a loop that is closed already.
        branch.free.clear();
        Some(())
    }

    fn copied(branch: &mut Branch, m: &syn::ExprMethodCall) {
        let fresh = super::super::apply::variable(&branch.item)
            .is_some_and(|i| branch.free.contains(&i.to_string()));
        if fresh && matches!(branch.kind, Kind::Items) && branch.steps.is_empty() {
            branch.over = make::method(branch.over.clone(), m.method.clone(), Vec::new());
            branch.references.clear();
        } else {
            let item = branch.take();
            branch.item = if m.method == "copied" {
                make::deref(item)
            } else {
                make::method(item, Ident::new("clone", m.method.span()), Vec::new())
            };
        }
    }

    fn enumerate(&mut self, pipe: &mut Pipe, m: &syn::ExprMethodCall) {
        if let Some(branch) = pipe.plain() {
            if matches!(branch.kind, Kind::Items) {
                let i = self.names.fresh("i", m.method.span());
                self.counters.insert(i.to_string());
                branch.over = make::method(branch.over.clone(), m.method.clone(), Vec::new());
                branch.pat = make::tuple_pat([make::ident(&i, false), branch.pat.clone()]);
                branch.free.insert(i.to_string());
                branch.item = make::tuple([make::path(&i), branch.take()]);
                return;
            }
        }
        let counter = self.names.fresh("count", m.method.span());
        pipe.before
            .push(make::mutable(&counter, None, parse_quote!(0usize)));
        for branch in &mut pipe.branches {
            let i = self.names.fresh("i", m.method.span());
            self.counters.insert(i.to_string());
            let item = self.settle(branch);
            branch.push(make::variable(&i, make::path(&counter)));
            branch.push(make::assign(make::path(&counter), next(&counter)));
            branch.item = make::tuple([make::path(&i), item]);
        }
        pipe.stateless = false;
    }

    fn rev(&mut self, pipe: &mut Pipe, m: &syn::ExprMethodCall) -> Option<()> {
        let backwards = pipe.stateless && !pipe.exit.used;
        if !backwards {
            self.errors.error(
                &m.method,
                "`rev` after an adaptor that counts or remembers cannot be followed; use `rev` first, or write a `for` loop",
            );
            return None;
        }
        pipe.branches.reverse();
        for branch in &mut pipe.branches {
            branch.over = make::method(branch.over.clone(), m.method.clone(), Vec::new());
            if matches!(branch.kind, Kind::Range(..)) {
                branch.kind = Kind::Numbers;
            }
        }
        Some(())
    }

    fn take(&mut self, pipe: &mut Pipe, m: &syn::ExprMethodCall, n: &Expr) {
        if let Some(branch) = pipe.steady() {
            if let Kind::Endless = branch.kind {
                branch.over = make::range(Some(parse_quote!(0)), Some(n.clone()));
                branch.len = Some(vec![n.clone()]);
                branch.kind = Kind::Numbers;
                return;
            }
            branch.over = make::method(branch.over.clone(), m.method.clone(), vec![n.clone()]);
            if matches!(branch.kind, Kind::Range(..)) {
                branch.kind = Kind::Numbers;
                branch.len = None;
            }
            if let Some(len) = &mut branch.len {
                len.push(n.clone());
            }
            return;
        }
        let left = self.names.fresh("left", m.method.span());
        pipe.before.push(make::mutable(&left, None, n.clone()));
        let none = make::binary(
            make::path(&left),
            syn::BinOp::Eq(syn::token::EqEq::default()),
            parse_quote!(0),
        );
        pipe.leave_if(&none);
        for branch in &mut pipe.branches {
            self.settle(branch);
            branch.push(make::assign(make::path(&left), previous(&left)));
        }
        pipe.stateful();
    }

    fn skip(&mut self, pipe: &mut Pipe, m: &syn::ExprMethodCall, n: &Expr) {
        let passed_over = pipe.pure && calls_nothing(&m.receiver);
        if let Some(branch) = pipe.plain().filter(|_| passed_over) {
            branch.over = make::method(branch.over.clone(), m.method.clone(), vec![n.clone()]);
            branch.len = None;
            if matches!(branch.kind, Kind::Range(..) | Kind::Endless) {
                branch.kind = Kind::Numbers;
            }
            return;
        }
        let left = self.names.fresh("left", m.method.span());
        pipe.before.push(make::mutable(&left, None, n.clone()));
        for branch in &mut pipe.branches {
            self.settle(branch);
            let some = make::binary(
                make::path(&left),
                syn::BinOp::Gt(syn::token::Gt::default()),
                parse_quote!(0),
            );
            let skip = make::assign(make::path(&left), previous(&left));
            branch.steps.push(Step::Unless(some, vec![skip]));
        }
        pipe.stateful();
    }

    fn step_by(&mut self, pipe: &mut Pipe, m: &syn::ExprMethodCall, n: &Expr) {
        let passed_over = pipe.pure && calls_nothing(&m.receiver);
        if let Some(branch) = pipe.plain().filter(|_| passed_over) {
            branch.over = make::method(branch.over.clone(), m.method.clone(), vec![n.clone()]);
            branch.len = None;
            if !matches!(branch.kind, Kind::Items) {
                branch.kind = Kind::Numbers;
            }
            return;
        }
        let check: Expr = parse_quote!(::core::assert!(STEP != 0));
        if let Expr::Macro(mut check) = check {
            check.mac.tokens = quote::quote!(#n != 0);
            pipe.before.push(make::semi(Expr::Macro(check)));
        }
        let left = self.names.fresh("left", m.method.span());
        pipe.before
            .push(make::mutable(&left, None, parse_quote!(0usize)));
        for branch in &mut pipe.branches {
            self.settle(branch);
            let some = make::binary(
                make::path(&left),
                syn::BinOp::Gt(syn::token::Gt::default()),
                parse_quote!(0),
            );
            let skip = make::assign(make::path(&left), previous(&left));
            branch.steps.push(Step::Unless(some, vec![skip]));
            let minus = syn::BinOp::Sub(syn::token::Minus::default());
            let again = make::binary(n.clone(), minus, parse_quote!(1));
            branch.push(make::assign(make::path(&left), again));
        }
        pipe.stateful();
    }
}

/// Whether the closures of a chain call no function that may do more than compute: items that are passed over are made all the same.
fn calls_nothing(chain: &Expr) -> bool {
    struct Calls(bool);
    impl<'ast> Visit<'ast> for Calls {
        fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
            self.0 |= !is_mathematics(&e.func);
            visit::visit_expr_call(self, e);
        }
    }
    let Expr::MethodCall(m) = unparen(chain) else {
        return true;
    };
    let nothing = |arg: &Expr| match unparen(arg) {
        Expr::Closure(closure) => {
            let mut calls = Calls(false);
            calls.visit_expr(&closure.body);
            !calls.0
        }
        Expr::Path(_) => is_mathematics(arg),
        _ => true,
    };
    let adapts = m.method != "skip" && m.method != "take" && m.method != "step_by";
    (!adapts || m.args.iter().all(nothing)) && calls_nothing(&m.receiver)
}

/// `f64::sin`, or what makes a value: `Some`.
fn is_mathematics(func: &Expr) -> bool {
    let Expr::Path(p) = unparen(func) else {
        return false;
    };
    let mut names = p.path.segments.iter().rev().map(|s| &s.ident);
    match (names.next(), names.next()) {
        (Some(_), Some(of)) => of == "f64" || of == "f32",
        (Some(one), None) => one.to_string().starts_with(char::is_uppercase),
        _ => false,
    }
}

/// Evaluates what a closure returns, for its effect.
pub(super) fn effect(value: Expr, branch: &mut Branch) {
    if !make::is_unit(&value) {
        branch.push(make::semi(value));
    }
}

/// `Some(name)`
fn some(name: &Ident) -> syn::Pat {
    let pattern: syn::PatTupleStruct = syn::PatTupleStruct {
        attrs: Vec::new(),
        qself: None,
        path: Ident::new("Some", Span::call_site()).into(),
        paren_token: syn::token::Paren::default(),
        elems: std::iter::once(make::ident(name, false)).collect(),
    };
    syn::Pat::TupleStruct(pattern)
}

/// `if !cond { break 'label; }`
fn leave_unless(cond: Expr, label: &syn::Lifetime) -> syn::Stmt {
    let leave = make::semi(make::leave(label, None, Span::call_site()));
    make::condition(make::not(cond), vec![leave], None)
}

fn next(counter: &Ident) -> Expr {
    let plus = syn::BinOp::Add(syn::token::Plus::default());
    make::binary(make::path(counter), plus, parse_quote!(1))
}

fn previous(counter: &Ident) -> Expr {
    let minus = syn::BinOp::Sub(syn::token::Minus::default());
    make::binary(make::path(counter), minus, parse_quote!(1))
}
