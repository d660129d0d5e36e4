//! Arguments of calls: what is passed by value, and what is lent.

use quote::{ToTokens, quote};

use super::expr::unparen;
use super::{Binding, Lower, Tree, borrowed};
use crate::facts;
use crate::forms;
use crate::ir::{Arg, Kind, Op, Opaque, Origin, Part, Path, Place, Step, Storage, Ty};
use crate::marks;
use crate::matrices;
use crate::rules;

/// The arguments of a call.
type Arguments = syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>;

impl Lower<'_> {
    /// One of the arguments of a call.
    pub(super) fn argument(&mut self, e: &syn::Expr, all: &Arguments) -> Arg {
        let inner = unparen(e);
        if let Some((func, lent)) = self.lent_as_a_constant(inner) {
            self.check_ours(func);
            let lent = self.argument(lent, all);
            if let Arg::Mut(path) = &lent {
                self.func.at_mut(path.root).constant = true;
            }
            return lent;
        }
        if matches!(inner, syn::Expr::Lit(e) if matches!(e.lit, syn::Lit::Str(_))) {
            // A reference like any other, which pullbacks are given again.
            let tree = self.expr(e);
            let value = self.value(tree);
            let place = self.func.place("text", Ty::Inert, Storage::Local);
            self.push(Kind::New(place), vec![value], Vec::new());
            return Arg::Ref(Path::whole(place));
        }
        let mutable = matches!(inner, syn::Expr::Reference(r) if r.mutability.is_some());
        if let (syn::Expr::Reference(r), false, false) =
            (inner, mutable, self.facts.mentions_active(e))
        {
            return Arg::Ref(self.lent_out(&r.expr));
        }
        if let (syn::Expr::Reference(r), true, false) =
            (inner, mutable, self.facts.mentions_active(e))
        {
            if let Some(path) = self.memory(&r.expr) {
                self.func.at_mut(path.root).mutable = true;
                return Arg::Mut(path);
            }
            if is_made(&r.expr) {
                let made = self.expr(&r.expr);
                let path = self.temporary(made, "t");
                self.func.at_mut(path.root).mutable = true;
                return Arg::Mut(path);
            }
        }
        // A variable of constant code that is a reference.
        if !self.facts.mentions_active(e) && self.is_lent(inner) {
            return Arg::Ref(self.lent_out(inner));
        }
        // An inactive reference to something the graph does not know stays one expression.
        if !mutable && !self.facts.mentions_active(e) && !self.reads_place(e) {
            let tree = self.expr(e);
            return match tree {
                Tree::View(path) => Arg::Ref(path),
                tree => Arg::Value(self.value(tree)),
            };
        }
        match self.unboxed(false, e) {
            Tree::View(path) => {
                let exclusive = mutable || self.reborrows(inner, &path) && !is_shared(e, all);
                if exclusive {
                    self.func.at_mut(path.root).mutable = true;
                    Arg::Mut(path)
                } else {
                    Arg::Ref(path)
                }
            }
            Tree::Either(_) => {
                self.refuse(e, "a reference chosen at run time is passed on here, which cannot be followed; call the function in the arms of an `if`");
                let dummy = self.dummy();
                Arg::Value(self.value(dummy))
            }
            // A reference of constant code, as a part of what a pattern took apart.
            Tree::Place(path) if path.steps.is_empty() && self.func.at(path.root).borrows => {
                Arg::Ref(self.lent_out(inner))
            }
            Tree::Place(path) if matches!(self.func.path_ty(&path), Ty::Slice(_)) => Arg::Ref(path),
            Tree::Value(v) if self.elements.contains(&v) && !is_star(inner) => {
                Arg::Ref(self.temporary(Tree::Value(v), "t"))
            }
            Tree::Place(path)
                if path.steps.is_empty()
                    && self.element_places.contains(&path.root)
                    && !is_star(inner) =>
            {
                Arg::Ref(path)
            }
            tree => Arg::Value(self.value(tree)),
        }
    }

    /// The reference in `stop_gradient(&mut e)`, to a constant that a function changes and leaves a constant, whatever else it is given.
    fn lent_as_a_constant<'e>(
        &self,
        e: &'e syn::Expr,
    ) -> Option<(&'e syn::ExprPath, &'e syn::Expr)> {
        let syn::Expr::Call(call) = e else {
            return None;
        };
        let (syn::Expr::Path(func), Some(lent)) = (unparen(&call.func), call.args.first()) else {
            return None;
        };
        let exclusive = match unparen(lent) {
            syn::Expr::Reference(r) => r.mutability.is_some(),
            syn::Expr::Path(_) => facts::root(lent)
                .and_then(|name| self.facts.get(&name))
                .is_some_and(|var| var.exclusive),
            _ => false,
        };
        let constant = exclusive && !self.facts.mentions_active(lent);
        (constant && marks::is_stop_gradient(&call.func)).then_some((func, lent))
    }

    /// An argument of which the macro does not know whether it is a reference: where it lies.
    pub(super) fn perhaps_lent(&mut self, e: &syn::Expr) -> Option<Path> {
        let inner = unparen(e);
        if self.facts.mentions_active(e) {
            return self.perhaps_reference(inner);
        }
        if forms::is_failure(inner) {
            return None;
        }
        let unknown = matches!(self.facts.ty(inner), Ty::Unknown | Ty::User | Ty::Inert);
        let view = matches!(inner, syn::Expr::Path(p) if matches!(
            p.path.get_ident().and_then(|name| self.env.get(&name.to_string())),
            Some(Binding::View(_))
        ));
        if !unknown
            || view
            || self.is_lent(inner)
            || self.lent_as_a_constant(inner).is_some()
            || !self.may_be_reference(inner)
        {
            return None;
        }
        let known = self.memory(inner).or_else(|| self.of_constant(inner));
        let known = known.filter(|path| !self.func.at(path.root).borrows);
        if known.is_some() {
            return known;
        }
        let tokens = syn::parse_quote!(rt::passed(&(#inner)).to_kept());
        let (opaque, args) = self.opaque(&tokens, false);
        let value = self.emit(Kind::Opaque(opaque), args, Ty::Inert, "");
        Some(self.path(Tree::Value(value)))
    }

    /// A part of a parameter with a derivative, or a variable that is one: where it lies, if it may be a reference.
    fn perhaps_reference(&mut self, e: &syn::Expr) -> Option<Path> {
        if !matches!(self.facts.ty(e), Ty::Unknown | Ty::User) {
            return None;
        }
        let path = match e {
            syn::Expr::Field(_) => self.memory(e)?,
            syn::Expr::Path(p) => match self.env.get(&p.path.get_ident()?.to_string())? {
                Binding::Place(path) => path.clone(),
                // Certainly one.
                _ => return None,
            },
            _ => return None,
        };
        self.is_perhaps_reference(&path).then_some(path)
    }

    /// Whether this is a field of unknown type, in a parameter whose type may have a lifetime.
    pub(super) fn is_perhaps_reference(&self, path: &Path) -> bool {
        let field = matches!(path.steps.last(), Some(Step::Field(_)));
        field
            && self.borrowing.contains_key(&path.root)
            && matches!(self.func.path_ty(path), Ty::Unknown | Ty::User)
    }

    /// Whether an expression of constant code may be a reference, of a type that does not depend on what it is passed to.
    pub(super) fn may_be_reference(&self, e: &syn::Expr) -> bool {
        match unparen(e) {
            syn::Expr::Path(p) => {
                let name = p.path.get_ident().map(ToString::to_string);
                name.is_none_or(|name| !self.by_value.contains(&name))
            }
            syn::Expr::Field(_) | syn::Expr::If(_) | syn::Expr::Match(_) => true,
            syn::Expr::Index(e) => !matches!(unparen(&e.index), syn::Expr::Range(_)),
            syn::Expr::Try(e) => self.may_be_reference(&e.expr),
            syn::Expr::MethodCall(e) => match e.method.to_string().as_str() {
                "unwrap" | "expect" | "unwrap_or" => self.may_be_reference(&e.receiver),
                "into" | "try_into" | "unwrap_or_default" => false,
                name => rules::by_method(name).is_none() && !borrowed::OWNING.contains(&name),
            },
            syn::Expr::Call(e) => {
                matches!(unparen(&e.func), syn::Expr::Path(p) if p.path.segments.last().is_some_and(|s| s.ident != "default"))
            }
            _ => false,
        }
    }

    /// What is lent without a derivative: a part of a variable, which a pullback borrows again, or a copy of anything else.
    pub(super) fn lent_out(&mut self, e: &syn::Expr) -> Path {
        let known = self.memory(e).or_else(|| self.of_constant(e));
        // What a reference of the body refers to is gone when the pullback runs.
        let borrowed = match &known {
            Some(path) => self.func.at(path.root).borrows,
            None => self.is_lent(unparen(e)),
        };
        if let (Some(path), false) = (known, borrowed) {
            if matches!(path.steps.last(), Some(Step::Range(..))) {
                self.push(Kind::Check(path.clone()), Vec::new(), Vec::new());
            }
            return path;
        }
        let inner = unparen(e);
        let unsized_part = match inner {
            syn::Expr::Index(i) => matches!(unparen(&i.index), syn::Expr::Range(_)),
            syn::Expr::Unary(u) => matches!(u.op, syn::UnOp::Deref(_)),
            _ => false,
        };
        let tree = match inner {
            _ if unsized_part => self.verbatim(&syn::parse_quote!(rt::ToOwned::to_owned(&#inner))),
            // What a method of a reference gave may be a value as well.
            syn::Expr::Path(_) if borrowed => {
                self.verbatim(&syn::parse_quote!(rt::passed(&#inner).to_held()))
            }
            syn::Expr::Path(_) | syn::Expr::Field(_) | syn::Expr::Index(_) => {
                self.verbatim(&syn::parse_quote!(rt::copy(&#inner)))
            }
            syn::Expr::MethodCall(m) if matrices::is_method(m) => match self.expr(inner) {
                // Perhaps a view, which refers to what it is a view of.
                Tree::Value(v) if self.func.values[v.0 as usize].borrows => {
                    Tree::Value(self.held(v))
                }
                tree => tree,
            },
            _ => self.expr(inner),
        };
        self.path(tree)
    }

    /// The path of a part of a constant or static, which is there for as long as the program: one reference to it serves both sweeps.
    fn of_constant(&mut self, e: &syn::Expr) -> Option<Path> {
        match unparen(e) {
            syn::Expr::Path(p) => self.constant(p).map(Path::whole),
            syn::Expr::Index(e) => {
                let base = self.of_constant(&e.expr)?;
                if let syn::Expr::Range(range) = unparen(&e.index) {
                    return Some(self.range(&base, range));
                }
                let index = self.scalar(&e.index);
                Some(base.then(Step::Index(index)))
            }
            _ => None,
        }
    }

    /// The memory of a constant or static; `None` where the path may depend on type parameters.
    fn constant(&mut self, path: &syn::ExprPath) -> Option<Place> {
        let first = path.path.segments.first()?;
        let name = first.ident.to_string();
        let alone = path.path.segments.len() == 1;
        let of_a_type = !alone && name.starts_with(char::is_uppercase);
        let generic = path.qself.is_some() || self.facts.is_generic(&name) || of_a_type;
        if generic || alone && (self.env.contains_key(&name) || self.facts.get(&name).is_some()) {
            return None;
        }
        let written = path.to_token_stream();
        let known = |(tokens, ..): &&super::Constant| tokens.to_string() == written.to_string();
        if let Some((_, place, _)) = self.constants.iter().find(known) {
            return Some(*place);
        }
        let place = self.func.place("t", Ty::Unknown, Storage::Shared);
        let value = self.func.value("t", Ty::Inert);
        let op = |kind, args, results| Op {
            kind,
            args,
            results,
            blocks: Vec::new(),
            origin: Origin::User,
            span: first.ident.span(),
            pos: 0,
        };
        let reference = Opaque {
            tokens: quote!(&#written),
            places: Vec::new(),
            writes: Vec::new(),
            pure: true,
        };
        let ops = [
            op(Kind::Opaque(reference), Vec::new(), vec![value]),
            op(Kind::New(place), vec![value], Vec::new()),
        ];
        self.constants.push((written, place, ops));
        Some(place)
    }

    /// A variable that holds a shared reference, to a sequence or a type of the user's own.
    fn is_lent(&self, e: &syn::Expr) -> bool {
        let syn::Expr::Path(_) = e else { return false };
        let Some(name) = facts::root(e) else {
            return false;
        };
        let value = matches!(self.env.get(&name), Some(Binding::Value(_)));
        value
            && self.facts.get(&name).is_some_and(|v| match v.ty {
                Ty::Slice(_) => true,
                Ty::Vec(_) | Ty::Array(..) | Ty::User => {
                    !v.exclusive && v.roots.iter().any(|root| self.lends_parts(root))
                }
                _ => false,
            })
    }

    /// Whether what patterns and iterators bind of a variable are references: parts of a sequence, or of what is a reference itself.
    fn lends_parts(&self, name: &str) -> bool {
        let parameter = matches!(self.env.get(name), Some(Binding::View(path))
            if self.func.at(path.root).storage != Storage::Local);
        parameter
            || self.facts.get(name).is_some_and(|v| {
                matches!(v.ty, Ty::Slice(_) | Ty::Vec(_) | Ty::Array(..))
                    || v.roots.iter().any(|root| root != name)
            })
    }

    /// The path of memory that the graph knows, without reading it.
    pub(super) fn memory(&mut self, e: &syn::Expr) -> Option<Path> {
        match unparen(e) {
            syn::Expr::Path(p) => match self.env.get(&p.path.get_ident()?.to_string())? {
                Binding::Place(path) | Binding::View(path) => Some(path.clone()),
                _ => None,
            },
            syn::Expr::Field(e) => {
                let base = self.memory(&e.base)?;
                Some(base.then(Step::Field(Part::from(&e.member))))
            }
            syn::Expr::Index(e) => {
                let base = self.memory(&e.expr)?;
                if let syn::Expr::Range(range) = unparen(&e.index) {
                    return Some(self.range(&base, range));
                }
                let index = self.scalar(&e.index);
                Some(base.then(Step::Index(index)))
            }
            syn::Expr::Unary(e) if matches!(e.op, syn::UnOp::Deref(_)) => self.memory(&e.expr),
            _ => None,
        }
    }

    fn reads_place(&self, e: &syn::Expr) -> bool {
        facts::root(e).is_some_and(|name| {
            matches!(
                self.env.get(&name),
                Some(Binding::Place(_) | Binding::View(_))
            )
        })
    }

    /// A variable that is itself a `&mut` reference, passed on.
    fn reborrows(&self, e: &syn::Expr, path: &Path) -> bool {
        let variable = matches!(e, syn::Expr::Path(_));
        let by_name = facts::root(e)
            .and_then(|name| self.facts.get(&name).map(|v| v.exclusive))
            .unwrap_or(false);
        variable && by_name && self.func.at(path.root).storage != Storage::Shared
    }
}

/// Is the variable lent by another argument as well? Then neither of them can be changed through.
fn is_shared(e: &syn::Expr, all: &Arguments) -> bool {
    let name = facts::root(e);
    all.iter().any(|other| {
        let lends = matches!(unparen(other), syn::Expr::Reference(_) | syn::Expr::Path(_));
        lends && !std::ptr::eq(e, other) && facts::root(other) == name
    })
}

/// `*e`, which is no reference where `e` is one.
fn is_star(e: &syn::Expr) -> bool {
    matches!(e, syn::Expr::Unary(e) if matches!(e.op, syn::UnOp::Deref(_)))
}

/// Whether an expression makes a value, which a reference to it keeps.
fn is_made(e: &syn::Expr) -> bool {
    matches!(
        unparen(e),
        syn::Expr::Binary(_)
            | syn::Expr::Call(_)
            | syn::Expr::Cast(_)
            | syn::Expr::Lit(_)
            | syn::Expr::Struct(_)
            | syn::Expr::Unary(syn::ExprUnary {
                op: syn::UnOp::Neg(_) | syn::UnOp::Not(_),
                ..
            })
    )
}
