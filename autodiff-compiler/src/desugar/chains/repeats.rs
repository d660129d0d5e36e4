//! Chains that make their own items again: `cycle`, `successors`, and lists of what cannot be walked through in step.

use proc_macro2::{Ident, Span};
use syn::{Expr, Stmt, parse_quote};

use super::super::apply::{apply, unparen, variable};
use super::super::make;
use super::Chains;
use super::option::{Shape, shape};
use super::pipe::{Branch, Kind, Pipe, Step};
use super::source::is_place;
use crate::facts::Facts;
use crate::iterators::reads_parts;
use crate::visit::{self, Enter as _, Visit};

/// Item number `at` of what a loop runs over, if that can be named by a number.
fn item(over: &Expr, at: &Expr) -> Option<Expr> {
    match unparen(over) {
        Expr::Reference(r) if r.mutability.is_none() && is_place(&r.expr) => Some(make::reference(
            make::index((*r.expr).clone(), at.clone()),
            false,
        )),
        Expr::MethodCall(m) => match (m.method.to_string().as_str(), m.args.len()) {
            ("iter", 0) if is_place(&m.receiver) => {
                let element = make::index((*m.receiver).clone(), at.clone());
                Some(make::reference(element, false))
            }
            ("into_iter", 0) => match unparen(&m.receiver) {
                Expr::Reference(_) => item(&m.receiver, at),
                e => is_place(e).then(|| make::index(e.clone(), at.clone())),
            },
            ("copied", 0) => match item(&m.receiver, at)? {
                Expr::Reference(r) => Some(*r.expr),
                lent => Some(make::deref(lent)),
            },
            ("cloned", 0) => {
                let clone = Ident::new("clone", m.method.span());
                let lent = item(&m.receiver, at)?;
                Some(make::method(make::paren(lent), clone, Vec::new()))
            }
            ("take", 1) => item(&m.receiver, at),
            ("enumerate", 0) => Some(make::tuple([at.clone(), item(&m.receiver, at)?])),
            ("zip", 1) => {
                let parts = [item(&m.receiver, at)?, item(&m.args[0], at)?];
                Some(make::tuple(parts))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether a loop over this ends by itself.
fn ends(over: &Expr) -> bool {
    match unparen(over) {
        Expr::Range(r) => r.end.is_some(),
        Expr::MethodCall(m) if m.method == "take" => true,
        Expr::MethodCall(m) if m.method == "zip" => {
            ends(&m.receiver) || m.args.first().is_some_and(ends)
        }
        Expr::MethodCall(m) => ends(&m.receiver),
        _ => true,
    }
}

impl Chains<'_> {
    /// `cycle`: a loop without end, whose items are named by the remainder of the round; `false` if they cannot be.
    pub(super) fn repeated(&mut self, pipe: &mut Pipe) -> bool {
        if pipe.exit.used || !pipe.pure {
            return false;
        }
        let Some(branch) = pipe.plain() else {
            return false;
        };
        if branch.label.is_some() || branch.group.is_some() {
            return false;
        }
        let [k, n, end] = ["k", "n", "end"].map(|base| self.names.fresh(base, Span::call_site()));
        let percent = syn::BinOp::Rem(syn::token::Percent::default());
        let at = make::paren(make::binary(make::path(&k), percent, make::path(&n)));
        let (item, rounds): (Expr, Expr) = match &branch.kind {
            Kind::Items => {
                let lens = branch.len.clone().unwrap_or_default().into_iter();
                let least = lens.reduce(|a, b| make::call(parse_quote!(usize::min), vec![a, b]));
                match (item(&branch.over, &at), least) {
                    (Some(item), Some(least)) => (item, least),
                    _ => return false,
                }
            }
            Kind::Range(bounds) => {
                let (lo, Some(hi)) = &**bounds else {
                    return false;
                };
                if self.counts(lo, Some(hi)) {
                    let plus = syn::BinOp::Add(syn::token::Plus::default());
                    let item = make::binary(lo.clone(), plus, at);
                    (item, parse_quote!(usize::saturating_sub(#hi, #lo)))
                } else {
                    (
                        parse_quote!(rt::nth(#lo, #at)),
                        parse_quote!(rt::distance(#lo, #hi)),
                    )
                }
            }
            Kind::Numbers | Kind::Endless => return false,
        };
        let pat = std::mem::replace(&mut branch.pat, make::ident(&k, false));
        branch.steps.insert(0, Step::Do(make::local(pat, item)));
        branch.free.clear();
        let (lo, hi): (Expr, Expr) = (parse_quote!(0), make::path(&end));
        branch.over = make::range(Some(lo.clone()), Some(hi.clone()));
        branch.len = Some(vec![hi.clone()]);
        branch.kind = Kind::Range(Box::new((lo, Some(hi))));
        self.usizes.extend([n.to_string(), end.to_string()]);
        pipe.before.push(parse_quote!(let #n: usize = #rounds;));
        // Nothing is repeated for ever without an item.
        pipe.before
            .push(parse_quote!(let #end: usize = if #n == 0 { 0 } else { usize::MAX };));
        true
    }

    /// `successors(first, next)`: a variable that is made anew before its item is used, as the standard library does.
    pub(super) fn successors(
        &mut self,
        (first, next): (&Expr, &Expr),
        at: &Ident,
        mut before: Vec<Stmt>,
    ) -> Option<Pipe> {
        let mut function = self.function(Some(next), 1, &mut before, at)?;
        let always = Self::always(&function);
        let pure = self.is_pure(next);
        let [state, more, item, i] =
            ["state", "more", "item", "i"].map(|base| self.names.fresh(base, at.span()));
        let mut branch = Branch::over(
            Kind::Endless,
            make::range(Some(parse_quote!(0)), None),
            None,
            &i,
        );
        branch.pat = make::wild();
        branch.free.clear();
        let closure = self.copy(&mut function);
        let lent = make::reference(make::path(&item), false);
        let (stmts, value) = apply(closure, vec![lent], self.names);
        let exit = self.exit();
        let label = exit.label.clone();
        let one_to_one = match (shape(first.clone()), shape(value)) {
            (Shape::Always(first), Shape::Always(value)) if always => {
                before.push(make::mutable(&state, None, first));
                branch.push(make::variable(&item, make::path(&state)));
                branch.steps.extend(stmts.into_iter().map(Step::Do));
                branch.push(make::assign(make::path(&state), value));
                true
            }
            (Shape::Always(first), Shape::Chosen(chosen)) => {
                let (cond, mut then, value) = *chosen;
                before.push(make::mutable(&state, None, first));
                before.push(make::mutable(&more, None, parse_quote!(true)));
                let leave = make::semi(make::leave(&label, None, at.span()));
                let over = make::not(make::path(&more));
                branch.push(make::condition(over, vec![leave], None));
                branch.push(make::variable(&item, make::path(&state)));
                branch.steps.extend(stmts.into_iter().map(Step::Do));
                then.push(make::assign(make::path(&state), value));
                let none = make::assign(make::path(&more), parse_quote!(false));
                branch.push(make::condition(cond, then, Some(vec![none])));
                false
            }
            (_, value) => {
                let value = match value {
                    Shape::Always(e) => make::call(parse_quote!(Some), vec![e]),
                    Shape::Chosen(chosen) => {
                        let (cond, mut then, value) = *chosen;
                        let some = make::call(parse_quote!(Some), vec![value]);
                        then.push(Stmt::Expr(some, None));
                        let none = vec![Stmt::Expr(parse_quote!(None), None)];
                        match make::condition(cond, then, Some(none)) {
                            Stmt::Expr(e, _) => e,
                            _ => return None,
                        }
                    }
                    Shape::Option(e) => e,
                };
                before.push(make::mutable(&state, None, first.clone()));
                let held = make::path(&state);
                let leave = make::semi(make::leave(&label, None, at.span()));
                branch.push(parse_quote!(let Some(#item) = #held else { #leave };));
                branch.steps.extend(stmts.into_iter().map(Step::Do));
                branch.push(make::assign(held, value));
                false
            }
        };
        branch.item = make::path(&item);
        Some(Pipe {
            before,
            branches: vec![branch],
            exit: super::pipe::Exit {
                label,
                used: !one_to_one,
            },
            one_to_one,
            stateless: false,
            pure,
        })
    }

    /// Whether items of a chain may be `&mut` references.
    fn lends_to_change(&self, pipe: &Pipe) -> bool {
        struct Exclusive<'a> {
            facts: &'a Facts,
            found: bool,
        }
        impl<'ast> Visit<'ast> for Exclusive<'_> {
            fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
                self.found |= m.method.to_string().ends_with("_mut");
                // Through these, what is behind a `&mut` is only read.
                if m.method != "iter" && !reads_parts(&m.method.to_string()) {
                    visit::visit_expr_method_call(self, m);
                }
            }

            fn visit_expr_reference(&mut self, e: &'ast syn::ExprReference) {
                self.found |= e.mutability.is_some();
                visit::visit_expr_reference(self, e);
            }

            fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
                let name = e.path.get_ident().map(ToString::to_string);
                let known = name.and_then(|name| self.facts.get(&name));
                self.found |= known.is_some_and(|v| v.exclusive);
            }
        }
        let mut exclusive = Exclusive {
            facts: self.facts,
            found: false,
        };
        pipe.before
            .iter()
            .for_each(|stmt| exclusive.visit_stmt(stmt));
        for branch in &pipe.branches {
            exclusive.visit_expr(&branch.over);
            exclusive.visit_expr(&branch.item);
            for step in &branch.steps {
                if let Step::Loop(_, _, over) = step {
                    exclusive.visit_expr(over);
                }
            }
        }
        exclusive.found
    }

    /// Puts the items of a chain in a list, which can be walked through in step with another one; `false` if they cannot be.
    ///
    /// All are made before the first is used: that makes no difference where closures only compute, and the chain ends.
    pub(super) fn collected(&mut self, pipe: &mut Pipe, at: &Expr) -> bool {
        let lent = |branch: &Branch| match &branch.item {
            Expr::Reference(_) => true,
            e => variable(e).is_some_and(|i| branch.references.contains(&i.to_string())),
        };
        let mixed = |branch: &Branch| {
            matches!(branch.item, Expr::Tuple(_)) && !branch.references.is_empty()
        };
        let all = pipe.branches.iter().all(lent);
        let some = pipe
            .branches
            .iter()
            .any(|branch| lent(branch) || mixed(branch));
        let short = pipe.branches.iter().all(|branch| ends(&branch.over));
        if !pipe.pure || !short || some && !all || self.lends_to_change(pipe) {
            return false;
        }
        let span = syn::spanned::Spanned::span(at);
        let [list, item] = ["list", "item"].map(|base| self.names.fresh(base, span));
        let exit = self.exit();
        let ty = self.item_type(pipe, at).filter(|_| !all);
        let ty: Option<syn::Type> = ty.map(|ty| parse_quote!(::std::vec::Vec<#ty>));
        pipe.before.push(make::mutable(
            &list,
            ty.as_ref(),
            parse_quote!(::std::vec::Vec::new()),
        ));
        let whole = Pipe {
            before: std::mem::take(&mut pipe.before),
            branches: std::mem::take(&mut pipe.branches),
            exit: std::mem::replace(&mut pipe.exit, exit),
            ..*pipe
        };
        let push = Ident::new("push", span);
        let before = self.run(whole, &mut |_, branch| {
            let item = match branch.taken_by_value() {
                Expr::Reference(e) => *e.expr,
                item => item,
            };
            let push = make::method(make::path(&list), push.clone(), vec![item]);
            branch.push(make::semi(push));
        });
        let maker = Ident::new(if all { "iter" } else { "into_iter" }, span);
        let over = make::method(make::path(&list), maker, Vec::new());
        let len = make::method(make::path(&list), Ident::new("len", span), Vec::new());
        let mut branch = Branch::over(Kind::Items, over, Some(len), &item);
        if all {
            branch.references.insert(item.to_string());
        }
        pipe.before = before;
        pipe.branches = vec![branch];
        pipe.one_to_one = true;
        pipe.stateless = true;
        true
    }
}
