//! An element of a list that may not be there: `if let Some(p) = list.get(i)` asks whether `i` is less than the length.
//!
//! Of numbers there is an option; what is not a number is never copied into one.

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Pat, Stmt, parse_quote};

use super::apply::unparen;
use super::chains::is_place;
use super::lists::Lists;
use super::make;
use crate::facts::Facts;
use crate::ir::Ty;
use crate::names::{self, Names};

/// Rewrites what is matched against elements that are no numbers; `true` if there was anything.
pub(super) fn elements(
    body: &mut syn::Block,
    lists: &Lists,
    facts: &Facts,
    names: &mut Names,
) -> bool {
    let mut elements = Elements {
        lists,
        facts,
        names,
        found: false,
    };
    elements.visit_block_mut(body);
    elements.found
}

struct Elements<'a> {
    lists: &'a Lists,
    facts: &'a Facts,
    names: &'a mut Names,
    found: bool,
}

/// An element that may be there.
struct Element {
    /// Evaluates its index.
    before: Stmt,
    there: Expr,
    /// Binds it, if it is there.
    bound: Stmt,
}

impl Elements<'_> {
    /// What `Some(…)` is to match, of an active list.
    fn element(&mut self, pat: &Pat, e: &Expr) -> Option<Element> {
        let Expr::MethodCall(m) = unparen(e) else {
            return None;
        };
        let mutable = match m.method.to_string().as_str() {
            "get" => false,
            "get_mut" => true,
            _ => return None,
        };
        let list = self.facts.ty(&m.receiver);
        let at = m.args.first().filter(|_| m.args.len() == 1)?;
        // A type of one's own may have a `get` that does something else.
        let followed = self.lists.certainly_contain(self.facts, &m.receiver)
            && !list.element().is_scalar()
            && matches!(self.facts.ty(at), Ty::Int)
            && is_place(&m.receiver)
            && self.facts.mentions_active(&m.receiver);
        let inside = match pat {
            Pat::TupleStruct(p) if p.elems.len() == 1 && p.path.is_ident("Some") => &p.elems[0],
            _ => return None,
        };
        if !followed || !names::always_matches(inside) {
            return None;
        }
        let k = self.names.fresh("at", m.method.span());
        let (list, position) = (&m.receiver, make::path(&k));
        let element = make::index((**list).clone(), position.clone());
        self.found = true;
        Some(Element {
            before: make::variable(&k, at.clone()),
            there: parse_quote!(#position < #list.len()),
            bound: make::local(inside.clone(), make::reference(element, mutable)),
        })
    }

    /// What a condition `let Some(p) = list.get(i)` asks for.
    fn asked(&mut self, cond: &Expr) -> Option<Element> {
        match unparen(cond) {
            Expr::Let(cond) => self.element(&cond.pat, &cond.expr),
            _ => None,
        }
    }

    /// `if let Some(p) = list.get(i) { … } else { … }`
    fn condition(&mut self, e: &syn::ExprIf) -> Option<Expr> {
        let Element {
            before,
            there,
            bound,
        } = self.asked(&e.cond)?;
        let mut e = e.clone();
        *e.cond = there;
        e.then_branch.stmts.insert(0, bound);
        Some(make::block(vec![before], Some(Expr::If(e))))
    }

    /// `match list.get(i) { Some(p) => …, None => … }`
    fn arms(&mut self, e: &syn::ExprMatch) -> Option<Expr> {
        let arms: Vec<_> = e.arms.iter().collect();
        let is_none = |pat: &Pat| match pat {
            Pat::Wild(_) => true,
            Pat::Ident(p) => p.ident == "None",
            Pat::Path(p) => p.path.segments.last().is_some_and(|s| s.ident == "None"),
            _ => false,
        };
        let (some, none) = match arms.as_slice() {
            [none, some] if is_none(&none.pat) && !matches!(none.pat, Pat::Wild(_)) => (some, none),
            [some, none] if is_none(&none.pat) => (some, none),
            _ => return None,
        };
        let Element {
            before,
            there,
            bound,
        } = self.element(&some.pat, &e.expr)?;
        let (then, other) = (&some.body, &none.body);
        let chosen = parse_quote!(if #there { #bound #then } else { #other });
        Some(make::block(vec![before], Some(chosen)))
    }

    /// `while let Some(p) = list.get(i) { … }`
    fn rounds(&mut self, e: &syn::ExprWhile) -> Option<Expr> {
        let Element {
            before,
            there,
            bound,
        } = self.asked(&e.cond)?;
        let (label, body) = (&e.label, &e.body.stmts);
        Some(parse_quote!(#label loop {
            #before
            if !(#there) { break; }
            #bound
            #(#body)*
        }))
    }
}

impl VisitMut for Elements<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        visit_mut::visit_block_mut(self, block);
        for stmt in std::mem::take(&mut block.stmts) {
            let otherwise = match &stmt {
                Stmt::Local(local) => local.init.as_ref().and_then(|init| {
                    let (_, diverge) = init.diverge.as_ref()?;
                    let element = self.element(&local.pat, &init.expr)?;
                    Some((element, (**diverge).clone()))
                }),
                _ => None,
            };
            let Some((element, diverge)) = otherwise else {
                block.stmts.push(stmt);
                continue;
            };
            let leave = vec![make::semi(diverge)];
            block.stmts.extend([
                element.before,
                make::condition(make::not(make::paren(element.there)), leave, None),
                element.bound,
            ]);
        }
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let new = match e {
            Expr::If(e) => self.condition(e),
            Expr::Match(e) => self.arms(e),
            Expr::While(e) => self.rounds(e),
            _ => None,
        };
        if let Some(new) = new {
            *e = new;
        }
    }
}
