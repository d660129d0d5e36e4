//! Which numbers are certainly `usize`: a loop may count by them. Of others only rustc knows the type, and generated code must leave it open.

use std::collections::BTreeSet;

use syn::{Expr, Pat, Stmt};

use super::super::apply::{unparen, variable};
use super::pipe::{Branch, Step};
use crate::visit::{self, Enter as _, Other, Visit};

/// The variables of a body that are `usize`, beside those of the signature; every variable has a name of its own.
pub(super) fn usizes(body: &syn::Block, known: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = Usizes {
        names: known.clone(),
    };
    found.visit_block(body);
    found.names
}

struct Usizes {
    names: BTreeSet<String>,
}

impl Visit<'_> for Usizes {
    // Their variables are others, and may have the same names.
    fn visit_item(&mut self, _: &syn::Item) {}

    fn visit_local(&mut self, local: &syn::Local) {
        visit::visit_local(self, local);
        let (pat, written) = match &local.pat {
            Pat::Type(t) => (&*t.pat, is_usize(&t.ty)),
            pat => (pat, false),
        };
        let made = local.init.as_ref();
        let made = made.is_some_and(|init| is_certain(&init.expr, &self.names));
        if let (Pat::Ident(p), true) = (pat, written || made) {
            self.names.insert(p.ident.to_string());
        }
    }

    fn visit_expr_for_loop(&mut self, e: &syn::ExprForLoop) {
        if let (Pat::Ident(p), Expr::Range(range)) = (&*e.pat, unparen(&e.expr)) {
            let mut bounds = range.start.iter().chain(&range.end);
            if bounds.any(|bound| is_certain(bound, &self.names)) {
                self.names.insert(p.ident.to_string());
            }
        }
        visit::visit_expr_for_loop(self, e);
    }
}

fn is_usize(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(p) if p.path.is_ident("usize"))
}

/// Whether a number is a `usize` as it is written.
pub(super) fn is_certain(e: &Expr, names: &BTreeSet<String>) -> bool {
    match unparen(e) {
        Expr::Lit(l) => matches!(&l.lit, syn::Lit::Int(i) if i.suffix() == "usize"),
        Expr::Path(p) => {
            let name = p.path.get_ident().map(ToString::to_string);
            name.is_some_and(|name| names.contains(&name))
        }
        Expr::Binary(b) => {
            use syn::BinOp::{Add, Div, Mul, Rem, Sub};
            let same = matches!(b.op, Add(_) | Sub(_) | Mul(_) | Div(_) | Rem(_));
            same && (is_certain(&b.left, names) || is_certain(&b.right, names))
        }
        Expr::MethodCall(m) => {
            let name = m.method.to_string();
            let same = matches!(
                name.as_str(),
                "min" | "max" | "pow" | "saturating_add" | "saturating_sub"
            );
            name == "len" && m.args.is_empty() || same && is_certain(&m.receiver, names)
        }
        Expr::Cast(c) => is_usize(&c.ty),
        Expr::Call(c) => match unparen(&c.func) {
            Expr::Path(p) => {
                let segments = &p.path.segments;
                let same = ["min", "max", "from", "pow", "saturating_sub"];
                segments.len() == 2
                    && segments[0].ident == "usize"
                    && same.iter().any(|name| segments[1].ident == name)
            }
            _ => false,
        },
        Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => is_certain(&u.expr, names),
        _ => false,
    }
}

/// Whether something is indexed by the item of a branch, which says that it is a `usize`.
pub(super) fn indexes(branch: &Branch) -> bool {
    let Pat::Ident(item) = &branch.pat else {
        return false;
    };
    let mut indexed = Indexed {
        names: BTreeSet::from([item.ident.to_string()]),
        found: false,
    };
    for step in &branch.steps {
        match step {
            Step::Do(stmt) => indexed.visit_stmt(stmt),
            Step::If(e) | Step::IfLet(_, e) | Step::Loop(_, _, e) => indexed.visit_expr(e),
            Step::Unless(e, stmts) => {
                indexed.visit_expr(e);
                stmts.iter().for_each(|stmt| indexed.visit_stmt(stmt));
            }
        }
    }
    indexed.visit_expr(&branch.item);
    indexed.found
}

struct Indexed {
    /// The item, by all its names.
    names: BTreeSet<String>,
    found: bool,
}

impl Visit<'_> for Indexed {
    fn visit_expr_index(&mut self, e: &syn::ExprIndex) {
        self.found |= is_certain(&e.index, &self.names);
        visit::visit_expr_index(self, e);
    }

    fn visit_other(&mut self, node: Other<'_>) {
        match node {
            Other::Stmt(stmt) => {
                Other::Stmt(stmt).walk(self);
                if let Stmt::Local(syn::Local {
                    pat: Pat::Ident(p),
                    init: Some(init),
                    ..
                }) = stmt
                {
                    let again = variable(&init.expr);
                    if again.is_some_and(|name| self.names.contains(&name.to_string())) {
                        self.names.insert(p.ident.to_string());
                    }
                }
            }
            other => other.walk(self),
        }
    }
}
