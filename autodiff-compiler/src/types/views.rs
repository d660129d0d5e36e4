//! Views of matrices and arrays of other crates.

use proc_macro2::Ident;

use super::{lasting, strip};
use crate::features::features;

/// Whether a type is a view that is read, by its name.
pub(crate) fn is_view(ty: &syn::Type) -> bool {
    view_method(ty).is_some()
}

/// The method that makes such a view of what it shows.
fn view_method(ty: &syn::Type) -> Option<&'static str> {
    let syn::Type::Path(ty) = strip(ty) else {
        return None;
    };
    let name = ty.path.segments.last()?.ident.to_string();
    let sized = |name: &str, signs: &str| name.chars().all(|c| signs.contains(c));
    // `ArrayView`, `ArrayView2`, `ArrayViewD`
    let array = name.strip_prefix("ArrayView");
    if features().ndarray && array.is_some_and(|rest| sized(rest, "0123456D")) {
        return Some("view");
    }
    // `DVectorView`, `MatrixView3x4`, `RowVectorView2`
    let kind = name.trim_start_matches("Row");
    let kind = kind.trim_start_matches(['D', 'S', 'U']);
    let size = ["MatrixView", "VectorView"]
        .iter()
        .find_map(|of| kind.strip_prefix(of));
    let matrix = features().nalgebra && size.is_some_and(|size| sized(size, "123456xX"));
    matrix.then_some("as_view")
}

/// Such a view of a variable.
pub(crate) fn view_of(ty: &syn::Type, name: &Ident) -> Option<syn::Expr> {
    let method = Ident::new(view_method(ty)?, name.span());
    Some(syn::parse_quote!(#name.#method()))
}

/// The type of what such a view shows, in generated code.
pub(crate) fn shown(ty: &syn::Type) -> syn::Type {
    // It borrows nothing.
    let ty = lasting(ty);
    syn::parse_quote!(<#ty as rt::linalg::Viewed>::Shown)
}
