//! The derivatives of a function as functions that other bodies may call: `f::grad(x)` within a `#[grad]` function.
//!
//! Each has the hidden forms that every function has, made from `f`'s derivatives of one order more: the Hessian is symmetric, so `hvp` is forward and reverse mode of `grad` alike.
//! Those of a function are methods of a type of their own, those of a method siblings of it.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

use super::copy_of;
use super::refused::Refused;
use super::second::{FwdForm, dot_inputs, forward_stub, fwd_form};
use super::tangents::{buffer_or_unit, owned_or_unit};
use super::{
    ALLOWED, Bodies, GradientBody, OrderBodies, Pieces, api, closure_params, dual_closure_params,
    lent, prefixed, zero_forms_of, zero_method,
};
use crate::forms;
use crate::function::{By, GradFn, ParamInfo};
use crate::ir::Ty;
use crate::second::{Several, dotted};
use crate::siblings::Siblings;
use crate::slopes::Steep;
use crate::types;

/// A derivative that has derivatives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Grad,
    ValueAndGrad,
    Jvp,
    Hvp,
}

impl Which {
    fn name(self) -> &'static str {
        match self {
            Which::Grad => "grad",
            Which::ValueAndGrad => "value_and_grad",
            Which::Jvp => "jvp",
            Which::Hvp => "hvp",
        }
    }

    /// The order of the derivatives that it is made of, if it is differentiated once.
    fn order(self) -> u32 {
        match self {
            Which::Grad | Which::ValueAndGrad | Which::Jvp => 2,
            Which::Hvp => 3,
        }
    }

    /// How often it can be differentiated.
    fn orders(self, bodies: &Bodies) -> usize {
        let order = bodies.orders.len() + 2;
        order.saturating_sub(self.order() as usize)
    }

    /// The tangents that it takes are parameters.
    fn takes_tangents(self) -> bool {
        matches!(self, Which::Jvp | Which::Hvp)
    }
}

/// The derivatives of a function whose result is a number.
pub(super) fn nested(pieces: &Pieces<'_>, bodies: &Bodies) -> TokenStream {
    let all = [Which::Grad, Which::ValueAndGrad, Which::Jvp, Which::Hvp].into_iter();
    if pieces.function.method.is_some() {
        // With one derivative there is no `hvp` to call.
        let known = all.filter(|which| *which != Which::Hvp || !bodies.orders.is_empty());
        let known = known.map(|which| Derivative::new(pieces, bodies, which).siblings());
        return known.collect();
    }
    let of = pieces.function.type_name();
    // Calls of `grad` take a part of what `value_and_grad` gives.
    let there = all.filter(|which| *which != Which::Grad && which.orders(bodies) > 0);
    there
        .map(|which| {
            let derivative = Derivative::new(pieces, bodies, which);
            let (ty, carrier) = derivative.names_of_types();
            let block = derivative.block(&ty);
            quote! {
                #[derive(Default)]
                pub struct #ty;
                #block
                impl rt::#carrier for #of { type Forms = #ty; }
            }
        })
        .collect()
}

/// A derivative of a function, as a function.
struct Derivative<'a> {
    which: Which,
    /// Of the function that it is the derivative of.
    pieces: &'a Pieces<'a>,
    bodies: &'a Bodies,
    function: GradFn,
    names: Vec<Ident>,
}

impl<'a> Derivative<'a> {
    fn new(pieces: &'a Pieces<'a>, bodies: &'a Bodies, which: Which) -> Derivative<'a> {
        let (mut function, mut names) = (pieces.function.clone(), pieces.names.clone());
        if which.takes_tangents() {
            for (name, p) in pieces.active() {
                names.push(prefixed("along", name));
                function
                    .params
                    .push(tangent_parameter(p, function.numeric.as_slice()));
            }
        }
        let (ret, gradient) = (pieces.result(), pieces.gradient());
        let result = match which {
            Which::Grad => gradient,
            Which::ValueAndGrad => quote!((#ret, #gradient)),
            Which::Jvp => {
                let tangent = pieces.result_tangent();
                quote!((#ret, #tangent))
            }
            Which::Hvp => quote!((#gradient, #gradient)),
        };
        function.ret = syn::parse2(result).ok();
        function.ret_ty = Ty::Unknown;
        function.derived = which.order() - 1;
        if function.method.is_some() {
            function.item.sig.ident = forms::sibling(which.name(), &function.item.sig.ident);
        } else {
            function.item.vis = syn::parse_quote!(pub);
        }
        Derivative {
            which,
            pieces,
            bodies,
            function,
            names,
        }
    }

    /// Of a function: the type that has the forms, and the trait by which it is found.
    fn names_of_types(&self) -> (Ident, Ident) {
        let (ty, carrier) = match self.which {
            Which::Grad | Which::ValueAndGrad => ("__ValueAndGrad", "HasValueAndGrad"),
            Which::Jvp => ("__Jvp", "HasJvp"),
            Which::Hvp => ("__Hvp", "HasHvp"),
        };
        let [ty, carrier] = [ty, carrier].map(|name| Ident::new(name, Span::mixed_site()));
        (ty, carrier)
    }

    /// Forms that are called on a value: rustc complains of the methods of a type only where there is that type.
    fn block(&self, ty: &Ident) -> TokenStream {
        let pieces = Pieces::new(&self.function, self.names.clone());
        let vis = quote!(#[inline] pub);
        let zeros = pieces.params().enumerate();
        let zeros = zeros.map(|(k, (_, p))| zero_method(k, p, &self.function, &vis));
        let (inputs, dots, clause) = (pieces.inputs(), dot_inputs(&pieces, 2), &pieces.clause);
        let (ret, tangent, generics) = (pieces.result(), pieces.result_tangent(), &pieces.generics);
        let (pushed, pulled, value) = (self.pushed(), self.pulled(), self.value());
        let forward = FwdForm::of(&pieces);
        let forward = fwd_form(
            &pieces,
            0,
            self.bodies,
            &quote!(#pulled let value = (value,);),
            forward,
        );
        let second = if self.which.orders(self.bodies) > 1 {
            let body = self.pulled_along();
            fwd_form(&pieces, 1, self.bodies, &body, FwdForm::of(&pieces))
        } else {
            forward_stub(&pieces, 1)
        };
        let forms = with_receiver(quote! {
            #(#zeros)*
            #vis fn __jvp #generics (#(#inputs,)* #(#dots),*) -> (#ret, #tangent) #clause { #pushed }
            #forward
            #second
            #value
        });
        self.with_heap(&quote!(rt), &quote!(impl #ty { #forms }))
    }

    /// Of a method: the forms are siblings.
    fn siblings(&self) -> TokenStream {
        let krate = self.function.krate();
        let pieces = Pieces::new(&self.function, self.names.clone());
        let siblings = if self.which.orders(self.bodies) > 0 {
            let second = (self.which.orders(self.bodies) > 1).then(|| OrderBodies {
                several: Several::No,
                vjp: None,
                wide: None,
                each: None,
                fwd: self.pulled_along(),
            });
            let bodies = Bodies {
                jvp: self.pushed(),
                trace: None,
                vjp: None,
                fwd: self.pulled(),
                program: false,
                gradient: GradientBody::Reverse,
                lanes: None,
                orders: second.into_iter().collect(),
                recursive: false,
                steep: Steep::ALWAYS,
                overwrites: Vec::new(),
                leaving: None,
                deep: false,
                inspect: TokenStream::new(),
                refused: Refused::default(),
                hidden: true,
                stub: false,
            };
            let forms = api(&self.function, self.names.clone(), &bodies);
            let value = beside(&self.function, self.value());
            let lent = self
                .which
                .takes_tangents()
                .then(|| lent::function(&self.function));
            let lent = lent
                .flatten()
                .map(|lent| beside(&lent, lent::value(&pieces)));
            quote!(#forms #value #lent)
        } else if !self.function.options.of_trait {
            return TokenStream::new();
        } else {
            let lent = lent::function(&self.function);
            let lent = lent.map(|lent| self.lacking(&lent));
            let taken = self.lacking(&self.function);
            quote!(#taken #lent)
        };
        self.with_heap(&quote!(#krate::__private), &siblings)
    }

    /// Products with tangents of any shape go through flat memory.
    fn with_heap(&self, rt: &TokenStream, items: &TokenStream) -> TokenStream {
        match self.which {
            Which::Jvp => quote!(#rt::with_alloc! { #items }),
            _ => items.clone(),
        }
    }

    /// In place of the siblings of a method that lacks the order: a call mentions them both, and has one error.
    fn lacking(&self, function: &GradFn) -> TokenStream {
        let pieces = &Pieces::new(function, self.names.clone());
        let vis = &function.item.vis;
        let hidden = quote!(#[doc(hidden)] #[inline] #vis);
        let (inputs, dots, generics) = (pieces.inputs(), dot_inputs(pieces, 2), &pieces.generics);
        let (ret, tangent, clause) = (pieces.result(), pieces.result_tangent(), &pieces.clause);
        let value = self.which.takes_tangents().then(|| {
            quote!(#hidden fn __value #generics (#(#inputs),*) -> #ret #clause { ::core::unreachable!() })
        });
        let pulled = forward_stub(pieces, 0);
        let zeros = pieces.params().enumerate().filter(|_| !function.is_lent());
        let zeros = zeros.map(|(k, (_, p))| zero_method(k, p, function, &hidden));
        let receiver = function.method.filter(|m| m.receiver && !m.lent);
        let zeros_of = receiver.map(|_| zero_forms_of(function, &hidden));
        let forms = quote! {
            #(#zeros)*
            #zeros_of
            #hidden fn __jvp #generics (#(#inputs,)* #(#dots),*) -> (#ret, #tangent) #clause { ::core::unreachable!() }
            #pulled
            #value
        };
        beside(function, forms)
    }

    /// A derivative of the function, called by its name.
    fn call(&self, name: &str, given: &[TokenStream]) -> TokenStream {
        let (function, turbofish) = (self.pieces.function, &self.pieces.turbofish);
        let of = match function.method {
            Some(_) => {
                let owner = Ident::new(types::OWNER, Span::mixed_site());
                let name = forms::sibling(name, &function.item.sig.ident);
                quote!(#owner::#name)
            }
            None => {
                let (of, name) = (function.type_name(), format_ident!("{name}"));
                quote!(#of::#name)
            }
        };
        let args = self.pieces.params().map(|(name, p)| again(name, p));
        quote!(#of #turbofish (#(#args,)* #(#given),*))
    }

    /// A call of a hidden form of the function, and what has to be declared before it.
    fn hidden(&self, form: &str, given: &[TokenStream]) -> (TokenStream, TokenStream) {
        let (function, turbofish) = (self.pieces.function, &self.pieces.turbofish);
        let of = Ident::new(types::OWNER, Span::mixed_site());
        let (declared, form) = match function.method {
            Some(method) => {
                // Those that borrow the receiver have the plain names.
                let taken = (method.owned && !method.lent).then(|| forms::taken(form));
                let form = taken.as_deref().unwrap_or(form);
                (None, forms::sibling(form, &function.item.sig.ident))
            }
            None => {
                let name = function.type_name();
                (Some(quote!(type #of = #name;)), format_ident!("{form}"))
            }
        };
        let args = self.pieces.params().map(|(name, p)| again(name, p));
        let call = quote!(#of::#form #turbofish (#(#args,)* #(#given),*));
        (declared.into_token_stream(), call)
    }

    /// As derivatives take the tangents that are parameters, to be used again.
    fn given(&self, name: impl Fn(&Ident) -> Ident) -> TokenStream {
        let all = self.pieces.active().map(|(n, p)| again(&name(n), p));
        tuple(all)
    }

    /// The same of tangents that are owned.
    fn lent(&self, name: impl Fn(&Ident) -> Ident) -> TokenStream {
        tuple(self.pieces.active().map(|(n, p)| {
            let name = name(n);
            match p.by {
                By::Value => quote!(rt::copy(&#name)),
                By::Ref | By::Mut => quote!(&#name),
            }
        }))
    }

    fn pattern(&self, name: impl Fn(&Ident) -> Ident) -> TokenStream {
        tuple(self.pieces.active().map(|(n, _)| {
            let name = name(n);
            quote!(mut #name)
        }))
    }

    /// Something of each differentiable parameter.
    fn each(&self, of: impl Fn(&Ident, &ParamInfo) -> TokenStream) -> TokenStream {
        self.pieces.active().map(|(n, p)| of(n, p)).collect()
    }

    /// `gradient` and `curvature`, for the given tangents; a gradient in forward mode has other roundings than that which `hvp` returns.
    fn bent(&self, along: TokenStream) -> TokenStream {
        let hvp = self.call("hvp", &[along]);
        match self.bodies.gradient {
            GradientBody::Reverse => hvp,
            GradientBody::Lanes(_) | GradientBody::Columns => {
                let grad = self.call("grad", &[]);
                quote!((#grad, #hvp.1))
            }
        }
    }

    /// What the derivative itself returns.
    fn result(&self) -> TokenStream {
        let tangents = self.which.takes_tangents().then(|| self.given(along));
        self.call(self.which.name(), tangents.as_slice())
    }

    /// A form that has the tangents among the parameters.
    fn value(&self) -> TokenStream {
        if !self.which.takes_tangents() {
            return TokenStream::new();
        }
        let pieces = Pieces::new(&self.function, self.names.clone());
        let (inputs, ret) = (pieces.inputs(), pieces.result());
        let (generics, clause, vis) = (&pieces.generics, &pieces.clause, &self.function.item.vis);
        let result = self.result();
        quote! {
            #[doc(hidden)]
            #[inline]
            #vis fn __value #generics (#(#inputs),*) -> #ret #clause { #result }
        }
    }

    /// The body of forward mode.
    fn pushed(&self) -> TokenStream {
        match self.which {
            Which::Grad => self.bent(self.given(dot)),
            Which::ValueAndGrad => {
                let (jvp, bent) = (
                    self.call("jvp", &[self.given(dot)]),
                    self.bent(self.given(dot)),
                );
                quote! {
                    let (value, tangent) = #jvp;
                    let (gradient, curvature) = #bent;
                    ((value, gradient), (tangent, curvature))
                }
            }
            Which::Jvp => {
                let value = self.result();
                let hvp = self.call("hvp", &[self.given(dot)]);
                let (slopes, bends) = (self.pattern(kept), self.pattern(bent));
                let (one, two) = (
                    self.each(|n, p| {
                        let (dot, kept) = (referred(&dot(&along(n)), p), kept(n));
                        quote!(+ rt::pair(#dot, &#kept))
                    }),
                    self.each(|n, p| {
                        let (along, bent) = (referred(&along(n), p), bent(n));
                        quote!(+ rt::pair(#along, &#bent))
                    }),
                );
                let along = self.each(|n, p| {
                    let (dot, kept) = (referred(&dot(n), p), kept(n));
                    quote!(+ rt::pair(#dot, &#kept))
                });
                quote! {
                    let value = #value;
                    let (#slopes, #bends) = #hvp;
                    (value, (rt::num::lit(0.0 #along), rt::num::lit(0.0 #two #one)))
                }
            }
            Which::Hvp => {
                let value = self.result();
                let third = self.call("hvp_jvp", &[self.given(along), self.given(dot)]);
                let more = self.call("hvp", &[self.given(|n| dot(&along(n)))]);
                let (thirds, mores) = (self.pattern(bar), self.pattern(more_of));
                let add = self.each(|n, _| plus(&bar(n), &more_of(n)));
                let thirds_again =
                    tuple(self.pieces.active().map(|(n, _)| bar(n).to_token_stream()));
                quote! {
                    let value = #value;
                    let (_, (curvature, #thirds)) = #third;
                    let (_, #mores) = #more;
                    #add
                    (value, (curvature, #thirds_again))
                }
            }
        }
    }

    /// Binds the value and the pullback.
    fn pulled(&self) -> TokenStream {
        let (value, tangent) = (
            self.result(),
            Pieces::new(&self.function, Vec::new()).result_tangent(),
        );
        let closure = closure_params(&self.function, &self.names);
        let Bars {
            made,
            adds,
            entries,
        } = Bars::new(self, 0);
        let (seeds, kept_all, bars) = (self.pattern(seed), self.pattern(kept), self.pattern(bar));
        let swept = match self.which {
            Which::Grad | Which::ValueAndGrad => {
                let hvp = self.call("hvp", &[self.lent(seed)]);
                let of_value = self.each(|n, _| plus_times(&bar(n), &quote!(scale), &kept(n)));
                let (seeds, of_value) = if self.which == Which::Grad {
                    (quote!(let #seeds = seed;), TokenStream::new())
                } else {
                    (
                        quote!(let (scale, #seeds) = seed; let scale = rt::num::cast::<_, f64>(scale);),
                        of_value,
                    )
                };
                quote! {
                    #seeds
                    let (#kept_all, #bars) = #hvp;
                    #of_value
                }
            }
            Which::Jvp => return self.jvp_pulled(),
            Which::Hvp => {
                let of_gradient = self.pattern(more_of);
                let hvp = self.call("hvp", &[self.lent(more_of)]);
                let third = self.call("hvp_jvp", &[self.given(along), self.lent(seed)]);
                let (by_tangents, thirds) = (self.pattern(|n| bar(&along(n))), self.pattern(kept));
                let add = self.each(|n, _| plus(&bar(n), &kept(n)));
                quote! {
                    let (#of_gradient, #seeds) = seed;
                    let (_, #bars) = #hvp;
                    let (_, (#by_tangents, #thirds)) = #third;
                    #add
                }
            }
        };
        quote! {
            #made
            let value = #value;
            let back = move |seed: #tangent #closure| {
                #swept
                #adds
                (#(#entries,)*)
            };
        }
    }

    /// The value and the pullback of forward mode, by both sweeps of the function with tangents.
    ///
    /// Of `(f(x), f′(x) a)` the cotangents `(s, t)` lead to `t f′(x)` for `a`, and to `s f′(x) + t f″(x) a` for `x`:
    /// to what a cotangent `t` of `f` leads, and to its tangent along `a` where that of `t` is `s`.
    fn jvp_pulled(&self) -> TokenStream {
        let tangent = Pieces::new(&self.function, Vec::new()).result_tangent();
        let closure = closure_params(&self.function, &self.names);
        let (mut zeros, mut spares) = (TokenStream::new(), TokenStream::new());
        let (mut dots, mut entries, mut more_entries) = (Vec::new(), Vec::new(), Vec::new());
        let (mut bars, mut dot_bars) = (Vec::new(), Vec::new());
        let (mut lent, mut dots_lent) = (Vec::new(), Vec::new());
        let (mut shadows, mut dot_shadows) = (Vec::new(), Vec::new());
        for (name, p) in self.pieces.params() {
            let (direction, zero) = (along(name), prefixed("zero", name));
            let dot = if p.active { &direction } else { &zero };
            if !p.active {
                let none = match p.by {
                    _ if !p.tangible => quote!(()),
                    By::Value => p.zero_of(&quote!(&#name)),
                    By::Ref | By::Mut => p.zero_of(&quote!(#name)),
                };
                zeros.extend(quote!(let #zero = #none;));
            }
            if p.by == By::Value {
                dots.push(quote!(rt::copy(&#dot)));
                entries.push(bar(name));
                more_entries.extend(p.active.then(|| bar(&direction)));
                bars.push(bar(&direction));
                dot_bars.push(bar(name));
                continue;
            }
            let dot = if p.active {
                quote!(#dot)
            } else {
                quote!(&#dot)
            };
            dots.push(dot.clone());
            dots_lent.push(dot);
            lent.push(name);
            let [shadow, dot_shadow] = [&direction, name].map(|name| prefixed("d", name));
            if !p.active {
                spares.extend(
                    quote!(let mut #shadow = rt::copy(&#zero); let #shadow = &mut #shadow;),
                );
            }
            shadows.push(shadow);
            dot_shadows.push(dot_shadow);
        }
        let (of, forward) = self.hidden("__jvp_fwd", &dots);
        quote! {
            #zeros
            #of
            let (value, tangent, back_of) = #forward;
            let value = (value, tangent);
            let back = move |seed: #tangent #closure| {
                #spares
                let ((#(#bars,)*), (#(#dot_bars,)*)) = back_of(
                    seed.1, seed.0, #(#lent,)* #(#dots_lent,)* #(#shadows,)* #(#dot_shadows),*
                );
                (#(#entries,)* #(#more_entries,)*)
            };
        }
    }

    /// The same with tangents: binds the values as a tuple.
    fn pulled_along(&self) -> TokenStream {
        let value = self.pushed();
        let closure = dual_closure_params(&self.function, &self.names, 2, Several::No);
        let [seed_name, dot_seed_name] =
            [0, 1].map(|k| dotted(k, &Ident::new("seed", Span::mixed_site())));
        let (plain, dots) = (Bars::new(self, 0), Bars::new(self, 1));
        let (made, more_made) = (&plain.made, &dots.made);
        let (adds, more_adds) = (&plain.adds, &dots.adds);
        let (entries, more_entries) = (&plain.entries, &dots.entries);
        let (kept_all, bars, bent_all) =
            (self.pattern(kept), self.pattern(bar), self.pattern(bent));
        let (dot_bars, mores) = (self.pattern(|n| dot(&bar(n))), self.pattern(more_of));
        let swept = match self.which {
            Which::Grad | Which::ValueAndGrad => {
                let (seeds, dot_seeds) = (self.pattern(seed), self.pattern(|n| dot(&seed(n))));
                let third = self.call("hvp_jvp", &[self.lent(seed), self.given(dot)]);
                let more = self.call("hvp", &[self.lent(|n| dot(&seed(n)))]);
                let seeds = if self.which == Which::Grad {
                    quote!(let #seeds = #seed_name; let #dot_seeds = #dot_seed_name; let scales = (0.0, 0.0);)
                } else {
                    quote! {
                        let (scale, #seeds) = #seed_name;
                        let (dot_scale, #dot_seeds) = #dot_seed_name;
                        let scales = (rt::num::cast::<_, f64>(scale), rt::num::cast::<_, f64>(dot_scale));
                    }
                };
                let each = self.each(|n, _| {
                    let (dot_bar, bar) = (dot(&bar(n)), bar(n));
                    let more = plus(&dot_bar, &more_of(n));
                    let (here, there, bent) = (
                        plus_times(&bar, &quote!(scales.0), &kept(n)),
                        plus_times(&dot_bar, &quote!(scales.1), &kept(n)),
                        plus_times(&dot_bar, &quote!(scales.0), &bent(n)),
                    );
                    quote!(#more #here #there #bent)
                });
                quote! {
                    #seeds
                    let ((#kept_all, #bars), (#bent_all, #dot_bars)) = #third;
                    let (_, #mores) = #more;
                    #each
                }
            }
            Which::Jvp | Which::Hvp => {
                let third = self.call("hvp_jvp", &[self.given(along), self.given(dot)]);
                let more = self.call("hvp", &[self.given(|n| dot(&along(n)))]);
                let each = self.each(|n, _| {
                    let (kept, bent, bar_along) = (kept(n), bent(n), bar(&along(n)));
                    let (bar, dot_bar, dot_bar_along) = (bar(n), dot(&bar(n)), dot(&bar_along));
                    let more = plus(&dot_bar, &more_of(n));
                    let scaled = [
                        plus_times(&dot_bar, &quote!(scales.0), &bent),
                        plus_times(&dot_bar, &quote!(dot_scales.1), &bar),
                        plus_times(&dot_bar, &quote!(dot_scales.0), &kept),
                        plus_times(&bar_along, &quote!(scales.1), &kept),
                        plus_times(&dot_bar_along, &quote!(dot_scales.1), &kept),
                        plus_times(&dot_bar_along, &quote!(scales.1), &bent),
                    ];
                    let by_value = plus_times(&bar, &quote!(scales.0), &kept);
                    quote! {
                        #more
                        rt::scale(&mut #dot_bar, scales.1);
                        let mut #bar_along = rt::Tangent::zero_like(&#kept);
                        let mut #dot_bar_along = rt::Tangent::zero_like(&#kept);
                        #(#scaled)*
                        rt::scale(&mut #bar, scales.1);
                        #by_value
                    }
                });
                quote! {
                    let scales = (rt::num::cast::<_, f64>(#seed_name.0), rt::num::cast::<_, f64>(#seed_name.1));
                    let dot_scales = (rt::num::cast::<_, f64>(#dot_seed_name.0), rt::num::cast::<_, f64>(#dot_seed_name.1));
                    let ((#kept_all, #bars), (#bent_all, #dot_bars)) = #third;
                    let (_, #mores) = #more;
                    #each
                }
            }
        };
        quote! {
            #made
            #more_made
            let value = { #value };
            let back = move |#closure| {
                #swept
                #adds
                #more_adds
                ((#(#entries,)*), (#(#more_entries,)*))
            };
        }
    }
}

/// What a reverse sweep leaves of each parameter `n`, whose cotangent is `bar(n)`, or the tangent of that: of references it is added to their shadows, the rest is returned.
struct Bars {
    /// Before the arguments are moved.
    made: TokenStream,
    adds: TokenStream,
    entries: Vec<TokenStream>,
}

impl Bars {
    fn new(derivative: &Derivative<'_>, k: usize) -> Bars {
        let mut bars = Bars {
            made: TokenStream::new(),
            adds: TokenStream::new(),
            entries: Vec::new(),
        };
        let params = derivative.names.iter().zip(&derivative.function.params);
        for (name, p) in params {
            let (bar, shadow) = (dotted(k, &bar(name)), dotted(k, &prefixed("d", name)));
            if p.by == By::Value {
                if !p.active {
                    let zero = if p.tangible {
                        p.zero_of(&quote!(&#name))
                    } else {
                        quote!(())
                    };
                    bars.made.extend(quote!(let #bar = #zero;));
                }
                bars.entries.push(bar.to_token_stream());
            } else if p.active {
                bars.adds.extend(quote!(rt::acc(&mut *#shadow, &#bar);));
            }
        }
        bars
    }
}

/// The functions with `self` in front of what they take.
fn with_receiver(functions: TokenStream) -> TokenStream {
    let (mut is_fn, mut named, mut depth, mut arrow) = (false, false, 0, false);
    let with = |token: TokenTree| {
        match &token {
            // The type of a function has no name.
            TokenTree::Ident(_) if is_fn => named = true,
            // Generic parameters come before.
            TokenTree::Punct(sign) if named => match sign.as_char() {
                '<' => depth += 1,
                '>' if !arrow => depth -= 1,
                _ => {}
            },
            TokenTree::Group(group) if named && depth == 0 => {
                named = false;
                let inputs = group.stream();
                return Group::new(Delimiter::Parenthesis, quote!(self, #inputs)).into();
            }
            _ => {}
        }
        is_fn = matches!(&token, TokenTree::Ident(word) if word == "fn");
        arrow = matches!(&token, TokenTree::Punct(sign) if sign.as_char() == '-');
        token
    };
    functions.into_iter().map(with).collect()
}

/// Functions of a method's derivative as items of the block that the method stands in.
fn beside(function: &GradFn, functions: TokenStream) -> TokenStream {
    let allowed = ALLOWED.parse().unwrap_or_default();
    match Siblings::new(function, allowed) {
        Some(siblings) => siblings.of(functions),
        None => functions,
    }
}

/// The tangent of a parameter as a parameter.
fn tangent_parameter(p: &ParamInfo, numeric: &[Ident]) -> ParamInfo {
    let (owned, lent) = (owned_or_unit(p), buffer_or_unit(p));
    let (inner, written) = match p.by {
        By::Value => (owned.clone(), owned),
        By::Ref | By::Mut => (lent.clone(), quote!(&#lent)),
    };
    let mut tangent = p.clone();
    if let (Ok(inner), Ok(written)) = (syn::parse2(inner), syn::parse2::<syn::Type>(written)) {
        tangent.ty = types::read_in(&inner, numeric);
        (tangent.passed, tangent.again) = (written.clone(), types::elide(&written));
        (tangent.inner, tangent.written) = (inner, written);
    }
    tangent
}

/// An argument, to be used again.
fn again(name: &Ident, p: &ParamInfo) -> TokenStream {
    match p.by {
        By::Value => copy_of(p, name),
        By::Ref | By::Mut => name.to_token_stream(),
    }
}

/// A parameter as a reference.
fn referred(name: &Ident, p: &ParamInfo) -> TokenStream {
    match p.by {
        By::Value => quote!(&#name),
        By::Ref | By::Mut => name.to_token_stream(),
    }
}

fn tuple(entries: impl Iterator<Item = TokenStream>) -> TokenStream {
    let entries: Vec<TokenStream> = entries.collect();
    match entries.as_slice() {
        [one] => one.clone(),
        all => quote!((#(#all),*)),
    }
}

/// `to += what`
fn plus(to: &Ident, what: &Ident) -> TokenStream {
    quote!(rt::Tangent::add_scaled(&mut #to, 1.0, &#what);)
}

/// `to += by * what`; where `by` is zero nothing is added, whatever there is.
fn plus_times(to: &Ident, by: &TokenStream, what: &Ident) -> TokenStream {
    quote!(if #by != 0.0 { rt::Tangent::add_scaled(&mut #to, #by, &#what); })
}

// The names of what there is for each parameter: tangents that the derivative takes; the tangent of anything; cotangents.

fn along(name: &Ident) -> Ident {
    prefixed("along", name)
}

fn dot(name: &Ident) -> Ident {
    dotted(1, name)
}

fn seed(name: &Ident) -> Ident {
    prefixed("seed", name)
}

fn bar(name: &Ident) -> Ident {
    prefixed("g", name)
}

// Of the function's own gradient, of its change, and one thing more.

fn kept(name: &Ident) -> Ident {
    prefixed("kept", name)
}

fn bent(name: &Ident) -> Ident {
    prefixed("bent", name)
}

fn more_of(name: &Ident) -> Ident {
    prefixed("more", name)
}
