//! The tangent of an enum: an enum of the same variants.

use proc_macro2::TokenStream;

use super::Input;
use crate::errors::Errors;

pub(super) fn derive(input: &Input, _: &syn::DataEnum, errors: &mut Errors) -> TokenStream {
    errors.error(
        &input.item.ident,
        "an enum has no tangent yet; use a struct",
    );
    TokenStream::new()
}
