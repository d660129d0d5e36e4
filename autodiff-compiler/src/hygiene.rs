//! Variables that macros brought in: of one name, but not the same.
//!
//! A `macro_rules!` macro may bind `s` around an expression of the caller that mentions another `s`.
//! All later stages tell variables apart by their names, so such names are made different here.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;

use crate::errors::Errors;
use crate::syntax;
use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{self, VisitMut};

/// Gives variables of one name that come from different macros different names.
pub(crate) fn separate<'a>(
    body: &mut syn::Block,
    params: impl Iterator<Item = &'a mut Ident>,
    errors: &mut Errors,
) {
    let mut params: Vec<&mut Ident> = params.collect();
    let mut seen = Seen::default();
    params.iter().for_each(|name| seen.bind(name));
    seen.visit_block(body);
    let names = seen
        .bound
        .into_iter()
        .filter(|(name, _)| seen.contexts.get(name).is_some_and(|c| c.len() > 1));
    let mut taken = BTreeSet::new();
    collect(body.to_token_stream(), &mut taken);
    let mut renamed = BTreeMap::new();
    for (name, contexts) in names {
        for (k, context) in contexts.into_iter().enumerate() {
            let base = name.trim_start_matches("r#");
            let unique = match k {
                0 => Some(name.clone()),
                _ => (1..=taken.len() + 1)
                    .map(|n| format!("{base}_{n}"))
                    .find(|n| taken.insert(n.clone())),
            };
            renamed.insert((name.clone(), context), unique.unwrap_or_default());
        }
    }
    if renamed.is_empty() {
        return;
    }
    let mut cx = Separate { renamed, errors };
    params.iter_mut().for_each(|name| cx.ident(name));
    cx.visit_block_mut(body);
}

/// Which expansion a token comes from, as far as it shows.
fn context(span: Span) -> String {
    let text = format!("{span:?}");
    match text.split_once(' ') {
        Some((context, _)) if context.starts_with('#') => context.to_owned(),
        _ => String::new(),
    }
}

fn collect(tokens: TokenStream, into: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                into.insert(ident.to_string());
            }
            TokenTree::Group(group) => collect(group.stream(), into),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The names of variables, and the expansions in which they are bound or mentioned.
#[derive(Default)]
struct Seen {
    bound: BTreeMap<String, BTreeSet<String>>,
    contexts: BTreeMap<String, BTreeSet<String>>,
}

impl Seen {
    fn mention(&mut self, name: &Ident) {
        let contexts = self.contexts.entry(name.to_string()).or_default();
        contexts.insert(context(name.span()));
    }

    fn bind(&mut self, name: &Ident) {
        self.mention(name);
        let contexts = self.bound.entry(name.to_string()).or_default();
        contexts.insert(context(name.span()));
    }

    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => self.mention(&ident),
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    for name in captures(&literal) {
                        self.mention(&name);
                    }
                }
                TokenTree::Punct(_) => {}
            }
        }
    }
}

/// The variables that a literal mentions, if it is a format string.
fn captures(literal: &proc_macro2::Literal) -> Vec<Ident> {
    let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) else {
        return Vec::new();
    };
    let names = syntax::captures(&text.value()).into_iter();
    let idents = names.filter_map(|name| syn::parse_str::<Ident>(&name).ok());
    idents
        .map(|mut ident| {
            ident.set_span(literal.span());
            ident
        })
        .collect()
}

impl<'ast> Visit<'ast> for Seen {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        if !syntax::is_constant(p) {
            self.bind(&p.ident);
        }
        visit::visit_pat_ident(self, p);
    }

    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        if let Some(ident) = e.path.get_ident() {
            self.mention(ident);
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.tokens(mac.tokens.clone());
    }
}

struct Separate<'a> {
    renamed: BTreeMap<(String, String), String>,
    errors: &'a mut Errors,
}

impl Separate<'_> {
    fn ident(&mut self, ident: &mut Ident) {
        let (name, from) = (ident.to_string(), context(ident.span()));
        if let Some(unique) = self.renamed.get(&(name.clone(), from)) {
            if *unique != name {
                *ident = Ident::new(unique, ident.span());
            }
        } else if self.renamed.keys().any(|(other, _)| *other == name) {
            self.errors.error(ident, format_args!("`{name}` comes from another macro than the variable of that name here; give one of them another name"));
        }
    }

    fn tokens(&mut self, tokens: TokenStream) -> TokenStream {
        let mut after_dot = false;
        tokens
            .into_iter()
            .map(|token| {
                let dot = matches!(&token, TokenTree::Punct(p) if p.as_char() == '.') && !after_dot;
                let token = match token {
                    TokenTree::Ident(mut ident) if !after_dot => {
                        self.ident(&mut ident);
                        TokenTree::Ident(ident)
                    }
                    TokenTree::Group(group) => {
                        let mut new = Group::new(group.delimiter(), self.tokens(group.stream()));
                        new.set_span(group.span());
                        TokenTree::Group(new)
                    }
                    TokenTree::Literal(literal) => {
                        for name in captures(&literal) {
                            let mut ident = name.clone();
                            self.ident(&mut ident);
                            if ident != name {
                                self.errors.error(&literal, format_args!("`{name}` is a variable of several macros here; pass it as an argument, `{{}}`"));
                            }
                        }
                        TokenTree::Literal(literal)
                    }
                    other => other,
                };
                after_dot = dot;
                token
            })
            .collect()
    }
}

impl VisitMut for Separate<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_pat_ident_mut(&mut self, p: &mut syn::PatIdent) {
        if !syntax::is_constant(p) {
            self.ident(&mut p.ident);
        }
        visit_mut::visit_pat_ident_mut(self, p);
    }

    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        visit_mut::visit_field_pat_mut(self, field);
        let same = matches!((&*field.pat, &field.member), (syn::Pat::Ident(p), syn::Member::Named(m)) if p.ident == *m);
        if field.colon_token.is_none() && !same {
            field.colon_token = Some(syn::token::Colon::default());
        }
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        visit_mut::visit_field_value_mut(self, field);
        let same = matches!((&field.expr, &field.member), (syn::Expr::Path(p), syn::Member::Named(m)) if p.path.is_ident(m));
        if field.colon_token.is_none() && !same {
            field.colon_token = Some(syn::token::Colon::default());
        }
    }

    fn visit_expr_path_mut(&mut self, e: &mut syn::ExprPath) {
        if let Some(ident) = e.path.get_ident() {
            let mut ident = ident.clone();
            self.ident(&mut ident);
            if !e.path.is_ident(&ident) {
                e.path = ident.into();
            }
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        mac.tokens = self.tokens(std::mem::take(&mut mac.tokens));
    }
}
