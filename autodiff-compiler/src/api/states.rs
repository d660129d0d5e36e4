//! Jacobians of functions that leave final states in memory which they are lent, `&mut` parameters.
//!
//! Each run begins with that memory as it was, so the last one leaves it as one call does.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::copy_of;
use super::forward::tangents;
use super::jacobian::{lent, repeated, said, scalar_of};
use super::own::call;
use super::reverse::restoring;
use super::second::Perhaps;
use super::tangents::exclusive;
use super::{Pieces, prefixed, sparse};
use crate::forms::lanes;
use crate::function::By;
use crate::types;

/// What the runs of a function are given, and what they yield.
struct Runs {
    /// Keeps what is in the memory, before the first run.
    start: TokenStream,
    /// Puts it back, before each of them.
    put_back: TokenStream,
    /// The arguments, copied where they are owned.
    args: Vec<TokenStream>,
    /// Zeros of the parameters that have columns, as a tuple, and the names for these tangents.
    zeros: TokenStream,
    columns: Vec<Ident>,
    /// Makes the tangents of what is only written.
    outs: TokenStream,
    /// The tangents as `jvp` takes them.
    tangents: TokenStream,
    /// The tangents of the final states.
    states: Vec<Ident>,
    /// The zeros of these.
    state_zeros: Vec<TokenStream>,
}

impl Runs {
    fn new(pieces: &Pieces<'_>) -> Runs {
        let (mut start, mut put_back, mut outs) = Default::default();
        let (mut args, mut zeros, mut tangents) = (Vec::new(), Vec::new(), Vec::new());
        let (mut columns, mut states, mut state_zeros) = (Vec::new(), Vec::new(), Vec::new());
        for (k, (name, p)) in pieces.params().enumerate() {
            let (of, arg) = match p.by {
                By::Value => (quote!(&#name), copy_of(p, name)),
                By::Ref => (quote!(#name), quote!(#name)),
                By::Mut => (quote!(&*#name), quote!(&mut *#name)),
            };
            args.push(arg);
            if p.by == By::Mut {
                let kept = prefixed("start", name);
                start = quote!(#start let #kept = rt::Start::of(&*#name););
                put_back = quote!(#put_back #kept.put_back(&mut *#name););
            }
            if !p.active {
                continue;
            }
            let (dot, zero) = (prefixed("dot", name), format_ident!("__zero_{k}"));
            let zero = quote!(Self::#zero(#of));
            if p.out {
                outs = quote!(#outs let mut #dot = #zero;);
            } else {
                zeros.push(zero.clone());
                columns.push(dot.clone());
            }
            tangents.push(match p.by {
                By::Value => quote!(#dot),
                By::Ref => quote!(&#dot),
                By::Mut => quote!(&mut #dot),
            });
            if p.by == By::Mut {
                states.push(dot);
                state_zeros.push(zero);
            }
        }
        let tangents = match tangents.as_slice() {
            [one] => one.clone(),
            all => quote!((#(#all),*)),
        };
        Runs {
            start,
            put_back,
            args,
            zeros: quote!((#(#zeros,)*)),
            columns,
            outs,
            tangents,
            states,
            state_zeros,
        }
    }
}

/// The bounds of what runs the function several times on the same memory.
pub(super) fn several_runs(pieces: &Pieces<'_>) -> Option<syn::WhereClause> {
    let mut clause = restoring(pieces, repeated(pieces));
    let lent_to = pieces.active().filter(|(_, p)| p.by == By::Mut);
    for (_, p) in lent_to.filter(|(_, p)| !p.ty.is_numbers()) {
        let bound = types::deferred(lent(&p.passed), &quote!(rt::Copied));
        said(&mut clause, bound);
    }
    clause
}

/// `jvp_lanes`: forward mode in several directions, one after the other.
fn directions(pieces: &Pieces<'_>, clause: Option<&syn::WhereClause>) -> TokenStream {
    let (function, turbofish, lanes) = (pieces.function, &pieces.turbofish, lanes());
    let (vis, inputs, ret) = (&function.item.vis, pieces.inputs(), pieces.result());
    let params = function.item.sig.generics.params.iter();
    let (tangent, ty) = (pieces.result_tangent(), tangents(pieces).1);
    let Runs {
        start,
        put_back,
        args,
        ..
    } = Runs::new(pieces);
    let called = call(pieces, &args);
    let run = quote! {
        #put_back
        Self::jvp #turbofish (#(#args,)* tangents)
    };
    let (output, body) = if function.ret.is_none() {
        let body = quote! {
            if #lanes == 0 { #called; }
            for tangents in tangents { #run }
        };
        (quote!(()), body)
    } else {
        let body = quote! {
            let mut value = rt::None;
            let tangents = tangents.map(|tangents| {
                let (again, tangent) = { #run };
                value = rt::Some(again);
                tangent
            });
            let value = match value {
                rt::Some(value) => value,
                rt::None => #called,
            };
            (value, tangents)
        };
        (quote!((#ret, [#tangent; #lanes])), body)
    };
    quote! {
        /// Forward mode in several directions: the value, and the derivative along each of the given tangents.
        #[inline]
        #vis fn jvp_lanes<#(#params,)* const #lanes: usize>(#(#inputs,)* tangents: [#ty; #lanes]) -> #output #clause {
            #start
            #body
        }
    }
}

/// `vjp_lanes`: reverse mode for several seeds and cotangents of the final states, one after the other.
fn seeds(pieces: &Pieces<'_>, clause: Option<&syn::WhereClause>) -> TokenStream {
    let (function, turbofish, lanes) = (pieces.function, &pieces.turbofish, lanes());
    let (vis, inputs, ret) = (&function.item.vis, pieces.inputs(), pieces.result());
    let params = function.item.sig.generics.params.iter();
    let (tangent, gradient) = (pieces.result_tangent(), pieces.gradient());
    let Runs {
        start,
        put_back,
        args,
        ..
    } = Runs::new(pieces);
    let called = call(pieces, &args);
    let unit = function.ret.is_none();
    let seeds = (!unit).then(|| (Ident::new("seeds", Span::call_site()), tangent));
    let bars = pieces.active().filter(|(_, p)| p.by == By::Mut);
    let bars = bars.map(|(name, p)| {
        let ty = exclusive(p);
        (prefixed("g", name), quote!(&mut #ty))
    });
    let (names, types): (Vec<_>, Vec<_>) = seeds.into_iter().chain(bars).unzip();
    let run = quote!(Self::vjp #turbofish (#(#args,)* #(rt::lanes::following(&mut #names)),*));
    let (output, body) = if unit {
        let body = quote! {
            if #lanes == 0 { #called; }
            rt::lanes::each(|_| { #put_back #run })
        };
        (quote!([#gradient; #lanes]), body)
    } else {
        let body = quote! {
            let mut value = rt::None;
            let gradients = rt::lanes::each(|_| {
                #put_back
                let (again, gradient) = #run;
                value = rt::Some(again);
                gradient
            });
            (value.unwrap_or_else(|| #called), gradients)
        };
        (quote!((#ret, [#gradient; #lanes])), body)
    };
    quote! {
        /// Reverse mode for several seeds, each with its cotangents of the final states, which become those of the initial ones: the value, and the cotangents of the parameters.
        #[inline]
        #vis fn vjp_lanes<#(#params,)* const #lanes: usize>(#(#inputs,)* #(#names: [#types; #lanes]),*) -> #output #clause {
            #start
            #(let mut #names = #names.into_iter();)*
            #body
        }
    }
}

/// `jacobian` and its kin.
pub(super) fn jacobians(pieces: &Pieces<'_>) -> TokenStream {
    let (function, generics, turbofish) = (pieces.function, &pieces.generics, &pieces.turbofish);
    let (vis, scalar, clause) = (
        &function.item.vis,
        scalar_of(function),
        several_runs(pieces),
    );
    let (inputs, given, ret) = (pieces.inputs(), pieces.args(), pieces.result());
    let Runs {
        start,
        put_back,
        args,
        zeros,
        columns,
        outs,
        tangents,
        states,
        state_zeros,
    } = Runs::new(pieces);
    let (unit, perhaps) = (function.ret.is_none(), Perhaps::of_any(function));
    let asked = perhaps.asked();
    let call_jvp = quote!(Self::jvp #turbofish (#(#args,)* #tangents));
    let results = if unit {
        quote!(#call_jvp; let (value, tangent) = ((), ());)
    } else {
        quote!(let (value, tangent) = #call_jvp;)
    };
    let forward = |reverse: bool| {
        quote! {
            #start
            let (value, matrix) = rt::by_columns::<#scalar, _, _, _>(#zeros, #reverse, |(#(mut #columns,)*)| {
                #put_back
                #outs
                #results
                (value, (tangent, (#(#states,)*)))
            });
        }
    };
    let both = forward(true);
    let both = quote! {
        #both
        let matrix = match matrix {
            rt::Some(matrix) => matrix,
            rt::None => {
                #put_back
                Self::jacrev #turbofish (#(#args),*) #asked
            }
        };
    };
    let swept = |form: TokenStream, given: TokenStream| {
        quote! {
            #start
            #form(#zeros, #given |(#(mut #columns,)*)| {
                #put_back
                #outs
                #results
                (value, (tangent, (#(#states,)*)))
            })
        }
    };
    let sparse = sparse::is_of_lists(pieces).then(|| {
        let jacobian = swept(quote!(rt::sparse::by_colors::<#scalar, _, _, _>), quote!(coloring,));
        let probed = swept(quote!(rt::sparse::probed), TokenStream::new());
        let colored = sparse::colored(pieces);
        sparse::functions(
            quote!(#vis fn sparse_jacobian #generics (#(#colored),*) -> rt::sparse::SparseMatrix<#scalar> #clause { #jacobian }),
            quote!(#vis fn sparse_pattern #generics (#(#inputs),*) -> rt::sparse::Pattern #clause { #probed }),
        )
    });
    let matrix = quote!(rt::Matrix<#scalar>);
    let value = (!unit).then(|| {
        let inside = perhaps.inside(ret);
        let output = perhaps.ty(&quote!((#inside, #matrix)));
        let returned = perhaps.of_value(&quote!(value), &quote!((value, matrix)));
        quote! {
            /// The value and the Jacobian.
            #[inline]
            #vis fn value_and_jacobian #generics (#(#inputs),*) -> #output #clause {
                #both
                #returned
            }
        }
    });
    let jacobian = if unit {
        quote!(#both matrix)
    } else {
        perhaps.part(&quote!(Self::value_and_jacobian #turbofish (#(#given),*)))
    };
    let matrix = perhaps.ty(&matrix);
    let returned = perhaps.of_value(&quote!(_), &quote!(matrix));
    let written = perhaps.written();
    let write = perhaps.write();
    let forward = forward(false);
    let called = call(pieces, &args);
    let bars = states.iter().map(|bar| quote!(&mut #bar));
    let gradients = pieces.active().filter(|(_, p)| p.by != By::Mut);
    let gradients: Vec<Ident> = gradients.map(|(n, _)| prefixed("dot", n)).collect();
    let gradient = match gradients.as_slice() {
        [one] => one.to_token_stream(),
        all => quote!((#(#all),*)),
    };
    let (seed, pattern) = if unit {
        (None, gradient)
    } else {
        (Some(quote!(seed,)), quote!((_, #gradient)))
    };
    // What returns the receiver has no result here.
    let zero = if unit {
        quote!(())
    } else {
        quote!(rt::zero_like(&value))
    };
    let leave = super::failures::leave(function);
    let lanes = directions(pieces, clause.as_ref());
    let seeds = seeds(pieces, clause.as_ref());
    quote! {
        #lanes

        #seeds

        /// The Jacobian: a row per scalar of the result and of the final states, and a column per scalar of the differentiable parameters, in order; by the cheaper mode.
        #[inline]
        #vis fn jacobian #generics (#(#inputs),*) -> #matrix #clause {
            #jacobian
        }

        #value

        /// The Jacobian in forward mode: one sweep per column.
        #[inline]
        #vis fn jacfwd #generics (#(#inputs),*) -> #matrix #clause {
            #forward
            let matrix = matrix.unwrap_or_else(|| ::core::unreachable!());
            #returned
        }

        /// The Jacobian in reverse mode: one sweep per row.
        #[inline]
        #vis fn jacrev #generics (#(#inputs),*) -> #matrix #clause {
            #start
            let value = #called;
            let matrix = rt::by_rows((#zero, (#(#state_zeros,)*)), |(seed, (#(mut #states,)*))| {
                #put_back
                let #pattern = Self::vjp #turbofish (#(#args,)* #seed #(#bars),*);
                (#(#columns,)*)
            });
            #returned
        }

        /// Writes the Jacobian to `out`, row by row; panics if `out` does not have as many elements.
        #[inline]
        #vis fn jacobian_into #generics (#(#inputs,)* out: &mut [#scalar]) #written #clause {
            let matrix = Self::jacobian #turbofish (#(#given),*);
            #leave
            #write
        }

        #sparse
    }
}
