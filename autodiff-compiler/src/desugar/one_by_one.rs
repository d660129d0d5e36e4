//! Chains of methods that change their receiver and lend it again: `b.rate(r).steps(n);`.

use syn::{Expr, Stmt};

use crate::facts::Facts;
use crate::own_names;
use crate::visit_mut::{self, VisitMut};

/// Writes `b.rate(r).steps(n);` as `let () = b.rate(r); b.steps(n);`, which rustc refuses where `rate` returns something.
pub(super) fn one_by_one(body: &mut syn::Block, known: &Facts) {
    Chains(known).visit_block_mut(body);
}

struct Chains<'a>(&'a Facts);

impl VisitMut for Chains<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let mut out = Vec::new();
        for stmt in std::mem::take(&mut block.stmts) {
            match stmt {
                Stmt::Expr(Expr::MethodCall(call), Some(semi))
                    if self.0.mentions_active(&Expr::MethodCall(call.clone())) =>
                {
                    match calls(&call) {
                        Some(mut calls) => {
                            let last = calls.pop();
                            out.extend(calls.into_iter().map(|call| {
                                let span = call.method.span();
                                syn::parse_quote_spanned!(span=> let () = #call;)
                            }));
                            out.extend(
                                last.map(|call| Stmt::Expr(Expr::MethodCall(call), Some(semi))),
                            );
                        }
                        None => out.push(Stmt::Expr(Expr::MethodCall(call), Some(semi))),
                    }
                }
                other => out.push(other),
            }
        }
        block.stmts = out;
        visit_mut::visit_block_mut(self, block);
    }
}

/// The calls of a chain of several on a variable or a part of one, each on that; `None` if the standard library has one of the methods.
fn calls(chain: &syn::ExprMethodCall) -> Option<Vec<syn::ExprMethodCall>> {
    let mut all = vec![chain];
    while let Expr::MethodCall(before) = &*all[all.len() - 1].receiver {
        all.push(before);
    }
    let mut root = &all[all.len() - 1].receiver;
    while let Expr::Field(part) = &**root {
        root = &part.base;
    }
    // `row_mut` and its like lend a part.
    let own = |call: &&syn::ExprMethodCall| {
        let name = own_names::plain(&call.method);
        own_names::is_foreign(&name) && !name.ends_with("_mut")
    };
    if all.len() < 2 || !matches!(&**root, Expr::Path(_)) || !all.iter().all(own) {
        return None;
    }
    let on = &all[all.len() - 1].receiver;
    let each = all.iter().rev().map(|call| syn::ExprMethodCall {
        receiver: on.clone(),
        ..(*call).clone()
    });
    Some(each.collect())
}
