//! References that are chosen at run time, or change what they refer to.
//!
//! A reference is a path, never a value. Where it is not the same on every way, the values in the path are carried; where the places
//! differ, so is a truth value that says which of two it is, and every access becomes an `if`.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

use quote::quote;

use super::control::Yielded;
use super::expr::unparen;
use super::{Binding, Lower, Tree};
use crate::facts;
use crate::ir::{Kind, Part, Path, Place, Step, Storage, Ty, Value};
use crate::syntax;
use crate::visit::{self, Enter as _, Visit};

/// One of two places, by a truth value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Either {
    pub(super) on: Value,
    pub(super) yes: Path,
    pub(super) no: Path,
    /// A reference to it rather than the place itself.
    pub(super) view: bool,
}

impl Either {
    pub(super) fn map(self, f: impl Fn(&Path) -> Path) -> Either {
        Either {
            yes: f(&self.yes),
            no: f(&self.no),
            ..self
        }
    }

    /// A reference to it.
    pub(super) fn viewed(self) -> Tree {
        Tree::Either(Box::new(Either { view: true, ..self }))
    }

    /// The place itself.
    pub(super) fn placed(self) -> Tree {
        Tree::Either(Box::new(Either {
            view: false,
            ..self
        }))
    }
}

/// A step of a path without its values.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Link {
    Index,
    Field(Part),
    Range,
}

/// Where a reference may lead: a place, and the steps whose values are carried.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Target {
    root: Place,
    links: Vec<Link>,
}

impl Target {
    fn of(path: &Path) -> Target {
        let link = |step: &Step| match step {
            Step::Index(_) => Link::Index,
            Step::Field(k) => Link::Field(k.clone()),
            Step::Range(..) => Link::Range,
        };
        let mut links: Vec<Link> = Vec::new();
        for link in path.steps.iter().map(link) {
            // A range of a range is one, and an element of it one of the whole.
            if links.last() == Some(&Link::Range) && !matches!(link, Link::Field(_)) {
                links.pop();
            }
            links.push(link);
        }
        Target {
            root: path.root,
            links,
        }
    }

    fn count(&self) -> usize {
        let values = |link: &Link| match link {
            Link::Index => 1,
            Link::Field(_) => 0,
            Link::Range => 2,
        };
        self.links.iter().map(values).sum()
    }

    fn rebuild(&self, values: &mut dyn Iterator<Item = Value>) -> Path {
        let mut steps = Vec::new();
        for link in &self.links {
            steps.push(match link {
                Link::Index => match values.next() {
                    Some(v) => Step::Index(v),
                    None => break,
                },
                Link::Field(k) => Step::Field(k.clone()),
                Link::Range => Step::Range(values.next(), values.next()),
            });
        }
        Path {
            root: self.root,
            steps,
        }
    }

    /// With a range at the end, as a slice has it.
    fn sliced(mut self) -> Target {
        if self.links.last() != Some(&Link::Range) {
            self.links.push(Link::Range);
        }
        self
    }
}

/// What a reference that is not the same on every way may refer to: one place, or one of two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reference {
    no: Target,
    yes: Option<Target>,
}

impl Reference {
    /// The reference, from the values that stand for it.
    pub(super) fn rebuild(&self, values: &mut dyn Iterator<Item = Value>) -> Tree {
        let Some(yes) = &self.yes else {
            return Tree::View(self.no.rebuild(values));
        };
        let Some(on) = values.next() else {
            return Tree::Unit;
        };
        let no = self.no.rebuild(values);
        let yes = yes.rebuild(values);
        let view = true;
        Tree::Either(Box::new(Either { on, yes, no, view }))
    }
}

pub(super) fn is_reference(tree: &Tree) -> bool {
    match tree {
        Tree::View(_) => true,
        Tree::Either(either) => either.view,
        _ => false,
    }
}

/// The variables that code assigns as a whole, and what to; of exchanged variables each other.
#[derive(Default)]
pub(super) struct Rebound {
    targets: FxHashMap<String, Vec<syn::Expr>>,
}

impl Rebound {
    pub(super) fn of(block: &syn::Block) -> Rebound {
        let mut rebound = Rebound::default();
        rebound.visit_block(block);
        rebound
    }

    fn assigned(&mut self, left: &syn::Expr, right: &syn::Expr) {
        match (unparen(left), unparen(right)) {
            (syn::Expr::Path(_), right) => {
                if let Some(name) = facts::root(left) {
                    self.targets.entry(name).or_default().push(right.clone());
                }
            }
            (syn::Expr::Tuple(left), syn::Expr::Tuple(right))
                if left.elems.len() == right.elems.len() =>
            {
                for (left, right) in left.elems.iter().zip(&right.elems) {
                    self.assigned(left, right);
                }
            }
            (syn::Expr::Tuple(left), right) => {
                left.elems
                    .iter()
                    .for_each(|left| self.assigned(left, right));
            }
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Rebound {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        visit::visit_expr_assign(self, e);
        self.assigned(&e.left, &e.right);
    }

    fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
        visit::visit_expr_call(self, e);
        if let [a, b] = e.args.iter().collect::<Vec<_>>().as_slice() {
            if let (Some(a), Some(b)) = (variable_behind(a), variable_behind(b)) {
                self.assigned(a, b);
                self.assigned(b, a);
            }
        }
    }
}

/// `x` in `&mut x`
fn variable_behind(e: &syn::Expr) -> Option<&syn::Expr> {
    match unparen(e) {
        syn::Expr::Reference(r) if r.mutability.is_some() => match unparen(&r.expr) {
            variable @ syn::Expr::Path(_) => Some(variable),
            _ => None,
        },
        _ => None,
    }
}

impl Lower<'_> {
    /// `mem::swap(&mut a, &mut b)` of two variables that are references: they change what they refer to.
    pub(super) fn exchange_references(&mut self, a: &syn::Expr, b: &syn::Expr) -> bool {
        let name = |e| variable_behind(e).and_then(facts::root);
        let (Some(a), Some(b)) = (name(a), name(b)) else {
            return false;
        };
        let reference = |binding: Option<&Binding>| {
            matches!(binding, Some(Binding::View(_) | Binding::Either(_)))
        };
        if !reference(self.env.get(&a)) || !reference(self.env.get(&b)) {
            return false;
        }
        if let (Some(x), Some(y)) = (self.env.remove(&a), self.env.remove(&b)) {
            self.env.insert(a, y);
            self.env.insert(b, x);
        }
        true
    }

    /// `name = tree` where `name` is a reference.
    pub(super) fn refer(&mut self, left: &syn::Expr, name: &str, tree: Tree) {
        let binding = match tree {
            Tree::View(path) => Binding::View(path),
            Tree::Place(path) if matches!(self.func.path_ty(&path), Ty::Slice(_)) => {
                Binding::View(path)
            }
            Tree::Either(either) if either.view => Binding::Either(either),
            _ => {
                self.errors.error(left, format_args!("`{name}` is a reference, and what it is assigned cannot be followed; use an index"));
                return;
            }
        };
        self.env.insert(name.to_owned(), binding);
    }

    /// How a reference is carried through a loop that assigns it; `None` if the loop does not.
    pub(super) fn carried_reference(
        &self,
        name: &str,
        tree: &Tree,
        rebound: &Rebound,
    ) -> Option<Reference> {
        let targets = rebound.targets.get(name)?;
        let mut all = vec![tree.clone()];
        let mut parts = false;
        // What begins as one of several things is one of them in each round: the best so far. A slice may be the rest of it.
        let sliced = self
            .facts
            .get(name)
            .is_some_and(|v| matches!(v.ty, Ty::Slice(_)));
        let single = !sliced
            && matches!(tree, Tree::View(path) if matches!(path.steps.last(), Some(Step::Index(_) | Step::Field(_))));
        for target in targets {
            let bound = match unparen(target) {
                syn::Expr::Reference(r) => unparen(&r.expr),
                other => other,
            };
            let known = match bound {
                syn::Expr::Path(_) => facts::root(bound).and_then(|n| self.env.get(&n)),
                _ => None,
            };
            match known {
                Some(Binding::Place(path) | Binding::View(path)) => {
                    all.push(Tree::View(path.clone()));
                }
                Some(Binding::Either(either)) => all.push(Tree::Either(either.clone())),
                _ if single && matches!(bound, syn::Expr::Path(_) | syn::Expr::Field(_)) => {}
                // A part of something, most likely of itself.
                _ => {
                    parts |= !matches!(bound, syn::Expr::Index(i) if !matches!(unparen(&i.index), syn::Expr::Range(_)));
                }
            }
        }
        let reference = Self::common_reference(&all)?;
        if !parts {
            return Some(reference);
        }
        Some(Reference {
            no: reference.no.sliced(),
            yes: reference.yes.map(Target::sliced),
        })
    }

    /// Whether a place is a variable that is a reference itself, to memory that nothing active is in.
    pub(super) fn holds_reference(&self, path: &Path) -> bool {
        let place = self.func.at(path.root);
        let slice = matches!(place.ty, Ty::Slice(_)) && place.storage == Storage::Local;
        path.steps.is_empty() && (slice || matches!(place.ty, Ty::Inert))
    }

    /// Whether a tree is a value, or a reference to memory that nothing active is in.
    pub(super) fn refers_to_constants(&self, tree: &Tree) -> bool {
        let constant = |path: &Path| {
            let place = self.func.at(path.root);
            let named = matches!(
                self.env.get(&place.hint),
                Some(Binding::Place(p) | Binding::View(p)) if *p == Path::whole(path.root)
            );
            let inactive = self.facts.get(&place.hint).is_some_and(|v| !v.active);
            (place.borrows || named && inactive) && !place.mutable
        };
        match tree {
            Tree::Value(_) => true,
            Tree::View(path) => constant(path),
            _ => false,
        }
    }

    /// What all these references have in common: one place or two, and the same steps on each.
    pub(super) fn common_reference(trees: &[Tree]) -> Option<Reference> {
        let mut targets: Vec<Target> = Vec::new();
        for tree in trees {
            let paths = match tree {
                Tree::View(path) => vec![path.clone()],
                Tree::Either(either) => vec![either.no.clone(), either.yes.clone()],
                _ => return None,
            };
            for path in paths {
                let target = Target::of(&path);
                let Some(known) = targets.iter_mut().find(|t| t.root == target.root) else {
                    targets.push(target);
                    continue;
                };
                if *known != target {
                    let (a, b) = (known.clone().sliced(), target.sliced());
                    if a != b {
                        return None;
                    }
                    *known = a;
                }
            }
        }
        let mut targets = targets.into_iter();
        let (no, yes) = (targets.next()?, targets.next());
        targets.next().is_none().then_some(Reference { no, yes })
    }

    /// The values that stand for a reference; reports what does not fit.
    pub(super) fn show_reference(&mut self, tree: &Tree, reference: &Reference) -> Vec<Value> {
        let shown = self.try_show(tree, reference);
        shown.unwrap_or_else(|| {
            self.errors.error_at(
                self.span,
                "a reference is assigned here that cannot be followed: it may refer to one of two variables, or to parts of one; use an index",
            );
            let count = reference.no.count()
                + reference.yes.as_ref().map_or(0, |yes| yes.count() + 1);
            (0..count).map(|_| self.position(0)).collect()
        })
    }

    fn try_show(&mut self, tree: &Tree, reference: &Reference) -> Option<Vec<Value>> {
        let Some(yes) = &reference.yes else {
            let Tree::View(path) = tree else { return None };
            return self.show_path(path, &reference.no);
        };
        let (on, paths) = match tree {
            Tree::View(path) => {
                let on = path.root == yes.root;
                let on = self.literal(if on { quote!(true) } else { quote!(false) }, Ty::Bool);
                (on, vec![path.clone()])
            }
            Tree::Either(either) => {
                let on = if either.yes.root == yes.root {
                    either.on
                } else {
                    self.pure(quote!(!__a0), vec![either.on], Ty::Bool)
                };
                (on, vec![either.yes.clone(), either.no.clone()])
            }
            _ => return None,
        };
        let mut out = vec![on];
        for target in [&reference.no, yes] {
            match paths.iter().find(|path| path.root == target.root) {
                Some(path) => out.extend(self.show_path(path, target)?),
                // Where the other place is meant, these are never used.
                None => out.extend((0..target.count()).map(|_| self.position(0))),
            }
        }
        let known = |path: &Path| [reference.no.root, yes.root].contains(&path.root);
        paths.iter().all(known).then_some(out)
    }

    fn show_path(&mut self, path: &Path, target: &Target) -> Option<Vec<Value>> {
        let mut path = self.composed(path.clone());
        if path.root != target.root {
            return None;
        }
        if path.steps.len() + 1 == target.links.len() && target.links.last() == Some(&Link::Range) {
            path = path.then(Step::Range(None, None));
        }
        if Target::of(&path) != *target {
            return None;
        }
        let mut out = Vec::new();
        for (k, step) in path.steps.iter().enumerate() {
            match step {
                Step::Index(v) => out.push(*v),
                Step::Field(_) => {}
                Step::Range(lo, hi) => {
                    out.push(lo.unwrap_or_else(|| self.position(0)));
                    let whole = Path {
                        root: path.root,
                        steps: path.steps[..k].to_vec(),
                    };
                    out.push(match hi {
                        Some(hi) => *hi,
                        None => self.len(whole),
                    });
                }
            }
        }
        Some(out)
    }

    /// A range of a range as one, and an element of a range as one of the whole.
    fn composed(&mut self, path: Path) -> Path {
        let mut steps: Vec<Step> = Vec::new();
        for step in path.steps {
            match (steps.last().cloned(), step) {
                (Some(Step::Range(lo, hi)), Step::Range(from, to)) => {
                    let shifted = |cx: &mut Self, v: Value| match lo {
                        Some(lo) => cx.pure(quote!(__a0 + __a1), vec![lo, v], Ty::Int),
                        None => v,
                    };
                    let from = match from {
                        Some(from) => Some(shifted(self, from)),
                        None => lo,
                    };
                    let to = match to {
                        Some(to) => Some(shifted(self, to)),
                        None => hi,
                    };
                    steps.pop();
                    steps.push(Step::Range(from, to));
                }
                (Some(Step::Range(lo, _)), Step::Index(k)) => {
                    // Beyond the range it is none of its elements.
                    let range = Path {
                        root: path.root,
                        steps: steps.clone(),
                    };
                    let element = range.then(Step::Index(k));
                    self.push(Kind::Check(element), Vec::new(), Vec::new());
                    let k = match lo {
                        Some(lo) => self.pure(quote!(__a0 + __a1), vec![lo, k], Ty::Int),
                        None => k,
                    };
                    steps.pop();
                    steps.push(Step::Index(k));
                }
                (_, step) => steps.push(step),
            }
        }
        Path {
            root: path.root,
            steps,
        }
    }

    /// Refuses references that a loop changes without carrying them.
    pub(super) fn refuse_lost_references(
        &mut self,
        after: &BTreeMap<String, Binding>,
        carried: &[(String, Yielded)],
    ) {
        for (name, before) in &self.env {
            let reference = matches!(before, Binding::View(_) | Binding::Either(_));
            let kept = match (before, after.get(name)) {
                (Binding::View(a), Some(Binding::View(b))) => a == b,
                (Binding::Either(a), Some(Binding::Either(b))) => a == b,
                (_, None) => true,
                _ => false,
            };
            if reference && !kept && !carried.iter().any(|(n, _)| n == name) {
                self.errors.error_at(self.span, format_args!("`{name}` is a reference that this loop changes in a way that cannot be followed; use an index"));
                return;
            }
        }
    }

    pub(super) fn is_either(&self, e: &syn::Expr) -> bool {
        match unparen(e) {
            syn::Expr::Path(_) => facts::root(e)
                .is_some_and(|name| matches!(self.env.get(&name), Some(Binding::Either(_)))),
            syn::Expr::Reference(r) => self.is_either(&r.expr),
            syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => self.is_either(&u.expr),
            syn::Expr::Index(i) => self.is_either(&i.expr),
            syn::Expr::Field(f) => self.is_either(&f.base),
            _ => false,
        }
    }

    /// Whether code stores through a reference that is a path, so that copied code could not.
    pub(super) fn stores_through(&self, e: &syn::Expr) -> bool {
        let left = match e {
            syn::Expr::Assign(e) => &e.left,
            syn::Expr::Binary(e) if syntax::is_compound(&e.op) => &e.left,
            _ => return false,
        };
        match facts::root(left).and_then(|name| self.env.get(&name)) {
            Some(Binding::Either(_)) => true,
            Some(Binding::View(path)) => {
                !path.steps.is_empty() || self.func.at(path.root).storage == Storage::Local
            }
            _ => false,
        }
    }

    /// A place expression, lowered step by step even where nothing in it is active.
    pub(super) fn place_expr(&mut self, e: &syn::Expr) -> Tree {
        match e {
            syn::Expr::Paren(e) => self.place_expr(&e.expr),
            syn::Expr::Group(e) => self.place_expr(&e.expr),
            syn::Expr::Index(e) if self.names_reference(&e.expr) => self.index(e),
            syn::Expr::Field(e) if self.names_reference(&e.base) => self.field(e),
            syn::Expr::Unary(e) if self.names_reference(&e.expr) => self.unary(e, false),
            other => self.expr(other),
        }
    }

    fn names_reference(&self, e: &syn::Expr) -> bool {
        let binding = facts::root(e).and_then(|name| self.env.get(&name));
        matches!(binding, Some(Binding::View(_) | Binding::Either(_)))
    }

    pub(super) fn either_value(&mut self, either: Either) -> Value {
        let Either { on, yes, no, .. } = either;
        let tree = self.choose(
            on,
            |cx| Tree::Value(cx.load(yes)),
            |cx| Tree::Value(cx.load(no)),
        );
        self.value(tree)
    }

    pub(super) fn read_either(&mut self, either: Either) -> Tree {
        if matches!(self.func.path_ty(&either.yes), Ty::Slice(_)) {
            return either.viewed();
        }
        Tree::Value(self.either_value(either))
    }

    pub(super) fn either_length(&mut self, either: Either) -> Value {
        let Either { on, yes, no, .. } = either;
        let tree = self.choose(
            on,
            |cx| Tree::Value(cx.len(yes)),
            |cx| Tree::Value(cx.len(no)),
        );
        self.value(tree)
    }

    pub(super) fn index_either(&mut self, either: Either, index: &syn::Expr) -> Tree {
        if let syn::Expr::Range(range) = unparen(index) {
            let yes = self.range(&either.yes, range);
            let mut no = either.no.clone();
            no.steps
                .extend(yes.steps[either.yes.steps.len()..].iter().cloned());
            return Either { yes, no, ..either }.placed();
        }
        let index = self.scalar(index);
        either.map(|path| path.then(Step::Index(index))).placed()
    }

    /// Does something with the place on the left side of an assignment; where it is one of two, in each arm of an `if`.
    pub(super) fn at_target(&mut self, left: &syn::Expr, mut f: impl FnMut(&mut Self, Path)) {
        if self.is_either(left) {
            let tree = self.expr(left);
            return self.at_tree(tree, &mut f);
        }
        if let Some(path) = self.target(left) {
            f(self, path);
        }
    }

    pub(super) fn at_tree(&mut self, tree: Tree, f: &mut dyn FnMut(&mut Self, Path)) {
        match tree {
            Tree::Either(either) => {
                let f = std::cell::RefCell::new(f);
                let Either { on, yes, no, .. } = *either;
                let arm = |path: Path| {
                    let f = &f;
                    move |cx: &mut Self| {
                        cx.func.at_mut(path.root).mutable = true;
                        (f.borrow_mut())(cx, path);
                        Tree::Unit
                    }
                };
                self.choose(on, arm(yes), arm(no));
            }
            tree => {
                let path = self.path(tree);
                f(self, path);
            }
        }
    }
}
