//! Memory that is declared first and assigned later: `let v; if c { v = a; } else { v = b; }` is `let v = if c { a } else { b };`, and `let v; for … { v = a; … }` is `for … { let v = a; … }`.
//!
//! So no variable is memory before there is something in it.

use proc_macro2::Ident;
use syn::{Block, Expr, Pat, Stmt};

use super::apply::variable;
use super::exits::{block_falls, falls};
use super::make;
use crate::facts::{self, Facts};
use crate::names::Names;
use crate::visit_mut::{self, VisitMut};

/// Declares variables that are memory where they get their first value, as far as that is the same statement on all ways.
pub(super) fn late(body: &mut Block, facts: &Facts, names: &mut Names) {
    Late {
        facts,
        names,
        inner: Vec::new(),
    }
    .visit_block_mut(body);
}

struct Late<'a> {
    facts: &'a Facts,
    names: &'a mut Names,
    /// Variables of arms, which the facts do not know yet.
    inner: Vec<Ident>,
}

/// `let mut name: ty;`
#[derive(Clone)]
struct Declared {
    name: Ident,
    mutable: bool,
    ty: Option<syn::Type>,
}

impl Declared {
    fn of(stmt: &Stmt) -> Option<Declared> {
        let Stmt::Local(syn::Local {
            pat, init: None, ..
        }) = stmt
        else {
            return None;
        };
        let (pat, ty) = match pat {
            Pat::Type(p) => (&*p.pat, Some((*p.ty).clone())),
            pat => (pat, None),
        };
        let Pat::Ident(p) = pat else { return None };
        Some(Declared {
            name: p.ident.clone(),
            mutable: p.mutability.is_some(),
            ty,
        })
    }

    fn pattern(&self) -> Pat {
        let name = make::ident(&self.name, self.mutable);
        match &self.ty {
            Some(ty) => make::typed(name, ty),
            None => name,
        }
    }

    fn declaration(&self) -> Stmt {
        Stmt::Local(syn::Local {
            attrs: Vec::new(),
            let_token: <syn::Token![let]>::default(),
            modifiers: syn::LocalModifiers::default(),
            pat: self.pattern(),
            init: None,
            semi_token: <syn::Token![;]>::default(),
        })
    }

    fn is_named(&self, stmt: &Stmt) -> bool {
        facts::mentioned(stmt, &|name| self.name == name)
    }

    fn is_named_in(&self, e: &Expr) -> bool {
        facts::mentions(e, &|name| self.name == name)
    }

    /// Whether what names the variable first in a block gives it its value.
    fn is_set_in(&self, block: &Block) -> bool {
        let first = block.stmts.iter().find(|stmt| self.is_named(stmt));
        matches!(first, Some(Stmt::Expr(e, _)) if self.is_set_by(e))
    }

    /// Whether an arm gives the variable its value, or is left without.
    fn is_set_in_arm(&self, e: &Expr) -> bool {
        self.is_set_by(e) || !self.is_named_in(e) && !falls(e)
    }

    /// Whether an expression gives the variable its value on every way that goes on behind it.
    fn is_set_by(&self, e: &Expr) -> bool {
        match e {
            Expr::Assign(e) => {
                variable(&e.left).is_some_and(|name| *name == self.name)
                    && !self.is_named_in(&e.right)
            }
            Expr::Block(e) => e.label.is_none() && self.is_set_in(&e.block),
            Expr::If(e) => {
                let then = &e.then_branch;
                let named = then.stmts.iter().any(|stmt| self.is_named(stmt));
                !self.is_named_in(&e.cond)
                    && (self.is_set_in(then) || !named && !block_falls(then))
                    && e.else_branch
                        .as_ref()
                        .is_some_and(|(_, e)| self.is_set_in_arm(e))
            }
            Expr::Match(e) => {
                !self.is_named_in(&e.expr) && e.arms.iter().all(|arm| self.is_set_in_arm(&arm.body))
            }
            _ => false,
        }
    }
}

impl Late<'_> {
    /// The variable that a statement declares, if it must have a value there.
    fn declared(&self, stmt: &Stmt) -> Option<Declared> {
        let declared = Declared::of(stmt)?;
        let var = self.facts.get(&declared.name.to_string());
        let memory = var.is_some_and(|v| v.place || !v.ty.is_scalar());
        (memory || self.inner.contains(&declared.name)).then_some(declared)
    }

    /// The variables that get their first value in the statement that names the variable declared at `at`, and where that is.
    fn set_together(&self, stmts: &[Stmt], at: usize) -> Option<(Vec<Declared>, usize)> {
        let first = self.declared(&stmts[at])?;
        let set_by =
            |v: &Declared| match stmts.iter().enumerate().find(|(_, stmt)| v.is_named(stmt)) {
                Some((k, Stmt::Expr(e, _))) => v.is_set_by(e).then_some(k),
                _ => None,
            };
        let here = set_by(&first)?;
        let declared = stmts[..here].iter().filter_map(|stmt| self.declared(stmt));
        let together = declared.filter(|v| set_by(v) == Some(here)).collect();
        Some((together, here))
    }

    /// Declares the variable declared at `at` inside of the loop that alone names it, if each round gives it a value first.
    fn declare_inside(&self, stmts: &mut Vec<Stmt>, at: usize) -> bool {
        let Some(declared) = self.declared(&stmts[at]) else {
            return false;
        };
        let named: Vec<usize> = (at + 1..stmts.len())
            .filter(|k| declared.is_named(&stmts[*k]))
            .collect();
        let [here] = named[..] else { return false };
        let Stmt::Expr(e, _) = &mut stmts[here] else {
            return false;
        };
        let (header, body) = match e {
            Expr::ForLoop(e) => (Some(&*e.expr), &mut e.body),
            Expr::While(e) => (Some(&*e.cond), &mut e.body),
            Expr::Loop(e) => (None, &mut e.body),
            _ => return false,
        };
        let alone = !header.is_some_and(|e| declared.is_named_in(e)) && declared.is_set_in(body);
        if alone {
            body.stmts.insert(0, declared.declaration());
            stmts.remove(at);
        }
        alone
    }

    fn settle(&mut self, block: &mut Block) {
        let mut at = 0;
        while at < block.stmts.len() {
            if self.declare_inside(&mut block.stmts, at) {
                continue;
            }
            let Some((late, here)) = self.set_together(&block.stmts, at) else {
                at += 1;
                continue;
            };
            self.set(&late, &mut block.stmts[here]);
            let declares = |stmt: &Stmt| {
                Declared::of(stmt).is_some_and(|v| late.iter().any(|other| other.name == v.name))
            };
            block.stmts.retain(|stmt| !declares(stmt));
        }
        self.yield_at_once(block);
    }

    /// `let v = e; v` at the end of a block is `e`: a reference is chosen where it is.
    fn yield_at_once(&self, block: &mut Block) {
        let [.., Stmt::Local(local), Stmt::Expr(value, None)] = &block.stmts[..] else {
            return;
        };
        let refers =
            matches!(&local.pat, Pat::Type(p) if matches!(&*p.ty, syn::Type::Reference(_)));
        let (true, Some(init)) = (refers || matches!(local.pat, Pat::Ident(_)), &local.init) else {
            return;
        };
        let name = variable(value).filter(|name| self.inner.contains(name));
        if name.is_some_and(|name| facts::named(&local.pat).is_some_and(|p| *name == p)) {
            let e = (*init.expr).clone();
            block.stmts.truncate(block.stmts.len() - 2);
            block.stmts.push(Stmt::Expr(e, None));
        }
    }

    /// Declares variables where a statement gives them their values.
    fn set(&mut self, late: &[Declared], stmt: &mut Stmt) {
        let Stmt::Expr(e, _) = stmt else { return };
        let mut value = std::mem::replace(e, make::unit());
        self.give(late, &mut value);
        let pat = match late {
            [one] => one.pattern(),
            several => {
                let names = several.iter().map(|v| make::ident(&v.name, v.mutable));
                make::tuple_pat(names)
            }
        };
        *stmt = make::local(pat, value);
    }

    /// Makes an expression that sets variables one that yields their values.
    fn give(&mut self, late: &[Declared], e: &mut Expr) {
        match e {
            Expr::Assign(assign) if late.iter().any(|v| v.is_named_in(&assign.left)) => {
                *e = (*assign.right).clone();
            }
            Expr::Block(e) => self.give_block(late, &mut e.block),
            Expr::If(e) => {
                self.give_block(late, &mut e.then_branch);
                if let Some((_, other)) = &mut e.else_branch {
                    self.give(late, other);
                }
            }
            Expr::Match(e) => {
                let arms = e.arms.iter_mut();
                arms.for_each(|arm| self.give(late, &mut arm.body));
            }
            _ => {}
        }
    }

    /// In each block the variables have names of its own; their values are what it yields.
    fn give_block(&mut self, late: &[Declared], block: &mut Block) {
        let named = |v: &Declared| block.stmts.iter().any(|stmt| v.is_named(stmt));
        if !late.iter().any(named) {
            return;
        }
        let mut stmts = std::mem::take(&mut block.stmts);
        if let Some(Stmt::Expr(_, semi)) = stmts.last_mut() {
            *semi = Some(<syn::Token![;]>::default());
        }
        let mut whole = make::labelled(None, make::braces(stmts));
        for v in late {
            let (from, span) = (v.name.to_string(), v.name.span());
            let name = self.names.fresh(&from, span);
            self.names.call(&from, &name.to_string(), &mut whole);
            let own = Declared { name, ..v.clone() };
            block.stmts.push(own.declaration());
            self.inner.push(own.name);
        }
        let mut values: Vec<Expr> = self.inner[self.inner.len() - late.len()..]
            .iter()
            .map(make::path)
            .collect();
        if let Expr::Block(whole) = whole {
            block.stmts.extend(whole.block.stmts);
        }
        let value = if late.len() == 1 {
            values.remove(0)
        } else {
            make::tuple(values)
        };
        block.stmts.push(Stmt::Expr(value, None));
    }
}

impl VisitMut for Late<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut Block) {
        self.settle(block);
        visit_mut::visit_block_mut(self, block);
    }
}
