//! Methods that refer to parts of a sequence.

use quote::quote;

use super::expr::unparen;
use super::{Binding, Lower, Tree};
use crate::facts;
use crate::ir::{Kind, Part, Path, Shape, Step, Ty, Value};

impl Lower<'_> {
    /// Methods that yield references to parts of their receiver; `None` if this is none of them.
    pub(super) fn view_method(&mut self, e: &syn::ExprMethodCall) -> Option<Tree> {
        let told = std::mem::take(&mut self.option_expected);
        let fields = |of: &syn::Expr| told && matches!(of, syn::Expr::Field(_));
        self.view(e, &fields)
    }

    /// The same; `lists` says whether what may be of the user's own is a list.
    fn view(
        &mut self,
        e: &syn::ExprMethodCall,
        lists: &dyn Fn(&syn::Expr) -> bool,
    ) -> Option<Tree> {
        match (e.method.to_string().as_str(), e.args.len()) {
            ("split_at", 1) => self.halves(e, false),
            ("split_at_mut", 1) => self.halves(e, true),
            ("unwrap", 0) | ("expect", 1) => self.certain(&e.receiver),
            ("first", 0) => {
                let path = self.numbers(&e.receiver, lists)?;
                Some(self.perhaps(&path, None, |cx, path| {
                    let first = cx.position(0);
                    Tree::Place(path.then(Step::Index(first)))
                }))
            }
            ("last", 0) => {
                let path = self.numbers(&e.receiver, lists)?;
                Some(self.perhaps(&path, None, |cx, path| {
                    let last = cx.last(path);
                    Tree::Place(path.then(Step::Index(last)))
                }))
            }
            ("get", 1) if !matches!(unparen(&e.args[0]), syn::Expr::Range(_)) => {
                let path = self.numbers(&e.receiver, lists)?;
                let i = self.scalar(&e.args[0]);
                Some(self.perhaps(&path, Some(i), |_, path| {
                    Tree::Place(path.then(Step::Index(i)))
                }))
            }
            ("copied" | "cloned", 0) => match unparen(&e.receiver) {
                // An `Option` of a reference to a number is one of the number.
                syn::Expr::MethodCall(m)
                    if matches!(m.method.to_string().as_str(), "first" | "last" | "get") =>
                {
                    // No function of a type of one's own yields an option of a reference.
                    let places = |of: &syn::Expr| {
                        matches!(
                            of,
                            syn::Expr::Field(_) | syn::Expr::Index(_) | syn::Expr::Path(_)
                        )
                    };
                    self.view(m, &places)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The sequence that a method refers into; `None` for what is no place of the graph.
    fn viewed(&mut self, receiver: &syn::Expr, exclusive: bool) -> Option<Path> {
        let tree = self.expr(receiver);
        let path = match (tree, exclusive) {
            (Tree::Place(path) | Tree::View(path), _) => path,
            (tree, false) => self.temporary(tree, "t"),
            _ => return None,
        };
        if exclusive {
            self.func.at_mut(path.root).mutable = true;
        }
        Some(path)
    }

    /// A sequence of numbers, or what is one of the `lists`: what it yields is used as an option.
    fn numbers(
        &mut self,
        receiver: &syn::Expr,
        lists: &dyn Fn(&syn::Expr) -> bool,
    ) -> Option<Path> {
        let ty = self.facts.ty(receiver);
        let told = ty.is_user() && lists(unparen(receiver));
        if !told && !ty.element().is_scalar() {
            return None;
        }
        self.viewed(receiver, false)
    }

    /// What stands at an index, or at all, as an `Option`: `None` where the sequence is too short.
    pub(super) fn perhaps(
        &mut self,
        path: &Path,
        index: Option<Value>,
        part: impl FnOnce(&mut Self, &Path) -> Tree,
    ) -> Tree {
        let n = self.len(path.clone());
        let there = match index {
            Some(i) => self.pure(quote!(__a0 < __a1), vec![i, n], Ty::Bool),
            None => self.pure(quote!(__a0 > 0), vec![n], Ty::Bool),
        };
        let elem = self.func.path_ty(path).element();
        self.choose(
            there,
            |cx| {
                let tree = part(cx, path);
                let v = cx.value(tree);
                let ty = Ty::Option(Box::new(cx.func.ty(v).clone()));
                Tree::Value(cx.emit(Kind::Aggregate(Shape::Some), vec![v], ty, ""))
            },
            |cx| {
                let none = quote!(::core::option::Option::None);
                Tree::Value(cx.pure(none, Vec::new(), Ty::Option(Box::new(elem))))
            },
        )
    }

    fn halves(&mut self, e: &syn::ExprMethodCall, exclusive: bool) -> Option<Tree> {
        let path = self.viewed(&e.receiver, exclusive)?;
        let at = self.scalar(&e.args[0]);
        let zero = self.position(0);
        let left = path.then(Step::Range(Some(zero), Some(at)));
        let right = path.then(Step::Range(Some(at), None));
        self.push(Kind::Check(right.clone()), Vec::new(), Vec::new());
        Some(Tree::Tuple(vec![Tree::View(left), Tree::View(right)]))
    }

    /// What an `Option` of references holds: `a.first().unwrap()` and its like.
    fn certain(&mut self, option: &syn::Expr) -> Option<Tree> {
        let m = match unparen(option) {
            syn::Expr::MethodCall(m) => m,
            syn::Expr::Path(_) => return self.certain_variable(option),
            _ => return None,
        };
        let name = m.method.to_string();
        let exclusive = name.ends_with("_mut");
        match (name.trim_end_matches("_mut"), m.args.len()) {
            ("copied" | "cloned", 0) => {
                let tree = self.certain(&m.receiver)?;
                let path = self.path(tree);
                Some(Tree::Value(self.load(path)))
            }
            ("first", 0) => {
                let path = self.viewed(&m.receiver, exclusive)?;
                let first = self.position(0);
                Some(Tree::View(path.then(Step::Index(first))))
            }
            ("last", 0) => {
                let path = self.viewed(&m.receiver, exclusive)?;
                let last = self.last(&path);
                Some(Tree::View(path.then(Step::Index(last))))
            }
            // What is in an option, where it is.
            ("as", 0) if exclusive => {
                let path = self.viewed(&m.receiver, exclusive)?;
                Some(Tree::View(path.then(Step::Field(Part::payload()))))
            }
            ("as_ref", 0) if !self.facts.ty(&m.receiver).payload().is_plain() => {
                let path = self.viewed(&m.receiver, false)?;
                Some(Tree::View(path.then(Step::Field(Part::payload()))))
            }
            ("get", 1) => {
                let path = self.viewed(&m.receiver, exclusive)?;
                if let syn::Expr::Range(range) = unparen(&m.args[0]) {
                    let part = self.range(&path, range);
                    self.push(Kind::Check(part.clone()), Vec::new(), Vec::new());
                    return Some(Tree::View(part));
                }
                let i = self.scalar(&m.args[0]);
                Some(Tree::View(path.then(Step::Index(i))))
            }
            ("split_first", 0) => {
                let path = self.viewed(&m.receiver, exclusive)?;
                let (first, one) = (self.position(0), self.position(1));
                let rest = path.then(Step::Range(Some(one), None));
                self.push(Kind::Check(rest.clone()), Vec::new(), Vec::new());
                let first = path.then(Step::Index(first));
                Some(Tree::Tuple(vec![Tree::View(first), Tree::View(rest)]))
            }
            ("split_last", 0) => {
                let path = self.viewed(&m.receiver, exclusive)?;
                let (zero, last) = (self.position(0), self.last(&path));
                let rest = path.then(Step::Range(Some(zero), Some(last)));
                let last = path.then(Step::Index(last));
                Some(Tree::Tuple(vec![Tree::View(last), Tree::View(rest)]))
            }
            _ => None,
        }
    }

    /// What is in a variable that is an option of a reference: no other option is behind a reference and not copied, unless its type is not known.
    fn certain_variable(&mut self, option: &syn::Expr) -> Option<Tree> {
        let name = facts::root(option)?;
        match self.env.get(&name) {
            Some(Binding::View(path))
                if !self.func.path_ty(path).payload().is_plain()
                    && !self.facts.may_change(&name) =>
            {
                Some(Tree::View(path.then(Step::Field(Part::payload()))))
            }
            _ => None,
        }
    }

    /// The index of the last element.
    fn last(&mut self, path: &Path) -> Value {
        let n = self.len(path.clone());
        self.pure(quote!(__a0 - 1), vec![n], Ty::Int)
    }
}
