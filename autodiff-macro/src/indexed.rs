//! Types of one's own with an index of several parts: `m[(i, j)]` is a method that `#[grad] impl Index<(usize, usize)>` defines.

use proc_macro2::{Ident, Span};
use syn::{Expr, Stmt, parse_quote};

use crate::types;

/// The name of the function that reads what is at an index of some parts. It is what an error shows if there is none.
pub(crate) fn reader(parts: usize, span: Span) -> Ident {
    Ident::new(&format!("of_grad_impl_Index_{parts}"), span)
}

/// The name of the function that writes it.
pub(crate) fn writer(parts: usize, span: Span) -> Ident {
    Ident::new(&format!("set_by_grad_impl_IndexMut_{parts}"), span)
}

/// The function that an `impl` of `Index` or `IndexMut` defines, as one of the type's own; none for other traits, and where what is there is no number.
pub(crate) fn function(path: &syn::Path, block: &syn::ItemImpl) -> Option<syn::ImplItemFn> {
    let of = path.segments.last()?;
    let writes = match of.ident.to_string().as_str() {
        "Index" => false,
        "IndexMut" => true,
        _ => return None,
    };
    let syn::PathArguments::AngleBracketed(args) = &of.arguments else {
        return None;
    };
    let Some(syn::GenericArgument::Type(syn::Type::Tuple(parts))) = args.args.first() else {
        return None;
    };
    let mut f = block.items.iter().find_map(|item| match item {
        syn::ImplItem::Fn(f) => Some(f.clone()),
        _ => None,
    })?;
    let syn::ReturnType::Type(_, ty) = &f.sig.output else {
        return None;
    };
    let syn::Type::Reference(output) = &**ty else {
        return None;
    };
    let output = output.elem.clone();
    // What `IndexMut` gives, `Index` may know alone.
    let number = types::read(&output).is_scalar()
        || is_parameter(&output, &block.generics)
        || writes && matches!(&*output, syn::Type::Path(p) if p.qself.is_some());
    if !number || f.sig.inputs.len() != 2 {
        return None;
    }
    let Some(Stmt::Expr(tail, None)) = f.block.stmts.last_mut() else {
        return None;
    };
    let place: Expr = match &*tail {
        Expr::Reference(r) => (*r.expr).clone(),
        e => parse_quote!(*(#e)),
    };
    if writes {
        *tail = parse_quote!(#place = value);
        f.sig.inputs.push(parse_quote!(value: #output));
        f.sig.output = syn::ReturnType::Default;
        f.sig.ident = writer(parts.elems.len(), Span::call_site());
    } else {
        *tail = place;
        f.sig.output = parse_quote!(-> #output);
        f.sig.ident = reader(parts.elems.len(), Span::call_site());
    }
    f.attrs.push(parse_quote!(#[doc(hidden)]));
    f.attrs
        .push(parse_quote!(#[allow(dead_code, non_snake_case)]));
    f.vis = parse_quote!(pub);
    Some(f)
}

fn is_parameter(ty: &syn::Type, generics: &syn::Generics) -> bool {
    let syn::Type::Path(p) = ty else { return false };
    generics
        .type_params()
        .any(|param| p.path.is_ident(&param.ident))
}
