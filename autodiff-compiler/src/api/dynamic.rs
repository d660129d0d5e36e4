//! The bodies of the hidden forms of a dynamic function: the function of variables is run on a tape of its own.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::copy_of;
use super::{Pieces, closure_params, prefixed};
use crate::dynamic;
use crate::function::{By, ParamInfo};
use crate::types;

/// The bodies of `__jvp`, `__vjp` and `__fwd`.
pub(super) struct Sweeps {
    pub(super) jvp: TokenStream,
    /// `None` for a function with `&mut` parameters.
    pub(super) vjp: Option<TokenStream>,
    pub(super) fwd: TokenStream,
}

/// The hidden forms.
pub(super) fn sweeps(pieces: &Pieces<'_>) -> Sweeps {
    let run = run(pieces);
    let mutates = pieces.params().any(|(_, p)| p.by == By::Mut);
    let dots = pieces.active().map(|(n, p)| place(&prefixed("dot", n), p));
    let into = pieces.active().filter(|(_, p)| p.by == By::Mut);
    let into = into.map(|(n, p)| place_mut(&prefixed("dot", n), p));
    let jvp = quote! {
        let mut flat = rt::Vec::new();
        #(rt::dynamic::flatten(#dots, &mut flat);)*
        #run
        let mut next = rt::dynamic::push(&tape, &nodes, &flat);
        let mut tangent = rt::zero_like(&value);
        rt::dynamic::Scalars::fill(&mut tangent, &mut next);
        #(rt::dynamic::Scalars::fill(#into, &mut next);)*
        (value, tangent)
    };
    let back = back(pieces);
    let made = made(pieces);
    let closure = closure_params(pieces.function, &pieces.names);
    let tangent = pieces.result_tangent();
    let fwd = quote! {
        #made
        #run
        let back = move |seed: #tangent #closure| { #back };
    };
    let vjp = (!mutates).then(|| quote!(#made #run (value, { #back })));
    Sweeps { jvp, vjp, fwd }
}

/// A tangent or a cotangent behind a reference.
fn place(name: &Ident, p: &ParamInfo) -> TokenStream {
    match p.by {
        By::Value => quote!(&#name),
        By::Ref | By::Mut => quote!(&*#name),
    }
}

fn place_mut(name: &Ident, p: &ParamInfo) -> TokenStream {
    match p.by {
        By::Value => quote!(&mut #name),
        By::Ref | By::Mut => quote!(&mut *#name),
    }
}

fn is_slice(p: &ParamInfo) -> bool {
    matches!(types::strip(&p.inner), syn::Type::Slice(_))
}

/// The zeros that gradients are filled into, made before the arguments are used up; and what was lent at first.
fn made(pieces: &Pieces<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    for (name, p) in pieces.params() {
        let (gradient, kept) = (prefixed("g", name), prefixed("kept", name));
        out.extend(match p.by {
            By::Value if !p.tangible => quote!(let #gradient = ();),
            By::Value | By::Ref if p.active => {
                let borrowed = dynamic::borrowed(name, p);
                let zero = p.zero_of(&borrowed);
                quote!(let mut #gradient = #zero;)
            }
            By::Value => {
                let zero = p.zero_of(&quote!(&#name));
                quote!(let #gradient = #zero;)
            }
            By::Ref => quote!(),
            By::Mut if is_slice(p) => quote!(let #kept = rt::ToOwned::to_owned(&*#name);),
            By::Mut => {
                let copy = copy_of(p, quote!(*#name));
                quote!(let #kept = #copy;)
            }
        });
    }
    out
}

/// Binds `value`, `tape` and `nodes`, which are those of the result and of the final states of what was lent.
fn run(pieces: &Pieces<'_>) -> TokenStream {
    let float = dynamic::float(pieces.function);
    let entry = dynamic::entry(pieces.function);
    let lifted = || {
        pieces
            .params()
            .filter(|(_, p)| dynamic::holds_floats(pieces.function, p))
    };
    let lifts = lifted().map(|(name, p)| {
        let (borrowed, vars) = (dynamic::borrowed(name, p), prefixed("vars", name));
        if p.active {
            let mutable = (p.by == By::Mut).then(|| quote!(mut));
            quote!(let #mutable #vars = rt::dynamic::variables(#borrowed, &tape);)
        } else {
            quote!(let #vars = rt::dynamic::constants::<#float, _>(#borrowed);)
        }
    });
    let args = pieces.params().map(|(name, p)| {
        let vars = prefixed("vars", name);
        match (dynamic::holds_floats(pieces.function, p), p.by) {
            (true, By::Value) => vars.to_token_stream(),
            (true, By::Ref) => quote!(&#vars),
            (true, By::Mut) => quote!(&mut #vars),
            (false, _) => name.to_token_stream(),
        }
    });
    let finals = lifted().filter(|(_, p)| p.by == By::Mut).map(|(name, p)| {
        let vars = prefixed("vars", name);
        let numbers = quote!(rt::dynamic::numbers(&#vars, &mut found));
        let state = prefixed("state", name);
        if is_slice(p) {
            quote!(#name.clone_from_slice(&#numbers);)
        } else {
            let check = p.ty.is_user().then(|| {
                let shown = name.to_string();
                let shown = shown.strip_suffix('_').unwrap_or(&shown);
                quote!(rt::dynamic::keep_shape(#shown, &*#name, &#state);)
            });
            quote!(let #state = #numbers; #check *#name = #state;)
        }
    });
    quote! {
        let tape = rt::dynamic::tape::<#float>();
        let (value, nodes) = {
            #(#lifts)*
            let result = #entry(#(#args),*);
            let mut found = rt::Vec::new();
            let value = rt::dynamic::numbers(&result, &mut found);
            #(#finals)*
            (value, rt::dynamic::nodes(&found, &tape))
        };
    }
}

/// The reverse sweep, which ends in the cotangents of what was passed by value.
fn back(pieces: &Pieces<'_>) -> TokenStream {
    let mut out = quote! {
        let mut flat = rt::Vec::new();
        rt::dynamic::flatten(&seed, &mut flat);
    };
    let lent = || pieces.active().filter(|(_, p)| p.by == By::Mut);
    for (name, p) in lent() {
        let (shadow, kept) = (prefixed("d", name), prefixed("kept", name));
        out.extend(quote!(rt::dynamic::flatten(&*#shadow, &mut flat);));
        // Memory is again what it was before the call.
        out.extend(if is_slice(p) {
            quote!(#name.clone_from_slice(&#kept);)
        } else {
            quote!(*#name = #kept;)
        });
    }
    out.extend(quote!(let mut next = rt::dynamic::pull(&tape, &nodes, &flat);));
    for (name, p) in pieces.active() {
        let (shadow, gradient) = (prefixed("d", name), prefixed("g", name));
        out.extend(match p.by {
            By::Value => quote!(rt::dynamic::Scalars::fill(&mut #gradient, &mut next);),
            By::Ref => quote! {
                rt::dynamic::Scalars::fill(&mut #gradient, &mut next);
                rt::acc(&mut *#shadow, &#gradient);
            },
            By::Mut => quote!(rt::dynamic::Scalars::fill(&mut *#shadow, &mut next);),
        });
    }
    let owned = pieces.params().filter(|(_, p)| p.by == By::Value);
    let owned = owned.map(|(n, _)| prefixed("g", n));
    out.extend(quote!((#(#owned,)*)));
    out
}
