//! Functions of a trait's `impl` that call a function of the type's own by the same name.
//!
//! `impl Area for Disc { fn area(&self) -> f64 { self.area() } }` ends only if the type has an `area` itself, which Rust prefers.
//! That one has siblings of these names, so those of the trait's have to be functions of the trait alone.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::forms::sibling;
use crate::siblings;
use crate::types;
use crate::visit::{self, Enter as _, Visit};

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
    let of = |item: &syn::ImplItem| match item {
        syn::ImplItem::Fn(f) => calls(f),
        _ => None,
    };
    let is = |item: &syn::ImplItem, found: Option<Found>| of(item) == found;
    plain.items.retain(|item| is(item, Some(Found::All)));
    others.items.retain(|item| is(item, Some(Found::Part)));
    block.items.retain(|item| is(item, None));
    Namesakes { plain, others }
}

/// How much of a body the call is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    All,
    Part,
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
fn calls(f: &syn::ImplItemFn) -> Option<Found> {
    let looks = |r: &syn::Receiver| matches!(&r.kind, syn::ReceiverKind::Reference(_, _, None));
    let fails =
        matches!(&f.sig.output, syn::ReturnType::Type(_, ty) if types::value_of(ty).is_some());
    let names = f.sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Receiver(_) => None,
        syn::FnArg::Typed(arg) => Some(match &*arg.pat {
            syn::Pat::Ident(p) if p.mutability.is_none() => Some(&p.ident),
            _ => None,
        }),
    });
    let mut body = Body {
        name: &f.sig.ident,
        given: names.collect::<Option<Vec<&Ident>>>()?,
        found: false,
        unsure: false,
    };
    body.visit_block(&f.block);
    let counts = body.found && !body.unsure && !fails;
    let all = match f.block.stmts.as_slice() {
        [syn::Stmt::Expr(syn::Expr::MethodCall(e), None)] => body.is_namesake(e),
        _ => false,
    };
    let found = if all { Found::All } else { Found::Part };
    (counts && f.sig.receiver().is_some_and(looks)).then_some(found)
}

struct Body<'a> {
    name: &'a Ident,
    given: Vec<&'a Ident>,
    found: bool,
    /// Something else has the name of a parameter, or `Self::f` is named, which may be the type's own or the trait's.
    unsure: bool,
}

impl Body<'_> {
    fn is_namesake(&self, e: &syn::ExprMethodCall) -> bool {
        let is =
            |e: &syn::Expr, name: &Ident| matches!(e, syn::Expr::Path(p) if p.path.is_ident(name));
        let of_self = matches!(&*e.receiver, syn::Expr::Path(p) if p.path.is_ident("self"));
        let mut args = e.args.iter().zip(&self.given);
        let same = e.args.len() == self.given.len() && args.all(|(e, name)| is(e, name));
        of_self && same && e.method == *self.name
    }
}

impl<'a> Visit<'a> for Body<'_> {
    fn visit_expr_method_call(&mut self, e: &'a syn::ExprMethodCall) {
        visit::visit_expr_method_call(self, e);
        self.found |= self.is_namesake(e);
    }

    fn visit_pat_ident(&mut self, p: &'a syn::PatIdent) {
        visit::visit_pat_ident(self, p);
        self.unsure |= self.given.contains(&&p.ident);
    }

    fn visit_expr_path(&mut self, e: &'a syn::ExprPath) {
        let names = &e.path.segments;
        self.unsure |= names.len() > 1 && names[0].ident == "Self";
    }
}
