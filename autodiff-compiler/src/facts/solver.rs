//! Propagates types and activity from variable to variable, to a fixed point.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::visit::{self, Enter as _, Other, Visit};

use super::{Facts, Var, root};
use crate::ir::{Ty, Width, join};
use crate::iterators::is_chain;
use crate::iterators::reads_parts;
use crate::marks::{is_stop_gradient, is_with_cotangent};
use crate::matrices;
use crate::own_names;
use crate::rules;
use crate::std_methods::is_view;
use crate::syntax::{is_compound, peel};

/// Propagates types and activity to a fixed point.
pub(super) struct Solver {
    pub(super) facts: Facts,
    pub(super) changed: bool,
    /// Types of variables in which there are some of the user's own, and of those that are integers.
    pub(super) own: FxHashMap<String, Ty>,
    /// What arithmetic seems to be a number is used as a value of a type of the user's own.
    pub(super) doubted: bool,
    /// Variables that iterators go through.
    pub(super) walked: FxHashSet<String>,
    /// Variables that hold what calls have returned.
    pub(super) returned: FxHashSet<String>,
    /// The pattern being bound takes `&mut` references.
    pub(super) lending: bool,
    /// The parameters of closures that have a name.
    pub(super) closures: FxHashMap<String, Vec<syn::Pat>>,
    /// Variables that are certainly numbers themselves: parameters passed by value, results of arithmetic.
    pub(super) numbers: FxHashSet<String>,
    /// Parameters passed by value, and variables bound to what was made without lending anything to write to: no `&mut` reference is in them.
    pub(super) owned: FxHashSet<String>,
    /// Parameters that are `&` references.
    pub(super) shared: FxHashSet<String>,
}

impl Solver {
    fn touch(&mut self, name: &str, ty: &Ty, active: bool) {
        let Some(var) = self.facts.vars.get_mut(name) else {
            return;
        };
        let known = !matches!(var.ty, Ty::Unknown | Ty::Float(Width::Any)) && !incomplete(&var.ty);
        // A type made of itself, in code that does not compile, would grow for ever.
        if !known && depth(ty) <= DEPTH {
            let joined = join(var.ty.clone(), ty.clone());
            if format!("{joined:?}") != format!("{:?}", var.ty) {
                var.ty = joined;
                self.changed = true;
            }
        }
        if active && !var.active && !var.ty.is_inert() {
            var.active = true;
            self.changed = true;
            for root in var.roots.clone() {
                self.touch(&root, &Ty::Unknown, true);
            }
        }
    }

    /// What goes where a type of the user's own is expected is of that type; where the type is written, against what arithmetic seems to say.
    pub(super) fn must_be(&mut self, e: &syn::Expr, ty: &Ty, written: bool) {
        if !ty.is_user() {
            if innermost(ty).is_user() {
                self.list_must_be(e, ty);
            }
            return;
        }
        match peel(e) {
            syn::Expr::Path(p) => {
                let Some(name) = p.path.get_ident().map(ToString::to_string) else {
                    return;
                };
                let number = self.numbers.contains(&name);
                match self.facts.vars.get_mut(&name) {
                    Some(var) if written && !number && var.ty.is_float() => {
                        var.ty = ty.clone();
                        self.changed = true;
                    }
                    var => {
                        self.doubted |= var.is_some_and(|v| v.ty.is_float());
                        self.touch(&name, ty, false);
                    }
                }
            }
            syn::Expr::Return(e) => {
                if let Some(e) = &e.expr {
                    self.must_be(e, ty, written);
                }
            }
            syn::Expr::Reference(e) => self.must_be(&e.expr, ty, false),
            syn::Expr::Unary(e) if !matches!(e.op, syn::UnOp::Not(_)) => {
                self.must_be(&e.expr, ty, false);
            }
            // A number is known to be one, and stays it.
            syn::Expr::Binary(e) => {
                let both = matches!(e.op, syn::BinOp::Add(_) | syn::BinOp::Sub(_));
                let scales = matches!(e.op, syn::BinOp::Mul(_) | syn::BinOp::Div(_));
                for (e, other) in [(&e.left, &e.right), (&e.right, &e.left)] {
                    if both || scales && self.facts.ty(other).is_scalar() {
                        self.must_be(e, ty, false);
                    }
                }
            }
            syn::Expr::Field(f) => self.part_must_be(f, ty),
            e => {
                if let Some(list) = element_of(e) {
                    self.has_own(list);
                }
                for e in alternatives(e).into_iter().flatten() {
                    self.must_be(e, ty, written);
                }
            }
        }
    }

    /// As `must_be`, for a list.
    fn list_must_be(&mut self, e: &syn::Expr, ty: &Ty) {
        match peel(e) {
            syn::Expr::Path(_) => {
                if let Some(name) = root(e) {
                    self.touch(&name, ty, false);
                }
            }
            e => {
                for e in alternatives(e).into_iter().flatten() {
                    self.list_must_be(e, ty);
                }
            }
        }
    }

    /// As `must_be`, for a part of a tuple.
    fn part_must_be(&mut self, e: &syn::ExprField, ty: &Ty) {
        let syn::Member::Unnamed(k) = &e.member else {
            return;
        };
        match (self.facts.ty(&e.base), root(&e.base)) {
            (Ty::Unknown, _) => self.must_be(&e.base, ty, false),
            (Ty::Tuple(mut parts), Some(name)) if matches!(peel(&e.base), syn::Expr::Path(_)) => {
                if let Some(part) = parts.get_mut(k.index as usize) {
                    *part = join(part.clone(), ty.clone());
                    self.touch(&name, &Ty::Tuple(parts), false);
                }
            }
            _ => {}
        }
    }

    /// Whether something of a type of the user's own returns what a variable without a type holds, and iterators go through.
    fn is_returned_list(&self, pattern: &syn::Pat, init: &syn::Expr) -> bool {
        let returned = match peel(init) {
            syn::Expr::MethodCall(m) => {
                own_names::is_foreign(&m.method.to_string()) && !matrices::is_method(m)
            }
            _ => false,
        };
        let walked =
            matches!(pattern, syn::Pat::Ident(p) if self.walked.contains(&p.ident.to_string()));
        returned && walked && self.facts.ty(init).is_user()
    }

    fn take_for_list(&mut self, pattern: &syn::Pat) {
        let var = named(pattern).and_then(|name| self.facts.vars.get_mut(&name));
        if let Some(var) = var {
            var.listed |= matches!(var.ty, Ty::Vec(_));
        }
    }

    /// The elements of a list are of a type of the user's own.
    fn has_own(&mut self, list: &syn::Expr) {
        let Some(name) = listed(list) else {
            return;
        };
        let Some(var) = self.facts.vars.get_mut(&name) else {
            return;
        };
        let unknown = matches!(var.ty, Ty::Unknown);
        if unknown && self.walked.contains(&name) && self.returned.contains(&name) {
            // What code without derivative returns may be a reference.
            if !var.active {
                return;
            }
            var.listed = true;
        }
        let of = if var.listed {
            Ty::Vec(Box::new(Ty::User))
        } else {
            filled(&var.ty)
        };
        self.doubted |= innermost(&of).is_float();
        self.touch(&name, &of, false);
    }

    /// Data flows from an expression into a pattern.
    fn bind(
        &mut self,
        pattern: &syn::Pat,
        ty: &Ty,
        active: bool,
        source: Option<&syn::Expr>,
        roots: &[String],
    ) {
        match pattern {
            syn::Pat::Ident(p) if p.ident == "None" => {}
            syn::Pat::Ident(p) => {
                let name = p.ident.to_string();
                let exclusive = self.lending || source.is_some_and(|e| self.facts.lends(e));
                self.facts.vars.entry(name.clone()).or_insert_with(|| {
                    self.changed = true;
                    Var {
                        ty: self.own.get(&name).cloned().unwrap_or(Ty::Unknown),
                        mutable: p.mutability.is_some(),
                        active: false,
                        place: false,
                        roots: roots.to_vec(),
                        exclusive,
                        constant: false,
                        rebound: false,
                        listed: false,
                    }
                });
                self.touch(&name, ty, active);
                if let Some((_, sub)) = &p.subpat {
                    self.bind(sub, ty, active, source, roots);
                }
            }
            syn::Pat::Type(p) => {
                let annotated = self.facts.read(&p.ty);
                let active = active && !annotated.is_inert();
                self.bind(&p.pat, &join(annotated, ty.clone()), active, source, roots);
            }
            syn::Pat::Paren(p) => self.bind(&p.pat, ty, active, source, roots),
            // What it binds are copies.
            syn::Pat::Reference(p) => {
                let lending = std::mem::take(&mut self.lending);
                let source = source.filter(|e| !self.facts.lends(e));
                self.bind(&p.pat, ty, active, source, &[]);
                self.lending = lending;
            }
            syn::Pat::Guard(p) => self.bind(&p.pat, ty, active, source, roots),
            syn::Pat::Tuple(p) => {
                let parts = match source.map(peel) {
                    Some(syn::Expr::Tuple(t)) if t.elems.len() == p.elems.len() => Some(&t.elems),
                    _ => None,
                };
                let rest = p.elems.iter().position(|e| matches!(e, syn::Pat::Rest(_)));
                for (k, elem) in p.elems.iter().enumerate() {
                    let part = parts.map(|parts| &parts[k]);
                    let index = match rest {
                        Some(at) if k > at => None,
                        _ => Some(k),
                    };
                    let ty = index.map_or(Ty::Unknown, |k| ty.component(k));
                    let active = part.map_or(active, |e| self.facts.active(e)) && !ty.is_inert();
                    let of_part = part.map(|e| self.referred(e));
                    self.bind(elem, &ty, active, part, of_part.as_deref().unwrap_or(roots));
                }
            }
            syn::Pat::Slice(p) => {
                let elem_ty = ty.element();
                for elem in &p.elems {
                    let rest = matches!(elem, syn::Pat::Ident(p)
                        if matches!(p.subpat.as_ref().map(|(_, sub)| &**sub), Some(syn::Pat::Rest(_))));
                    let ty = match ty {
                        Ty::Slice(_) | Ty::Vec(_) if rest => Ty::Slice(Box::new(elem_ty.clone())),
                        _ if rest => Ty::Unknown,
                        _ => elem_ty.clone(),
                    };
                    self.bind(elem, &ty, active, None, roots);
                }
            }
            syn::Pat::Or(p) => p
                .cases
                .iter()
                .for_each(|case| self.bind(case, ty, active, source, roots)),
            syn::Pat::TupleStruct(p) => {
                let ty = if p.path.is_ident("Some") {
                    ty.payload()
                } else {
                    Ty::User
                };
                p.elems
                    .iter()
                    .for_each(|e| self.bind(e, &ty, active, None, roots));
            }
            syn::Pat::Struct(p) => p
                .fields
                .iter()
                .for_each(|f| self.bind(&f.pat, &Ty::User, active, None, roots)),
            _ => {}
        }
    }

    /// The type of a part of a variable says something of the variable.
    fn holds(&mut self, e: &syn::Expr, ty: Ty) {
        match peel(e) {
            syn::Expr::Path(p) => {
                if let Some(name) = p.path.get_ident() {
                    if !matches!(self.facts.ty(e), Ty::Unknown) {
                        self.touch(&name.to_string(), &ty, false);
                    }
                }
            }
            syn::Expr::Index(e) => {
                let ty = Box::new(ty);
                match self.facts.ty(&e.expr) {
                    Ty::Vec(_) => self.holds(&e.expr, Ty::Vec(ty)),
                    Ty::Slice(_) => self.holds(&e.expr, Ty::Slice(ty)),
                    Ty::Array(_, n) => self.holds(&e.expr, Ty::Array(ty, n)),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// The items of an iterator flow into a pattern; of a `zip` each part refers into a variable of its own.
    fn bind_items(&mut self, pattern: &syn::Pat, e: &syn::Expr, ty: &Ty) {
        if let syn::Expr::MethodCall(m) = peel(e) {
            match (m.method.to_string().as_str(), pattern, m.args.first()) {
                ("zip", syn::Pat::Tuple(p), Some(other)) if p.elems.len() == 2 => {
                    self.lending = self.facts.lends(&m.receiver);
                    self.bind_items(&p.elems[0], &m.receiver, &ty.component(0));
                    self.lending = self.facts.lends(other);
                    self.bind_items(&p.elems[1], other, &ty.component(1));
                    return;
                }
                ("enumerate", syn::Pat::Tuple(p), None) if p.elems.len() == 2 => {
                    self.bind(&p.elems[0], &Ty::Int, false, None, &[]);
                    self.bind_items(&p.elems[1], &m.receiver, &ty.component(1));
                    return;
                }
                ("rev" | "skip" | "take" | "step_by", ..) => {
                    self.bind_items(pattern, &m.receiver, ty);
                    return;
                }
                ("filter" | "skip_while" | "take_while", ..) if !self.facts.active(e) => {
                    let ty = self.facts.ty(&m.receiver).element();
                    self.bind_items(pattern, &m.receiver, &ty);
                    return;
                }
                _ => {}
            }
        }
        let active = !ty.is_inert() && self.facts.active(e);
        // Copies refer to nothing.
        let referred = root(e).filter(|_| active || !copies(e));
        self.bind(pattern, ty, active, None, &Vec::from_iter(referred));
        self.learn_of(pattern, e);
    }

    /// What is known of an element is known of the list, and what is known of something, of an option of it.
    fn learn_of(&mut self, pattern: &syn::Pat, e: &syn::Expr) {
        if self.binds_own(pattern) {
            self.has_own(e);
        }
    }

    /// Whether what a pattern matches is of a type of the user's own, or a list of such.
    fn binds_own(&self, pattern: &syn::Pat) -> bool {
        match pattern {
            syn::Pat::Reference(p) => self.binds_own(&p.pat),
            syn::Pat::Struct(_) => true,
            syn::Pat::TupleStruct(p) if p.path.is_ident("Some") => {
                p.elems.first().is_some_and(|inside| self.binds_own(inside))
            }
            pattern => named(pattern)
                .and_then(|name| self.facts.get(&name))
                .is_some_and(|var| innermost(&var.ty).is_user()),
        }
    }

    /// The variables that binding this expression makes a reference into.
    fn referred(&self, e: &syn::Expr) -> Vec<String> {
        if let Some(values) = alternatives(e) {
            return if values.iter().any(|e| self.is_number(e)) {
                Vec::new()
            } else {
                values.iter().flat_map(|e| self.referred(e)).collect()
            };
        }
        match peel(e) {
            syn::Expr::Tuple(e) => e.elems.iter().flat_map(|e| self.referred(e)).collect(),
            syn::Expr::Path(_) => {
                let reference =
                    |name: &String| self.facts.get(name).is_some_and(|v| !v.roots.is_empty());
                root(e).into_iter().filter(reference).collect()
            }
            other if refers(other) => root(other).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Certainly a number itself, not a reference to one.
    fn is_number(&self, e: &syn::Expr) -> bool {
        match peel(e) {
            syn::Expr::Lit(_) | syn::Expr::Binary(_) | syn::Expr::Cast(_) => true,
            syn::Expr::Unary(e) => matches!(e.op, syn::UnOp::Neg(_)),
            syn::Expr::MethodCall(m) => rules::by_method(&m.method.to_string()).is_some(),
            // `f64::sin(x)`
            syn::Expr::Call(c) => matches!(peel(&c.func), syn::Expr::Path(p)
                if p.path.segments.iter().rev().nth(1).is_some_and(|s| s.ident == "f64" || s.ident == "f32")),
            syn::Expr::Path(_) => root(e).is_some_and(|name| self.numbers.contains(&name)),
            e => alternatives(e).is_some_and(|all| all.iter().any(|e| self.is_number(e))),
        }
    }

    /// What the parts of a value that is matched may refer into.
    fn matched(&self, e: &syn::Expr) -> Vec<String> {
        let owned =
            |name: &String| matches!(peel(e), syn::Expr::Path(_)) && self.owned.contains(name);
        root(e).into_iter().filter(|name| !owned(name)).collect()
    }

    fn is_reference(&self, name: &str) -> bool {
        self.facts.get(name).is_some_and(|v| !v.roots.is_empty())
    }

    /// A reference may refer to what another does, from now on.
    fn refers_too(&mut self, name: &str, roots: Vec<String>) {
        let Some(var) = self.facts.vars.get_mut(name) else {
            return;
        };
        for root in roots {
            if root != name && !var.roots.contains(&root) {
                var.roots.push(root.clone());
                self.changed = true;
                let active = var.active;
                if active {
                    return self.touch(&root, &Ty::Unknown, true);
                }
            }
        }
    }

    /// The items of a receiver flow into the closure that a method is given, behind what it carries along.
    fn bind_closure(&mut self, closure: &syn::ExprClosure, m: &syn::ExprMethodCall) {
        let carried = self.facts.active(&m.receiver)
            || m.args.iter().any(|arg| self.facts.mentions_active(arg));
        let count = closure.inputs.len();
        for (k, input) in closure.inputs.iter().enumerate() {
            if k + 1 < count {
                self.bind(input, &Ty::Unknown, carried, None, &[]);
            } else {
                let ty =
                    range_item(&m.receiver).unwrap_or_else(|| self.facts.ty(&m.receiver).element());
                self.bind_items(input, &m.receiver, &ty);
                // A closure that has a derivative by what it captures has one by what it is given as well, be that a constant.
                let own = matches!(self.facts.ty(&m.receiver), Ty::Unknown | Ty::User);
                if carried && own && !is_chain(&m.receiver) {
                    self.bind(input, &Ty::Unknown, true, None, &[]);
                }
            }
        }
    }

    /// Something active may be stored in what an argument borrows mutably.
    fn touch_borrowed(&mut self, arg: &syn::Expr) {
        let borrowed = match peel(arg) {
            syn::Expr::Reference(r) if r.mutability.is_some() => root(&r.expr),
            syn::Expr::Path(_) => root(arg).filter(|name| {
                let var = self.facts.get(name);
                var.is_some_and(|v| (v.mutable || v.exclusive) && !v.roots.is_empty())
            }),
            _ => None,
        };
        let constant = |name: &String| self.facts.get(name).is_some_and(|v| v.constant);
        if let Some(name) = borrowed.filter(|name| !constant(name)) {
            self.touch(&name, &Ty::Unknown, true);
        }
    }

    /// Data flows from an expression into a place.
    fn assign(&mut self, left: &syn::Expr, right: &syn::Expr) {
        let targets = match left {
            syn::Expr::Tuple(left) => Some(&left.elems),
            syn::Expr::Array(left) => Some(&left.elems),
            _ => None,
        };
        if let Some(left) = targets {
            let parts = match peel(right) {
                syn::Expr::Tuple(t) if t.elems.len() == left.len() => Some(&t.elems),
                syn::Expr::Array(t) if t.elems.len() == left.len() => Some(&t.elems),
                _ => None,
            };
            for (k, elem) in left.iter().enumerate() {
                self.assign(elem, parts.map_or(right, |parts| &parts[k]));
            }
            // An array is one value: active, where one of its elements is.
            if matches!(peel(right), syn::Expr::Array(_)) && self.facts.active(right) {
                for name in left.iter().filter_map(root) {
                    self.touch(&name, &Ty::Unknown, true);
                }
            }
            return;
        }
        if let Some(name) = root(left) {
            if matches!(left, syn::Expr::Path(_)) && self.is_reference(&name) {
                let roots = self.referred(right);
                self.refers_too(&name, roots);
            }
            let ty = if matches!(left, syn::Expr::Path(_)) {
                self.facts.ty(right)
            } else {
                Ty::Unknown
            };
            let active = self.facts.active(right) && !self.facts.ty(left).is_inert();
            self.touch(&name, &ty, active);
            if matches!(left, syn::Expr::Path(_)) {
                let ty = self.facts.ty(left);
                self.must_be(right, &ty, false);
            }
        }
    }
}

impl<'ast> Visit<'ast> for Solver {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_field(&mut self, e: &'ast syn::ExprField) {
        visit::visit_expr_field(self, e);
        // What has fields with names is a struct.
        if matches!(e.member, syn::Member::Named(_)) {
            self.must_be(&e.base, &Ty::User, false);
        }
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let (syn::Pat::Ident(p), Some(init)) = (&local.pat, &local.init) {
            if let syn::Expr::Closure(c) = peel(&init.expr) {
                let inputs = c.inputs.iter().cloned().collect();
                self.closures.insert(p.ident.to_string(), inputs);
            }
        }
        visit::visit_local(self, local);
        match &local.init {
            Some(init) => {
                if let syn::Pat::Ident(p) = &local.pat {
                    if self.is_number(&init.expr) {
                        self.numbers.insert(p.ident.to_string());
                    } else if matches!(peel(&init.expr), syn::Expr::Call(_)) {
                        self.returned.insert(p.ident.to_string());
                    }
                }
                let read = |name: &str| self.owned.contains(name) || self.shared.contains(name);
                if let (Some(name), false) =
                    (named(&local.pat), self.facts.may_lend(&init.expr, &read))
                {
                    self.owned.insert(name);
                }
                let active = self.facts.active(&init.expr);
                let list = active && self.is_returned_list(&local.pat, &init.expr);
                let ty = if list {
                    Ty::Vec(Box::new(Ty::User))
                } else {
                    self.facts.ty(&init.expr)
                };
                let roots = self.referred(&init.expr);
                self.lending = self.facts.lends(&init.expr);
                self.bind(&local.pat, &ty, active, Some(&init.expr), &roots);
                self.lending = false;
                if list {
                    self.take_for_list(&local.pat);
                }
                if let Some(name) = named(&local.pat) {
                    let ty = self.facts.get(&name).map_or(Ty::Unknown, |v| v.ty.clone());
                    self.must_be(&init.expr, &ty, false);
                }
            }
            None => self.bind(&local.pat, &Ty::Unknown, false, None, &[]),
        }
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        self.visit_expr(&e.expr);
        let ty = match peel(&e.expr) {
            syn::Expr::Range(r) => r
                .start
                .as_ref()
                .map_or(Ty::Int, |s| join(self.facts.ty(s), Ty::Int)),
            other => range_item(other).unwrap_or_else(|| self.facts.ty(other).element()),
        };
        self.lending = self.facts.lends(&e.expr);
        self.bind_items(&e.pat, &e.expr, &ty);
        self.lending = false;
        self.visit_block(&e.body);
    }

    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        visit::visit_expr_assign(self, e);
        self.assign(&e.left, &e.right);
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        visit::visit_expr_binary(self, e);
        if is_compound(&e.op) {
            self.assign(&e.left, &e.right);
        }
    }

    fn visit_expr_closure(&mut self, e: &'ast syn::ExprClosure) {
        for input in &e.inputs {
            self.bind(input, &Ty::Unknown, false, None, &[]);
        }
        visit::visit_expr_closure(self, e);
    }

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        for arg in &e.args {
            if let syn::Expr::Closure(closure) = peel(arg) {
                self.bind_closure(closure, e);
            }
        }
        visit::visit_expr_method_call(self, e);
        // What has methods of its own is of a type of the user's own.
        if own_names::is_foreign(&e.method.to_string()) {
            self.must_be(&e.receiver, &Ty::User, false);
        }
        // What is put into a vector says what its elements are, and the other way round.
        let own = self.facts.ty(&e.receiver).element().is_user();
        let put = match (e.method.to_string().as_str(), e.args.len()) {
            ("push", 1) => Some(&e.args[0]),
            ("insert" | "resize", 2) => Some(&e.args[1]),
            _ => None,
        };
        let elem = match (put, e.args.first()) {
            (Some(put), _) => {
                if own {
                    self.must_be(put, &Ty::User, false);
                }
                Some(self.facts.ty(put))
            }
            (None, Some(list)) if APPENDING.iter().any(|name| e.method == name) => {
                if own {
                    self.has_own(list);
                }
                Some(self.facts.ty(list).element())
            }
            _ => None,
        };
        if let Some(elem) = elem {
            self.holds(&e.receiver, Ty::Vec(Box::new(elem)));
        }
        // And what is put into an option, what is in it.
        let fills = ["get_or_insert", "insert", "replace"];
        if let (true, Ty::Option(_), [new]) = (
            fills.iter().any(|name| e.method == name),
            self.facts.ty(&e.receiver),
            &*e.args.iter().collect::<Vec<_>>(),
        ) {
            let inside = self.facts.ty(new);
            self.holds(&e.receiver, Ty::Option(Box::new(inside)));
        }
        // A method that takes an active argument may store it in its receiver.
        if let Some(name) = root(&e.receiver) {
            let stores = self
                .facts
                .get(&name)
                .is_some_and(|v| v.mutable || v.exclusive)
                && rules::by_method(&e.method.to_string()).is_none();
            if stores && e.args.iter().any(|arg| self.facts.active(arg)) {
                self.touch(&name, &Ty::Unknown, true);
            }
        }
        // It may store what it is called on in what it borrows mutably.
        let active = self.facts.active(&e.receiver);
        if active || e.args.iter().any(|arg| self.facts.active(arg)) {
            e.args.iter().for_each(|arg| self.touch_borrowed(arg));
        }
    }

    fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
        visit::visit_expr_call(self, e);
        let inputs = match peel(&e.func) {
            syn::Expr::Path(p) => p
                .path
                .get_ident()
                .and_then(|i| self.closures.get(&i.to_string()).cloned()),
            syn::Expr::Closure(c) => Some(c.inputs.iter().cloned().collect()),
            _ => None,
        };
        for (input, arg) in inputs.iter().flatten().zip(&e.args) {
            let (ty, active) = (self.facts.ty(arg), self.facts.active(arg));
            self.bind(input, &ty, active, Some(arg), &Vec::from_iter(root(arg)));
        }
        // Two references that are exchanged refer to what the other did.
        if let [a, b] = e.args.iter().collect::<Vec<_>>().as_slice() {
            if let (syn::Expr::Reference(a), syn::Expr::Reference(b)) = (peel(a), peel(b)) {
                if let (syn::Expr::Path(_), syn::Expr::Path(_)) = (peel(&a.expr), peel(&b.expr)) {
                    if let (Some(a), Some(b)) = (root(&a.expr), root(&b.expr)) {
                        let roots = |name: &str| {
                            let var = self.facts.get(name);
                            var.map_or_else(Vec::new, |v| v.roots.clone())
                        };
                        let (of_a, of_b) = (roots(&a), roots(&b));
                        if !of_a.is_empty() && !of_b.is_empty() {
                            let active = [&a, &b]
                                .iter()
                                .any(|name| self.facts.get(name).is_some_and(|v| v.active));
                            self.touch(&a, &Ty::Unknown, active);
                            self.touch(&b, &Ty::Unknown, active);
                            self.refers_too(&a, of_b);
                            self.refers_too(&b, of_a);
                        }
                    }
                }
            }
        }
        // A call may store any active argument in what it borrows mutably.
        let active = e.args.iter().any(|arg| self.facts.active(arg));
        for arg in &e.args {
            // What a function passed on is called with may be active.
            if let syn::Expr::Closure(closure) = passed(arg) {
                if active && !is_stop_gradient(&e.func) && !is_with_cotangent(&e.func) {
                    for input in &closure.inputs {
                        self.bind(input, &Ty::Unknown, true, None, &[]);
                    }
                }
            }
            if active && !is_stop_gradient(&e.func) {
                self.touch_borrowed(arg);
            }
        }
    }

    fn visit_expr_match(&mut self, e: &'ast syn::ExprMatch) {
        self.visit_expr(&e.expr);
        let (ty, active) = (self.facts.ty(&e.expr), self.facts.active(&e.expr));
        for arm in &e.arms {
            self.lending = self.facts.lends(&e.expr);
            self.bind(&arm.pat, &ty, active, Some(&e.expr), &self.matched(&e.expr));
            self.lending = false;
            self.learn_of(&arm.pat, &e.expr);
            self.visit_expr(&arm.body);
        }
    }

    fn visit_expr_let(&mut self, e: &'ast syn::ExprLet) {
        visit::visit_expr_let(self, e);
        let (ty, active) = (self.facts.ty(&e.expr), self.facts.active(&e.expr));
        self.lending = self.facts.lends(&e.expr);
        self.bind(&e.pat, &ty, active, Some(&e.expr), &self.matched(&e.expr));
        self.lending = false;
        self.learn_of(&e.pat, &e.expr);
    }

    fn visit_other(&mut self, node: Other<'ast>) {
        match node {
            Other::Arm(_) => {}
            other => other.walk(self),
        }
    }
}

/// An argument, without the reference to it.
fn passed(e: &syn::Expr) -> &syn::Expr {
    match peel(e) {
        syn::Expr::Reference(r) => peel(&r.expr),
        other => other,
    }
}

/// No type is nested more deeply.
const DEPTH: usize = 8;

fn depth(ty: &Ty) -> usize {
    match ty {
        Ty::Array(elem, _) | Ty::Slice(elem) | Ty::Vec(elem) | Ty::Option(elem) => 1 + depth(elem),
        Ty::Tuple(parts) => 1 + parts.iter().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Has a part whose type is not known yet.
fn incomplete(ty: &Ty) -> bool {
    match ty {
        Ty::Unknown | Ty::Float(Width::Any) => true,
        Ty::Array(e, _) | Ty::Slice(e) | Ty::Vec(e) | Ty::Option(e) => incomplete(e),
        Ty::Tuple(parts) => parts.iter().any(incomplete),
        _ => false,
    }
}

/// The variable that a pattern binds the whole to.
pub(crate) fn named(pattern: &syn::Pat) -> Option<String> {
    match pattern {
        syn::Pat::Ident(p) => Some(p.ident.to_string()),
        syn::Pat::Type(p) => named(&p.pat),
        syn::Pat::Paren(p) => named(&p.pat),
        _ => None,
    }
}

/// Methods that append the elements of a list to a vector.
const APPENDING: &[&str] = &["append", "extend", "extend_from_slice"];

/// Methods whose result is an element of their receiver, or a list of such elements.
const OF_ELEMENTS: &[&str] = &[
    "as_ref",
    "as_slice",
    "clone",
    "cloned",
    "copied",
    "expect",
    "filter",
    "find",
    "first",
    "get",
    "into_iter",
    "iter",
    "iter_mut",
    "last",
    "max_by",
    "max_by_key",
    "min_by",
    "min_by_key",
    "next",
    "nth",
    "pop",
    "reduce",
    "remove",
    "rev",
    "skip",
    "skip_while",
    "step_by",
    "swap_remove",
    "take",
    "take_while",
    "to_vec",
    "unwrap",
];

/// What an expression is an element of, or an iterator over, or another list of the same elements.
fn element_of(e: &syn::Expr) -> Option<&syn::Expr> {
    match peel(e) {
        syn::Expr::Index(e) => Some(&e.expr),
        syn::Expr::MethodCall(m)
            if OF_ELEMENTS.iter().any(|name| m.method == name)
                || reads_parts(&m.method.to_string()) =>
        {
            Some(&m.receiver)
        }
        _ => None,
    }
}

/// The variable that such a list is.
fn listed(e: &syn::Expr) -> Option<String> {
    match peel(e) {
        syn::Expr::Path(_) => root(e),
        syn::Expr::Reference(e) => listed(&e.expr),
        e => listed(element_of(e)?),
    }
}

/// The type of a list, where what nothing is known of in it is of a type of the user's own.
fn filled(ty: &Ty) -> Ty {
    let inner = |ty: &Ty| Box::new(filled(ty));
    match ty {
        Ty::Unknown => Ty::User,
        Ty::Vec(elem) => Ty::Vec(inner(elem)),
        Ty::Slice(elem) => Ty::Slice(inner(elem)),
        Ty::Array(elem, n) => Ty::Array(inner(elem), n.clone()),
        Ty::Option(elem) => Ty::Option(inner(elem)),
        other => other.clone(),
    }
}

/// The type of what is in a list, or in a list of lists.
pub(super) fn innermost(ty: &Ty) -> &Ty {
    match ty {
        Ty::Array(elem, _) | Ty::Slice(elem) | Ty::Vec(elem) | Ty::Option(elem) => innermost(elem),
        other => other,
    }
}

/// The values that an expression chooses from, if it chooses.
pub(super) fn alternatives(e: &syn::Expr) -> Option<Vec<&syn::Expr>> {
    match peel(e) {
        syn::Expr::If(e) => {
            let then = crate::syntax::block_value(&e.then_branch);
            let other = e.else_branch.as_ref().map(|(_, e)| &**e);
            Some(then.into_iter().chain(other).collect())
        }
        syn::Expr::Block(e) => {
            let last = crate::syntax::block_value(&e.block).into_iter();
            Some(last.chain(super::break_values(e)).collect())
        }
        syn::Expr::Match(e) => Some(e.arms.iter().map(|arm| &*arm.body).collect()),
        _ => None,
    }
}

/// Whether binding this expression makes a reference into a variable.
fn refers(e: &syn::Expr) -> bool {
    match peel(e) {
        syn::Expr::Reference(_) => true,
        syn::Expr::MethodCall(m) => is_view(&m.method),
        _ => false,
    }
}

/// Whether the items of an iterator are copies.
fn copies(e: &syn::Expr) -> bool {
    match peel(e) {
        syn::Expr::MethodCall(m) => {
            m.method == "copied" || m.method == "cloned" || copies(&m.receiver)
        }
        _ => false,
    }
}

/// The item type of `(a..b).rev()` and the like.
fn range_item(e: &syn::Expr) -> Option<Ty> {
    match peel(e) {
        syn::Expr::Range(_) => Some(Ty::Int),
        syn::Expr::MethodCall(m) if m.method == "rev" || m.method == "step_by" => {
            range_item(&m.receiver)
        }
        _ => None,
    }
}
