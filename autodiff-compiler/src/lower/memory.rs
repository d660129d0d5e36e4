//! Operations on memory that change more than one element, or the length of a vector.

use quote::quote;

use super::{Binding, Lower, Tree};
use crate::ir::{Block, Change, For, Kind, Opaque, Path, Shape, Step, Ty, Value};

/// Methods that change the length of a `Vec`.
const LENGTHS: &[&str] = &[
    "push",
    "pop",
    "insert",
    "remove",
    "swap_remove",
    "truncate",
    "clear",
    "resize",
    "extend",
    "extend_from_slice",
    "append",
    "split_off",
];

/// Methods that concern what a `Vec` has room for.
const ROOM: &[&str] = &[
    "capacity",
    "reserve",
    "reserve_exact",
    "shrink_to",
    "shrink_to_fit",
    "try_reserve",
    "try_reserve_exact",
];

impl Lower<'_> {
    /// Methods that change memory as a whole; `None` if this is none of them.
    pub(super) fn memory_method(&mut self, e: &syn::ExprMethodCall) -> Option<Tree> {
        let tree = self.memory_changed(e);
        let list = match super::expr::unparen(&e.receiver) {
            // `v.pop().unwrap()`
            syn::Expr::MethodCall(pop) => &pop.receiver,
            _ => &e.receiver,
        };
        if let Some(Tree::Value(v)) = tree {
            if self.is_list_of_references(list) {
                self.elements.insert(v);
            }
        }
        tree
    }

    /// A variable that was declared as a list of references.
    pub(super) fn is_list_of_references(&self, e: &syn::Expr) -> bool {
        let syn::Expr::Path(p) = super::expr::unparen(e) else {
            return false;
        };
        let name = p.path.get_ident().map(ToString::to_string);
        let binding = name.and_then(|name| self.env.get(&name));
        matches!(binding, Some(Binding::Place(list) | Binding::View(list)) if self.lends_elements(list))
    }

    fn memory_changed(&mut self, e: &syn::ExprMethodCall) -> Option<Tree> {
        let name = e.method.to_string();
        match (name.as_str(), e.args.len()) {
            ("swap", 2) => Some(self.swap_elements(e)),
            ("fill", 1) => Some(self.fill(e)),
            ("copy_from_slice" | "clone_from_slice", 1) => Some(self.copy(e)),
            ("unwrap", 0) | ("expect", 1) => match super::expr::unparen(&e.receiver) {
                syn::Expr::MethodCall(pop) if pop.method == "pop" && pop.args.is_empty() => {
                    let path = match self.vector(pop) {
                        Ok(path) => path,
                        Err(refused) => return Some(refused),
                    };
                    Some(self.removed(Change::Pop, path, None))
                }
                _ => None,
            },
            ("pop", 0) => Some(match self.vector(e) {
                Ok(path) => self.perhaps(&path, None, |cx, path| {
                    cx.removed(Change::Pop, path.clone(), None)
                }),
                Err(refused) => refused,
            }),
            (name, _) if LENGTHS.contains(&name) => Some(self.change(e)),
            (name, _) if ROOM.contains(&name) => self.room(e),
            _ => None,
        }
    }

    /// What a vector has room for is asked for or changed as it stands: it changes nothing that is in it.
    fn room(&mut self, e: &syn::ExprMethodCall) -> Option<Tree> {
        let ty = self.facts.ty(&syn::Expr::MethodCall(e.clone()));
        // Of a field only rustc knows that it is a vector; what comes back of another type's method may have a derivative.
        let known = match self.facts.ty(&e.receiver) {
            Ty::Vec(_) => true,
            Ty::User if !ty.is_inert() => false,
            _ => return None,
        };
        let returns = ["capacity", "try_reserve", "try_reserve_exact"];
        if !known && returns.iter().any(|name| e.method == name) {
            return None;
        }
        let path = match self.vector(e) {
            Ok(path) => path,
            Err(refused) => return Some(refused),
        };
        if !known {
            self.refuse_own(&path, &e.method);
        }
        let mut operands = super::opaque::Operands::default();
        let place = operands.path(&path);
        let args = self.constant_arguments(&e.args, &mut operands);
        let method = &e.method;
        let opaque = Opaque {
            tokens: quote!((#place).#method(#(#args),*)),
            places: operands.places,
            writes: Vec::new(),
            pure: false,
        };
        if !returns.iter().any(|name| method == name) {
            self.push(Kind::Opaque(opaque), operands.args, Vec::new());
            return Some(Tree::Unit);
        }
        Some(Tree::Value(self.emit(
            Kind::Opaque(opaque),
            operands.args,
            ty,
            "",
        )))
    }

    /// The vector that a method changes.
    fn vector(&mut self, e: &syn::ExprMethodCall) -> Result<Path, Tree> {
        let places = self.func.places.len();
        let path = match self.expr(&e.receiver) {
            Tree::Place(path) | Tree::View(path) if (path.root.0 as usize) < places => path,
            _ => {
                return Err(self.refuse_unless_known(
                    &e.receiver,
                    &e.receiver,
                    "this is not a place the macro can follow; change the vector by its own name",
                ));
            }
        };
        let ty = self.func.path_ty(&path);
        match ty {
            Ty::Vec(_) | Ty::User => {
                // Of a field rustc knows whether it is a vector.
                if ty.is_user() {
                    self.of_lists.push(e.method.clone());
                }
                self.func.at_mut(path.root).mutable = true;
                Ok(path)
            }
            Ty::Unknown => Err(self.refuse_unless_known(&e.receiver, &e.method, format_args!("method `{}`: it is not known that this is a `Vec`; write the type: `let mut v: Vec<f64> = …`", e.method))),
            _ => Err(self.refuse(&e.method, format_args!("method `{}` has no derivative rule here; it is understood on a `Vec`", e.method))),
        }
    }

    fn change(&mut self, e: &syn::ExprMethodCall) -> Tree {
        let path = match self.vector(e) {
            Ok(path) => path,
            Err(refused) => return refused,
        };
        let args: Vec<&syn::Expr> = e.args.iter().collect();
        match (e.method.to_string().as_str(), args.as_slice()) {
            ("push", [v]) => {
                let v = self.scalar(v);
                self.added(Change::Push, path, None, v);
            }
            ("insert", [i, v]) => {
                let (i, v) = (self.scalar(i), self.scalar(v));
                self.added(Change::Insert, path, Some(i), v);
            }
            ("remove", [i]) => {
                let i = self.scalar(i);
                return self.removed(Change::Remove, path, Some(i));
            }
            ("swap_remove", [i]) => {
                let i = self.scalar(i);
                let n = self.len(path.clone());
                let last = self.pure(quote!(__a0 - 1), vec![n], Ty::Int);
                let (a, b) = (path.then(Step::Index(i)), path.then(Step::Index(last)));
                self.push(Kind::Swap(a, b), Vec::new(), Vec::new());
                return self.removed(Change::Pop, path, None);
            }
            ("split_off", [n]) => {
                let n = self.scalar(n);
                return self.removed(Change::Cut, path, Some(n));
            }
            ("truncate", [n]) => {
                let n = self.scalar(n);
                self.truncated(path, n);
            }
            ("clear", []) => {
                let zero = self.position(0);
                self.removed(Change::Cut, path, Some(zero));
            }
            ("resize", [n, v]) => {
                let (n, v) = (self.scalar(n), self.scalar(v));
                let kept = self.truncated(path.clone(), n);
                let more = self.pure(quote!(__a0 - __a1), vec![n, kept], Ty::Int);
                let ty = Ty::Vec(Box::new(self.func.ty(v).clone()));
                let kind = Kind::Aggregate(Shape::VecRepeat);
                let tail = self.emit(kind, vec![v, more], ty, "");
                self.added(Change::Append, path, Some(kept), tail);
            }
            ("append", [w]) => {
                if let Some(other) = self.borrowed(w) {
                    let zero = self.position(0);
                    let tail = self.removed(Change::Cut, other, Some(zero));
                    let tail = self.value(tail);
                    self.extended(path, tail);
                }
            }
            ("extend" | "extend_from_slice", [items]) => self.extend(&path, items),
            _ => {
                return self.refuse(
                    &e.method,
                    "this method takes other arguments; see the documentation of `Vec`",
                );
            }
        }
        Tree::Unit
    }

    fn added(&mut self, change: Change, path: Path, position: Option<Value>, v: Value) {
        let mut args: Vec<Value> = position.into_iter().collect();
        args.push(v);
        self.push(Kind::Change(change, path), args, Vec::new());
    }

    fn removed(&mut self, change: Change, path: Path, position: Option<Value>) -> Tree {
        let ty = match change {
            Change::Cut => self.func.path_ty(&path),
            _ => self.func.path_ty(&path).element(),
        };
        let args = position.into_iter().collect();
        Tree::Value(self.emit(Kind::Change(change, path), args, ty, ""))
    }

    /// Cuts to at most `n` elements; the length after.
    fn truncated(&mut self, path: Path, n: Value) -> Value {
        let len = self.len(path.clone());
        let kept = self.pure(
            quote!(::core::cmp::Ord::min(__a0, __a1)),
            vec![n, len],
            Ty::Int,
        );
        self.removed(Change::Cut, path, Some(kept));
        kept
    }

    fn extended(&mut self, path: Path, tail: Value) {
        let n = self.len(path.clone());
        self.added(Change::Append, path, Some(n), tail);
    }

    fn extend(&mut self, path: &Path, items: &syn::Expr) {
        if let Some(sequence) = self.sequence(items) {
            if let Some(whole) = sequence.whole() {
                let ty = Ty::Vec(Box::new(self.func.path_ty(whole).element()));
                let kind = Kind::Owned(whole.clone(), "to_vec");
                let tail = self.emit(kind, Vec::new(), ty, "");
                return self.extended(path.clone(), tail);
            }
            return self.each(sequence.len, |cx, k| {
                let item = cx.item_at(&sequence, k);
                let v = cx.value(item);
                cx.added(Change::Push, path.clone(), None, v);
            });
        }
        let source = self.source(items);
        let source = self.path(source);
        let elem = self.func.path_ty(&source).element();
        if self.is_unknown(&source) {
            self.push(Kind::Walked(source.clone()), Vec::new(), Vec::new());
        }
        let kind = Kind::Owned(source, "to_vec");
        let tail = self.emit(kind, Vec::new(), Ty::Vec(Box::new(elem)), "");
        self.extended(path.clone(), tail);
    }

    /// A loop over `0..n` that carries nothing.
    fn each(&mut self, n: Value, body: impl FnOnce(&mut Self, Value)) {
        let (domain, args) = self.counting(n);
        let k = self.func.value("k", Ty::Int);
        let block = Block {
            params: vec![k],
            ..self.func.block()
        };
        let outside = std::mem::take(&mut self.ops);
        body(self, k);
        let ops = std::mem::replace(&mut self.ops, outside);
        let head = For {
            domain,
            inductions: 1,
            tape: None,
            peeks: false,
            onward: false,
            counted: false,
        };
        self.push(Kind::For(head), args, Vec::new()).blocks = vec![Block { ops, ..block }];
    }

    /// A sequence as a slice, unless it is one by its type.
    fn sliced(&self, path: Path) -> Path {
        match self.func.path_ty(&path) {
            Ty::Array(..) | Ty::Slice(_) => path,
            _ => path.then(Step::Range(None, None)),
        }
    }

    /// Elements that are numbers, for which memory is copied and filled at once.
    fn holds_numbers(&self, path: &Path) -> bool {
        self.func.path_ty(path).element().is_float()
    }

    fn fill(&mut self, e: &syn::ExprMethodCall) -> Tree {
        let v = self.scalar(&e.args[0]);
        self.at_target(&e.receiver, |cx, path| cx.fill_at(path, v));
        Tree::Unit
    }

    fn fill_at(&mut self, path: Path, v: Value) {
        self.func.at_mut(path.root).mutable = true;
        if self.holds_numbers(&path) {
            let path = self.sliced(path);
            self.push(Kind::Fill(path), vec![v], Vec::new());
        } else {
            let n = self.len(path.clone());
            self.each(n, |cx, k| {
                cx.store(path.then(Step::Index(k)), Tree::Value(v));
            });
        }
    }

    /// The sequence that is copied from: a place of the graph, or a temporary.
    fn source(&mut self, e: &syn::Expr) -> Tree {
        use super::expr::unparen;
        let e = match unparen(e) {
            // An array that is borrowed on the spot is a value.
            syn::Expr::Reference(r)
                if matches!(
                    unparen(&r.expr),
                    syn::Expr::Array(_) | syn::Expr::Repeat(_) | syn::Expr::Call(_)
                ) =>
            {
                &r.expr
            }
            other => other,
        };
        match self.expr(e) {
            tree @ (Tree::Place(_) | Tree::View(_) | Tree::Either(_)) => tree,
            other => Tree::Place(self.temporary(other, "t")),
        }
    }

    fn copy(&mut self, e: &syn::ExprMethodCall) -> Tree {
        let from = self.source(&e.args[0]);
        self.at_target(&e.receiver, |cx, to| {
            cx.at_tree(from.clone(), &mut |cx, from| cx.copy_at(to.clone(), from));
        });
        Tree::Unit
    }

    fn copy_at(&mut self, to: Path, mut from: Path) {
        self.func.at_mut(to.root).mutable = true;
        if from.root == to.root {
            // Two parts of one variable: borrowck has seen that they do not overlap, but generated code would have to show it again.
            let ty = Ty::Vec(Box::new(self.func.path_ty(&from).element()));
            let copy = self.emit(Kind::Owned(from, "to_vec"), Vec::new(), ty, "");
            from = self.temporary(Tree::Value(copy), "t");
        }
        if self.holds_numbers(&to) {
            let (to, from) = (self.sliced(to), self.sliced(from));
            self.push(Kind::Copy(to, from), Vec::new(), Vec::new());
            return;
        }
        let n = self.len(to.clone());
        self.each(n, |cx, k| {
            let item = cx.cloned(from.then(Step::Index(k)));
            cx.store(to.then(Step::Index(k)), Tree::Value(item));
        });
    }

    /// `a.swap(i, j)`
    fn swap_elements(&mut self, e: &syn::ExprMethodCall) -> Tree {
        let i = self.scalar(&e.args[0]);
        let j = self.scalar(&e.args[1]);
        self.at_target(&e.receiver, |cx, path| {
            cx.exchange(path.then(Step::Index(i)), path.then(Step::Index(j)));
        });
        Tree::Unit
    }

    /// Exchanges two parts: numbers by reads and writes, everything else where it lies.
    pub(super) fn exchange(&mut self, a: Path, b: Path) {
        let apart = a.root != b.root
            || matches!(
                (a.steps.split_last(), b.steps.split_last()),
                (Some((Step::Index(_), above)), Some((Step::Index(_), other))) if above == other
            );
        self.func.at_mut(a.root).mutable = true;
        self.func.at_mut(b.root).mutable = true;
        let ty = self.func.path_ty(&a);
        if apart && !ty.is_scalar() && !matches!(ty, Ty::Slice(_)) {
            self.push(Kind::Swap(a, b), Vec::new(), Vec::new());
            return;
        }
        let x = self.cloned(a.clone());
        let y = self.cloned(b.clone());
        self.store(a, Tree::Value(y));
        self.store(b, Tree::Value(x));
    }

    /// A copy of a part, which may be more than a number.
    fn cloned(&mut self, path: Path) -> Value {
        let ty = self.func.path_ty(&path);
        if ty.is_plain() {
            return self.load(path);
        }
        self.emit(Kind::Owned(path, "clone"), Vec::new(), ty, "")
    }

    /// `mem::take(&mut place)`
    pub(super) fn take(&mut self, path: Path) -> Tree {
        let ty = self.func.path_ty(&path);
        if matches!(ty, Ty::Vec(_)) {
            let zero = self.position(0);
            return self.removed(Change::Cut, path, Some(zero));
        }
        let old = self.cloned(path.clone());
        let new = if ty.is_float() {
            self.literal(quote!(0.0), ty)
        } else {
            self.pure(quote!(::core::default::Default::default()), Vec::new(), ty)
        };
        self.store(path, Tree::Value(new));
        Tree::Value(old)
    }
}
