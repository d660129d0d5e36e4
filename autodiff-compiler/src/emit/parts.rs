//! Long bodies in parts: rustc's stack does not bear thousands of `let`s in a row.

use rustc_hash::FxHashSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;

use super::BLOCK_SIZE;

/// Splits a long list of statements into blocks that hand on what is used after them.
pub(super) fn in_parts(statements: Vec<TokenStream>, after: &[TokenStream]) -> TokenStream {
    if statements.len() <= 2 * BLOCK_SIZE {
        return statements.into_iter().collect();
    }
    let mut later: FxHashSet<String> = FxHashSet::default();
    after.iter().for_each(|tokens| idents(tokens, &mut later));
    let mut out: Vec<TokenStream> = Vec::new();
    for part in statements.chunks(BLOCK_SIZE).rev() {
        let mut bound = Vec::new();
        for statement in part {
            binders(statement, &mut bound);
        }
        let live: Vec<&(Ident, bool)> = bound
            .iter()
            .filter(|(name, _)| later.contains(&name.to_string()))
            .collect();
        let patterns = live.iter().map(|(name, mutable)| {
            let mutable = mutable.then(|| quote!(mut));
            quote!(#mutable #name)
        });
        let names = live.iter().map(|(name, _)| name);
        out.push(quote!(let (#(#patterns,)*) = { #(#part)* (#(#names,)*) };));
        part.iter()
            .for_each(|statement| idents(statement, &mut later));
    }
    out.into_iter().rev().collect()
}

pub(super) fn idents(tokens: &TokenStream, into: &mut FxHashSet<String>) {
    for token in tokens.clone() {
        match token {
            TokenTree::Ident(ident) => {
                into.insert(ident.to_string());
            }
            TokenTree::Group(group) => idents(&group.stream(), into),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The variables that a `let` statement binds, and whether they are mutable.
pub(super) fn binders(statement: &TokenStream, out: &mut Vec<(Ident, bool)>) {
    let mut tokens = statement.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        let TokenTree::Ident(word) = &token else {
            continue;
        };
        if word != "let" {
            continue;
        }
        let mut mutable = false;
        for token in tokens.by_ref() {
            match token {
                TokenTree::Ident(word) if word == "mut" => mutable = true,
                TokenTree::Ident(name) if name == "_" => {}
                TokenTree::Ident(name) => out.push((name, mutable)),
                TokenTree::Group(group) => {
                    out.extend(group.stream().into_iter().filter_map(|t| match t {
                        TokenTree::Ident(name) if name != "_" => Some((name, false)),
                        _ => None,
                    }));
                }
                TokenTree::Punct(p) if matches!(p.as_char(), '=' | ':') => break,
                _ => {}
            }
        }
    }
}
