//! What the items of a chain are, as far as that shows.

use rustc_hash::FxHashMap;

use syn::{Expr, Pat};

use super::super::apply::unparen;
use crate::facts::Facts;
use crate::ir::{self, Ty};
use crate::iterators::{makes_iterator, parts};
use crate::syntax;

/// The type of the items of an iterator; references are left out.
pub(super) fn ty(iterator: &Expr, facts: &Facts) -> Ty {
    let m = match unparen(iterator) {
        Expr::MethodCall(m) => m,
        Expr::Range(_) => return Ty::Int,
        Expr::Reference(r) => return facts.ty(&r.expr).element(),
        _ => return Ty::Unknown,
    };
    let name = m.method.to_string();
    match name.as_str() {
        name if parts(name).is_some() => Ty::Slice(Box::new(facts.ty(&m.receiver).element())),
        name if makes_iterator(name) => facts.ty(&m.receiver).element(),
        "copied" | "cloned" | "rev" | "skip" | "take" | "step_by" | "filter" | "skip_while"
        | "take_while" | "inspect" | "chain" | "by_ref" | "peekable" | "cycle" => {
            ty(&m.receiver, facts)
        }
        "enumerate" => Ty::Tuple(vec![Ty::Int, ty(&m.receiver, facts)]),
        "zip" => {
            let other = m.args.first().map_or(Ty::Unknown, |e| ty(e, facts));
            Ty::Tuple(vec![ty(&m.receiver, facts), other])
        }
        "map" => match m.args.first().map(unparen) {
            Some(Expr::Closure(closure)) => {
                let mut given = FxHashMap::default();
                if let Some(input) = closure.inputs.first() {
                    bind(input, &ty(&m.receiver, facts), &mut given);
                }
                of(&closure.body, &given, facts)
            }
            _ => Ty::Unknown,
        },
        _ => Ty::Unknown,
    }
}

/// The variables of a pattern, with their types.
fn bind(pat: &Pat, ty: &Ty, given: &mut FxHashMap<String, Ty>) {
    match (pat, ty) {
        (Pat::Ident(p), _) => {
            given.insert(p.ident.to_string(), ty.clone());
        }
        (Pat::Paren(p), _) => bind(&p.pat, ty, given),
        (Pat::Reference(p), _) => bind(&p.pat, ty, given),
        (Pat::Type(p), _) => bind(&p.pat, &crate::types::read(&p.ty), given),
        (Pat::Tuple(p), Ty::Tuple(parts)) if p.elems.len() == parts.len() => {
            let both = p.elems.iter().zip(parts);
            both.for_each(|(pat, ty)| bind(pat, ty, given));
        }
        _ => {}
    }
}

/// The type of what a closure yields.
fn of(e: &Expr, given: &FxHashMap<String, Ty>, facts: &Facts) -> Ty {
    match unparen(e) {
        Expr::Path(p) => {
            let name = p.path.get_ident().map(ToString::to_string);
            let known = name.and_then(|name| given.get(&name).cloned());
            known.unwrap_or_else(|| facts.ty(e))
        }
        Expr::Unary(u) => of(&u.expr, given, facts),
        Expr::Reference(r) => of(&r.expr, given, facts),
        Expr::Field(f) => of(&f.base, given, facts).field(&crate::ir::Part::from(&f.member)),
        Expr::Tuple(t) => Ty::Tuple(t.elems.iter().map(|e| of(e, given, facts)).collect()),
        Expr::Binary(b) if !syntax::is_compound(&b.op) => {
            let (left, right) = (of(&b.left, given, facts), of(&b.right, given, facts));
            match facts.ty(e) {
                Ty::Unknown => ir::join(left, right),
                known => known,
            }
        }
        Expr::Block(b) => match b.block.stmts.last() {
            Some(syn::Stmt::Expr(e, None)) => of(e, given, facts),
            _ => Ty::Unknown,
        },
        e => facts.ty(e),
    }
}
