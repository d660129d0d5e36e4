//! What a chain starts from.

use proc_macro2::{Ident, Span};
use syn::{Expr, Pat, Stmt, parse_quote};

use super::super::apply::{unparen, variable};
use super::super::{check_standard, make};
use super::pipe::{Branch, Exit, Kind, Pipe, Step};
use super::{Chains, counts};
use crate::ir::{Ty, Width};
use crate::iterators::{is_chain, iterator_function, makes_iterator};
use crate::syntax;
use crate::visit_mut::{self, VisitMut};

/// Whether lowering can loop over an iterator as it stands.
pub(super) fn is_plain(e: &Expr) -> bool {
    match unparen(e) {
        Expr::MethodCall(m) if makes_iterator(&m.method.to_string()) => is_place(&m.receiver),
        Expr::MethodCall(m) => {
            let name = m.method.to_string();
            let range = is_range(&m.receiver);
            match name.as_str() {
                "rev" | "skip" | "take" | "step_by" => is_plain(&m.receiver),
                "copied" | "cloned" | "enumerate" => !range && is_plain(&m.receiver),
                "zip" => {
                    let other = m.args.first();
                    !range
                        && is_plain(&m.receiver)
                        && other.is_some_and(|e| !is_range(e) && is_plain(e))
                }
                _ => false,
            }
        }
        Expr::Range(_) => true,
        other => is_place(other),
    }
}

fn is_range(e: &Expr) -> bool {
    match unparen(e) {
        Expr::Range(_) => true,
        Expr::MethodCall(m)
            if matches!(
                m.method.to_string().as_str(),
                "rev" | "step_by" | "take" | "skip"
            ) =>
        {
            is_range(&m.receiver)
        }
        _ => false,
    }
}

/// A variable or a part of one, or a reference to it, that can be named again.
pub(in crate::desugar) fn is_place(e: &Expr) -> bool {
    match unparen(e) {
        Expr::Path(_) => true,
        Expr::Field(f) => is_place(&f.base),
        Expr::Index(i) => is_place(&i.expr) && is_index(&i.index),
        Expr::Reference(r) => is_place(&r.expr),
        Expr::Unary(u) => matches!(u.op, syn::UnOp::Deref(_)) && is_place(&u.expr),
        Expr::MethodCall(m) => {
            matches!(
                m.method.to_string().as_str(),
                "as_slice" | "as_mut_slice" | "as_ref" | "as_mut"
            ) && is_place(&m.receiver)
        }
        _ => false,
    }
}

fn is_index(e: &Expr) -> bool {
    match unparen(e) {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Binary(b) => !syntax::is_compound(&b.op) && is_index(&b.left) && is_index(&b.right),
        Expr::Range(r) => r.start.iter().chain(&r.end).all(|e| is_index(e)),
        Expr::MethodCall(m) => m.method == "len" && is_place(&m.receiver),
        Expr::Cast(c) => is_index(&c.expr),
        _ => false,
    }
}

/// What a chain walks through.
fn base(e: &Expr) -> &Expr {
    match unparen(e) {
        Expr::MethodCall(m) => base(&m.receiver),
        Expr::Reference(r) => base(&r.expr),
        e => e,
    }
}

/// Says of the items of literal lists what floats they are.
struct Suffixed(&'static str);

impl VisitMut for Suffixed {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Float(x),
                ..
            }) if x.suffix().is_empty() => {
                *x = syn::LitFloat::new(&format!("{x}{}", self.0), x.span());
            }
            Expr::MethodCall(m) => self.visit_expr_mut(&mut m.receiver),
            Expr::Array(_) | Expr::Reference(_) | Expr::Unary(_) | Expr::Paren(_) => {
                visit_mut::visit_expr_mut(self, e);
            }
            Expr::Call(c) if iterator_function(c).is_some() => {
                c.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
            }
            _ => {}
        }
    }
}

impl Chains<'_> {
    /// The end of a chain that nothing jumps to yet.
    pub(super) fn exit(&mut self) -> Exit {
        let name = self.names.fresh("chain", Span::call_site());
        Exit {
            label: syn::Lifetime::new(&format!("'{name}"), Span::call_site()),
            used: false,
        }
    }

    fn started(&mut self, before: Vec<Stmt>, branch: Branch) -> Pipe {
        Pipe {
            before,
            branches: vec![branch],
            exit: self.exit(),
            one_to_one: true,
            stateless: true,
            pure: true,
        }
    }

    fn item(&mut self, base: &str) -> Ident {
        self.names.fresh(base, Span::call_site())
    }

    /// The chain that an expression is, which `is_chain` holds for.
    pub(super) fn pipe(&mut self, e: &Expr) -> Option<Pipe> {
        match unparen(e) {
            // An iterator is made of itself by nothing else.
            Expr::MethodCall(m) if m.method == "into_iter" && is_chain(&m.receiver) => {
                self.pipe(&m.receiver)
            }
            Expr::MethodCall(m)
                if makes_iterator(&m.method.to_string()) && is_chain(&m.receiver) =>
            {
                self.errors.error(
                    &m.method,
                    format_args!(
                        "an iterator has no method `{}`; call it on what the iterator is made of",
                        m.method
                    ),
                );
                None
            }
            Expr::MethodCall(m) if makes_iterator(&m.method.to_string()) => {
                let mut before = Vec::new();
                let receiver = self.place(&m.receiver, &mut before);
                let len = match m.method.to_string().as_str() {
                    "iter" | "iter_mut" | "into_iter" => {
                        let len = Ident::new("len", m.method.span());
                        Some(make::method(receiver.clone(), len, Vec::new()))
                    }
                    _ => None,
                };
                let mut over = m.clone();
                over.receiver = Box::new(make::paren(receiver));
                let args: Vec<Expr> = m
                    .args
                    .iter()
                    .map(|arg| self.once(arg, "n", &mut before))
                    .collect();
                over.args = args.into_iter().collect();
                let item = self.item("item");
                let reference = m.method == "iter" || m.method == "iter_mut";
                let mut branch = Branch::over(Kind::Items, Expr::MethodCall(over), len, &item);
                if reference {
                    branch.references.insert(item.to_string());
                }
                Some(self.started(before, branch))
            }
            Expr::MethodCall(m) => {
                let mut m = m.clone();
                if m.method == "chain" {
                    self.of_one_width(&mut m);
                }
                let mut pipe = self.pipe(&m.receiver)?;
                self.adapt(&mut pipe, &m)?;
                Some(pipe)
            }
            Expr::Range(r) => {
                let mut before = Vec::new();
                let lo = self.bound(r.start.as_deref()?, &mut before);
                let hi = r.end.as_ref().map(|e| self.bound(e, &mut before));
                let hi = match (&r.limits, hi) {
                    (syn::RangeLimits::Closed(_), Some(hi)) => {
                        let one = parse_quote!(1);
                        let plus = syn::BinOp::Add(syn::token::Plus::default());
                        Some(make::binary(hi, plus, one))
                    }
                    (_, hi) => hi,
                };
                let over = Expr::Range(syn::ExprRange {
                    start: Some(Box::new(make::paren(lo.clone()))),
                    end: match (&r.limits, &hi) {
                        (syn::RangeLimits::Closed(_), Some(Expr::Binary(b))) => {
                            Some(b.left.clone())
                        }
                        (_, hi) => hi.clone().map(|e| Box::new(make::paren(e))),
                    },
                    ..r.clone()
                });
                let len = hi.clone().filter(|_| is_zero(&lo));
                let item = self.item("i");
                let branch = Branch::over(Kind::Range(Box::new((lo, hi))), over, len, &item);
                Some(self.started(before, branch))
            }
            Expr::Call(c) => self.function_source(c),
            _ => None,
        }
    }

    /// Literals that are chained to numbers are numbers of their width: what is done with each is written out, where rustc would not know.
    fn of_one_width(&self, m: &mut syn::ExprMethodCall) {
        let args = [&*m.receiver].into_iter().chain(&m.args);
        let suffix = args
            .into_iter()
            .find_map(|e| match self.facts.ty(base(e)).element() {
                Ty::Float(Width::F64) => Some("f64"),
                Ty::Float(Width::F32) => Some("f32"),
                _ => None,
            });
        if let Some(suffix) = suffix {
            let mut written = Suffixed(suffix);
            written.visit_expr_mut(&mut m.receiver);
            m.args
                .iter_mut()
                .for_each(|arg| written.visit_expr_mut(arg));
        }
    }

    /// A bound of a range, which may be named again if it is a plain number.
    fn bound(&mut self, e: &Expr, before: &mut Vec<Stmt>) -> Expr {
        if is_index(e) {
            return e.clone();
        }
        self.once(e, "bound", before)
    }

    /// What can be iterated over: a chain, or something with elements.
    pub(super) fn iterated(&mut self, e: &Expr) -> Option<Pipe> {
        if is_chain(e) {
            return self.pipe(e);
        }
        let mut before = Vec::new();
        let place = self.place(e, &mut before);
        let len = Ident::new("len", Span::call_site());
        let whole = match unparen(&place) {
            Expr::Reference(r) => (*r.expr).clone(),
            e => e.clone(),
        };
        let len = make::method(whole, len, Vec::new());
        let item = self.item("item");
        let reference = matches!(unparen(&place), Expr::Reference(_));
        let mut branch = Branch::over(Kind::Items, place, Some(len), &item);
        if reference {
            branch.references.insert(item.to_string());
        }
        Some(self.started(before, branch))
    }

    /// An expression that names something with elements; anything else gets a name first.
    fn place(&mut self, e: &Expr, before: &mut Vec<Stmt>) -> Expr {
        if is_place(e) {
            return e.clone();
        }
        if let Expr::Reference(r) = unparen(e) {
            let inner = self.place(&r.expr, before);
            return make::reference(inner, r.mutability.is_some());
        }
        let name = self.item("source");
        before.push(make::variable(&name, e.clone()));
        make::path(&name)
    }

    /// `std::iter::repeat(x)` and its like.
    fn function_source(&mut self, c: &syn::ExprCall) -> Option<Pipe> {
        let name = iterator_function(c)?;
        let Expr::Path(path) = unparen(&c.func) else {
            return None;
        };
        let of_std = match name.as_str() {
            "repeat" => parse_quote!(::core::iter::repeat::<u8>),
            "repeat_n" => parse_quote!(::core::iter::repeat_n::<u8>),
            "once" => parse_quote!(::core::iter::once::<u8>),
            "empty" => parse_quote!(::core::iter::empty::<u8>),
            "successors" => parse_quote!(::core::iter::successors::<u8, fn(&u8) -> Option<u8>>),
            _ => parse_quote!(::core::iter::zip::<::core::ops::Range<u8>, ::core::ops::Range<u8>>),
        };
        let mut before = Vec::from_iter(check_standard(&path.path, &of_std));
        match (name.as_str(), c.args.len()) {
            ("repeat", 1) => {
                let value = self.once(&c.args[0], "repeated", &mut before);
                let over = make::range(Some(parse_quote!(0)), None);
                let branch = Branch {
                    pat: make::wild(),
                    item: value,
                    ..Branch::over(
                        Kind::Endless,
                        over,
                        None,
                        &Ident::new("i", Span::call_site()),
                    )
                };
                Some(self.started(before, branch))
            }
            ("repeat_n", 2) => {
                let value = self.once(&c.args[0], "repeated", &mut before);
                let n = self.once(&c.args[1], "n", &mut before);
                let zero: Expr = parse_quote!(0_usize);
                let over = make::range(Some(zero.clone()), Some(n.clone()));
                let branch = Branch {
                    pat: make::wild(),
                    item: value,
                    ..Branch::over(
                        Kind::Range(Box::new((zero, Some(n.clone())))),
                        over,
                        Some(n),
                        &Ident::new("i", Span::call_site()),
                    )
                };
                Some(self.started(before, branch))
            }
            ("once", 1) => {
                let value = self.once(&c.args[0], "only", &mut before);
                let over: Expr = parse_quote!(0..1);
                let lent = matches!(unparen(&c.args[0]), Expr::Reference(_));
                let name = variable(&value).filter(|_| lent);
                let references = name.map(ToString::to_string).into_iter().collect();
                let branch = Branch {
                    pat: make::wild(),
                    item: value,
                    references,
                    ..Branch::over(
                        Kind::Numbers,
                        over,
                        Some(parse_quote!(1)),
                        &Ident::new("i", Span::call_site()),
                    )
                };
                Some(self.started(before, branch))
            }
            ("successors", 2) => {
                let last = path.path.segments.last()?.ident.clone();
                self.successors((&c.args[0], &c.args[1]), &last, before)
            }
            ("zip", 2) => {
                let mut a = self.iterated(&c.args[0])?;
                let b = self.iterated(&c.args[1])?;
                self.zip(&mut a, b, &c.args[1])?;
                before.append(&mut a.before);
                a.before = before;
                Some(a)
            }
            _ => {
                self.errors.error(
                    &c.func,
                    "this iterator cannot be followed on active values; write a `for` loop",
                );
                None
            }
        }
    }

    /// Both chains in lockstep.
    pub(super) fn zip(&mut self, a: &mut Pipe, mut b: Pipe, at: &Expr) -> Option<()> {
        for side in [&mut *a, &mut b] {
            let lockstep = side.steady().is_some() && !side.exit.used;
            if !lockstep && !self.collected(side, at) {
                self.errors.error(at, "an iterator that skips, repeats or joins items cannot be walked through in step with another one; `collect` it into a `Vec` first, or write a `for` loop");
                return None;
            }
        }
        let second = b.branches.pop()?;
        if !a.pure {
            self.errors.error(at, "a closure in front of `zip` changes something, and may run once more than there are pairs; use `zip` first, then the closure");
            return None;
        }
        a.before.append(&mut b.before);
        a.pure &= b.pure;
        a.stateless &= b.stateless;
        let first = a.branches.pop()?;
        let (over, pat, mut steps, len, kind) =
            self.lockstep(&first, &second, &mut a.before, at)?;
        steps.extend(first.steps);
        steps.extend(second.steps);
        let mut free = first.free;
        free.extend(second.free);
        // A number that is computed in the round is no variable of the loop.
        free.retain(|name| binds(&pat, name));
        a.branches.push(Branch {
            kind,
            pat,
            over,
            len,
            steps,
            item: make::tuple([first.item, second.item]),
            free,
            references: first
                .references
                .into_iter()
                .chain(second.references)
                .collect(),
            label: None,
            group: None,
        });
        Some(())
    }

    #[allow(clippy::type_complexity, reason = "the parts of a branch")]
    fn lockstep(
        &mut self,
        a: &Branch,
        b: &Branch,
        before: &mut Vec<Stmt>,
        at: &Expr,
    ) -> Option<(Expr, Pat, Vec<Step>, Option<Vec<Expr>>, Kind)> {
        let joined = |a: &Option<Vec<Expr>>, b: &Option<Vec<Expr>>| {
            let (a, b) = (a.as_ref()?, b.as_ref()?);
            Some(a.iter().chain(b).cloned().collect::<Vec<_>>())
        };
        match (&a.kind, &b.kind) {
            (Kind::Items, Kind::Items) => {
                let zip = Ident::new("zip", Span::call_site());
                Some((
                    make::method(a.over.clone(), zip, vec![b.over.clone()]),
                    make::tuple_pat([a.pat.clone(), b.pat.clone()]),
                    Vec::new(),
                    joined(&a.len, &b.len),
                    Kind::Items,
                ))
            }
            (_, Kind::Endless) => Some((
                a.over.clone(),
                a.pat.clone(),
                Vec::new(),
                a.len.clone(),
                a.kind.clone(),
            )),
            (Kind::Endless, _) => Some((
                b.over.clone(),
                b.pat.clone(),
                Vec::new(),
                b.len.clone(),
                b.kind.clone(),
            )),
            (Kind::Items, Kind::Range(bounds)) | (Kind::Range(bounds), Kind::Items) => {
                let (lo, hi) = &**bounds;
                let (items, range) = if matches!(a.kind, Kind::Items) {
                    (a, b)
                } else {
                    (b, a)
                };
                let rounds = self.rounds(lo, hi.as_ref(), before);
                let mut over = items.over.clone();
                let mut len = items.len.clone();
                if let Some(n) = rounds {
                    let take = Ident::new("take", Span::call_site());
                    over = make::method(over, take, vec![n.clone()]);
                    len = len.map(|mut len| {
                        len.push(n);
                        len
                    });
                }
                let enumerate = Ident::new("enumerate", Span::call_site());
                over = make::method(over, enumerate, Vec::new());
                let (number, steps) = self.number((lo, hi.as_ref()), range);
                Some((
                    over,
                    make::tuple_pat([number, items.pat.clone()]),
                    steps,
                    len,
                    Kind::Items,
                ))
            }
            (Kind::Range(bounds), Kind::Range(others)) => {
                let ((lo, hi), (from, to)) = (&**bounds, &**others);
                let rounds = [
                    self.rounds(lo, hi.as_ref(), before),
                    self.rounds(from, to.as_ref(), before),
                ];
                let least = rounds
                    .into_iter()
                    .flatten()
                    .reduce(|a, b| make::call(parse_quote!(usize::min), vec![a, b]));
                let over = make::range(Some(parse_quote!(0)), least.clone());
                let k = self.item("k");
                let mut steps = Vec::new();
                for (bounds, branch) in [((lo, hi), a), ((from, to), b)] {
                    let at = self.offset((bounds.0, bounds.1.as_ref()), &k);
                    steps.push(Step::Do(make::local(branch.pat.clone(), at)));
                }
                Some((
                    over,
                    make::ident(&k, false),
                    steps,
                    least.map(|n| vec![n]),
                    Kind::Numbers,
                ))
            }
            (Kind::Numbers, _) | (_, Kind::Numbers) => {
                self.errors.error(at, "a range with adaptors cannot be walked through in step with another iterator; write a `for` loop over indices");
                None
            }
        }
    }

    /// The number of rounds of a range; `None` if it has no end.
    fn rounds(&mut self, lo: &Expr, hi: Option<&Expr>, before: &mut Vec<Stmt>) -> Option<Expr> {
        let hi = hi?;
        let certain = self.counts(lo, Some(hi));
        let hi = self.once(hi, "bound", before);
        if is_zero(lo) && certain {
            return Some(hi);
        }
        let lo = self.once(lo, "bound", before);
        let rounds = if certain {
            make::call(parse_quote!(usize::saturating_sub), vec![hi, lo])
        } else {
            make::call(parse_quote!(rt::distance), vec![lo, hi])
        };
        Some(self.once(&rounds, "n", before))
    }

    /// The pattern for a counter that a range is walked through by.
    fn number(&mut self, (lo, hi): (&Expr, Option<&Expr>), range: &Branch) -> (Pat, Vec<Step>) {
        if is_zero(lo) && (self.counts(lo, hi) || counts::indexes(range)) {
            return (range.pat.clone(), Vec::new());
        }
        let k = self.item("k");
        let step = make::local(range.pat.clone(), self.offset((lo, hi), &k));
        (make::ident(&k, false), vec![Step::Do(step)])
    }

    /// Whether the numbers of a range are certainly of the type that loops count by.
    pub(super) fn counts(&self, lo: &Expr, hi: Option<&Expr>) -> bool {
        let certain = |e: &Expr| counts::is_certain(e, &self.usizes);
        certain(lo) || hi.is_some_and(certain)
    }

    /// `lo + k`
    fn offset(&self, (lo, hi): (&Expr, Option<&Expr>), k: &Ident) -> Expr {
        if !self.counts(lo, hi) {
            return make::call(parse_quote!(rt::nth), vec![lo.clone(), make::path(k)]);
        }
        if is_zero(lo) {
            return make::path(k);
        }
        let plus = syn::BinOp::Add(syn::token::Plus::default());
        make::binary(lo.clone(), plus, make::path(k))
    }
}

/// Whether a pattern made of variables has one of this name.
fn binds(pat: &Pat, name: &str) -> bool {
    match pat {
        Pat::Ident(p) => p.ident == name,
        Pat::Tuple(p) => p.elems.iter().any(|p| binds(p, name)),
        _ => false,
    }
}

fn is_zero(e: &Expr) -> bool {
    match unparen(e) {
        Expr::Lit(l) => {
            matches!(&l.lit, syn::Lit::Int(i) if i.base10_digits() == "0")
        }
        _ => false,
    }
}
