//! Derivatives of a method as its siblings: the items of the `impl` block that it stands in.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

use crate::called::Called;
use crate::forms::{is_called, sibling, taken};
use crate::function::{By, GradFn, Method, ParamInfo};
use crate::types::{self, OWNER};
use crate::visit_mut::{EnterMut as _, VisitMut};

/// What the derivatives of a method become: the items of an `impl` block of the type beside a function, as siblings of the method.
pub(crate) struct Siblings<'a> {
    method: Method,
    name: &'a Ident,
    /// The first parameter is passed by value.
    by_value: bool,
    /// The block that it stands in is not known.
    lone: bool,
    /// The path of what generated code calls.
    rt: TokenStream,
    /// The lints that each cannot heed, where nothing around them says it for all.
    allowed: Option<TokenStream>,
    /// The traits whose methods it calls, where nothing around them imports these for all.
    scope: Option<syn::Stmt>,
}

/// Makes a pullback hold the type parameters of the block that a method stands in, which is not known where the method stands alone.
pub(crate) struct Holding<'a>(&'a TokenStream);

/// A body with what stands behind the names that it calls; `written` has its items.
fn alone(rt: &TokenStream, name: &Ident, written: &syn::Block, body: TokenStream) -> TokenStream {
    let mut called = Called::default();
    called.leave_items_of(written);
    let body = called.read(body);
    called.defined(name);
    if called.is_empty() {
        return body;
    }
    let around = called.around(&body, false);
    quote!({ use #rt as rt; #around })
}

/// The same of code that may call forms of the function itself.
pub(crate) fn asking(rt: &TokenStream, body: TokenStream) -> TokenStream {
    let mut called = Called::default();
    let body = called.read(body);
    let around = called.around(&body, false);
    quote!(use #rt as rt; #around)
}

/// The first thing beside a method that stands alone, for its name.
///
/// Nothing shows a method that its block is an `impl` of a trait, which has no room for siblings:
/// rustc then names each as no member of the trait, and this one says what to do.
pub(crate) fn advice(name: &Ident) -> TokenStream {
    let name = name.to_string().replace("r#", "");
    let advice = format_ident!("__in_an_impl_of_a_trait_put_grad_on_the_whole_impl__{name}");
    quote! {
        #[doc(hidden)]
        #[allow(non_upper_case_globals, unused)]
        const #advice: () = ();
    }
}

/// The form that has both names, under the other one.
pub(crate) fn other(f: &syn::ImplItemFn) -> syn::ImplItemFn {
    let (form, mut other) = (&f.sig.ident, f.clone());
    let mut args = Vec::new();
    for (k, input) in other.sig.inputs.iter_mut().enumerate() {
        let syn::FnArg::Typed(arg) = input else {
            continue;
        };
        let name = match &*arg.pat {
            syn::Pat::Ident(name) => name.ident.clone(),
            _ => format_ident!("__{k}"),
        };
        *arg.pat = syn::parse_quote!(#name);
        args.push(name);
    }
    let generics: Vec<&Ident> = types::named(&f.sig.generics).collect();
    let turbofish = (!generics.is_empty()).then(|| quote!(::<#(#generics),*>));
    other.block = syn::parse_quote!({ Self::#form #turbofish (#(#args),*) });
    other
}

impl VisitMut for Holding<'_> {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        crate::visit_mut::visit_type_mut(self, ty);
        // `impl FnOnce(…) -> … + use<>`  ⇒  `rt::holding!(FnOnce(…) -> …)`
        let syn::Type::ImplTrait(held) = &*ty else {
            return;
        };
        let named =
            |bound: &&syn::TypeParamBound| matches!(bound, syn::TypeParamBound::PreciseCapture(_));
        if held.bounds.iter().any(|bound| named(&bound)) {
            let (rt, bounds) = (self.0, held.bounds.iter().filter(|bound| !named(bound)));
            *ty = syn::Type::Verbatim(quote!(#rt::holding!(#(#bounds)+*)));
        }
    }
}

impl<'a> Siblings<'a> {
    /// Of a function, if it stands in an `impl` block.
    pub(crate) fn new(function: &'a GradFn, allowed: TokenStream) -> Option<Siblings<'a>> {
        let (krate, method) = (function.krate(), function.method?);
        let by_value = |p: &ParamInfo| p.by == By::Value;
        let apart = function.options.apart;
        Some(Siblings {
            method,
            name: &function.item.sig.ident,
            by_value: function.params.first().is_some_and(by_value),
            lone: !apart && !function.options.of_trait,
            rt: if apart {
                quote!(rt)
            } else {
                quote!(#krate::__private)
            },
            allowed: (!apart).then_some(allowed),
            scope: (!apart || crate::matrices::may_concern(function)).then(|| {
                let scope = crate::matrices::scope(function);
                syn::parse_quote!(
                    use #krate::__private::#scope::*;
                )
            }),
        })
    }

    /// The items of `block`, an `impl` block, as items of the block that the method stands in.
    pub(crate) fn of(&self, items: TokenStream) -> TokenStream {
        let parsed = syn::parse2::<syn::ItemImpl>(quote!(impl __S { #items }));
        let Ok(parsed) = parsed else {
            return items;
        };
        parsed
            .items
            .into_iter()
            .map(|item| self.item(item))
            .collect()
    }

    fn item(&self, item: syn::ImplItem) -> TokenStream {
        match item {
            syn::ImplItem::Fn(f) => {
                let form = f.sig.ident.to_string();
                if self.has_two_names(&form) {
                    let other = other(&f);
                    let (one, other) =
                        (self.function(f, &form), self.function(other, &taken(&form)));
                    return quote!(#one #other);
                }
                self.function(f, &form)
            }
            // Items behind a feature.
            syn::ImplItem::Macro(m) => {
                let inner = self.of(m.mac.tokens);
                let path = self.rename(m.mac.path.to_token_stream());
                quote!(#path! { #inner })
            }
            other => self.rename(other.to_token_stream()),
        }
    }

    /// Whether a form is called by either name. Only that which is called where it is known that the first argument is lent has one.
    fn has_two_names(&self, form: &str) -> bool {
        let known = form.ends_with("fwd") && !self.by_value;
        is_called(form) && !self.method.owned && !known
    }

    /// A function of the block of the derivatives, as a sibling.
    fn function(&self, mut f: syn::ImplItemFn, form: &str) -> TokenStream {
        f.sig.ident = self.named(form);
        let written = f.block.clone();
        let first = f.sig.inputs.first_mut();
        if let (true, Some(syn::FnArg::Typed(first))) = (self.method.receiver, first) {
            if let syn::Pat::Ident(p) = &*first.pat {
                let this = p.ident.clone();
                if this.to_string().starts_with("self_") {
                    let (ty, own) = (&first.ty, types::unvouched(&first.ty));
                    let here = Ident::new("self", Span::mixed_site());
                    let receiver: syn::FnArg = syn::parse_quote!(#here: #own);
                    let known = (**ty != own).then(|| quote!(: #ty));
                    f.block
                        .stmts
                        .insert(0, syn::parse_quote!(let #this #known = #here;));
                    f.sig.inputs[0] = receiver;
                }
            }
        }
        if self.lone {
            Holding(&self.rt).visit_return_type_mut(&mut f.sig.output);
        }
        if let Some(scope) = &self.scope {
            f.block.stmts.insert(0, scope.clone());
        }
        let allowed = &self.allowed;
        let body = self.rename(f.block.to_token_stream());
        // Where nothing is around them all, each says for itself what stands behind the names that it calls.
        let body = match allowed {
            Some(_) => alone(&self.rt, self.name, &written, body),
            None => body,
        };
        let head = syn::ImplItemFn {
            block: syn::parse_quote!({}),
            ..f
        };
        let (attrs, vis, sig) = (&head.attrs, &head.vis, head.sig.to_token_stream());
        let sig = self.rename(sig);
        let tokens = quote!(#(#attrs)* #vis #sig #body);
        quote!(#allowed #tokens)
    }

    /// Of a method that takes its receiver by value, the forms that borrow it have the plain names.
    fn named(&self, form: &str) -> Ident {
        if self.method.owned && !self.method.lent {
            sibling(&taken(form), self.name)
        } else {
            sibling(form, self.name)
        }
    }

    /// `Self::fwd` names a sibling, `rt` is a path, and the type is `Self` again.
    fn rename(&self, tokens: TokenStream) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is = |k: usize, c: char| matches!(tokens.get(k), Some(TokenTree::Punct(p)) if p.as_char() == c);
        let mut out = TokenStream::new();
        for (k, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Ident(ident)
                    if ident == "rt"
                        && is(k + 1, ':')
                        && is(k + 2, ':')
                        && !(k > 1 && is(k - 1, ':') && is(k - 2, ':')) =>
                {
                    out.extend(self.rt.clone());
                }
                TokenTree::Ident(ident) if ident == OWNER => {
                    out.extend([TokenTree::Ident(Ident::new("Self", ident.span()))]);
                }
                TokenTree::Ident(ident)
                    if k >= 3
                        && is(k - 1, ':')
                        && is(k - 2, ':')
                        && matches!(&tokens[k - 3], TokenTree::Ident(owner) if owner == "Self") =>
                {
                    let mut sibling = self.named(&ident.to_string());
                    sibling.set_span(ident.span());
                    out.extend([TokenTree::Ident(sibling)]);
                }
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.rename(group.stream()));
                    inner.set_span(group.span());
                    out.extend([TokenTree::Group(inner)]);
                }
                other => out.extend([other.clone()]),
            }
        }
        out
    }
}
