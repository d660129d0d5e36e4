//! What stands in code for this compiler: `#[grad]`, `#[constant]` and `#[checkpoint]`, `stop_gradient` and `with_cotangent`.

use quote::ToTokens;
use syn::Expr;
use syn::parse::ParseStream;
use syn::spanned::Spanned;

use crate::errors::Errors;
use crate::visit_mut::{self, VisitMut};

/// Whether what a function is given is copied as it stands, as a constant.
pub(crate) fn is_stop_gradient(func: &syn::Expr) -> bool {
    let stops = |p: &syn::ExprPath| {
        p.path
            .segments
            .last()
            .is_some_and(|s| s.ident == "stop_gradient")
    };
    is_decided(func) || matches!(func, syn::Expr::Path(p) if stops(p))
}

/// `rt::decided`, by which rustc checks that what it is given only decides.
pub(crate) fn is_decided(func: &syn::Expr) -> bool {
    let syn::Expr::Path(p) = func else {
        return false;
    };
    let names = p.path.segments.iter().map(|s| s.ident.to_string());
    names.eq(["rt", "decided"])
}

/// `rt::optional`, around a call whose result is gone on with as an option.
pub(crate) fn is_optional(func: &syn::Expr) -> bool {
    let syn::Expr::Path(p) = func else {
        return false;
    };
    let names = p.path.segments.iter().map(|s| s.ident.to_string());
    names.eq(["rt", "optional"])
}

/// `rt::stop_gradient(rt::fallible::absent())`, a value where a result has none.
pub(crate) fn stands_for_none(call: &syn::ExprCall) -> bool {
    let Some(Expr::Call(inner)) = call.args.first() else {
        return false;
    };
    let Expr::Path(p) = &*inner.func else {
        return false;
    };
    let names = p.path.segments.iter().map(|s| s.ident.to_string());
    is_stop_gradient(&call.func) && names.eq(["rt", "fallible", "absent"])
}

pub(crate) fn is_with_cotangent(func: &syn::Expr) -> bool {
    matches!(func, syn::Expr::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "with_cotangent"))
}

/// Is this the attribute?
pub(crate) fn is_grad(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|s| s.ident == "grad")
}

/// `#[grad(skip)]`
fn is_skip(attr: &syn::Attribute) -> bool {
    let only = |list: &syn::MetaList| list.tokens.to_string() == "skip";
    is_grad(attr.path()) && matches!(&attr.meta, syn::Meta::List(list) if only(list))
}

/// Makes tokens of the functions of a block that it leaves without derivatives, which nothing looks at then.
pub(crate) fn leave_skipped(block: &mut syn::ItemImpl) {
    for item in &mut block.items {
        let syn::ImplItem::Fn(f) = item else { continue };
        if f.attrs.iter().any(is_skip) {
            f.attrs.retain(|a| !is_skip(a));
            *item = syn::ImplItem::Verbatim(f.to_token_stream());
        }
    }
}

/// The same of a trait.
pub(crate) fn leave_skipped_of_trait(of: &mut syn::ItemTrait) {
    for item in &mut of.items {
        let syn::TraitItem::Fn(f) = item else {
            continue;
        };
        if f.attrs.iter().any(is_skip) {
            f.attrs.retain(|a| !is_skip(a));
            *item = syn::TraitItem::Verbatim(f.to_token_stream());
        }
    }
}

/// A parameter as it stands in the user's own function.
pub(crate) fn strip(input: &mut syn::FnArg) {
    let attrs = match input {
        syn::FnArg::Receiver(receiver) => &mut receiver.attrs,
        syn::FnArg::Typed(arg) => &mut arg.attrs,
    };
    attrs.retain(|a| !a.path().is_ident("constant") && !a.path().is_ident("out"));
}

/// Removes `#[constant]` or another mark, and says whether it was there.
pub(crate) fn take_mark(name: &str, attrs: &mut Vec<syn::Attribute>, errors: &mut Errors) -> bool {
    let mut found = false;
    attrs.retain(|attr| {
        let ours = attr.path().is_ident(name);
        if ours && attr.meta.require_path_only().is_err() {
            errors.error(
                attr,
                format_args!("`#[{name}]` takes no arguments; write it alone"),
            );
        }
        found |= ours;
        !ours
    });
    found
}

/// The option of a loop, removed from it.
pub(crate) fn take(attrs: &mut Vec<syn::Attribute>) -> Option<syn::Attribute> {
    let at = attrs.iter().position(is_checkpoint)?;
    Some(attrs.remove(at))
}

/// Whether a loop has that option.
pub(crate) fn is_checkpointed(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(is_checkpoint)
}

fn is_checkpoint(attr: &syn::Attribute) -> bool {
    attr.path().is_ident("checkpoint")
}

/// Removes the options from code that is compiled as it stands, and says where the first stood.
#[derive(Default)]
pub(crate) struct Strip {
    pub(crate) found: Option<proc_macro2::Span>,
    /// Where one stood that is none of a loop.
    pub(crate) misplaced: Option<proc_macro2::Span>,
}

impl VisitMut for Strip {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<syn::Attribute>) {
        while let Some(attr) = take(attrs) {
            self.misplaced.get_or_insert(attr.span());
        }
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let attr = match e {
            Expr::ForLoop(e) => take(&mut e.attrs),
            Expr::While(e) => take(&mut e.attrs),
            Expr::Loop(e) => take(&mut e.attrs),
            _ => None,
        };
        if let Some(attr) = attr {
            self.found.get_or_insert(attr.span());
        }
        visit_mut::visit_expr_mut(self, e);
    }
}

pub(crate) fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(syn::Token![,]) {
        input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}
