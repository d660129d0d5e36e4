//! Calls for their errors alone, `validate(x, y).unwrap();` and `self.validate().expect("…");`, are copied as they stand. Those with `?` are among the results.
//!
//! Nobody uses what they return, and they are lent nothing that they could change, so nothing comes of what they are given but a panic.
//! rustc makes sure of it: what is passed as it is must be `Copy`, which a `&mut` reference is not.

use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Stmt, parse_quote_spanned};

use super::{apply, make};
use crate::facts::{self, Facts, Given};
use crate::marks;
use crate::own_names;

/// What panics where a result is an error.
const ASSERTING: &[&str] = &["expect", "unwrap"];

/// Marks the calls in a body whose values nobody uses as constants.
pub(crate) fn checks(body: &mut syn::Block, given: &Given) {
    let facts = &facts::facts(body, given);
    Checks { facts, given }.visit_block_mut(body);
}

struct Checks<'a> {
    facts: &'a Facts,
    given: &'a Given,
}

impl Checks<'_> {
    /// Whether a statement panics where a call that only reads what it is given returns an error.
    fn asserts(&self, e: &Expr) -> bool {
        let name = |m: &syn::ExprMethodCall| m.method.to_string();
        matches!(e, Expr::MethodCall(m) if ASSERTING.contains(&name(m).as_str()) && self.checked(&m.receiver))
    }

    fn checked(&self, e: &Expr) -> bool {
        match e {
            Expr::Call(c) => {
                let Expr::Path(func) = apply::unparen(&c.func) else {
                    return false;
                };
                let local = |name: &syn::Ident| self.facts.get(&name.to_string()).is_some();
                let known = func.path.is_ident("drop") || func.path.get_ident().is_some_and(local);
                !known && !marks::is_stop_gradient(&c.func) && self.reads(&c.args)
            }
            Expr::MethodCall(m) => {
                let name = m.method.to_string();
                let root = facts::root(&m.receiver);
                let kept = root.is_some_and(|name| self.is_shared_parameter(&name));
                kept && own_names::is_foreign(&name) && self.reads(&m.args)
            }
            _ => false,
        }
    }

    /// Whether a name is that of a parameter through which nothing can be changed.
    fn is_shared_parameter(&self, name: &str) -> bool {
        let given = self.given.params.get(name);
        given.is_some_and(|var| !var.mutable && !var.exclusive)
    }

    fn reads(&self, args: &syn::punctuated::Punctuated<Expr, syn::Token![,]>) -> bool {
        args.iter().all(|arg| self.is_read(arg))
    }

    /// Whether an argument can only be read: a number, a shared reference, a parameter.
    fn is_read(&self, arg: &Expr) -> bool {
        let variable = |e: &Expr| apply::variable(e).map(ToString::to_string);
        match apply::unparen(arg) {
            Expr::Lit(_) => true,
            // What is constant may be a cell.
            Expr::Reference(r) => r.mutability.is_none() && self.facts.active(&r.expr),
            e if !self.given.numeric.is_empty() => {
                let ty = self.facts.ty(e);
                ty.is_inert() && ty.is_scalar()
            }
            e => match variable(e) {
                Some(name) if self.facts.ty(e).is_scalar() => {
                    !self.facts.may_change(&name) || self.is_number(&name)
                }
                Some(name) => self.facts.active(e) && self.is_shared_parameter(&name),
                None => self.facts.ty(e).is_scalar(),
            },
        }
    }

    /// Whether a variable is a number of its own, and no reference.
    fn is_number(&self, name: &str) -> bool {
        let var = self.facts.get(name);
        var.is_some_and(|var| !var.exclusive && var.roots.is_empty())
    }
}

/// Lets rustc check that what is passed as it is can be copied.
fn shared(e: &mut Expr) {
    let args = match e {
        Expr::Call(c) => &mut c.args,
        Expr::MethodCall(m) if ASSERTING.iter().any(|name| m.method == name) => {
            return shared(&mut m.receiver);
        }
        Expr::MethodCall(m) => &mut m.args,
        _ => return,
    };
    for arg in args {
        if !matches!(apply::unparen(arg), Expr::Lit(_) | Expr::Reference(_)) {
            let func = parse_quote_spanned!(arg.span()=> rt::shared);
            let given = std::mem::replace(arg, make::unit());
            *arg = make::call(func, vec![given]);
        }
    }
}

impl VisitMut for Checks<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Expr(e, Some(_)) if self.facts.mentions_active(e) && self.asserts(e) => {
                let span = e.span();
                let mut call = std::mem::replace(e, make::unit());
                shared(&mut call);
                *e = make::call(parse_quote_spanned!(span=> rt::stop_gradient), vec![call]);
            }
            stmt => visit_mut::visit_stmt_mut(self, stmt),
        }
    }
}
