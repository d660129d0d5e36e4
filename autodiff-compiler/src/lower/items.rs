//! What a `for` loop runs over: ranges, and sequences of places.

use quote::{ToTokens, quote};

use super::expr::unparen;
use super::references::Either;
use super::{Binding, Lower, Tree};
use crate::facts;
use crate::ir::{Path, Step, Ty, Value};
use crate::iterators::{self, Follow};
use crate::macros;

/// How items are passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Reference,
    Value,
}

/// An item, as a function of the loop's counter.
#[derive(Clone)]
enum Item {
    /// An element of a place.
    Element(Path, Pass),
    /// An element of one of two places.
    Either(Box<Either>, Pass),
    /// The counter of `enumerate`.
    Counter,
    /// A part of a place, `width` long where all of it is there.
    Part {
        path: Path,
        follow: Follow,
        width: Value,
        /// The length of the whole.
        whole: Value,
    },
    Pair(Box<Sequence>, Box<Sequence>),
    Numbered(Box<Sequence>),
}

/// How the counter of a sequence becomes that of what it is made of.
#[derive(Clone, Copy)]
enum Turn {
    /// `len - 1 - k`
    Reversed(Value),
    /// `k + n`
    Skipped(Value),
    /// `k * n`
    Strided(Value),
}

/// A sequence of known length.
#[derive(Clone)]
pub(super) struct Sequence {
    item: Item,
    pub(super) len: Value,
    turns: Vec<Turn>,
    /// Shorter than what it is made of.
    cut: bool,
}

impl Sequence {
    /// The place whose elements these are, all of them and in order.
    pub(super) fn whole(&self) -> Option<&Path> {
        match &self.item {
            Item::Element(path, _) if self.turns.is_empty() && !self.cut => Some(path),
            _ => None,
        }
    }
}

impl Lower<'_> {
    /// The sequence an iterator expression runs over, if it runs over places the graph knows.
    pub(super) fn sequence(&mut self, e: &syn::Expr) -> Option<Sequence> {
        match unparen(e) {
            syn::Expr::MethodCall(m) => self.adapted(m),
            syn::Expr::Reference(r) => {
                let path = self.sequence_place(&r.expr)?;
                if r.mutability.is_some() {
                    self.func.at_mut(path.root).mutable = true;
                }
                Some(self.elements(path, Pass::Reference))
            }
            other if self.is_either(other) => {
                let Tree::Either(either) = self.expr(other) else {
                    return None;
                };
                Some(self.elements_of_either(*either))
            }
            other => {
                let reference = matches!(other, syn::Expr::Path(_))
                    && facts::root(other)
                        .is_some_and(|n| matches!(self.env.get(&n), Some(Binding::View(_))));
                let path = self.sequence_place(other)?;
                let lends = self.lends_elements(&path);
                Some(self.elements(
                    path,
                    if reference || lends {
                        Pass::Reference
                    } else {
                        Pass::Value
                    },
                ))
            }
        }
    }

    fn elements(&mut self, path: Path, pass: Pass) -> Sequence {
        let len = self.len(path.clone());
        Sequence {
            item: Item::Element(path, pass),
            len,
            turns: Vec::new(),
            cut: false,
        }
    }

    /// `chunks`, `windows` and their like: parts of a place.
    fn part_sequence(&mut self, m: &syn::ExprMethodCall, follow: Follow) -> Option<Sequence> {
        let path = self.sequence_place(&m.receiver)?;
        if m.method.to_string().ends_with("_mut") {
            self.func.at_mut(path.root).mutable = true;
        }
        let width = self.scalar(&m.args[0]);
        let whole = self.len(path.clone());
        let written: Option<usize> = match unparen(&m.args[0]) {
            syn::Expr::Lit(lit) => match &lit.lit {
                syn::Lit::Int(lit) => lit.base10_parse().ok(),
                _ => None,
            },
            _ => None,
        };
        let count = match follow {
            Follow::Overlapping if written.is_some_and(|width| width > 0) => {
                quote!(::core::primitive::usize::saturating_sub(__a0 + 1, __a1))
            }
            // Panics as `windows` does; the others divide by the width.
            Follow::Overlapping => quote!(::core::primitive::usize::saturating_sub(
                __a0 + 1,
                ::core::num::NonZero::<usize>::new(__a1)
                    .expect("window size must be non-zero")
                    .get()
            )),
            Follow::Apart { exact: true, .. } => quote!(__a0 / __a1),
            Follow::Apart { exact: false, .. } => {
                quote!(::core::primitive::usize::div_ceil(__a0, __a1))
            }
        };
        let len = self.pure(count, vec![whole, width], Ty::Int);
        if let Some(known) = written.filter(|_| follow.is_even()) {
            self.widths.insert(width, known);
        }
        Some(Sequence {
            item: Item::Part {
                path,
                follow,
                width,
                whole,
            },
            len,
            turns: Vec::new(),
            cut: false,
        })
    }

    /// Part `k` of a sequence of parts.
    fn part_at(
        &mut self,
        path: &Path,
        follow: Follow,
        (width, whole): (Value, Value),
        k: Value,
    ) -> Path {
        let backwards = matches!(
            follow,
            Follow::Apart {
                backwards: true,
                ..
            }
        );
        // The end that is the nearer one to where they begin.
        let near = match follow {
            Follow::Overlapping => k,
            Follow::Apart { .. } => self.pure(quote!(__a0 * __a1), vec![k, width], Ty::Int),
        };
        let near = if backwards {
            self.pure(quote!(__a0 - __a1), vec![whole, near], Ty::Int)
        } else {
            near
        };
        let far = match (backwards, follow.is_even()) {
            (false, true) => self.pure(quote!(__a0 + __a1), vec![near, width], Ty::Int),
            (false, false) => self.pure(
                quote!(::core::cmp::Ord::min(__a0 + __a1, __a2)),
                vec![near, width, whole],
                Ty::Int,
            ),
            (true, true) => self.pure(quote!(__a0 - __a1), vec![near, width], Ty::Int),
            (true, false) => self.pure(
                quote!(::core::primitive::usize::saturating_sub(__a0, __a1)),
                vec![near, width],
                Ty::Int,
            ),
        };
        let (lo, hi) = if backwards { (far, near) } else { (near, far) };
        if let Some(&known) = self.widths.get(&width) {
            self.widths.insert(hi, known);
        }
        path.then(Step::Range(Some(lo), Some(hi)))
    }

    fn elements_of_either(&mut self, either: Either) -> Sequence {
        let len = self.either_length(either.clone());
        Sequence {
            item: Item::Either(Box::new(either), Pass::Reference),
            len,
            turns: Vec::new(),
            cut: false,
        }
    }

    /// The name of a constant or static of a module, where the expression is one or a part of one: it is borrowed, and read by index like any other.
    fn item_of_module(&self, e: &syn::Expr) -> Option<String> {
        match unparen(e) {
            syn::Expr::Path(path) => {
                let last = path.path.segments.last()?.ident.to_string();
                let known = path.path.get_ident().is_some() && self.env.contains_key(&last);
                (!known).then_some(last)
            }
            syn::Expr::Index(part) => self.item_of_module(&part.expr),
            syn::Expr::Field(part) => self.item_of_module(&part.base),
            _ => None,
        }
    }

    /// The place behind an expression, if it is one the graph knows the elements of.
    fn sequence_place(&mut self, e: &syn::Expr) -> Option<Path> {
        if let Some(name) = self.item_of_module(e) {
            let borrowed = self.verbatim(&syn::parse_quote!(&#e));
            return Some(self.temporary(borrowed, &name.to_lowercase()));
        }
        let made = match unparen(e) {
            syn::Expr::Array(_) => true,
            syn::Expr::Call(call) => macros::vec_macro(call).is_some(),
            _ => false,
        };
        if made {
            if !self.facts.mentions_active(e) {
                return None;
            }
            let tree = self.expr(e);
            return Some(self.temporary(tree, "t"));
        }
        let name = facts::root(e)?;
        if !matches!(
            self.env.get(&name),
            Some(Binding::Place(_) | Binding::View(_))
        ) {
            return None;
        }
        let known = matches!(self.facts.ty(e), Ty::Array(..) | Ty::Slice(_) | Ty::Vec(_));
        if !known && !self.facts.mentions_active(e) {
            let walked = (self.beside > 0).then(|| self.memory(e));
            return walked.flatten();
        }
        match self.expr(e) {
            Tree::Place(path) | Tree::View(path) => {
                if matches!(self.func.path_ty(&path), Ty::Option(_)) {
                    self.errors.error(e, "an `Option` cannot be iterated over where it is active; take out what is in it by `if let Some(v)`");
                }
                Some(path)
            }
            _ => None,
        }
    }

    fn adapted(&mut self, m: &syn::ExprMethodCall) -> Option<Sequence> {
        match (m.method.to_string().as_str(), m.args.len()) {
            ("iter" | "iter_mut" | "as_slice" | "as_mut_slice", 0)
                if self.is_either(&m.receiver) =>
            {
                self.sequence(&m.receiver)
            }
            ("iter" | "iter_mut", 0) => {
                let path = self.sequence_place(&m.receiver)?;
                if m.method == "iter_mut" {
                    self.func.at_mut(path.root).mutable = true;
                }
                Some(self.elements(path, Pass::Reference))
            }
            ("into_iter", 0) => self.sequence(&m.receiver),
            ("copied" | "cloned", 0) => {
                let mut s = self.sequence(&m.receiver)?;
                self.by_value(&mut s.item);
                Some(s)
            }
            ("enumerate", 0) => {
                let s = self.sequence(&m.receiver)?;
                Some(Sequence {
                    len: s.len,
                    item: Item::Numbered(Box::new(s)),
                    turns: Vec::new(),
                    cut: false,
                })
            }
            ("zip", 1) => {
                // What is walked beside something active is a sequence as well.
                let mut active = [&*m.receiver, &m.args[0]].into_iter();
                let active = usize::from(active.any(|e| self.facts.mentions_active(e)));
                self.beside += active;
                let both = self.sequence(&m.receiver).zip(self.sequence(&m.args[0]));
                self.beside -= active;
                let (a, b) = both?;
                let len = self.pure(
                    quote!(::core::cmp::Ord::min(__a0, __a1)),
                    vec![a.len, b.len],
                    Ty::Int,
                );
                Some(Sequence {
                    len,
                    item: Item::Pair(Box::new(a), Box::new(b)),
                    turns: Vec::new(),
                    cut: false,
                })
            }
            ("rev", 0) => {
                let mut s = self.sequence(&m.receiver)?;
                s.turns.push(Turn::Reversed(s.len));
                Some(s)
            }
            ("skip", 1) => {
                let mut s = self.sequence(&m.receiver)?;
                let n = self.scalar(&m.args[0]);
                s.turns.push(Turn::Skipped(n));
                s.cut = true;
                s.len = self.pure(
                    quote!(::core::primitive::usize::saturating_sub(__a0, __a1)),
                    vec![s.len, n],
                    Ty::Int,
                );
                Some(s)
            }
            ("step_by", 1) => {
                let mut s = self.sequence(&m.receiver)?;
                let n = self.scalar(&m.args[0]);
                s.turns.push(Turn::Strided(n));
                s.cut = true;
                s.len = self.pure(
                    quote!(::core::primitive::usize::div_ceil(__a0, __a1)),
                    vec![s.len, n],
                    Ty::Int,
                );
                Some(s)
            }
            ("take", 1) => {
                let mut s = self.sequence(&m.receiver)?;
                let n = self.scalar(&m.args[0]);
                s.cut = true;
                s.len = self.pure(
                    quote!(::core::cmp::Ord::min(__a0, __a1)),
                    vec![s.len, n],
                    Ty::Int,
                );
                Some(s)
            }
            ("as_slice" | "as_mut_slice", 0) => {
                let path = self.sequence_place(&m.receiver)?;
                Some(self.elements(path, Pass::Reference))
            }
            (name, 1) => {
                let parts = iterators::parts(name)?;
                self.part_sequence(m, parts.follow)
            }
            _ => None,
        }
    }

    /// The item of round `k`.
    pub(super) fn item_at(&mut self, s: &Sequence, k: Value) -> Tree {
        let mut k = k;
        // The last adaptor sees the loop's counter first.
        for turn in s.turns.iter().rev() {
            k = match *turn {
                Turn::Reversed(len) => self.pure(quote!(__a0 - 1 - __a1), vec![len, k], Ty::Int),
                Turn::Skipped(n) => self.pure(quote!(__a0 + __a1), vec![k, n], Ty::Int),
                Turn::Strided(n) => self.pure(quote!(__a0 * __a1), vec![k, n], Ty::Int),
            };
        }
        match &s.item {
            Item::Element(path, pass) => {
                let path = path.then(Step::Index(k));
                match pass {
                    Pass::Reference => Tree::View(path),
                    Pass::Value => Tree::Place(path),
                }
            }
            Item::Either(either, pass) => {
                let either = either.clone().map(|path| path.then(Step::Index(k)));
                match pass {
                    Pass::Reference => either.viewed(),
                    Pass::Value => either.placed(),
                }
            }
            Item::Counter => Tree::Value(k),
            Item::Part {
                path,
                follow,
                width,
                whole,
            } => Tree::View(self.part_at(path, *follow, (*width, *whole), k)),
            Item::Numbered(inner) => {
                let counter = Sequence {
                    item: Item::Counter,
                    len: inner.len,
                    turns: Vec::new(),
                    cut: false,
                };
                let number = self.item_at(&counter, k);
                Tree::Tuple(vec![number, self.item_at(inner, k)])
            }
            Item::Pair(a, b) => Tree::Tuple(vec![self.item_at(a, k), self.item_at(b, k)]),
        }
    }

    /// The bounds of a range, and whether it is walked backwards.
    pub(super) fn range_bounds(&mut self, e: &syn::Expr) -> Option<(Value, Value, bool, bool)> {
        match unparen(e) {
            syn::Expr::Range(r) => {
                let lo = self.integer(r.start.as_ref()?);
                let hi = self.integer(r.end.as_ref()?);
                Some((
                    lo,
                    hi,
                    matches!(r.limits, syn::RangeLimits::Closed(_)),
                    false,
                ))
            }
            syn::Expr::MethodCall(m) if m.method == "rev" && m.args.is_empty() => {
                let (lo, hi, inclusive, reversed) = self.range_bounds(&m.receiver)?;
                Some((lo, hi, inclusive, !reversed))
            }
            _ => None,
        }
    }

    /// A range with adaptors, as tokens over values: `(a..b).rev().step_by(n)`.
    pub(super) fn adapted_range(
        &mut self,
        e: &syn::Expr,
        args: &mut Vec<Value>,
    ) -> Option<proc_macro2::TokenStream> {
        match unparen(e) {
            syn::Expr::Range(r) => {
                let mut bound = |e: &syn::Expr| {
                    args.push(self.scalar(e));
                    quote::format_ident!("__a{}", args.len() - 1)
                };
                let lo = r.start.as_ref().map(|e| bound(e))?;
                let hi = r.end.as_ref().map(|e| bound(e));
                let limits = r.limits.to_token_stream();
                Some(quote!((#lo #limits #hi)))
            }
            syn::Expr::MethodCall(m)
                if matches!(
                    m.method.to_string().as_str(),
                    "rev" | "step_by" | "take" | "skip"
                ) =>
            {
                let inner = self.adapted_range(&m.receiver, args)?;
                let method = &m.method;
                let mut given = Vec::new();
                for arg in &m.args {
                    args.push(self.scalar(arg));
                    given.push(quote::format_ident!("__a{}", args.len() - 1));
                }
                Some(quote!(#inner.#method(#(#given),*)))
            }
            _ => None,
        }
    }

    /// Copies of items; of references these are references to the same.
    fn by_value(&self, item: &mut Item) {
        match item {
            Item::Element(list, _) if self.lends_elements(list) => {}
            Item::Element(_, pass) | Item::Either(_, pass) => *pass = Pass::Value,
            Item::Counter | Item::Part { .. } => {}
            Item::Numbered(s) => self.by_value(&mut s.item),
            Item::Pair(a, b) => {
                self.by_value(&mut a.item);
                self.by_value(&mut b.item);
            }
        }
    }
}
