//! The forms of a function whose derivatives the user gives as functions, or that is a constant.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::checked::{pull, pull_saved, push};
use super::dynamic::{Sweeps, sweeps};
use super::jacobian::{Directions, Runs};
use super::refused::Refused;
use super::tangents::Lengths;
use super::{
    Bodies, GradientBody, OrderBodies, Pieces, api, closure_params, dual_closure_params, prefixed,
};
use crate::dynamic;
use crate::function::{By, GradFn, ParamInfo, has_unnamed_types};
use crate::ir::Ty;
use crate::second::{Several, dotted};
use crate::slopes::Steep;
use crate::types;

/// The type beside a function with `vjp = p`, `jvp = q`, or both.
pub(crate) fn derivatives(
    function: &GradFn,
    names: Vec<Ident>,
    inspect: &TokenStream,
) -> TokenStream {
    let pieces = Pieces::new(function, names.clone());
    let own = &function.options.own;
    if own.is_dynamic() {
        let Sweeps { jvp, vjp, fwd } = sweeps(&pieces);
        let on_variables = dynamic::on_variables(function);
        let bodies = Bodies {
            jvp,
            trace: None,
            vjp,
            fwd,
            program: false,
            gradient: GradientBody::Reverse,
            lanes: None,
            orders: Vec::new(),
            recursive: false,
            steep: Steep::ALWAYS,
            overwrites: Vec::new(),
            leaving: None,
            deep: false,
            inspect: quote!(#inspect #on_variables),
            refused: Refused::default(),
            hidden: false,
            stub: false,
        };
        return api(function, names, &bodies);
    }
    let refused = Refused::new(function);
    let (mut vjp, mut fwd) = match own.vjp() {
        Some(_) => by_pullback(&pieces),
        None => by_columns(&pieces),
    };
    let both = own.vjp().zip(own.rev());
    let both = both.filter(|_| function.options.order > 1);
    let jvp = match (own.jvp(), both) {
        (Some(_), _) => forward(&pieces),
        (None, Some((fwd, _))) => {
            let saving = saving(&pieces, fwd);
            quote!(#saving (value, tangent))
        }
        (None, None) => by_rows(&pieces),
    };
    let orders = both.map(|(fwd, rev)| second_by_both(&pieces, fwd, rev));
    let checked = [
        own.vjp().map(|path| match own.rev() {
            Some(rev) => pull_saved(&pieces, path, rev),
            None => pull(&pieces, path),
        }),
        own.jvp().map(|path| push(&pieces, path)),
    ];
    let checked = checked.into_iter().flatten();
    let bodies = Bodies {
        jvp,
        trace: None,
        vjp: Some(std::mem::take(&mut vjp)),
        fwd: std::mem::take(&mut fwd),
        program: false,
        gradient: GradientBody::Reverse,
        lanes: None,
        orders: orders.into_iter().collect(),
        recursive: false,
        steep: Steep::ALWAYS,
        overwrites: Vec::new(),
        leaving: None,
        deep: false,
        inspect: quote!(#inspect #(#checked)*),
        refused,
        hidden: false,
        stub: false,
    };
    api(function, names, &bodies)
}

/// The type beside a function that is a constant: what other derivatives call, and nothing else.
pub(crate) fn constant(function: &GradFn) -> TokenStream {
    let names = crate::function::param_names(function);
    let pieces = Pieces::new(function, names.clone());
    let call = call(&pieces, &pieces.args());
    let (made, bars) = (constants(&pieces), bars(&pieces));
    let closure = closure_params(function, &names);
    let tangent = pieces.result_tangent();
    let dual_closure = dual_closure_params(function, &names, 2, Several::No);
    let second = OrderBodies {
        several: Several::No,
        vjp: None,
        wide: None,
        each: None,
        fwd: quote! {
            #made
            let value = #call;
            let tangent = rt::zero_like(&value);
            let value = (value, tangent);
            let back = move |#dual_closure| { let bars = #bars; (rt::copy(&bars), bars) };
        },
    };
    let bodies = Bodies {
        jvp: quote!(let value = #call; let tangent = rt::zero_like(&value); (value, tangent)),
        trace: None,
        vjp: Some(quote!(#made let value = #call; (value, #bars))),
        fwd: quote!(#made let value = #call; let back = move |seed: #tangent #closure| { #bars };),
        program: false,
        gradient: GradientBody::Reverse,
        lanes: None,
        orders: vec![second],
        recursive: false,
        steep: Steep::default(),
        overwrites: Vec::new(),
        leaving: None,
        deep: false,
        inspect: TokenStream::new(),
        refused: Refused::default(),
        hidden: true,
        stub: false,
    };
    api(function, names, &bodies)
}

/// The function itself.
pub(super) fn call(pieces: &Pieces<'_>, args: &[TokenStream]) -> TokenStream {
    let sig = &pieces.function.item.sig;
    let primal = &sig.ident;
    let turbofish = (!has_unnamed_types(&sig.generics)).then_some(&pieces.turbofish);
    match pieces.function.method {
        Some(_) => {
            let owner = format_ident!("{}", types::OWNER);
            quote!(#owner::#primal #turbofish (#(#args),*))
        }
        None => quote!(#primal #turbofish (#(#args),*)),
    }
}

/// `__jvp` by the user's own function.
fn forward(pieces: &Pieces<'_>) -> TokenStream {
    let (turbofish, args) = (&pieces.turbofish, pieces.args());
    let dots = pieces.active().map(|(n, _)| prefixed("dot", n));
    let dots = tuple(dots.map(ToTokens::into_token_stream));
    quote!(Self::__push #turbofish (#(#args,)* #dots))
}

/// Bodies of `__vjp` and `__fwd` by the user's own pullback.
///
/// A pullback may borrow from the arguments, which a caller may change between the sweeps.
/// So if there are references, the forward sweep calls the function itself, and the reverse sweep, where memory is what it was, the pullback.
fn by_pullback(pieces: &Pieces<'_>) -> (TokenStream, TokenStream) {
    let (turbofish, args) = (&pieces.turbofish, pieces.args());
    let made = constants(pieces);
    let results = tuple(
        pieces
            .active()
            .map(|(n, _)| prefixed("g", n).into_token_stream()),
    );
    let (checks, adds, bars) = (checks(pieces), adds(pieces), bars(pieces));
    let apply = quote! {
        let #results = pull(seed);
        #checks
        #adds
    };
    let vjp = quote! {
        #made
        let (value, pull) = Self::__pull #turbofish (#(#args),*);
        #apply
        (value, #bars)
    };
    let names = &pieces.names;
    let closure = closure_params(pieces.function, names);
    let tangent = pieces.result_tangent();
    let borrows = pieces.params().any(|(_, p)| p.by != By::Value);
    // What is saved borrows from nothing.
    let borrows = borrows && pieces.function.options.own.rev().is_none();
    let fwd = if borrows {
        let owned = pieces.params().filter(|(_, p)| p.by == By::Value);
        let keep: TokenStream = owned
            .map(|(n, _)| {
                let kept = prefixed("kept", n);
                quote!(let #kept = rt::copy(&#n);)
            })
            .collect();
        let again = pieces.params().map(|(n, p)| match p.by {
            By::Value => prefixed("kept", n).into_token_stream(),
            By::Ref | By::Mut => n.to_token_stream(),
        });
        let call = call(pieces, &args);
        quote! {
            #made
            #keep
            let value = #call;
            let back = move |seed: #tangent #closure| {
                let (_, pull) = Self::__pull #turbofish (#(#again),*);
                #apply
                #bars
            };
        }
    } else {
        quote! {
            #made
            let (value, pull) = Self::__pull #turbofish (#(#args),*);
            let back = move |seed: #tangent #closure| { #apply #bars };
        }
    };
    (vjp, fwd)
}

/// The value, what is saved, and the tangents of both, by the forward mode of the function that saves.
fn saving(pieces: &Pieces<'_>, fwd: &syn::Path) -> TokenStream {
    let (turbofish, args) = (&pieces.turbofish, pieces.args());
    let dots = pieces.names_of("dot");
    quote!(let ((value, saved), (tangent, dot_saved)) = #fwd::__jvp #turbofish (#(#args,)* #(#dots),*);)
}

/// Both sweeps with tangents, by the forward modes of the function that saves and of the one that is given it.
fn second_by_both(pieces: &Pieces<'_>, fwd: &syn::Path, rev: &syn::Path) -> OrderBodies {
    let (names, made) = (&pieces.names, constants(pieces));
    let saving = saving(pieces, fwd);
    let entries = |level: usize| {
        let names = pieces.active();
        tuple(names.map(move |(n, _)| dotted(level, &prefixed("g", n)).into_token_stream()))
    };
    let (gradients, dot_gradients) = (entries(0), entries(1));
    let (checks, adds, bars) = (checks(pieces), adds(pieces), bars(pieces));
    let borrowed = pieces.active().filter(|(_, p)| p.by != By::Value);
    let dot_adds = borrowed.map(|(n, _)| {
        let (shadow, bar) = (dotted(1, &prefixed("d", n)), dotted(1, &prefixed("g", n)));
        quote!(rt::acc(&mut *#shadow, &#bar);)
    });
    let owned = pieces.params().filter(|(_, p)| p.by == By::Value);
    let dot_bars = owned.map(|(n, p)| {
        let bar = prefixed("g", n);
        if p.active {
            dotted(1, &bar).into_token_stream()
        } else {
            quote!(rt::copy(&#bar))
        }
    });
    let seed = Ident::new("seed", Span::mixed_site());
    let dot_seed = dotted(1, &seed);
    let closure = dual_closure_params(pieces.function, names, 2, Several::No);
    let back = quote! {
        let (#gradients, #dot_gradients) = #rev::__jvp(&saved, #seed, &dot_saved, #dot_seed);
        #checks
        #adds
        #(#dot_adds)*
        let dot_bars = (#(#dot_bars,)*);
    };
    OrderBodies {
        several: Several::No,
        vjp: Some(quote!(#made #saving #back (value, tangent, #bars, dot_bars))),
        wide: None,
        each: None,
        fwd: quote! {
            #made
            #saving
            let value = (value, tangent);
            let back = move |#closure| { #back (#bars, dot_bars) };
        },
    }
}

/// Bodies of `__vjp` and `__fwd` by one forward sweep per scalar of the parameters.
fn by_columns(pieces: &Pieces<'_>) -> (TokenStream, TokenStream) {
    let again = Runs::new(pieces).again;
    let Directions { zeros, given, dots } = Directions::new(pieces);
    let turbofish = &pieces.turbofish;
    let made = constants(pieces);
    let call = call(pieces, &again);
    let columns = quote! {
        #made
        #zeros
        let count = 0 #(+ rt::Tangent::scalar_count(&#dots))*;
        let mut columns = rt::Vec::new();
        let mut value = rt::None;
        for k in 0..count {
            let mut at = 0;
            #(rt::Tangent::for_each_scalar(&mut #dots, &mut |x| { *x = if at == k { 1.0 } else { 0.0 }; at += 1; });)*
            let (again, column) = Self::__push #turbofish (#(#again,)* #given);
            value = rt::Some(again);
            columns.push(column);
        }
        let value = match value {
            rt::Some(value) => value,
            rt::None => #call,
        };
    };
    let gradients = pieces.active().map(|(n, _)| prefixed("g", n));
    let (adds, bars) = (adds(pieces), bars(pieces));
    let apply = quote! {
        let mut at = 0;
        #(
            let mut #gradients = #dots;
            rt::Tangent::for_each_scalar(&mut #gradients, &mut |x| { *x = rt::inner(&seed, &columns[at]); at += 1; });
        )*
        #adds
    };
    let closure = closure_params(pieces.function, &pieces.names);
    let tangent = pieces.result_tangent();
    let vjp = quote!(#columns #apply (value, #bars));
    let fwd = quote!(#columns let back = move |seed: #tangent #closure| { #apply #bars };);
    (vjp, fwd)
}

/// Body of `__jvp` by one reverse sweep per scalar of the result: what calls the function may be differentiated forward.
fn by_rows(pieces: &Pieces<'_>) -> TokenStream {
    let turbofish = &pieces.turbofish;
    let single = matches!(pieces.function.ret_ty, Ty::Float(_));
    // One sweep may have the arguments themselves.
    let again: Vec<TokenStream> = pieces
        .params()
        .map(|(n, p)| match p.by {
            By::Value if !single => quote!(rt::lanes::Again(&#n).again()),
            _ => n.to_token_stream(),
        })
        .collect();
    let gradients: Vec<Ident> = pieces.active().map(|(n, _)| prefixed("g", n)).collect();
    let dots = pieces.active().map(|(n, p)| {
        let dot = prefixed("dot", n);
        match p.by {
            By::Value => quote!(&#dot),
            By::Ref | By::Mut => quote!(#dot),
        }
    });
    let results = tuple(gradients.iter().map(ToTokens::into_token_stream));
    let (made, checks) = (constants(pieces), checks(pieces));
    let partial = quote! {
        #checks
        let mut partial = 0.0;
        #({
            let mut along = rt::zero_like(&#gradients);
            rt::acc(&mut along, #dots);
            partial += rt::inner(&along, &#gradients);
        })*
    };
    if single {
        let unit = pieces.result_tangent();
        return quote! {
            #made
            let (value, pull) = Self::__pull #turbofish (#(#again),*);
            let mut tangent = rt::zero_like(&value);
            let #results = pull(<#unit as rt::Unit>::unit());
            #partial
            rt::Tangent::for_each_scalar(&mut tangent, &mut |x| *x = partial);
            (value, tangent)
        };
    }
    quote! {
        #made
        #[allow(unused_imports)]
        use rt::lanes::NotAgain as _;
        let (value, pull) = Self::__pull #turbofish (#(#again),*);
        let mut pull = rt::Some(pull);
        let mut tangent = rt::zero_like(&value);
        let mut seed = rt::copy(&tangent);
        for k in 0..rt::Tangent::scalar_count(&tangent) {
            let mut at = 0;
            rt::Tangent::for_each_scalar(&mut seed, &mut |x| { *x = if at == k { 1.0 } else { 0.0 }; at += 1; });
            let pull = match pull.take() {
                rt::Some(pull) => pull,
                rt::None => Self::__pull #turbofish (#(#again),*).1,
            };
            let #results = pull(rt::copy(&seed));
            #partial
            let mut at = 0;
            rt::Tangent::for_each_scalar(&mut tangent, &mut |x| { if at == k { *x = partial; } at += 1; });
        }
        (value, tangent)
    }
}

/// The zeros of what is owned and constant, made before it is moved; and of what has a length to check.
fn constants(pieces: &Pieces<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    for (k, (name, p)) in pieces.params().enumerate() {
        let zero = format_ident!("__zero_{k}");
        let made = match p.by {
            By::Value if !p.active => prefixed("g", name),
            By::Value if has_length(p) => prefixed("shape", name),
            _ => continue,
        };
        out.extend(quote!(let #made = Self::#zero(&#name);));
    }
    out
}

fn has_length(p: &ParamInfo) -> bool {
    !p.ty.keeps_shape()
}

/// A cotangent of another length than its argument is a mistake in the user's function.
fn checks(pieces: &Pieces<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    for (name, p) in pieces.active() {
        let argument = match p.by {
            By::Value if has_length(p) => prefixed("shape", name),
            By::Value => continue,
            By::Ref | By::Mut => name.clone(),
        };
        let given = prefixed("g", name);
        let written = name.to_string();
        let lengths = Lengths {
            part: quote!(rt::Whose::Argument(#written)),
            value: argument.to_token_stream(),
            given: given.to_token_stream(),
            ty: &p.inner,
            whole: p.by != By::Value,
        };
        out.extend(lengths.check());
    }
    out
}

/// Adds the cotangents of what was passed by reference to their shadows.
fn adds(pieces: &Pieces<'_>) -> TokenStream {
    let borrowed = pieces.active().filter(|(_, p)| p.by != By::Value);
    borrowed
        .map(|(n, _)| {
            let (shadow, bar) = (prefixed("d", n), prefixed("g", n));
            quote!(rt::acc(&mut *#shadow, &#bar);)
        })
        .collect()
}

/// The cotangents of what was passed by value.
fn bars(pieces: &Pieces<'_>) -> TokenStream {
    let owned = pieces.params().filter(|(_, p)| p.by == By::Value);
    let names = owned.map(|(n, _)| prefixed("g", n));
    quote!((#(#names,)*))
}

/// The entries of a gradient or of tangents: a tuple, or the one alone.
fn tuple(entries: impl Iterator<Item = TokenStream>) -> TokenStream {
    let entries: Vec<_> = entries.collect();
    match entries.as_slice() {
        [one] => one.clone(),
        all => quote!((#(#all),*)),
    }
}
