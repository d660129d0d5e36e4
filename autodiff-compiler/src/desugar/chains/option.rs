//! What an `Option` that a closure returns is made of, where that can be seen.

use syn::{Expr, Stmt};

use super::super::apply::{flatten, unparen};
use super::super::make;

pub(in crate::desugar) enum Shape {
    /// `Some(e)`
    Always(Expr),
    /// `if cond { statements; Some(e) } else { None }`
    Chosen(Box<(Expr, Vec<Stmt>, Expr)>),
    /// Anything else.
    Option(Expr),
}

/// What `e` is in `Some(e)`.
fn some(e: &Expr) -> Option<&Expr> {
    match unparen(e) {
        Expr::Call(c) if c.args.len() == 1 => match unparen(&c.func) {
            Expr::Path(p) if p.path.is_ident("Some") => c.args.first(),
            _ => None,
        },
        _ => None,
    }
}

fn is_none(e: &Expr) -> bool {
    let mut stmts = Vec::new();
    let value = flatten(e.clone(), &mut stmts);
    stmts.is_empty() && matches!(unparen(&value), Expr::Path(p) if p.path.is_ident("None"))
}

pub(in crate::desugar) fn shape(e: Expr) -> Shape {
    if let Some(inner) = some(&e) {
        return Shape::Always(inner.clone());
    }
    match unparen(&e) {
        Expr::If(i) => {
            let otherwise = i.else_branch.as_ref().is_some_and(|(_, e)| is_none(e));
            if otherwise {
                let mut stmts = Vec::new();
                let then = make::labelled(None, i.then_branch.clone());
                let value = flatten(then, &mut stmts);
                if let Some(inner) = some(&value) {
                    return Shape::Chosen(Box::new(((*i.cond).clone(), stmts, inner.clone())));
                }
            }
        }
        Expr::MethodCall(m) if m.method == "then" && m.args.len() == 1 => {
            if let Expr::Closure(c) = unparen(&m.args[0]) {
                if c.inputs.is_empty() && !super::super::apply::returns(&c.body) {
                    let mut stmts = Vec::new();
                    let value = flatten((*c.body).clone(), &mut stmts);
                    return Shape::Chosen(Box::new(((*m.receiver).clone(), stmts, value)));
                }
            }
        }
        _ => {}
    }
    Shape::Option(e)
}
