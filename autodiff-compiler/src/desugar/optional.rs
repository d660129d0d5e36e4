//! Loops over an `Option`: a round that tests it.

use syn::{Expr, parse_quote_spanned};

use super::apply::unparen;
use super::make;
use crate::facts::Facts;
use crate::ir::Ty;
use crate::visit_mut::{self, VisitMut};

/// Whether there was such a loop.
pub(super) fn optional(body: &mut syn::Block, facts: &Facts) -> bool {
    let mut optional = Optional {
        facts,
        changed: false,
    };
    optional.visit_block_mut(body);
    optional.changed
}

struct Optional<'a> {
    facts: &'a Facts,
    changed: bool,
}

impl Optional<'_> {
    /// The option that an expression walks through.
    fn walked(&self, e: &Expr) -> Option<Expr> {
        let is_option =
            |e: &Expr| matches!(self.facts.ty(e), Ty::Option(_)) && self.facts.active(e);
        match unparen(e) {
            Expr::MethodCall(m) if m.args.is_empty() && is_option(&m.receiver) => {
                let option = (*m.receiver).clone();
                match m.method.to_string().as_str() {
                    "iter" => Some(make::reference(option, false)),
                    "iter_mut" => Some(make::reference(option, true)),
                    "into_iter" => Some(option),
                    _ => is_option(e).then(|| e.clone()),
                }
            }
            e => is_option(e).then(|| e.clone()),
        }
    }
}

impl VisitMut for Optional<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        visit_mut::visit_expr_for_loop_mut(self, e);
        let Some(option) = self.walked(&e.expr) else {
            return;
        };
        let (pat, body, span) = (&e.pat, &e.body, e.in_token.span);
        // It stays a loop, which the body may leave.
        e.body = parse_quote_spanned!(span=> { if let Some(#pat) = #option #body });
        *e.pat = parse_quote_spanned!(span=> _);
        *e.expr = parse_quote_spanned!(span=> 0..1);
        self.changed = true;
    }
}
