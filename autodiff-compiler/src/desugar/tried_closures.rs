//! Closures that return results and of which each call has `?` behind it: the calls are their bodies, and what fails in them leaves the function.

use proc_macro2::Ident;
use syn::spanned::Spanned;
use syn::{Expr, Pat, ReturnType, Stmt, parse_quote_spanned};

use super::apply::unparen;
use super::make;
use crate::names::Names;
use crate::types;
use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{self, VisitMut};

/// Writes out the calls of such closures.
pub(super) fn ahead(body: &mut syn::Block, names: &mut Names) {
    let mut found = Found::default();
    found.visit_block(body);
    for closure in found.all {
        let mut calls = Calls {
            of: &closure.name,
            tried: 0,
            all: 0,
        };
        calls.visit_block(body);
        if calls.tried == 0 || calls.tried != calls.all {
            continue;
        }
        let mut written = WriteOut {
            closure: &closure,
            names,
        };
        written.visit_block_mut(body);
        Remove(&closure.name).visit_block_mut(body);
    }
}

/// A closure in a variable.
struct Closure {
    name: Ident,
    closure: syn::ExprClosure,
}

#[derive(Default)]
struct Found {
    all: Vec<Closure>,
}

impl<'ast> Visit<'ast> for Found {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_local(&mut self, local: &'ast syn::Local) {
        visit::visit_local(self, local);
        if let Some((name, closure)) = bound(local) {
            if is_followed(closure) {
                self.all.push(Closure {
                    name: name.clone(),
                    closure: closure.clone(),
                });
            }
        }
    }
}

/// `let f = |…| …`
fn bound(local: &syn::Local) -> Option<(&Ident, &syn::ExprClosure)> {
    let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else {
        return None;
    };
    match unparen(&init.expr) {
        Expr::Closure(closure) if name.mutability.is_none() => Some((&name.ident, closure)),
        _ => None,
    }
}

/// Whether its body can stand in the function: it copies nothing, and leaves with an error alone.
fn is_followed(closure: &syn::ExprClosure) -> bool {
    let mut leaves = Leaves::default();
    leaves.visit_expr(&closure.body);
    let written = matches!(closure.output, ReturnType::Type(..));
    let plain = closure.capture.is_none() && closure.asyncness.is_none();
    // To which error `?` converts, only the type says.
    plain && !leaves.with_value && (written || !leaves.tries)
}

/// Whether an expression is `Ok(…)`, or `Err(…)`, and what is in it.
fn variant(e: &Expr) -> Option<(bool, &Expr)> {
    let Expr::Call(call) = unparen(e) else {
        return None;
    };
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    let of = call.args.first().filter(|_| call.args.len() == 1)?;
    if path.path.is_ident("Ok") {
        Some((true, of))
    } else {
        path.path.is_ident("Err").then_some((false, of))
    }
}

/// How a body leaves before its end.
#[derive(Default)]
struct Leaves {
    with_value: bool,
    tries: bool,
}

impl<'ast> Visit<'ast> for Leaves {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_expr_try(&mut self, e: &'ast syn::ExprTry) {
        self.tries = true;
        visit::visit_expr_try(self, e);
    }

    fn visit_expr_return(&mut self, e: &'ast syn::ExprReturn) {
        let value = e.expr.as_deref().and_then(variant);
        self.with_value |= !matches!(value, Some((false, _)));
        visit::visit_expr_return(self, e);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let returns = ["bail", "ensure"].iter().any(|name| {
            let last = mac.path.segments.last();
            last.is_some_and(|last| last.ident == name)
        });
        self.with_value |= returns;
    }
}

/// How often a variable is called with `?` behind it, and mentioned at all.
struct Calls<'a> {
    of: &'a Ident,
    tried: usize,
    all: usize,
}

impl<'ast> Visit<'ast> for Calls<'_> {
    fn visit_expr_try(&mut self, e: &'ast syn::ExprTry) {
        self.tried += usize::from(called(&e.expr, self.of).is_some());
        visit::visit_expr_try(self, e);
    }

    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        self.all += usize::from(e.path.is_ident(self.of));
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.all += usize::from(types::mentions(&mac.tokens, self.of));
    }
}

fn called<'e>(e: &'e Expr, of: &Ident) -> Option<&'e syn::ExprCall> {
    let Expr::Call(call) = unparen(e) else {
        return None;
    };
    match &*call.func {
        Expr::Path(path) if path.path.is_ident(of) => Some(call),
        _ => None,
    }
}

struct WriteOut<'a> {
    closure: &'a Closure,
    names: &'a mut Names,
}

impl VisitMut for WriteOut<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let Expr::Try(tried) = &*e else { return };
        let Some(call) = called(&tried.expr, &self.closure.name) else {
            return;
        };
        let mut closure = self.closure.closure.clone();
        if closure.inputs.len() != call.args.len() {
            return;
        }
        self.names.refresh(&mut closure);
        let span = call.span();
        let given = closure.inputs.iter().zip(&call.args);
        let mut stmts: Vec<Stmt> = given
            .map(|(pat, arg)| parse_quote_spanned!(span=> let #pat = #arg;))
            .collect();
        let mut value = (*closure.body).clone();
        let returned = match &closure.output {
            ReturnType::Type(_, ty) => Some(&**ty),
            ReturnType::Default => None,
        };
        Failing(returned).visit_expr_mut(&mut value);
        unwrap(&mut value, returned);
        let result = self.names.fresh("result", span);
        stmts.push(make::variable(&result, value));
        *e = make::block(stmts, Some(make::path(&result)));
    }
}

/// What leaves a body, with the error that its closure returns.
struct Failing<'a>(Option<&'a syn::Type>);

impl VisitMut for Failing<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let span = e.span();
        match e {
            Expr::Try(tried) => {
                let (of, ty) = (&tried.expr, self.0);
                *e = parse_quote_spanned! {span=>
                    #of.map_err(|error| -> <#ty as rt::fallible::Fallible>::Error { ::core::convert::From::from(error) })?
                };
            }
            Expr::Return(returned) => {
                if let Some((false, error)) = returned.expr.as_deref().and_then(variant) {
                    *e = failing(error, self.0);
                }
            }
            _ => {}
        }
    }
}

/// `return Err(…)`, as `?` behind a call converts the error.
fn failing(error: &Expr, returned: Option<&syn::Type>) -> Expr {
    let span = error.span();
    let error: Expr = match returned {
        Some(ty) => {
            parse_quote_spanned!(span=> { let error: <#ty as rt::fallible::Fallible>::Error = #error; error })
        }
        None => error.clone(),
    };
    parse_quote_spanned!(span=> return Err(::core::convert::From::from(#error)))
}

/// The value in place of `Ok` of it, and what leaves the function in place of `Err`.
fn unwrap(e: &mut Expr, returned: Option<&syn::Type>) {
    let replaced = match variant(e) {
        Some((true, value)) => Some(value.clone()),
        Some((false, error)) => Some(failing(error, returned)),
        None => None,
    };
    if let Some(replaced) = replaced {
        *e = replaced;
        return;
    }
    let last = |block: &mut syn::Block| {
        if let Some(Stmt::Expr(value, None)) = block.stmts.last_mut() {
            unwrap(value, returned);
        }
    };
    match e {
        Expr::Paren(p) => unwrap(&mut p.expr, returned),
        Expr::Group(g) => unwrap(&mut g.expr, returned),
        Expr::Block(b) => last(&mut b.block),
        Expr::If(e) => {
            last(&mut e.then_branch);
            if let Some((_, other)) = &mut e.else_branch {
                unwrap(other, returned);
            }
        }
        Expr::Match(m) => m
            .arms
            .iter_mut()
            .for_each(|arm| unwrap(&mut arm.body, returned)),
        Expr::Macro(_) | Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => {}
        result => *result = parse_quote_spanned!(result.span()=> #result?),
    }
}

/// Takes the variable away.
struct Remove<'a>(&'a Ident);

impl VisitMut for Remove<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        visit_mut::visit_block_mut(self, block);
        block.stmts.retain(|stmt| {
            let of = match stmt {
                Stmt::Local(local) => bound(local),
                _ => None,
            };
            of.is_none_or(|(name, _)| name != self.0)
        });
    }
}
