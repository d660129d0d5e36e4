//! Collects every problem of a function, so that one run reports them all.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// The problems found so far.
#[derive(Default)]
pub(crate) struct Errors(Vec<syn::Error>);

impl Errors {
    /// Reports `message` on the tokens of `on`.
    pub(crate) fn error(&mut self, on: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(on, message));
    }

    /// Reports `message` at `span`, for what has no tokens of its own.
    pub(crate) fn error_at(&mut self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    fn push(&mut self, error: syn::Error) {
        let same = |other: &syn::Error| {
            other.to_string() == error.to_string()
                && format!("{:?}", other.span()) == format!("{:?}", error.span())
        };
        // What is visited twice, such as a loop's body, is reported once.
        if !self.0.iter().any(same) {
            self.0.push(error);
        }
    }

    /// Takes over a parser's error.
    pub(crate) fn take(&mut self, error: syn::Error) {
        self.push(error);
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Forgets all but the first `count` problems: the others only follow from them.
    pub(crate) fn forget(&mut self, count: usize) {
        self.0.truncate(count);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `compile_error!` invocations, one per problem.
    pub(crate) fn to_tokens(&self) -> TokenStream {
        self.0.iter().map(syn::Error::to_compile_error).collect()
    }

    /// The messages alone, for tests of passes.
    #[cfg(test)]
    pub(crate) fn messages(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }
}
