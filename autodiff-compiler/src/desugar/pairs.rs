//! References that are chosen together: `let (a, b) = if c { (&x, &y) } else { (&y, &x) };` chooses each by the same truth value.

use syn::{Expr, Pat, Stmt, parse_quote_spanned};

use super::apply::unparen;
use super::chains::is_place;
use super::make;
use crate::names::Names;
use crate::visit_mut::{self, VisitMut};

/// Lets each reference be chosen by itself.
pub(super) fn pairs(body: &mut syn::Block, names: &mut Names) {
    Pairs { names }.visit_block_mut(body);
}

struct Pairs<'a> {
    names: &'a mut Names,
}

/// The references, or variables that may be some, that a block yields in a tuple and does nothing else.
fn yielded(block: &syn::Block) -> Option<Vec<Expr>> {
    let [Stmt::Expr(e, None)] = block.stmts.as_slice() else {
        return None;
    };
    let Expr::Tuple(t) = unparen(e) else {
        return None;
    };
    let parts: Vec<Expr> = t.elems.iter().cloned().collect();
    let refers = |e: &Expr| matches!(unparen(e), Expr::Reference(r) if is_place(&r.expr));
    let followed = parts
        .iter()
        .all(|e| refers(e) || matches!(unparen(e), Expr::Path(_)));
    (followed && parts.iter().any(refers)).then_some(parts)
}

impl Pairs<'_> {
    fn chosen(&mut self, local: &syn::Local) -> Option<Vec<Stmt>> {
        let (pat, ty) = match &local.pat {
            Pat::Type(p) => (&*p.pat, Some(&*p.ty)),
            pat => (pat, None),
        };
        let Pat::Tuple(pats) = pat else { return None };
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let Expr::If(e) = unparen(&init.expr) else {
            return None;
        };
        let (_, other) = e.else_branch.as_ref()?;
        let Expr::Block(other) = &**other else {
            return None;
        };
        let (then, other) = (yielded(&e.then_branch)?, yielded(&other.block)?);
        let named = pats.elems.iter().all(|p| matches!(p, Pat::Ident(_)));
        let fits = then.len() == other.len() && then.len() == pats.elems.len();
        if !named || !fits || matches!(&*e.cond, Expr::Let(_)) {
            return None;
        }
        let types: Vec<Option<syn::Type>> = match ty {
            None => vec![None; then.len()],
            Some(syn::Type::Tuple(t)) if t.elems.len() == then.len() => {
                t.elems.iter().cloned().map(Some).collect()
            }
            Some(_) => return None,
        };
        let span = e.if_token.span;
        let first = self.names.fresh("first", span);
        let mut stmts = vec![make::variable(&first, (*e.cond).clone())];
        let parts = pats.elems.iter().zip(types).zip(then.iter().zip(&other));
        for ((pat, ty), (then, other)) in parts {
            let pat = match ty {
                Some(ty) => make::typed(pat.clone(), &ty),
                None => pat.clone(),
            };
            let chosen = parse_quote_spanned!(span=> if #first { #then } else { #other });
            stmts.push(make::local(pat, chosen));
        }
        Some(stmts)
    }
}

impl VisitMut for Pairs<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        visit_mut::visit_block_mut(self, block);
        for stmt in std::mem::take(&mut block.stmts) {
            let chosen = match &stmt {
                Stmt::Local(local) => self.chosen(local),
                _ => None,
            };
            match chosen {
                Some(stmts) => block.stmts.extend(stmts),
                None => block.stmts.push(stmt),
            }
        }
    }
}
