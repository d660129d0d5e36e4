//! Types that are vouched for: where one has no derivative, a constant says so, and nothing else does.
//!
//! What stands for the type is the type itself if the constant could be computed; else it is what rustc takes without another error.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote_spanned};
use syn::visit_mut::{self, VisitMut};

use crate::attr::{self, GradFn, Options};
use crate::emit::located_at;
use crate::impls;
use crate::method;
use crate::types;

/// The function with such types in its signature, and what vouches for them.
pub(crate) fn vouched(function: &GradFn) -> GradFn {
    let mut vouch = Vouch {
        function,
        of: Vec::new(),
        items: TokenStream::new(),
    };
    let mut out = function.clone();
    let params = out.params.iter_mut();
    for p in params.filter(|p| p.active && p.tangible && p.callable.is_none()) {
        vouch.visit_type_mut(&mut p.inner);
        vouch.visit_type_mut(&mut p.passed);
        vouch.visit_type_mut(&mut p.again);
    }
    if let Some(ret) = &mut out.ret {
        vouch.visit_type_mut(ret);
    }
    out.vouched = vouch.items;
    out
}

/// Which types of a method are vouched for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Vouched {
    /// None: there is no place for what vouches.
    #[default]
    None,
    /// That of its block.
    Own,
    /// Those of a function.
    All,
}

/// What vouches for the type of a block that has no parameters, if a method of the block needs its derivative.
pub(crate) fn own(options: &Options, block: &syn::ItemImpl) -> (Vouched, TokenStream) {
    let needs = |item: &syn::ImplItem| {
        let syn::ImplItem::Fn(f) = item else {
            return false;
        };
        let constant = |r: &syn::Receiver| r.attrs.iter().any(|a| a.path().is_ident("constant"));
        let mut marks = f.attrs.iter().filter(|a| attr::is_grad(a.path()));
        // Options may say that the receiver is none of the variables.
        let plain = marks.all(|a| matches!(a.meta, syn::Meta::Path(_)));
        plain && impls::worthwhile(&f.sig) && f.sig.receiver().is_some_and(|r| !constant(r))
    };
    let needed = options.wrt.is_none() && block.items.iter().any(needs);
    if block.generics.params.is_empty() && needed {
        let item = item(types::VOUCHED, &block.self_ty);
        (Vouched::Own, item)
    } else {
        Default::default()
    }
}

/// What makes rustc look at a type, and say so there if it has no derivative.
fn item(name: &str, ty: &syn::Type) -> TokenStream {
    let (name, span) = (format_ident!("{name}"), types::span_of(ty));
    let ty = located_at(types::lasting(ty).into_token_stream(), span);
    quote_spanned! {span=>
        #[allow(dead_code)]
        type #name<T> = rt::Vouched<{ let _ = <#ty as rt::Differentiable>::zero_tangent; true }, T>;
    }
}

struct Vouch<'a> {
    function: &'a GradFn,
    /// The types, as they are written.
    of: Vec<String>,
    items: TokenStream,
}

impl Vouch<'_> {
    /// Whether a type is one of the user's own, and the same wherever it stands.
    fn is_closed(&self, ty: &syn::TypePath) -> bool {
        let function = self.function;
        let generics = &function.item.sig.generics;
        let tokens = ty.to_token_stream();
        types::read(&syn::Type::Path(ty.clone())).is_user()
            && ty.qself.is_none()
            && !types::is_transparent(ty)
            && !types::named(generics).any(|name| types::mentions(&tokens, name))
    }

    /// The name of what vouches for it.
    fn name(&mut self, ty: &syn::TypePath) -> Option<String> {
        match self.function.method.map(|_| self.function.options.vouched) {
            Some(Vouched::None) => return None,
            Some(Vouched::Own) => {
                let own = ty.path.is_ident(method::OWNER);
                return own.then(|| types::VOUCHED.to_owned());
            }
            Some(Vouched::All) | None if !self.is_closed(ty) => return None,
            Some(Vouched::All) | None => {}
        }
        let written = ty.to_token_stream().to_string();
        let known = self.of.iter().position(|known| *known == written);
        let name = |k: usize| format!("{}{k}", types::VOUCHED);
        Some(name(known.unwrap_or_else(|| {
            let k = self.of.len();
            self.items
                .extend(item(&name(k), &syn::Type::Path(ty.clone())));
            self.of.push(written);
            k
        })))
    }
}

impl VisitMut for Vouch<'_> {
    fn visit_type_path_mut(&mut self, ty: &mut syn::TypePath) {
        match self.name(ty) {
            Some(name) => {
                let name = format_ident!("{name}");
                *ty = syn::parse_quote!(#name<#ty>);
            }
            // What else holds a type may ask for something else of it.
            None if types::is_transparent(ty) => visit_mut::visit_type_path_mut(self, ty),
            None => {}
        }
    }
}
