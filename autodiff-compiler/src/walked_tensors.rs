//! What runs over the entries of a tensor: chains and loops walk by one index, row by row.
//!
//! Which values are tensors the macro sees of what has a written type, and of what is computed of that by operators and methods of theirs.

use proc_macro2::Span;
use rustc_hash::FxHashSet;

use crate::features::features;
use crate::function::GradFn;
use crate::names::Names;
use crate::syntax;
use crate::tensors;
use crate::types;
use crate::visit_mut::{self, VisitMut};

/// Writes `x.iter()` as a chain over the places of entries, and with it what else runs over them.
pub(crate) fn walk(body: &mut syn::Block, function: &GradFn, names: &mut Names) {
    if !features().tensor {
        return;
    }
    let params = function.params.iter().filter(|p| is_tensor(&p.written));
    let mut walk = Walk {
        known: params.map(|p| p.name.to_string()).collect(),
        names,
    };
    walk.visit_block_mut(body);
}

/// Whether a type is that of a tensor, or of a reference to one.
fn is_tensor(ty: &syn::Type) -> bool {
    let ty = match types::strip(ty) {
        syn::Type::Reference(r) => types::strip(&r.elem),
        other => other,
    };
    matches!(ty, syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == types::TENSOR))
}

struct Walk<'a> {
    /// Variables that are tensors, each with a name of its own.
    known: FxHashSet<String>,
    names: &'a mut Names,
}

impl Walk<'_> {
    /// Whether an expression yields a tensor.
    fn yields(&self, e: &syn::Expr) -> bool {
        match e {
            syn::Expr::Path(_) => self.variable(e),
            syn::Expr::Paren(e) => self.yields(&e.expr),
            syn::Expr::Group(e) => self.yields(&e.expr),
            syn::Expr::Reference(e) => self.yields(&e.expr),
            syn::Expr::Unary(e) => self.yields(&e.expr),
            syn::Expr::Binary(e) => {
                syntax::is_arithmetic(&e.op) && (self.yields(&e.left) || self.yields(&e.right))
            }
            syn::Expr::MethodCall(m) => {
                let name = m.method.to_string();
                self.yields(&m.receiver)
                    && (name == "clone" || tensors::keeps_type(&name, m.args.len() + 1))
            }
            _ => false,
        }
    }

    fn variable(&self, e: &syn::Expr) -> bool {
        matches!(e, syn::Expr::Path(path) if path.path.get_ident().is_some_and(|name| self.known.contains(&name.to_string())))
    }

    /// The chain over the entries of a variable.
    fn entries(&mut self, of: &syn::Expr, span: Span) -> Option<syn::Expr> {
        if !self.variable(of) {
            return None;
        }
        let k = self.names.fresh("k", span);
        Some(syn::parse_quote_spanned!(span=> (0..#of.len()).map(|#k| #of[rt::places::Entry(#k)])))
    }

    /// What a chain is given to be zipped with, or a loop to run over.
    fn given(&mut self, e: &mut syn::Expr) {
        let of = match &*e {
            syn::Expr::Reference(r) if r.mutability.is_none() => &*r.expr,
            other => other,
        };
        if let Some(entries) = self.entries(of, Span::call_site()) {
            *e = entries;
        }
    }
}

impl VisitMut for Walk<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        visit_mut::visit_local_mut(self, local);
        let (pat, said) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, is_tensor(&typed.ty)),
            pat => (
                pat,
                (local.init.as_ref()).is_some_and(|init| self.yields(&init.expr)),
            ),
        };
        if let (syn::Pat::Ident(name), true) = (pat, said) {
            self.known.insert(name.ident.to_string());
        }
    }

    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        self.given(&mut e.expr);
        visit_mut::visit_expr_for_loop_mut(self, e);
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        visit_mut::visit_expr_mut(self, e);
        let syn::Expr::MethodCall(m) = e else {
            return;
        };
        if m.method == "zip" && m.args.len() == 1 {
            self.given(&mut m.args[0]);
        }
        let span = m.method.span();
        let written = match (m.method.to_string().as_str(), m.args.len()) {
            ("iter", 0) => self.entries(&m.receiver, span),
            ("to_vec", 0) => (self.entries(&m.receiver, span))
                .map(|entries| syn::parse_quote_spanned!(span=> #entries.collect::<Vec<_>>())),
            _ => None,
        };
        if let Some(written) = written {
            *e = written;
        }
    }
}
