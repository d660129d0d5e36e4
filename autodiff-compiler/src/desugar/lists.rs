//! What is most likely a list, though its type is not known.

use rustc_hash::FxHashSet;

use quote::ToTokens;
use syn::{Expr, Pat};

use super::apply::unparen;
use crate::facts::{self, Facts};
use crate::ir::Ty;
use crate::iterators::parts;
use crate::visit::{self, Enter as _, Visit};

/// Variables of whose types nobody says anything: fields of a struct that was taken apart, elements of a list that is a field, parts of it.
#[derive(Default)]
pub(super) struct Lists {
    likely: FxHashSet<String>,
    /// Ranges of something: nothing else than a slice is lent so.
    certain: FxHashSet<String>,
    /// What patterns bind without saying its type.
    untold: FxHashSet<String>,
    /// What is indexed or walked through, as it is written.
    walked: FxHashSet<String>,
}

impl Lists {
    pub(super) fn of(body: &syn::Block) -> Lists {
        let mut lists = Lists::default();
        lists.visit_block(body);
        lists
    }

    /// Whether what has a method that sequences have, and is matched against options, is one.
    pub(super) fn contain(&self, facts: &Facts, e: &Expr) -> bool {
        match facts.ty(e) {
            Ty::Array(..) | Ty::Slice(_) | Ty::Vec(_) => true,
            // A method of a type of one's own would not be called so.
            ty @ (Ty::User | Ty::Unknown) => match unparen(e) {
                Expr::Field(_) => ty.is_user(),
                Expr::Path(_) => {
                    let likely = facts::root(e).is_some_and(|name| self.likely.contains(&name));
                    likely || self.are_like(e)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The same where a method of that name of a type of one's own would go unnoticed.
    pub(super) fn certainly_contain(&self, facts: &Facts, e: &Expr) -> bool {
        match facts.ty(e) {
            Ty::Array(..) | Ty::Slice(_) | Ty::Vec(_) => true,
            Ty::User | Ty::Unknown => {
                let variable = matches!(unparen(e), Expr::Path(_));
                variable && facts::root(e).is_some_and(|name| self.certain.contains(&name))
            }
            _ => false,
        }
    }

    /// Whether what has a method that only lists have is one: a field, or a variable without a type.
    pub(super) fn may_contain(&self, e: &Expr) -> bool {
        match unparen(e) {
            Expr::Field(_) => true,
            Expr::Path(_) => facts::root(e).is_some_and(|name| self.untold.contains(&name)),
            _ => false,
        }
    }

    /// The same where types of one's own may have a method of that name: it is used as a list elsewhere, too.
    pub(super) fn are_like(&self, e: &Expr) -> bool {
        self.may_contain(e) && self.walked.contains(&written(e))
    }

    fn walks(&mut self, e: &Expr) {
        self.walked.insert(written(referred(e)));
    }

    fn bind<'p>(&mut self, pats: impl IntoIterator<Item = &'p Pat>) {
        for pat in pats {
            match pat {
                Pat::Ident(p) => {
                    self.likely.insert(p.ident.to_string());
                }
                Pat::Reference(p) => self.bind([&*p.pat]),
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Lists {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        self.untold.insert(p.ident.to_string());
        visit::visit_pat_ident(self, p);
    }

    fn visit_pat_type(&mut self, _: &'ast syn::PatType) {}

    fn visit_expr_index(&mut self, e: &'ast syn::ExprIndex) {
        self.walks(&e.expr);
        visit::visit_expr_index(self, e);
    }

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        if WALKS.iter().any(|name| e.method == name) || parts(&e.method.to_string()).is_some() {
            self.walks(&e.receiver);
        }
        visit::visit_expr_method_call(self, e);
    }

    fn visit_pat_struct(&mut self, p: &'ast syn::PatStruct) {
        self.bind(p.fields.iter().map(|f| &*f.pat));
        visit::visit_pat_struct(self, p);
    }

    fn visit_pat_tuple_struct(&mut self, p: &'ast syn::PatTupleStruct) {
        if !p.path.is_ident("Some") {
            self.bind(&p.elems);
        }
        visit::visit_pat_tuple_struct(self, p);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let pat = match &local.pat {
            Pat::Type(p) => &*p.pat,
            pat => pat,
        };
        if local.init.as_ref().is_some_and(|init| is_list(&init.expr)) {
            self.bind([pat]);
        }
        let range = |e| matches!(referred(e), Expr::Index(i) if matches!(unparen(&i.index), Expr::Range(_)));
        if let (Pat::Ident(p), Some(init)) = (pat, &local.init) {
            if range(&*init.expr) {
                self.certain.insert(p.ident.to_string());
            }
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        self.walks(&e.expr);
        if of_field(&e.expr) {
            self.bind([&*e.pat]);
        }
        visit::visit_expr_for_loop(self, e);
    }
}

/// Methods of lists, by which they are known.
const WALKS: &[&str] = &[
    "dedup",
    "dedup_by",
    "drain",
    "extend_from_slice",
    "into_iter",
    "iter",
    "iter_mut",
    "push",
    "retain",
    "sort_by",
    "sort_by_key",
    "sort_unstable_by",
    "split_at",
    "split_at_mut",
];

/// An expression as it is written.
fn written(e: &Expr) -> String {
    unparen(e).to_token_stream().to_string()
}

/// Part of a list, a copy of one that is a field, or an element of it.
fn is_list(e: &Expr) -> bool {
    match referred(e) {
        Expr::Index(i) => matches!(unparen(&i.index), Expr::Range(_)) || of_field(&i.expr),
        Expr::MethodCall(m) => {
            let copied = m.method == "clone" || m.method == "to_vec";
            copied && matches!(unparen(&m.receiver), Expr::Field(_))
        }
        _ => false,
    }
}

/// A field, or an iterator over it.
fn of_field(e: &Expr) -> bool {
    match referred(e) {
        Expr::Field(_) => true,
        Expr::MethodCall(m) => {
            let walked = m.method == "iter" || m.method == "iter_mut";
            walked && matches!(unparen(&m.receiver), Expr::Field(_))
        }
        _ => false,
    }
}

/// What a reference is to.
fn referred(e: &Expr) -> &Expr {
    match unparen(e) {
        Expr::Reference(r) => referred(&r.expr),
        e => e,
    }
}
