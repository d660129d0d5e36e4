//! The derivatives of a function as functions that other bodies may call: `f::grad(x)` within a `#[grad]` function.
//!
//! Each is a type of its own with the hidden forms that every function has, made from `f`'s derivatives of the second order:
//! the Hessian is symmetric, so `hvp` is forward and reverse mode of `grad` alike.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::tangents::{buffer, buffer_or_unit, elide, owned, owned_or_unit};
use super::{GradientBody, Pieces, closure_params, prefixed, zero_form};
use crate::attr::{By, ParamInfo};
use crate::second::dotted;

/// The types and their trait; the function has second derivatives, and a number as its result.
pub(super) fn nested(pieces: &Pieces<'_>, gradient_body: &GradientBody) -> TokenStream {
    let function = pieces.function;
    let of = function.type_name();
    let hidden = quote!(#[inline]);
    let zeros: TokenStream = pieces
        .params()
        .enumerate()
        .map(|(k, (_, p))| zero_form(k, p, function, &quote!(#hidden pub)))
        .collect();
    let (grad, both) = (
        gradient(pieces, gradient_body, false),
        gradient(pieces, gradient_body, true),
    );
    let pushed = pushed(pieces);
    let [one, two, three] = ["Grad", "ValueAndGrad", "Jvp"]
        .map(|name| format_ident!("__{name}", span = Span::mixed_site()));
    let grad = methods(quote!(impl #one { #zeros #grad }));
    let both = methods(quote!(impl #two { #zeros #both }));
    let pushed = methods(quote!(impl #three { #zeros #pushed }));
    quote! {
        #[derive(Default)]
        pub struct #one;
        #grad
        #[derive(Default)]
        pub struct #two;
        #both
        #[derive(Default)]
        pub struct #three;
        rt::with_alloc! { #pushed }
        impl rt::Derivatives for #of {
            type Grad = #one;
            type ValueAndGrad = #two;
            type Jvp = #three;
        }
    }
}

/// Forms that are called on a value: rustc complains of the methods of a type only where there is that type.
fn methods(block: TokenStream) -> TokenStream {
    let Ok(mut block) = syn::parse2::<syn::ItemImpl>(block) else {
        return TokenStream::new();
    };
    for item in &mut block.items {
        if let syn::ImplItem::Fn(f) = item {
            f.sig.inputs.insert(0, syn::parse_quote!(self));
        }
    }
    block.into_token_stream()
}

fn tuple(entries: Vec<TokenStream>) -> TokenStream {
    match entries.as_slice() {
        [one] => one.clone(),
        all => quote!((#(#all),*)),
    }
}

/// A tangent as hidden forms take it.
fn tangent_input(p: &ParamInfo) -> TokenStream {
    match p.by {
        By::Value => owned_or_unit(p),
        By::Ref | By::Mut => {
            let ty = buffer_or_unit(p);
            quote!(&#ty)
        }
    }
}

/// The arguments of each level, `k` times dotted.
fn dots<'a>(pieces: &'a Pieces<'_>, k: usize) -> impl Iterator<Item = (Ident, &'a ParamInfo)> {
    pieces.params().map(move |(n, p)| (dotted(k, n), p))
}

/// The tangents of the differentiable parameters as derivatives take them, to be used again.
fn given(pieces: &Pieces<'_>, k: usize) -> TokenStream {
    let active = dots(pieces, k).filter(|(_, p)| p.active);
    tuple(
        active
            .map(|(n, p)| match p.by {
                By::Value => quote!(rt::copy(&#n)),
                By::Ref | By::Mut => quote!(#n),
            })
            .collect(),
    )
}

/// The arguments, to be used again.
fn again(pieces: &Pieces<'_>) -> TokenStream {
    let args = pieces.params().map(|(n, p)| match p.by {
        By::Value => quote!(rt::copy(&#n)),
        By::Ref | By::Mut => quote!(#n),
    });
    quote!(#(#args),*)
}

/// What a reverse sweep leaves: of references it is added to their shadows, the rest is returned.
struct Bars {
    /// Before the arguments are moved.
    made: TokenStream,
    adds: TokenStream,
    entries: Vec<TokenStream>,
    types: Vec<TokenStream>,
    shadows: Vec<TokenStream>,
}

impl Bars {
    /// The cotangent of the parameter `n` is `g_n`.
    fn new(pieces: &Pieces<'_>) -> Bars {
        let mut bars = Bars {
            made: TokenStream::new(),
            adds: TokenStream::new(),
            entries: Vec::new(),
            types: Vec::new(),
            shadows: Vec::new(),
        };
        for (k, (name, p)) in pieces.params().enumerate() {
            let (bar, shadow) = (prefixed("g", name), prefixed("d", name));
            if p.by == By::Value {
                if !p.active {
                    let zero = format_ident!("__zero_{k}");
                    bars.made.extend(quote!(let #bar = Self.#zero(&#name);));
                }
                bars.types.push(owned_or_unit(p));
                bars.entries.push(quote!(#bar));
            } else {
                if p.active {
                    bars.adds.extend(quote!(rt::acc(&mut *#shadow, &#bar);));
                }
                let ty = buffer_or_unit(p);
                bars.shadows.push(quote!(&mut #ty));
            }
        }
        bars
    }
}

/// The forms of `grad`, or of `value_and_grad`.
fn gradient(pieces: &Pieces<'_>, gradient_body: &GradientBody, with_value: bool) -> TokenStream {
    let Pieces {
        generics,
        turbofish,
        captures,
        clause,
        function,
        names,
    } = pieces;
    let of = function.type_name();
    let (inputs, ret, gradient) = (pieces.inputs(), pieces.result(), pieces.gradient());
    let (args, along) = (again(pieces), given(pieces, 1));
    let dot_inputs = dots(pieces, 1).map(|(n, p)| {
        let ty = tangent_input(p);
        quote!(#n: #ty)
    });
    let tangent = pieces.result_tangent();
    let (value, dot, form) = if with_value {
        (
            quote!((#ret, #gradient)),
            quote!((#tangent, #gradient)),
            format_ident!("value_and_grad"),
        )
    } else {
        (gradient.clone(), gradient.clone(), format_ident!("grad"))
    };
    // A gradient in forward mode has other roundings than that which `hvp` returns.
    let hvp = match gradient_body {
        GradientBody::Reverse => quote!(#of::hvp #turbofish (#args, #along)),
        GradientBody::Lanes(_) | GradientBody::Columns => {
            quote!((#of::grad #turbofish (#args), #of::hvp #turbofish (#args, #along).1))
        }
    };
    let pushed = if with_value {
        quote! {
            let (value, tangent) = #of::jvp #turbofish (#args, #along);
            let (gradient, curvature) = #hvp;
            ((value, gradient), (tangent, curvature))
        }
    } else {
        hvp
    };
    // The cotangents of the gradient are named as tangents are: they are what the Hessian is multiplied by.
    let active: Vec<_> = pieces.active().collect();
    let seeds = tuple(
        active
            .iter()
            .map(|(n, _)| {
                let dot = dotted(1, n);
                quote!(#dot)
            })
            .collect(),
    );
    let along = tuple(
        active
            .iter()
            .map(|(n, p)| {
                let dot = dotted(1, n);
                match p.by {
                    By::Value => quote!(#dot),
                    By::Ref | By::Mut => quote!(&#dot),
                }
            })
            .collect(),
    );
    let results = tuple(
        active
            .iter()
            .map(|(n, _)| {
                let bar = prefixed("g", n);
                quote!(mut #bar)
            })
            .collect(),
    );
    let slopes = tuple(
        active
            .iter()
            .map(|(n, _)| {
                let slope = prefixed("kept", n);
                quote!(#slope)
            })
            .collect(),
    );
    let (seeds, by_value) = if with_value {
        let bars = active.iter().map(|(n, _)| prefixed("g", n));
        let kept = active.iter().map(|(n, _)| prefixed("kept", n));
        (
            quote!((seed, #seeds)),
            quote! {
                let scale = rt::num::cast::<_, f64>(seed);
                if scale != 0.0 { #(rt::Tangent::add_scaled(&mut #bars, scale, &#kept);)* }
            },
        )
    } else {
        (seeds, TokenStream::new())
    };
    let Bars {
        made,
        adds,
        entries,
        types,
        shadows,
    } = Bars::new(pieces);
    let closure = closure_params(function, names);
    let references = pieces.params().filter(|(_, p)| p.by != By::Value);
    let references = references.map(|(_, p)| elide(&p.written));
    quote! {
        #[inline]
        pub fn __jvp #generics (#(#inputs,)* #(#dot_inputs),*) -> (#value, #dot) #clause { #pushed }
        #[inline]
        pub fn __fwd #generics (#(#inputs),*) -> (#value, impl FnOnce(#dot #(, #references)* #(, #shadows)*) -> (#(#types,)*) + use<#captures>) #clause {
            #made
            let value = #of::#form #turbofish (#args);
            let back = move |seed: #dot #closure| {
                let #seeds = seed;
                let (#slopes, #results) = #of::hvp #turbofish (#args, #along);
                #by_value
                #adds
                (#(#entries,)*)
            };
            (value, back)
        }
    }
}

/// The forms of `jvp`, whose tangents are arguments of their own behind the others.
fn pushed(pieces: &Pieces<'_>) -> TokenStream {
    let Pieces {
        generics,
        turbofish,
        captures,
        clause,
        function,
        names,
    } = pieces;
    let of = function.type_name();
    let (inputs, ret, tangent) = (pieces.inputs(), pieces.result(), pieces.result_tangent());
    let count = function.params.len();
    let active: Vec<_> = pieces.active().collect();
    let typed = |k: usize, all: bool| -> Vec<TokenStream> {
        let inputs = dots(pieces, k).filter(|(_, p)| all || p.active);
        inputs
            .map(|(n, p)| {
                let ty = tangent_input(p);
                quote!(#n: #ty)
            })
            .collect()
    };
    // What stands behind the arguments, its tangents, and its zeros.
    let (first, second, third) = (typed(1, false), typed(2, true), typed(3, false));
    let zeros = active.iter().enumerate().map(|(k, (_, p))| {
        let name = format_ident!("__zero_{}", count + k);
        let (ty, zero) = (buffer(&p.inner), owned(&p.inner));
        let params = function.item.sig.generics.params.iter();
        let params = params.filter_map(|param| match param {
            syn::GenericParam::Type(t) if function.numeric.contains(&t.ident) => {
                let name = &t.ident;
                Some(quote!(#name: rt::Numeric))
            }
            syn::GenericParam::Const(_) => Some(quote!(#param)),
            _ => None,
        });
        quote!(#[inline] pub fn #name<#(#params),*>(arg: &#ty) -> #zero { rt::zero_like(arg) })
    });
    let (args, along, across) = (again(pieces), given(pieces, 1), given(pieces, 2));
    let slopes = tuple(
        active
            .iter()
            .map(|(n, _)| {
                let kept = prefixed("kept", n);
                quote!(#kept)
            })
            .collect(),
    );
    let bends = tuple(
        active
            .iter()
            .map(|(n, _)| {
                let bar = prefixed("g", n);
                quote!(mut #bar)
            })
            .collect(),
    );
    let names_of =
        |f: &dyn Fn(&Ident) -> Ident| -> Vec<Ident> { active.iter().map(|(n, _)| f(n)).collect() };
    let kept = names_of(&|n| prefixed("kept", n));
    let bars = names_of(&|n| prefixed("g", n));
    let tangent_bars = names_of(&|n| dotted(2, &prefixed("g", n)));
    let refer = |k: usize| -> Vec<TokenStream> {
        let each = active.iter().map(|(n, p)| {
            let dot = dotted(k, n);
            match p.by {
                By::Value => quote!(&#dot),
                By::Ref | By::Mut => quote!(#dot),
            }
        });
        each.collect()
    };
    let (by_first, by_second, by_third) = (refer(1), refer(2), refer(3));
    let Bars {
        made,
        adds,
        mut entries,
        mut types,
        mut shadows,
    } = Bars::new(pieces);
    let mut references: Vec<TokenStream> = Vec::new();
    let (mut closure, mut dot_closure) = (TokenStream::new(), TokenStream::new());
    let (mut shadow_closure, mut dot_adds) = (TokenStream::new(), TokenStream::new());
    for (name, p) in pieces.params().filter(|(_, p)| p.by != By::Value) {
        let (ty, buffer, shadow) = (elide(&p.written), buffer_or_unit(p), prefixed("d", name));
        closure.extend(quote!(, #name: #ty));
        references.push(quote!(#ty));
        shadow_closure.extend(quote!(, #shadow: &mut #buffer));
    }
    for (name, p) in &active {
        let (dot, bar) = (dotted(1, name), dotted(2, &prefixed("g", name)));
        if p.by == By::Value {
            entries.push(quote!(#bar));
            types.push(owned_or_unit(p));
            continue;
        }
        let (ty, shadow) = (buffer_or_unit(p), dotted(1, &prefixed("d", name)));
        dot_closure.extend(quote!(, #dot: &#ty));
        references.push(quote!(&#ty));
        shadow_closure.extend(quote!(, #shadow: &mut #ty));
        shadows.push(quote!(&mut #ty));
        dot_adds.extend(quote!(rt::acc(&mut *#shadow, &#bar);));
    }
    let _ = names;
    let both = quote!((#tangent, #tangent));
    quote! {
        #(#zeros)*
        #[inline]
        pub fn value #generics (#(#inputs,)* #(#first),*) -> (#ret, #tangent) #clause {
            #of::jvp #turbofish (#args, #along)
        }
        #[inline]
        pub fn __jvp #generics (#(#inputs,)* #(#first,)* #(#second,)* #(#third),*) -> ((#ret, #tangent), #both) #clause {
            let value = #of::jvp #turbofish (#args, #along);
            let (#slopes, #bends) = #of::hvp #turbofish (#args, #across);
            let along = 0.0 #(+ rt::pair(#by_second, &#kept))*;
            let across = 0.0 #(+ rt::pair(#by_first, &#bars) + rt::pair(#by_third, &#kept))*;
            (value, (rt::num::lit(along), rt::num::lit(across)))
        }
        #[inline]
        pub fn __fwd #generics (#(#inputs,)* #(#first),*)
            -> ((#ret, #tangent), impl FnOnce(#both #(, #references)* #(, #shadows)*) -> (#(#types,)*) + use<#captures>) #clause
        {
            #made
            let value = #of::jvp #turbofish (#args, #along);
            let back = move |seed: #both #closure #dot_closure #shadow_closure| {
                let scales = (rt::num::cast::<_, f64>(seed.0), rt::num::cast::<_, f64>(seed.1));
                let (#slopes, #bends) = #of::hvp #turbofish (#args, #along);
                #(
                    let mut #tangent_bars = rt::Tangent::zero_like(&#kept);
                    if scales.1 != 0.0 { rt::Tangent::add_scaled(&mut #tangent_bars, scales.1, &#kept); }
                    rt::scale(&mut #bars, scales.1);
                    if scales.0 != 0.0 { rt::Tangent::add_scaled(&mut #bars, scales.0, &#kept); }
                )*
                #adds
                #dot_adds
                (#(#entries,)*)
            };
            (value, back)
        }
    }
}
