//! Iterators that are walked through piece by piece, by `next` and then by a loop: each is a position in what it walks through.
//!
//! `let mut it = xs.iter();` becomes `let n = xs.len(); let mut at = 0;`, and `it.next()` the element there, in an `Option`.

use proc_macro2::Ident;
use syn::{Expr, Stmt, parse_quote, parse_quote_spanned};

use super::super::apply::{apply, unparen, variable};
use super::super::make;
use super::named::{Uses, some, walked};
use super::{Chains, source};
use crate::facts;
use crate::ir::Ty;
use crate::iterators::ADAPTORS;
use crate::names::Names;
use crate::visit_mut::{self, VisitMut};

/// Methods that consume an iterator, and read all that is left of it.
const ENDS: &[&str] = &[
    "sum",
    "product",
    "fold",
    "reduce",
    "collect",
    "count",
    "last",
    "for_each",
    "max_by",
    "min_by",
    "max",
    "min",
    "partition",
    "unzip",
];

/// Methods that stop where they have found something, which is seen by those who go on from there.
const SEARCHES: &[&str] = &["any", "all", "find", "find_map", "position"];

/// The items of a chain, each by its position.
enum Items {
    /// `&xs[k]`, or `xs[k]` itself.
    Elements {
        of: Expr,
        lent: bool,
    },
    /// `&xs[k..][..n]`: the first argument of an index, and what follows it.
    Parts {
        of: Expr,
        size: Box<Expr>,
        apart: bool,
    },
    Copied(Box<Items>),
    Numbered(Box<Items>),
    /// From there on.
    From(Box<Items>, Expr),
    Reversed(Box<Items>, Expr),
    Every(Box<Items>, Expr),
    Both(Box<Items>, Box<Items>),
    Mapped(Box<Items>, Box<syn::ExprClosure>),
}

impl Items {
    /// The item at a position.
    fn at(&self, k: &Expr, names: &mut Names) -> Expr {
        match self {
            Items::Elements { of, lent } => {
                let element = make::index(of.clone(), k.clone());
                if *lent {
                    make::reference(element, false)
                } else {
                    element
                }
            }
            Items::Parts {
                of,
                size,
                apart: false,
            } => parse_quote!((&#of[#k..#k + #size])),
            Items::Parts {
                of,
                size,
                apart: true,
            } => parse_quote!((&#of[(#k) * #size..((#k) * #size + #size).min(#of.len())])),
            Items::Copied(items) => match items.at(k, names) {
                Expr::Reference(r) => *r.expr,
                other => make::deref(other),
            },
            Items::Numbered(items) => make::tuple([k.clone(), items.at(k, names)]),
            Items::From(items, first) => items.at(&parse_quote!((#k + #first)), names),
            Items::Reversed(items, len) => items.at(&parse_quote!((#len - 1 - (#k))), names),
            Items::Every(items, step) => items.at(&parse_quote!(((#k) * #step)), names),
            Items::Both(a, b) => make::tuple([a.at(k, names), b.at(k, names)]),
            Items::Mapped(items, closure) => {
                let mut closure = (**closure).clone();
                names.refresh(&mut closure);
                let item = items.at(k, names);
                let (stmts, value) = apply(closure, vec![item], names);
                make::block(stmts, Some(value))
            }
        }
    }

    /// Whether an item can be looked at twice.
    fn is_there(&self) -> bool {
        match self {
            Items::Elements { .. } | Items::Parts { .. } => true,
            Items::Copied(items)
            | Items::Numbered(items)
            | Items::From(items, _)
            | Items::Reversed(items, _)
            | Items::Every(items, _) => items.is_there(),
            Items::Both(a, b) => a.is_there() && b.is_there(),
            Items::Mapped(..) => false,
        }
    }
}

/// The statements around an iterator: those that evaluate what it is made of, and those that use it.
struct Around<'a> {
    before: &'a [Stmt],
    rest: &'a [Stmt],
}

impl Around<'_> {
    /// What a variable is made of.
    fn init(&self, name: &str) -> Option<&Expr> {
        self.before.iter().find_map(|stmt| match stmt {
            Stmt::Local(syn::Local {
                pat: syn::Pat::Ident(p),
                init: Some(init),
                ..
            }) if p.ident == name => Some(&*init.expr),
            _ => None,
        })
    }
}

impl Chains<'_> {
    /// Walks through a chain that has a name by its position; `false` if something is done with it that this does not follow.
    pub(super) fn by_position(
        &mut self,
        (name, count): (&str, usize),
        chain: &Expr,
        stmts: &mut Vec<Stmt>,
        at: usize,
    ) -> bool {
        let mut before = Vec::new();
        let chain = self.fixed(chain, &mut before);
        let rest = stmts[at + 1..].to_vec();
        let around = Around {
            before: &before,
            rest: &rest,
        };
        let Some((items, len)) = self.items(&chain, &around) else {
            return false;
        };
        let here = proc_macro2::Span::call_site();
        let (position, end) = (self.names.fresh("at", here), self.names.fresh("end", here));
        let mut walk = Walk {
            name: name.to_owned(),
            items: &items,
            at: make::path(&position),
            end: make::path(&end),
            names: self.names,
            left: count,
            depth: 0,
            followed: true,
        };
        let mut rest = make::braces(rest);
        walk.visit_block_mut(&mut rest);
        if !walk.followed {
            return false;
        }
        self.positions.insert(position.to_string());
        before.push(make::variable(&end, len));
        before.push(make::mutable(&position, None, parse_quote!(0_usize)));
        stmts.splice(at.., before.into_iter().chain(rest.stmts));
        true
    }

    /// The items of a chain, and how many there are.
    fn items(&self, e: &Expr, around: &Around<'_>) -> Option<(Items, Expr)> {
        let Expr::MethodCall(m) = unparen(e) else {
            return None;
        };
        let arg = m.args.first();
        let of = |size: &Expr, apart| Items::Parts {
            of: (*m.receiver).clone(),
            size: Box::new(make::paren(size.clone())),
            apart,
        };
        let receiver = &m.receiver;
        let whole = source::is_place(receiver);
        let len = make::method((**receiver).clone(), ident("len"), Vec::new());
        match (m.method.to_string().as_str(), arg) {
            ("iter", None) if whole => Some((Self::elements(receiver, true), len)),
            ("into_iter", None) if whole => Some((
                Self::elements(receiver, self.is_lent(receiver, around)?),
                len,
            )),
            ("windows", Some(n)) if whole => Some((
                of(n, false),
                method(len, "saturating_sub", parse_quote!(#n - 1)),
            )),
            ("chunks", Some(n)) if whole => Some((of(n, true), method(len, "div_ceil", n.clone()))),
            ("chunks_exact", Some(n)) if whole => Some((of(n, true), parse_quote!(#len / #n))),
            ("copied" | "cloned", None) => {
                let (items, len) = self.items(receiver, around)?;
                Some((Items::Copied(Box::new(items)), len))
            }
            ("enumerate", None) => {
                let (items, len) = self.items(receiver, around)?;
                Some((Items::Numbered(Box::new(items)), len))
            }
            ("peekable" | "fuse", None) => self.items(receiver, around),
            ("skip", Some(n)) => {
                let (items, len) = self.items(receiver, around)?;
                let items = Items::From(Box::new(items), make::paren(n.clone()));
                Some((items, method(len, "saturating_sub", n.clone())))
            }
            ("take", Some(n)) => {
                let (items, len) = self.items(receiver, around)?;
                Some((items, method(len, "min", n.clone())))
            }
            ("rev", None) => {
                let (items, len) = self.items(receiver, around)?;
                let behind = make::paren(len.clone());
                Some((Items::Reversed(Box::new(items), behind), len))
            }
            ("step_by", Some(n)) => {
                let (items, len) = self.items(receiver, around)?;
                let items = Items::Every(Box::new(items), make::paren(n.clone()));
                Some((items, method(len, "div_ceil", n.clone())))
            }
            ("zip", Some(other)) => {
                let (a, left) = self.items(receiver, around)?;
                let (b, right) = if crate::iterators::is_chain(other) {
                    self.items(other, around)?
                } else {
                    self.items(
                        &make::method(other.clone(), ident("into_iter"), Vec::new()),
                        around,
                    )?
                };
                let both = Items::Both(Box::new(a), Box::new(b));
                Some((both, method(left, "min", right)))
            }
            // What it changes, it would change for items that are passed over.
            ("map", Some(Expr::Closure(closure)))
                if closure.inputs.len() == 1 && self.is_pure(&m.args[0]) =>
            {
                let (items, len) = self.items(receiver, around)?;
                Some((
                    Items::Mapped(Box::new(items), Box::new(closure.clone())),
                    len,
                ))
            }
            _ => None,
        }
    }

    /// Whether `into_iter` gives references; nothing if that is not known, or if it takes what is used again.
    fn is_lent(&self, e: &Expr, around: &Around<'_>) -> Option<bool> {
        if let Expr::Reference(r) = unparen(e) {
            return r.mutability.is_none().then_some(true);
        }
        let name = variable(e).map(ToString::to_string);
        match (self.facts.ty(e), name) {
            (Ty::Array(..), _) => Some(false),
            (Ty::Slice(_), _) => Some(true),
            (Ty::Vec(elem), Some(name)) => {
                let given = Uses::of(&name, around.rest).count == 0;
                (given && elem.is_scalar()).then_some(false)
            }
            (Ty::Unknown, Some(name)) => self.is_lent(around.init(&name)?, around),
            _ => None,
        }
    }

    fn elements(of: &Expr, lent: bool) -> Items {
        let of = match unparen(of) {
            Expr::Reference(r) => (*r.expr).clone(),
            e => e.clone(),
        };
        Items::Elements { of, lent }
    }
}

fn is_none(pat: &syn::Pat) -> bool {
    matches!(pat, syn::Pat::Wild(_)) || matches!(pat, syn::Pat::Ident(p) if p.ident == "None")
}

fn method(receiver: Expr, name: &str, arg: Expr) -> Expr {
    make::method(receiver, ident(name), vec![arg])
}

fn ident(name: &str) -> Ident {
    Ident::new(name, proc_macro2::Span::call_site())
}

/// Puts what the position says in the place of what is done with the iterator.
struct Walk<'a> {
    name: String,
    items: &'a Items,
    at: Expr,
    end: Expr,
    names: &'a mut Names,
    /// Uses that are still to come.
    left: usize,
    /// Loops around.
    depth: usize,
    followed: bool,
}

impl Walk<'_> {
    fn is_it(&self, e: &Expr) -> bool {
        variable(e).is_some_and(|i| *i == self.name)
    }

    /// Lent for a loop that may be left: `&mut it`, `it.by_ref()`.
    fn is_lent(&self, e: &Expr) -> bool {
        match unparen(e) {
            Expr::Reference(r) => r.mutability.is_some() && self.is_it(&r.expr),
            Expr::MethodCall(m) => m.method == "by_ref" && self.is_it(&m.receiver),
            _ => false,
        }
    }

    /// The item there, in an option; the position moves on.
    fn next(&mut self) -> Expr {
        let (at, end) = (&self.at, &self.end);
        let item = self.items.at(&parse_quote!((#at - 1)), self.names);
        parse_quote!((if #at < #end { #at += 1; Some(#item) } else { None }))
    }

    /// The item there, bound to a pattern; the position moves on.
    fn take(&mut self, pat: &syn::Pat) -> [Stmt; 2] {
        let at = &self.at;
        let item = self.items.at(&parse_quote!((#at - 1)), self.names);
        [parse_quote!(#at += 1;), make::local(pat.clone(), item)]
    }

    fn is_left(&self) -> Expr {
        let (at, end) = (&self.at, &self.end);
        parse_quote!(#at < #end)
    }

    /// `it.next()`
    fn is_next(&self, e: &Expr) -> bool {
        matches!(unparen(e), Expr::MethodCall(m) if m.method == "next" && self.is_it(&m.receiver))
    }

    /// `let Some(p) = it.next() else { … };` and `let p = it.next().unwrap();` in statements of their own.
    fn bound(&mut self, stmt: &mut Stmt) -> Vec<Stmt> {
        let Stmt::Local(syn::Local {
            pat,
            init: Some(init),
            ..
        }) = stmt
        else {
            return Vec::new();
        };
        let left = self.is_left();
        match (&mut init.diverge, unparen(&init.expr)) {
            (Some((_, diverge)), e) if self.is_next(e) => {
                let Some(pat) = some(pat) else {
                    return Vec::new();
                };
                self.take_use();
                self.visit_expr_mut(diverge);
                let mut out = vec![parse_quote!(if !(#left) #diverge)];
                out.extend(self.take(&pat));
                out
            }
            (None, Expr::MethodCall(m))
                if (m.method == "unwrap" || m.method == "expect") && self.is_next(&m.receiver) =>
            {
                self.take_use();
                let message = m.args.iter();
                let mut out = vec![parse_quote!(assert!(#left #(, "{}", #message)*);)];
                out.extend(self.take(pat));
                out
            }
            _ => Vec::new(),
        }
    }

    /// `if let Some(p) = it.next() { … } else { … }`, and a `match` that says the same.
    fn chosen(&mut self, e: &Expr) -> Option<Expr> {
        match e {
            Expr::If(e) => {
                let Expr::Let(cond) = unparen(&e.cond) else {
                    return None;
                };
                let pat = some(&cond.pat).filter(|_| self.is_next(&cond.expr))?;
                self.take_use();
                let mut e = e.clone();
                *e.cond = self.is_left();
                e.then_branch.stmts.splice(0..0, self.take(&pat));
                Some(Expr::If(e))
            }
            Expr::Match(e) if self.is_next(&e.expr) => {
                let [first, second] = e.arms.as_slice() else {
                    return None;
                };
                let (there, pat, none) = match (some(&first.pat), some(&second.pat)) {
                    (Some(pat), None) if is_none(&second.pat) => (first, pat, second),
                    (None, Some(pat))
                        if is_none(&first.pat) && !matches!(first.pat, syn::Pat::Wild(_)) =>
                    {
                        (second, pat, first)
                    }
                    _ => return None,
                };
                self.take_use();
                let mut then = self.take(&pat).to_vec();
                then.push(Stmt::Expr(there.body.as_ref().clone(), None));
                let (left, none) = (self.is_left(), &none.body);
                Some(parse_quote!((if #left { #(#then)* } else { #none })))
            }
            _ => None,
        }
    }

    /// All that is left, as a chain.
    fn rest(&mut self) -> Expr {
        let k = self.names.fresh("k", proc_macro2::Span::call_site());
        let item = self.items.at(&make::path(&k), self.names);
        let (at, end) = (&self.at, &self.end);
        parse_quote!((#at..#end).map(|#k| #item))
    }

    /// A loop that moves on with every round.
    fn walk(
        &mut self,
        label: Option<syn::Label>,
        pat: &syn::Pat,
        mut body: syn::Block,
        last: bool,
    ) -> Expr {
        let (at, end) = (self.at.clone(), self.end.clone());
        if last {
            let k = self.names.fresh("k", proc_macro2::Span::call_site());
            let item = self.items.at(&make::path(&k), self.names);
            body.stmts.insert(0, make::local(pat.clone(), item));
            return parse_quote!(#label for #k in #at..#end #body);
        }
        body.stmts.splice(0..0, self.take(pat));
        parse_quote!(#label while #at < #end #body)
    }

    /// Counts a use; whether it is the last one.
    fn take_use(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left == 0 && self.depth == 0
    }

    /// Follows what is done in a round of a loop.
    fn round(&mut self, body: &mut syn::Block) {
        self.depth += 1;
        self.visit_block_mut(body);
        self.depth -= 1;
    }

    /// A method that is called on it.
    fn method(&mut self, m: &syn::ExprMethodCall, last: bool) -> Option<Expr> {
        let name = m.method.to_string();
        match (name.as_str(), m.args.first()) {
            ("next", None) => Some(self.next()),
            ("peek", None) if self.items.is_there() => {
                let (at, end) = (&self.at, &self.end);
                let item = make::reference(self.items.at(at, self.names), false);
                Some(parse_quote!((if #at < #end { Some(#item) } else { None })))
            }
            ("nth", Some(n)) => {
                let next = self.next();
                let (at, end) = (&self.at, &self.end);
                Some(parse_quote!({ #at = #end.min(#at + #n); #next }))
            }
            ("len", None) => {
                let (at, end) = (&self.at, &self.end);
                let span = m.method.span();
                Some(parse_quote_spanned!(span=> (#end - #at)))
            }
            ("clone", None) => Some(self.rest()),
            (name, _)
                if last && SEARCHES.contains(&name)
                    || ENDS.contains(&name)
                    || ADAPTORS.contains(&name) && !matches!(name, "by_ref" | "cycle") =>
            {
                let mut m = m.clone();
                m.receiver = Box::new(self.rest());
                Some(Expr::MethodCall(m))
            }
            _ => None,
        }
    }
}

impl VisitMut for Walk<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        facts::idents(mac.tokens.clone(), &mut |name| {
            self.followed &= name != self.name;
        });
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Expr(Expr::MethodCall(m), Some(_)) = stmt {
            if m.method == "next" && self.is_it(&m.receiver) {
                self.take_use();
                let (at, end) = (&self.at, &self.end);
                *stmt = parse_quote!(if #at < #end { #at += 1; });
                return;
            }
        }
        visit_mut::visit_stmt_mut(self, stmt);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            let instead = self.bound(&mut stmt);
            if instead.is_empty() {
                self.visit_stmt_mut(&mut stmt);
                block.stmts.push(stmt);
            }
            block.stmts.extend(instead);
        }
    }

    fn visit_expr_closure_mut(&mut self, e: &mut syn::ExprClosure) {
        let name = &self.name;
        self.followed &= !facts::mentions(&e.body, &|other| other == name);
        visit_mut::visit_expr_closure_mut(self, e);
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let around = self.depth;
        if let Some(instead) = self.chosen(e) {
            *e = instead;
        }
        match e {
            Expr::While(w) => {
                if let Some((pat, _)) = walked(w).filter(|(_, it)| *it == self.name) {
                    let last = self.take_use();
                    self.round(&mut w.body);
                    *e = self.walk(w.label.clone(), &pat, w.body.clone(), last);
                    return;
                }
                self.depth += 1;
            }
            Expr::ForLoop(f) if self.is_it(&f.expr) || self.is_lent(&f.expr) => {
                // What is given away cannot be used any more.
                let last = self.take_use() || self.is_it(&f.expr);
                self.round(&mut f.body);
                *e = self.walk(f.label.clone(), &f.pat, f.body.clone(), last);
                return;
            }
            Expr::ForLoop(f) => {
                self.visit_expr_mut(&mut f.expr);
                self.round(&mut f.body);
                return;
            }
            Expr::Loop(_) => self.depth += 1,
            Expr::MethodCall(m) if self.is_it(&m.receiver) => {
                let last = self.take_use();
                for arg in &mut m.args {
                    self.visit_expr_mut(arg);
                }
                match self.method(m, last) {
                    Some(instead) => *e = instead,
                    None => self.followed = false,
                }
                return;
            }
            e if self.is_it(e) => {
                self.followed = false;
                return;
            }
            _ => {}
        }
        visit_mut::visit_expr_mut(self, e);
        self.depth = around;
    }
}
