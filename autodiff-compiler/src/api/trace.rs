//! `trace`

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Pieces;
use crate::function::By;
use crate::inspect::recorder;

/// The hidden form that other traces call, and `trace` itself if the result is a number.
pub(super) fn trace_api(
    pieces: &Pieces<'_>,
    dots: &[Ident],
    dot_inputs: &[TokenStream],
    body: &TokenStream,
    public: bool,
) -> TokenStream {
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
    let trace = recorder();
    let mut out = quote! {
        #[doc(hidden)]
        #[inline]
        #vis fn __trace #generics (#(#inputs,)* #(#dot_inputs,)* #trace: &mut rt::Recorder) -> (#ret, #tangent) #clause { #body }
    };
    if !public {
        return out;
    }
    let mut made = TokenStream::new();
    let mut given = Vec::new();
    for (k, ((name, p), dot)) in pieces.params().zip(dots).enumerate() {
        let zero = format_ident!("__zero_{k}");
        let of = if p.by == By::Value {
            quote!(&#name)
        } else {
            quote!(&*#name)
        };
        made.extend(quote!(let mut #dot = Self::#zero(#of);));
        if p.active {
            let text = name.to_string().replace("r#", "");
            let k = proc_macro2::Literal::usize_unsuffixed(k);
            made.extend(quote!(#trace.inputs(#k, #text, #of, &mut #dot);));
        }
        given.push(match p.by {
            By::Value => quote!(#dot),
            By::Ref => quote!(&#dot),
            By::Mut => quote!(&mut #dot),
        });
    }
    out.extend(quote! {
        /// Runs the function and records every operation, with its value and the gradient of the result with respect to it.
        #[inline]
        #vis fn trace #generics (#(#inputs),*) -> rt::Trace #clause {
            let mut #trace = rt::Recorder::new(Self::graph());
            #made
            let (value, node) = Self::__trace #turbofish (#(#args,)* #(#given,)* &mut #trace);
            #trace.finish(value, node)
        }
    });
    out
}
