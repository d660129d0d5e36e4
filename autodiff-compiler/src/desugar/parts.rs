//! One item of `chunks`, `chunks_exact` or `windows` is a part of the list: `q.chunks(2).last()` is `q.get(from..to)`.

use quote::format_ident;
use syn::{Expr, parse_quote_spanned};

use super::apply::unparen;
use super::chains::is_place;
use crate::facts::Facts;
use crate::iterators::{self, Follow, Parts};
use crate::visit_mut::{self, VisitMut};

/// Rewrites single items of what walks through parts of active lists; `true` if there was one.
pub(super) fn parts(body: &mut syn::Block, facts: &Facts) -> bool {
    let mut parts = Single {
        facts,
        found: false,
    };
    parts.visit_block_mut(body);
    parts.found
}

struct Single<'a> {
    facts: &'a Facts,
    found: bool,
}

/// Which item it is.
struct Which {
    k: Expr,
    /// Counted from the end.
    back: bool,
}

/// Whether code may stand in two places: it has no effect.
fn is_simple(e: &Expr) -> bool {
    match unparen(e) {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Binary(b) => {
            !crate::syntax::is_compound(&b.op) && is_simple(&b.left) && is_simple(&b.right)
        }
        Expr::MethodCall(m) => m.method == "len" && is_place(&m.receiver),
        Expr::Field(_) | Expr::Index(_) => is_place(e),
        Expr::Cast(c) => is_simple(&c.expr),
        _ => false,
    }
}

/// The iterator, and which of its items is taken.
fn taken(m: &syn::ExprMethodCall) -> Option<(&Expr, Which)> {
    let span = m.method.span();
    let first = || -> Expr { parse_quote_spanned!(span=> 0) };
    let args: Vec<&Expr> = m.args.iter().collect();
    let (mut k, mut back) = match (m.method.to_string().as_str(), args.as_slice()) {
        ("next", []) => (first(), false),
        ("last" | "next_back", []) => (first(), true),
        ("nth", [k]) => ((*k).clone(), false),
        ("nth_back", [k]) => ((*k).clone(), true),
        _ => return None,
    };
    let mut items = &*m.receiver;
    while let Expr::MethodCall(adaptor) = unparen(items) {
        match (adaptor.method.to_string().as_str(), adaptor.args.first()) {
            ("rev", None) => back = !back,
            ("skip", Some(n)) if !back => k = parse_quote_spanned!(span=> (#n + #k)),
            _ => break,
        }
        items = &adaptor.receiver;
    }
    is_simple(&k).then_some((items, Which { k, back }))
}

impl Single<'_> {
    fn part(&self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let (items, Which { k, back }) = taken(m)?;
        let Expr::MethodCall(items) = unparen(items) else {
            return None;
        };
        let (list, name) = (&items.receiver, items.method.to_string());
        let size = items.args.first().filter(|size| is_simple(size))?;
        if items.args.len() > 1 || !is_place(list) || !self.facts.active(list) {
            return None;
        }
        let span = m.method.span();
        let len: Expr = parse_quote_spanned!(span=> #list.len());
        let Parts { follow, .. } = iterators::parts(&name)?;
        let (count, step): (Expr, Expr) = match follow {
            Follow::Apart { exact: false, .. } => (
                parse_quote_spanned!(span=> #len.div_ceil(#size)),
                size.clone(),
            ),
            Follow::Apart { exact: true, .. } => {
                (parse_quote_spanned!(span=> (#len / (#size))), size.clone())
            }
            // One of no length is no window: it divides by zero.
            Follow::Overlapping => (
                parse_quote_spanned!(span=> (#len + (#size) / (#size)).saturating_sub(#size)),
                parse_quote_spanned!(span=> 1),
            ),
        };
        let at: Expr = if back {
            parse_quote_spanned!(span=> (#count - 1 - (#k)) * (#step))
        } else {
            parse_quote_spanned!(span=> (#k) * (#step))
        };
        let get = format_ident!(
            "get{}",
            if name.ends_with("_mut") { "_mut" } else { "" },
            span = span
        );
        // Behind the list there is none.
        let (from, to): (Expr, Expr) = match follow {
            Follow::Apart {
                backwards: true, ..
            } => (
                parse_quote_spanned!(span=> (#len - (#at)).saturating_sub(#size)),
                parse_quote_spanned!(span=> #len - (#at)),
            ),
            _ => (
                at.clone(),
                parse_quote_spanned!(span=> (#at) + (#len - (#at)).min(#size)),
            ),
        };
        let [from, to]: [Expr; 2] = [from, to]
            .map(|end| parse_quote_spanned!(span=> if #k < #count { #end } else { #len + 1 }));
        Some(parse_quote_spanned!(span=> #list.#get((#from)..(#to))))
    }
}

impl VisitMut for Single<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let Expr::MethodCall(m) = e else { return };
        if let Some(part) = self.part(m) {
            *e = part;
            self.found = true;
        }
    }
}
