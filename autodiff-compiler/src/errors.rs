//! Collects every problem of a function, so that one run reports them all.

use rustc_hash::FxHashMap;
use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// The problems found so far.
#[derive(Default)]
pub(crate) struct Errors(Vec<Problem>);

struct Problem {
    error: syn::Error,
    /// What it is about, where that is more than one token.
    tokens: Option<TokenStream>,
}

impl Errors {
    /// Reports `message` on the tokens of `on`.
    pub(crate) fn error(&mut self, on: impl ToTokens, message: impl Display) {
        let tokens = on.to_token_stream();
        let error = syn::Error::new_spanned(&tokens, message);
        self.push(error, Some(tokens));
    }

    /// Reports `message` at `span`, for what has no tokens of its own.
    pub(crate) fn error_at(&mut self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message), None);
    }

    fn push(&mut self, error: syn::Error, tokens: Option<TokenStream>) {
        let same = |Problem { error: other, .. }: &Problem| {
            other.to_string() == error.to_string()
                && format!("{:?}", other.span()) == format!("{:?}", error.span())
        };
        // What is visited twice, such as a loop's body, is reported once.
        if !self.0.iter().any(same) {
            self.0.push(Problem { error, tokens });
        }
    }

    /// Calls variables by the names that the user gave them: two of one name have different ones here.
    pub(crate) fn rename(&mut self, written: &FxHashMap<String, String>) {
        for Problem { error, tokens } in &mut self.0 {
            let message = error.to_string();
            let parts = message.split('`').enumerate();
            let renamed = parts.map(|(k, part)| match written.get(part) {
                Some(name) if k % 2 == 1 => name.as_str(),
                _ => part,
            });
            let renamed = renamed.collect::<Vec<_>>().join("`");
            if renamed != message {
                *error = match tokens {
                    Some(tokens) => syn::Error::new_spanned(tokens, renamed),
                    None => syn::Error::new(error.span(), renamed),
                };
            }
        }
    }

    /// Takes over a parser's error.
    pub(crate) fn take(&mut self, error: syn::Error) {
        self.push(error, None);
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
        let errors = self.0.iter().map(|problem| &problem.error);
        errors.map(syn::Error::to_compile_error).collect()
    }

    /// The messages alone, for tests of passes.
    #[cfg(test)]
    pub(crate) fn messages(&self) -> Vec<String> {
        let errors = self.0.iter().map(|problem| &problem.error);
        errors.map(ToString::to_string).collect()
    }
}
