//! Which variables are memory, and what code may change.

use proc_macro2::{TokenStream, TokenTree};

use super::solver::alternatives;
use super::{Facts, idents, root};
use crate::ir::Ty;
use crate::iterators;
use crate::own_names::is_inert_method;
use crate::rules;
use crate::syntax::{is_compound, macro_arguments};
use crate::visit::{self, Enter as _, Visit};

/// Decides which variables are memory.
pub(super) struct Memory {
    pub(super) facts: Facts,
}

pub(super) fn pattern(p: &syn::Pat) -> &syn::Pat {
    match p {
        syn::Pat::Type(t) => pattern(&t.pat),
        syn::Pat::Paren(t) => pattern(&t.pat),
        other => other,
    }
}

/// Has a `ref` in it.
fn binds_by_reference(p: &syn::Pat) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            self.0 |= p.by_ref.is_some();
            visit::visit_pat_ident(self, p);
        }
    }
    let mut find = Find(false);
    find.visit_pat(p);
    find.0
}

/// Collects the variables that code may change.
#[derive(Default)]
pub(crate) struct Changed {
    pub(crate) names: Vec<String>,
    /// Those that are assigned as a whole, or lent to be.
    whole: Vec<String>,
    /// Those that change for sure, and not only for all that is known.
    pub(crate) certain: Vec<String>,
}

/// Methods of vectors and slices that change them.
const CHANGES: &[&str] = &[
    "append",
    "clear",
    "drain",
    "extend",
    "fill",
    "insert",
    "iter_mut",
    "pop",
    "push",
    "remove",
    "retain",
    "reverse",
    "rotate_left",
    "rotate_right",
    "sort_by",
    "swap",
    "swap_remove",
    "truncate",
];

/// Whether a method of lists or strings certainly changes what it is called on.
pub(crate) fn changes_receiver(method: &str) -> bool {
    let more = [
        "clone_from_slice",
        "copy_from_slice",
        "copy_within",
        "dedup",
        "push_str",
        "resize",
        "sort",
        "sort_by_key",
        "sort_unstable",
        "sort_unstable_by",
        "sort_unstable_by_key",
        "swap_with_slice",
    ];
    CHANGES.contains(&method) || more.contains(&method) || method.ends_with("_mut")
}

impl Changed {
    fn change(&mut self, e: &syn::Expr) {
        let name = root(e);
        if let syn::Expr::Path(_) = crate::syntax::peel(e) {
            self.whole.extend(name.clone());
        }
        self.certain.extend(name.clone());
        self.names.extend(name);
    }
}

impl Memory {
    pub(super) fn mark(&mut self, name: &str) {
        if let Some(var) = self.facts.vars.get_mut(name) {
            var.place = true;
        }
    }

    /// Projected or borrowed: memory, unless it is a number that a temporary can stand for.
    pub(super) fn projected(&mut self, e: &syn::Expr) {
        if let Some(name) = root(e) {
            if !self.facts.get(&name).is_some_and(|v| v.ty.is_scalar()) {
                self.mark(&name);
            }
        }
    }

    /// What is in a box is changed: the box is memory.
    fn unboxed(&mut self, left: &syn::Expr) {
        let syn::Expr::Unary(_) = crate::syntax::peel(left) else {
            return;
        };
        if let Some(name) = root(left) {
            let of_box = |v: &super::Var| v.ty.is_user() && v.mutable && !v.exclusive;
            if self.facts.get(&name).is_some_and(of_box) {
                self.mark(&name);
            }
        }
    }

    /// Iterated over: memory, and so is what is walked through beside it.
    fn walked(&mut self, e: &syn::Expr) {
        self.projected(e);
        if let syn::Expr::MethodCall(m) = crate::syntax::peel(e) {
            if m.method == "zip" {
                m.args.iter().for_each(|arg| self.walked(arg));
            }
            self.walked(&m.receiver);
        }
    }

    /// A reference that is chosen at run time leads out of the arm that chooses it: what it may refer to is memory, a number as well.
    fn chosen(&mut self, e: &syn::Expr) {
        match crate::syntax::peel(e) {
            syn::Expr::Reference(r) if r.mutability.is_none() => {
                if let Some(name) = root(&r.expr) {
                    self.mark(&name);
                }
            }
            syn::Expr::Tuple(t) => t.elems.iter().for_each(|e| self.chosen(e)),
            e => alternatives(e)
                .into_iter()
                .flatten()
                .for_each(|e| self.chosen(e)),
        }
    }

    /// Every variable that verbatim code changes is memory.
    pub(super) fn verbatim(&mut self, look: impl FnOnce(&mut Changed)) {
        let mut changed = Changed::default();
        look(&mut changed);
        for name in changed.whole {
            if let Some(var) = self.facts.vars.get_mut(&name) {
                var.rebound |= !var.active;
            }
        }
        for name in changed.names {
            if self
                .facts
                .get(&name)
                .is_some_and(|v| v.mutable || !v.roots.is_empty())
            {
                self.mark(&name);
            }
        }
    }
}

/// `x = e` and `x += e` with a whole variable on the left are lowered even where they are inactive.
pub(crate) fn is_simple_assignment(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Assign(e) => {
            matches!(&*e.left, syn::Expr::Path(_) | syn::Expr::Tuple(_))
                && !has_nested_change(&e.right)
        }
        syn::Expr::Binary(e) => {
            is_compound(&e.op)
                && matches!(&*e.left, syn::Expr::Path(_))
                && !has_nested_change(&e.right)
        }
        _ => false,
    }
}

pub(super) fn has_nested_change(e: &syn::Expr) -> bool {
    let mut changed = Changed::default();
    changed.visit_expr(e);
    !changed.names.is_empty()
}

/// Whether a macro does to its arguments what they say and no more.
pub(crate) fn is_harmless(mac: &syn::Macro) -> bool {
    matches!(
        mac.path
            .segments
            .last()
            .map(|s| s.ident.to_string())
            .as_deref(),
        Some(
            "println"
                | "print"
                | "eprintln"
                | "eprint"
                | "assert"
                | "assert_eq"
                | "assert_ne"
                | "debug_assert"
                | "debug_assert_eq"
                | "debug_assert_ne"
                | "format"
                | "vec"
                | "panic"
                | "unreachable"
                | "matches"
                | "todo"
                | "unimplemented"
        )
    )
}

/// The variables that tokens name, other than those that are lent to be read alone: `(*&x)`.
fn unlent(tokens: TokenStream, f: &mut dyn FnMut(String)) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let text = group.stream().to_string().replace(' ', "");
                if !text.starts_with("*&") || text.starts_with("*&mut") {
                    unlent(group.stream(), f);
                }
            }
            token => idents(token.into(), f),
        }
    }
}

impl Facts {
    /// Whether a macro of unknown meaning that names something active reads its arguments, as far as variables show: what it may not change rustc makes sure of.
    pub(crate) fn may_read(&self, mac: &syn::Macro) -> bool {
        let last = mac.path.segments.last().map(|s| s.ident.to_string());
        if last.is_some_and(|name| name.contains("assert")) {
            return true;
        }
        let mut reads = true;
        idents(mac.tokens.clone(), &mut |name| {
            reads &= self
                .get(&name)
                .is_none_or(|v| v.active || v.ty.is_scalar() || v.ty.is_understood() && !v.mutable);
        });
        reads
    }
}

impl<'ast> Visit<'ast> for Changed {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        visit::visit_expr_assign(self, e);
        let mut lefts = vec![&*e.left];
        while let Some(left) = lefts.pop() {
            match left {
                syn::Expr::Tuple(t) => lefts.extend(&t.elems),
                syn::Expr::Array(t) => lefts.extend(&t.elems),
                left => self.change(left),
            }
        }
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        visit::visit_expr_binary(self, e);
        if is_compound(&e.op) {
            self.certain.extend(root(&e.left));
            self.names.extend(root(&e.left));
        }
    }

    fn visit_expr_reference(&mut self, e: &'ast syn::ExprReference) {
        visit::visit_expr_reference(self, e);
        if e.mutability.is_some() {
            self.change(&e.expr);
        }
    }

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        visit::visit_expr_method_call(self, e);
        let name = e.method.to_string();
        let reads = rules::by_method(&name).is_some()
            || is_inert_method(&name)
            || iterators::reads_parts(&name)
            || matches!(
                name.as_str(),
                "iter"
                    | "clone"
                    | "to_vec"
                    | "to_string"
                    | "to_bits"
                    | "copied"
                    | "cloned"
                    | "get"
                    | "as_slice"
                    | "first"
                    | "last"
                    | "split_at"
                    | "split_first"
                    | "split_last"
                    | "unwrap"
                    | "expect"
            );
        if !reads {
            self.names.extend(root(&e.receiver));
        }
        if CHANGES.contains(&name.as_str()) {
            self.certain.extend(root(&e.receiver));
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        // A macro of unknown meaning may change whatever it names.
        if is_harmless(mac) {
            macro_arguments(mac).iter().for_each(|e| match e {
                // `name = value` names an argument of the format.
                syn::Expr::Assign(named) => self.visit_expr(&named.right),
                e => self.visit_expr(e),
            });
        } else {
            unlent(mac.tokens.clone(), &mut |name| self.names.push(name));
        }
    }
}

impl<'ast> Visit<'ast> for Memory {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        if !self.facts.mentions_active(e) && !is_simple_assignment(e) {
            self.verbatim(|changed| changed.visit_expr(e));
        }
        if matches!(e, syn::Expr::If(_) | syn::Expr::Match(_)) && self.facts.active(e) {
            self.chosen(e);
        }
        visit::visit_expr(self, e);
    }

    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        if self.facts.active(&e.left) {
            self.chosen(&e.right);
        }
        self.unboxed(&e.left);
        visit::visit_expr_assign(self, e);
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        if is_compound(&e.op) {
            self.unboxed(&e.left);
        }
        visit::visit_expr_binary(self, e);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.verbatim(|changed| changed.visit_macro(mac));
    }

    fn visit_expr_index(&mut self, e: &'ast syn::ExprIndex) {
        self.projected(&e.expr);
        visit::visit_expr_index(self, e);
    }

    fn visit_expr_field(&mut self, e: &'ast syn::ExprField) {
        // A tuple whose shape is known is a bundle of variables.
        if !matches!(self.facts.ty(&e.base), Ty::Tuple(_)) {
            self.projected(&e.base);
        }
        visit::visit_expr_field(self, e);
    }

    fn visit_expr_reference(&mut self, e: &'ast syn::ExprReference) {
        if e.mutability.is_some() {
            if let Some(name) = root(&e.expr) {
                self.mark(&name);
            }
        } else {
            self.projected(&e.expr);
        }
        visit::visit_expr_reference(self, e);
    }

    fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
        // A function that changes what it holds is a `mut` variable.
        if let Some(name) = root(&e.func) {
            if self.facts.get(&name).is_some_and(|v| v.mutable) {
                self.mark(&name);
            }
        }
        visit::visit_expr_call(self, e);
    }

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        if rules::by_method(&e.method.to_string()).is_none() {
            self.projected(&e.receiver);
        }
        visit::visit_expr_method_call(self, e);
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        self.walked(&e.expr);
        visit::visit_expr_for_loop(self, e);
    }

    fn visit_expr_match(&mut self, e: &'ast syn::ExprMatch) {
        if e.arms.iter().any(|arm| binds_by_reference(&arm.pat)) {
            if let Some(name) = root(&e.expr) {
                self.mark(&name);
            }
        }
        visit::visit_expr_match(self, e);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            if binds_by_reference(&local.pat) {
                if let Some(name) = root(&init.expr) {
                    self.mark(&name);
                }
            }
            if matches!(pattern(&local.pat), syn::Pat::Slice(_))
                || !matches!(self.facts.ty(&init.expr), Ty::Tuple(_))
                    && matches!(pattern(&local.pat), syn::Pat::Tuple(_))
                || matches!(
                    pattern(&local.pat),
                    syn::Pat::Struct(_) | syn::Pat::TupleStruct(_)
                )
            {
                self.projected(&init.expr);
            }
        }
        visit::visit_local(self, local);
    }
}
