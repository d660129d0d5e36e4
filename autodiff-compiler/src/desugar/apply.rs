//! A closure applied to arguments, as statements and a value.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Expr, Pat, Stmt, parse_quote, parse_quote_spanned};

use super::make;
use crate::names::Names;
pub(super) use crate::syntax::peel as unparen;
use crate::visit_mut::{self, OtherMut, VisitMut};

/// The variable that an expression is, if it is nothing else.
pub(super) fn variable(e: &Expr) -> Option<&syn::Ident> {
    match unparen(e) {
        Expr::Path(p) if p.qself.is_none() => p.path.get_ident(),
        _ => None,
    }
}

/// What a closure does with arguments: statements, and what it returns.
///
/// Its variables must have names of their own, unless this is the only use of it.
pub(super) fn apply(
    closure: syn::ExprClosure,
    args: Vec<Expr>,
    names: &mut Names,
) -> (Vec<Stmt>, Expr) {
    let mut stmts = Vec::new();
    let syn::ExprClosure {
        inputs,
        output,
        mut body,
        ..
    } = closure;
    for (pat, arg) in inputs.into_iter().zip(args) {
        bind(pat, arg, Some(&mut body), &mut stmts);
    }
    let mut body = *body;
    leave(&mut body, names);
    let value = flatten(body, &mut stmts);
    if let syn::ReturnType::Type(_, ty) = output {
        if !matches!(&*ty, syn::Type::Tuple(t) if t.elems.is_empty()) {
            let result = names.fresh("result", Span::call_site());
            stmts.push(make::local(
                make::typed(make::ident(&result, false), &ty),
                value,
            ));
            return (stmts, make::path(&result));
        }
    }
    (stmts, value)
}

/// A closure or the path of a function called with arguments, as an expression; `None` for anything else.
pub(super) fn called(f: &Expr, args: Vec<Expr>, names: &mut Names) -> Option<Expr> {
    match unparen(f) {
        Expr::Closure(closure) => {
            let (stmts, value) = apply(closure.clone(), args, names);
            Some(make::block(stmts, Some(value)))
        }
        Expr::Path(path) => Some(parse_quote!(#path(#(#args),*))),
        _ => None,
    }
}

/// Moves the statements of a block in front of its value.
pub(super) fn flatten(e: Expr, stmts: &mut Vec<Stmt>) -> Expr {
    match e {
        Expr::Paren(e) => flatten(*e.expr, stmts),
        Expr::Group(e) => flatten(*e.expr, stmts),
        Expr::Block(syn::ExprBlock {
            label: None, block, ..
        }) => {
            let mut inner = block.stmts;
            let value = match inner.pop() {
                Some(Stmt::Expr(e, None)) => Some(e),
                Some(other) => {
                    inner.push(other);
                    None
                }
                None => None,
            };
            stmts.extend(inner);
            match value {
                Some(e) => flatten(e, stmts),
                None => make::unit(),
            }
        }
        other => other,
    }
}

/// Binds a pattern to an argument: a tuple part by part, and no reference where the body looks through it.
pub(super) fn bind(pat: Pat, arg: Expr, body: Option<&mut Expr>, stmts: &mut Vec<Stmt>) {
    let mut body = body;
    match (pat, arg) {
        (Pat::Paren(p), arg) => bind(*p.pat, arg, body, stmts),
        (pat, Expr::Paren(e)) => bind(pat, *e.expr, body, stmts),
        (Pat::Reference(p), Expr::Reference(e)) if p.mutability.is_none() => {
            bind(*p.pat, *e.expr, body, stmts);
        }
        (Pat::Tuple(p), Expr::Tuple(e)) if same_length(&p, e.elems.len()) => {
            for (pat, arg) in p.elems.into_iter().zip(e.elems) {
                bind(pat, arg, body.as_deref_mut(), stmts);
            }
        }
        // `|(i, x)|` of `&(a, b)` are references to the parts.
        (Pat::Tuple(p), Expr::Reference(e)) if matches!(unparen(&e.expr), Expr::Tuple(t) if same_length(&p, t.elems.len())) =>
        {
            let Expr::Tuple(parts) = unparen(&e.expr) else {
                return;
            };
            for (pat, part) in p.elems.into_iter().zip(&parts.elems) {
                bind(
                    pat,
                    make::reference(part.clone(), false),
                    body.as_deref_mut(),
                    stmts,
                );
            }
        }
        (Pat::Ident(p), Expr::Reference(e)) if p.subpat.is_none() && e.mutability.is_none() => {
            let mut seen_through = false;
            if let Some(body) = body {
                seen_through = see_through(&p.ident, unparen(&e.expr), body);
            }
            if !seen_through {
                stmts.push(make::local(Pat::Ident(p), Expr::Reference(e)));
            }
        }
        (pat, arg) => stmts.push(make::local(pat, arg)),
    }
}

fn same_length(p: &syn::PatTuple, parts: usize) -> bool {
    p.elems.len() == parts && !p.elems.iter().any(|p| matches!(p, Pat::Rest(_)))
}

/// Replaces `*name` by the variable that `name` refers to, and `name.k` by the part; `false` if `name` is used otherwise.
pub(super) fn see_through(name: &syn::Ident, target: &Expr, body: &mut Expr) -> bool {
    let simple = match target {
        Expr::Tuple(t) => t.elems.iter().all(|e| variable(e).is_some()),
        e => variable(e).is_some(),
    };
    if !simple {
        return false;
    }
    let mut through = SeeThrough {
        name: name.to_string(),
        target,
        otherwise: false,
    };
    let mut changed = body.clone();
    through.visit_expr_mut(&mut changed);
    if through.otherwise {
        return false;
    }
    *body = changed;
    true
}

struct SeeThrough<'a> {
    name: String,
    target: &'a Expr,
    otherwise: bool,
}

impl VisitMut for SeeThrough<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let named = |e: &Expr| variable(e).is_some_and(|i| *i == self.name);
        let to = match (&*e, self.target) {
            (Expr::Unary(u), target) if matches!(u.op, syn::UnOp::Deref(_)) && named(&u.expr) => {
                Some(target.clone())
            }
            (Expr::Field(f), Expr::Tuple(t)) if named(&f.base) => match &f.member {
                syn::Member::Unnamed(k) => t.elems.get(k.index as usize).cloned(),
                syn::Member::Named(_) => None,
            },
            _ => None,
        };
        if let Some(to) = to {
            *e = to;
            return;
        }
        self.otherwise |= named(e);
        visit_mut::visit_expr_mut(self, e);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        crate::facts::idents(mac.tokens.clone(), &mut |name| {
            self.otherwise |= name == self.name;
        });
    }
}

/// Replaces `*name`, `name.part`, `name[i]` and `name.method()` by the variable that `name` is a `&mut` to; `false` if a macro uses it.
pub(super) fn see_through_mutable(name: &syn::Ident, target: &Expr, body: &mut Expr) -> bool {
    struct Through<'a> {
        name: String,
        target: &'a Expr,
        macros: bool,
    }
    impl Through<'_> {
        fn named(&self, e: &Expr) -> bool {
            variable(e).is_some_and(|i| *i == self.name)
        }
    }
    impl VisitMut for Through<'_> {
        fn visit_expr_mut(&mut self, e: &mut Expr) {
            let base = match e {
                Expr::Field(f) => Some(&mut f.base),
                Expr::Index(i) => Some(&mut i.expr),
                Expr::MethodCall(m) => Some(&mut m.receiver),
                _ => None,
            };
            if let Some(base) = base.filter(|base| self.named(base)) {
                **base = self.target.clone();
            }
            let deref = matches!(&*e, Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) && self.named(&u.expr));
            if deref {
                *e = self.target.clone();
            } else if self.named(e) {
                *e = make::reference(self.target.clone(), true);
            } else {
                visit_mut::visit_expr_mut(self, e);
            }
        }

        fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
            crate::facts::idents(mac.tokens.clone(), &mut |name| {
                self.macros |= name == self.name;
            });
        }
    }
    let mut through = Through {
        name: name.to_string(),
        target,
        macros: false,
    };
    let mut changed = body.clone();
    through.visit_expr_mut(&mut changed);
    if through.macros {
        return false;
    }
    *body = changed;
    true
}

/// The mark of a `return` or `?` that leaves the function, though it stands in what is applied as a closure: the body of a loop.
fn outer() -> syn::Attribute {
    syn::parse_quote!(#[__of_the_function])
}

fn is_outer(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|a| a.path().is_ident("__of_the_function"))
}

/// Marks the jumps of a loop's body that leave the function, or takes the marks off.
pub(super) struct OfFunction {
    pub(super) mark: bool,
}

impl OfFunction {
    fn of(&self, attrs: &mut Vec<syn::Attribute>) {
        if self.mark {
            attrs.push(outer());
        } else {
            attrs.retain(|a| !is_outer(std::slice::from_ref(a)));
        }
    }
}

impl VisitMut for OfFunction {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_expr_return_mut(&mut self, e: &mut syn::ExprReturn) {
        visit_mut::visit_expr_return_mut(self, e);
        self.of(&mut e.attrs);
    }

    fn visit_other_mut(&mut self, node: OtherMut<'_>) {
        match node {
            OtherMut::ExprTry(e) => {
                OtherMut::ExprTry(e).walk(self);
                self.of(&mut e.attrs);
            }
            other => other.walk(self),
        }
    }
}

/// Whether a closure's body returns anywhere but at its end.
pub(super) fn returns(body: &Expr) -> bool {
    struct Returns(bool);
    impl<'ast> crate::visit::Visit<'ast> for Returns {
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
        fn visit_item(&mut self, _: &'ast syn::Item) {}
        fn visit_expr_return(&mut self, e: &'ast syn::ExprReturn) {
            self.0 |= !is_outer(&e.attrs);
            crate::visit::visit_expr_return(self, e);
        }
        fn visit_expr_try(&mut self, e: &'ast syn::ExprTry) {
            self.0 |= !is_outer(&e.attrs);
            crate::visit::visit_expr_try(self, e);
        }
    }
    let mut returns = Returns(false);
    crate::visit::Visit::visit_expr(&mut returns, &at_the_end(body.clone()));
    returns.0
}

/// Turns every `return` and `?` of a closure's body into a jump to its end.
fn leave(body: &mut Expr, names: &mut Names) {
    *body = at_the_end(body.clone());
    let ident = names.fresh("closure", Span::call_site());
    let label = syn::Lifetime::new(&format!("'{ident}"), Span::call_site());
    let mut leave = Leave {
        label: label.clone(),
        names,
        found: false,
    };
    leave.visit_expr_mut(body);
    if leave.found {
        let block = match std::mem::replace(body, make::unit()) {
            Expr::Block(b) if b.label.is_none() => b.block,
            other => make::braces(vec![Stmt::Expr(other, None)]),
        };
        *body = make::labelled(Some(&label), block);
    }
}

/// A last `return` is only another way to yield.
fn at_the_end(e: Expr) -> Expr {
    match e {
        Expr::Return(r) if !is_outer(&r.attrs) => r.expr.map_or_else(make::unit, |e| *e),
        Expr::Block(mut b) if b.label.is_none() => {
            if let Some(Stmt::Expr(last, semi)) = b.block.stmts.pop() {
                let returns = matches!(&last, Expr::Return(r) if !is_outer(&r.attrs));
                let semi = if returns { None } else { semi };
                let last = if returns { at_the_end(last) } else { last };
                b.block.stmts.push(Stmt::Expr(last, semi));
            }
            Expr::Block(b)
        }
        other => other,
    }
}

struct Leave<'a> {
    label: syn::Lifetime,
    names: &'a mut Names,
    found: bool,
}

impl VisitMut for Leave<'_> {
    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let label = &self.label;
        match e {
            Expr::Return(r) if !is_outer(&r.attrs) => {
                let (value, span) = (r.expr.take(), r.return_token.span);
                *e = make::leave(&self.label, value.map(|e| *e), span);
                self.found = true;
            }
            Expr::Try(t) if !is_outer(&t.attrs) => {
                let span = t.question_token.span;
                let value = self.names.fresh("value", span);
                let mut handled: syn::ExprMatch = parse_quote_spanned!(span=> match () { Some(#value) => #value, None => break #label None });
                handled.expr.clone_from(&t.expr);
                *e = Expr::Match(handled);
                self.found = true;
            }
            _ => {}
        }
    }

    fn visit_other_mut(&mut self, node: OtherMut<'_>) {
        match node {
            OtherMut::ExprAsync(_) => {}
            other => other.walk(self),
        }
    }
}

/// A path as the closure that calls it.
pub(super) fn eta(path: &Expr, arguments: usize, names: &mut Names) -> syn::ExprClosure {
    let span = path
        .to_token_stream()
        .into_iter()
        .last()
        .map_or_else(Span::call_site, |t| t.span());
    let args: Vec<syn::Ident> = (0..arguments).map(|_| names.fresh("arg", span)).collect();
    let body = make::call(unparen(path).clone(), args.iter().map(make::path).collect());
    let mut closure: syn::ExprClosure = parse_quote!(|| ());
    closure.inputs = args.iter().map(|arg| make::ident(arg, false)).collect();
    // `f64::max` says what it is called on.
    if let (Expr::Path(p), Some(first)) = (unparen(path), closure.inputs.first_mut()) {
        let owner = p.path.segments.iter().rev().nth(1).map(|s| &s.ident);
        if let Some(ty) = owner.filter(|ty| **ty == "f64" || **ty == "f32") {
            *first = make::typed(first.clone(), &parse_quote!(#ty));
        }
    }
    closure.body = Box::new(body);
    closure
}
