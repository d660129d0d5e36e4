//! Which lines of the source generated lines come from.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream, TokenTree};

/// How far a formatter's own tokens may separate what belongs together.
const AHEAD: usize = 16;

/// A piece of generated code, formatted, with the lines of the source that each of its lines comes from.
pub(crate) struct Listing {
    pub(crate) text: String,
    pub(crate) lines: Vec<BTreeSet<usize>>,
}

/// Tokens in order with where they stand; what a formatter adds or drops is left out.
fn leaves(tokens: TokenStream, found: &mut Vec<(String, Span)>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => leaves(group.stream(), found),
            TokenTree::Punct(p) if matches!(p.as_char(), ',' | ';') => {}
            other => found.push((other.to_string(), other.span())),
        }
    }
}

/// Lists items; `line` says which line of the source a token comes from.
///
/// A formatter loses where tokens came from, but keeps their order.
pub(crate) fn listing(items: Vec<syn::Item>, line: impl Fn(Span) -> Option<usize>) -> Listing {
    let tokens: TokenStream = items.iter().map(quote::ToTokens::to_token_stream).collect();
    let text = prettyplease::unparse(&syn::File {
        shebang: None,
        frontmatter: None,
        attrs: Vec::new(),
        items,
    });
    let mut lines = vec![BTreeSet::new(); text.lines().count()];
    let (mut from, mut to) = (Vec::new(), Vec::new());
    leaves(tokens, &mut from);
    if let Ok(tokens) = text.parse() {
        leaves(tokens, &mut to);
    }
    let mut at = 0;
    for (token, place) in to {
        let ahead = from[at..].iter().take(AHEAD);
        let Some(k) = ahead.into_iter().position(|(t, _)| *t == token) else {
            continue;
        };
        let source = line(from[at + k].1);
        at += k + 1;
        let row = lines.get_mut(place.start().line.saturating_sub(1));
        if let (Some(row), Some(source)) = (row, source) {
            row.insert(source);
        }
    }
    Listing { text, lines }
}
