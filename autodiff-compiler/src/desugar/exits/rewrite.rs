//! Rewrites lists of statements so that no statement jumps.

use std::collections::VecDeque;

use proc_macro2::Ident;
use syn::parse_quote;

use super::hoist::hoist;
use super::jumps::{self, Jump};
use super::slots::Slot;
use crate::errors::Errors;
use crate::facts::Facts;
use crate::ir::Ty;
use crate::names::Names;
use crate::visit_mut::{self, VisitMut};

/// What becomes of the end of a list of statements, and of jumps in it.
#[derive(Clone)]
pub(super) enum Mode {
    /// The end of the function: `return v` is the value `v`.
    Function,
    /// A block whose value is used where it stands; no jump leaves it.
    Plain,
    /// The end of a loop's body; it yields whether to stop, if `until`.
    Loop { label: String, until: bool },
    /// The end of a labelled block: `break` to it is its value.
    Block { label: String },
    /// Somewhere before the end: a jump writes down its code, a value goes to the slot.
    Inner { slot: Option<Slot> },
}

/// What becomes of the value of a statement.
#[derive(Clone)]
pub(super) enum Bind {
    Discard,
    Let(Box<syn::Local>),
    Tail,
}

/// A labelled loop or block around.
pub(super) struct Frame {
    pub(super) label: String,
    pub(super) slot: Option<Slot>,
}

pub(super) struct Rewrite<'a> {
    pub(super) facts: &'a Facts,
    pub(super) errors: &'a mut Errors,
    pub(super) frames: Vec<Frame>,
    pub(super) names: &'a mut Names,
    /// The variable that holds the code of a jump under way.
    pub(super) code: Ident,
    /// The jumps that have a code; the code is the index and one.
    pub(super) codes: Vec<Jump>,
    pub(super) uses_code: bool,
    /// Where the value of a `return` under way waits.
    pub(super) result: Option<Slot>,
    /// The type of the function's result, if it has one.
    pub(super) returned: Option<Ty>,
}

pub(super) type Stmts = Vec<syn::Stmt>;

impl Rewrite<'_> {
    pub(super) fn fresh(&mut self, hint: &str) -> Ident {
        self.names.fresh(hint, proc_macro2::Span::call_site())
    }

    /// What must precede the body: the variables of jumps under way.
    pub(super) fn declarations(&self) -> Stmts {
        let mut out = Stmts::new();
        if self.uses_code {
            let code = &self.code;
            out.push(parse_quote!(let mut #code = 0;));
        }
        out.extend(self.result.iter().map(Slot::declare));
        out
    }

    /// Copied as it stands: nothing active, and no jump leaves it.
    pub(super) fn stays(&self, e: &syn::Expr) -> bool {
        !self.facts.mentions_active(e) && jumps::of_expr(e).is_empty()
    }

    /// Rewrites statements that end as `mode` says.
    pub(super) fn sequence(&mut self, stmts: Stmts, mode: &Mode) -> Stmts {
        let mut out = Stmts::new();
        let mut queue: VecDeque<syn::Stmt> = stmts.into();
        while let Some(stmt) = queue.pop_front() {
            let last = queue.is_empty();
            let stmt = match self.take_apart(stmt, last) {
                Parts::Control(e, bind) => {
                    let rest = queue.into_iter().collect();
                    self.control(*e, bind, rest, mode, &mut out);
                    return out;
                }
                Parts::Many(stmts) => {
                    stmts.into_iter().rev().for_each(|s| queue.push_front(s));
                    continue;
                }
                Parts::Whole(stmt) => *stmt,
            };
            if !jumps::stmt_falls(&stmt) {
                out.push(self.inside(stmt));
                return out;
            }
            match stmt {
                syn::Stmt::Expr(mut e, None) if last => {
                    self.visit_expr_mut(&mut e);
                    out.extend(Self::fall(mode, Some(e)));
                    return out;
                }
                syn::Stmt::Macro(m) if last && m.semi_token.is_none() => {
                    let e = syn::Expr::Macro(syn::ExprMacro {
                        attrs: m.attrs,
                        mac: m.mac,
                    });
                    out.extend(Self::fall(mode, Some(e)));
                    return out;
                }
                stmt => out.push(self.inside(stmt)),
            }
        }
        out.extend(Self::fall(mode, None));
        out
    }

    /// Finds the jump, conditional or loop that a statement consists of.
    fn take_apart(&mut self, stmt: syn::Stmt, last: bool) -> Parts {
        let (mut e, bind) = match stmt {
            syn::Stmt::Expr(e, semi) => {
                let bind = if last && semi.is_none() {
                    Bind::Tail
                } else {
                    Bind::Discard
                };
                (e, bind)
            }
            syn::Stmt::Local(mut local) => match local.init.take() {
                Some(mut init) => {
                    if let Some((keyword, other)) = init.diverge.take() {
                        let mut before = Stmts::new();
                        hoist(&mut init.expr, self.facts, &mut before, &mut || {
                            self.fresh("t")
                        });
                        if before.is_empty() {
                            // The rest goes into the arm of the pattern, where its variables are.
                            let (pat, e) = (&local.pat, &init.expr);
                            let e = parse_quote!(match (#e) { #pat => {} _ => #other });
                            return Parts::Control(Box::new(e), Bind::Discard);
                        }
                        init.diverge = Some((keyword, other));
                        local.init = Some(init);
                        before.push(syn::Stmt::Local(local));
                        return Parts::Many(before);
                    }
                    let e = *init.expr.clone();
                    local.init = Some(init);
                    (e, Bind::Let(Box::new(local)))
                }
                None => return Parts::Whole(Box::new(syn::Stmt::Local(local))),
            },
            other => return Parts::Whole(Box::new(other)),
        };
        while let syn::Expr::Paren(syn::ExprParen { expr, .. }) = e {
            e = *expr;
        }
        let whole = |e: syn::Expr, bind: Bind| match bind {
            Bind::Discard => syn::Stmt::Expr(e, Some(syn::token::Semi::default())),
            Bind::Tail => syn::Stmt::Expr(e, None),
            Bind::Let(mut local) => {
                if let Some(init) = &mut local.init {
                    *init.expr = e;
                }
                syn::Stmt::Local(*local)
            }
        };
        if self.stays(&e) {
            return Parts::Whole(Box::new(whole(e, bind)));
        }
        let jumps = jumps::of_expr(&e);
        let rewritten = match &e {
            syn::Expr::Return(_) | syn::Expr::Break(_) | syn::Expr::Continue(_) => true,
            syn::Expr::If(_) | syn::Expr::Match(_) => !jumps.is_empty(),
            syn::Expr::Block(b) => b.label.is_some() || !jumps.is_empty(),
            syn::Expr::Loop(l) => !super::is_until(&l.attrs),
            syn::Expr::ForLoop(l) => {
                let stays = jumps.is_empty() && jumps::of_block(&l.body).is_empty();
                !(stays || super::is_until(&l.attrs))
            }
            _ => false,
        };
        if rewritten {
            // What decides is evaluated first.
            let mut before = Stmts::new();
            let facts = self.facts;
            let mut fresh = || self.fresh("t");
            match &mut e {
                syn::Expr::If(i) => hoist(&mut i.cond, facts, &mut before, &mut fresh),
                syn::Expr::Match(m) => hoist(&mut m.expr, facts, &mut before, &mut fresh),
                syn::Expr::ForLoop(l) => hoist(&mut l.expr, facts, &mut before, &mut fresh),
                syn::Expr::Return(r) => {
                    if let Some(v) = &mut r.expr {
                        hoist(v, facts, &mut before, &mut fresh);
                    }
                }
                syn::Expr::Break(b) => {
                    if let Some(v) = &mut b.expr {
                        hoist(v, facts, &mut before, &mut fresh);
                    }
                }
                _ => {}
            }
            if before.is_empty() {
                return Parts::Control(Box::new(e), bind);
            }
            before.push(whole(e, bind));
            return Parts::Many(before);
        }
        if !jumps.is_empty() {
            let mut before = Stmts::new();
            hoist(&mut e, self.facts, &mut before, &mut || self.fresh("t"));
            if jumps::of_expr(&e).is_empty() {
                before.push(whole(e, bind));
                return Parts::Many(before);
            }
            self.errors.error(&e, "a jump out of the middle of this expression cannot be followed; put what jumps into a statement of its own before");
            return Parts::Whole(Box::new(whole(parse_quote!(::core::unreachable!()), bind)));
        }
        Parts::Whole(Box::new(whole(e, bind)))
    }

    /// The end of a list of statements, with its value.
    fn fall(mode: &Mode, value: Option<syn::Expr>) -> Stmts {
        let as_statement = |e: syn::Expr| syn::Stmt::Expr(e, Some(syn::token::Semi::default()));
        match (mode, value) {
            (Mode::Function | Mode::Plain | Mode::Block { .. }, value) => value
                .map(|e| syn::Stmt::Expr(e, None))
                .into_iter()
                .collect(),
            (Mode::Loop { until, .. }, value) => {
                let mut out: Stmts = value.map(as_statement).into_iter().collect();
                if *until {
                    out.push(parse_stop(false));
                }
                out
            }
            (Mode::Inner { slot: Some(slot) }, Some(e)) => vec![slot.assign(&e)],
            (Mode::Inner { .. }, value) => value.map(as_statement).into_iter().collect(),
        }
    }

    /// A jump with its value.
    fn jump(&mut self, jump: &Jump, value: Option<syn::Expr>, mode: &Mode) -> Stmts {
        let own = match (mode, jump) {
            (Mode::Function, Jump::Return) => true,
            (Mode::Block { label }, Jump::Break(target)) => label == target,
            _ => false,
        };
        if own {
            let mut value = value;
            if let Some(e) = &mut value {
                self.visit_expr_mut(e);
            }
            return value
                .map(|e| syn::Stmt::Expr(e, None))
                .into_iter()
                .collect();
        }
        let mut out = Stmts::new();
        if let Some(mut e) = value {
            self.visit_expr_mut(&mut e);
            match self.slot_of(jump, &e) {
                Some(slot) => out.push(slot.assign(&e)),
                None => out.push(syn::Stmt::Expr(e, Some(syn::token::Semi::default()))),
            }
        }
        if !leads_here(mode, jump) {
            let (code, k) = (self.code.clone(), self.number(jump));
            out.push(parse_quote!(#code = #k;));
        }
        out.extend(landing(mode, jump));
        out
    }

    /// Resumes jumps under way.
    pub(super) fn dispatch(&mut self, jumps: &[Jump], mode: &Mode) -> Stmts {
        let Some((first, rest)) = jumps.split_first() else {
            return Stmts::new();
        };
        let here = self.resume(first, mode);
        if rest.is_empty() {
            return here;
        }
        let others = self.dispatch(rest, mode);
        let (code, k) = (self.code.clone(), self.number(first));
        vec![syn::Stmt::Expr(
            parse_quote!(if #code == #k { #(#here)* } else { #(#others)* }),
            None,
        )]
    }

    fn resume(&mut self, jump: &Jump, mode: &Mode) -> Stmts {
        let code = self.code.clone();
        match (mode, jump) {
            (Mode::Function, Jump::Return) => {
                let value = self.result.as_ref().map(Slot::read);
                value
                    .map(|e| syn::Stmt::Expr(e, None))
                    .into_iter()
                    .collect()
            }
            (Mode::Block { label }, Jump::Break(target)) if label == target => {
                let slot = self.frames.iter().find(|f| f.label == *target);
                let value = slot.and_then(|f| f.slot.as_ref()).map(Slot::read);
                let mut out: Stmts = vec![parse_quote!(#code = 0;)];
                out.extend(value.map(|e| syn::Stmt::Expr(e, None)));
                out
            }
            _ => {
                let mut out = Stmts::new();
                if leads_here(mode, jump) {
                    out.push(parse_quote!(#code = 0;));
                }
                out.extend(landing(mode, jump));
                out
            }
        }
    }

    pub(super) fn number(&mut self, jump: &Jump) -> syn::LitInt {
        self.uses_code = true;
        let k = match self.codes.iter().position(|j| j == jump) {
            Some(k) => k,
            None => {
                self.codes.push(jump.clone());
                self.codes.len() - 1
            }
        };
        syn::LitInt::new(&(k + 1).to_string(), proc_macro2::Span::call_site())
    }

    /// Where the value of a jump waits.
    fn slot_of(&mut self, jump: &Jump, value: &syn::Expr) -> Option<Slot> {
        match jump {
            Jump::Return => {
                let ty = self.returned.clone()?;
                if self.result.is_none() {
                    let name = self.fresh("result");
                    let ty = crate::ir::join(ty, self.facts.ty(value));
                    self.result = Some(Slot::new(name, &ty));
                }
                self.result.clone()
            }
            Jump::Break(label) => self
                .frames
                .iter()
                .rev()
                .find(|f| f.label == *label)
                .and_then(|f| f.slot.clone()),
            Jump::Continue(_) => None,
        }
    }

    /// Rewrites a jump, conditional, block or loop, and what follows it.
    fn control(&mut self, e: syn::Expr, bind: Bind, rest: Stmts, mode: &Mode, out: &mut Stmts) {
        match e {
            syn::Expr::Return(r) => {
                let value = r.expr.map(|e| *e);
                out.extend(self.jump(&Jump::Return, value, mode));
            }
            syn::Expr::Break(b) => {
                let Some(label) = &b.label else {
                    self.errors
                        .error(b.break_token, "`break` outside of a loop; remove it");
                    return;
                };
                let jump = Jump::Break(label.ident.to_string());
                out.extend(self.jump(&jump, b.expr.map(|e| *e), mode));
            }
            syn::Expr::Continue(c) => {
                let Some(label) = &c.label else {
                    self.errors
                        .error(c.continue_token, "`continue` outside of a loop; remove it");
                    return;
                };
                let jump = Jump::Continue(label.ident.to_string());
                out.extend(self.jump(&jump, None, mode));
            }
            syn::Expr::Block(b) if b.label.is_none() => {
                let mut stmts = bound(b.block.stmts, &bind);
                stmts.extend(rest);
                out.extend(self.sequence(stmts, mode));
            }
            syn::Expr::Block(b) => self.labelled(b, bind, rest, mode, out),
            syn::Expr::If(_) | syn::Expr::Match(_) => self.conditional(e, bind, rest, mode, out),
            e => self.looped(e, bind, rest, mode, out),
        }
    }

    /// Goes on after a statement with a value.
    pub(super) fn settle(
        &mut self,
        value: Option<syn::Expr>,
        bind: Bind,
        rest: Stmts,
        mode: &Mode,
        out: &mut Stmts,
    ) {
        match (bind, value) {
            (Bind::Tail, value) => {
                out.extend(Self::fall(mode, value));
                return;
            }
            (Bind::Let(mut local), Some(e)) => {
                if let Some(init) = &mut local.init {
                    *init.expr = e;
                }
                out.push(syn::Stmt::Local(*local));
            }
            (Bind::Discard, Some(e)) => {
                out.push(syn::Stmt::Expr(e, Some(syn::token::Semi::default())));
            }
            (_, None) => {}
        }
        out.extend(self.sequence(rest, mode));
    }

    /// Goes on after a statement that may have begun a jump: the rest runs if none is under way.
    pub(super) fn guarded(
        &mut self,
        value: Option<syn::Expr>,
        jumps: &[Jump],
        bind: Bind,
        rest: Stmts,
        mode: &Mode,
        out: &mut Stmts,
    ) {
        let mut go_on = Stmts::new();
        self.settle(value, bind, rest, mode, &mut go_on);
        let leave = self.dispatch(jumps, mode);
        if go_on.is_empty() && leave.is_empty() {
            return;
        }
        self.uses_code = true;
        let code = &self.code;
        let new: syn::Expr = if leave.is_empty() {
            parse_quote!(if #code == 0 { #(#go_on)* })
        } else {
            parse_quote!(if #code == 0 { #(#go_on)* } else { #(#leave)* })
        };
        out.push(syn::Stmt::Expr(new, None));
    }

    /// The type of what jumps to a target and the end of its block yield.
    ///
    /// `tail` is what a block ends with; the end of a loop's body is none of its values.
    pub(super) fn target_ty(
        &self,
        block: &syn::Block,
        tail: Option<&syn::Expr>,
        target: &Jump,
    ) -> Ty {
        jumps::values(block, target)
            .into_iter()
            .chain(tail)
            .map(|e| self.facts.ty(e))
            .fold(Ty::Unknown, crate::ir::join)
    }

    pub(super) fn arms_ty(&self, bodies: &[Stmts]) -> Ty {
        bodies
            .iter()
            .filter_map(|body| match body.last() {
                Some(syn::Stmt::Expr(e, None)) if jumps::falls(e) => Some(self.facts.ty(e)),
                _ => None,
            })
            .fold(Ty::Unknown, crate::ir::join)
    }

    /// Rewrites the loops and blocks in a statement that no jump leaves.
    pub(super) fn inside(&mut self, stmt: syn::Stmt) -> syn::Stmt {
        let mut stmt = stmt;
        self.visit_stmt_mut(&mut stmt);
        stmt
    }
}

impl VisitMut for Rewrite<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        if self.stays(e) {
            return;
        }
        let done = match e {
            syn::Expr::Loop(l) => super::is_until(&l.attrs) || l.label.is_none(),
            syn::Expr::ForLoop(l) => {
                super::is_until(&l.attrs)
                    || l.label.is_none()
                    || jumps::of_block(&l.body).is_empty()
            }
            syn::Expr::Block(b) => b.label.is_none(),
            _ => true,
        };
        if !done {
            let stmts = vec![syn::Stmt::Expr(e.clone(), None)];
            let stmts = self.sequence(stmts, &Mode::Plain);
            *e = parse_quote!({ #(#stmts)* });
            return;
        }
        visit_mut::visit_expr_mut(self, e);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let stmts = std::mem::take(&mut block.stmts);
        block.stmts = self.sequence(stmts, &Mode::Plain);
    }
}

/// A statement, taken apart.
enum Parts {
    Control(Box<syn::Expr>, Bind),
    Many(Stmts),
    Whole(Box<syn::Stmt>),
}

/// A jump that ends where the list of statements ends.
fn leads_here(mode: &Mode, jump: &Jump) -> bool {
    match (mode, jump) {
        (Mode::Loop { label, .. }, Jump::Break(target) | Jump::Continue(target)) => label == target,
        _ => false,
    }
}

/// How a jump ends a list of statements.
fn landing(mode: &Mode, jump: &Jump) -> Stmts {
    match mode {
        Mode::Loop { label, until: true } => {
            let goes_on = *jump == Jump::Continue(label.clone());
            vec![parse_stop(!goes_on)]
        }
        _ => Stmts::new(),
    }
}

fn parse_stop(stop: bool) -> syn::Stmt {
    let stop = syn::LitBool::new(stop, proc_macro2::Span::call_site());
    syn::Stmt::Expr(parse_quote!(#stop), None)
}

/// Statements whose last expression is bound.
pub(super) fn bound(stmts: Stmts, bind: &Bind) -> Stmts {
    let mut stmts = stmts;
    let tail = match stmts.last() {
        Some(syn::Stmt::Expr(e, None)) if jumps::falls(e) => e.clone(),
        _ => return stmts,
    };
    let new = match bind {
        Bind::Tail => return stmts,
        Bind::Discard => syn::Stmt::Expr(tail, Some(syn::token::Semi::default())),
        Bind::Let(local) => {
            let mut local = local.clone();
            if let Some(init) = &mut local.init {
                *init.expr = tail;
            }
            syn::Stmt::Local(*local)
        }
    };
    stmts.pop();
    stmts.push(new);
    stmts
}

pub(super) fn jumps_of(bodies: &[Stmts]) -> Vec<Jump> {
    let mut all = Vec::new();
    for stmt in bodies.iter().flatten() {
        for jump in jumps::of_stmt(stmt) {
            if !all.contains(&jump) {
                all.push(jump);
            }
        }
    }
    all
}
