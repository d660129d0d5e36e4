//! A function of a block or a trait, differentiated as its siblings.

use std::rc::Rc;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::accessors::Accessors;
use crate::attr;
use crate::errors::Errors;
use crate::fallible;
use crate::function::{Options, Owner};
use crate::itself;
use crate::marks;
use crate::pipeline;
use crate::types::{self, worthwhile};
use crate::visit_mut::VisitMut;

/// What the functions of a block, or of a trait, have in common.
pub(crate) struct Block {
    pub(crate) generics: syn::Generics,
    pub(crate) ty: syn::Type,
    pub(crate) owner: Option<Owner>,
    pub(crate) accessors: Accessors,
    pub(crate) fields: Rc<Vec<(String, String)>>,
    pub(crate) checks: Vec<Ident>,
    pub(crate) at_once: Vec<Ident>,
    /// Names of results that do not show that they are some.
    pub(crate) aliases: Vec<Ident>,
}

impl Block {
    /// The siblings of a function, if it has something to differentiate; the function is left as it is to be compiled.
    pub(crate) fn derive(
        &self,
        f: &mut syn::ImplItemFn,
        mut given: Options,
        errors: &mut Errors,
    ) -> Option<TokenStream> {
        if f.sig.ident == "clone" && f.sig.receiver().is_some() {
            errors.error(&f.sig.ident, "generated code takes `clone` for a copy; give this method another name, or derive `Clone`");
        }
        let marked = f.attrs.iter().position(|a| marks::is_grad(a.path()));
        given.of_type = types::named_as(&self.ty);
        given.fields.clone_from(&self.fields);
        given.checks.clone_from(&self.checks);
        given.at_once.clone_from(&self.at_once);
        let itself = itself::is_lent(&f.sig, &f.block, given.of_type.as_deref());
        let aliased = fallible::returns_one_of(&self.aliases, &f.sig);
        given.fallible |= aliased;
        match marked {
            Some(at) => {
                let mark = f.attrs.remove(at);
                if let syn::Meta::List(list) = &mark.meta {
                    given.read(list.tokens.clone(), errors);
                }
                if given.own.is_constant() && types::lends_constant(&f.sig) {
                    f.sig.inputs.iter_mut().for_each(marks::strip);
                    return None;
                }
            }
            None if aliased && attr::yields_constant_by_alias(&f.sig) => {
                given.own.make_constant(f.sig.ident.span());
            }
            // A method without derivative may be called on what has one.
            None if !worthwhile(&f.sig)
                && f.sig.generics.params.is_empty()
                && (attr::yields_constant(&f.sig) || makes_constant(&f.sig, &self.ty)) =>
            {
                given.own.make_constant(f.sig.ident.span());
            }
            None if !worthwhile(&f.sig) && !itself => return None,
            None => {}
        }
        given.method = true;
        given.owner = self.owner.clone().map(Box::new);
        let mut function = syn::ItemFn {
            attrs: f.attrs.clone(),
            vis: f.vis.clone(),
            modifiers: syn::FnModifiers::default(),
            sig: f.sig.clone(),
            block: Box::new(f.block.clone()),
        };
        self.accessors.write_out(&mut function.block);
        f.sig.inputs.iter_mut().for_each(marks::strip);
        marks::Strip::default().visit_block_mut(&mut f.block);
        let derived = if fallible::is_fallible(&given, &function) {
            fallible::method(given, function, &self.generics, errors)
        } else {
            let function = attr::function(given, function, &self.generics, errors);
            pipeline::derivatives_of(&function, errors)
        };
        Some(under(&f.attrs, derived, errors))
    }
}

/// What is made of a function that is there under a condition only is there under the same.
fn under(attrs: &[syn::Attribute], derived: TokenStream, errors: &mut Errors) -> TokenStream {
    let conditions: Vec<_> = attrs.iter().filter(|a| a.path().is_ident("cfg")).collect();
    if conditions.is_empty() {
        return derived;
    }
    match syn::parse2::<syn::ItemImpl>(quote!(impl __S { #derived })) {
        Ok(made) => {
            let condition = quote!(#(#conditions)*);
            made.items
                .iter()
                .map(|item| quote!(#condition #item))
                .collect()
        }
        Err(error) => {
            errors.take(error);
            TokenStream::new()
        }
    }
}

/// Whether a function makes a value of the block's type of nothing that has a derivative, such as `zeros(rows: usize)`.
fn makes_constant(sig: &syn::Signature, owner: &syn::Type) -> bool {
    let own = match &sig.output {
        syn::ReturnType::Default => false,
        syn::ReturnType::Type(_, ty) => **ty == *owner || **ty == syn::parse_quote!(Self),
    };
    attr::takes_constants(sig) && own && !sig.inputs.is_empty()
}
