//! `list.get(i)?` is `match list.get(i) { Some(p) => p, None => return None }`, as later stages know elements that may not be there; so is `it.next()?`.

use syn::{Expr, Pat, Stmt, parse_quote_spanned};

use super::apply::unparen;
use super::make;
use crate::names::{self, Names};
use crate::syntax;
use crate::visit_mut::{self, OtherMut, VisitMut};

pub(super) fn asked(body: &mut syn::Block, names: &mut Names) {
    Asked { names }.visit_block_mut(body);
}

struct Asked<'a> {
    names: &'a mut Names,
}

/// What stands behind all fields and indices of a place.
fn base(e: &mut Expr) -> &mut Expr {
    match e {
        Expr::Field(e) => base(&mut e.base),
        Expr::Index(e) => base(&mut e.expr),
        Expr::Paren(e) => base(&mut e.expr),
        Expr::Unary(syn::ExprUnary {
            op: syn::UnOp::Deref(_),
            expr,
            ..
        }) => base(expr),
        e => e,
    }
}

impl Asked<'_> {
    /// `*v.first_mut()? = e` asks behind `e`, in a statement of its own.
    fn assigned(&mut self, stmt: &mut Stmt) -> Vec<Stmt> {
        let (left, right) = match stmt {
            Stmt::Expr(Expr::Assign(e), _) => (&mut *e.left, &mut *e.right),
            Stmt::Expr(Expr::Binary(e), _) if syntax::is_compound(&e.op) => {
                (&mut *e.left, &mut *e.right)
            }
            _ => return Vec::new(),
        };
        let asked = base(left);
        let Expr::Try(t) = asked else {
            return Vec::new();
        };
        let span = t.question_token.span;
        let names = ["value", "place"].map(|name| self.names.fresh(name, span));
        [right, asked]
            .into_iter()
            .zip(&names)
            .map(|(e, name)| make::variable(name, std::mem::replace(e, make::path(name))))
            .collect()
    }
}

impl VisitMut for Asked<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            block.stmts.extend(self.assigned(&mut stmt));
            block.stmts.push(stmt);
        }
        visit_mut::visit_block_mut(self, block);
    }

    // There `?` leads elsewhere.
    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    /// `while let Some([a, b]) = it.next()` takes an item, and leaves the loop if it does not match.
    fn visit_expr_while_mut(&mut self, e: &mut syn::ExprWhile) {
        visit_mut::visit_expr_while_mut(self, e);
        let Expr::Let(cond) = &mut *e.cond else {
            return;
        };
        let next = matches!(unparen(&cond.expr), Expr::MethodCall(m) if m.method == "next" && m.args.is_empty());
        let Pat::TupleStruct(some) = &mut *cond.pat else {
            return;
        };
        let whole = next && some.path.is_ident("Some") && some.elems.len() == 1;
        if let Some(pat) = some.elems.first_mut().filter(|_| whole) {
            if !names::always_matches(pat) {
                let item = self.names.fresh("item", e.while_token.span);
                let pat = std::mem::replace(pat, make::ident(&item, false));
                let bound =
                    parse_quote_spanned!(e.while_token.span=> let #pat = #item else { break; };);
                e.body.stmts.insert(0, bound);
            }
        }
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let Expr::Try(t) = &*e else { return };
        let Expr::MethodCall(m) = unparen(&t.expr) else {
            return;
        };
        let span = t.question_token.span;
        let copy = m.method.to_string();
        let copies = copy == "copied" || copy == "cloned";
        let element = match unparen(&m.receiver) {
            Expr::MethodCall(element) if copies => element,
            _ => m,
        };
        let name = element.method.to_string();
        let some = self.names.fresh("some", span);
        let (found, value): (Expr, Expr) = match name.trim_end_matches("_mut") {
            "split_first" | "split_last" => {
                let rest = self.names.fresh("rest", span);
                let both: Expr = parse_quote_spanned!(span=> (#some, #rest));
                (both.clone(), both)
            }
            "get" | "first" | "last" | "next" => {
                let found = parse_quote_spanned!(span=> #some);
                let value = match copy.as_str() {
                    "copied" => parse_quote_spanned!(span=> *#some),
                    "cloned" => parse_quote_spanned!(span=> #some.clone()),
                    _ => parse_quote_spanned!(span=> #some),
                };
                (found, value)
            }
            _ => return,
        };
        *e = parse_quote_spanned!(span=> match #element { Some(#found) => #value, None => return None });
    }

    fn visit_other_mut(&mut self, node: OtherMut<'_>) {
        match node {
            OtherMut::ExprAsync(_) => {}
            OtherMut::ExprTryBlock(_) => {}
            other => other.walk(self),
        }
    }
}
