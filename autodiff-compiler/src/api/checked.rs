//! Calls of the user's own derivatives: of another signature than expected, they are one error that shows it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::Pieces;
use super::forward::tangents;
use crate::function::By;
use crate::text::of_type;
use crate::types;
use crate::visit_mut::VisitMut;

/// `__pull`: the value and the pullback by `path`.
pub(super) fn pull(pieces: &Pieces<'_>, path: &syn::Path) -> TokenStream {
    let (ret, tangent, gradient) = (pieces.result(), pieces.result_tangent(), pieces.gradient());
    // Without references there is nothing that the pullback could borrow.
    let borrows = pieces.params().any(|(_, p)| p.by != By::Value);
    let captures = (!borrows).then(|| {
        let captures = &pieces.captures;
        quote!(+ use<#captures>)
    });
    let pullback = quote!(FnOnce(#tangent) -> #gradient);
    let check = Check {
        option: "vjp",
        shown: quote!((#ret, impl #pullback)),
        made: quote!((#ret, __B)),
        pullback: Some(pullback.clone()),
        output: quote!((#ret, impl #pullback #captures)),
    };
    let result = quote! {
        let (value, back) = called;
        (value, move |seed: #tangent| -> #gradient { back(seed) })
    };
    check.function("__pull", pieces, path, None, &result)
}

/// `__pull` by two functions: one that saves, and one that is given that.
pub(super) fn pull_saved(pieces: &Pieces<'_>, fwd: &syn::Path, rev: &syn::Path) -> TokenStream {
    let (ret, tangent, gradient) = (pieces.result(), pieces.result_tangent(), pieces.gradient());
    let (generics, clause, captures) = (&pieces.generics, &pieces.clause, &pieces.captures);
    let (inputs, args) = (pieces.inputs(), pieces.args());
    quote! {
        #[inline]
        fn __pull #generics (#(#inputs),*) -> (#ret, impl FnOnce(#tangent) -> #gradient + use<#captures>) #clause {
            let (value, saved): (#ret, _) = #fwd(#(#args),*);
            (value, move |seed: #tangent| -> #gradient { #rev(&saved, seed) })
        }
    }
}

/// `__push`: the value and its tangent by `path`.
pub(super) fn push(pieces: &Pieces<'_>, path: &syn::Path) -> TokenStream {
    let (ret, tangent) = (pieces.result(), pieces.result_tangent());
    let output = quote!((#ret, #tangent));
    let check = Check {
        option: "jvp",
        shown: output.clone(),
        made: output.clone(),
        pullback: None,
        output,
    };
    check.function(
        "__push",
        pieces,
        path,
        Some(tangents(pieces).1),
        &quote!(called),
    )
}

/// A call that goes through a trait, which says in its error what is expected.
///
/// rustc reports the trait itself as missing, and not the bound that does not hold, if there are two ways to have it; the second is never true.
struct Check {
    option: &'static str,
    /// The result that an error shows.
    shown: TokenStream,
    /// The result of the user's function, where `__B` is the pullback.
    made: TokenStream,
    pullback: Option<TokenStream>,
    output: TokenStream,
}

impl Check {
    fn function(
        &self,
        name: &str,
        pieces: &Pieces<'_>,
        path: &syn::Path,
        tangents: Option<TokenStream>,
        result: &TokenStream,
    ) -> TokenStream {
        let name = Ident::new(name, Span::mixed_site());
        let (message, label) = self.message(pieces, path, tangents.as_ref());
        let Signature {
            lifetimes,
            names,
            types,
        } = Signature::new(pieces, tangents);
        let clause = &pieces.clause;
        let params: Vec<_> = pieces.function.item.sig.generics.params.iter().collect();
        let given: Vec<TokenStream> = params.iter().map(|p| argument(p)).collect();
        let kinds = params.iter().filter_map(|p| match p {
            syn::GenericParam::Lifetime(_) => None,
            p => Some(argument(p)),
        });
        let bounds: Vec<_> = clause.iter().flat_map(|c| c.predicates.iter()).collect();
        let (output, made, ret) = (&self.output, &self.made, pieces.result());
        let (declared, set, bound, generic, of) = match &self.pullback {
            Some(pullback) => (
                Some(quote!(type Back: #pullback;)),
                Some(quote!(
                    type Back = __B;
                )),
                Some(quote!(__B: #pullback,)),
                Some(quote!(, __B)),
                quote!((#ret, Self::Back)),
            ),
            None => (None, None, None, None, made.clone()),
        };
        let back = self.pullback.as_ref().map(|_| quote!(<Back = __B>));
        quote! {
            #[inline]
            fn #name<#(#lifetimes,)* #(#params),*>(#(#names: #types),*) -> #output #clause {
                struct Given;
                struct Never;
                trait Impossible { type Back; }
                #[diagnostic::on_unimplemented(message = #message, label = #label, note = "found `{Self}`")]
                trait Derivative<#(#lifetimes,)* #(#params,)* __K> #clause {
                    #declared
                    fn call(self, #(#names: #types),*) -> #of;
                }
                impl<#(#lifetimes,)* #(#params,)* __F #generic> Derivative<#(#lifetimes,)* #(#given,)* Given> for __F
                where
                    __F: FnOnce(#(#types),*) -> #made,
                    #bound
                    #(#bounds),*
                {
                    #set
                    #[inline]
                    fn call(self, #(#names: #types),*) -> #of { self(#(#names),*) }
                }
                impl<#(#lifetimes,)* #(#params,)* __F: Impossible #back #generic> Derivative<#(#lifetimes,)* #(#given,)* Never> for __F
                where
                    #bound
                    #(#bounds),*
                {
                    #set
                    #[inline]
                    fn call(self, #(#names: #types),*) -> #of { ::core::unreachable!() }
                }
                let called = Derivative::<#(#kinds,)* _>::call(#path, #(#names),*);
                #result
            }
        }
    }

    /// Which function is wrong, and the signature that it should have.
    fn message(
        &self,
        pieces: &Pieces<'_>,
        path: &syn::Path,
        tangents: Option<&TokenStream>,
    ) -> (String, String) {
        let plain = |tokens: &dyn ToTokens| {
            let written = types::unspelled(tokens.to_token_stream());
            let text = of_type(&written).replace("rt::", "");
            text.replace("- >", "->")
        };
        let args = pieces.function.params.iter();
        let mut args: Vec<String> = args
            .map(|p| format!("{}: {}", p.name, plain(&p.written)))
            .collect();
        args.extend(tangents.map(|ty| format!("tangents: {}", plain(ty))));
        let last = path.segments.last().map(|s| s.ident.to_string());
        let escape = |text: String| text.replace('{', "{{").replace('}', "}}");
        let function = &pieces.function.item.sig.ident;
        let message = format!(
            "`{}` does not have the signature that `{} = …` of `{function}` needs",
            plain(path),
            self.option
        );
        let label = format!(
            "expected `fn {}({}) -> {}`",
            last.unwrap_or_default(),
            args.join(", "),
            plain(&self.shown)
        );
        (escape(message), escape(label))
    }
}

/// A generic parameter as an argument.
fn argument(p: &syn::GenericParam) -> TokenStream {
    match p {
        syn::GenericParam::Type(p) => p.ident.to_token_stream(),
        syn::GenericParam::Const(p) => p.ident.to_token_stream(),
        syn::GenericParam::Lifetime(p) => p.lifetime.to_token_stream(),
    }
}

/// The parameters of the function, and of its derivative, with a name for every lifetime.
struct Signature {
    lifetimes: Vec<syn::Lifetime>,
    names: Vec<Ident>,
    types: Vec<TokenStream>,
}

impl Signature {
    fn new(pieces: &Pieces<'_>, tangents: Option<TokenStream>) -> Signature {
        let mut names: Vec<Ident> = pieces.names.clone();
        let mut lifetimes = Lifetimes(Vec::new());
        let written = pieces.params().map(|(_, p)| p.written.clone());
        let mut types: Vec<syn::Type> = written.collect();
        if let Some(ty) = tangents {
            names.push(Ident::new("tangents", Span::mixed_site()));
            types.push(syn::parse2(ty.clone()).unwrap_or(syn::Type::Verbatim(ty)));
        }
        types.iter_mut().for_each(|ty| lifetimes.visit_type_mut(ty));
        Signature {
            lifetimes: lifetimes.0,
            names,
            types: types.iter().map(ToTokens::to_token_stream).collect(),
        }
    }
}

/// Gives every elided lifetime a name.
struct Lifetimes(Vec<syn::Lifetime>);

impl Lifetimes {
    fn fresh(&mut self) -> syn::Lifetime {
        let name = format_ident!("l{}", self.0.len());
        let lifetime = syn::Lifetime::new(&format!("'__{name}"), Span::mixed_site());
        self.0.push(lifetime.clone());
        lifetime
    }
}

impl VisitMut for Lifetimes {
    fn visit_type_reference_mut(&mut self, t: &mut syn::TypeReference) {
        if t.lifetime.is_none() {
            t.lifetime = Some(self.fresh());
        }
        crate::visit_mut::visit_type_reference_mut(self, t);
    }

    fn visit_lifetime_mut(&mut self, l: &mut syn::Lifetime) {
        if l.ident == "_" {
            *l = self.fresh();
        }
    }
}
