//! Takes jumps out of the middle of expressions: what is evaluated before them goes to variables.

use proc_macro2::Ident;
use syn::parse_quote;

use super::jumps;

/// Splits an expression into statements that hold its jumps, and what is left of it.
pub(super) fn hoist(e: &mut syn::Expr, out: &mut Vec<syn::Stmt>, fresh: &mut dyn FnMut() -> Ident) {
    if jumps::of_expr(e).is_empty() {
        return;
    }
    if is_control(e) {
        to_variable(e, out, fresh);
        return;
    }
    if let syn::Expr::Binary(b) = e {
        // The right side runs only if it is asked for.
        if crate::facts::is_logical(&b.op) {
            let (left, right) = (&b.left, &b.right);
            *e = if matches!(b.op, syn::BinOp::And(_)) {
                parse_quote!(if (#left) { #right } else { false })
            } else {
                parse_quote!(if (#left) { true } else { #right })
            };
            to_variable(e, out, fresh);
            return;
        }
    }
    let mut parts = children(e);
    let Some(last) = parts
        .iter()
        .rposition(|part| !jumps::of_expr(part).is_empty())
    else {
        return;
    };
    for part in parts.drain(..=last) {
        if jumps::of_expr(part).is_empty() {
            if !is_simple(part) {
                to_variable(part, out, fresh);
            }
        } else {
            hoist(part, out, fresh);
        }
    }
}

fn to_variable(e: &mut syn::Expr, out: &mut Vec<syn::Stmt>, fresh: &mut dyn FnMut() -> Ident) {
    let name = fresh();
    out.push(parse_quote!(let #name = #e;));
    *e = parse_quote!(#name);
}

/// Rewritten as a statement of its own.
pub(super) fn is_control(e: &syn::Expr) -> bool {
    matches!(
        e,
        syn::Expr::If(_)
            | syn::Expr::Match(_)
            | syn::Expr::Block(_)
            | syn::Expr::Loop(_)
            | syn::Expr::ForLoop(_)
            | syn::Expr::Return(_)
            | syn::Expr::Break(_)
            | syn::Expr::Continue(_)
    )
}

/// Has the same value whenever it is read, as long as nothing is assigned.
fn is_simple(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Lit(_) | syn::Expr::Path(_) => true,
        syn::Expr::Paren(e) => is_simple(&e.expr),
        syn::Expr::Field(e) => is_simple(&e.base),
        syn::Expr::Unary(e) => is_simple(&e.expr),
        syn::Expr::Reference(_) => true,
        syn::Expr::Index(e) => is_simple(&e.expr) && is_simple(&e.index),
        _ => false,
    }
}

/// The parts that are evaluated, in order.
fn children(e: &mut syn::Expr) -> Vec<&mut syn::Expr> {
    match e {
        syn::Expr::Paren(e) => vec![&mut e.expr],
        syn::Expr::Group(e) => vec![&mut e.expr],
        syn::Expr::Unary(e) => vec![&mut e.expr],
        syn::Expr::Cast(e) => vec![&mut e.expr],
        syn::Expr::Reference(e) => vec![&mut e.expr],
        syn::Expr::Field(e) => vec![&mut e.base],
        syn::Expr::Index(e) => vec![&mut e.expr, &mut e.index],
        // The right side of an assignment is evaluated first.
        syn::Expr::Assign(e) => vec![&mut e.right],
        syn::Expr::Binary(e) => {
            let compound = crate::facts::is_compound(&e.op);
            let left = (!compound).then_some(&mut *e.left);
            left.into_iter().chain([&mut *e.right]).collect()
        }
        syn::Expr::Call(e) => e.args.iter_mut().collect(),
        syn::Expr::MethodCall(e) => std::iter::once(&mut *e.receiver)
            .chain(e.args.iter_mut())
            .collect(),
        syn::Expr::Tuple(e) => e.elems.iter_mut().collect(),
        syn::Expr::Array(e) => e.elems.iter_mut().collect(),
        syn::Expr::Repeat(e) => vec![&mut e.expr],
        syn::Expr::Range(e) => e
            .start
            .iter_mut()
            .chain(e.end.iter_mut())
            .map(|e| &mut **e)
            .collect(),
        _ => Vec::new(),
    }
}
