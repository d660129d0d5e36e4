//! Functions of a trait's `impl` that call a function of the type's own by the same name.
//!
//! `impl Area for Disc { fn area(&self) -> f64 { self.area() } }` ends only if the type has an `area` itself, which Rust prefers.
//! That one has siblings of these names, so those of the trait's have to be functions of the trait alone.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::visit::{self, Visit};

use crate::forms::sibling;
use crate::siblings;
use crate::types;

/// Such functions of a block.
pub(crate) struct Namesakes {
    /// Those that do nothing else, in a block: the derivatives of the type's own are theirs.
    pub(crate) plain: syn::ItemImpl,
    /// The others.
    pub(crate) others: syn::ItemImpl,
}

/// Takes them out of a block.
pub(crate) fn take(block: &mut syn::ItemImpl) -> Namesakes {
    let (mut plain, mut others) = (block.clone(), block.clone());
    let of = |item: &syn::ImplItem, only: bool| match item {
        syn::ImplItem::Fn(f) => forwards(f) && does_nothing_else(f) == only,
        _ => false,
    };
    plain.items.retain(|item| of(item, true));
    others.items.retain(|item| of(item, false));
    block
        .items
        .retain(|item| !of(item, true) && !of(item, false));
    Namesakes { plain, others }
}

/// Whether the call is all of the body.
fn does_nothing_else(f: &syn::ImplItemFn) -> bool {
    matches!(
        f.block.stmts.as_slice(),
        [syn::Stmt::Expr(syn::Expr::MethodCall(_), None)]
    )
}

/// That the type has derivatives of its own function of this name, which is an error at its call otherwise: those of the trait's would be found in their place.
pub(crate) fn check(sig: &syn::Signature, krate: &TokenStream) -> TokenStream {
    let name = &sig.ident;
    let (mut graph, check) = (sibling("__graph", name), sibling("__check", name));
    graph.set_span(name.span());
    // A form that traits lack.
    let asked = siblings::asking(
        &quote!(#krate::__private),
        quote!(let _ = |of: &Self| of.#graph();),
    );
    quote! {
        #[doc(hidden)]
        #[allow(dead_code, unused_imports, non_snake_case, clippy::all, clippy::pedantic)]
        fn #check() { #asked }
    }
}

/// Whether a function that looks at `self` calls its namesake with all that it is given itself: through itself it would never end.
fn forwards(f: &syn::ImplItemFn) -> bool {
    let looks = |r: &syn::Receiver| matches!(&r.kind, syn::ReceiverKind::Reference(_, _, None));
    let fails =
        matches!(&f.sig.output, syn::ReturnType::Type(_, ty) if types::value_of(ty).is_some());
    let names = f.sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Receiver(_) => None,
        syn::FnArg::Typed(arg) => Some(match &*arg.pat {
            syn::Pat::Ident(p) if p.mutability.is_none() => Some(p.ident.clone()),
            _ => None,
        }),
    });
    let Some(given) = names.collect::<Option<Vec<Ident>>>() else {
        return false;
    };
    let mut calls = Calls {
        name: &f.sig.ident,
        given,
        found: false,
    };
    calls.visit_block(&f.block);
    calls.found && !fails && f.sig.receiver().is_some_and(looks)
}

struct Calls<'a> {
    name: &'a Ident,
    given: Vec<Ident>,
    found: bool,
}

impl<'a> Visit<'a> for Calls<'_> {
    fn visit_expr_method_call(&mut self, e: &'a syn::ExprMethodCall) {
        visit::visit_expr_method_call(self, e);
        let is =
            |e: &syn::Expr, name: &Ident| matches!(e, syn::Expr::Path(p) if p.path.is_ident(name));
        let of_self = matches!(&*e.receiver, syn::Expr::Path(p) if p.path.is_ident("self"));
        let same = e.args.len() == self.given.len()
            && e.args.iter().zip(&self.given).all(|(e, name)| is(e, name));
        self.found |= of_self && same && e.method == *self.name;
    }

    // A variable may have the name of a parameter.
    fn visit_local(&mut self, local: &'a syn::Local) {
        visit::visit_local(self, local);
        let mut names = Names(&mut self.given);
        names.visit_pat(&local.pat);
    }
}

/// Forgets the parameters that are bound again.
struct Names<'a>(&'a mut Vec<Ident>);

impl Visit<'_> for Names<'_> {
    fn visit_pat_ident(&mut self, p: &syn::PatIdent) {
        for name in self.0.iter_mut().filter(|name| **name == p.ident) {
            *name = Ident::new("_", name.span());
        }
    }
}
