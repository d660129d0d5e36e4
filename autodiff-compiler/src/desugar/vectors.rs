//! Methods of vectors that are loops, or several simpler changes: `retain`, `drain`, `dedup`, `resize_with`, `concat`; vectors made of other lists.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Stmt, parse_quote, parse_quote_spanned};

use super::apply::{called, unparen};
use super::chains::is_place;
use super::lists::Lists;
use super::make;
use crate::facts::{self, Facts};
use crate::ir::Ty;
use crate::names::Names;
use crate::types;

/// Writes out such methods of active vectors.
pub(super) fn vectors(body: &mut syn::Block, lists: &Lists, facts: &Facts, names: &mut Names) {
    let mut vectors = Vectors {
        lists,
        facts,
        names,
    };
    vectors.visit_block_mut(body);
}

struct Vectors<'a> {
    lists: &'a Lists,
    facts: &'a Facts,
    names: &'a mut Names,
}

impl Vectors<'_> {
    /// An active vector, as it can be assigned.
    fn vector(&self, e: &Expr) -> Option<(Expr, bool)> {
        let elem = match self.facts.ty(e) {
            Ty::Vec(elem) => *elem,
            // What is kept of something that is no vector has another type.
            Ty::User | Ty::Unknown if self.lists.may_contain(e) => Ty::Unknown,
            _ => return None,
        };
        if !is_place(e) || !self.facts.mentions_active(e) {
            return None;
        }
        let variable = matches!(unparen(e), Expr::Path(_));
        let lent = facts::root(e)
            .and_then(|name| self.facts.get(&name))
            .is_some_and(|v| v.exclusive);
        let place = if variable && lent {
            parse_quote!((*#e))
        } else {
            e.clone()
        };
        Some((place, elem.is_scalar()))
    }

    /// The loop that keeps elements: `keeps` says which of them, by the vector, a position, and what has been kept.
    fn kept(
        &mut self,
        (vector, scalar): (Expr, bool),
        span: Span,
        keeps: impl FnOnce(&mut Self, &Expr, &Expr, &Expr) -> Option<Expr>,
    ) -> Option<Expr> {
        let [kept, k] = ["kept", "k"].map(|name| self.names.fresh(name, span));
        let cond = keeps(self, &vector, &parse_quote!(#k), &parse_quote!(#kept))?;
        let item: Expr = if scalar {
            parse_quote!(#vector[#k])
        } else {
            parse_quote!(#vector[#k].clone())
        };
        Some(parse_quote_spanned! {span=> {
            let mut #kept = #vector[..0].to_vec();
            for #k in 0..#vector.len() {
                if #cond { #kept.push(#item); }
            }
            #vector = #kept;
        }})
    }

    fn written(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let span = m.method.span();
        let args: Vec<&Expr> = m.args.iter().collect();
        match (m.method.to_string().as_str(), args.as_slice()) {
            ("retain", [f]) => self.kept(self.vector(&m.receiver)?, span, |cx, v, k, _| {
                called(f, vec![parse_quote!(&#v[#k])], cx.names)
            }),
            ("dedup", []) => self.kept(self.vector(&m.receiver)?, span, |_, v, k, kept| {
                Some(parse_quote!((#kept.is_empty() || !(#v[#k] == #kept[#kept.len() - 1]))))
            }),
            ("dedup_by", [f]) => self.kept(self.vector(&m.receiver)?, span, |cx, v, k, kept| {
                let args = vec![parse_quote!(&#v[#k]), parse_quote!(&#kept[#kept.len() - 1])];
                let same = called(f, args, cx.names)?;
                Some(parse_quote!((#kept.is_empty() || !#same)))
            }),
            ("resize_with", [n, f @ Expr::Closure(_)]) => {
                let (vector, _) = self.vector(&m.receiver)?;
                let made = called(f, Vec::new(), self.names)?;
                let to = self.names.fresh("to", span);
                Some(parse_quote_spanned! {span=> {
                    let #to = #n;
                    if #to < #vector.len() {
                        #vector.truncate(#to);
                    } else {
                        for _ in #vector.len()..#to { #vector.push(#made); }
                    }
                }})
            }
            ("drain", _) => {
                let drained = self.taken_out(m)?;
                Some(parse_quote_spanned!(span=> #drained.into_iter()))
            }
            ("concat", []) => {
                let list = &m.receiver;
                let parts = matches!(
                    self.facts.ty(list).element(),
                    Ty::Vec(_) | Ty::Slice(_) | Ty::Array(..)
                );
                if !parts || !self.facts.mentions_active(list) {
                    return None;
                }
                let [all, parts, part] =
                    ["all", "parts", "part"].map(|name| self.names.fresh(name, span));
                let empty: Stmt =
                    parse_quote_spanned!(span=> let mut #all = ::std::vec::Vec::new(););
                let Expr::Array(array) = unparen(list) else {
                    return Some(parse_quote_spanned! {span=> {
                        let #parts = &#list;
                        #empty
                        for #part in #parts.iter() { #all.extend_from_slice(&#part[..]); }
                        #all
                    }});
                };
                let mut stmts = vec![empty];
                for e in &array.elems {
                    let part: Expr = match unparen(e) {
                        e @ Expr::Reference(r) if matches!(&*r.expr, Expr::Index(_)) => e.clone(),
                        Expr::Reference(r) if is_place(&r.expr) => {
                            let list = &r.expr;
                            parse_quote!(&#list[..])
                        }
                        e if is_place(e) => parse_quote!(&#e[..]),
                        e => {
                            let part = self.names.fresh("part", span);
                            stmts.push(make::variable(&part, e.clone()));
                            parse_quote!(&#part[..])
                        }
                    };
                    stmts.push(parse_quote_spanned!(span=> #all.extend_from_slice(#part);));
                }
                Some(make::block(stmts, Some(make::path(&all))))
            }
            ("remainder", []) => {
                let Expr::MethodCall(chunks) = unparen(&m.receiver) else {
                    return None;
                };
                let list = &chunks.receiver;
                let size = chunks
                    .args
                    .first()
                    .filter(|_| chunks.method == "chunks_exact")?;
                if !is_place(list) || !self.facts.mentions_active(list) {
                    return None;
                }
                let name = self.names.fresh("size", span);
                Some(parse_quote_spanned! {span=> {
                    let #name = #size;
                    &#list[#list.len() / #name * #name..]
                }})
            }
            _ => None,
        }
    }

    /// A vector of the elements of an active list.
    fn vector_from(&mut self, list: &Expr, span: Span) -> Option<Expr> {
        if !self.facts.mentions_active(list) {
            return None;
        }
        if is_place(list) {
            return Some(parse_quote_spanned!(span=> (#list).to_vec()));
        }
        let name = self.names.fresh("list", span);
        Some(parse_quote_spanned!(span=> { let #name = #list; #name.to_vec() }))
    }

    /// What `drain` takes out of a vector.
    fn taken_out(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let (vector, _) = self.vector(&m.receiver)?;
        match m.args.first().map(unparen) {
            Some(Expr::Range(r)) if m.method == "drain" => {
                Some(self.drained(&vector, r, m.method.span()))
            }
            _ => None,
        }
    }

    /// What a range of a vector has, taken out of it.
    fn drained(&mut self, vector: &Expr, range: &syn::ExprRange, span: Span) -> Expr {
        let [from, to, tail, part] =
            ["from", "to", "tail", "part"].map(|name| self.names.fresh(name, span));
        let start = range.start.as_deref().cloned();
        let start = start.unwrap_or_else(|| parse_quote!(0));
        let end = match (range.end.as_deref(), range.limits) {
            (Some(end), syn::RangeLimits::Closed(_)) => parse_quote!((#end) + 1),
            (Some(end), syn::RangeLimits::HalfOpen(_)) => end.clone(),
            (None, _) => parse_quote!(#vector.len()),
        };
        parse_quote_spanned! {span=> {
            let #from = #start;
            let #to = #end;
            let mut #tail = #vector.split_off(#to);
            let #part = #vector.split_off(#from);
            #vector.append(&mut #tail);
            #part
        }}
    }
}

impl VisitMut for Vectors<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_stmt_mut(&mut self, stmt: &mut syn::Stmt) {
        // What is only to be gone is no iterator.
        if let syn::Stmt::Expr(e, Some(_)) = stmt {
            if let Expr::MethodCall(m) = &*e {
                if let Some(taken) = self.taken_out(m) {
                    *e = parse_quote!({ let _ = #taken; });
                }
            }
        }
        visit_mut::visit_stmt_mut(self, stmt);
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        visit_mut::visit_local_mut(self, local);
        // `let v: Vec<f64> = a.into();`
        let (syn::Pat::Type(typed), Some(init)) = (&local.pat, &mut local.init) else {
            return;
        };
        let Expr::MethodCall(m) = unparen(&init.expr) else {
            return;
        };
        let list = matches!(self.facts.ty(&m.receiver), Ty::Array(..) | Ty::Slice(_));
        let into = m.method == "into" && m.args.is_empty() && list;
        if into && matches!(types::read(&typed.ty), Ty::Vec(_)) {
            if let Some(made) = self.vector_from(&m.receiver, m.method.span()) {
                *init.expr = made;
            }
        }
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let written = match &*e {
            Expr::MethodCall(m) => self.written(m),
            Expr::Call(c) if is_vec_from(&c.func) => match c.args.first() {
                Some(list) if c.args.len() == 1 => self.vector_from(list, c.func.span()),
                _ => None,
            },
            _ => None,
        };
        if let Some(written) = written {
            *e = written;
        }
    }
}

/// `Vec::from`, `Vec::<f64>::from` or `<Vec<f64>>::from`
fn is_vec_from(func: &Expr) -> bool {
    let Expr::Path(p) = unparen(func) else {
        return false;
    };
    let mut names = p.path.segments.iter().rev().map(|s| &s.ident);
    let from = names.next().is_some_and(|name| name == "from");
    from && match (names.next(), &p.qself) {
        (Some(of), None) => of == "Vec",
        (None, Some(of)) => matches!(types::read(&of.ty), Ty::Vec(_)),
        _ => false,
    }
}
