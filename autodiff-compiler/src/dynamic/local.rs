//! Types, traits and blocks in a dynamic body: those of floats become those of variables, with the lifetime of the tape.

use rustc_hash::FxHashMap;

use proc_macro2::Ident;
use quote::ToTokens;

use crate::types;

/// The types and traits of a body that have variables in them, each with how many lifetimes it has beside that of the tape.
#[derive(Default)]
pub(super) struct Local {
    blocks: Vec<FxHashMap<String, usize>>,
}

impl Local {
    /// Enters a block: what is in it by the name of another such type counts as well.
    pub(super) fn enter(&mut self, block: &syn::Block, float: &Ident) {
        self.blocks.push(FxHashMap::default());
        let items = || {
            block.stmts.iter().filter_map(|stmt| match stmt {
                syn::Stmt::Item(item) => Some(item),
                _ => None,
            })
        };
        loop {
            let found = items().find_map(|item| {
                let (name, generics) = defined(item)?;
                let new = self.lifetimes(name).is_none() && self.has_variables(item, float);
                new.then(|| (name.to_string(), generics.lifetimes().count()))
            });
            match (found, self.blocks.last_mut()) {
                (Some((name, lifetimes)), Some(names)) => names.insert(name, lifetimes),
                _ => break,
            };
        }
    }

    pub(super) fn leave(&mut self) {
        self.blocks.pop();
    }

    /// Whether floats stand in the tokens, or what has variables in it.
    pub(super) fn has_variables(&self, tokens: &impl ToTokens, float: &Ident) -> bool {
        let tokens = tokens.to_token_stream();
        let names = self.blocks.iter().flat_map(FxHashMap::keys);
        types::mentions(&tokens, float)
            || names
                .into_iter()
                .any(|name| types::mentions(&tokens, &Ident::new(name, float.span())))
    }

    fn lifetimes(&self, name: &Ident) -> Option<usize> {
        let name = name.to_string();
        self.blocks
            .iter()
            .rev()
            .find_map(|names| names.get(&name))
            .copied()
    }

    /// Gives the path of a type or trait of variables the lifetime of the tape.
    pub(super) fn complete(&self, path: &mut syn::Path, lifetime: &syn::Lifetime) {
        if path.segments.len() > 1 {
            return;
        }
        let Some(segment) = path.segments.last_mut() else {
            return;
        };
        let Some(lifetimes) = self.lifetimes(&segment.ident) else {
            return;
        };
        // Lifetimes that are left out are left to rustc.
        let elided = std::iter::repeat_n::<syn::GenericArgument>(syn::parse_quote!('_), lifetimes);
        match &mut segment.arguments {
            syn::PathArguments::None => {
                segment.arguments = syn::PathArguments::AngleBracketed(
                    syn::parse_quote!(<#lifetime #(, #elided)*>),
                );
            }
            syn::PathArguments::AngleBracketed(args) => {
                let mut given = args.args.iter();
                if !given.any(|a| matches!(a, syn::GenericArgument::Lifetime(_))) {
                    elided.for_each(|one| args.args.insert(0, one));
                }
                args.args.insert(0, syn::parse_quote!(#lifetime));
            }
            syn::PathArguments::Parenthesized(_) => {}
        }
    }
}

/// What an item defines a type or trait as.
fn defined(item: &syn::Item) -> Option<(&Ident, &syn::Generics)> {
    match item {
        syn::Item::Struct(item) => Some((&item.ident, &item.generics)),
        syn::Item::Enum(item) => Some((&item.ident, &item.generics)),
        syn::Item::Trait(item) => Some((&item.ident, &item.generics)),
        syn::Item::Type(item) => Some((&item.ident, &item.generics)),
        _ => None,
    }
}

/// The generics of an item that defines a type or trait.
pub(super) fn generics(item: &mut syn::Item) -> Option<(&Ident, &mut syn::Generics)> {
    match item {
        syn::Item::Struct(item) => Some((&item.ident, &mut item.generics)),
        syn::Item::Enum(item) => Some((&item.ident, &mut item.generics)),
        syn::Item::Trait(item) => Some((&item.ident, &mut item.generics)),
        syn::Item::Type(item) => Some((&item.ident, &mut item.generics)),
        _ => None,
    }
}

/// Leaves `Differentiable` out of what is derived: variables have no tangents.
pub(super) fn without_tangent(item: &mut syn::Item) {
    let attrs = match item {
        syn::Item::Struct(item) => &mut item.attrs,
        syn::Item::Enum(item) => &mut item.attrs,
        _ => return,
    };
    for attr in attrs.iter_mut().filter(|a| a.path().is_ident("derive")) {
        type Paths = syn::punctuated::Punctuated<syn::Path, syn::Token![,]>;
        let Ok(derived) = attr.parse_args_with(Paths::parse_terminated) else {
            continue;
        };
        let tangent = |path: &syn::Path| {
            let last = path.segments.last();
            last.is_some_and(|s| s.ident == "Differentiable")
        };
        if derived.iter().any(tangent) {
            let rest = derived.iter().filter(|path| !tangent(path));
            *attr = syn::parse_quote!(#[derive(#(#rest),*)]);
        }
    }
    attrs.retain(|a| !a.path().is_ident("differentiable"));
}
