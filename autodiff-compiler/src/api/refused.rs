//! The mode that a function lacks whose derivative the user gave for the other one.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::Pieces;
use crate::function::GradFn;
use crate::own;

/// Why there is no derivative of one mode.
pub(crate) struct Refusal {
    message: String,
    label: &'static str,
    note: String,
}

/// The modes that are not there.
#[derive(Default)]
pub(crate) struct Refused {
    pub(crate) forward: Option<Refusal>,
    pub(crate) reverse: Option<Refusal>,
}

impl Refused {
    pub(super) fn new(function: &GradFn) -> Refused {
        let own = &function.options.own;
        let name = &function.item.sig.ident;
        let text = |path: &syn::Path| crate::text::tidy(&path.to_token_stream().to_string());
        let endless = function
            .params
            .iter()
            .find(|p| p.active && !own::is_countable(&p.inner));
        match (own.vjp(), own.jvp(), endless) {
            // Both functions have derivatives themselves.
            (Some(_), None, _) if own.rev().is_some() && function.options.order > 1 => {
                Refused::default()
            }
            (Some(p), None, _) => Refused {
                forward: Some(Refusal {
                    message: format!(
                        "`{name}` has no forward mode: `vjp = {}` gives reverse mode alone",
                        match own.rev() {
                            Some(rev) => format!("({}, {})", text(p), text(rev)),
                            None => text(p),
                        }
                    ),
                    label: "this needs forward mode",
                    note: format!(
                        "add `jvp = …` to the `#[grad(…)]` of `{name}`, or use reverse mode: `grad`, `vjp`, `pullback`, `jacrev`"
                    ),
                }),
                reverse: None,
            },
            (None, Some(q), Some(param)) => Refused {
                forward: None,
                reverse: Some(Refusal {
                    message: format!(
                        "`{name}` has no reverse mode: `jvp = {}` gives forward mode alone, and `{}` has a length that only shows at run time",
                        text(q),
                        param.name
                    ),
                    label: "this needs reverse mode",
                    note: format!(
                        "add `vjp = …` to the `#[grad(…)]` of `{name}`, or use forward mode: `jvp`, `jacfwd`"
                    ),
                }),
            },
            _ => Refused::default(),
        }
    }
}

impl Refusal {
    /// Public functions of these names, which cannot be called; each takes so many arguments more than the function.
    pub(super) fn functions(
        &self,
        pieces: &Pieces<'_>,
        marker: &str,
        forms: &[(&str, usize, TokenStream)],
    ) -> TokenStream {
        let vis = &pieces.function.item.vis;
        let marker = Ident::new(marker, Span::mixed_site());
        let forms = forms.iter().map(|(name, more, output)| {
            let name = format_ident!("{name}");
            let params = pieces.names.iter().enumerate().map(|(k, name)| match k {
                0 => quote!(#name: impl #marker),
                _ => quote!(#name: impl ::core::marker::Sized),
            });
            let more = (0..*more).map(|k| {
                let name = format_ident!("more{k}");
                quote!(#name: impl ::core::marker::Sized)
            });
            let doc = &self.message;
            let output = if pieces.function.item.sig.generics.params.is_empty() {
                output.clone()
            } else {
                quote!(())
            };
            quote! {
                #[doc = #doc]
                #[inline]
                #vis fn #name(#(#params,)* #(#more),*) -> #output { ::core::unreachable!() }
            }
        });
        forms.collect()
    }

    /// The trait that no argument implements, which says why.
    pub(super) fn marker(&self, marker: &str) -> TokenStream {
        let marker = Ident::new(marker, Span::mixed_site());
        let escape = |text: &str| text.replace('{', "{{").replace('}', "}}");
        let (message, label, note) = (escape(&self.message), self.label, escape(&self.note));
        quote! {
            #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
            pub trait #marker {}
        }
    }
}
