//! `jacobian` and its kin.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::copy_of;
use super::lanes::in_lanes;
use super::own::call;
use super::refused::Refused;
use super::second::Perhaps;
use super::{InLanes, NO_FORWARD, NO_REVERSE, Pieces, failures, prefixed, sparse};
use crate::forms;
use crate::function::{By, GradFn, ParamInfo};
use crate::ir::{Ty, Width};
use crate::lanes;
use crate::types;

/// The arguments of a function that is called again and again.
///
/// One run, the first, changes the state behind the constants itself; each of the others begins with a copy of what that had been.
pub(super) struct Runs {
    /// Copies the state, before the first run.
    pub(super) start: TokenStream,
    /// The arguments of the first run, copied where they are owned.
    pub(super) first: Vec<TokenStream>,
    /// Those of any other run.
    pub(super) again: Vec<TokenStream>,
}

impl Runs {
    pub(super) fn new(pieces: &Pieces<'_>) -> Runs {
        let (mut start, mut first, mut again) = (TokenStream::new(), Vec::new(), Vec::new());
        for (name, p) in pieces.params() {
            let arg = match p.by {
                By::Value if !is_copied(&p.ty) => copy_of(p, name),
                By::Value | By::Ref => name.to_token_stream(),
                By::Mut => {
                    let kept = prefixed("start", name);
                    start.extend(quote!(let #kept = rt::Start::of(&*#name);));
                    first.push(quote!(&mut *#name));
                    again.push(quote!(rt::Start::lend(&mut rt::Start::again(&#kept))));
                    continue;
                }
            };
            first.push(arg.clone());
            again.push(arg);
        }
        Runs {
            start,
            first,
            again,
        }
    }
}

/// Whether each use of an argument is a copy of it; of a type parameter only its bounds say so.
fn is_copied(ty: &Ty) -> bool {
    ty.is_scalar() && !matches!(ty, Ty::Float(Width::Generic))
}

/// What running forward mode along one direction after the other takes.
pub(super) struct Directions {
    /// Makes the tangents.
    pub(super) zeros: TokenStream,
    /// The tangents as they are passed.
    pub(super) given: TokenStream,
    pub(super) dots: Vec<Ident>,
}

impl Directions {
    pub(super) fn new(pieces: &Pieces<'_>) -> Directions {
        let mut zeros = TokenStream::new();
        let mut tangents = Vec::new();
        let mut dots = Vec::new();
        for (k, (name, p)) in pieces.params().enumerate() {
            if !p.active {
                continue;
            }
            let dot = prefixed("dot", name);
            let zero = format_ident!("__zero_{k}");
            let of = if p.by == By::Value {
                quote!(&#name)
            } else {
                quote!(#name)
            };
            zeros.extend(quote!(let mut #dot = Self::#zero(#of);));
            tangents.push(match p.by {
                By::Value => quote!(rt::copy(&#dot)),
                By::Ref | By::Mut => quote!(&#dot),
            });
            dots.push(dot);
        }
        let given = match tangents.as_slice() {
            [one] => one.clone(),
            all => quote!((#(#all),*)),
        };
        Directions { zeros, given, dots }
    }
}

/// The tangents of one direction after the other, as the runtime makes them.
pub(super) struct Columns {
    /// Zeros, as a tuple.
    pub(super) zeros: TokenStream,
    pub(super) dots: Vec<Ident>,
    /// The tangents as they are passed.
    pub(super) tangents: TokenStream,
}

impl Columns {
    pub(super) fn new(pieces: &Pieces<'_>) -> Columns {
        let (mut zeros, mut dots, mut tangents) = (Vec::new(), Vec::new(), Vec::new());
        for (k, (name, p)) in pieces.params().enumerate().filter(|(_, (_, p))| p.active) {
            let (dot, zero) = (prefixed("dot", name), format_ident!("__zero_{k}"));
            let owned = p.by == By::Value;
            zeros.push(if owned {
                quote!(Self::#zero(&#name))
            } else {
                quote!(Self::#zero(#name))
            });
            tangents.push(match &p.ty {
                _ if owned => quote!(#dot),
                // Of what has no type, because the code has errors, rustc would think that it is the slice.
                Ty::Slice(_) => quote!(&#dot[..]),
                _ => quote!(&#dot),
            });
            dots.push(dot);
        }
        Columns {
            zeros: quote!((#(#zeros,)*)),
            dots,
            tangents: match tangents.as_slice() {
                [one] => one.clone(),
                all => quote!((#(#all),*)),
            },
        }
    }
}

/// How many numbers the differentiable parameters have, if their types say it.
pub(super) fn known_columns(pieces: &Pieces<'_>) -> Option<usize> {
    let counts = pieces.active().map(|(_, p)| lanes::scalars(&p.ty));
    counts.sum()
}

/// The type parameters that are the types of constants, of which nobody has said that they can be cloned.
pub(super) fn constants_of_parameters<'a>(pieces: &Pieces<'a>) -> Vec<&'a Ident> {
    let function = pieces.function;
    let parameters = function.item.sig.generics.type_params();
    let constants = function
        .params
        .iter()
        .filter(|p| p.by == By::Value && !p.tangible);
    let constants: Vec<&syn::Type> = constants.map(|p| &p.inner).collect();
    parameters
        .map(|t| &t.ident)
        .filter(|name| constants.iter().any(|ty| types::is_named(ty, name)))
        .collect()
}

/// The bounds of a function that calls the function again and again: constants that are passed by value, or that it changes, are needed as often.
pub(super) fn repeated(pieces: &Pieces<'_>) -> Option<syn::WhereClause> {
    let mut clause = copied(pieces, pieces.clause.clone());
    for p in constants(pieces, By::Value) {
        let bound = types::deferred(&p.passed, &quote!(::core::clone::Clone));
        said(&mut clause, bound);
    }
    clause
}

/// The bounds of what copies the state behind constants, which the function changes.
pub(super) fn copied(
    pieces: &Pieces<'_>,
    mut clause: Option<syn::WhereClause>,
) -> Option<syn::WhereClause> {
    for p in constants(pieces, By::Mut) {
        let bound = types::deferred(lent(&p.passed), &quote!(rt::Copied));
        said(&mut clause, bound);
    }
    clause
}

/// The constants that are passed so, and may be of a type without copies.
pub(super) fn constants<'a>(pieces: &'a Pieces<'_>, by: By) -> impl Iterator<Item = &'a ParamInfo> {
    let params = pieces.function.params.iter();
    params.filter(move |p| p.by == by && !p.active && !p.ty.is_numbers())
}

/// Adds a bound. If one is said twice, rustc does not know which of them to take.
pub(super) fn said(clause: &mut Option<syn::WhereClause>, bound: syn::WherePredicate) {
    let clause = clause.get_or_insert_with(|| syn::parse_quote!(where));
    let text = bound.to_token_stream().to_string();
    let mut others = clause.predicates.iter();
    if others.all(|other| other.to_token_stream().to_string() != text) {
        clause.predicates.push(bound);
    }
}

/// What a reference is to.
pub(super) fn lent(ty: &syn::Type) -> &syn::Type {
    match types::strip_groups(ty) {
        syn::Type::Reference(t) => &t.elem,
        ty => ty,
    }
}

/// The scalar `x`, of a tangent, in the type of the matrix.
pub(super) fn number(function: &GradFn, scalar: &Ident) -> TokenStream {
    // A type parameter has no `as`.
    if function.numeric.contains(scalar) {
        quote!(rt::num::lit::<#scalar>(*x))
    } else {
        quote!(*x as #scalar)
    }
}

pub(super) fn jacobian_api(
    pieces: &Pieces<'_>,
    refused: &Refused,
    in_lanes: Option<&InLanes>,
) -> TokenStream {
    let Pieces {
        generics,
        turbofish,
        function,
        ..
    } = pieces;
    let vis = &function.item.vis;
    let (inputs, args) = (pieces.inputs(), pieces.args());
    let ret = pieces.result();
    let tangent = pieces.result_tangent();
    let (scalar, perhaps) = (scalar_of(function), Perhaps::of_any(function));
    let Runs {
        start,
        first,
        again,
    } = Runs::new(pieces);
    let Columns {
        zeros,
        dots,
        tangents,
    } = Columns::new(pieces);
    let jvp = |args: &[TokenStream]| quote!(Self::jvp #turbofish (#(#args,)* #tangents));
    let single = known_columns(pieces) == Some(1);
    // All columns, as `form` of the runtime asks for them; `others` are its arguments in front of the sweep and behind it.
    let swept = |form: &TokenStream, others: [TokenStream; 2]| {
        let ([before, after], again, first) = (others, jvp(&again), jvp(&first));
        let (begin, run) = if single {
            (quote!(), jvp(&args))
        } else if start.is_empty() {
            (quote!(), again)
        } else {
            let begin = quote!(#start let mut begun = false;);
            let run = quote!(if rt::replace(&mut begun, true) { #again } else { #first });
            (begin, run)
        };
        quote!(#begin #form(#zeros, #before |(#(#dots,)*)| #run #after))
    };
    let by_columns = |form: &str, others: [TokenStream; 2]| {
        let form = Ident::new(form, Span::mixed_site());
        swept(&quote!(rt::#form), others)
    };
    let all_columns = || {
        let form = if single { "one_column" } else { "all_columns" };
        by_columns(form, Default::default())
    };
    let (once, often) = (&pieces.clause, &repeated(pieces));
    let one_row = matches!(function.ret_ty, Ty::Float(_)) && refused.reverse.is_none();
    let either = !(one_row || single || refused.forward.is_some() || refused.reverse.is_some());
    let (clause, value_and_jacobian) = if one_row {
        let body = quote!(rt::one_row::<#scalar, _, _>(Self::vjp #turbofish (#(#args,)* <#tangent as rt::Unit>::unit())));
        (once, body)
    } else if refused.forward.is_some() {
        let call = call(pieces, &first);
        let body = quote! {
            #start
            let value = #call;
            (value, Self::jacrev #turbofish (#(#again),*))
        };
        (often, body)
    } else if either {
        let body = quote! {
            let mut entries = rt::Entries::new();
            let value = Self::__jacobian #turbofish (#(#args,)* &mut entries);
            (value, entries.matrix())
        };
        (often, body)
    } else {
        (if single { once } else { often }, all_columns())
    };
    let called = pieces.params().all(|(_, p)| p.by != By::Mut);
    let in_lanes = in_lanes.filter(|_| either && called);
    let pass = in_lanes.map(|_| columns_in_lanes(pieces));
    // Only rustc knows whether what is called has lanes.
    let one_by_one = |lanes: TokenStream, columns: &dyn Fn() -> TokenStream| {
        let known = Ident::new(forms::IN_LANES, Span::call_site());
        match in_lanes {
            Some(InLanes { callees, .. }) if callees.is_empty() => lanes,
            Some(_) => {
                let columns = columns();
                quote!(if Self::#known { #lanes } else { #columns })
            }
            None => columns(),
        }
    };
    let wide = quote!((0 #(+ rt::Tangent::scalar_count(&#dots))*, |first| Self::__columns(#(#again,)* first)));
    let either = either.then(|| {
        let rows = quote!(|seed: #tangent| Self::vjp #turbofish (#(#again,)* seed), entries);
        let alike = start.is_empty();
        let body = one_by_one(
            quote!(let (#(#dots,)*) = #zeros; rt::cheaper_mode_in_lanes(#wide, #rows)),
            &|| by_columns("cheaper_mode", [quote!(#alike,), quote!(, #rows)]),
        );
        quote! {
            #[inline]
            fn __jacobian #generics (#(#inputs,)* entries: &mut rt::Entries<'_, #scalar>) -> #ret #often { #body }
            #pass
        }
    });
    let inside = perhaps.inside(ret.clone());
    let matrix = quote!(rt::Matrix<#scalar>);
    let both = perhaps.ty(&quote!((#inside, #matrix)));
    let matrix = perhaps.ty(&matrix);
    let value_and_jacobian = perhaps.both(value_and_jacobian);
    let jacobian = perhaps.part(&quote!(Self::value_and_jacobian #turbofish (#(#args),*)));
    let jacfwd = match &refused.forward {
        Some(refusal) => refusal.functions(pieces, NO_FORWARD, &[("jacfwd", 0, matrix.clone())]),
        None => {
            let clause = if single { once } else { often };
            let body = one_by_one(
                {
                    let all = perhaps.matrix(&quote!(rt::all_columns_in_lanes(#wide)));
                    quote!(let (#(#dots,)*) = #zeros; #all)
                },
                &|| {
                    let body = all_columns();
                    if start.is_empty() || single {
                        perhaps.matrix(&body)
                    } else {
                        perhaps.matrix(&quote!(({ #body })))
                    }
                },
            );
            quote! {
                /// The Jacobian in forward mode: column by column, or several columns in one sweep.
                #[inline]
                #vis fn jacfwd #generics (#(#inputs),*) -> #matrix #clause { #body }
            }
        }
    };
    let jacrev = if one_row {
        quote!(Self::value_and_jacobian #turbofish (#(#args),*).1)
    } else {
        let (pattern, shape) = if refused.forward.is_some() {
            let call = call(pieces, &first);
            (quote!(_), quote!(rt::zero_like(&#call)))
        } else {
            let jvp = jvp(&first);
            (quote!((#(#dots,)*)), quote!(#jvp.1))
        };
        let form = Ident::new(perhaps.rows(), Span::mixed_site());
        quote! {
            #start
            rt::#form(#zeros, |#pattern| #shape, |seed: #tangent| Self::vjp #turbofish (#(#again,)* seed).1)
        }
    };
    let (written, write) = (perhaps.written(), perhaps.write());
    let into = if either.is_some() && function.options.fails.is_none() && written.is_none() {
        quote!(Self::__jacobian #turbofish (#(#args,)* &mut rt::Entries::given(out));)
    } else {
        let leave = failures::leave(function);
        quote! {
            let matrix = Self::jacobian #turbofish (#(#args),*);
            #leave
            #write
        }
    };
    let jacrev = match &refused.reverse {
        Some(refusal) => refusal.functions(pieces, NO_REVERSE, &[("jacrev", 0, matrix.clone())]),
        None => {
            let clause = if one_row { once } else { often };
            quote! {
                /// The Jacobian in reverse mode: one sweep per row.
                #[inline]
                #vis fn jacrev #generics (#(#inputs),*) -> #matrix #clause { #jacrev }
            }
        }
    };
    let sparse =
        (sparse::is_of_lists(pieces) && !one_row && refused.forward.is_none()).then(|| {
            sparse::jacobian(pieces, in_lanes, &|form, given| {
                swept(form, [given.clone(), TokenStream::new()])
            })
        });
    quote! {
        /// The Jacobian, a row per scalar of the result and a column per scalar of the differentiable parameters, in order; by the cheaper mode.
        #[inline]
        #vis fn jacobian #generics (#(#inputs),*) -> #matrix #clause { #jacobian }

        /// The value and the Jacobian.
        #[inline]
        #vis fn value_and_jacobian #generics (#(#inputs),*) -> #both #clause {
            #value_and_jacobian
        }

        #jacfwd

        #jacrev

        /// Writes the Jacobian to `out`, row by row; panics if `out` does not have as many elements.
        #[inline]
        #vis fn jacobian_into #generics (#(#inputs,)* out: &mut [#scalar]) #written #clause { #into }

        #either

        #sparse
    }
}

/// A forward sweep in several directions at once: that of number `first` of the parameters, and those behind it.
fn columns_in_lanes(pieces: &Pieces<'_>) -> TokenStream {
    // Fewer directions than there are lanes are computed in vain.
    let known = known_columns(pieces);
    let count = [2, 4].into_iter().find(|n| known.is_some_and(|k| k <= *n));
    let count = Literal::usize_unsuffixed(count.unwrap_or(8));
    let (lanes, inputs, ret) = (forms::lanes(), pieces.inputs(), pieces.result());
    let tangent = in_lanes(pieces.result_tangent(), &count.to_token_stream());
    let (mut made, mut given) = (TokenStream::new(), Vec::new());
    for (k, (name, p)) in pieces.params().enumerate() {
        let (dot, zero) = (prefixed("dot", name), format_ident!("__zero_{k}"));
        let lent = (p.by == By::Value).then(|| quote!(&));
        made.extend(
            quote!(let mut #dot = rt::lanes::widen::<_, #lanes>(&Self::#zero(#lent #name));),
        );
        if p.active {
            made.extend(quote!(rt::lanes::Wide::<#lanes>::point(&mut #dot, first, &mut at);));
        }
        let lent = (p.by != By::Value).then(|| quote!(&));
        given.push(quote!(#lent #dot));
    }
    let (generics, clause, args) = (&pieces.generics, &pieces.clause, pieces.args());
    let form = Ident::new(forms::JVP_LANES, Span::call_site());
    quote! {
        #[inline]
        fn __columns #generics (#(#inputs,)* first: usize) -> (#ret, #tangent) #clause {
            const #lanes: usize = #count;
            let mut at = 0;
            #made
            Self::#form(rt::lanes::Width::<#lanes>, (#(#args,)*), (#(#given,)*))
        }
    }
}

/// The gradient by one forward sweep per direction.
pub(super) fn columns(pieces: &Pieces<'_>) -> TokenStream {
    let Pieces {
        generics,
        turbofish,
        ..
    } = pieces;
    let clause = repeated(pieces);
    let (inputs, ret, gradient) = (pieces.inputs(), pieces.result(), pieces.gradient());
    let again = Runs::new(pieces).again;
    let Directions { zeros, given, dots } = Directions::new(pieces);
    let gradients: Vec<Ident> = pieces.active().map(|(n, _)| prefixed("d", n)).collect();
    let made = pieces
        .params()
        .enumerate()
        .filter(|(_, (_, p))| p.active)
        .map(|(k, (name, p))| {
            let (shadow, zero) = (prefixed("d", name), format_ident!("__zero_{k}"));
            let of = if p.by == By::Value {
                quote!(&#name)
            } else {
                quote!(#name)
            };
            quote!(let mut #shadow = Self::#zero(#of);)
        });
    let entries = match gradients.as_slice() {
        [one] => quote!(#one),
        all => quote!((#(#all),*)),
    };
    let call = quote!(Self::jvp #turbofish (#(#again,)* #given));
    quote! {
        #[inline]
        fn __gradient #generics (#(#inputs),*) -> (#ret, #gradient) #clause {
            #(#made)*
            #zeros
            let mut value = rt::None;
            #(
                for k in 0..rt::Tangent::scalar_count(&#gradients) {
                    let mut at = 0;
                    rt::Tangent::for_each_scalar(&mut #dots, &mut |x| { *x = if at == k { 1.0 } else { 0.0 }; at += 1; });
                    let (again, partial) = #call;
                    value = rt::Some(again);
                    let mut at = 0;
                    rt::Tangent::for_each_scalar(&mut #gradients, &mut |x| { if at == k { *x = partial as f64; } at += 1; });
                }
                rt::Tangent::for_each_scalar(&mut #dots, &mut |x| *x = 0.0);
            )*
            let value = match value {
                rt::Some(value) => value,
                rt::None => #call.0,
            };
            (value, #entries)
        }
    }
}

/// The scalar type of the result and of final states: `f64` where both widths occur.
pub(super) fn scalar_of(function: &GradFn) -> Ident {
    fn widths(ty: &Ty, narrow: &mut bool, wide: &mut bool) {
        match ty {
            Ty::Float(crate::ir::Width::F32) => *narrow = true,
            Ty::Array(e, _) | Ty::Slice(e) | Ty::Vec(e) | Ty::Option(e) => {
                widths(e, narrow, wide);
            }
            Ty::Tuple(parts) => parts.iter().for_each(|p| widths(p, narrow, wide)),
            Ty::Int | Ty::Bool | Ty::Inert => {}
            _ => *wide = true,
        }
    }
    let states = function.params.iter();
    let states: Vec<_> = states.filter(|p| p.active && p.by == By::Mut).collect();
    if function.ret_ty.is_generic() || states.iter().any(|p| p.ty.is_generic()) {
        let mut outputs = function.ret.to_token_stream();
        states.iter().for_each(|p| p.inner.to_tokens(&mut outputs));
        let mut found = function.numeric.iter();
        if let Some(name) = found.find(|name| types::mentions(&outputs, name)) {
            return name.clone();
        }
    }
    let (mut narrow, mut wide) = (false, false);
    widths(&function.ret_ty, &mut narrow, &mut wide);
    states
        .iter()
        .for_each(|p| widths(&p.ty, &mut narrow, &mut wide));
    Ident::new(
        if narrow && !wide { "f32" } else { "f64" },
        Span::mixed_site(),
    )
}
