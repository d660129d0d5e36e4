//! The type beside a dynamic function that takes functions of floats: it is called among variables, where those are of variables as well.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::{ALLOWED, asked, type_of};
use crate::dynamic;
use crate::function::GradFn;

/// The function of variables, and words for those who ask for derivatives.
pub(crate) fn of_variables(function: &GradFn) -> TokenStream {
    let on_variables = dynamic::on_variables(function);
    if function.method.is_some() {
        return TokenStream::new();
    }
    let name = function.type_name();
    let (vis, krate) = (&function.item.vis, function.krate());
    let allowed: TokenStream = ALLOWED.parse().unwrap_or_default();
    let dynamic::Named {
        generics,
        clause,
        plain,
        of_variables,
        output,
    } = dynamic::named(function);
    let plain_output = &function.written.sig.output;
    let names: Vec<Ident> = (0..of_variables.len())
        .map(|k| format_ident!("__{k}"))
        .collect();
    let others = function.params.iter().filter(|p| !p.of_variables).count();
    let forms = [
        ("grad", 0),
        ("value_and_grad", 0),
        ("jvp", 1),
        ("vjp", 1),
        ("pullback", 0),
        ("jacobian", 0),
        ("__fwd", 0),
        ("__jvp", others),
    ];
    let refused = forms.into_iter().map(|(form, more)| {
        let form = Ident::new(form, Span::call_site());
        let params = function.params.iter().map(|p| {
            if p.of_variables {
                quote!(impl rt::OfVariables)
            } else {
                quote!(impl ::core::marker::Sized)
            }
        });
        let more = (0..more).map(|_| quote!(impl ::core::marker::Sized));
        let params = params.chain(more);
        quote!(#[doc(hidden)] #[inline] #vis fn #form(#(_: #params),*) -> ! { ::core::unreachable!() })
    });
    let doc = format!(
        "`{}` of variables: its operations are recorded on their tape.",
        name.to_token_stream()
    );
    let [declared, implemented] = type_of(function);
    let asked = asked(function, &quote!(true));
    quote! {
        #declared

        #allowed
        const _: () = {
            use #krate::__private as rt;
            #implemented
            impl #name {
                #asked
                #(#refused)*
                rt::with_tape! {
                    #on_variables
                    #[doc = #doc]
                    #[track_caller]
                    #[inline]
                    #vis fn on_tape<'__t, #(#generics),*>(#(#names: #of_variables),*) #output #clause { Self::__on_variables(#(#names),*) }
                    #[doc(hidden)]
                    #[inline]
                    #vis fn __dynamic<'__t, #(#generics),*>(_: fn(#(#plain),*) #plain_output) -> fn(#(#of_variables),*) #output #clause { Self::__on_variables }
                }
            }
        };
    }
}
