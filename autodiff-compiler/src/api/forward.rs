//! `jvp`

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

use super::jacobian::{Runs, repeated};
use super::lanes::wide;
use super::tangents::{buffer, exclusive, owned};
use super::{Bodies, InLanes, Pieces, own, prefixed, second};
use crate::forms::{self, IN_LANES, JVP_LANES, JVP_LANES_MUT, MUT_IN_LANES};
use crate::function::By;
use crate::types;

pub(super) fn jvp_api(pieces: &Pieces<'_>, dots: &[Ident]) -> TokenStream {
    let Pieces {
        generics,
        turbofish,
        clause,
        function,
        ..
    } = pieces;
    let vis = &function.item.vis;
    let (inputs, args) = (pieces.inputs(), pieces.args());
    let (ret, tangent) = (pieces.result(), pieces.result_tangent());
    let (pattern, ty) = tangents(pieces);
    let checks = pieces.checks(&|n| prefixed("dot", n), &|_| true);
    // Constant parameters get the zero tangent, and so does what is only written.
    let mut zeros = clear_outs(pieces, "dot");
    let mut given = Vec::new();
    for (k, ((name, p), dot)) in pieces.params().zip(dots).enumerate() {
        if !p.active {
            let zero = format_ident!("__zero_{k}");
            let of = if p.by == By::Value {
                quote!(&#name)
            } else {
                quote!(&*#name)
            };
            zeros.extend(quote!(let mut #dot = Self::#zero(#of);));
        }
        given.push(match (p.active, p.by) {
            (true, By::Mut) => quote!(&mut *#dot),
            (true, _) | (false, By::Value) => quote!(#dot),
            (false, By::Ref) => quote!(&#dot),
            (false, By::Mut) => quote!(&mut #dot),
        });
    }
    let (output, value) = if function.ret.is_none() {
        (quote!(()), quote!(;))
    } else {
        (quote!((#ret, #tangent)), quote!())
    };
    quote! {
        /// Forward mode: the value, and the derivative along the given tangents.
        #[inline]
        #vis fn jvp #generics (#(#inputs,)* tangents: #ty) -> #output #clause {
            let #pattern = tangents;
            #checks
            #zeros
            Self::__jvp #turbofish (#(#args,)* #(#given),*) #value
        }
    }
}

/// Forward mode in lanes, and the constant that says whether all that it calls has it.
pub(super) fn in_lanes(
    pieces: &Pieces<'_>,
    in_lanes: Option<&InLanes>,
    vis: &TokenStream,
) -> Option<TokenStream> {
    let InLanes { body, callees } = in_lanes?;
    let function = pieces.function;
    let changes = function.params.iter().any(|p| p.by == By::Mut);
    let names = if changes {
        [JVP_LANES_MUT, MUT_IN_LANES]
    } else {
        [JVP_LANES, IN_LANES]
    };
    let [form, known] = names.map(|name| Ident::new(name, Span::call_site()));
    let (names, dots) = (&pieces.names, pieces.names_of("dot"));
    let types = function.params.iter().map(|p| &p.passed);
    let tangents = function.params.iter().map(|p| wide(second::dot_type(p)));
    let (ret, tangent) = (pieces.result(), wide(pieces.result_tangent()));
    let (params, lanes) = (function.item.sig.generics.params.iter(), forms::lanes());
    let clause = &pieces.clause;
    let all = if callees.is_empty() {
        quote!(true)
    } else {
        quote!(#(#callees)&&*)
    };
    let vis_const = &function.item.vis;
    Some(quote! {
        #[doc(hidden)] #vis_const const #known: bool = #all;
        #vis fn #form<#(#params,)* const #lanes: usize>(_: rt::lanes::Width<#lanes>, (#(#names,)*): (#(#types,)*), (#(#dots,)*): (#(#tangents,)*))
            -> (#ret, #tangent) #clause { #body }
    })
}

/// `jvp_lanes`: in lanes, or one direction after the other.
pub(super) fn directions(pieces: &Pieces<'_>, bodies: &Bodies) -> TokenStream {
    let in_lanes = bodies.lanes.as_ref();
    let (function, lanes) = (pieces.function, forms::lanes());
    let (vis, inputs, clause) = (&function.item.vis, pieces.inputs(), repeated(pieces));
    let params = function.item.sig.generics.params.iter();
    let (ret, tangent) = (pieces.result(), pieces.result_tangent());
    let ty = tangents(pieces).1;
    let runs = runs(pieces, "jvp", "tangents");
    let reads = pieces.params().all(|(_, p)| p.by != By::Mut);
    let body = match in_lanes.filter(|_| reads) {
        // A refused function cannot be called.
        _ if bodies.stub => quote!(::core::unreachable!()),
        Some(InLanes { callees, .. }) => {
            let known = Ident::new(IN_LANES, Span::call_site());
            let runs = (!callees.is_empty()).then(|| quote!(if !Self::#known { return #runs; }));
            let all = at_once(pieces);
            quote!(#runs #all)
        }
        None => runs,
    };
    quote! {
        /// Forward mode in several directions: the value, and the derivative along each of the given tangents.
        #[inline]
        #vis fn jvp_lanes<#(#params,)* const #lanes: usize>(#(#inputs,)* tangents: [#ty; #lanes]) -> (#ret, [#tangent; #lanes]) #clause { #body }
    }
}

/// `vjp_lanes`: the sweeps of one seed after the other.
pub(super) fn seeds(pieces: &Pieces<'_>, bodies: &Bodies) -> TokenStream {
    let (function, lanes) = (pieces.function, forms::lanes());
    let (vis, inputs, clause) = (&function.item.vis, pieces.inputs(), repeated(pieces));
    let params = function.item.sig.generics.params.iter();
    let (ret, tangent, gradient) = (pieces.result(), pieces.result_tangent(), pieces.gradient());
    let body = if bodies.stub {
        quote!(::core::unreachable!())
    } else {
        runs(pieces, "vjp", "seeds")
    };
    quote! {
        /// Reverse mode for several seeds: the value, and the cotangents of the parameters for each of them.
        #[inline]
        #vis fn vjp_lanes<#(#params,)* const #lanes: usize>(#(#inputs,)* seeds: [#tangent; #lanes]) -> (#ret, [#gradient; #lanes]) #clause { #body }
    }
}

/// One run of `form` after the other, with each of what is given last; each begins with the state as it was before the first.
fn runs(pieces: &Pieces<'_>, form: &str, given: &str) -> TokenStream {
    let [form, given] = [form, given].map(|name| Ident::new(name, Span::call_site()));
    let (turbofish, lanes) = (&pieces.turbofish, forms::lanes());
    let Runs {
        start,
        first,
        again,
    } = Runs::new(pieces);
    let run = |args: &[TokenStream]| quote!(Self::#form #turbofish (#(#args,)* #given));
    let called = own::call(pieces, &first);
    if start.is_empty() {
        let run = run(&again);
        return quote!(rt::lanes::runs(#given, |#given| #run, || #called));
    }
    // The two closures would both borrow what the function changes.
    let (again, first) = (run(&again), run(&first));
    quote! {
        if #lanes == 0 {
            let value = #called;
            return (value, rt::lanes::each(|_| ::core::unreachable!()));
        }
        #start
        let mut begun = false;
        rt::lanes::runs(#given, |#given| if rt::replace(&mut begun, true) { #again } else { #first }, || ::core::unreachable!())
    }
}

/// The body of `jvp_lanes`, in lanes.
fn at_once(pieces: &Pieces<'_>) -> TokenStream {
    let (pattern, lanes) = (tangents(pieces).0, forms::lanes());
    let checks = pieces.checks(&|n| prefixed("dot", n), &|_| true);
    let checks = (!checks.is_empty()).then(|| quote!(for #pattern in &tangents { #checks }));
    let single = pieces.active().count() == 1;
    let (mut made, mut given, mut parts) = (TokenStream::new(), Vec::new(), 0..);
    for (k, (name, p)) in pieces.params().enumerate() {
        let (dot, zero) = (prefixed("dot", name), format_ident!("__zero_{k}"));
        let lent = (p.by == By::Value).then(|| quote!(&));
        let zero = quote!(&Self::#zero(#lent #name));
        made.extend(if p.active {
            let part = parts.next().map(Literal::usize_unsuffixed);
            let part = match (part.filter(|_| !single), p.by) {
                (Some(part), By::Value) => quote!(&all.#part),
                (Some(part), By::Ref | By::Mut) => quote!(all.#part),
                (None, By::Value) => quote!(all),
                (None, By::Ref | By::Mut) => quote!(*all),
            };
            quote!(let #dot = rt::lanes::along(#zero, &tangents, |all| #part);)
        } else {
            quote!(let #dot = rt::lanes::widen::<_, #lanes>(#zero);)
        });
        let lent = (p.by != By::Value).then(|| quote!(&));
        given.push(quote!(#lent #dot));
    }
    let (form, args) = (Ident::new(JVP_LANES, Span::call_site()), pieces.args());
    quote! {
        #checks
        #made
        let (value, tangent) = Self::#form(rt::lanes::Width, (#(#args,)*), (#(#given,)*));
        (value, rt::lanes::apart(&tangent))
    }
}

/// Sets the tangents or cotangents of what is only written to zero.
pub(super) fn clear_outs(pieces: &Pieces<'_>, prefix: &str) -> TokenStream {
    let params = pieces.params().enumerate();
    let outs = params.filter(|(_, (_, p))| p.out && p.active);
    outs.map(|(k, (name, p))| {
        let (given, zero) = (prefixed(prefix, name), format_ident!("__zero_{k}"));
        if matches!(types::strip(&p.inner), syn::Type::Slice(_)) {
            quote!(rt::set_zero(&mut *#given);)
        } else {
            quote!(*#given = Self::#zero(&*#name);)
        }
    })
    .collect()
}

/// The argument `tangents`: its names as a pattern, and its type.
pub(super) fn tangents(pieces: &Pieces<'_>) -> (TokenStream, TokenStream) {
    let entries: Vec<(Ident, TokenStream)> = pieces
        .params()
        .filter(|(_, p)| p.active)
        .map(|(name, p)| {
            let ty = match p.by {
                By::Value => owned(&p.inner),
                By::Ref => {
                    let ty = buffer(&p.inner);
                    quote!(&#ty)
                }
                By::Mut => {
                    let ty = exclusive(p);
                    quote!(&mut #ty)
                }
            };
            (prefixed("dot", name), ty)
        })
        .collect();
    let (names, types): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
    match (names.as_slice(), types.as_slice()) {
        ([n], [t]) => (quote!(#n), quote!(#t)),
        _ => (quote!((#(#names),*)), quote!((#(#types),*))),
    }
}
