//! Expressions.

use std::rc::Rc;

use proc_macro2::{Punct, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use super::{Binding, Lower, Tree};
use crate::facts;
use crate::ir::{
    self, Construct, Conversion, Domain, Kind, Opaque, Part, Path, Place, Prim, Shape, Step,
    Storage, Ty, Value,
};
use crate::macros::VecMacro;
use crate::syntax;
pub(super) use crate::syntax::peel as unparen;
use crate::types;

/// Macros that are statements or end in a panic, and read their arguments only; those of `log` and `tracing` as well.
pub(super) const STATEMENT_MACROS: &[&str] = &[
    "println",
    "print",
    "eprintln",
    "eprint",
    "trace",
    "debug",
    "info",
    "warn",
    "error",
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
];
const NO_QUESTION: &str = "this `?` cannot be followed; put it into a statement of its own";
const PANIC_MACROS: &[&str] = &["panic", "unreachable", "todo", "unimplemented"];

impl Lower<'_> {
    /// Lowers an expression.
    pub(super) fn expr(&mut self, e: &syn::Expr) -> Tree {
        if !self.facts.mentions_active(e) && !self.is_structural(e) {
            return self.verbatim(e);
        }
        let own = std::mem::take(&mut self.own_expected);
        // syn's enums are open; the last arm is for what a later version of the language adds.
        match e {
            syn::Expr::Array(e) => {
                if let Some(reference) = e.elems.iter().find(|e| matches!(unparen(e), syn::Expr::Reference(r) if r.mutability.is_some())) {
                    return self.refuse(reference, "an array of `&mut` references cannot be followed; write through the variables themselves");
                }
                let mut values: Vec<Value> = e.elems.iter().map(|e| self.scalar(e)).collect();
                // Of what is active the array holds what its references refer to.
                if e.elems.iter().any(|e| self.is_reference(e)) {
                    for v in &mut values {
                        if self.referring.contains(v) {
                            *v = self.held(*v);
                        }
                    }
                }
                let elem = values.iter().map(|&v| self.func.ty(v).clone()).fold(Ty::Unknown, ir::join);
                let len = proc_macro2::Literal::usize_unsuffixed(values.len());
                let ty = Ty::Array(Box::new(elem), Some(quote!(#len)));
                Tree::Value(self.emit(Kind::Aggregate(Shape::Array), values, ty, ""))
            }
            syn::Expr::Assign(e) => {
                let errors = self.errors.count();
                let variable = match unparen(&e.left) {
                    syn::Expr::Path(_) => facts::root(&e.left),
                    _ => None,
                };
                let tree = self.evaluated(self.is_own(variable), &e.right);
                if self.errors.count() > errors {
                    self.poisoned.extend(facts::root(&e.left));
                }
                self.assign(&e.left, tree);
                Tree::Unit
            }
            syn::Expr::Async(e) => self.refuse(e.async_token, "an `async` block cannot be differentiated; compute in plain code"),
            syn::Expr::Await(e) => self.refuse(e.await_token, "`.await` cannot be differentiated; compute in plain code"),
            syn::Expr::Binary(e) => self.binary(e, own),
            // A label is refused where it is used.
            syn::Expr::Block(e) => {
                self.own_expected = own;
                self.block(&e.block)
            }
            syn::Expr::Break(e) => self.refuse(e.break_token, "this `break` cannot be followed; put it into a statement of its own"),
            syn::Expr::Call(e) => self.call(e),
            syn::Expr::Cast(e) => self.cast(e),
            syn::Expr::Closure(e) => self.refuse(e.inputs_begin, "this closure cannot be followed; give it a name in a `let` of its own and call it by that, or write a #[grad] function"),
            syn::Expr::Const(e) => self.refuse(e.const_token, "a `const` block cannot use active values; write a `const` item"),
            syn::Expr::Continue(e) => self.refuse(e.continue_token, "this `continue` cannot be followed; put it into a statement of its own"),
            syn::Expr::Field(e) => self.field(e),
            syn::Expr::ForLoop(e) => self.for_loop(e),
            syn::Expr::Group(e) => self.going_into(own, &e.expr),
            syn::Expr::If(e) => self.if_expr(e),
            // `table[&n]`
            syn::Expr::Index(i) if !self.facts.mentions_active(&i.expr) && matches!(unparen(&i.index), syn::Expr::Reference(_)) => self.constant_call(e),
            syn::Expr::Index(e) => self.index(e),
            syn::Expr::Infer(e) => self.refuse(e, "`_` is no value; write one"),
            syn::Expr::Let(e) => self.refuse(e.let_token, "`let` as a condition can be followed at the head of `if` and `while` only; write it there"),
            syn::Expr::Lit(lit) => {
                let ty = self.facts.ty(e);
                Tree::Value(self.literal(lit.to_token_stream(), ty))
            }
            syn::Expr::Loop(e) => self.endless_loop(e),
            syn::Expr::Macro(e) => self.macro_expr(&e.mac),
            syn::Expr::Match(e) => self.match_expr(e),
            syn::Expr::MethodCall(e) => self.method(e),
            syn::Expr::Paren(e) => self.going_into(own, &e.expr),
            syn::Expr::Path(p) => self.variable(p),
            syn::Expr::Range(e) => self.refuse(e, "a range of active values has no derivative; use a `for` loop over integers"),
            syn::Expr::RawAddr(e) => self.refuse(e, "a raw pointer to an active value cannot be followed; use a reference or an index"),
            syn::Expr::Reference(r) => {
                // A part of a variable is borrowed, not read, whether it is active or not.
                let tree = match unparen(&r.expr) {
                    syn::Expr::Index(e) => self.index(e),
                    e => self.expr(e),
                };
                if r.mutability.is_some() {
                    if let Tree::Place(path) | Tree::View(path) = &tree {
                        self.func.at_mut(path.root).mutable = true;
                    }
                }
                if let Tree::Either(either) = tree {
                    return either.viewed();
                }
                let path = match tree {
                    Tree::Place(path) | Tree::View(path) => path,
                    other => self.temporary(other, "t"),
                };
                if matches!(path.steps.last(), Some(Step::Range(..))) {
                    self.push(Kind::Check(path.clone()), Vec::new(), Vec::new());
                }
                Tree::View(path)
            }
            syn::Expr::Repeat(e) => {
                if self.facts.mentions_active(&e.len) {
                    return self.refuse(&e.len, "the length of an array is a constant; write it as one");
                }
                let v = self.scalar(&e.expr);
                let ty = Ty::Array(Box::new(self.func.ty(v).clone()), Some(e.len.to_token_stream()));
                Tree::Value(self.emit(Kind::Aggregate(Shape::Repeat(e.len.to_token_stream())), vec![v], ty, ""))
            }
            syn::Expr::Return(e) => self.refuse(e.return_token, "this `return` cannot be followed; put it into a statement of its own"),
            syn::Expr::Struct(e) => {
                let fields = e.fields.iter().map(|f| (self.part_of(&e.path, &f.member), &f.expr)).collect();
                self.construct(&e.path, fields, e.rest.as_deref())
            }
            syn::Expr::Try(e) => self.refuse(e.question_token, NO_QUESTION),
            syn::Expr::TryBlock(e) => self.refuse(e.try_token, "a `try` block cannot be differentiated; handle the case before"),
            syn::Expr::Tuple(e) => Tree::Tuple(
                e.elems
                    .iter()
                    .map(|e| self.evaluated(false, e))
                    .collect(),
            ),
            syn::Expr::Unary(e) => self.unary(e, own),
            syn::Expr::Unsafe(e) => self.refuse(e.unsafe_token, "an `unsafe` block with active values cannot be differentiated; write it in safe code"),
            syn::Expr::While(e) => self.refuse(e.while_token, "this `while` cannot be followed; put it into a statement of its own"),
            syn::Expr::Yield(e) => self.refuse(e.yield_token, "`yield` cannot be differentiated; compute in plain code"),
            other => self.refuse(other, "this expression cannot be differentiated; write it in another way"),
        }
    }

    /// Inactive, but made of variables and numbers the graph knows itself.
    pub(super) fn is_structural(&self, e: &syn::Expr) -> bool {
        match e {
            syn::Expr::Lit(_) => true,
            syn::Expr::Path(p) => p
                .path
                .get_ident()
                .is_some_and(|i| self.env.contains_key(&i.to_string())),
            syn::Expr::Paren(e) => self.is_structural(&e.expr),
            syn::Expr::Group(e) => self.is_structural(&e.expr),
            syn::Expr::Tuple(t) => !t.elems.is_empty(),
            syn::Expr::Call(e) => is_boxed_number(e),
            // A part of a variable the graph knows is read by a load, which the reverse sweep may repeat.
            syn::Expr::Index(i) => {
                !matches!(&*i.index, syn::Expr::Range(_))
                    && self.is_structural(&i.expr)
                    && !self.facts.ty(&i.expr).is_scalar()
            }
            syn::Expr::Reference(r) => {
                matches!(unparen(&r.expr), syn::Expr::Path(_) | syn::Expr::Index(_))
                    && facts::root(&r.expr)
                        .is_some_and(|n| self.known_memory(&n) || self.is_replaced(&n))
            }
            syn::Expr::Assign(_) | syn::Expr::Binary(_) => {
                facts::is_simple_assignment(e) || self.stores_through(e)
            }
            syn::Expr::If(e) => super::control::is_leave(e),
            _ => false,
        }
    }

    /// A constant of the body that is given other values: a reference to it would be in the way of these.
    fn is_replaced(&self, name: &str) -> bool {
        let var = self.facts.get(name);
        match self.env.get(name) {
            Some(Binding::Place(path)) => {
                let place = self.func.at(path.root);
                path.steps.is_empty()
                    && place.storage == Storage::Local
                    && !place.borrows
                    && var.is_some_and(|var| var.mutable && !var.exclusive)
            }
            _ => false,
        }
    }

    /// A place of a type whose parts the graph can name.
    fn known_memory(&self, name: &str) -> bool {
        let indexed = matches!(
            self.facts.get(name).map(|v| &v.ty),
            Some(Ty::Array(..) | Ty::Slice(_) | Ty::Vec(_))
        );
        indexed
            && matches!(
                self.env.get(name),
                Some(Binding::Place(_) | Binding::View(_))
            )
    }

    /// An expression statement.
    pub(super) fn statement(&mut self, e: &syn::Expr) -> Tree {
        if let syn::Expr::Macro(m) = e {
            return self.macro_statement(&m.mac);
        }
        if !self.facts.mentions_active(e) && !self.is_structural(e) {
            self.verbatim_statement(e);
            return Tree::Unit;
        }
        if self.is_told_constants(e) {
            self.constant_statement(e);
            return Tree::Unit;
        }
        if let syn::Expr::MethodCall(m) = e {
            if self.is_told(m) {
                self.frozen(e);
                return Tree::Unit;
            }
            self.unused = true;
        }
        if let syn::Expr::Call(call) = e {
            if let Some(func) = self.drops(call) {
                return self.dropped(call, func);
            }
        }
        self.expr(e)
    }

    /// The path of `drop`, where that is neither a variable nor a function of the body.
    fn drops<'e>(&self, e: &'e syn::ExprCall) -> Option<&'e syn::ExprPath> {
        let syn::Expr::Path(func) = unparen(&e.func) else {
            return None;
        };
        let bare = func.path.is_ident("drop");
        let known = self.env.contains_key("drop") || self.functions.contains_key("drop");
        (bare && !known).then_some(func)
    }

    /// Whether a method is called for its effect alone, on something that it may not change, with constants: `log.write(stop_gradient(x))`.
    fn is_told(&self, e: &syn::ExprMethodCall) -> bool {
        let active = |arg| self.facts.active(arg) || matches!(arg, syn::Expr::Closure(_));
        let root = facts::root(&e.receiver);
        let var = root.and_then(|name| self.facts.get(&name));
        e.args.iter().any(|arg| self.facts.mentions_active(arg))
            && !e.args.iter().any(active)
            && var.is_some_and(|var| !var.mutable && !var.exclusive)
    }

    fn variable(&mut self, p: &syn::ExprPath) -> Tree {
        let binding = p
            .path
            .get_ident()
            .and_then(|i| self.env.get(&i.to_string()))
            .cloned();
        match binding {
            Some(binding) if !matches!(binding, Binding::Unset) => Self::tree_of(&binding),
            _ => self.refuse_unless_known(
                &syn::Expr::Path(p.clone()),
                p,
                "this name has no value here; give it one before",
            ),
        }
    }

    pub(super) fn unary(&mut self, e: &syn::ExprUnary, own: bool) -> Tree {
        match e.op {
            syn::UnOp::Deref(_) => Self::led_to(self.expr(&e.expr)),
            syn::UnOp::Neg(_) => {
                self.own_expected = own;
                let v = self.scalar(&e.expr);
                self.span = quote::ToTokens::to_token_stream(&e.op)
                    .into_iter()
                    .next()
                    .map_or(self.span, |t| t.span());
                let borrowed = [self.is_reference(&e.expr), false];
                self.own_expected = own;
                Tree::Value(self.operator("-", Prim::Neg, vec![v], borrowed))
            }
            syn::UnOp::Not(_) => {
                let v = self.scalar(&e.expr);
                let ty = self.func.ty(v).clone();
                let tokens = if matches!(ty, Ty::User | Ty::Unknown) {
                    let span = syn::spanned::Spanned::span(&e.op);
                    quote_spanned!(span=> !rt::inert(__a0))
                } else {
                    quote!(!__a0)
                };
                let ty = if ty.is_user() { Ty::Inert } else { ty };
                Tree::Value(self.pure(tokens, vec![v], ty))
            }
            _ => self.refuse(
                e,
                "this operator cannot be differentiated; write it in another way",
            ),
        }
    }

    /// A pure inactive expression over values.
    pub(super) fn pure(
        &mut self,
        tokens: proc_macro2::TokenStream,
        args: Vec<Value>,
        ty: Ty,
    ) -> Value {
        let opaque = Opaque {
            tokens,
            places: Vec::new(),
            writes: Vec::new(),
            pure: true,
        };
        self.emit(Kind::Opaque(opaque), args, ty, "")
    }

    /// An operand of an operator, which borrows it where it is written as a reference to a variable.
    fn perhaps_borrowed(&mut self, e: &syn::Expr) -> Value {
        let lent = match unparen(e) {
            syn::Expr::Reference(r) if r.mutability.is_none() => unparen(&r.expr),
            _ => return self.scalar(e),
        };
        let name = match lent {
            syn::Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        match name.and_then(|name| self.env.get(&name)) {
            Some(&Binding::Value(v)) if self.func.is_moved(v) => v,
            _ => self.scalar(e),
        }
    }

    fn binary(&mut self, e: &syn::ExprBinary, own: bool) -> Tree {
        if syntax::is_compound(&e.op) {
            return self.compound(e);
        }
        if syntax::is_logical(&e.op) {
            return self.logical(e);
        }
        self.own_expected = own;
        let left = self.perhaps_borrowed(&e.left);
        self.own_expected = own;
        let right = self.perhaps_borrowed(&e.right);
        self.own_expected = false;
        let op = e.op.to_token_stream();
        self.span = op
            .clone()
            .into_iter()
            .next()
            .map_or(self.span, |t| t.span());
        if let Some(sign) = comparison(&e.op) {
            return Tree::Value(self.emit(Kind::Compare(sign), vec![left, right], Ty::Bool, ""));
        }
        match arithmetic(&e.op) {
            Some(prim) => {
                let borrowed = [self.is_reference(&e.left), self.is_reference(&e.right)];
                self.own_expected = own;
                Tree::Value(self.operator(&op.to_string(), prim, vec![left, right], borrowed))
            }
            None => Tree::Value(self.bitwise(&op, left, right)),
        }
    }

    /// `a += b` and its like.
    fn compound(&mut self, e: &syn::ExprBinary) -> Tree {
        let lent = self.is_reference(&e.right);
        self.own_expected = self.sums_its_own(&e.left);
        let right = self.scalar(&e.right);
        self.own_expected = false;
        if let syn::Expr::Path(p) = &*e.left {
            let name = p
                .path
                .get_ident()
                .map(ToString::to_string)
                .unwrap_or_default();
            if let Some(Binding::Value(old)) = self.env.get(&name).cloned() {
                let new = self.combine(&e.op, old, (right, lent));
                self.name(new, &name);
                self.env.insert(name, Binding::Value(new));
                return Tree::Unit;
            }
        }
        if let Some(old) = self.component(&e.left) {
            let new = self.combine(&e.op, old, (right, lent));
            self.assign(&e.left, Tree::Value(new));
            return Tree::Unit;
        }
        if let Some(of) = self.box_behind(&e.left) {
            self.at_target(of, |cx, path| {
                let boxed = cx.load(path.clone());
                let old = cx.inside(boxed);
                let new = cx.combine(&e.op, old, (right, lent));
                let boxed = cx.boxed(new);
                cx.store(path, Tree::Value(boxed));
            });
            return Tree::Unit;
        }
        self.at_target(&e.left, |cx, path| cx.compound_at(e, path, (right, lent)));
        Tree::Unit
    }

    /// Whether what is changed by `⊕=` is taken for a value of the user's own type: what is known to be one, and parts of what nothing is known of.
    fn sums_its_own(&self, left: &syn::Expr) -> bool {
        match self.facts.ty(left) {
            Ty::User => true,
            Ty::Unknown => !matches!(unparen(left), syn::Expr::Path(_)),
            _ => false,
        }
    }

    /// `path ⊕= right`, where the right side may be a reference.
    fn compound_at(&mut self, e: &syn::ExprBinary, path: Path, (right, lent): (Value, bool)) {
        self.func.at_mut(path.root).mutable = true;
        let mut ty = self.func.path_ty(&path);
        if matches!(ty, Ty::Unknown) {
            // A part of a constant, say: its operators may be its own.
            ty = Ty::User;
        }
        self.expect(right, &ty);
        // A type of the user's own may have its own sums.
        let adds = !ty.is_user();
        match e.op {
            syn::BinOp::AddAssign(_) if adds => {
                self.push(Kind::AddTo(path), vec![right], Vec::new());
            }
            syn::BinOp::SubAssign(_) if adds && !ty.is_inert() => {
                let negated = self.prim(Prim::Neg, vec![right]);
                self.push(Kind::AddTo(path), vec![negated], Vec::new());
            }
            _ => {
                let old = self.load(path.clone());
                self.func.values[old.0 as usize].ty = ty;
                let new = self.combine(&e.op, old, (right, lent));
                self.push(Kind::Store(path), vec![new], Vec::new());
            }
        }
    }

    /// Written as a reference, or a variable that is one.
    fn is_reference(&self, e: &syn::Expr) -> bool {
        match unparen(e) {
            syn::Expr::Reference(_) => true,
            syn::Expr::Path(p) => {
                let name = p.path.get_ident().map(ToString::to_string);
                let binding = name.and_then(|name| self.env.get(&name));
                matches!(binding, Some(Binding::View(_)))
            }
            syn::Expr::Index(i) => self.is_list_of_references(&i.expr),
            _ => false,
        }
    }

    /// `a & b` and its like, and arithmetic of integers, which have no derivative: neither may carry one.
    pub(super) fn bitwise(
        &mut self,
        op: &proc_macro2::TokenStream,
        left: Value,
        right: Value,
    ) -> Value {
        let ty = self.func.ty(left).clone();
        let span = self.span;
        let tokens = [left, right].into_iter().enumerate().map(|(k, v)| {
            let name = quote::format_ident!("__a{k}");
            if matches!(self.func.ty(v), Ty::User | Ty::Unknown) {
                quote_spanned!(span=> rt::inert(#name))
            } else {
                quote!(#name)
            }
        });
        let tokens: Vec<_> = tokens.collect();
        let (a, b) = (&tokens[0], &tokens[1]);
        let ty = if ty.is_user() { Ty::Int } else { ty };
        self.pure(quote!(#a #op #b), vec![left, right], ty)
    }

    /// The value of a component of a tuple variable that is a bundle.
    fn component(&self, e: &syn::Expr) -> Option<Value> {
        let syn::Expr::Field(field) = e else {
            return None;
        };
        match self.tuple_component(field)? {
            Binding::Value(v) => Some(*v),
            _ => None,
        }
    }

    /// What a component of a tuple variable stands for.
    pub(super) fn tuple_component(&self, e: &syn::ExprField) -> Option<&Binding> {
        let base = match unparen(&e.base) {
            syn::Expr::Path(p) => self.env.get(&p.path.get_ident()?.to_string())?,
            syn::Expr::Field(inner) => self.tuple_component(inner)?,
            _ => return None,
        };
        match (base, &e.member) {
            (Binding::Tuple(parts), syn::Member::Unnamed(k)) => parts.get(k.index as usize),
            _ => None,
        }
    }

    /// The value of `old ⊕ right` for the compound assignment `⊕=`.
    fn combine(&mut self, op: &syn::BinOp, old: Value, (right, lent): (Value, bool)) -> Value {
        use syn::BinOp::{
            AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign,
            ShlAssign, ShrAssign, SubAssign,
        };
        let ty = self.func.ty(old).clone();
        self.expect(right, &ty);
        let prim = match op {
            AddAssign(_) => Some(Prim::Add),
            SubAssign(_) => Some(Prim::Sub),
            MulAssign(_) => Some(Prim::Mul),
            DivAssign(_) => Some(Prim::Div),
            RemAssign(_) => remainder(),
            _ => None,
        };
        if let (Some(prim), false) = (prim, ty.is_inert() || self.counts(&[old, right])) {
            let sign = op.to_token_stream().to_string();
            // A number takes numbers alone.
            return if ty.is_float() {
                self.prim(prim, vec![old, right])
            } else {
                self.operator(&sign, prim, vec![old, right], [false, lent])
            };
        }
        let sign = match op {
            AddAssign(_) => quote!(+),
            SubAssign(_) => quote!(-),
            MulAssign(_) => quote!(*),
            DivAssign(_) => quote!(/),
            RemAssign(_) => quote!(%),
            BitAndAssign(_) => quote!(&),
            BitOrAssign(_) => quote!(|),
            BitXorAssign(_) => quote!(^),
            ShlAssign(_) => quote!(<<),
            ShrAssign(_) => quote!(>>),
            _ => quote!(+),
        };
        self.bitwise(&sign, old, right)
    }

    fn cast(&mut self, e: &syn::ExprCast) -> Tree {
        let v = self.scalar(&e.expr);
        let ty = self.facts.read(&e.ty);
        let to = &e.ty;
        if matches!(types::strip(to), syn::Type::Ptr(_)) {
            return self.refuse(
                e.as_token,
                "a raw pointer to an active value cannot be followed; use a reference or an index",
            );
        }
        if ty.is_inert() || self.func.ty(v).is_inert() {
            // An enum is moved by it, and may be asked for again.
            let cast = if matches!(self.func.ty(v), Ty::User | Ty::Unknown) {
                quote!(rt::copy(&__a0) as #to)
            } else {
                quote!(__a0 as #to)
            };
            return Tree::Value(self.pure(cast, vec![v], ty));
        }
        if matches!(self.func.ty(v), Ty::Unknown) {
            // A part of what a call returns may be an integer: its type says how much of a derivative it has.
            self.func.values[v.0 as usize].ty = Ty::User;
        }
        Tree::Value(self.emit(
            Kind::Cast(e.ty.to_token_stream(), ty.clone(), Conversion::As),
            vec![v],
            ty,
            "",
        ))
    }

    pub(super) fn field(&mut self, e: &syn::ExprField) -> Tree {
        // What has fields with names is a struct, and a tuple has no operators.
        let named = matches!(e.member, syn::Member::Named(_));
        let own = named || matches!(unparen(&e.base), syn::Expr::Binary(_));
        let base = self.going_into(own, &e.base);
        if let (Some(parts), syn::Member::Unnamed(k)) = (self.parts(&base), &e.member) {
            let k = k.index as usize;
            if k >= parts {
                return self.refuse_unless_known(
                    &e.base,
                    &e.member,
                    format_args!("this tuple has {parts} parts; there is none at {k}"),
                );
            }
        }
        self.part(base, Part::from(&e.member))
    }

    /// A field of what a tree stands for.
    pub(super) fn part(&mut self, base: Tree, part: Part) -> Tree {
        match (base, part) {
            (Tree::Tuple(mut parts), Part::At(k)) if (k as usize) < parts.len() => {
                parts.swap_remove(k as usize)
            }
            (Tree::Place(path) | Tree::View(path), part) => {
                let part = if self.is_kept(path.root) {
                    part
                } else {
                    part.changed()
                };
                Tree::Place(path.then(Step::Field(part)))
            }
            (Tree::Either(either), part) => {
                let part = part.changed();
                either
                    .map(|path| path.then(Step::Field(part.clone())))
                    .placed()
            }
            (other, part) => {
                let v = self.value(other);
                let ty = self.func.ty(v).field(&part);
                Tree::Value(self.emit(Kind::Component(part), vec![v], ty, ""))
            }
        }
    }

    /// Whether nobody changes what a place holds.
    fn is_kept(&self, place: Place) -> bool {
        let place = self.func.at(place);
        let variable = || self.facts.get(&place.hint);
        match place.storage {
            Storage::Shared => true,
            Storage::Exclusive => false,
            Storage::Local | Storage::Owned => {
                variable().is_some_and(|v| !v.mutable && !v.exclusive)
            }
        }
    }

    /// `Path { a: v, ..base }`, or `Path(v, w)`.
    pub(super) fn construct(
        &mut self,
        path: &syn::Path,
        fields: Vec<(Part, &syn::Expr)>,
        base: Option<&syn::Expr>,
    ) -> Tree {
        let (parts, exprs): (Vec<Part>, Vec<&syn::Expr>) = fields.into_iter().unzip();
        let tangents = parts
            .iter()
            .map(|part| Self::part_of_tangent(path, part))
            .collect();
        for e in &exprs {
            if self.borrows_in_a_field(e) {
                return self.refuse(e, "a struct that borrows a variable cannot be made here; let the struct own it, or take the struct, or a slice, as a parameter");
            }
        }
        let mut args = Vec::new();
        for e in exprs {
            let name = facts::root(e).filter(|_| matches!(unparen(e), syn::Expr::Path(_)));
            args.push(match name {
                // The reference, and not what it refers to.
                Some(name) if self.of_program.contains(&name) => {
                    let reference = self.verbatim(e);
                    self.value(reference)
                }
                _ => self.scalar(e),
            });
        }
        args.extend(base.map(|e| self.scalar(e)));
        let shape = Shape::Struct(Rc::new(Construct {
            path: path.to_token_stream(),
            fields: parts,
            tangents,
            base: base.is_some(),
        }));
        Tree::Value(self.emit(Kind::Aggregate(shape), args, Ty::User, ""))
    }

    /// Whether a field is given a reference to a variable. What is made of copies cannot lend them: a pullback outlives the variables.
    fn borrows_in_a_field(&self, e: &syn::Expr) -> bool {
        let e = unparen(e);
        let reference = matches!(e, syn::Expr::Reference(r) if r.mutability.is_none());
        let variable = facts::root(e).is_some_and(|name| self.env.contains_key(&name));
        match self.facts.ty(e) {
            Ty::Slice(_) => variable,
            Ty::Array(..) | Ty::Vec(_) => variable && (reference || self.is_lent_parameter(e)),
            Ty::Float(_) => reference && self.facts.active(e),
            Ty::User | Ty::Unknown => {
                variable && self.facts.active(e) && (reference || self.is_lent_parameter(e))
            }
            _ => false,
        }
    }

    /// The number of parts of what is known to be a tuple.
    pub(super) fn parts(&self, tree: &Tree) -> Option<usize> {
        let ty = match tree {
            Tree::Tuple(parts) => return Some(parts.len()),
            Tree::Value(v) => self.func.ty(*v).clone(),
            Tree::Place(path) | Tree::View(path) => self.func.path_ty(path),
            Tree::Either(either) => self.func.path_ty(&either.yes),
            Tree::Unit => return Some(0),
            Tree::Never => return None,
        };
        match ty {
            Ty::Tuple(parts) => Some(parts.len()),
            _ => None,
        }
    }

    pub(super) fn index(&mut self, e: &syn::ExprIndex) -> Tree {
        let base = self.expr(&e.expr);
        if let Tree::Either(either) = base {
            return self.index_either(*either, &e.index);
        }
        let path = self.path(base);
        if let syn::Expr::Range(range) = unparen(&e.index) {
            return Tree::Place(self.range(&path, range));
        }
        let lends = self.lends_elements(&path);
        let element = match self.within_window(&path, &e.index) {
            Some(element) => element,
            None => path.then(Step::Index(self.integer(&e.index))),
        };
        let unknown = |path: &Path| matches!(self.func.path_ty(path), Ty::User | Ty::Unknown);
        if unknown(&path) || unknown(&element) {
            // Where there is no such element, a panic is here.
            self.span = e.bracket_token.span.join();
        }
        if lends {
            Tree::View(element)
        } else {
            Tree::Place(element)
        }
    }

    /// Whether the elements of a list, or of a part of one, are references, as it is written.
    pub(super) fn lends_elements(&self, list: &Path) -> bool {
        let part = |step: &Step| matches!(step, Step::Range(..));
        self.lending_elements.contains(&list.root) && list.steps.iter().all(part)
    }

    /// A number that counts: arithmetic on fields of the user's types is that of integers here, which rustc checks.
    pub(super) fn integer(&mut self, e: &syn::Expr) -> Value {
        let syn::Expr::Binary(b) = unparen(e) else {
            return self.scalar(e);
        };
        let prim = match arithmetic(&b.op) {
            Some(prim) if self.facts.mentions_active(e) => prim,
            _ => return self.scalar(e),
        };
        let (left, right) = (self.integer(&b.left), self.integer(&b.right));
        let op = &b.op;
        if [left, right].iter().any(|&v| self.func.ty(v).is_user()) {
            let inert = quote!(rt::operators::inert(__a0 #op __a1));
            return self.pure(inert, vec![left, right], Ty::Int);
        }
        let sign = op.to_token_stream().to_string();
        self.operator(&sign, prim, vec![left, right], [false; 2])
    }

    /// An element of a window or chunk, by an index that is sure to be inside: the element of the whole.
    fn within_window(&mut self, path: &Path, index: &syn::Expr) -> Option<Path> {
        let (Step::Range(Some(lo), Some(hi)), steps) = path.steps.split_last()? else {
            return None;
        };
        let width = *self.widths.get(hi)?;
        let syn::Expr::Lit(lit) = unparen(index) else {
            return None;
        };
        let syn::Lit::Int(lit) = &lit.lit else {
            return None;
        };
        let k: usize = lit.base10_parse().ok().filter(|&k| k < width)?;
        let at = if k == 0 {
            *lo
        } else {
            let k = proc_macro2::Literal::usize_unsuffixed(k);
            self.pure(quote!(__a0 + #k), vec![*lo], Ty::Int)
        };
        let mut steps = steps.to_vec();
        steps.push(Step::Index(at));
        Some(Path {
            root: path.root,
            steps,
        })
    }

    /// `path[lo..hi]`
    pub(super) fn range(&mut self, path: &Path, range: &syn::ExprRange) -> Path {
        let lo = range.start.as_ref().map(|e| self.integer(e));
        let hi = range.end.as_ref().map(|e| self.integer(e));
        let hi = match (hi, &range.limits) {
            (Some(hi), syn::RangeLimits::Closed(_)) => {
                Some(self.pure(quote!(__a0 + 1), vec![hi], Ty::Int))
            }
            (hi, _) => hi,
        };
        // Of a field it is not known whether it is a slice without it.
        if lo.is_none() && hi.is_none() && !self.func.path_ty(path).is_user() {
            return path.clone();
        }
        path.then(Step::Range(lo, hi))
    }

    /// `vec![…]`
    pub(super) fn vec(&mut self, elements: &VecMacro<'_>) -> Tree {
        match elements {
            VecMacro::List(all) => {
                let values: Vec<Value> = all.iter().map(|e| self.scalar(e)).collect();
                let elem = values
                    .iter()
                    .map(|&v| self.func.ty(v).clone())
                    .fold(Ty::Unknown, ir::join);
                let ty = Ty::Vec(Box::new(elem));
                Tree::Value(self.emit(Kind::Aggregate(Shape::VecList), values, ty, ""))
            }
            VecMacro::Repeat(v, n) => {
                let v = self.scalar(v);
                let n = self.integer(n);
                let ty = Ty::Vec(Box::new(self.func.ty(v).clone()));
                Tree::Value(self.emit(Kind::Aggregate(Shape::VecRepeat), vec![v, n], ty, ""))
            }
        }
    }

    /// Macros that panic; anything else cannot be looked into.
    pub(super) fn macro_expr(&mut self, mac: &syn::Macro) -> Tree {
        let name = mac
            .path
            .segments
            .last()
            .map(|s| s.ident.to_string())
            .unwrap_or_default();
        if PANIC_MACROS.contains(&name.as_str()) || STATEMENT_MACROS.contains(&name.as_str()) {
            return self.macro_statement(mac);
        }
        if self.refuse_unknown_macro(mac) {
            return self.dummy();
        }
        self.verbatim(&syn::Expr::Macro(syn::ExprMacro {
            attrs: Vec::new(),
            mac: mac.clone(),
        }))
    }

    /// Refuses a macro that uses active values in a way that nobody knows.
    pub(super) fn refuse_unknown_macro(&mut self, mac: &syn::Macro) -> bool {
        let refused = self.facts.tokens_mention_active(mac.tokens.clone());
        if let (true, Some(last)) = (refused, mac.path.segments.last()) {
            let instead = if ["concatenate", "stack"]
                .iter()
                .any(|name| last.ident == name)
            {
                "join arrays of one axis by `Array1::from_iter(a.iter().chain(b.iter()).copied())`, and fill others element by element"
            } else {
                "write the expression out, or turn the macro into a #[grad] function"
            };
            self.errors.error(
                &mac.path,
                format_args!(
                    "macro `{}!` uses active values and cannot be looked into; {instead}",
                    last.ident
                ),
            );
        }
        refused
    }

    /// A macro used as a statement reads its arguments, once, in the forward sweep.
    pub(super) fn macro_statement(&mut self, mac: &syn::Macro) -> Tree {
        let name = mac
            .path
            .segments
            .last()
            .map(|s| s.ident.to_string())
            .unwrap_or_default();
        let panics = PANIC_MACROS.contains(&name.as_str());
        if panics || STATEMENT_MACROS.contains(&name.as_str()) {
            if let Some(question) = question(mac.tokens.clone()) {
                return self.refuse(&question, NO_QUESTION);
            }
            let mac = self.only_reading_macro(mac);
            self.verbatim_statement(&syn::Expr::Macro(syn::ExprMacro {
                attrs: Vec::new(),
                mac,
            }));
            return if panics { Tree::Never } else { Tree::Unit };
        }
        if self.facts.tokens_mention_active(mac.tokens.clone()) {
            if !self.facts.may_read(mac) || self.may_change(mac) {
                return self.macro_expr(mac);
            }
            let mac = self.only_reading_macro(mac);
            self.verbatim_statement(&super::opaque::contained(&mac));
            return Tree::Unit;
        }
        self.verbatim_statement(&super::opaque::contained(mac));
        Tree::Unit
    }

    /// Whether a macro of unknown meaning is given an active variable that may change, and not to write it into a message.
    fn may_change(&self, mac: &syn::Macro) -> bool {
        let text = |token: proc_macro2::TokenTree| match token {
            proc_macro2::TokenTree::Literal(l) => {
                syn::parse_str::<syn::LitStr>(&l.to_string()).is_ok()
            }
            _ => false,
        };
        let name = mac.path.segments.last().map(|s| s.ident.to_string());
        let asserts = name.is_some_and(|name| name.contains("assert"));
        let mut changeable = false;
        facts::idents(mac.tokens.clone(), &mut |name| {
            changeable |= self.facts.is_changeable(&name);
        });
        changeable && !asserts && !mac.tokens.clone().into_iter().any(text)
    }

    /// The number of elements of a sequence of the standard library, which are reached by index.
    pub(super) fn len(&mut self, path: Path) -> Value {
        // A type of the user's own may have an iterator that skips some.
        if self.is_unknown(&path) {
            self.push(Kind::Walked(path.clone()), Vec::new(), Vec::new());
        }
        self.asked_len(path)
    }

    /// What a path's own method `len` says.
    pub(super) fn asked_len(&mut self, path: Path) -> Value {
        self.emit(Kind::Len(path), Vec::new(), Ty::Int, "n")
    }

    /// A fresh place for a variable.
    pub(super) fn new_place(&mut self, name: &str, value: Value) -> Path {
        let ty = ir::join(
            self.func.ty(value).clone(),
            self.facts.get(name).map_or(Ty::Unknown, |v| v.ty.clone()),
        );
        let place = self.func.place(name, ty, Storage::Local);
        self.assume_into(value, &self.func.at(place).ty.clone());
        let inactive = self.facts.get(name).is_some_and(|v| !v.active);
        self.func.at_mut(place).borrows =
            inactive && (self.func.refers(value) || self.borrows(name));
        self.push(Kind::New(place), vec![value], Vec::new());
        Path::whole(place)
    }

    /// The operands of a loop over `0..n`.
    pub(super) fn counting(&mut self, n: Value) -> (Domain, Vec<Value>) {
        let zero = self.literal(quote!(0), Ty::Int);
        (
            Domain::Range {
                inclusive: false,
                reversed: false,
            },
            vec![zero, n],
        )
    }
}

fn comparison(op: &syn::BinOp) -> Option<&'static str> {
    match op {
        syn::BinOp::Eq(_) => Some("=="),
        syn::BinOp::Ne(_) => Some("!="),
        syn::BinOp::Lt(_) => Some("<"),
        syn::BinOp::Le(_) => Some("<="),
        syn::BinOp::Gt(_) => Some(">"),
        syn::BinOp::Ge(_) => Some(">="),
        _ => None,
    }
}

fn arithmetic(op: &syn::BinOp) -> Option<Prim> {
    match op {
        syn::BinOp::Add(_) => Some(Prim::Add),
        syn::BinOp::Sub(_) => Some(Prim::Sub),
        syn::BinOp::Mul(_) => Some(Prim::Mul),
        syn::BinOp::Div(_) => Some(Prim::Div),
        syn::BinOp::Rem(_) => remainder(),
        _ => None,
    }
}

/// The row of `%`.
fn remainder() -> Option<Prim> {
    crate::rules::by_name("rem").map(Prim::Rule)
}

/// `Box::new(0.0)`
pub(super) fn is_boxed_number(e: &syn::ExprCall) -> bool {
    let boxed = matches!(unparen(&e.func), syn::Expr::Path(p) if p.path.segments.iter().rev().map(|s| s.ident.to_string()).take(2).eq(["new", "Box"]));
    boxed && e.args.first().is_some_and(is_number)
}

/// `0.0`, `-1.0`
pub(super) fn is_number(e: &syn::Expr) -> bool {
    match unparen(e) {
        syn::Expr::Lit(_) => true,
        syn::Expr::Unary(e) => matches!(e.op, syn::UnOp::Neg(_)) && is_number(&e.expr),
        _ => false,
    }
}

/// The first `?` in the arguments of a macro.
fn question(tokens: TokenStream) -> Option<Punct> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Punct(punct) if punct.as_char() == '?' => Some(punct),
        TokenTree::Group(group) => question(group.stream()),
        _ => None,
    })
}
