//! What the macro sees otherwise than rustc does: code that a `#[cfg]` takes out, and items of inner blocks.

use rustc_hash::FxHashMap;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;

use super::hidden::declared;
use crate::errors::Errors;
use crate::types;
use crate::visit::{Enter as _, Other, Visit};
use crate::visit_mut::{self, OtherMut, VisitMut};

/// Gives constants of inner blocks names of their own where others have them, too.
pub(super) fn separate(body: &mut syn::Block) {
    let mut named = FxHashMap::default();
    count(body.to_token_stream(), &mut named);
    Separate { named, depth: 0 }.visit_block_mut(body);
}

struct Separate {
    /// How often each name occurs in the whole body, new ones as well.
    named: FxHashMap<String, usize>,
    depth: usize,
}

impl VisitMut for Separate {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.depth += 1;
        visit_mut::visit_block_mut(self, block);
        self.depth -= 1;
        if self.depth == 0 {
            return;
        }
        let mut inside = FxHashMap::default();
        count(block.to_token_stream(), &mut inside);
        let constants = block.stmts.iter().filter_map(|stmt| match stmt {
            syn::Stmt::Item(syn::Item::Const(item)) => Some(item.ident.clone()),
            _ => None,
        });
        let constants: Vec<syn::Ident> = constants.collect();
        for from in constants {
            let (text, uses) = (from.to_string(), inside.get(&from.to_string()));
            if uses == self.named.get(&text) {
                continue;
            }
            let fresh = (1..).map(|k| format!("{text}_{k}"));
            let Some(fresh) = fresh
                .into_iter()
                .find(|name| !self.named.contains_key(name))
            else {
                continue;
            };
            let to = syn::Ident::new(&fresh, from.span());
            let mut renamed = block.clone();
            Rename { from: &from, to }.visit_block_mut(&mut renamed);
            let mut left = FxHashMap::default();
            count(renamed.to_token_stream(), &mut left);
            // What is in a macro, or a part of a path, keeps its name: so does the constant.
            if !left.contains_key(&text) && !in_text(renamed.to_token_stream(), &text) {
                let uses = uses.copied().unwrap_or_default();
                self.named.entry(text).and_modify(|all| *all -= uses);
                self.named.insert(fresh, uses);
                *block = renamed;
            }
        }
    }
}

/// Whether a literal has a name in it, as texts of `println!` may.
fn in_text(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Literal(literal) => literal.to_string().contains(name),
        TokenTree::Group(group) => in_text(group.stream(), name),
        TokenTree::Ident(_) | TokenTree::Punct(_) => false,
    })
}

struct Rename<'a> {
    from: &'a syn::Ident,
    to: syn::Ident,
}

impl VisitMut for Rename<'_> {
    fn visit_expr_path_mut(&mut self, path: &mut syn::ExprPath) {
        if path.qself.is_none() && path.path.is_ident(self.from) {
            path.path = self.to.clone().into();
        }
        visit_mut::visit_expr_path_mut(self, path);
    }

    fn visit_pat_ident_mut(&mut self, pat: &mut syn::PatIdent) {
        if pat.ident == *self.from {
            pat.ident = self.to.clone();
        }
        visit_mut::visit_pat_ident_mut(self, pat);
    }

    fn visit_other_mut(&mut self, node: OtherMut<'_>) {
        match node {
            OtherMut::ItemConst(item) => {
                if item.ident == *self.from {
                    item.ident = self.to.clone();
                }
                OtherMut::ItemConst(item).walk(self);
            }
            other => other.walk(self),
        }
    }
}

/// Refuses what a body has of both.
pub(super) fn refuse(body: &syn::Block, errors: &mut Errors) {
    Conditional { errors }.visit_block(body);
    let mut named = FxHashMap::default();
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
fn count(tokens: TokenStream, into: &mut FxHashMap<String, usize>) {
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

    fn visit_other(&mut self, node: Other<'ast>) {
        match node {
            Other::Attribute(attr) => {
                let cfg = Ident::new("cfg", Span::call_site());
                let unknown = attr.path().is_ident("cfg_attr")
                    && types::mentions(&attr.meta.to_token_stream(), &cfg);
                if attr.path().is_ident("cfg") || unknown {
                    self.errors.error(attr, "whether `#[cfg]` holds is not known to the macro, which would differentiate the code in any case; write `if cfg!(…)`, or two functions with `#[cfg]` above them");
                }
            }
            other => other.walk(self),
        }
    }
}

/// Items are moved to the beginning of each derivative.
struct Inner<'a> {
    errors: &'a mut Errors,
    named: &'a FxHashMap<String, usize>,
    depth: usize,
}

impl<'ast> Visit<'ast> for Inner<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_other(&mut self, node: Other<'ast>) {
        match node {
            Other::Block(block) => {
                if self.depth > 0 {
                    let mut inside = FxHashMap::default();
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
                Other::Block(block).walk(self);
                self.depth -= 1;
            }
            other => other.walk(self),
        }
    }
}
