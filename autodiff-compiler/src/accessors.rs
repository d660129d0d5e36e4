//! Methods that lend a part of `self`, `fn row(&self, i: usize) -> &[f64] { &self.data[…] }`, written out where the other methods of their block call them.
//!
//! A reference out of a call cannot be followed; that to a place can.

use rustc_hash::FxHashMap;

use syn::{Expr, Stmt};

use crate::visit::{self, Visit};
use crate::visit_mut::{self, VisitMut};

/// The methods of a block that lend part of what `self` has, by name: their parameters, and the part.
pub(crate) struct Accessors(FxHashMap<String, (Vec<String>, Expr)>);

impl Accessors {
    pub(crate) fn none() -> Accessors {
        Accessors(FxHashMap::default())
    }

    pub(crate) fn of(block: &syn::ItemImpl) -> Accessors {
        let functions = block.items.iter().filter_map(|item| match item {
            syn::ImplItem::Fn(f) => lent(f).map(|lent| (f.sig.ident.to_string(), lent)),
            _ => None,
        });
        Accessors(functions.collect())
    }

    /// Writes out what they lend.
    pub(crate) fn write_out(&self, block: &mut syn::Block) {
        if !self.0.is_empty() {
            Calls(&self.0).visit_block_mut(block);
        }
    }
}

/// The names of the parameters, and what is lent.
fn lent(f: &syn::ImplItemFn) -> Option<(Vec<String>, Expr)> {
    let shared = f
        .sig
        .receiver()
        .is_some_and(|r| matches!(&r.kind, syn::ReceiverKind::Reference(_, _, None)));
    let syn::ReturnType::Type(_, ty) = &f.sig.output else {
        return None;
    };
    let lends = matches!(&**ty, syn::Type::Reference(r) if r.mutability.is_none());
    let [Stmt::Expr(Expr::Reference(place), None)] = f.block.stmts.as_slice() else {
        return None;
    };
    let params: Option<Vec<String>> = f.sig.inputs.iter().skip(1).map(plain_name).collect();
    let params = params?;
    let known = |name: &str| name == "self" || params.iter().any(|p| p == name);
    let whole = place.mutability.is_none() && names_only(&place.expr, &known);
    (shared && lends && whole).then(|| (params, Expr::Reference(place.clone())))
}

fn plain_name(input: &syn::FnArg) -> Option<String> {
    match input {
        syn::FnArg::Typed(arg) => match &*arg.pat {
            syn::Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() => {
                Some(p.ident.to_string())
            }
            _ => None,
        },
        syn::FnArg::Receiver(_) => None,
    }
}

/// Whether an expression means the same wherever it stands: it binds nothing, and names nothing but these.
fn names_only(e: &Expr, known: &dyn Fn(&str) -> bool) -> bool {
    struct Names<'a> {
        known: &'a dyn Fn(&str) -> bool,
        only: bool,
    }
    impl<'ast> Visit<'ast> for Names<'_> {
        fn visit_expr(&mut self, e: &'ast Expr) {
            self.only &= match e {
                Expr::Path(p) => p
                    .path
                    .get_ident()
                    .is_some_and(|i| (self.known)(&i.to_string())),
                Expr::Field(_)
                | Expr::Index(_)
                | Expr::Binary(_)
                | Expr::Range(_)
                | Expr::Paren(_)
                | Expr::Cast(_)
                | Expr::Lit(_)
                | Expr::MethodCall(_)
                | Expr::Reference(_) => true,
                _ => false,
            };
            visit::visit_expr(self, e);
        }
    }
    let mut names = Names { known, only: true };
    names.visit_expr(e);
    names.only
}

/// Has one value, and no effect.
fn is_simple(e: &Expr) -> bool {
    match e {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Paren(e) => is_simple(&e.expr),
        Expr::Field(e) => is_simple(&e.base),
        Expr::Binary(e) => is_simple(&e.left) && is_simple(&e.right),
        Expr::Cast(e) => is_simple(&e.expr),
        _ => false,
    }
}

struct Calls<'a>(&'a FxHashMap<String, (Vec<String>, Expr)>);

impl VisitMut for Calls<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let Expr::MethodCall(m) = &*e else { return };
        if !matches!(&*m.receiver, Expr::Path(p) if p.path.is_ident("self")) {
            return;
        }
        let Some((params, lent)) = self.0.get(&m.method.to_string()) else {
            return;
        };
        if params.len() == m.args.len() && m.args.iter().all(is_simple) {
            let mut lent = lent.clone();
            let args = params.iter().zip(&m.args);
            Given(args.collect()).visit_expr_mut(&mut lent);
            *e = syn::parse_quote!((#lent));
        }
    }
}

/// Puts arguments in the place of parameters.
struct Given<'a>(FxHashMap<&'a String, &'a Expr>);

impl VisitMut for Given<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if let Expr::Path(p) = &*e {
            let name = p.path.get_ident().map(ToString::to_string);
            if let Some(arg) = name.and_then(|name| self.0.get(&name)) {
                *e = syn::parse_quote!((#arg));
                return;
            }
        }
        visit_mut::visit_expr_mut(self, e);
    }
}
