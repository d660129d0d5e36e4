//! Lists that are put into another order as a whole: `sort_by`, `reverse`, `rotate_left` and their like, as loops over where each element comes from; `copy_within`.
//!
//! A sort is one of positions, which carries no derivative, and behind it a permutation.

use syn::{Expr, Stmt, parse_quote};

use super::apply::{called, unparen};
use super::lists::Lists;
use super::{listed, make};
use crate::facts::Facts;
use crate::ir::Ty;
use crate::names::Names;
use crate::visit_mut::{self, VisitMut};

/// Rewrites statements that put active lists into another order.
pub(super) fn orders(body: &mut syn::Block, lists: &Lists, facts: &Facts, names: &mut Names) {
    let mut orders = Orders {
        lists,
        facts,
        names,
    };
    orders.visit_block_mut(body);
}

struct Orders<'a> {
    lists: &'a Lists,
    facts: &'a Facts,
    names: &'a mut Names,
}

impl VisitMut for Orders<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        visit_mut::visit_block_mut(self, block);
        for stmt in &mut block.stmts {
            if let Stmt::Expr(Expr::MethodCall(m), _) = stmt {
                if let Some(instead) = self.reordered(m) {
                    *stmt = make::semi(make::block(instead, None));
                }
            }
        }
    }
}

impl Orders<'_> {
    /// What is done by a method that changes nothing but an order.
    fn reordered(&mut self, m: &syn::ExprMethodCall) -> Option<Vec<Stmt>> {
        let list = unparen(&m.receiver);
        let (known, copied) = match self.facts.ty(list) {
            Ty::Array(elem, _) | Ty::Slice(elem) | Ty::Vec(elem) => (true, elem.is_plain()),
            Ty::User | Ty::Unknown => (false, false),
            _ => return None,
        };
        let ordered = known || self.lists.may_contain(list);
        let moved = known || self.lists.are_like(list);
        if !super::chains::is_place(list) || !self.facts.active(list) {
            return None;
        }
        // What it changes would be changed in code that is copied as it stands.
        let changes = |arg: &Expr| matches!(unparen(arg), Expr::Closure(c) if super::closures::changes_captured(c, self.facts));
        if m.args.iter().any(changes) {
            return None;
        }
        if ordered && m.method == "copy_within" {
            return self.copied_within(m, list, known);
        }
        let span = m.method.span();
        let mut fresh = |name: &str| self.names.fresh(name, span);
        let (old, len, k) = (fresh("before"), fresh("len"), fresh("k"));
        let check = (!known).then(|| listed::check(list, span));
        let mut out: Vec<Stmt> = check.into_iter().collect();
        out.extend::<[Stmt; 2]>([
            parse_quote!(let #old = #list.to_vec();),
            parse_quote!(let #len = #old.len();),
        ]);
        let from: Expr = match (m.method.to_string().as_str(), m.args.first()) {
            ("reverse", None) if moved => parse_quote!(#len - 1 - #k),
            ("rotate_left", Some(by)) if moved => {
                let (by, rest) = (by.clone(), fresh("by"));
                out.push(parse_quote!(let #rest = #by;));
                out.push(parse_quote!(assert!(#rest <= #len);));
                parse_quote!((#k + #rest) % #len)
            }
            ("rotate_right", Some(by)) if moved => {
                let (by, rest) = (by.clone(), fresh("by"));
                out.push(parse_quote!(let #rest = #by;));
                out.push(parse_quote!(assert!(#rest <= #len);));
                parse_quote!((#k + #len - #rest) % #len)
            }
            ("sort_by" | "sort_unstable_by", Some(compare)) if ordered => {
                let (order, i, j) = (fresh("order"), fresh("i"), fresh("j"));
                let pair = [&i, &j].map(|at| {
                    make::reference(make::index(make::path(&old), make::path(at)), false)
                });
                let compared = called(compare, pair.to_vec(), self.names)?;
                out.push(parse_quote!(let mut #order: Vec<usize> = (0..#len).collect();));
                out.push(parse_quote!(#order.sort_by(|&#i, &#j| #compared);));
                parse_quote!(#order[#k])
            }
            ("sort_by_key" | "sort_unstable_by_key" | "sort_by_cached_key", Some(key))
                if ordered =>
            {
                let (order, i) = (fresh("order"), fresh("i"));
                let element = make::reference(make::index(make::path(&old), make::path(&i)), false);
                let key = called(key, vec![element], self.names)?;
                out.push(parse_quote!(let mut #order: Vec<usize> = (0..#len).collect();));
                out.push(parse_quote!(#order.sort_by_key(|&#i| #key);));
                parse_quote!(#order[#k])
            }
            _ => return None,
        };
        let element = make::index(make::path(&old), from);
        let element = if copied {
            element
        } else {
            let clone = syn::Ident::new("clone", span);
            make::method(element, clone, Vec::new())
        };
        let to = make::index(list.clone(), make::path(&k));
        out.push(parse_quote!(for #k in 0..#len { #to = #element; }));
        Some(out)
    }

    /// `v.copy_within(a..b, to)`: the part is copied out, and put where it goes.
    fn copied_within(
        &mut self,
        m: &syn::ExprMethodCall,
        list: &Expr,
        known: bool,
    ) -> Option<Vec<Stmt>> {
        let (Some(part), Some(to), 2) = (m.args.first(), m.args.last(), m.args.len()) else {
            return None;
        };
        let span = m.method.span();
        let (old, start) = (
            self.names.fresh("before", span),
            self.names.fresh("to", span),
        );
        let check = (!known).then(|| listed::check(list, span));
        let mut out: Vec<Stmt> = check.into_iter().collect();
        out.extend::<[Stmt; 3]>([
            parse_quote!(let #old = #list[#part].to_vec();),
            parse_quote!(let #start: usize = #to;),
            parse_quote!(#list[#start..#start + #old.len()].copy_from_slice(&#old);),
        ]);
        Some(out)
    }
}
