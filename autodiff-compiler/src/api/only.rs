//! Some functions alone: random programs are compiled in many forms, of most of which nobody calls more than `vjp`.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

/// Keeps of functions those whose names are listed, separated by commas, and what they mention; `__zero_*` stands for all that begin so.
pub(super) fn only(roots: &str, functions: &TokenStream) -> TokenStream {
    let parsed = syn::parse2::<syn::ItemImpl>(quote!(impl __S { #functions }));
    let Ok(parsed) = parsed else {
        return functions.clone();
    };
    let root = |name: &str| {
        roots
            .split(',')
            .any(|root| match root.trim().strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == root.trim(),
            })
    };
    let mut left: Vec<(BTreeSet<String>, TokenStream)> = parsed
        .items
        .iter()
        .map(|item| (defined(item), quote!(#item)))
        .collect();
    let mut wanted = BTreeSet::new();
    let mut kept = TokenStream::new();
    loop {
        let (now, later): (Vec<_>, Vec<_>) = left
            .into_iter()
            .partition(|(names, _)| names.iter().any(|name| root(name) || wanted.contains(name)));
        if now.is_empty() {
            return kept;
        }
        for (_, tokens) in now {
            mentioned(&tokens, &mut wanted);
            kept.extend(tokens);
        }
        left = later;
    }
}

/// The names of the functions that an item defines.
fn defined(item: &syn::ImplItem) -> BTreeSet<String> {
    match item {
        syn::ImplItem::Fn(f) => BTreeSet::from([f.sig.ident.to_string()]),
        syn::ImplItem::Const(c) => BTreeSet::from([c.ident.to_string()]),
        // Functions that exist with a feature alone.
        syn::ImplItem::Macro(m) => {
            let mut names = BTreeSet::new();
            let mut after_fn = false;
            for token in m.mac.tokens.clone() {
                if let TokenTree::Ident(ident) = token {
                    if after_fn {
                        names.insert(ident.to_string());
                    }
                    after_fn = ident == "fn";
                }
            }
            names
        }
        _ => BTreeSet::new(),
    }
}

/// What follows `Self::`.
fn mentioned(tokens: &TokenStream, names: &mut BTreeSet<String>) {
    let mut of_self = false;
    for token in tokens.clone() {
        match token {
            TokenTree::Ident(ident) => {
                if std::mem::take(&mut of_self) {
                    names.insert(ident.to_string());
                }
                of_self = ident == "Self";
            }
            TokenTree::Punct(punct) => of_self &= punct.as_char() == ':',
            TokenTree::Group(group) => {
                of_self = false;
                mentioned(&group.stream(), names);
            }
            TokenTree::Literal(_) => of_self = false,
        }
    }
}
