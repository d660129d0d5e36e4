//! Which lines of the source generated lines come from.

use std::collections::{BTreeSet, HashMap};

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
    for (token, place) in &to {
        let ahead = from[at..].iter().take(AHEAD);
        let Some(k) = ahead.into_iter().position(|(t, _)| t == token) else {
            continue;
        };
        let source = line(from[at + k].1);
        at += k + 1;
        let row = lines.get_mut(place.start().line.saturating_sub(1));
        if let (Some(row), Some(source)) = (row, source) {
            row.insert(source);
        }
    }
    name_lines(&to, &mut lines);
    Listing { text, lines }
}

/// Adds to lines that compute with the derivative of a variable the lines that the variable comes from: sums of derivatives come from no operation.
fn name_lines(tokens: &[(String, Span)], lines: &mut [BTreeSet<usize>]) {
    let row = |span: &Span| span.start().line.saturating_sub(1);
    let mut defined: HashMap<&str, BTreeSet<usize>> = HashMap::new();
    for window in tokens.windows(3) {
        let [(word, _), (name, place), (next, _)] = window else {
            continue;
        };
        let name = match (word.as_str(), name.as_str()) {
            ("let", "mut") => next,
            ("let" | "mut", _) => name,
            _ => continue,
        };
        if let Some(from) = lines.get(row(place)) {
            defined.entry(name).or_insert_with(|| from.clone());
        }
    }
    for (name, place) in tokens {
        let of = name
            .strip_prefix("d_")
            .or_else(|| name.strip_prefix("dot_"))
            .or_else(|| name.strip_suffix("_dot"));
        let from = of.and_then(|of| defined.get(of));
        if let (Some(from), Some(line)) = (from, lines.get_mut(row(place))) {
            line.extend(from);
        }
    }
}
