//! Removes jumps: `break`, `continue`, `return`, `?`, `let else`, `while`, `if let`.
//!
//! What is left are `if`, `match`, and loops that end by one of two forms: `if c { break; }` at the head of the body, before anything has changed,
//! or a truth value that the body yields, "stop after this round", on a loop marked by the attribute [`UNTIL`].
//!
//! A statement of which exactly one arm falls through takes the rest of its block into that arm.
//! Otherwise a jump writes down its code in a variable, and the rest runs only if no code is written; the jump is resumed after it.
//! The value of a jump waits in a variable of its target.

mod conditional;
mod deferred;
mod hoist;
mod jumps;
mod labels;
mod loops;
mod plain;
mod rewrite;
mod slots;

pub(super) use self::hoist::hoist;
pub(super) use self::jumps::{block_falls, falls};
pub(super) use self::plain::{label_of, links};
pub(crate) use self::slots::start;

use syn::parse_quote;

use self::rewrite::{Mode, Rewrite};
use crate::errors::Errors;
use crate::facts::Facts;
use crate::ir::Ty;
use crate::names::Names;

use crate::visit_mut::VisitMut;

/// The attribute of a loop whose body yields whether to stop.
pub(crate) const UNTIL: &str = "__autodiff_until";

/// Removes the jumps of a function body; `returned`: the type of its result, if it has one.
pub(super) fn exits(
    body: &mut syn::Block,
    facts: &Facts,
    returned: Option<Ty>,
    names: &mut Names,
    errors: &mut Errors,
) {
    if !jumps::has_exits(body) {
        return;
    }
    labels::label(body);
    deferred::Deferred { facts }.visit_block_mut(body);
    let mut plain = plain::Plain { facts, names };
    plain.visit_block_mut(body);
    let code = names.fresh("code", proc_macro2::Span::call_site());
    let mut rewrite = Rewrite {
        facts,
        errors,
        frames: Vec::new(),
        code,
        names,
        codes: Vec::new(),
        uses_code: false,
        result: None,
        returned,
    };
    let stmts = std::mem::take(&mut body.stmts);
    let stmts = rewrite.sequence(stmts, &Mode::Function);
    body.stmts = rewrite.declarations();
    body.stmts.extend(stmts);
}

/// Puts loops that carry the mark of [`UNTIL`] in the language's own words: for code that is copied as it stands.
pub(crate) fn spell_out(e: &mut syn::Expr) {
    struct SpellOut;
    impl VisitMut for SpellOut {
        fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
            crate::visit_mut::visit_expr_mut(self, e);
            let (attrs, body) = match e {
                syn::Expr::Loop(l) => (&mut l.attrs, &mut l.body),
                syn::Expr::ForLoop(l) => (&mut l.attrs, &mut l.body),
                _ => return,
            };
            if is_until(attrs) {
                attrs.retain(|a| !a.path().is_ident(UNTIL));
                let stmts = std::mem::take(&mut body.stmts);
                body.stmts = vec![
                    parse_quote!(let __stop: bool = { #(#stmts)* };),
                    parse_quote!(if __stop {
                        break;
                    }),
                ];
            }
        }
    }
    SpellOut.visit_expr_mut(e);
}

/// Whether a loop carries the mark of [`UNTIL`].
pub(crate) fn is_until(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|a| a.path().is_ident(UNTIL))
}
