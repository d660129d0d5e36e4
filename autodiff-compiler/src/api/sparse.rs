//! Jacobians and Hessians that are mostly zero, by one sweep for each color of a coloring.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::jacobian::{Columns, Runs, known_columns, repeated, scalar_of};
use super::{InLanes, Pieces, Seeded, prefixed};
use crate::features::features;
use crate::forms;
use crate::function::By;
use crate::ir::Ty;

/// Whether a function has as many parameters as a caller gives it; of a few, matrices are full.
pub(super) fn is_of_lists(pieces: &Pieces<'_>) -> bool {
    let (function, options) = (pieces.function, &pieces.function.options);
    let plain = options.fails.is_none() && function.some().is_none();
    features().sparse && plain && !options.of_trait && known_columns(pieces).is_none()
}

/// The parameters with the coloring before them, or behind the receiver.
pub(super) fn colored(pieces: &Pieces<'_>) -> Vec<TokenStream> {
    let mut inputs = pieces.inputs();
    let method = pieces.function.method;
    let at = usize::from(method.is_some_and(|method| method.receiver));
    inputs.insert(at, quote!(coloring: &rt::sparse::Coloring));
    inputs
}

/// `sparse_jacobian` and `sparse_pattern` of a function that changes nothing: `run` is a sweep along the tangents of the columns, for the runtime.
pub(super) fn jacobian(
    pieces: &Pieces<'_>,
    lanes: Option<&InLanes>,
    run: &dyn Fn(&TokenStream, &TokenStream) -> TokenStream,
) -> TokenStream {
    let (function, generics) = (pieces.function, &pieces.generics);
    let (vis, scalar, inputs) = (&function.item.vis, scalar_of(function), pieces.inputs());
    let (clause, colored) = (repeated(pieces), colored(pieces));
    let probed = run(&quote!(rt::sparse::probed), &TokenStream::new());
    let given = quote!(coloring,);
    let by_colors = run(&quote!(rt::sparse::by_colors::<#scalar, _, _, _>), &given);
    let (jacobian, called) = match in_lanes(pieces, lanes, &by_colors) {
        Some((jacobian, called)) => (jacobian, Some(called)),
        None => (by_colors, None),
    };
    let functions = functions(
        quote!(#vis fn sparse_jacobian #generics (#(#colored),*) -> rt::sparse::SparseMatrix<#scalar> #clause { #jacobian }),
        quote!(#vis fn sparse_pattern #generics (#(#inputs),*) -> rt::sparse::Pattern #clause { #probed }),
    );
    quote!(#functions #called)
}

/// Both functions with their documentation.
pub(super) fn functions(jacobian: TokenStream, pattern: TokenStream) -> TokenStream {
    quote! {
        /// The Jacobian, of which there are the entries of the coloring's pattern, by one forward sweep for each color.
        ///
        /// # Panics
        /// If the pattern is of another shape; in debug builds, if it lacks an entry.
        #[inline]
        #jacobian

        /// Where the Jacobian has entries other than zero at this point, by one forward sweep for each column.
        #[inline]
        #pattern
    }
}

/// Several colors in one sweep, for a function from a list of numbers to another: the body of `sparse_jacobian`, `otherwise` where only rustc knows that callees have no lanes, and what it calls.
fn in_lanes(
    pieces: &Pieces<'_>,
    lanes: Option<&InLanes>,
    otherwise: &TokenStream,
) -> Option<(TokenStream, TokenStream)> {
    let function = pieces.function;
    let mut active = pieces.active();
    let (list, p) = active.next()?;
    let from = matches!(&p.ty, Ty::Slice(elem) if elem.is_float()) && p.by == By::Ref;
    let to = matches!(&function.ret_ty, Ty::Vec(elem) if elem.is_float());
    let plain = function.item.sig.generics.params.is_empty() && function.method.is_none();
    if !(from && to && plain) || active.next().is_some() {
        return None;
    }
    let callees = &lanes?.callees;
    let Runs { start, again, .. } = Runs::new(pieces);
    if !start.is_empty() {
        return None;
    }
    let (scalar, inputs, ret) = (scalar_of(function), pieces.inputs(), pieces.result());
    let (width, args, clause) = (forms::lanes(), pieces.args(), &pieces.clause);
    let mut made = TokenStream::new();
    let given = pieces.params().enumerate().map(|(k, (name, p))| {
        if name == list {
            return quote!(along);
        }
        let (dot, zero) = (prefixed("dot", name), format_ident!("__zero_{k}"));
        let lent = (p.by == By::Value).then(|| quote!(&));
        made.extend(quote!(let #dot = rt::lanes::widen::<_, #width>(&Self::#zero(#lent #name));));
        let lent = (p.by != By::Value).then(|| quote!(&));
        quote!(#lent #dot)
    });
    let given: Vec<TokenStream> = given.collect();
    let form = Ident::new(forms::JVP_LANES, Span::call_site());
    let colored = quote! {
        #[inline]
        fn __colored<const #width: usize>(#(#inputs,)* along: &[rt::Lanes<#scalar, #width>]) -> (#ret, rt::Vec<rt::Lanes<#scalar, #width>>) #clause {
            #made
            Self::#form(rt::lanes::Width::<#width>, (#(#args,)*), (#(#given,)*))
        }
    };
    let run = quote!(|along| Self::__colored(#(#again,)* along).1);
    let body = quote!(rt::sparse::by_colors_in_lanes(#list.len(), coloring, #run, #run, #run));
    let body = if callees.is_empty() {
        body
    } else {
        let known = Ident::new(forms::IN_LANES, Span::call_site());
        quote!(if Self::#known { #body } else { #otherwise })
    };
    Some((body, colored))
}

/// `sparse_hessian`.
pub(super) fn hessian(pieces: &Pieces<'_>) -> TokenStream {
    let function = pieces.function;
    let Seeded {
        generics,
        clause,
        turbofish,
        ..
    } = pieces.seeded(repeated(pieces));
    let (vis, scalar, colored) = (&function.item.vis, scalar_of(function), colored(pieces));
    let Columns {
        zeros,
        dots,
        tangents,
    } = Columns::new(pieces);
    let Runs { start, again, .. } = Runs::new(pieces);
    let result = match dots.as_slice() {
        [_] => quote!((found,)),
        _ => quote!(found),
    };
    quote! {
        /// The Hessian, of which there are the entries of the coloring's pattern, by one product with a vector for each color.
        ///
        /// # Panics
        /// If the pattern is of another shape, or the coloring none of symmetric patterns; in debug builds, if the pattern lacks an entry.
        #[inline]
        #vis fn sparse_hessian #generics (#(#colored),*) -> rt::sparse::SparseMatrix<#scalar> #clause {
            #start
            rt::sparse::by_symmetric_colors::<#scalar, _>(#zeros, coloring, |(#(#dots,)*)| {
                let found = Self::hvp #turbofish (#(#again,)* #tangents).1;
                #result
            })
        }
    }
}
