//! What the macro sees otherwise than rustc does: code that a `#[cfg]` takes out, and items of inner blocks.

use std::collections::HashMap;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};

use super::hidden::declared;
use crate::errors::Errors;

/// Refuses what a body has of both.
pub(super) fn refuse(body: &syn::Block, errors: &mut Errors) {
    Conditional { errors }.visit_block(body);
    let mut named = HashMap::new();
    count(body.to_token_stream(), &mut named);
    Inner {
        errors,
        named: &named,
        depth: 0,
    }
    .visit_block(body);
}

/// The names that an item brings into scope, values as well as types.
fn named(item: &syn::Item) -> Vec<syn::Ident> {
    fn used(tree: &syn::UseTree, out: &mut Vec<syn::Ident>) {
        match tree {
            syn::UseTree::Path(path) => used(&path.tree, out),
            syn::UseTree::Name(name) => out.push(name.ident.clone()),
            syn::UseTree::Rename(rename) => out.push(rename.rename.clone()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| used(tree, out)),
            syn::UseTree::Glob(_) => {}
        }
    }
    match item {
        syn::Item::Const(i) => vec![i.ident.clone()],
        syn::Item::Fn(i) => vec![i.sig.ident.clone()],
        syn::Item::Use(i) => {
            let mut out = Vec::new();
            used(&i.tree, &mut out);
            out
        }
        other => declared(other),
    }
}

/// How often each name occurs.
fn count(tokens: TokenStream, into: &mut HashMap<String, usize>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => *into.entry(ident.to_string()).or_default() += 1,
            TokenTree::Group(group) => count(group.stream(), into),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Attributes of statements, expressions and arms are lost when a body becomes a graph.
struct Conditional<'a> {
    errors: &'a mut Errors,
}

impl<'ast> Visit<'ast> for Conditional<'_> {
    /// Items are emitted as they stand.
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_attribute(&mut self, attr: &'ast syn::Attribute) {
        if attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr") {
            self.errors.error(attr, "whether `#[cfg]` holds is not known to the macro, which would differentiate the code in any case; write `if cfg!(…)`, or two functions with `#[cfg]` above them");
        }
    }
}

/// Items are moved to the beginning of each derivative.
struct Inner<'a> {
    errors: &'a mut Errors,
    named: &'a HashMap<String, usize>,
    depth: usize,
}

impl<'ast> Visit<'ast> for Inner<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_block(&mut self, block: &'ast syn::Block) {
        if self.depth > 0 {
            let mut inside = HashMap::new();
            count(block.to_token_stream(), &mut inside);
            let items = block.stmts.iter().filter_map(|stmt| match stmt {
                syn::Stmt::Item(item) => Some(item),
                _ => None,
            });
            for name in items.flat_map(named) {
                let text = name.to_string();
                if inside.get(&text) != self.named.get(&text) {
                    self.errors.error(&name, format_args!("`{name}` is declared in an inner block, and the name stands outside of it as well, which the macro does not tell apart; give it a name of its own"));
                }
            }
        }
        self.depth += 1;
        visit::visit_block(self, block);
        self.depth -= 1;
    }
}
