//! What stands in place of an item with `#[grad]`, by its kind.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;

use crate::api;
use crate::attr;
use crate::depth;
use crate::errors::Errors;
use crate::fallible;
use crate::fragments;
use crate::function::Options;
use crate::impls;
use crate::labels;
use crate::marks;
use crate::method;
use crate::own;
use crate::pipeline;
use crate::siblings;
use crate::traits;

/// What stands in place of `#[grad(args)] item`: the item, and beside it the type with its derivatives, or the errors.
#[must_use]
pub fn grad(args: TokenStream, item: TokenStream) -> TokenStream {
    expanded(Options::default(), args, item)
}

/// The same for rustc, which finds no error in derivatives where the function has one.
#[must_use]
pub fn grad_for_rustc(args: TokenStream, item: TokenStream) -> TokenStream {
    let options = Options {
        for_rustc: true,
        ..Options::default()
    };
    expanded(options, args, item)
}

fn expanded(mut options: Options, args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    options.read(args, &mut errors);
    if depth::refuse_brackets(&item, &mut errors) {
        let report = errors.to_tokens();
        return quote!(#item #report);
    }
    let item = fragments::grouped(item);
    let expanded = match syn::parse2::<syn::Item>(item.clone()) {
        // What stands for the derivatives of other refused functions would be made by passes that follow the nesting.
        Ok(deep) if depth::refuse_expressions(&deep, &mut errors) => item,
        Ok(syn::Item::Fn(mut f)) => {
            attr::refuse_attributes(&mut f, &mut errors);
            options.labels = labels::of_function(&mut f);
            function(options, f, &mut errors)
        }
        Ok(syn::Item::Impl(mut block)) => {
            options.labels = labels::of_block(&mut block);
            marks::leave_skipped(&mut block);
            impls::expand(&options, block, &mut errors)
        }
        Ok(syn::Item::Trait(mut item)) => {
            marks::leave_skipped_of_trait(&mut item);
            traits::expand(&options, item, &mut errors)
        }
        // Not a function: what the user wrote stays, with the reason.
        Ok(other) => {
            attr::refuse_item(&other, &mut errors);
            item
        }
        Err(error) => {
            errors.take(error);
            item
        }
    };
    let report = errors.to_tokens();
    quote!(#expanded #report)
}

/// What [`grad`] made, with all that stands behind the macro that is called first put into its braces: where there may be no items, it is refused as one.
#[must_use]
pub fn wrapped(expanded: TokenStream) -> TokenStream {
    let mut tokens = expanded.into_iter();
    let mut out = TokenStream::new();
    while let Some(token) = tokens.next() {
        let named = matches!(&token, TokenTree::Ident(name) if name == api::ITEMS);
        out.extend([token]);
        if named {
            // `! {}`
            out.extend(tokens.next());
            let items: TokenStream = tokens.by_ref().skip(1).collect();
            out.extend([TokenTree::from(Group::new(Delimiter::Brace, items))]);
        }
    }
    out
}

/// A function, and its derivatives beside it.
fn function(options: Options, item: syn::ItemFn, errors: &mut Errors) -> TokenStream {
    if fallible::is_fallible(&options, &item) {
        return fallible::function(options, item, errors);
    }
    let beside = own::beside(&options, &item);
    let outer = if attr::is_method(&options, &item) {
        method::of_block(&item)
    } else {
        syn::Generics::default()
    };
    let function = attr::function(options, item, &outer, errors);
    let derivatives = pipeline::derivatives_of(&function, errors);
    let beside = own::expanded(beside, self::function, errors);
    let user = &function.written;
    let advice = function.method.map(|_| siblings::advice(&user.sig.ident));
    quote!(#user #advice #derivatives #(#beside)*)
}
