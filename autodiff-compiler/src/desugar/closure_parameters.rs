//! Parameters of closures that are lent lists, where a closure does not say so: `rk4(|t, y| vec![y[1], -y[0]], …)`.
//!
//! How the cotangent of a parameter comes back is another thing for a reference, and of a function that takes functions nobody but rustc knows the types.
//! What makes a vector of the elements of a parameter is lent them where the call lends something itself: `rk4(…, &y, h)`.
//! What makes a number of them is where the call lends a list and gives no array away: `integrate(|x, p| x[0] * p, &x, n)`.

use syn::punctuated::Punctuated;
use syn::{Expr, Pat, Token, parse_quote};

use super::apply::unparen;
use super::closures;
use crate::facts::{self, Facts};
use crate::ir::Ty;
use crate::macros;
use crate::own_names;
use crate::syntax;
use crate::types;
use crate::visit::{self, Visit};
use crate::visit_mut::{self, VisitMut};

/// Writes `|t, y: &_| …` for such closures among the arguments of active calls.
pub(super) fn lent(body: &mut syn::Block, facts: &Facts) {
    struct Lent<'a>(&'a Facts);
    impl VisitMut for Lent<'_> {
        fn visit_item_mut(&mut self, _: &mut syn::Item) {}

        fn visit_expr_call_mut(&mut self, e: &mut syn::ExprCall) {
            visit_mut::visit_expr_call_mut(self, e);
            if self.0.active(&Expr::Call(e.clone())) {
                lend_all(&mut e.args, self.0);
            }
        }

        fn visit_expr_method_call_mut(&mut self, e: &mut syn::ExprMethodCall) {
            visit_mut::visit_expr_method_call_mut(self, e);
            // What iterators and options hand on is known.
            let own = own_names::is_foreign(&e.method.to_string());
            if own && self.0.active(&Expr::MethodCall(e.clone())) {
                lend_all(&mut e.args, self.0);
            }
        }
    }
    Lent(facts).visit_block_mut(body);
}

/// The closures among the arguments of a call.
fn lend_all(args: &mut Punctuated<Expr, Token![,]>, facts: &Facts) {
    let is_list = |ty: &Ty| matches!(ty, Ty::Slice(_) | Ty::Vec(_) | Ty::Array(..));
    let (mut lends, mut lends_list, mut gives_array) = (false, false, false);
    for arg in args.iter() {
        match unparen(arg) {
            Expr::Reference(r) => {
                lends = true;
                lends_list |= is_list(&facts.ty(&r.expr));
            }
            Expr::Path(_) => match facts.ty(arg) {
                Ty::Slice(_) => lends_list = true,
                Ty::Array(..) => gives_array = true,
                _ => {}
            },
            Expr::Array(_) | Expr::Repeat(_) => gives_array = true,
            _ => {}
        }
    }
    for arg in args {
        let Some(closure) = closures::literal_mut(arg) else {
            continue;
        };
        if lends && makes_vector(&closure.body) || lends_list && !gives_array {
            lend(closure);
        }
    }
}

fn lend(closure: &mut syn::ExprClosure) {
    for input in &mut closure.inputs {
        if let Pat::Ident(p) = &*input {
            if p.by_ref.is_none() && p.mutability.is_none() && is_indexed(&closure.body, &p.ident) {
                *input = Pat::Type(parse_quote!(#p: &_));
            }
        }
    }
}

/// Whether the value of an expression is certainly a vector.
fn makes_vector(e: &Expr) -> bool {
    match unparen(e) {
        Expr::Block(b) => match syntax::block_value(&b.block) {
            Some(Expr::Path(p)) => b.block.stmts.iter().any(|stmt| match stmt {
                syn::Stmt::Local(local) => {
                    let (pat, written) = match &local.pat {
                        Pat::Type(t) => (&*t.pat, Some(&*t.ty)),
                        pat => (pat, None),
                    };
                    let named = matches!(pat, Pat::Ident(v) if p.path.is_ident(&v.ident));
                    let vector = written.is_some_and(|ty| matches!(types::read(ty), Ty::Vec(_)));
                    let made = local.init.as_ref();
                    named && (vector || made.is_some_and(|init| makes_vector(&init.expr)))
                }
                _ => false,
            }),
            Some(value) => makes_vector(value),
            None => false,
        },
        Expr::MethodCall(m) => m.method == "collect" || m.method == "to_vec",
        Expr::Call(c) if macros::vec_macro(c).is_some() => true,
        Expr::Call(c) => match unparen(&c.func) {
            Expr::Path(p) => {
                let of = p.path.segments.iter().rev().nth(1);
                of.is_some_and(|of| of.ident == "Vec")
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether elements of a variable are read by index or walked through.
fn is_indexed(body: &Expr, name: &syn::Ident) -> bool {
    struct Indexed<'a> {
        name: &'a syn::Ident,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Indexed<'_> {
        fn visit_expr_index(&mut self, e: &'ast syn::ExprIndex) {
            let of = facts::root(&e.expr);
            let variable = matches!(unparen(&e.expr), Expr::Path(_));
            self.found |= variable && of.is_some_and(|of| self.name == of.as_str());
            visit::visit_expr_index(self, e);
        }

        fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
            let walked = e.method == "iter" || e.method == "len";
            let of = facts::root(&e.receiver).filter(|_| walked);
            self.found |= of.is_some_and(|of| self.name == of.as_str());
            visit::visit_expr_method_call(self, e);
        }
    }
    let mut indexed = Indexed { name, found: false };
    indexed.visit_expr(body);
    indexed.found
}
