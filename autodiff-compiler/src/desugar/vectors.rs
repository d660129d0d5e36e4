//! Methods of vectors that are loops, or several simpler changes: `retain`, `drain`, `dedup`, `resize_with`, `concat`; vectors made of other lists.

use proc_macro2::{Ident, Span};
use quote::quote;
use syn::spanned::Spanned;
use syn::{Expr, Stmt, parse_quote, parse_quote_spanned};

use super::apply::{called, unparen};
use super::chains::is_place;
use super::lists::Lists;
use super::make;
use crate::facts::{self, Facts};
use crate::ir::{Ty, Width};
use crate::iterators::{self, Follow};
use crate::names::Names;
use crate::types;
use crate::visit_mut::{self, VisitMut};

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

    /// The elements of a list of `n` as an array.
    fn array_of(
        &mut self,
        list: &Ident,
        n: &syn::GenericArgument,
        elem: &Ty,
        span: Span,
    ) -> Option<Expr> {
        if let syn::GenericArgument::Const(Expr::Lit(lit)) = n {
            let syn::Lit::Int(lit) = &lit.lit else {
                return None;
            };
            let places = 0..lit.base10_parse::<usize>().ok().filter(|n| *n <= 32)?;
            return Some(parse_quote_spanned!(span=> [#(#list[#places].clone()),*]));
        }
        let elem = match elem {
            Ty::Float(Width::F64) => quote!(f64),
            Ty::Float(Width::F32) => quote!(f32),
            _ => return None,
        };
        let k = self.names.fresh("k", span);
        Some(parse_quote_spanned! {span=>
            ::core::array::from_fn::<::core::primitive::#elem, #n, _>(|#k| #list[#k])
        })
    }

    fn written(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let span = m.method.span();
        let args: Vec<&Expr> = m.args.iter().collect();
        match (m.method.to_string().as_str(), args.as_slice()) {
            ("retain", [f]) => self.kept(self.vector(&m.receiver)?, span, |cx, v, k, _| {
                called(f, vec![parse_quote!(&#v[#k])], cx.names)
            }),
            ("retain_mut", [f]) => self.kept(self.vector(&m.receiver)?, span, |cx, v, k, _| {
                called(f, vec![parse_quote!(&mut #v[#k])], cx.names)
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
            ("each_ref" | "each_mut", []) => {
                let array = &m.receiver;
                if !matches!(self.facts.ty(array), Ty::Array(..))
                    || !is_place(array)
                    || !self.facts.mentions_active(array)
                {
                    return None;
                }
                // References look like what they refer to.
                Some(if m.method == "each_mut" {
                    parse_quote_spanned!(span=> (&mut #array))
                } else {
                    parse_quote_spanned!(span=> (&#array))
                })
            }
            ("as_chunks", []) => {
                let list = &m.receiver;
                let turbofish = m.turbofish.as_ref()?;
                let (n, 1) = (turbofish.args.first()?, turbofish.args.len()) else {
                    return None;
                };
                if !is_place(list) || !self.facts.mentions_active(list) {
                    return None;
                }
                let part = self.names.fresh("part", span);
                let array = self.array_of(&part, n, &self.facts.ty(list).element(), span)?;
                // No slice is lent as arrays, so these are copies.
                Some(parse_quote_spanned! {span=> (
                    &#list.chunks_exact(#n)
                        .map(|#part| #array)
                        .collect::<::std::vec::Vec<_>>()[..],
                    &#list[#list.len() / #n * #n..],
                )})
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
                let size = chunks.args.first()?;
                let parts = iterators::parts(&chunks.method.to_string())?;
                let Follow::Apart {
                    exact: true,
                    backwards,
                } = parts.follow
                else {
                    return None;
                };
                if !is_place(list) || !self.facts.mentions_active(list) {
                    return None;
                }
                let name = self.names.fresh("size", span);
                let left: Expr = if backwards {
                    parse_quote_spanned!(span=> &#list[..#list.len() % #name])
                } else {
                    parse_quote_spanned!(span=> &#list[#list.len() / #name * #name..])
                };
                Some(parse_quote_spanned! {span=> {
                    let #name = #size;
                    #left
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

    /// Has the iterator of `extract_if` at the start of a chain that takes all of it take its elements at once: what nobody asks it for stays in the vector.
    fn extracted(&mut self, iterator: Option<&mut Expr>) {
        let Some(iterator) = iterator else { return };
        let Expr::MethodCall(m) = &*iterator else {
            return;
        };
        if let Some(taken) = self.extraction(m) {
            *iterator = parse_quote_spanned!(m.method.span()=> #taken.into_iter());
        }
    }

    fn extraction(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let span = m.method.span();
        let (vector, scalar) = self.vector(&m.receiver)?;
        let (Some(Expr::Range(range)), Some(f)) = (m.args.first().map(unparen), m.args.get(1))
        else {
            return None;
        };
        let [part, taken, tail, k] =
            ["part", "taken", "tail", "k"].map(|name| self.names.fresh(name, span));
        let goes = called(f, vec![parse_quote!(&mut #part[#k])], self.names)?;
        let (before, start, end) = self.ends(&vector, range, span);
        let item: Expr = if scalar {
            parse_quote!(#part[#k])
        } else {
            parse_quote!(#part[#k].clone())
        };
        Some(parse_quote_spanned! {span=> {
            #(#before)*
            let mut #tail = #vector.split_off(#end);
            let mut #part = #vector.split_off(#start);
            let mut #taken = #part[..0].to_vec();
            for #k in 0..#part.len() {
                if #goes { #taken.push(#item); } else { #vector.push(#item); }
            }
            #vector.append(&mut #tail);
            #taken
        }})
    }

    /// The ends of a range of a vector, by names, and what gives these.
    fn ends(
        &mut self,
        vector: &Expr,
        range: &syn::ExprRange,
        span: Span,
    ) -> ([Stmt; 2], Expr, Expr) {
        let [from, to] = ["from", "to"].map(|name| self.names.fresh(name, span));
        let start = range.start.as_deref().cloned();
        let start = start.unwrap_or_else(|| parse_quote!(0));
        let end = match (range.end.as_deref(), range.limits) {
            (Some(end), syn::RangeLimits::Closed(_)) => parse_quote!((#end) + 1),
            (Some(end), syn::RangeLimits::HalfOpen(_)) => end.clone(),
            (None, _) => parse_quote!(#vector.len()),
        };
        let before = [make::variable(&from, start), make::variable(&to, end)];
        (before, make::path(&from), make::path(&to))
    }

    /// What a range of a vector has, taken out of it.
    fn drained(&mut self, vector: &Expr, range: &syn::ExprRange, span: Span) -> Expr {
        let [tail, part] = ["tail", "part"].map(|name| self.names.fresh(name, span));
        let (before, start, end) = self.ends(vector, range, span);
        parse_quote_spanned! {span=> {
            #(#before)*
            let mut #tail = #vector.split_off(#end);
            let #part = #vector.split_off(#start);
            #vector.append(&mut #tail);
            #part
        }}
    }
}

/// `.0` or `.1` of what `as_chunks` is written out as.
fn part_of_chunks(f: &syn::ExprField) -> Option<Expr> {
    let (Expr::Tuple(both), syn::Member::Unnamed(k)) = (unparen(&f.base), &f.member) else {
        return None;
    };
    let lent = both.elems.iter().all(|e| matches!(e, Expr::Reference(_)));
    let part = both.elems.get(k.index as usize).filter(|_| lent)?;
    Some(make::paren(part.clone()))
}

/// Methods that ask an iterator for all that it has, whatever its items are.
const EXHAUSTING: &[&str] = &[
    "count",
    "extend",
    "fold",
    "for_each",
    "last",
    "max",
    "max_by",
    "min",
    "min_by",
    "partition",
    "reduce",
];

/// Whether a method asks an iterator for all that it has: what is made of options or results, by whatever name, asks no further than to the first that is none.
fn exhausts(m: &syn::ExprMethodCall, numbers: &dyn Fn(&Expr) -> bool) -> bool {
    if m.method == "collect" || m.method == "product" || m.method == "sum" {
        let made = m.turbofish.as_ref().and_then(|made| made.args.first());
        let certain = match made {
            Some(syn::GenericArgument::Type(ty)) => {
                matches!(types::read(ty), Ty::Float(_) | Ty::Vec(_))
            }
            _ => false,
        };
        return certain || yields_numbers(&m.receiver, numbers);
    }
    EXHAUSTING.iter().any(|name| m.method == name)
}

/// Whether the items of a chain are the elements of a vector of numbers that `extract_if` takes out.
fn yields_numbers(e: &Expr, numbers: &dyn Fn(&Expr) -> bool) -> bool {
    match unparen(e) {
        Expr::MethodCall(m) if m.method == "extract_if" => numbers(&m.receiver),
        Expr::MethodCall(m) if m.method == "filter" || m.method == "inspect" => {
            yields_numbers(&m.receiver, numbers)
        }
        _ => false,
    }
}

/// The `extract_if` at the start of a chain, where an end asks for all of it.
fn exhausted(e: &mut Expr, numbers: impl Fn(&Expr) -> bool) -> Option<&mut Expr> {
    match e {
        Expr::MethodCall(m) if exhausts(m, &numbers) => {
            if m.method == "extend" {
                iterator_taken(m.args.first_mut()?)
            } else {
                iterator_taken(&mut m.receiver)
            }
        }
        _ => None,
    }
}

/// The `extract_if` at the start of a chain that asks it for an item for each of its own.
fn iterator_taken(e: &mut Expr) -> Option<&mut Expr> {
    match e {
        Expr::Paren(e) => iterator_taken(&mut e.expr),
        Expr::MethodCall(m) if m.method == "extract_if" => Some(e),
        Expr::MethodCall(m)
            if ["cloned", "copied", "enumerate", "filter", "inspect", "map"]
                .iter()
                .any(|name| m.method == name) =>
        {
            iterator_taken(&mut m.receiver)
        }
        _ => None,
    }
}

/// Whether a loop may end before what it runs over does.
fn leaves(body: &syn::Block) -> bool {
    struct Leaves(bool);
    impl crate::visit::Visit<'_> for Leaves {
        fn visit_expr_break(&mut self, _: &syn::ExprBreak) {
            self.0 = true;
        }
        fn visit_expr_return(&mut self, _: &syn::ExprReturn) {
            self.0 = true;
        }
        fn visit_expr_try(&mut self, _: &syn::ExprTry) {
            self.0 = true;
        }
        fn visit_expr_continue(&mut self, e: &syn::ExprContinue) {
            self.0 |= e.label.is_some();
        }
        fn visit_macro(&mut self, _: &syn::Macro) {}
    }
    let mut leaves = Leaves(false);
    crate::visit::Enter::visit_block(&mut leaves, body);
    leaves.0
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

    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        if !leaves(&e.body) {
            self.extracted(iterator_taken(&mut e.expr));
        }
        visit_mut::visit_expr_for_loop_mut(self, e);
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let taken = exhausted(e, |list| {
            self.vector(list).is_some_and(|(_, scalar)| scalar)
        });
        self.extracted(taken);
        visit_mut::visit_expr_mut(self, e);
        let written = match &*e {
            Expr::Field(f) => part_of_chunks(f),
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
