//! A method that takes `self` by value, as its callers write it: `v.sq()` lends the receiver to the hidden forms, whatever the method does with it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::refused::Refused;
use super::second::closure_inputs;
use super::{Bodies, GradientBody, OrderBodies, Pieces, api, prefixed};
use crate::forms::{form_name, taken};
use crate::function::{By, GradFn};
use crate::second::{Several, dotted};

/// A method that takes its receiver by value as one that is lent it.
pub(super) fn function(function: &GradFn) -> Option<GradFn> {
    let mut lent = function.clone();
    let method = lent.method.as_mut().filter(|m| m.owned && !m.lent)?;
    method.lent = true;
    let receiver = lent.params.first_mut()?;
    let (passed, again) = (&receiver.passed, &receiver.again);
    receiver.passed = syn::parse_quote!(&#passed);
    receiver.again = syn::parse_quote!(&#again);
    receiver.written = receiver.again.clone();
    receiver.by = By::Ref;
    Some(lent)
}

/// The forms with the receiver behind a reference, made from those that take it by value.
pub(super) fn forms(pieces: &Pieces<'_>, bodies: &Bodies) -> TokenStream {
    let Some(function) = function(pieces.function) else {
        return TokenStream::new();
    };
    let lending = Lending {
        pieces,
        function: &function,
    };
    let orders = (1_u32..).zip(&bodies.orders).map(|(level, _)| OrderBodies {
        several: Several::No,
        vjp: None,
        wide: None,
        each: None,
        fwd: lending.sweeps(level),
    });
    let recorder = crate::inspect::recorder();
    let lent = Bodies {
        jvp: lending.forward("__jvp", None),
        trace: (bodies.trace.as_ref()).map(|_| lending.forward("__trace", Some(&recorder))),
        vjp: None,
        fwd: lending.sweeps(0),
        program: false,
        gradient: GradientBody::Reverse,
        lanes: None,
        orders: orders.collect(),
        recursive: bodies.recursive,
        steep: bodies.steep.clone(),
        overwrites: Vec::new(),
        leaving: None,
        deep: false,
        inspect: TokenStream::new(),
        refused: Refused::default(),
        hidden: true,
        stub: bodies.stub,
    };
    api(&function, pieces.names.clone(), &lent)
}

/// The form of a derivative that has tangents among its parameters.
pub(super) fn value(pieces: &Pieces<'_>) -> TokenStream {
    let (vis, generics, clause) = (&pieces.function.item.vis, &pieces.generics, &pieces.clause);
    let lending = Lending {
        pieces,
        function: pieces.function,
    };
    let mut inputs = pieces.inputs();
    if let (Some(name), Some(p)) = (pieces.names.first(), pieces.function.params.first()) {
        let passed = &p.passed;
        inputs[0] = quote!(#name: &#passed);
    }
    let (ret, call) = (pieces.result(), lending.call("__value", &[]));
    quote!(#[doc(hidden)] #[inline] #vis fn __value #generics (#(#inputs),*) -> #ret #clause { #call })
}

struct Lending<'a> {
    /// Of the forms that take the receiver by value.
    pieces: &'a Pieces<'a>,
    /// The function that is lent it.
    function: &'a GradFn,
}

impl Lending<'_> {
    fn call(&self, form: &str, more: &[TokenStream]) -> TokenStream {
        let mut args = self.pieces.args();
        args[0] = copy(&self.pieces.names[0]);
        let form = format_ident!("{}", taken(form));
        let turbofish =
            (self.pieces.function.callables().is_empty()).then(|| self.pieces.turbofish.clone());
        quote!(Self::#form #turbofish (#(#args,)* #(#more),*))
    }

    /// A form with a tangent for each argument.
    fn forward(&self, form: &str, last: Option<&Ident>) -> TokenStream {
        let params = self.pieces.params().enumerate();
        let dots = params.filter(|(_, (_, p))| p.callable.is_none());
        let dots = dots.map(|(k, (name, _))| match (k, prefixed("dot", name)) {
            (0, dot) => copy(&dot),
            (_, dot) => dot.into_token_stream(),
        });
        let given: Vec<_> = dots.chain(last.map(ToTokens::to_token_stream)).collect();
        self.call(form, &given)
    }

    /// Both sweeps: binds the values, and a pullback that adds to the shadow of the receiver what the other one returns.
    fn sweeps(&self, level: u32) -> TokenStream {
        let (names, count) = (&self.pieces.names, 1 << level);
        let dots = (1..count).flat_map(|k| {
            let params = self.pieces.params().enumerate();
            let params = params.filter(|(_, (_, p))| p.callable.is_none());
            params.map(move |(at, (name, _))| match (at, dotted(k, name)) {
                (0, dot) => copy(&dot),
                (_, dot) => dot.into_token_stream(),
            })
        });
        let dots: Vec<_> = dots.collect();
        let call = self.call(&form_name(level, "fwd").to_string(), &dots);
        let value = Ident::new("value", Span::call_site());
        let values: Vec<Ident> = (0..count).map(|k| dotted(k, &value)).collect();
        let bound = match values.as_slice() {
            [_] => quote!(),
            several => quote!(let value = (#(#several),*);),
        };
        let params = closure_inputs(self.function, names, count);
        let params = params.iter().map(|(name, ty)| quote!(#name: #ty));
        let given = closure_inputs(self.pieces.function, names, count);
        let given = given.iter().map(|(name, _)| name);
        let bars: Vec<Vec<Ident>> = (0..count)
            .map(|k| {
                let owned = self.pieces.params().filter(|(_, p)| p.by == By::Value);
                owned
                    .map(|(name, _)| dotted(k, &prefixed("bar", name)))
                    .collect()
            })
            .collect();
        let adds = bars.iter().enumerate().map(|(k, bars)| {
            let (shadow, bar) = (dotted(k, &prefixed("d", &names[0])), &bars[0]);
            let active = self.function.params[0].active;
            active.then(|| quote!(rt::acc(&mut *#shadow, &#bar);))
        });
        let rest = bars.iter().map(|bars| &bars[1..]);
        let rest = rest.map(|bars| quote!((#(#bars,)*)));
        quote! {
            let (#(#values,)* pull) = #call;
            #bound
            let back = move |#(#params),*| {
                let (#((#(#bars,)*)),*) = pull(#(#given),*);
                #(#adds)*
                (#(#rest),*)
            };
        }
    }
}

/// Another one of what is lent.
fn copy(name: &Ident) -> TokenStream {
    quote!(rt::Original(#name).__copy())
}
