//! The types of tangents, as the signatures of derivatives write them.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use crate::function::{By, ParamInfo};
use crate::ir::Ty;
use crate::types;

/// The tangent of a written type, as it is owned.
pub(crate) fn owned(ty: &syn::Type) -> TokenStream {
    match types::strip(ty) {
        syn::Type::Slice(_) => part_owned(ty),
        _ => view(ty),
    }
}

/// The tangent of a part of a type, as it is owned.
fn part_owned(ty: &syn::Type) -> TokenStream {
    match types::strip(ty) {
        syn::Type::Slice(t) => {
            let elem = part_owned(&t.elem);
            quote!(rt::Vec<#elem>)
        }
        _ => part(ty),
    }
}

/// The tangent of a written type, as it stands behind a reference.
pub(crate) fn view(ty: &syn::Type) -> TokenStream {
    let stripped = types::strip(ty);
    // What is made of parts keeps its form, as runtime types do: a caller takes it apart.
    let parts = match stripped {
        syn::Type::Array(_) | syn::Type::Tuple(_) => true,
        syn::Type::Path(p) => {
            let last = p.path.segments.last();
            last.is_some_and(|s| s.ident == "Option" || s.ident == "Vec")
        }
        _ => false,
    };
    if types::read(stripped).is_inert() && !parts {
        return quote!(());
    }
    part(ty)
}

/// The tangent of a part of a type: what has none keeps its form there, as the tangents of tuples and lists do.
fn part(ty: &syn::Type) -> TokenStream {
    let stripped = types::strip(ty);
    match (stripped, types::read(stripped)) {
        (_, Ty::Float(_)) => stripped.to_token_stream(),
        (_, known) if known.is_inert() && known.is_scalar() => quote!(()),
        (syn::Type::Array(t), _) => {
            let (elem, len) = (part_owned(&t.elem), &t.len);
            quote!([#elem; #len])
        }
        (syn::Type::Slice(t), _) => {
            let elem = part_owned(&t.elem);
            quote!([#elem])
        }
        (syn::Type::Tuple(t), _) => {
            let parts = t.elems.iter().map(part_owned);
            quote!((#(#parts,)*))
        }
        (syn::Type::Path(p), Ty::Vec(_)) => {
            let elem = p.path.segments.last().and_then(|s| match &s.arguments {
                syn::PathArguments::AngleBracketed(args) => {
                    args.args.iter().find_map(|a| match a {
                        syn::GenericArgument::Type(t) => Some(part_owned(t)),
                        _ => None,
                    })
                }
                _ => None,
            });
            quote!(rt::Vec<#elem>)
        }
        (syn::Type::Path(p), _) if is_tangent(p) => p.to_token_stream(),
        (other, _) => {
            // No tangent borrows.
            let span = types::span_of(other);
            let other = types::lasting(other);
            quote_spanned!(span=> <#other as rt::Differentiable>::Tangent)
        }
    }
}

/// Whether a type is the tangent of another, which is its own tangent.
fn is_tangent(ty: &syn::TypePath) -> bool {
    let mut names = ty.path.segments.iter().rev().map(|s| &s.ident);
    let [last, of] = [names.next(), names.next()];
    ty.qself.is_some()
        && last.is_some_and(|name| name == "Tangent")
        && of.is_some_and(|name| name == "Differentiable")
}

/// The tangent behind a reference, with vectors as slices.
pub(super) fn buffer(ty: &syn::Type) -> TokenStream {
    match (types::strip(ty), types::read(ty)) {
        (syn::Type::Path(_), Ty::Vec(_)) => {
            let inner = vec_element(ty);
            quote!([#inner])
        }
        _ => view(ty),
    }
}

pub(super) fn vec_element(ty: &syn::Type) -> TokenStream {
    let syn::Type::Path(p) = types::strip(ty) else {
        return quote!(());
    };
    let elem = p.path.segments.last().and_then(|s| match &s.arguments {
        syn::PathArguments::AngleBracketed(args) => args.args.iter().find_map(|a| match a {
            syn::GenericArgument::Type(t) => Some(owned(t)),
            _ => None,
        }),
        _ => None,
    });
    elem.unwrap_or_else(|| quote!(()))
}

/// What has lengths to check, and what has to have the same.
pub(super) struct Lengths<'a> {
    /// How errors name it.
    pub(super) part: TokenStream,
    pub(super) value: TokenStream,
    pub(super) given: TokenStream,
    pub(super) ty: &'a syn::Type,
    /// The value itself, and not a tangent of it.
    pub(super) whole: bool,
}

impl Lengths<'_> {
    /// Compares lengths of a slice or vector, of those nested in it, and of those in types that the macro does not know.
    pub(super) fn check(&self) -> TokenStream {
        let Lengths {
            part, value, given, ..
        } = self;
        let length = quote!(rt::check_length(#part, #value.len(), #given.len()););
        match (types::strip(self.ty), types::read(self.ty)) {
            (syn::Type::Slice(t), known) if may_have_lists(&known) => self.nested(&t.elem, length),
            (syn::Type::Array(t), _) => self.nested(&t.elem, quote!()),
            (_, known @ Ty::Vec(_)) if may_have_lists(&known) => {
                match types::argument_of(self.ty) {
                    Some(elem) => self.nested(elem, length),
                    None => length,
                }
            }
            (_, Ty::Vec(_)) => quote!(),
            (_, known) if self.whole && may_have_lists(&known) => {
                quote!(rt::check_tangent(#part, &#value, &#given);)
            }
            _ => quote!(),
        }
    }

    fn nested(&self, elem: &syn::Type, length: TokenStream) -> TokenStream {
        let Lengths {
            part, value, given, ..
        } = self;
        let known = types::read(elem);
        let listed = matches!(known, Ty::Slice(_) | Ty::Array(..) | Ty::Vec(_));
        if self.whole && !listed && may_have_lists(&known) {
            return quote!(rt::check_items(#part, &#value[..], &#given[..]););
        }
        let inner = Lengths {
            part: part.clone(),
            value: quote!(a),
            given: quote!(t),
            ty: elem,
            whole: self.whole,
        };
        let inner = inner.check();
        if inner.is_empty() {
            length
        } else {
            quote!(#length for (a, t) in #value.iter().zip(#given.iter()) { #inner })
        }
    }
}

/// Whether values of a type may have lists of numbers in them.
pub(super) fn may_have_lists(ty: &Ty) -> bool {
    match ty {
        Ty::Float(_) | Ty::Int | Ty::Bool | Ty::Inert => false,
        Ty::Array(elem, _) | Ty::Option(elem) => may_have_lists(elem),
        Ty::Slice(elem) | Ty::Vec(elem) => !elem.is_inert(),
        Ty::Tuple(parts) => parts.iter().any(may_have_lists),
        Ty::Residual { .. } | Ty::Unknown | Ty::User => true,
    }
}

/// The tangent or cotangent of a `&mut` parameter: a vector may change its length.
pub(super) fn exclusive(p: &ParamInfo) -> TokenStream {
    view(&p.inner)
}

/// What a hidden form takes for a by-reference parameter.
pub(super) fn buffer_or_unit(p: &ParamInfo) -> TokenStream {
    if let Some(callable) = &p.callable {
        // The cotangents of what the function captured.
        let [_, captures] = callable.hidden();
        quote!(#captures)
    } else if p.ignored {
        quote!(dyn rt::Ignored)
    } else if p.tangible && p.by == By::Mut {
        exclusive(p)
    } else if p.tangible {
        buffer(&p.inner)
    } else {
        quote!(())
    }
}

/// What a hidden form takes or returns for a parameter that is passed by value.
pub(super) fn owned_or_unit(p: &ParamInfo) -> TokenStream {
    if p.tangible {
        owned(&p.inner)
    } else {
        quote!(())
    }
}
