//! Refuses what is nested so deep that the compiler would run out of stack: the parser and every pass follow the nesting.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::spanned::Spanned;

use crate::errors::Errors;
use crate::visit::{self, Visit};

/// Brackets in brackets. An unoptimised macro has room for some more, on the eight megabytes that rustc gives it.
const MOST_BRACKETS: usize = 160;

/// Expressions in expressions, in units of a term in a sum, which takes least.
const MOST_TERMS: usize = 800;

/// Refuses brackets that are too deep, before anything is parsed.
pub(crate) fn refuse_brackets(item: &TokenStream, errors: &mut Errors) -> bool {
    fn look(tokens: TokenStream, depth: usize) -> Option<Span> {
        tokens.into_iter().find_map(|token| match token {
            TokenTree::Group(group) if depth == MOST_BRACKETS => Some(group.span_open()),
            TokenTree::Group(group) => look(group.stream(), depth + 1),
            _ => None,
        })
    }
    report(look(item.clone(), 0), errors)
}

/// Refuses expressions that are too deep although their brackets are not, such as sums of very many terms.
pub(crate) fn refuse_expressions(item: &syn::Item, errors: &mut Errors) -> bool {
    let mut look = Look {
        depth: 0,
        found: None,
    };
    look.visit_item(item);
    report(look.found, errors)
}

fn report(found: Option<Span>, errors: &mut Errors) -> bool {
    if let Some(span) = found {
        errors.error_at(
            span,
            "this is nested too deep to be read; take parts of it into variables, `let y = …;`",
        );
    }
    found.is_some()
}

struct Look {
    depth: usize,
    found: Option<Span>,
}

impl<'ast> Visit<'ast> for Look {
    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        let takes = match e {
            syn::Expr::Binary(_) => 1,
            _ => 2,
        };
        if self.depth + takes > MOST_TERMS {
            self.found.get_or_insert_with(|| e.span());
            return;
        }
        self.depth += takes;
        visit::visit_expr(self, e);
        self.depth -= takes;
    }
}
