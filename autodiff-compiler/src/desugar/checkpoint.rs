//! `#[checkpoint]` on a loop: any part of its rounds becomes a closure, passed to a function of the runtime that keeps few states and runs rounds again.

use std::collections::BTreeSet;

use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Stmt, parse_quote};

use super::apply::unparen;
use crate::errors::Errors;
use crate::facts::{self, Changed, Facts};
use crate::ir::Ty;
use crate::marks::take;
use crate::names::Names;
use crate::types;
use crate::visit::{self, Enter as _, Other, Visit};
use crate::visit_mut::{self, VisitMut};

/// What stands before the names of the functions of the runtime.
pub(crate) const PREFIX: &str = "checkpoint_";

/// Rewrites the loops that ask for it; with `all`, every outermost loop that can be.
pub(super) fn checkpoints(
    body: &mut syn::Block,
    all: bool,
    facts: &Facts,
    names: &mut Names,
    errors: &mut Errors,
) -> bool {
    let mut cx = Checkpoints {
        all,
        facts,
        names,
        errors,
        done: false,
    };
    cx.visit_block_mut(body);
    cx.done
}

struct Checkpoints<'a> {
    all: bool,
    facts: &'a Facts,
    names: &'a mut Names,
    errors: &'a mut Errors,
    done: bool,
}

impl VisitMut for Checkpoints<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let attrs = match e {
            Expr::ForLoop(e) => &mut e.attrs,
            Expr::While(e) => &mut e.attrs,
            Expr::Loop(e) => &mut e.attrs,
            other => return visit_mut::visit_expr_mut(self, other),
        };
        let Some(attr) = take(attrs) else {
            if let (true, Expr::ForLoop(head)) = (self.all, &*e) {
                if self.obstacle(head).is_none() && self.facts.mentions_active(e) {
                    self.rewrite(e, None);
                    return;
                }
            }
            return visit_mut::visit_expr_mut(self, e);
        };
        match &*e {
            Expr::ForLoop(head) => match self.obstacle(head) {
                Some((span, why)) => self.errors.error_at(span, why),
                None => self.rewrite(e, Some(&attr)),
            },
            Expr::While(head) => {
                let mut bound = Let(None);
                bound.visit_expr(&head.cond);
                let binds = bound.0.map(|span| {
                    (span, "`#[checkpoint]` is for conditions that bind nothing; write `while` with a comparison".to_owned())
                });
                match binds.or_else(|| self.obstacle_within(Some(&head.cond), &head.body, head.while_token.span())) {
                    Some((span, why)) => self.errors.error_at(span, why),
                    None => self.rewrite_while(e, &attr),
                }
            }
            _ => self.errors.error(&attr, "`#[checkpoint]` is for loops that say when they end; write a `while` loop, or a `for` loop over a range"),
        }
    }
}

impl Checkpoints<'_> {
    /// Why a loop cannot be run in parts.
    fn obstacle(&self, e: &syn::ExprForLoop) -> Option<(proc_macro2::Span, String)> {
        if !is_range(&e.expr) {
            return Some((e.expr.span(), "`#[checkpoint]` is for loops over a range, such as `0..n`; index what this loop walks through".to_owned()));
        }
        self.obstacle_within(None, &e.body, e.for_token.span())
    }

    /// Why the rounds of a loop cannot be run in parts.
    fn obstacle_within(
        &self,
        condition: Option<&Expr>,
        body: &syn::Block,
        keyword: proc_macro2::Span,
    ) -> Option<(proc_macro2::Span, String)> {
        let mut inner = Marked(None);
        inner.visit_block(body);
        if let Some(span) = inner.0 {
            return Some((span, "`#[checkpoint]` in a loop that has it already; leave it to the outer one, or move this loop into a #[grad] function of its own".to_owned()));
        }
        let mut jumps = Jumps::default();
        condition.into_iter().for_each(|e| jumps.visit_expr(e));
        jumps.visit_block(body);
        if let Some(span) = jumps.found {
            return Some((
                span,
                "a loop with `#[checkpoint]` runs to its end; use `if` in place of this jump"
                    .to_owned(),
            ));
        }
        for name in self.changed(&[body]) {
            let Some(var) = self.facts.get(&name) else {
                continue;
            };
            if var.exclusive || !var.roots.is_empty() {
                return Some((
                    keyword,
                    format!(
                        "a loop with `#[checkpoint]` keeps copies of what it changes, and `{name}` is a reference; take a copy with `to_vec` before the loop, and write it back after it"
                    ),
                ));
            }
            let mut told = Told {
                name: &name,
                method: None,
            };
            if !var.active && matches!(var.ty, Ty::User) {
                told.visit_block(body);
            }
            if let Some(method) = told.method {
                return Some((
                    method.span(),
                    format!(
                        "a loop with `#[checkpoint]` keeps copies of what it changes, and of `{name}` nothing has a derivative; call `{method}` before the loop, into a `Vec`, or leave `#[checkpoint]` out"
                    ),
                ));
            }
        }
        None
    }

    /// The variables from outside of the loop that it may change.
    fn changed(&self, code: &[&syn::Block]) -> Vec<String> {
        #[derive(Default)]
        struct Bound(BTreeSet<String>);
        impl<'ast> Visit<'ast> for Bound {
            fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
                self.0.insert(p.ident.to_string());
                visit::visit_pat_ident(self, p);
            }
        }
        let mut bound = Bound::default();
        let mut changed = Changed::default();
        for block in code {
            bound.visit_block(block);
            changed.visit_block(block);
        }
        let mut out: Vec<String> = Vec::new();
        for name in changed.names {
            let mutable = self
                .facts
                .get(&name)
                .is_some_and(|v| v.mutable || v.exclusive || !v.roots.is_empty());
            if mutable && !bound.0.contains(&name) && !out.contains(&name) {
                out.push(name);
            }
        }
        out
    }

    /// A loop with a condition: beside the state stands whether there is another round.
    fn rewrite_while(&mut self, e: &mut Expr, attr: &syn::Attribute) {
        let Expr::While(head) = &*e else { return };
        let condition = &head.cond;
        let state = self.changed(&[&head.body, &parse_quote!({ #condition })]);
        if state.is_empty() || !self.facts.mentions_active(e) {
            return;
        }
        let (function, every) = match schedule(attr) {
            Ok(None) => (quote!(rt::checkpoint_while), quote!(0)),
            Ok(Some(every)) => (quote!(rt::checkpoint_while_every), quote!(#every)),
            Err(error) => return self.errors.take(error),
        };
        let span = head.while_token.span();
        let idents: Vec<syn::Ident> = state
            .iter()
            .map(|name| syn::Ident::new(name, span))
            .collect();
        let types: Vec<syn::Type> = state
            .iter()
            .map(|name| written(self.facts.get(name).map(|v| &v.ty)))
            .collect();
        let mut stmts = head.body.stmts.clone();
        if let Some(Stmt::Expr(_, semi @ None)) = stmts.last_mut() {
            *semi = Some(syn::token::Semi::default());
        }
        let (begins, goes) = (
            self.names.fresh("begins", span),
            self.names.fresh("goes", condition.span()),
        );
        let [first, last] = ["first", "last"].map(|base| self.names.fresh(base, span));
        let again = quote_spanned!(condition.span()=> #goes = #condition;);
        let mut closure: syn::ExprClosure = parse_quote! {
            |#first: usize, #last: usize, ((#(mut #idents,)*), _): ((#(#types,)*), bool)| {
                let mut #goes = true;
                for _ in #first..=#last {
                    #(#stmts)*
                    #again
                }
                ((#(#idents,)*), #goes)
            }
        };
        self.names.refresh(&mut closure);
        let result = self.names.fresh("state", span);
        let parts = idents.iter().enumerate().map(|(k, name)| {
            let k = syn::Index::from(k);
            quote!(#name = #result.0.#k;)
        });
        *e = parse_quote!({
            let #begins = #condition;
            let #result = #function(#closure, #every, 0..usize::MAX, ((#(#idents,)*), #begins));
            #(#parts)*
        });
        self.done = true;
    }

    fn rewrite(&mut self, e: &mut Expr, attr: Option<&syn::Attribute>) {
        let Expr::ForLoop(head) = &*e else { return };
        let state = self.changed(&[&head.body]);
        if state.is_empty() || !self.facts.mentions_active(e) {
            return;
        }
        let (function, every) = match attr.map(schedule) {
            None | Some(Ok(None)) => (quote!(rt::checkpoint_binomial), quote!(0)),
            Some(Ok(Some(every))) => (quote!(rt::checkpoint_every), quote!(#every)),
            Some(Err(error)) => return self.errors.take(error),
        };
        let span = head.for_token.span();
        let idents: Vec<syn::Ident> = state
            .iter()
            .map(|name| syn::Ident::new(name, span))
            .collect();
        let types = state
            .iter()
            .map(|name| written(self.facts.get(name).map(|v| &v.ty)));
        let item = &head.pat;
        // The bounds may be lengths of what is active.
        let mut range = (*head.expr).clone();
        let mut before: Vec<Stmt> = Vec::new();
        numbers_of(&mut range, &mut |number| {
            if !matches!(number, Expr::Lit(_)) {
                let name = self.names.fresh("bound", span);
                before.push(parse_quote!(let #name = #number;));
                *number = parse_quote!(#name);
            }
        });
        let [first, last] = ["first", "last"].map(|base| self.names.fresh(base, span));
        // Both ends are items, so that the order of `rev` and `step_by` does not matter.
        let mut part: Expr = if is_reversed(&range) {
            parse_quote!((#last..=#first).rev())
        } else {
            parse_quote!((#first..=#last))
        };
        for step in steps(&range) {
            part = parse_quote!(#part.step_by(#step));
        }
        let mut stmts = head.body.stmts.clone();
        if let Some(Stmt::Expr(_, semi @ None)) = stmts.last_mut() {
            *semi = Some(syn::token::Semi::default());
        }
        let mut closure: syn::ExprClosure = match idents.as_slice() {
            [one] => {
                let ty = types.into_iter().next();
                parse_quote!(|#first: usize, #last: usize, mut #one: #ty| {
                    for #item in #part { #(#stmts)* }
                    #one
                })
            }
            all => {
                parse_quote!(|#first: usize, #last: usize, (#(mut #all,)*): (#(#types,)*)| {
                    for #item in #part { #(#stmts)* }
                    (#(#all,)*)
                })
            }
        };
        self.names.refresh(&mut closure);
        *e = match idents.as_slice() {
            [one] => {
                parse_quote!({ #(#before)* #one = #function(#closure, #every, #range, #one); })
            }
            all => {
                let result = self.names.fresh("state", span);
                let parts = all.iter().enumerate().map(|(k, name)| {
                    let k = syn::Index::from(k);
                    quote!(#name = #result.#k;)
                });
                parse_quote!({ #(#before)* let #result = #function(#closure, #every, #range, (#(#all,)*)); #(#parts)* })
            }
        };
        self.done = true;
    }
}

/// The first method of a variable that may change it.
struct Told<'a> {
    name: &'a str,
    method: Option<syn::Ident>,
}

impl<'ast> Visit<'ast> for Told<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        let mut changed = Changed::default();
        changed.visit_expr_method_call(e);
        let own = facts::root(&e.receiver).is_some_and(|root| root == self.name);
        if own && self.method.is_none() && changed.names.iter().any(|name| name == self.name) {
            self.method = Some(e.method.clone());
        }
        visit::visit_expr_method_call(self, e);
    }
}

/// A type to be read, not to be compiled: of the item it only says that it is an integer.
fn written(ty: Option<&Ty>) -> syn::Type {
    match ty {
        Some(Ty::Array(elem, Some(len))) => {
            let elem = written(Some(elem));
            parse_quote!([#elem; #len])
        }
        Some(Ty::Vec(elem)) => {
            let elem = written(Some(elem));
            parse_quote!(Vec<#elem>)
        }
        Some(Ty::Option(inner)) => {
            let inner = written(Some(inner));
            parse_quote!(Option<#inner>)
        }
        Some(Ty::Tuple(parts)) if !parts.is_empty() => {
            let parts = parts.iter().map(|ty| written(Some(ty)));
            parse_quote!((#(#parts,)*))
        }
        Some(Ty::Int) => parse_quote!(usize),
        Some(Ty::Bool) => parse_quote!(bool),
        ty => ty
            .and_then(types::written)
            .unwrap_or_else(|| parse_quote!(_)),
    }
}

/// `every = k`, or nothing.
fn schedule(attr: &syn::Attribute) -> syn::Result<Option<Expr>> {
    if let syn::Meta::Path(_) = &attr.meta {
        return Ok(None);
    }
    let message = "write `#[checkpoint]` or `#[checkpoint(every = k)]`";
    let parse = |input: syn::parse::ParseStream<'_>| {
        let name: syn::Ident = input.parse()?;
        if name != "every" {
            return Err(syn::Error::new(name.span(), message));
        }
        input.parse::<syn::Token![=]>()?;
        let every: Expr = input.parse()?;
        match &every {
            Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Int(k),
                ..
            }) if k.base10_digits() == "0" => Err(syn::Error::new(
                k.span(),
                "a state is kept every so many rounds, of which 0 are none; write `every = 1` or more",
            )),
            _ => Ok(every),
        }
    };
    attr.parse_args_with(parse).map(Some)
}

/// `a..b`, `a..=b`, reversed or in steps.
fn is_range(e: &Expr) -> bool {
    match unparen(e) {
        Expr::Range(r) => r.start.is_some() && r.end.is_some(),
        Expr::MethodCall(m) => {
            (m.method == "rev" || m.method == "step_by") && is_range(&m.receiver)
        }
        _ => false,
    }
}

/// Whether the items of a range come from its end.
fn is_reversed(e: &Expr) -> bool {
    match unparen(e) {
        Expr::MethodCall(m) => (m.method == "rev") != is_reversed(&m.receiver),
        _ => false,
    }
}

/// The arguments of `step_by`.
fn steps(e: &Expr) -> Vec<&Expr> {
    match unparen(e) {
        Expr::MethodCall(m) => {
            let mut all = steps(&m.receiver);
            all.extend(&m.args);
            all
        }
        _ => Vec::new(),
    }
}

/// The bounds and steps of a range.
fn numbers_of(e: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    match e {
        Expr::Range(r) => [&mut r.start, &mut r.end]
            .into_iter()
            .flatten()
            .for_each(|bound| f(bound)),
        Expr::Paren(e) => numbers_of(&mut e.expr, f),
        Expr::Group(e) => numbers_of(&mut e.expr, f),
        Expr::MethodCall(m) => {
            numbers_of(&mut m.receiver, f);
            m.args.iter_mut().for_each(f);
        }
        _ => {}
    }
}

/// The first `let` of a condition.
struct Let(Option<proc_macro2::Span>);

impl<'ast> Visit<'ast> for Let {
    fn visit_expr_let(&mut self, e: &'ast syn::ExprLet) {
        self.0.get_or_insert(e.let_token.span());
    }
}

/// The first loop that asks for it.
struct Marked(Option<proc_macro2::Span>);

impl<'ast> Visit<'ast> for Marked {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_other(&mut self, node: Other<'ast>) {
        match node {
            Other::Attribute(attr) => {
                if attr.path().is_ident("checkpoint") {
                    self.0.get_or_insert(attr.span());
                }
            }
            other => other.walk(self),
        }
    }
}

/// The first jump out of a round.
#[derive(Default)]
struct Jumps {
    /// Loops around within the round.
    depth: usize,
    /// What of these, and of blocks, has a name.
    labels: Vec<syn::Lifetime>,
    found: Option<proc_macro2::Span>,
}

impl Jumps {
    /// Whether a jump leads out of the round.
    fn leads_out(&self, label: Option<&syn::Lifetime>) -> bool {
        match label {
            Some(label) => !self.labels.contains(label),
            None => self.depth == 0,
        }
    }
}

impl<'ast> Visit<'ast> for Jumps {
    fn visit_item(&mut self, _: &'ast syn::Item) {}
    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_expr(&mut self, e: &'ast Expr) {
        let jumps = match e {
            Expr::Break(e) => self.leads_out(e.label.as_ref()),
            Expr::Continue(e) => self.leads_out(e.label.as_ref()),
            Expr::Return(_) | Expr::Try(_) => true,
            _ => false,
        };
        if jumps {
            self.found.get_or_insert(e.span());
        }
        let inner = matches!(e, Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_));
        let label = match e {
            Expr::ForLoop(e) => e.label.as_ref(),
            Expr::While(e) => e.label.as_ref(),
            Expr::Loop(e) => e.label.as_ref(),
            Expr::Block(e) => e.label.as_ref(),
            _ => None,
        };
        self.labels.extend(label.map(|label| label.name.clone()));
        self.depth += usize::from(inner);
        visit::visit_expr(self, e);
        self.depth -= usize::from(inner);
        if label.is_some() {
            self.labels.pop();
        }
    }
}
