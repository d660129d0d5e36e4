//! Takes jumps out of the middle of expressions: what is evaluated before them goes to variables.

use proc_macro2::Ident;
use syn::parse_quote;

use super::jumps;
use crate::facts::{Changed, Facts};
use crate::rules;
use crate::visit::Visit;

/// Splits an expression into statements that hold its jumps, and what is left of it.
pub(in crate::desugar) fn hoist(
    e: &mut syn::Expr,
    facts: &Facts,
    out: &mut Vec<syn::Stmt>,
    fresh: &mut dyn FnMut() -> Ident,
) {
    if jumps::of_expr(e).is_empty() {
        return;
    }
    if is_control(e) || matches!(e, syn::Expr::Try(_)) {
        to_variable(e, out, fresh);
        return;
    }
    if let syn::Expr::Binary(b) = e {
        // The right side runs only if it is asked for.
        if crate::syntax::is_logical(&b.op) {
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
        .rposition(|(part, _)| !jumps::of_expr(part).is_empty())
    else {
        return;
    };
    parts.truncate(last + 1);
    let mut parts = parts.into_iter();
    while let Some((part, role)) = parts.next() {
        if !jumps::of_expr(part).is_empty() {
            hoist(part, facts, out, fresh);
        }
        // What is left of the last one is evaluated after all that has gone to variables.
        let after: Vec<&syn::Expr> = parts.as_slice().iter().map(|(part, _)| &**part).collect();
        if !after.is_empty() {
            settle(part, role, &after, facts, out, fresh);
        }
    }
}

/// Gives a part its value before what stands `after` it may change that.
fn settle(
    part: &mut syn::Expr,
    role: Role,
    after: &[&syn::Expr],
    facts: &Facts,
    out: &mut Vec<syn::Stmt>,
    fresh: &mut dyn FnMut() -> Ident,
) {
    // By whatever name it goes: a reference to it may be read, and another changed.
    let is_of = |name: &str, other: &str| {
        let roots = |name: &str| facts.get(name).map(|var| var.roots.iter());
        let all = |name: &str| {
            roots(name)
                .into_iter()
                .flatten()
                .cloned()
                .chain([name.to_owned()])
        };
        facts.get(name).is_some() && all(name).any(|root| all(other).any(|of| of == root))
    };
    let named = |part: &syn::Expr| {
        crate::facts::mentions(part, &|name| {
            let same = |other: &str| is_of(name, other);
            after.iter().any(|e| crate::facts::mentions(e, &same))
        })
    };
    let mut again = |part: &mut syn::Expr, role| settle(part, role, after, facts, out, fresh);
    match (role, &mut *part) {
        (_, syn::Expr::Paren(e)) => again(&mut e.expr, role),
        (_, syn::Expr::Group(e)) => again(&mut e.expr, role),
        (_, syn::Expr::Reference(e)) => again(&mut e.expr, Role::Place),
        (_, syn::Expr::Range(e)) => {
            let ends = [&mut e.start, &mut e.end];
            for end in ends.into_iter().flatten() {
                again(end, Role::Value);
            }
        }
        (Role::Value, part) => {
            if !is_simple(part) || named(part) {
                to_variable(part, out, fresh);
            }
        }
        (Role::Receiver { number }, part) if is_place(part) => {
            // A method takes a number by value, and so does one of anything else that code after it may change.
            let mut changed = Changed::default();
            after.iter().for_each(|e| changed.visit_expr(e));
            let of = |name: &str| changed.certain.iter().any(|other| other == name);
            let by_value = number
                || facts.ty(part).is_scalar()
                || crate::facts::mentions(part, &of) && !matches!(part, syn::Expr::Index(_));
            if !by_value {
                again(part, Role::Place);
            } else if named(part) {
                let name = match part {
                    syn::Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
                    _ => None,
                };
                // The number, and not a reference to it.
                if name.is_some_and(|name| {
                    facts
                        .get(&name)
                        .is_some_and(|v| !v.roots.is_empty() || v.exclusive)
                }) {
                    *part = parse_quote!(#part.clone());
                }
                to_variable(part, out, fresh);
            }
        }
        (_, syn::Expr::Index(e)) => {
            again(&mut e.expr, Role::Place);
            again(&mut e.index, Role::Value);
        }
        (_, syn::Expr::Field(e)) => again(&mut e.base, Role::Place),
        (_, syn::Expr::Unary(e)) if matches!(e.op, syn::UnOp::Deref(_)) => {
            again(&mut e.expr, Role::Place);
        }
        (_, syn::Expr::Path(_) | syn::Expr::Lit(_)) => {}
        (_, part) => to_variable(part, out, fresh),
    }
}

/// Whether an expression is memory that has a name, or a part of such.
fn is_place(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Path(_) => true,
        syn::Expr::Field(e) => is_place(&e.base),
        syn::Expr::Index(e) => is_place(&e.expr),
        syn::Expr::Unary(e) => matches!(e.op, syn::UnOp::Deref(_)) && is_place(&e.expr),
        _ => false,
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

/// What is made of a part of an expression.
#[derive(Clone, Copy)]
enum Role {
    /// Its value is taken.
    Value,
    /// A method is called on it, which may take it by value or by reference; one of numbers takes them by value.
    Receiver { number: bool },
    /// It is memory, of which a part is looked at or a reference is taken.
    Place,
}

/// The parts that are evaluated, in order.
fn children(e: &mut syn::Expr) -> Vec<(&mut syn::Expr, Role)> {
    let value = |e| (e, Role::Value);
    match e {
        syn::Expr::Paren(e) => vec![value(&mut *e.expr)],
        syn::Expr::Group(e) => vec![value(&mut *e.expr)],
        syn::Expr::Unary(e) => vec![value(&mut *e.expr)],
        syn::Expr::Cast(e) => vec![value(&mut *e.expr)],
        syn::Expr::Reference(e) => vec![(&mut *e.expr, Role::Place)],
        syn::Expr::Field(e) => vec![(&mut *e.base, Role::Place)],
        syn::Expr::Index(e) => vec![(&mut *e.expr, Role::Place), value(&mut *e.index)],
        // The right side of an assignment is evaluated first.
        syn::Expr::Assign(e) => vec![value(&mut *e.right)],
        syn::Expr::Binary(e) => {
            let compound = crate::syntax::is_compound(&e.op);
            let left = (!compound).then_some(&mut *e.left);
            left.into_iter().chain([&mut *e.right]).map(value).collect()
        }
        syn::Expr::Call(e) => e.args.iter_mut().map(value).collect(),
        syn::Expr::MethodCall(e) => {
            let number = rules::by_method(&e.method.to_string()).is_some();
            std::iter::once((&mut *e.receiver, Role::Receiver { number }))
                .chain(e.args.iter_mut().map(value))
                .collect()
        }
        syn::Expr::Struct(e) => {
            let fields = e.fields.iter_mut().map(|field| {
                // What is named as its field is an expression of its own from here on.
                field.colon_token.get_or_insert_default();
                &mut field.expr
            });
            fields.chain(e.rest.as_deref_mut()).map(value).collect()
        }
        syn::Expr::Tuple(e) => e.elems.iter_mut().map(value).collect(),
        syn::Expr::Array(e) => e.elems.iter_mut().map(value).collect(),
        syn::Expr::Repeat(e) => vec![value(&mut *e.expr)],
        syn::Expr::Range(e) => e
            .start
            .iter_mut()
            .chain(e.end.iter_mut())
            .map(|e| value(&mut **e))
            .collect(),
        _ => Vec::new(),
    }
}
