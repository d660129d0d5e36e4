//! Methods that take `self` by value and are called by their path in the block they belong to: `Self::dot(a, b)` is `a.dot(b)`.
//!
//! A call by a path borrows or moves what the function says; only the block itself shows which.

use syn::visit_mut::{self, VisitMut};

use crate::{own_names, types};

/// The methods of a block that take `self` by value.
pub(crate) struct ByPath {
    owner: Option<String>,
    names: Vec<String>,
}

impl ByPath {
    pub(crate) fn of(block: &syn::ItemImpl) -> ByPath {
        let owned = block.items.iter().filter_map(|item| match item {
            syn::ImplItem::Fn(f) => {
                let receiver = f.sig.receiver()?;
                let by_value = matches!(receiver.kind, syn::ReceiverKind::Value);
                by_value.then(|| f.sig.ident.to_string())
            }
            _ => None,
        });
        ByPath {
            owner: types::named_as(&block.self_ty),
            names: owned.collect(),
        }
    }

    /// Writes calls by a path as calls of methods.
    pub(crate) fn write_out(&self, block: &mut syn::Block) {
        if !self.names.is_empty() {
            Calls(self).visit_block_mut(block);
        }
    }

    fn method(&self, func: &syn::Expr) -> Option<syn::PathSegment> {
        let syn::Expr::Path(p) = func else {
            return None;
        };
        let segments: Vec<_> = p.path.segments.iter().collect();
        let [of, method] = segments.as_slice() else {
            return None;
        };
        let own = of.ident == "Self" || self.owner.as_ref().is_some_and(|name| of.ident == name);
        let known = self.names.iter().any(|name| method.ident == name);
        (p.qself.is_none() && own && of.arguments.is_empty() && known).then(|| (*method).clone())
    }
}

struct Calls<'a>(&'a ByPath);

impl VisitMut for Calls<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        visit_mut::visit_expr_mut(self, e);
        let syn::Expr::Call(call) = e else { return };
        let Some(method) = self.0.method(&call.func) else {
            return;
        };
        let mut args = call.args.iter();
        let Some(receiver) = args.next() else { return };
        let (name, generics) = (own_names::own(&method.ident), &method.arguments);
        let turbofish = match generics {
            syn::PathArguments::AngleBracketed(args) => {
                let args = &args.args;
                Some(quote::quote!(::<#args>))
            }
            _ => None,
        };
        *e = syn::parse_quote!((#receiver).#name #turbofish (#(#args),*));
    }
}
