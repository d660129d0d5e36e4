//! `#[grad] impl From<X> for T`: a type is made from many others, so the forms of each such function are those of a trait of the runtime, which has the type `X` as well.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use crate::errors::Errors;
use crate::forms;
use crate::function::{self, Options};
use crate::traits;
use crate::types;
use crate::visit_mut::{self, EnterMut as _, VisitMut};

/// The type in `From<X>`.
pub(crate) fn source(path: &syn::Path) -> Option<&syn::Type> {
    let last = path.segments.last().filter(|last| last.ident == "From")?;
    let syn::PathArguments::AngleBracketed(args) = &last.arguments else {
        return None;
    };
    match args.args.first()? {
        syn::GenericArgument::Type(ty) if args.args.len() == 1 => Some(ty),
        _ => None,
    }
}

/// A form of the trait: of which form of the function it has the body, its order, and its signature in the words of the trait.
struct Form {
    of: &'static str,
    name: &'static str,
    order: u32,
    generics: TokenStream,
    inputs: Vec<TokenStream>,
    output: TokenStream,
}

/// The forms of `T::from(x)` where `x` has the type `from`, and the trait that has them.
fn forms(from: &syn::Type, captured: &[TokenStream]) -> (TokenStream, Vec<Form>) {
    let form = |of, name, order, inputs, output| Form {
        of,
        name,
        order,
        generics: TokenStream::new(),
        inputs,
        output,
    };
    let dy = quote!(<Self as rt::Differentiable>::Tangent);
    let captures = quote!(use<#(#captured),*>);
    let syn::Type::Reference(lent) = from else {
        let dx = quote!(<#from as rt::Differentiable>::Tangent);
        let list = vec![
            form(
                "__jvp",
                "__taken_jvp_from",
                1,
                vec![quote!(#from), dx.clone()],
                quote!((Self, #dy)),
            ),
            form(
                "__fwd",
                "__taken_fwd_from",
                1,
                vec![quote!(#from)],
                quote!((Self, impl FnOnce(#dy) -> (#dx,) + #captures)),
            ),
            form(
                "__jvp_fwd",
                "__taken_jvp_fwd_from",
                2,
                vec![quote!(#from), dx.clone()],
                quote!((Self, #dy, impl FnOnce(#dy, #dy) -> ((#dx,), (#dx,)) + #captures)),
            ),
        ];
        return (quote!(rt::conversions::MadeFrom<#from>), list);
    };
    let lent = &lent.elem;
    let lanes = crate::forms::lanes();
    let mut each = form(
        "__each_fwd",
        "__each_fwd_from",
        2,
        vec![
            quote!(&#lent),
            quote!(rt::lanes::Width<#lanes>),
            quote!([&Self::Dot; #lanes]),
        ],
        quote!((Self, [#dy; #lanes], impl FnOnce(#dy, [#dy; #lanes], &#lent, [&Self::Dot; #lanes], &mut Self::Dot, [&mut Self::Dot; #lanes]) -> ((), ()) + use<#(#captured,)* #lanes>)),
    );
    each.generics = quote!(<const #lanes: usize>);
    let list = vec![
        form(
            "__zero_0",
            "__zero_0_from",
            1,
            vec![quote!(&#lent)],
            quote!(Self::Zero),
        ),
        form(
            "__jvp",
            "__jvp_from",
            1,
            vec![quote!(&#lent), quote!(&Self::Dot)],
            quote!((Self, #dy)),
        ),
        form(
            "__fwd",
            "__fwd_from",
            1,
            vec![quote!(&#lent)],
            quote!((Self, impl FnOnce(#dy, &#lent, &mut Self::Dot) + #captures)),
        ),
        form(
            "__jvp_fwd",
            "__jvp_fwd_from",
            2,
            vec![quote!(&#lent), quote!(&Self::Dot)],
            quote!((Self, #dy, impl FnOnce(#dy, #dy, &#lent, &Self::Dot, &mut Self::Dot, &mut Self::Dot) -> ((), ()) + #captures)),
        ),
        each,
    ];
    (quote!(rt::conversions::MadeFromLent<#lent>), list)
}

/// The trait of the runtime, filled with the forms of the function.
pub(crate) fn filled(
    options: &Options,
    block: &syn::ItemImpl,
    (from, path): (&syn::Type, &syn::Path),
    (function, siblings): (&syn::Signature, TokenStream),
    errors: &mut Errors,
) -> TokenStream {
    let (krate, order) = (function::krate(options), options.order.clamp(1, 2));
    let mut generics = block.generics.clone();
    keep_mentioned(&mut generics, from, &block.self_ty);
    let captured: Vec<TokenStream> = captured(&generics);
    let (of, wanted) = forms(from, &captured);
    let made = traits::forms(siblings, &[function], errors);
    let mut items = TokenStream::new();
    let mut tangents = None;
    for form in wanted.iter().filter(|form| form.order <= order) {
        let name = format_ident!("{}_from", form.of);
        let Some(found) = made.iter().find(|f| f.function.sig.ident == name) else {
            continue;
        };
        let mut function = found.function.clone();
        // Lifetimes of the function's own say how its parameters are spelled, and nothing of their types.
        let lifetimes = function.sig.generics.lifetimes();
        let own = lifetimes.map(|l| l.lifetime.ident.clone()).collect();
        Spelled(own).visit_impl_item_fn_mut(&mut function);
        // What the type parameters have to be, the function cannot say here.
        if let Some(clause) = function.sig.generics.where_clause.take() {
            let given = &mut generics.make_where_clause().predicates;
            let more = clause.predicates.into_iter();
            let more: Vec<_> = more.filter(|p| !given.iter().any(|q| p == q)).collect();
            given.extend(more);
        }
        if let (syn::Type::Reference(lent), "__jvp") = (from, form.of) {
            tangents = lent_tangent(&function.sig).map(|dot| {
                let lent = &lent.elem;
                quote!(type Dot = #dot; type Zero = <#lent as rt::Differentiable>::Tangent;)
            });
        }
        let of = &of;
        Qualify { of, forms: &wanted }.visit_block_mut(&mut function.block);
        let names = function.sig.inputs.iter().map(|input| match input {
            syn::FnArg::Typed(arg) => arg.pat.to_token_stream(),
            syn::FnArg::Receiver(receiver) => receiver.self_token.to_token_stream(),
        });
        let name = format_ident!("{}", form.name);
        let (
            Form {
                generics,
                inputs,
                output,
                ..
            },
            body,
        ) = (form, &function.block);
        items.extend(quote! {
            #[inline]
            fn #name #generics (#(#names: #inputs),*) -> #output #body
        });
    }
    let allowed: TokenStream = forms::ALLOWED.parse().unwrap_or_default();
    let conditions = block.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    let ty = &block.self_ty;
    let span = function.ident.span();
    let mut plain = path.clone();
    if let (syn::Type::Reference(lent), Some(last)) = (from, plain.segments.last_mut()) {
        let lent = &lent.elem;
        last.arguments = syn::PathArguments::AngleBracketed(syn::parse_quote!(<&#lent>));
    }
    // The type may have a function of its own of that name.
    let alike = quote_spanned!(span=> rt::conversions::same(<#ty>::from, <#ty as #plain>::from));
    let (generics, _, clause) = generics.split_for_impl();
    quote! {
        #(#conditions)*
        #allowed
        const _: () = {
            use #krate::__private as rt;
            use #krate::__private::scope::*;
            impl #generics #of for #ty #clause {
                type Order = rt::conversions::UpTo<#order>;
                #tangents
                #items
                fn __alike() { #alike; }
            }
        };
    }
}

/// The type of the tangent that is lent beside what is lent.
fn lent_tangent(jvp: &syn::Signature) -> Option<&syn::Type> {
    match jvp.inputs.iter().nth(1)? {
        syn::FnArg::Typed(arg) => match &*arg.ty {
            syn::Type::Reference(dot) => Some(&dot.elem),
            _ => None,
        },
        syn::FnArg::Receiver(_) => None,
    }
}

/// The lifetime of what is lent is no parameter of the trait.
fn keep_mentioned(generics: &mut syn::Generics, from: &syn::Type, ty: &syn::Type) {
    let from = match from {
        syn::Type::Reference(lent) => lent.elem.to_token_stream(),
        ty => ty.to_token_stream(),
    };
    let types = quote!(#from #ty);
    let params = std::mem::take(&mut generics.params).into_iter();
    generics.params = params
        .filter(|param| match param {
            syn::GenericParam::Lifetime(l) => types::mentions(&types, &l.lifetime.ident),
            _ => true,
        })
        .collect();
}

/// What the type of a pullback may mention of the parameters of its block, lifetimes first.
fn captured(generics: &syn::Generics) -> Vec<TokenStream> {
    let lifetimes = generics.lifetimes().map(|l| l.lifetime.to_token_stream());
    lifetimes
        .chain(types::named(generics).map(ToTokens::to_token_stream))
        .collect()
}

/// Forgets the lifetimes of these names.
struct Spelled(Vec<Ident>);

impl VisitMut for Spelled {
    fn visit_lifetime_mut(&mut self, lifetime: &mut syn::Lifetime) {
        if self.0.contains(&lifetime.ident) {
            lifetime.ident = Ident::new("static", lifetime.ident.span());
        }
    }
}

/// The forms of the type are those of the trait.
struct Qualify<'a> {
    of: &'a TokenStream,
    forms: &'a [Form],
}

impl VisitMut for Qualify<'_> {
    fn visit_expr_path_mut(&mut self, e: &mut syn::ExprPath) {
        visit_mut::visit_expr_path_mut(self, e);
        let segments = &e.path.segments;
        if e.qself.is_some() || segments.len() != 2 || segments[0].ident != "Self" {
            return;
        }
        let called = segments[1].ident.to_string();
        let form = self.forms.iter().find(|form| {
            let of = called.strip_suffix("_from");
            of == Some(form.of)
        });
        if let Some(form) = form {
            let (of, name): (_, Ident) = (self.of, format_ident!("{}", form.name));
            *e = syn::parse_quote!(<Self as #of>::#name);
        }
    }
}
