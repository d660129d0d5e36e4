//! `grad`, `vjp` and their kin.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::copy_of;
use super::forward::clear_outs;
use super::jacobian::{constants, lent, repeated, said};
use super::second::overwrite;
use super::tangents::{buffer, exclusive, may_have_lists};
use super::{Bodies, GradientBody, Pieces, Seeded, failures, prefixed, twin};
use crate::function::{By, GradFn, ParamInfo};
use crate::ir::Ty;
use crate::types;

/// Those, and `pullback`.
pub(super) fn reverse_api(
    pieces: &Pieces<'_>,
    unit: bool,
    mutates: bool,
    scalar: bool,
    (gradient_body, program): (&GradientBody, bool),
) -> (TokenStream, TokenStream) {
    let Pieces {
        generics,
        turbofish,
        clause,
        function,
        ..
    } = pieces;
    let vis = &function.item.vis;
    let clause = &if mutates {
        restoring(pieces, clause.clone())
    } else {
        clause.clone()
    };
    // Where each direction has a run of its own.
    let for_gradients = match gradient_body {
        GradientBody::Columns => &repeated(pieces),
        GradientBody::Reverse | GradientBody::Lanes(_) => clause,
    };
    let (inputs, args) = (pieces.inputs(), pieces.args());
    let (ret, tangent, gradient) = (pieces.result(), pieces.result_tangent(), pieces.gradient());
    // Shadows of by-reference parameters: made here, or given as `&mut`.
    let mut made = TokenStream::new();
    let mut shadow_args = Vec::new();
    let mut into_shadow_args = Vec::new();
    let mut into_made = TokenStream::new();
    let mut entries = Vec::new();
    let mut into_params = Vec::new();
    let mut bar_params = Vec::new();
    let mut zero_bars = TokenStream::new();
    let mut owned_names = Vec::new();
    let mut into_adds = TokenStream::new();
    for (k, (name, p)) in pieces.params().enumerate() {
        let shadow = prefixed("d", name);
        let zero = format_ident!("__zero_{k}");
        match p.by {
            By::Value => {
                owned_names.push(shadow.clone());
                if p.active {
                    entries.push(shadow.clone());
                    let ty = buffer(&p.inner);
                    let into = prefixed("g", name);
                    into_params.push(quote!(#into: &mut #ty));
                    into_adds.extend(quote!(rt::acc(&mut *#into, &#shadow);));
                }
            }
            By::Ref => {
                made.extend(quote!(let mut #shadow = Self::#zero(&*#name);));
                shadow_args.push(quote!(&mut #shadow));
                if p.active {
                    entries.push(shadow.clone());
                    let ty = buffer(&p.inner);
                    let into = prefixed("g", name);
                    into_params.push(quote!(#into: &mut #ty));
                    into_shadow_args.push(quote!(&mut *#into));
                } else {
                    into_made.extend(quote!(let mut #shadow = Self::#zero(&*#name);));
                    into_shadow_args.push(quote!(&mut #shadow));
                }
            }
            By::Mut => {
                if p.active {
                    let ty = exclusive(p);
                    let bar = prefixed("g", name);
                    bar_params.push(quote!(#bar: &mut #ty));
                    into_params.push(quote!(#bar: &mut #ty));
                    shadow_args.push(quote!(&mut *#bar));
                    into_shadow_args.push(quote!(&mut *#bar));
                    zero_bars.extend(quote!(let mut #bar = Self::#zero(&*#name);));
                } else {
                    made.extend(quote!(let mut #shadow = Self::#zero(&*#name);));
                    into_made.extend(quote!(let mut #shadow = Self::#zero(&*#name);));
                    shadow_args.push(quote!(&mut #shadow));
                    into_shadow_args.push(quote!(&mut #shadow));
                }
            }
        }
    }
    let gradient_value = match entries.as_slice() {
        [one] => quote!(#one),
        all => quote!((#(#all),*)),
    };
    // The cotangent of a final state has the shape of that state, which may not be the one at entry.
    let grows = |p: &ParamInfo| p.by == By::Mut && !p.ty.keeps_shape();
    let checks_bar = pieces.checks(&|n| prefixed("g", n), &|p| p.by == By::Mut && !grows(p));
    let checks_into = pieces.checks(&|n| prefixed("g", n), &|p| !grows(p));
    let checks_late = pieces.checks(&|n| prefixed("g", n), &grows);
    let references = references(pieces);
    let (keep, put_back) = final_state(pieces, &|_| true);
    let bars = quote!((#(#owned_names,)*));
    let leave = failures::leave(function);
    let apart = |shadows: &[TokenStream], seed: &TokenStream, between: &TokenStream| {
        quote! {
            let (value, back) = Self::__fwd #turbofish (#(#args),*);
            #leave
            #between
            #keep
            let #bars = back(#seed #(, #references)* #(, #shadows)*);
            #put_back
        }
    };
    let at_once = |shadows: &[TokenStream], seed: &TokenStream| quote!(Self::__vjp #turbofish (#(#args,)* #seed #(, #shadows)*));
    let sweep = |shadows: &[TokenStream], seed: TokenStream, between: &TokenStream| {
        if mutates {
            apart(shadows, &seed, between)
        } else {
            let at_once = at_once(shadows, &seed);
            quote!(let (value, #bars) = #at_once;)
        }
    };
    // The lengths of a seed are those of the value, which is there before anything is written where the sweeps are apart.
    let check_seed = pieces.check_seed();
    let check_late = quote!(#checks_late #check_seed);
    let seeded_sweep =
        |shadows: &[TokenStream], seed: TokenStream, into: bool| match listed(function) {
            _ if mutates => apart(shadows, &seed, &check_late),
            Listed::No => sweep(shadows, seed, &check_late),
            Listed::Yes => apart(shadows, &seed, &check_late),
            // A seed that does not fit has nothing added anywhere: `made` are the callee's own.
            Listed::ByType if program && !into => {
                let at_once = at_once(shadows, &seed);
                quote! {
                    let shape = rt::shape_of(&seed);
                    let (value, #bars) = #at_once;
                    rt::check_tangent(rt::Whose::Result, &value, &rt::zero_of(&shape));
                }
            }
            Listed::ByType => {
                let (apart, at_once) =
                    (apart(shadows, &seed, &check_late), at_once(shadows, &seed));
                quote! {
                    let (value, #bars) = if rt::has_lists::<#ret>() {
                        #apart
                        (value, #bars)
                    } else {
                        #at_once
                    };
                }
            }
        };
    let seed_param = if unit {
        quote!()
    } else {
        quote!(seed: #tangent,)
    };
    let seed = if unit { quote!(()) } else { quote!(seed) };
    let vjp_sweep = seeded_sweep(&shadow_args, seed.clone(), false);
    // What fails adds nothing to the buffers of a caller.
    let fails = function.options.fails.is_some();
    let into_sweep = if fails {
        apart(&into_shadow_args, &seed, &check_late)
    } else {
        seeded_sweep(&into_shadow_args, seed.clone(), true)
    };
    let (vjp_output, vjp_value) = if unit {
        (gradient.clone(), gradient_value.clone())
    } else {
        (quote!((#ret, #gradient)), quote!((value, #gradient_value)))
    };
    let twin = twin::is_wanted(function);
    let clear = clear_outs(pieces, "g");
    // All that the sweeps return is the gradient, as the user has it.
    let same = !unit && !fails && entries.len() > 1;
    let same = same && entries == owned_names && entries.len() == pieces.names.len();
    let vjp_body = if same && matches!(listed(function), Listed::No) {
        at_once(&[], &seed)
    } else {
        quote! {
            #checks_bar
            #made
            #vjp_sweep
            #clear
            #vjp_value
        }
    };
    let vjp = format_ident!("{}", if twin { "__compiled_vjp" } else { "vjp" });
    let mut out = if twin {
        let bars = (&quote!((#(#owned_names,)*)), &gradient_value);
        twin::twin(pieces, &made, &shadow_args, bars)
    } else {
        TokenStream::new()
    };
    out.extend(quote! {
        /// Reverse mode: the value, and the cotangents of the parameters for the cotangent `seed` of the result.
        #[inline]
        #vis fn #vjp #generics (#(#inputs,)* #seed_param #(#bar_params),*) -> #vjp_output #clause { #vjp_body }

        /// Reverse mode: adds the cotangents of the parameters to the given buffers, and returns the value.
        #[inline]
        #vis fn vjp_into #generics (#(#inputs,)* #seed_param #(#into_params),*) -> #ret #clause {
            #checks_into
            #into_made
            #into_sweep
            #clear
            #into_adds
            value
        }
    });
    let optional = function.returns_optional_number();
    if (scalar || optional) && !unit {
        // Whether the user's type is a number, rustc knows where the function is called.
        let Seeded {
            generics,
            clause,
            one,
            open,
            ..
        } = pieces.seeded(for_gradients.clone());
        let one_more = if open {
            let own = types::named(&function.item.sig.generics);
            quote!(::<#(#own,)* __Seed>)
        } else {
            turbofish.clone()
        };
        let rebind: TokenStream = pieces
            .active()
            .filter(|(_, p)| p.by == By::Mut)
            .map(|(n, _)| {
                let bar = prefixed("g", n);
                quote!(let #bar = &mut #bar;)
            })
            .collect();
        // The cotangent of the final state is zero.
        let zeros = quote!(#zero_bars #rebind);
        let into_sweep = if fails {
            apart(&into_shadow_args, &one, &zeros)
        } else {
            sweep(&into_shadow_args, one.clone(), &zeros)
        };
        let plain = sweep(&shadow_args, one.clone(), &zeros);
        let into_only: Vec<_> = pieces
            .active()
            .filter(|(_, p)| p.by != By::Mut)
            .map(|(n, p)| {
                let (into, ty) = (prefixed("g", n), buffer(&p.inner));
                quote!(#into: &mut #ty)
            })
            .collect();
        let checks_given = pieces.checks(&|n| prefixed("g", n), &|p| p.by != By::Mut);
        // In forward mode there is a body that yields both.
        let (plain, into_sweep, made, into_made) = match gradient_body {
            GradientBody::Reverse => (plain, into_sweep, made.clone(), into_made),
            GradientBody::Lanes(_) | GradientBody::Columns => {
                let all = quote!(let (value, #gradient_value) = Self::__gradient #turbofish (#(#args),*););
                let adds: TokenStream = pieces
                    .active()
                    .filter(|(_, p)| p.by != By::Value)
                    .map(|(n, _)| {
                        let (into, shadow) = (prefixed("g", n), prefixed("d", n));
                        quote!(rt::acc(&mut *#into, &#shadow);)
                    })
                    .collect();
                (all.clone(), quote!(#all #leave #adds), quote!(), quote!())
            }
        };
        let given = pieces.active().filter(|(_, p)| p.by != By::Mut);
        let given: Vec<(Ident, &ParamInfo)> = given.map(|(n, p)| (prefixed("g", n), p)).collect();
        let (buffers, turbofish) = (given.iter().map(|(g, _)| g), &one_more);
        let overwrite = if fails || optional {
            // What fails, or has no value, leaves the buffers as they are.
            let set = given.iter().map(|(g, p)| {
                let made = format_ident!("made_{g}");
                let set = overwrite(p, g, &made);
                (made, set)
            });
            let (made, set): (Vec<Ident>, Vec<TokenStream>) = set.unzip();
            let made = match made.as_slice() {
                [one] => quote!(#one),
                all => quote!((#(#all),*)),
            };
            let both = quote!(Self::value_and_grad #turbofish (#(#args),*));
            if optional {
                quote! {
                    let both = #both;
                    #leave
                    both.map(|(value, #made)| {
                        #(#set)*
                        value
                    })
                }
            } else {
                quote! {
                    let (value, #made) = #both;
                    #leave
                    #(#set)*
                    value
                }
            }
        } else {
            let clear = given.iter().map(|(g, p)| match p.ty {
                Ty::Slice(_) | Ty::Vec(_) => quote!(rt::set_zero(&mut *#g);),
                _ => quote!(*#g = rt::Tangent::zero_like(&*#g);),
            });
            quote!(#(#clear)* Self::grad_into #turbofish (#(#args,)* #(#buffers),*))
        };
        let some = function.ret.as_ref().and_then(types::argument_of);
        let (only, only_value, both, both_values) = match some.filter(|_| optional) {
            // Of no value there is no gradient.
            Some(some) => (
                quote!(::core::option::Option<#gradient>),
                quote!(value.map(|_| #gradient_value)),
                quote!(::core::option::Option<(#some, #gradient)>),
                quote!(value.map(|value| (value, #gradient_value))),
            ),
            None => (
                gradient.clone(),
                gradient_value.clone(),
                quote!((#ret, #gradient)),
                quote!((value, #gradient_value)),
            ),
        };
        // Of a number, these are `vjp` and `vjp_into` with the seed 1.
        let seeded = !mutates && !fails && matches!(function.ret_ty, Ty::Float(_));
        let seeded = seeded && matches!(gradient_body, GradientBody::Reverse);
        let [grad, value_and_grad, grad_into] = if seeded {
            let buffers = given.iter().map(|(g, _)| g);
            [
                quote!(Self::value_and_grad #turbofish (#(#args),*).1),
                quote!(Self::#vjp #turbofish (#(#args,)* #one)),
                quote!(Self::vjp_into #turbofish (#(#args,)* #one, #(#buffers),*)),
            ]
        } else {
            [
                quote!(#made #plain #only_value),
                quote!(#made #plain #both_values),
                quote!(#checks_given #into_made #into_sweep #into_adds value),
            ]
        };
        out.extend(quote! {
            /// The gradient of the result.
            #[inline]
            #vis fn grad #generics (#(#inputs),*) -> #only #clause { #grad }

            /// The value and the gradient, in one sweep.
            #[inline]
            #vis fn value_and_grad #generics (#(#inputs),*) -> #both #clause { #value_and_grad }

            /// Adds the gradient to the given buffers, and returns the value.
            #[inline]
            #vis fn grad_into #generics (#(#inputs,)* #(#into_only),*) -> #ret #clause { #grad_into }

            /// Overwrites the given buffers with the gradient, and returns the value.
            #[inline]
            #vis fn value_and_grad_into #generics (#(#inputs,)* #(#into_only),*) -> #ret #clause {
                #checks_given
                #overwrite
            }
        });
    }
    let mut pullback = TokenStream::new();
    if !mutates && !unit {
        let made_late = made.clone();
        let clause = restoring(pieces, assumed(pieces));
        // What a type of the user holds is not put back by the reverse sweep either.
        let (keep, put_back) = final_state(pieces, &|p| !matches!(p.ty, Ty::Unknown | Ty::Inert));
        let (lengths, check_lengths) = function.ret.as_ref().map(known_lengths).unwrap_or_default();
        // The reverse sweep takes it as it is.
        let (zero, added) = if holds_user(&function.ret_ty) {
            let add = quote! {
                rt::Tangent::add_scaled(&mut whole, 1.0, &seed);
                let seed = whole;
            };
            (quote!(let mut whole = rt::zero_like(&value);), add)
        } else {
            Default::default()
        };
        let body = if same && lengths.is_empty() && zero.is_empty() {
            quote!(Self::__fwd #turbofish (#(#args),*))
        } else {
            quote! {
                let (value, back) = Self::__fwd #turbofish (#(#args),*);
                #lengths
                #zero
                (value, move |seed: #tangent| {
                    #check_lengths
                    #added
                    #made_late
                    #keep
                    let (#(#owned_names,)*) = back(seed #(, #references)* #(, #shadow_args)*);
                    #put_back
                    #gradient_value
                })
            }
        };
        pullback.extend(quote! {
            /// The value, and the pullback that turns a cotangent of the result into those of the parameters.
            #[inline]
            #vis fn pullback #generics (#(#inputs),*) -> (#ret, impl FnOnce(#tangent) -> #gradient) #clause { #body }
        });
    }
    (out, pullback)
}

/// What is lent to a function, as its pullback borrows it again.
fn references(pieces: &Pieces<'_>) -> Vec<TokenStream> {
    let lent = pieces.params().filter(|(_, p)| p.by != By::Value);
    let lent = lent.map(|(n, p)| {
        if p.by == By::Mut {
            quote!(&mut *#n)
        } else {
            quote!(#n)
        }
    });
    lent.collect()
}

/// Keeps the memory that a function has left behind, and puts it back: the reverse sweep undoes it on the way.
fn final_state(
    pieces: &Pieces<'_>,
    wanted: &dyn Fn(&ParamInfo) -> bool,
) -> (TokenStream, TokenStream) {
    let (mut keep, mut put_back) = (TokenStream::new(), TokenStream::new());
    let lent = pieces.params().filter(|(_, p)| p.by == By::Mut);
    for (n, p) in lent.filter(|(_, p)| wanted(p)) {
        let kept = prefixed("kept", n);
        if matches!(types::strip(&p.inner), syn::Type::Slice(_)) {
            keep.extend(quote!(let #kept = rt::ToOwned::to_owned(&*#n);));
            put_back.extend(quote!(#n.clone_from_slice(&#kept);));
        } else {
            let copy = copy_of(p, quote!(*#n));
            keep.extend(quote!(let #kept = #copy;));
            put_back.extend(quote!(*#n = #kept;));
        }
    }
    (keep, put_back)
}

/// `__vjp` by both sweeps, of a function that is lent memory of a type parameter: where that stands for integers, callers take it for a constant.
pub(super) fn by_sweeps(
    pieces: &Pieces<'_>,
    bodies: &Bodies,
) -> Option<(Option<syn::WhereClause>, TokenStream)> {
    let generics = &pieces.function.item.sig.generics;
    let open = |p: &ParamInfo| {
        let written = p.inner.to_token_stream();
        let mut params = generics.type_params();
        !p.ty.is_understood() && params.any(|t| types::mentions(&written, &t.ident))
    };
    let mut active = pieces.active().filter(|(_, p)| p.by == By::Mut);
    if bodies.hidden || !pieces.function.callables().is_empty() || !active.all(|(_, p)| open(p)) {
        return None;
    }
    let mut clause = restoring(pieces, pieces.clause.clone());
    for (_, p) in pieces.active().filter(|(_, p)| p.by == By::Mut) {
        let kept = match types::strip(&p.inner) {
            syn::Type::Slice(t) => &*t.elem,
            ty => ty,
        };
        let bound = types::deferred(kept, &quote!(::core::clone::Clone));
        said(&mut clause, bound);
    }
    let (turbofish, args, references) = (&pieces.turbofish, pieces.args(), references(pieces));
    let shadows = pieces.params().filter(|(_, p)| p.by != By::Value);
    let shadows = shadows.map(|(name, _)| prefixed("d", name));
    let (keep, put_back) = final_state(pieces, &|_| true);
    let body = quote! {
        let (value, back) = Self::__fwd #turbofish (#(#args),*);
        #keep
        let bars = back(seed #(, #references)* #(, #shadows)*);
        #put_back
        (value, bars)
    };
    Some((clause, body))
}

/// Whether a result has lists, with whose lengths those of a seed are compared.
enum Listed {
    No,
    Yes,
    /// Only rustc knows it.
    ByType,
}

fn listed(function: &GradFn) -> Listed {
    // What a reverse sweep apart would put back, and could not.
    let held = |p: &ParamInfo| p.by == By::Mut && !p.active && !p.ty.is_numbers();
    if !may_have_lists(&function.ret_ty) || function.params.iter().any(held) {
        Listed::No
    } else if function.ret_ty.is_understood() {
        Listed::Yes
    } else {
        Listed::ByType
    }
}

/// Whether a value of the type may have one of the user's own in it.
fn holds_user(ty: &Ty) -> bool {
    match ty {
        Ty::User => true,
        Ty::Array(elem, _) | Ty::Option(elem) | Ty::Vec(elem) => holds_user(elem),
        Ty::Tuple(parts) => parts.iter().any(holds_user),
        _ => false,
    }
}

/// What keeps the lengths of a result, and compares them with those of a seed once the value is gone: of lists that are not in others.
fn known_lengths(ret: &syn::Type) -> (TokenStream, TokenStream) {
    fn go(
        ty: &syn::Type,
        value: &TokenStream,
        seed: &TokenStream,
        whose: &TokenStream,
        kept: &mut Vec<TokenStream>,
        checks: &mut TokenStream,
    ) {
        match (types::strip(ty), types::read(ty)) {
            (syn::Type::Tuple(t), _) => {
                for (k, elem) in t.elems.iter().enumerate() {
                    let (at, written) = (syn::Index::from(k), k.to_string());
                    let whose = quote!(rt::Whose::Field(&#whose, #written));
                    go(
                        elem,
                        &quote!(#value.#at),
                        &quote!(#seed.#at),
                        &whose,
                        kept,
                        checks,
                    );
                }
            }
            (_, Ty::Vec(elem)) if !elem.is_inert() => {
                let at = syn::Index::from(kept.len());
                checks.extend(quote!(rt::check_length(#whose, lengths.#at, #seed.len());));
                kept.push(quote!(#value.len()));
            }
            _ => {}
        }
    }
    let (mut kept, mut checks) = (Vec::new(), TokenStream::new());
    go(
        ret,
        &quote!(value),
        &quote!(seed),
        &quote!(rt::Whose::Result),
        &mut kept,
        &mut checks,
    );
    if kept.is_empty() {
        return Default::default();
    }
    (quote!(let lengths = (#(#kept,)*);), checks)
}

/// The bounds of a function that calls a pullback: the types of the user's have derivatives.
///
/// Where one has not, rustc would find that its pullback is no function, and say so beside the cause.
/// Of a type with parameters this is not said: what is known of it by a bound has a tangent of which nothing is known,
/// while the pullback, which has no such bound, is given the one that the derive made. To rustc's optimiser these are two types.
pub(super) fn assumed(pieces: &Pieces<'_>) -> Option<syn::WhereClause> {
    let function = pieces.function;
    let mut clause = pieces.clause.clone();
    if function.item.sig.generics.params.is_empty() && function.outer.params.is_empty() {
        for (_, p) in pieces
            .params()
            .filter(|(_, p)| p.tangible && p.ty.is_user())
        {
            let ty = types::lasting(&p.inner);
            let clause = clause.get_or_insert_with(|| syn::parse_quote!(where));
            clause
                .predicates
                .push(syn::parse_quote!(#ty: rt::Differentiable));
        }
    }
    clause
}

/// The bounds of what puts back the memory that a function changes: of constants the type may have no copy, as a generator of random numbers, and other forms are in no need of one.
///
/// Only rustc can look that up; what does not hold is no error where a lifetime stands in front.
pub(super) fn restoring(
    pieces: &Pieces<'_>,
    mut clause: Option<syn::WhereClause>,
) -> Option<syn::WhereClause> {
    for p in constants(pieces, By::Mut) {
        let kept = match lent(&p.passed) {
            syn::Type::Slice(t) => &*t.elem,
            elem => elem,
        };
        said(
            &mut clause,
            types::deferred(kept, &quote!(::core::clone::Clone)),
        );
    }
    clause
}
