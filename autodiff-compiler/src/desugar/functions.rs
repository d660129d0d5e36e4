//! Functions that have the name of a variable: `let f = sq;` is another name of `sq`, and a call of one that is chosen is chosen itself.

use proc_macro2::{Ident, Literal};
use syn::{Expr, Pat, Stmt, parse_quote, parse_quote_spanned};

use super::apply::{unparen, variable};
use super::make;
use crate::facts::{self, Facts};
use crate::names::Names;
use crate::visit_mut::{self, VisitMut};

/// Puts the functions that `let`s name where their names are used.
pub(super) fn functions(body: &mut syn::Block, facts: &Facts, names: &mut Names) {
    Functions { facts, names }.visit_block_mut(body);
}

struct Functions<'a> {
    facts: &'a Facts,
    names: &'a mut Names,
}

impl Functions<'_> {
    /// The path of a function: not a variable, and written as functions are.
    fn path<'e>(&self, e: &'e Expr) -> Option<&'e syn::ExprPath> {
        let Expr::Path(p) = unparen(e) else {
            return None;
        };
        let last = p.path.segments.last()?.ident.to_string();
        let variable = p.path.get_ident().is_some();
        let known = variable && self.facts.get(&last).is_some();
        (!known && last.starts_with(|c: char| c.is_lowercase())).then_some(p)
    }

    /// Takes the functions out of an expression that chooses one of them; what is left is the number of one.
    fn leaves(&self, e: &mut Expr, found: &mut Vec<syn::ExprPath>) -> Option<()> {
        match e {
            Expr::Paren(e) => self.leaves(&mut e.expr, found),
            Expr::Group(e) => self.leaves(&mut e.expr, found),
            Expr::If(e) => {
                self.last(&mut e.then_branch, found)?;
                let (_, other) = e.else_branch.as_mut()?;
                self.leaves(other, found)
            }
            Expr::Match(e) => {
                let mut arms = e.arms.iter_mut();
                arms.try_for_each(|arm| self.leaves(&mut arm.body, found))
            }
            Expr::Block(e) if e.label.is_none() => self.last(&mut e.block, found),
            e => {
                found.push(self.path(unwrapped(e))?.clone());
                let k = Literal::usize_suffixed(found.len() - 1);
                *e = parse_quote!(#k);
                Some(())
            }
        }
    }

    fn last(&self, block: &mut syn::Block, found: &mut Vec<syn::ExprPath>) -> Option<()> {
        match block.stmts.last_mut() {
            Some(Stmt::Expr(e, None)) => self.leaves(e, found),
            _ => None,
        }
    }

    /// Puts functions in the place of a variable; the variable that says which of them.
    fn put(&mut self, name: &Ident, found: &[syn::ExprPath], stmts: &mut [Stmt]) -> Option<Ident> {
        let mut uses = Uses {
            name,
            found,
            calls: 0,
            lent: false,
            others: false,
            hidden: false,
            put: None,
        };
        stmts.iter_mut().for_each(|stmt| uses.visit_stmt_mut(stmt));
        if !uses.are_known() {
            return None;
        }
        let which = self.names.fresh("which", name.span());
        uses.put = Some((&which, &mut *self.names));
        stmts.iter_mut().for_each(|stmt| uses.visit_stmt_mut(stmt));
        Some(which)
    }

    /// `let f = …;` of a function; with a choice, what chooses.
    fn named(&self, stmt: &Stmt) -> Option<(Ident, Vec<syn::ExprPath>, Expr)> {
        let Stmt::Local(local) = stmt else {
            return None;
        };
        let pat = match &local.pat {
            Pat::Type(p) if matches!(&*p.ty, syn::Type::FnPtr(_)) => &*p.pat,
            pat => pat,
        };
        let Pat::Ident(p) = pat else { return None };
        let constant = p.mutability.is_none() && p.by_ref.is_none();
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let (mut found, mut chosen) = (Vec::new(), (*init.expr).clone());
        self.leaves(&mut chosen, &mut found)?;
        constant.then(|| (p.ident.clone(), found, chosen))
    }
}

/// A function pointer is the function.
fn unwrapped(e: &Expr) -> &Expr {
    match unparen(e) {
        Expr::Cast(c) if matches!(&*c.ty, syn::Type::FnPtr(_)) => unwrapped(&c.expr),
        e => e,
    }
}

impl VisitMut for Functions<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let mut at = 0;
        while at < block.stmts.len() {
            let Some((name, found, chosen)) = self.named(&block.stmts[at]) else {
                at += 1;
                continue;
            };
            let rest = &mut block.stmts[at + 1..];
            let Some(which) = self.put(&name, &found, rest) else {
                at += 1;
                continue;
            };
            let instead = (found.len() > 1).then(|| make::variable(&which, chosen));
            block.stmts.splice(at..=at, instead);
        }
        visit_mut::visit_block_mut(self, block);
    }

    /// `for f in [sq, cube] { … }`
    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        if let (Pat::Ident(p), Expr::Array(array)) = (&*e.pat, unparen(&e.expr)) {
            let paths = array.elems.iter().map(|e| self.path(unwrapped(e)).cloned());
            let found: Option<Vec<syn::ExprPath>> = paths.collect();
            let name = p.ident.clone();
            let found = found.filter(|found| found.len() > 1 && p.by_ref.is_none());
            let which = found.and_then(|found| {
                self.put(&name, &found, &mut e.body.stmts)
                    .map(|which| (which, found.len()))
            });
            if let Some((which, n)) = which {
                let n = Literal::usize_suffixed(n);
                *e.pat = make::ident(&which, false);
                *e.expr = parse_quote!(0..#n);
            }
        }
        visit_mut::visit_expr_for_loop_mut(self, e);
    }
}

impl Uses<'_> {
    /// Whether it is a function for sure, and one of several is only called; what a macro does with it cannot be seen.
    fn are_known(&self) -> bool {
        let used = match self.found.len() {
            1 => self.calls > 0 || self.lent,
            _ => self.calls > 0 && !self.others,
        };
        used && !self.hidden
    }
}

/// Puts functions in the place of a variable; first of all, looks what is done with it.
struct Uses<'a> {
    name: &'a Ident,
    found: &'a [syn::ExprPath],
    calls: usize,
    /// Passed to a method.
    lent: bool,
    others: bool,
    hidden: bool,
    /// The variable that says which.
    put: Option<(&'a Ident, &'a mut Names)>,
}

impl VisitMut for Uses<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        facts::idents(mac.tokens.clone(), &mut |name| {
            self.hidden |= self.name == &name;
        });
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let is = |e: &Expr| variable(e).is_some_and(|name| name == self.name);
        let Some((which, names)) = &mut self.put else {
            match e {
                Expr::Call(c) if is(&c.func) => {
                    self.calls += 1;
                    c.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
                }
                e if is(e) => self.others = true,
                e => {
                    self.lent |= matches!(e, Expr::MethodCall(m) if m.args.iter().any(is));
                    visit_mut::visit_expr_mut(self, e);
                }
            }
            return;
        };
        match e {
            e if is(e) => *e = Expr::Path(self.found[0].clone()),
            Expr::Call(c) if is(&c.func) && self.found.len() > 1 => {
                let span = self.name.span();
                let which = &**which;
                let given: Vec<Ident> = c.args.iter().map(|_| names.fresh("given", span)).collect();
                let arms: Vec<syn::Arm> = (0..)
                    .zip(self.found)
                    .map(|(k, f)| {
                        let k = Literal::usize_suffixed(k);
                        parse_quote_spanned!(span=> #k => #f(#(#given),*),)
                    })
                    .collect();
                c.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
                let before = given
                    .iter()
                    .zip(&c.args)
                    .map(|(name, arg)| make::variable(name, arg.clone()))
                    .collect();
                let call =
                    parse_quote_spanned!(span=> match #which { #(#arms)* _ => unreachable!() });
                *e = make::block(before, Some(call));
            }
            e => visit_mut::visit_expr_mut(self, e),
        }
    }
}
