//! What a chain ends in.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::{Expr, Stmt, parse_quote, parse_quote_spanned};

use super::super::apply::{flatten, unparen, variable};
use super::super::{decided, make};
use super::adapt::effect;
use super::option::{Shape, shape};
use super::pipe::{Branch, Pipe};
use super::{Chains, items, source};
use crate::facts::Facts;
use crate::features::features;
use crate::ir::{Ty, Width};
use crate::types;

/// The type given by `sum::<f64>()` and the like.
fn turbofish(m: &syn::ExprMethodCall) -> Option<syn::Type> {
    m.turbofish.as_ref()?.args.iter().find_map(|arg| match arg {
        syn::GenericArgument::Type(syn::Type::Infer(_)) => None,
        syn::GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    })
}

/// Whether an expression only decides; floats have no order that `max` could use, but other types with a derivative may.
pub(super) fn is_inert(e: &Expr, facts: &Facts) -> bool {
    let ordered = |m: &syn::ExprMethodCall| {
        let extreme = m.method == "max" || m.method == "min";
        extreme
            && m.args.is_empty()
            && crate::iterators::is_chain(&m.receiver)
            && items::ty(&m.receiver, facts).is_inert()
    };
    facts.only_decides(e) || matches!(unparen(e), Expr::MethodCall(m) if ordered(m))
}

/// `Array1<f64>`, where there are arrays of ndarray.
fn is_array_of_ndarray(last: &syn::PathSegment) -> bool {
    features().ndarray && last.ident == "Array1"
}

/// `Option<Vec<_>>`, as the list in it.
fn optional_list(ty: &syn::Type) -> Option<&syn::Type> {
    let option = types::last(ty).is_some_and(|last| last.ident == "Option");
    let list = types::argument_of(ty).filter(|_| option)?;
    let of = types::last(list)?;
    (of.ident == "Vec").then_some(list)
}

impl Chains<'_> {
    /// The chain that ends in a method call, as a block.
    pub(super) fn end(&mut self, m: &syn::ExprMethodCall, ty: Option<&syn::Type>) -> Option<Expr> {
        let name = m.method.to_string();
        if crate::iterators::ADAPTORS.contains(&name.as_str()) {
            return None;
        }
        let written = turbofish(m);
        let ty = written.as_ref().or(ty);
        if ty.is_some_and(|ty| self.facts.read(ty).is_inert() || types::collects_constants(ty)) {
            return self.decided(&Expr::MethodCall(m.clone()));
        }
        match (name.as_str(), m.args.len()) {
            ("sum", 0) => self.accumulate(m, ty, "sum"),
            ("product", 0) => self.accumulate(m, ty, "product"),
            ("fold", 2) => self.fold(m, ty),
            ("try_fold", 2) => self.try_fold(m),
            ("for_each", 1) => self.for_each(m),
            ("collect", 0) => self.collect(m, ty),
            ("unzip", 0) => self.unzip(m),
            ("last", 0) => self.last(m),
            ("next", 0) => self.first(&m.receiver, None, m),
            ("nth", 1) => self.first(&m.receiver, Some(&m.args[0]), m),
            ("find", 1) => self.find(m),
            ("reduce", 1) => self.reduce(m),
            ("max_by" | "min_by", 1) => self.extreme(m),
            ("max_by_key" | "min_by_key", 1) if self.is_pure(&m.args[0]) => self.extreme(m),
            ("partition", 1) => self.partition(m),
            ("max" | "min", 0) => {
                let mut by = m.clone();
                by.method = Ident::new(&format!("{name}_by"), m.method.span());
                let [a, b] = ["a", "b"].map(|base| self.names.fresh(base, m.method.span()));
                by.args.push(parse_quote!(|#a, #b| #a.cmp(#b)));
                self.extreme(&by)
            }
            _ => {
                self.errors.error(&m.method, format_args!("iterator method `{name}` cannot be followed on active values; write a `for` loop"));
                None
            }
        }
    }

    /// `chain.map(|x| …).count()` of a chain that is there for what it changes.
    pub(super) fn counted(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let chain = m.method == "count" && crate::iterators::is_chain(&m.receiver);
        if !chain || !decided::has_effect(&m.receiver, self.facts) {
            return None;
        }
        let pipe = self.pipe(&m.receiver)?;
        let count = self.names.fresh("count", m.method.span());
        let stmts = self.run(pipe, &mut |_, branch| {
            effect(branch.take(), branch);
            branch.push(parse_quote!(#count += 1usize;));
        });
        let start = make::mutable(&count, None, parse_quote!(0usize));
        let stmts = std::iter::once(start).chain(stmts).collect();
        Some(make::block(stmts, Some(make::path(&count))))
    }

    /// What only decides is copied as it stands.
    pub(super) fn decided(&mut self, whole: &Expr) -> Option<Expr> {
        if let Some(closure) = decided::changes(whole, self.facts) {
            self.errors.error(closure.inputs_begin, "this closure changes a variable on the way to a value without derivative, which is not supported; write a `for` loop");
            return None;
        }
        Some(decided::decided(whole.clone()))
    }

    fn accumulate(
        &mut self,
        m: &syn::ExprMethodCall,
        ty: Option<&syn::Type>,
        name: &str,
    ) -> Option<Expr> {
        let known = match ty {
            Some(ty) => self.facts.read(ty),
            None => items::ty(&m.receiver, self.facts),
        };
        let sum = name == "sum";
        let op = if sum {
            syn::BinOp::AddAssign(syn::token::PlusEq::default())
        } else {
            syn::BinOp::MulAssign(syn::token::StarEq::default())
        };
        let total = self.names.fresh(name, m.method.span());
        let add = |item: Expr| {
            make::semi(Expr::Binary(syn::ExprBinary {
                attrs: Vec::new(),
                left: Box::new(make::path(&total)),
                op,
                right: Box::new(item),
            }))
        };
        // A sum of floats starts at −0.0, which adds nothing to −0.0 either.
        let neutral: Expr = if sum {
            parse_quote!(-0.0)
        } else {
            parse_quote!(1.0)
        };
        if let Ty::Option(of) = &known {
            let start = match **of {
                Ty::Float(Width::Generic) => parse_quote!(rt::num::lit(#neutral)),
                Ty::Float(_) | Ty::Unknown => neutral,
                _ => {
                    self.errors.error(&m.method, format_args!("`{name}` of options of what is no float cannot be followed; write a `for` loop that ends at the first `None`"));
                    return None;
                }
            };
            let pipe = self.pipe(&m.receiver)?;
            let first = make::mutable(&total, None, start);
            return self.until_none(
                pipe,
                (&total, first, Vec::new()),
                &mut |_, branch| branch.take(),
                &add,
                m.method.span(),
            );
        }
        let mut pipe = self.pipe(&m.receiver)?;
        let start: Expr = match (&known, ty) {
            (Ty::Float(Width::Generic), _) => parse_quote!(rt::num::lit(#neutral)),
            (Ty::Float(_), _) | (_, None) => neutral,
            // A type of the user's own has a sum of its own, which may be anything.
            (_, Some(ty)) => {
                let span = Span::call_site().located_at(m.method.span());
                let method = Ident::new(name, span);
                parse_quote_spanned!(span=> rt::operators::accumulated(::core::iter::Iterator::#method::<#ty>(::core::iter::empty::<#ty>())))
            }
        };
        pipe.before.push(make::mutable(&total, ty, start));
        let stmts = self.run(pipe, &mut |_, branch| {
            let item = branch.take();
            branch.push(add(item));
        });
        Some(make::block(stmts, Some(make::path(&total))))
    }

    fn fold(&mut self, m: &syn::ExprMethodCall, ty: Option<&syn::Type>) -> Option<Expr> {
        let mut pipe = self.pipe(&m.receiver)?;
        let mut before = Vec::new();
        let mut function = self.function(Some(&m.args[1]), 2, &mut before, &m.method)?;
        let single = pipe.branches.len() == 1;
        // `|mut a, x| { …; a }` goes on with the same variable.
        let kept = function.carried().filter(|_| single);
        let total = match &kept {
            Some((name, _)) => name.clone(),
            None => self.names.fresh("acc", m.method.span()),
        };
        let ty = match &kept {
            Some((_, Some(ty))) => Some(ty),
            _ => ty,
        };
        pipe.before
            .push(make::mutable(&total, ty, m.args[0].clone()));
        pipe.before.extend(before);
        if kept.is_some() {
            function.drop_first();
        }
        let stmts = self.run(pipe, &mut |cx, branch| {
            let item = branch.take();
            if kept.is_some() {
                let value = cx.call(&mut function, vec![item], branch);
                if variable(&value).is_none_or(|i| *i != total) {
                    branch.push(make::assign(make::path(&total), value));
                }
            } else {
                let value = cx.call(&mut function, vec![make::path(&total), item], branch);
                branch.push(make::assign(make::path(&total), value));
            }
        });
        Some(make::block(stmts, Some(make::path(&total))))
    }

    /// `try_fold` with options: the loop ends at the first `None`.
    fn try_fold(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let pipe = self.pipe(&m.receiver)?;
        let mut before = Vec::new();
        let mut function = self.function(Some(&m.args[1]), 2, &mut before, &m.method)?;
        let total = self.names.fresh("acc", m.method.span());
        let first = make::mutable(&total, None, m.args[0].clone());
        self.until_none(
            pipe,
            (&total, first, before),
            &mut |cx, branch| {
                let item = branch.take();
                cx.call(&mut function, vec![make::path(&total), item], branch)
            },
            &|e| make::assign(make::path(&total), e),
            m.method.span(),
        )
    }

    /// What is made of the items of a chain, round by round, as long as `option` is none that is absent; `None` where one is.
    fn until_none(
        &mut self,
        mut pipe: Pipe,
        (total, first, before): (&Ident, Stmt, Vec<Stmt>),
        option: &mut dyn FnMut(&mut Self, &mut Branch) -> Expr,
        take: &dyn Fn(Expr) -> Stmt,
        span: Span,
    ) -> Option<Expr> {
        let ended = self.names.fresh("ended", span);
        pipe.before.push(first);
        pipe.before
            .push(make::mutable(&ended, None, parse_quote!(false)));
        pipe.before.extend(before);
        let label = pipe.exit.label.clone();
        pipe.exit.used = true;
        let end = || {
            vec![
                make::assign(make::path(&ended), parse_quote!(true)),
                make::semi(make::leave(&label, None, span)),
            ]
        };
        let stmts = self.run(pipe, &mut |cx, branch| {
            let value = option(cx, branch);
            match shape(value) {
                Shape::Always(e) => branch.push(take(e)),
                Shape::Chosen(chosen) => {
                    let (cond, mut then, e) = *chosen;
                    then.push(take(e));
                    branch.push(make::condition(cond, then, Some(end())));
                }
                Shape::Option(e) => {
                    let next = cx.names.fresh("next", span);
                    let then = vec![take(make::path(&next))];
                    let pat = parse_quote!(Some(#next));
                    branch.push(make::condition_let(pat, e, then, Some(end())));
                }
            }
        });
        let value = make::condition(
            make::path(&ended),
            vec![Stmt::Expr(parse_quote!(None), None)],
            Some(vec![Stmt::Expr(some(make::path(total)), None)]),
        );
        match value {
            Stmt::Expr(value, _) => Some(make::block(stmts, Some(value))),
            _ => None,
        }
    }

    fn for_each(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let mut pipe = self.pipe(&m.receiver)?;
        let mut function = self.function(m.args.first(), 1, &mut pipe.before, &m.method)?;
        let stmts = self.run(pipe, &mut |cx, branch| {
            let item = branch.take();
            let value = cx.call(&mut function, vec![item], branch);
            effect(value, branch);
        });
        Some(make::block(stmts, None))
    }

    /// `v.extend(chain)`, where lowering cannot loop over the chain itself.
    pub(super) fn appended(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let chain = m.args.first().filter(|e| needs_writing_out(e))?;
        if m.args.len() > 1 || !source::is_place(&m.receiver) {
            return None;
        }
        let pipe = self.pipe(chain)?;
        let push = Ident::new("push", m.method.span());
        let stmts = self.run(pipe, &mut |_, branch| {
            // References to numbers are appended as numbers.
            let item = match branch.taken_by_value() {
                Expr::Reference(e) => *e.expr,
                item => item,
            };
            let push = make::method((*m.receiver).clone(), push.clone(), vec![item]);
            branch.push(make::semi(push));
        });
        Some(make::block(stmts, None))
    }

    /// The type of the elements that a chain is collected into.
    fn element(ty: &syn::Type) -> Option<syn::Type> {
        let infer = || parse_quote!(_);
        let syn::Type::Path(path) = types::strip(ty) else {
            return matches!(ty, syn::Type::Infer(_)).then(infer);
        };
        // What has a name of the user's own is a `Vec` under another name; rustc tells if it is not.
        let alias = path.qself.is_none() && path.path.get_ident().is_some_and(|s| s != "String");
        if alias {
            return Some(infer());
        }
        let last = path.path.segments.last();
        let last = last.filter(|s| s.ident == "Vec" || is_array_of_ndarray(s))?;
        let syn::PathArguments::AngleBracketed(args) = &last.arguments else {
            return Some(infer());
        };
        args.args.iter().find_map(|arg| match arg {
            syn::GenericArgument::Type(ty) => Some(ty.clone()),
            _ => None,
        })
    }

    /// `Vec::from_iter(chain)`, which is `chain.collect::<Vec<_>>()`.
    pub(super) fn made_of_chain(&mut self, c: &syn::ExprCall) -> Option<Expr> {
        let Expr::Path(p) = unparen(&c.func) else {
            return None;
        };
        let mut path = p.path.clone();
        let last = path.segments.pop().filter(|s| s.ident == "from_iter")?;
        path.segments.pop_punct();
        let chain = c.args.first().filter(|e| crate::iterators::is_chain(e))?;
        // One of one axis, whatever it is called.
        let array = features().ndarray && path.segments.last().is_some_and(|s| s.ident == "Array");
        let ty: syn::Type = if array {
            parse_quote!(Array1<_>)
        } else {
            parse_quote!(#path)
        };
        let known = c.args.len() == 1 && p.qself.is_none() && Self::element(&ty).is_some();
        let method = Ident::new("collect", last.ident.span());
        let Expr::MethodCall(m) = make::method(chain.clone(), method, Vec::new()) else {
            return None;
        };
        known.then(|| self.collect(&m, Some(&ty))).flatten()
    }

    fn collect(&mut self, m: &syn::ExprMethodCall, ty: Option<&syn::Type>) -> Option<Expr> {
        if let Some(element) = ty.and_then(optional_list).and_then(Self::element) {
            return self.listed_until_none(m, &element);
        }
        let list = self.listed(m, ty)?;
        let array = ty.and_then(types::last).is_some_and(is_array_of_ndarray);
        if !array {
            return Some(list);
        }
        let made =
            parse_quote_spanned!(m.method.span()=> rt::linalg::ndarray::Array1::<_>::from_vec);
        Some(make::call(made, vec![list]))
    }

    /// A list of what is in options, if it is in all of them.
    fn listed_until_none(&mut self, m: &syn::ExprMethodCall, element: &syn::Type) -> Option<Expr> {
        let pipe = self.pipe(&m.receiver)?;
        let span = m.method.span();
        let (out, push) = (self.names.fresh("out", span), Ident::new("push", span));
        let list: syn::Type = parse_quote!(::std::vec::Vec<#element>);
        let empty = parse_quote!(::std::vec::Vec::new());
        let first = make::mutable(&out, Some(&list), empty);
        self.until_none(
            pipe,
            (&out, first, Vec::new()),
            &mut |_, branch| branch.take(),
            &|item| make::semi(make::method(make::path(&out), push.clone(), vec![item])),
            span,
        )
    }

    fn listed(&mut self, m: &syn::ExprMethodCall, ty: Option<&syn::Type>) -> Option<Expr> {
        // Where no type is written it is taken for a `Vec`; rustc tells if it is not.
        let any: syn::Type = parse_quote!(_);
        let ty = ty.unwrap_or(&any);
        let Some(element) = Self::element(ty) else {
            self.errors.error(
                ty,
                "only a `Vec` of active values can be collected; collect into a `Vec`",
            );
            return None;
        };
        let mut pipe = self.pipe(&m.receiver)?;
        let out = self.names.fresh("out", m.method.span());
        let inferred = matches!(element, syn::Type::Infer(_));
        let zero = self.zero_of(Some(&element).filter(|_| !inferred), &pipe);
        let counted = zero.and_then(|zero| Some((zero, self.rounds_of(&mut pipe)?)));
        let push = Ident::new("push", m.method.span());
        let whole: syn::Type = parse_quote!(::std::vec::Vec<#element>);
        let Some((zero, n)) = counted else {
            pipe.before.push(make::mutable(
                &out,
                Some(&whole),
                parse_quote!(::std::vec::Vec::new()),
            ));
            let stmts = self.run(pipe, &mut |cx, branch| {
                let mut item = branch.take();
                cx.expect(&mut item, Some(&element));
                let push = make::method(make::path(&out), push.clone(), vec![item]);
                branch.push(make::semi(push));
            });
            return Some(make::block(stmts, Some(make::path(&out))));
        };
        let vec = crate::macros::repeated(zero, n, m.method.span());
        pipe.before
            .push(make::mutable(&out, Some(&whole).filter(|_| !inferred), vec));
        let counter = self.counter(&mut pipe, m.method.span());
        let stmts = self.run(pipe, &mut |cx, branch| {
            let mut item = branch.take();
            cx.expect(&mut item, Some(&element));
            let at = make::index(make::path(&out), make::path(&counter));
            branch.push(make::assign(at, item));
        });
        Some(make::block(stmts, Some(make::path(&out))))
    }

    /// A variable that counts the rounds of the only branch of a chain.
    fn counter(&mut self, pipe: &mut Pipe, span: Span) -> Ident {
        use super::pipe::Kind;
        let k = self.names.fresh("k", span);
        for branch in &mut pipe.branches {
            if matches!(branch.kind, Kind::Range(..)) {
                // `0..n` counts itself.
                let pat = std::mem::replace(&mut branch.pat, make::ident(&k, false));
                let item = make::local(pat, make::path(&k));
                branch.steps.insert(0, super::pipe::Step::Do(item));
            } else {
                let enumerate = Ident::new("enumerate", span);
                branch.over = make::method(branch.over.clone(), enumerate, Vec::new());
                branch.pat = make::tuple_pat([make::ident(&k, false), branch.pat.clone()]);
            }
        }
        k
    }

    /// How many items a chain has, if that is known before.
    fn rounds_of(&mut self, pipe: &mut Pipe) -> Option<Expr> {
        use super::pipe::Kind;
        let [branch] = pipe.branches.as_slice() else {
            return None;
        };
        if !pipe.one_to_one || matches!(branch.kind, Kind::Numbers | Kind::Endless) {
            return None;
        }
        if let Kind::Range(bounds) = &branch.kind {
            // The counter of the loop is the index of what is collected.
            if !self.counts(&bounds.0, bounds.1.as_ref()) && !super::counts::indexes(branch) {
                return None;
            }
        }
        let lens = branch.len.clone()?;
        let mut named = Vec::new();
        for len in lens {
            named.push(self.once(&len, "n", &mut pipe.before));
        }
        named
            .into_iter()
            .reduce(|a, b| make::call(parse_quote!(usize::min), vec![a, b]))
    }

    /// A zero of the elements of a chain, if their type is that of numbers.
    fn zero_of(&self, element: Option<&syn::Type>, pipe: &Pipe) -> Option<Expr> {
        let ty = match (element, pipe.branches.as_slice()) {
            (Some(ty), _) => self.facts.read(ty),
            (None, [branch]) => {
                let mut stmts = Vec::new();
                let value = flatten(branch.item.clone(), &mut stmts);
                self.facts.ty(&value)
            }
            _ => return None,
        };
        zero(&ty)
    }

    fn unzip(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let mut pipe = self.pipe(&m.receiver)?;
        let parts = [(); 2].map(|()| self.names.fresh("out", m.method.span()));
        for part in &parts {
            pipe.before.push(make::mutable(
                part,
                None,
                parse_quote!(::std::vec::Vec::new()),
            ));
        }
        let push = Ident::new("push", m.method.span());
        let stmts = self.run(pipe, &mut |cx, branch| {
            let item = match branch.take() {
                Expr::Tuple(t) if t.elems.len() == 2 => t.elems.into_iter().collect(),
                item => {
                    let names = [(); 2].map(|()| cx.names.fresh("part", m.method.span()));
                    let pat = make::tuple_pat(names.iter().map(|n| make::ident(n, false)));
                    branch.push(make::local(pat, item));
                    names.iter().map(make::path).collect::<Vec<_>>()
                }
            };
            for (part, e) in parts.iter().zip(item) {
                let push = make::method(make::path(part), push.clone(), vec![e]);
                branch.push(make::semi(push));
            }
        });
        Some(make::block(
            stmts,
            Some(make::tuple(parts.iter().map(make::path))),
        ))
    }

    /// `partition`: the items for which the function holds, and the others.
    fn partition(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let mut before = Vec::new();
        let mut function = self.function(m.args.first(), 1, &mut before, &m.method)?;
        let mut pipe = self.pipe(&m.receiver)?;
        let parts = [(); 2].map(|()| self.names.fresh("out", m.method.span()));
        for part in &parts {
            let empty = parse_quote!(::std::vec::Vec::new());
            pipe.before.push(make::mutable(part, None, empty));
        }
        let stmts = self.run(pipe, &mut |cx, branch| {
            let item = cx.names.fresh("item", m.method.span());
            let value = branch.take();
            branch.push(make::variable(&item, value));
            let lent = make::reference(make::path(&item), false);
            let holds = cx.call(&mut function, vec![lent], branch);
            let [then, other] = [0, 1].map(|k| {
                let push = Ident::new("push", m.method.span());
                let push = make::method(make::path(&parts[k]), push, vec![make::path(&item)]);
                vec![make::semi(push)]
            });
            branch.push(make::condition(holds, then, Some(other)));
        });
        before.extend(stmts);
        let parts = make::tuple(parts.iter().map(make::path));
        Some(make::block(before, Some(parts)))
    }

    /// A chain that keeps one item, if there is any: `step` gives the next one from the last and an item.
    fn keep(
        &mut self,
        mut pipe: Pipe,
        m: &syn::ExprMethodCall,
        step: &mut dyn FnMut(&mut Self, &mut Branch, &Ident) -> Vec<Stmt>,
    ) -> Expr {
        let kept = self.names.fresh("kept", m.method.span());
        let ty = match pipe.branches.as_slice() {
            [branch] => {
                let mut stmts = Vec::new();
                let value = flatten(branch.item.clone(), &mut stmts);
                types::written(&self.facts.ty(&value))
            }
            _ => None,
        };
        // Either way may know more of it.
        let of_chain = self.item_type(&pipe, &m.receiver);
        let ty = ty
            .into_iter()
            .chain(of_chain)
            .min_by_key(|ty| ty.to_token_stream().to_string().matches('_').count());
        let ty: Option<syn::Type> = ty.map(|ty| parse_quote!(Option<#ty>));
        pipe.before
            .push(make::mutable(&kept, ty.as_ref(), parse_quote!(None)));
        let stmts = self.run(pipe, &mut |cx, branch| {
            let stmts = step(cx, branch, &kept);
            stmts.into_iter().for_each(|stmt| branch.push(stmt));
        });
        make::block(stmts, Some(make::path(&kept)))
    }

    /// The type of the items of a chain, as far as it is known.
    pub(super) fn item_type(&self, pipe: &Pipe, chain: &Expr) -> Option<syn::Type> {
        let ty = self.facts.ty(chain).element();
        let item = pipe.branches.first().map(|branch| unparen(&branch.item));
        let (Ty::Tuple(parts), Some(Expr::Tuple(items))) = (&ty, item) else {
            return types::written(&ty);
        };
        let parts = parts.iter().zip(&items.elems).map(|(ty, e)| {
            let counted = variable(e).is_some_and(|i| self.counters.contains(&i.to_string()));
            if counted {
                return parse_quote!(usize);
            }
            types::written(ty).unwrap_or_else(|| parse_quote!(_))
        });
        let parts: Vec<syn::Type> = parts.collect();
        Some(parse_quote!((#(#parts,)*)))
    }

    fn last(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let pipe = self.pipe(&m.receiver)?;
        Some(self.keep(pipe, m, &mut |_, branch, kept| {
            vec![make::assign(
                make::path(kept),
                some(branch.taken_by_value()),
            )]
        }))
    }

    /// The first item, or the one behind `n` others.
    fn first(&mut self, e: &Expr, n: Option<&Expr>, m: &syn::ExprMethodCall) -> Option<Expr> {
        if variable(e).is_some() {
            return None;
        }
        let mut pipe = self.pipe(e)?;
        if let Some(n) = n {
            let skip = Ident::new("skip", m.method.span());
            let Expr::MethodCall(skip) = make::method(e.clone(), skip, vec![n.clone()]) else {
                return None;
            };
            self.adapt(&mut pipe, &skip)?;
        }
        let label = pipe.exit.label.clone();
        pipe.exit.used = true;
        Some(self.keep(pipe, m, &mut |_, branch, kept| {
            vec![
                make::assign(make::path(kept), some(branch.taken_by_value())),
                make::semi(make::leave(&label, None, m.method.span())),
            ]
        }))
    }

    fn find(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let filter = Ident::new("filter", m.method.span());
        let mut pipe = self.pipe(&m.receiver)?;
        let Expr::MethodCall(filter) = make::method(
            (*m.receiver).clone(),
            filter,
            m.args.iter().cloned().collect(),
        ) else {
            return None;
        };
        self.adapt(&mut pipe, &filter)?;
        let label = pipe.exit.label.clone();
        pipe.exit.used = true;
        Some(self.keep(pipe, m, &mut |_, branch, kept| {
            vec![
                make::assign(make::path(kept), some(branch.taken_by_value())),
                make::semi(make::leave(&label, None, m.method.span())),
            ]
        }))
    }

    /// Keeps the first item, and from then on what `next` makes of the kept one and an item.
    fn fold_first(
        &mut self,
        m: &syn::ExprMethodCall,
        next: &mut dyn FnMut(&mut Self, &mut Branch, &Ident, &Ident) -> Expr,
    ) -> Option<Expr> {
        let pipe = self.pipe(&m.receiver)?;
        Some(self.keep(pipe, m, &mut |cx, branch, kept| {
            let item = cx.names.fresh("item", m.method.span());
            let whole = branch.taken_by_value();
            branch.push(make::variable(&item, whole));
            let old = cx.names.fresh("old", m.method.span());
            let outer = std::mem::take(&mut branch.steps);
            let value = next(cx, branch, &old, &item);
            let inner = std::mem::replace(&mut branch.steps, outer);
            let mut stmts = Branch::body(inner);
            stmts.push(Stmt::Expr(value, None));
            let mut choice: syn::ExprMatch =
                parse_quote!(match #kept { None => #item, Some(#old) => () });
            if let Some(arm) = choice.arms.last_mut() {
                *arm.body = make::labelled(None, make::braces(stmts));
            }
            // Rustc has to know the type of the kept one before its fields and methods are named.
            let alike: Stmt = parse_quote!(::core::assert!(rt::alike(&#kept, &#item)););
            vec![
                alike,
                make::assign(make::path(kept), some(Expr::Match(choice))),
            ]
        }))
    }

    fn reduce(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let mut before = Vec::new();
        let mut function = self.function(m.args.first(), 2, &mut before, &m.method)?;
        let value = self.fold_first(m, &mut |cx, branch, old, item| {
            cx.call(
                &mut function,
                vec![make::path(old), make::path(item)],
                branch,
            )
        })?;
        Some(make::block(before, Some(value)))
    }

    /// `max_by`, which keeps the last of equal items, and `min_by`, which keeps the first.
    fn extreme(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let mut before = Vec::new();
        let keys = m.method.to_string().ends_with("_key");
        let arguments = if keys { 1 } else { 2 };
        let mut function = self.function(m.args.first(), arguments, &mut before, &m.method)?;
        let greater: Expr = parse_quote!(::core::cmp::Ordering::Greater);
        let value = self.fold_first(m, &mut |cx, branch, old, item| {
            let args = [old, item].map(|name| make::reference(make::path(name), false));
            let order: Expr = if keys {
                let [a, b] = args.map(|arg| {
                    let key = cx.names.fresh("key", m.method.span());
                    let value = cx.call(&mut function, vec![arg], branch);
                    branch.push(make::variable(&key, value));
                    key
                });
                parse_quote!(#a.cmp(&#b))
            } else {
                cx.call(&mut function, args.to_vec(), branch)
            };
            let eq = syn::BinOp::Eq(syn::token::EqEq::default());
            let cond = make::binary(order, eq, greater.clone());
            let (then, other) = if m.method.to_string().starts_with("max_by") {
                (old, item)
            } else {
                (item, old)
            };
            let then = vec![Stmt::Expr(make::path(then), None)];
            let other = vec![Stmt::Expr(make::path(other), None)];
            match make::condition(cond, then, Some(other)) {
                Stmt::Expr(e, _) => e,
                _ => make::unit(),
            }
        })?;
        Some(make::block(before, Some(value)))
    }
}

fn some(e: Expr) -> Expr {
    make::call(parse_quote!(Some), vec![e])
}

/// A zero of a type made of numbers.
pub(super) fn zero(ty: &Ty) -> Option<Expr> {
    match ty {
        Ty::Float(Width::F32) => Some(parse_quote!(0.0f32)),
        Ty::Float(Width::F64) => Some(parse_quote!(0.0f64)),
        // A type parameter has no literals.
        Ty::Float(Width::Generic) => Some(parse_quote!(rt::num::lit(0.0))),
        Ty::Float(_) => Some(parse_quote!(0.0)),
        Ty::Tuple(parts) if !parts.is_empty() => {
            let parts: Option<Vec<Expr>> = parts.iter().map(zero).collect();
            Some(make::tuple(parts?))
        }
        Ty::Array(elem, Some(n)) => {
            let elem = zero(elem)?;
            let n: Expr = syn::parse2(n.to_token_stream()).ok()?;
            Some(Expr::Repeat(syn::ExprRepeat {
                attrs: Vec::new(),
                bracket_token: syn::token::Bracket::default(),
                expr: Box::new(elem),
                semi_token: syn::token::Semi::default(),
                len: Box::new(n),
            }))
        }
        _ => None,
    }
}

/// Whether an iterator must be written out before lowering can loop over it.
pub(super) fn needs_writing_out(e: &Expr) -> bool {
    crate::iterators::is_chain(e) && !source::is_plain(unparen(e))
}
