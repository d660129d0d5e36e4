//! `hvp`, `hessian` and the hidden forms of higher order.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::jacobian::Runs;
use super::lanes::{Gradient, directions_form, forward_in_lanes, in_several, keeps, pass, stubs};
use super::reverse::restoring;
use super::tangents::{buffer, buffer_or_unit, owned, owned_or_unit};
use super::{Bodies, OrderBodies, Pieces, Seeded, even, jacobian, passed, prefixed, sparse};
use crate::forms::form_name;
use crate::function::{By, GradFn, ParamInfo};
use crate::ir::Ty;
use crate::second::{Several, dotted};

/// The type of a tangent as hidden forms take it.
pub(super) fn dot_type(p: &ParamInfo) -> TokenStream {
    match p.by {
        By::Value => owned_or_unit(p),
        By::Ref => {
            let ty = buffer_or_unit(p);
            quote!(&#ty)
        }
        By::Mut => {
            let ty = buffer_or_unit(p);
            quote!(&mut #ty)
        }
    }
}

/// What a pullback takes, with and without names; `count` is 2 to the number of directions.
pub(super) fn closure_inputs(
    function: &GradFn,
    names: &[Ident],
    count: usize,
) -> Vec<(Ident, TokenStream)> {
    let tangent = function.ret.as_ref().map_or(quote!(()), owned);
    let borrowed: Vec<(&Ident, &ParamInfo)> = names
        .iter()
        .zip(&function.params)
        .filter(|(_, p)| p.by != By::Value)
        .collect();
    let seed = Ident::new("seed", proc_macro2::Span::mixed_site());
    let mut out: Vec<(Ident, TokenStream)> = Vec::new();
    out.extend((0..count).map(|k| (dotted(k, &seed), tangent.clone())));
    for k in 0..count {
        // A function is at hand.
        let again = borrowed.iter().filter(|(_, p)| p.callable.is_none());
        out.extend(again.map(|(name, p)| {
            let ty = if k == 0 {
                let ty = &p.again;
                quote!(#ty)
            } else {
                dot_type(p)
            };
            (dotted(k, name), ty)
        }));
    }
    for k in 0..count {
        out.extend(borrowed.iter().map(|(name, p)| {
            let ty = buffer_or_unit(p);
            (dotted(k, &prefixed("d", name)), quote!(&mut #ty))
        }));
    }
    out
}

/// The parameters of a pullback with tangents: cotangents, references and shadows, each with their tangents behind them.
///
/// The tangents may have several directions.
pub(crate) fn dual_closure_params(
    function: &GradFn,
    names: &[Ident],
    count: usize,
    several: Several,
) -> TokenStream {
    in_several(several, closure_inputs(function, names, count))
}

/// The tangents that come behind the arguments.
pub(super) fn dot_inputs(pieces: &Pieces<'_>, count: usize) -> Vec<TokenStream> {
    let mut out = Vec::new();
    for k in 1..count {
        let params = pieces.params().filter(|(_, p)| p.callable.is_none());
        out.extend(params.map(|(name, p)| {
            let (dot, ty) = (dotted(k, name), dot_type(p));
            quote!(#dot: #ty)
        }));
    }
    out
}

/// The bound that says of a method that it lacks an order.
pub(super) fn lacking(level: u32) -> TokenStream {
    let order = Literal::u32_unsuffixed(level + 1);
    quote!(for<'__any> rt::Lacking<'__any>: rt::OrderOfMethod<#order>)
}

/// In place of a body that is lacking.
pub(super) fn stub_body(pieces: &Pieces<'_>, level: u32) -> TokenStream {
    let count = 1 << level;
    let (ret, tangent) = (pieces.result(), pieces.result_tangent());
    let results = (1..count).map(|_| &tangent);
    let types = closure_inputs(pieces.function, &pieces.names, count);
    let types = types.iter().map(|(_, ty)| ty);
    let bars = bars(pieces, count);
    quote! {
        let value: (#ret, #(#results,)*) = ::core::unreachable!();
        let back: fn(#(#types),*) -> (#bars) = ::core::unreachable!();
    }
}

/// What is put into the form with both sweeps: how it is generic, and what comes before its body.
pub(super) struct FwdForm {
    pub(super) generics: TokenStream,
    pub(super) clause: TokenStream,
    /// What the type of the pullback has to name.
    pub(super) captures: TokenStream,
    pub(super) before: TokenStream,
}

impl FwdForm {
    /// As the function itself is.
    pub(super) fn of(pieces: &Pieces<'_>) -> FwdForm {
        FwdForm {
            generics: pieces.generics.clone(),
            clause: restoring(pieces, pieces.clause.clone()).to_token_stream(),
            captures: pieces.captures.clone(),
            before: TokenStream::new(),
        }
    }
}

/// Both sweeps with tangents, the reverse one as a pullback.
pub(super) fn fwd_form(
    pieces: &Pieces<'_>,
    level: u32,
    bodies: &Bodies,
    body: &TokenStream,
    form: FwdForm,
) -> TokenStream {
    let FwdForm {
        generics,
        clause,
        captures,
        before,
    } = form;
    let vis = &pieces.function.item.vis;
    let count = 1 << level;
    let (inputs, dots) = (pieces.inputs(), dot_inputs(pieces, count));
    let (ret, tangent) = (pieces.result(), pieces.result_tangent());
    let results = (1..count).map(|_| &tangent);
    let types = closure_inputs(pieces.function, &pieces.names, count);
    let types = types.iter().map(|(_, ty)| ty);
    let bars = bars(pieces, count);
    let pullback = quote!(FnOnce(#(#types),*) -> (#bars));
    let (output, back) = if bodies.recursive {
        (quote!(rt::Box<dyn #pullback>), quote!(rt::Box::new(back)))
    } else {
        (quote!(impl #pullback + use<#captures>), quote!(back))
    };
    let parts = (0..count).map(proc_macro2::Literal::usize_unsuffixed);
    let name = form_name(level, "fwd");
    quote! {
        #[doc(hidden)]
        #[inline]
        #vis fn #name #generics (#(#inputs,)* #(#dots),*) -> (#ret, #(#results,)* #output) #clause { #before #body (#(value.#parts,)* #back) }
    }
}

/// The types of what the pullback returns.
fn bars(pieces: &Pieces<'_>, count: usize) -> TokenStream {
    let owned = pieces.params().filter(|(_, p)| p.by == By::Value);
    let owned: Vec<_> = owned.map(|(_, p)| owned_or_unit(p)).collect();
    let groups = (0..count).map(|_| quote!((#(#owned,)*)));
    quote!(#(#groups),*)
}

/// What a function of a trait has in place of the derivatives of the order that it lacks, which the trait may have; of others, their callers declare them.
pub(super) fn stub(pieces: &Pieces<'_>, level: u32) -> TokenStream {
    if !pieces.function.options.of_trait {
        return TokenStream::new();
    }
    let forward = forward_stub(pieces, level);
    let clause = lacking_clause(pieces, level);
    let even = even::stub(pieces, level, clause.as_ref());
    let wide = (level == 1).then(|| stubs(pieces, lacked));
    quote!(#forward #even #wide)
}

/// What such a form returns: nothing, where nobody but its callers asks, whose own error comes first. Forms of traits are written out for others.
pub(super) fn lacked(function: &GradFn, output: TokenStream) -> TokenStream {
    if function.method.is_none() || function.options.apart {
        quote!(!)
    } else {
        output
    }
}

/// The same of the one form that is called where it is known what is called.
pub(super) fn forward_stub(pieces: &Pieces<'_>, level: u32) -> TokenStream {
    let (generics, function) = (&pieces.generics, pieces.function);
    let vis = &function.item.vis;
    let count = 1 << level;
    let (inputs, dots) = (pieces.inputs(), dot_inputs(pieces, count));
    let (ret, tangent) = (pieces.result(), pieces.result_tangent());
    let results = (1..count).map(|_| &tangent);
    let types = closure_inputs(function, &pieces.names, count);
    let types = types.iter().map(|(_, ty)| ty);
    let (form, bars) = (form_name(level, "fwd"), bars(pieces, count));
    let clause = lacking_clause(pieces, level);
    let output = quote!((#ret, #(#results,)* fn(#(#types),*) -> (#bars)));
    let output = lacked(function, output);
    quote! {
        #[doc(hidden)]
        #[inline]
        #vis fn #form #generics (#(#inputs,)* #(#dots),*) -> #output #clause {
            ::core::unreachable!()
        }
    }
}

/// In place of the public functions of second order, so that their error says what to write.
pub(super) fn lacking_api(pieces: &Pieces<'_>) -> TokenStream {
    let function = pieces.function;
    let (vis, generics, inputs) = (&function.item.vis, &pieces.generics, pieces.inputs());
    let (gradient, scalar) = (pieces.gradient(), jacobian::scalar_of(function));
    let ty = tuple(&tangents_given(pieces));
    let mut clause = pieces
        .clause
        .clone()
        .unwrap_or_else(|| syn::parse_quote!(where));
    let lacking = quote!(for<'__any> rt::Lacking<'__any>: rt::OrderOfFunction<2>);
    clause.predicates.push(syn::parse_quote!(#lacking));
    quote! {
        #[doc(hidden)]
        #[inline]
        #vis fn hvp #generics (#(#inputs,)* tangents: #ty) -> (#gradient, #gradient) #clause { ::core::unreachable!() }
        rt::with_alloc! {
            #[doc(hidden)]
            #[inline]
            #vis fn hessian #generics (#(#inputs),*) -> rt::Matrix<#scalar> #clause { ::core::unreachable!() }
        }
    }
}

/// In place of the public functions that only a result of one number has.
pub(super) fn several_results(pieces: &Pieces<'_>, again: bool) -> TokenStream {
    let function = pieces.function;
    let (vis, generics, inputs) = (&function.item.vis, &pieces.generics, pieces.inputs());
    let (ret, gradient) = (pieces.result(), pieces.gradient());
    let scalar = jacobian::scalar_of(function);
    let mut clause = pieces
        .clause
        .clone()
        .unwrap_or_else(|| syn::parse_quote!(where));
    let one = quote!(for<'__any> rt::Lacking<'__any>: rt::ResultIsOneNumber);
    clause.predicates.push(syn::parse_quote!(#one));
    let second = again.then(|| {
        let ty = tuple(&tangents_given(pieces));
        quote! {
            #[doc(hidden)]
            #[inline]
            #vis fn hvp #generics (#(#inputs,)* tangents: #ty) -> (#gradient, #gradient) #clause { ::core::unreachable!() }
            rt::with_alloc! {
                #[doc(hidden)]
                #[inline]
                #vis fn hessian #generics (#(#inputs),*) -> rt::Matrix<#scalar> #clause { ::core::unreachable!() }
                #[doc(hidden)]
                #[inline]
                #vis fn value_grad_hessian #generics (#(#inputs),*) -> (#ret, #gradient, rt::Matrix<#scalar>) #clause { ::core::unreachable!() }
            }
        }
    });
    let first = (!function.returns_optional_number())
        .then(|| no_gradient(pieces, &quote!(rt::ResultIsOneNumber)));
    quote!(#first #second)
}

/// In place of the gradients of a function that has none: the trait that is missing says why.
pub(super) fn no_gradient(pieces: &Pieces<'_>, missing: &TokenStream) -> TokenStream {
    let (vis, generics, inputs) = (&pieces.function.item.vis, &pieces.generics, pieces.inputs());
    let (ret, gradient) = (pieces.result(), pieces.gradient());
    let mut clause = pieces
        .clause
        .clone()
        .unwrap_or_else(|| syn::parse_quote!(where));
    let lacking = quote!(for<'__any> rt::Lacking<'__any>: #missing);
    clause.predicates.push(syn::parse_quote!(#lacking));
    quote! {
        #[doc(hidden)]
        #[inline]
        #vis fn grad #generics (#(#inputs),*) -> #gradient #clause { ::core::unreachable!() }
        #[doc(hidden)]
        #[inline]
        #vis fn value_and_grad #generics (#(#inputs),*) -> (#ret, #gradient) #clause { ::core::unreachable!() }
    }
}

/// Of a function the call itself asks for the order; it cannot name what a method belongs to.
fn lacking_clause(pieces: &Pieces<'_>, level: u32) -> Option<syn::WhereClause> {
    let mut clause = pieces.clause.clone();
    if pieces.function.method.is_some() {
        let clause = clause.get_or_insert_with(|| syn::parse_quote!(where));
        let lacking = lacking(level + pieces.function.derived);
        clause.predicates.push(syn::parse_quote!(#lacking));
    }
    clause
}

/// Both sweeps with tangents in one function, of one order: the arguments and their tangents, cotangents, shadows.
fn sweeps_form(
    pieces: &Pieces<'_>,
    level: u32,
    OrderBodies { several, vjp, .. }: &OrderBodies,
) -> TokenStream {
    let Pieces {
        generics,
        clause,
        function,
        names,
        ..
    } = pieces;
    match vjp {
        None => TokenStream::new(),
        Some(vjp) if *several != Several::No => directions_form(pieces, *several, vjp),
        Some(body) => {
            let vis = &function.item.vis;
            let count = 1 << level;
            let (inputs, dots) = (pieces.inputs(), dot_inputs(pieces, count));
            let (ret, tangent) = (pieces.result(), pieces.result_tangent());
            let results = (1..count).map(|_| &tangent);
            let types = closure_inputs(function, names, count);
            // The arguments are there already.
            let more = types.iter().filter(|(name, _)| {
                !pieces
                    .names
                    .iter()
                    .any(|param| (0..count).any(|k| dotted(k, param) == *name))
            });
            let more = more.map(|(name, ty)| quote!(#name: #ty));
            let (form, bars) = (form_name(level, "vjp"), bars(pieces, count));
            quote! {
                #[doc(hidden)]
                #[inline]
                #vis fn #form #generics (#(#inputs,)* #(#dots,)* #(#more),*) -> (#ret, #(#results,)* #bars) #clause { #body }
            }
        }
    }
}

/// Both sweeps with tangents, of each order, as one function and with a pullback; rules of operators ask for no other forms.
pub(super) fn second_forms(pieces: &Pieces<'_>, bodies: &Bodies) -> TokenStream {
    let mut out = TokenStream::new();
    for (level, body) in (1_u32..).zip(&bodies.orders) {
        let form = FwdForm::of(pieces);
        out.extend(sweeps_form(pieces, level, body));
        out.extend(fwd_form(pieces, level, bodies, &body.fwd, form));
    }
    out
}

pub(super) fn second_api(pieces: &Pieces<'_>, bodies: &Bodies, public: bool) -> TokenStream {
    let mut out = second_forms(pieces, bodies);
    for (level, body) in (1_u32..).zip(&bodies.orders) {
        out.extend(even::form(pieces, level));
        out.extend(passed::form(pieces, level));
        if level == 1 {
            out.extend(forward_in_lanes(pieces, bodies, body));
        }
    }
    if public {
        let several = bodies.orders.first().map(|body| body.several);
        let several = several.unwrap_or_default();
        out.extend(hvp(pieces, several));
        let (hessians, passes) = (hessians(pieces, several), pass(pieces, several));
        let sparse = sparse::is_of_lists(pieces).then(|| sparse::hessian(pieces));
        out.extend(quote!(rt::with_alloc! { #hessians #passes #sparse }));
        if bodies.orders.len() > 1 && !pieces.function.returns_optional_number() {
            out.extend(hvp_jvp(pieces));
        }
    }
    out
}

/// A sweep with tangents: what it is given, and what it leaves.
pub(super) struct Sweep {
    /// Makes tangents and shadows.
    pub(super) made: TokenStream,
    /// Runs it; binds the value and the cotangents.
    pub(super) call: TokenStream,
    /// The tangents of the differentiable parameters, and their cotangents.
    pub(super) dots: Vec<Ident>,
    pub(super) entries: Vec<Ident>,
    pub(super) dot_entries: Vec<Ident>,
}

impl Sweep {
    /// In `count` directions; `given` where the tangents of differentiable parameters are there already, for one direction.
    pub(super) fn new(
        pieces: &Pieces<'_>,
        several: Several,
        count: &TokenStream,
        given: bool,
    ) -> Sweep {
        // Of a reference to a tangent, or to a zero.
        let widen = |of: TokenStream| match several {
            Several::No => of,
            Several::Lanes => quote!(rt::lanes::widen::<_, #count>(#of)),
            Several::Each => quote!(rt::lanes::each::<_, #count>(|_| rt::copy(#of))),
        };
        let borrowed = |name: &Ident, p: &ParamInfo, by: By| {
            let ty = buffer_or_unit(p);
            match (by, several) {
                (By::Value, _) => quote!(#name),
                (By::Ref, Several::Each) => quote!(#name.each_ref().map(|one| -> &#ty { one })),
                (By::Mut, Several::Each) => quote!(#name.each_mut().map(|one| -> &mut #ty { one })),
                (By::Ref, _) => quote!(&#name),
                (By::Mut, _) => quote!(&mut #name),
            }
        };
        let mut made = TokenStream::new();
        let (mut tangents, mut shadows, mut dot_shadows) = (Vec::new(), Vec::new(), Vec::new());
        let (mut bars, mut dot_bars) = (Vec::new(), Vec::new());
        let (mut dots, mut entries, mut dot_entries) = (Vec::new(), Vec::new(), Vec::new());
        for (k, (name, p)) in pieces.params().enumerate() {
            let zero = format_ident!("__zero_{k}");
            let (dot, shadow) = (prefixed("dot", name), prefixed("d", name));
            let dot_shadow = dotted(1, &shadow);
            let of = if p.by == By::Value {
                quote!(&#name)
            } else {
                quote!(&*#name)
            };
            let zero = quote!(Self::#zero(#of));
            let lent = !given && keeps(p, several);
            if p.by != By::Value && !lent {
                made.extend(quote!(let mut #shadow = #zero;));
            }
            let wide_zero = match several {
                Several::No => zero,
                _ if lent => {
                    let wide = widen(quote!(zero));
                    quote!(rt::lanes::Lent::of(#shadow.iter().map(|zero| #wide)))
                }
                _ if p.by != By::Value => widen(quote!(&#shadow)),
                _ => widen(quote!(&#zero)),
            };
            let there = given && p.active;
            match (there, several) {
                (false, _) => made.extend(quote!(let mut #dot = #wide_zero;)),
                (true, Several::No) => {}
                (true, Several::Lanes) => {
                    let wide = widen(if p.by == By::Value {
                        quote!(&#dot)
                    } else {
                        quote!(#dot)
                    });
                    made.extend(quote!(let #dot = #wide;));
                }
                (true, Several::Each) => made.extend(quote!(let #dot = [#dot];)),
            }
            tangents.push(match p.by {
                By::Ref if there && several != Several::Lanes => quote!(#dot),
                by => borrowed(&dot, p, by),
            });
            if p.active {
                dots.push(dot);
                entries.push(shadow.clone());
                dot_entries.push(dot_shadow.clone());
            }
            if p.by == By::Value {
                bars.push(shadow);
                dot_bars.push(dot_shadow);
            } else {
                made.extend(quote!(let mut #dot_shadow = #wide_zero;));
                shadows.push(if lent {
                    quote!(&mut *#shadow)
                } else {
                    quote!(&mut #shadow)
                });
                dot_shadows.push(borrowed(&dot_shadow, p, By::Mut));
            }
        }
        let (args, form) = (pieces.args(), form_name(1, "vjp"));
        let one = pieces.seeded(None).one;
        let types = pieces.given();
        let directions = quote!(::<#(#types,)* #count>);
        let (turbofish, dot_seed) = match several {
            Several::No => (pieces.turbofish.clone(), quote!(rt::zero_like(&seed))),
            Several::Lanes => (directions, quote!(rt::lanes::zero())),
            Several::Each => (
                directions,
                quote!(rt::lanes::each::<_, #count>(|_| rt::zero_like(&seed))),
            ),
        };
        let call = quote! {
            let seed = #one;
            let dot_seed = #dot_seed;
            let (value, _, (#(#bars,)*), (#(mut #dot_bars,)*)) =
                Self::#form #turbofish (#(#args,)* #(#tangents,)* seed, dot_seed #(, #shadows)* #(, #dot_shadows)*);
        };
        Sweep {
            made,
            call,
            dots,
            entries,
            dot_entries,
        }
    }
}

/// The types of the tangents as `hvp` is given them.
fn tangents_given(pieces: &Pieces<'_>) -> Vec<TokenStream> {
    let types = pieces.active().map(|(_, p)| match p.by {
        By::Value => owned(&p.inner),
        By::Ref | By::Mut => {
            let ty = buffer(&p.inner);
            quote!(&#ty)
        }
    });
    types.collect()
}

/// The entries of a gradient: a tuple, or the one alone.
pub(super) fn tuple<T: ToTokens>(entries: &[T]) -> TokenStream {
    match entries {
        [one] => quote!(#one),
        all => quote!((#(#all),*)),
    }
}

fn hvp(pieces: &Pieces<'_>, several: Several) -> TokenStream {
    let Seeded {
        generics, clause, ..
    } = pieces.seeded(pieces.clause.clone());
    let vis = &pieces.function.item.vis;
    let (inputs, gradient) = (pieces.inputs(), pieces.gradient());
    let ty = tuple(&tangents_given(pieces));
    let one = quote!(1);
    let sweep = Sweep::new(pieces, several, &one, true);
    let (made, call) = (&sweep.made, &sweep.call);
    let curvature = pieces.active().zip(&sweep.dot_entries);
    let curvature = curvature.map(|((_, p), entry)| {
        let ty = owned(&p.inner);
        match several {
            Several::No => quote!(#entry),
            Several::Lanes => quote!(rt::lanes::narrow::<#ty, 1>(&#entry)),
            Several::Each => quote!(rt::lanes::alone(#entry)),
        }
    });
    let curvature = tuple(&curvature.collect::<Vec<_>>());
    let (pattern, entries) = (tuple(&sweep.dots), tuple(&sweep.entries));
    let checks = pieces.checks(&|n| prefixed("dot", n), &|_| true);
    let perhaps = Perhaps::of(pieces.function);
    let output = perhaps.ty(&quote!((#gradient, #gradient)));
    let value = perhaps.of_value(&quote!(_), &quote!((#entries, #curvature)));
    quote! {
        /// The gradient, and the Hessian times the given tangents.
        #[inline]
        #vis fn hvp #generics (#(#inputs,)* tangents: #ty) -> #output #clause {
            let #pattern = tangents;
            #checks
            #made
            #call
            #value
        }
    }
}

/// Whether a function returns a number or an option of one, of which there are derivatives where the option has a value.
#[derive(Clone, Copy)]
pub(super) struct Perhaps<'a>(Option<&'a syn::Type>);

impl<'a> Perhaps<'a> {
    fn of(function: &'a GradFn) -> Perhaps<'a> {
        Perhaps((function.some()).filter(|_| function.returns_optional_number()))
    }

    /// The same of an option of whatever there are Jacobians of.
    pub(super) fn of_any(function: &'a GradFn) -> Perhaps<'a> {
        Perhaps(function.some())
    }

    /// The type of the value, which is that of the result where it is no option.
    pub(super) fn inside(self, result: TokenStream) -> TokenStream {
        self.0.map_or(result, ToTokens::to_token_stream)
    }

    /// A part of what a public function returned.
    pub(super) fn part(self, of: &TokenStream) -> TokenStream {
        match self.0 {
            Some(_) => quote!(#of.map(|both| both.1)),
            None => quote!(#of.1),
        }
    }

    /// The value and a matrix, of which there is none without a value.
    pub(super) fn both(self, computed: TokenStream) -> TokenStream {
        match self.0 {
            Some(_) => quote! {
                let (value, matrix) = { #computed };
                value.map(|value| (value, matrix))
            },
            None => computed,
        }
    }

    /// The matrix of both.
    pub(super) fn matrix(self, computed: &TokenStream) -> TokenStream {
        match self.0 {
            Some(_) => quote!({
                let (value, matrix) = { #computed };
                value.map(|_| matrix)
            }),
            None => quote!(#computed.1),
        }
    }

    /// The function of the runtime that makes the matrix row by row.
    pub(super) fn rows(self) -> &'static str {
        match self.0 {
            Some(_) => "all_rows_of_some",
            None => "all_rows",
        }
    }

    /// What a function returns that writes a Jacobian.
    pub(super) fn written(self) -> Option<TokenStream> {
        self.0.map(|_| quote!(-> ::core::option::Option<()>))
    }

    /// Writes a Jacobian.
    pub(super) fn write(self) -> TokenStream {
        match self.0 {
            Some(_) => quote!(matrix.map(|matrix| rt::write_jacobian(&matrix, out))),
            None => quote!(rt::write_jacobian(&matrix, out);),
        }
    }

    pub(super) fn ty(self, of: &TokenStream) -> TokenStream {
        match self.0 {
            Some(_) => quote!(::core::option::Option<#of>),
            None => of.clone(),
        }
    }

    fn some(self, of: &TokenStream) -> TokenStream {
        match self.0 {
            Some(_) => quote!(::core::option::Option::Some(#of)),
            None => of.clone(),
        }
    }

    /// What a public function returned, which has nothing to go on with where there is no value.
    pub(super) fn asked(self) -> Option<TokenStream> {
        self.0.map(|_| quote!(?))
    }

    /// What is returned where `value` is there, as which it is bound.
    pub(super) fn of_value(self, value: &TokenStream, of: &TokenStream) -> TokenStream {
        match self.0 {
            Some(_) => quote!(value.map(|#value| #of)),
            None => of.clone(),
        }
    }
}

/// Forward mode over `hvp`.
fn hvp_jvp(pieces: &Pieces<'_>) -> TokenStream {
    let Seeded {
        generics,
        clause,
        one,
        ..
    } = pieces.seeded(pieces.clause.clone());
    let turbofish = &pieces.turbofish;
    let vis = &pieces.function.item.vis;
    let (inputs, args, gradient) = (pieces.inputs(), pieces.args(), pieces.gradient());
    let ty = tuple(&tangents_given(pieces));
    let (mut made, mut dots, mut shadows) = (TokenStream::new(), Vec::new(), Vec::new());
    let mut groups = Vec::new();
    for k in 0..4 {
        let (mut bars, mut entries) = (Vec::new(), Vec::new());
        for (at, (name, p)) in pieces.params().enumerate() {
            let (dot, shadow) = (dotted(k, name), dotted(k, &prefixed("d", name)));
            let zero = format_ident!("__zero_{at}");
            let zero = if p.by == By::Value {
                quote!(Self::#zero(&#name))
            } else {
                quote!(Self::#zero(&*#name))
            };
            // Along both directions the arguments do not bend.
            let there = p.active && k < 3;
            if k > 0 {
                if !there {
                    made.extend(quote!(let mut #dot = #zero;));
                }
                dots.push(match p.by {
                    By::Ref if !there => quote!(&#dot),
                    By::Mut => quote!(&mut #dot),
                    By::Value | By::Ref => quote!(#dot),
                });
            }
            if p.active {
                entries.push(shadow.clone());
            }
            if p.by == By::Value {
                bars.push(shadow);
            } else {
                made.extend(quote!(let mut #shadow = #zero;));
                shadows.push(quote!(&mut #shadow));
            }
        }
        groups.push((bars, tuple(&entries)));
    }
    let directions = |k| {
        let names: Vec<Ident> = pieces.active().map(|(n, _)| dotted(k, n)).collect();
        let checks = pieces.checks(&|n| dotted(k, n), &|_| true);
        (tuple(&names), checks)
    };
    let ((first, first_checks), (second, second_checks)) = (directions(1), directions(2));
    let (bars, entries): (Vec<_>, Vec<_>) = groups.into_iter().unzip();
    let bars = bars.iter().map(|bars| quote!((#(#bars,)*)));
    let [gradient_value, along, across, third] = [0, 1, 2, 3].map(|k| &entries[k]);
    let form = form_name(2, "vjp");
    quote! {
        /// What `hvp` returns for `tangents`, and its derivative along `more`: the Hessian times `more`, and the third derivative along both.
        #[inline]
        #vis fn hvp_jvp #generics (#(#inputs,)* tangents: #ty, more: #ty) -> ((#gradient, #gradient), (#gradient, #gradient)) #clause {
            let #first = tangents;
            let #second = more;
            #first_checks
            #second_checks
            #made
            let seed = #one;
            let none = rt::zero_like(&seed);
            let (_, _, _, _, #(#bars),*) =
                Self::#form #turbofish (#(#args,)* #(#dots,)* seed, none, none, none #(, #shadows)*);
            ((#gradient_value, #along), (#across, #third))
        }
    }
}

/// So many columns of a Hessian are computed at once, or fewer.
const WIDTHS: [usize; 4] = [1, 2, 4, 8];

/// Puts a tangent into a buffer.
pub(super) fn overwrite(p: &ParamInfo, buffer: &Ident, made: &Ident) -> TokenStream {
    match p.ty {
        Ty::Slice(_) | Ty::Vec(_) => quote!(#buffer.clone_from_slice(&#made);),
        _ => quote!(*#buffer = #made;),
    }
}

fn hessians(pieces: &Pieces<'_>, several: Several) -> TokenStream {
    let function = pieces.function;
    let perhaps = Perhaps::of(function);
    let Seeded {
        generics, clause, ..
    } = pieces.seeded(if once(pieces, several).is_some() {
        pieces.clause.clone()
    } else {
        jacobian::repeated(pieces)
    });
    let bodies = match several {
        Several::No => one_by_one(pieces, perhaps),
        _ => by_passes(pieces, several, perhaps),
    };
    let Hessians {
        hidden,
        hessian,
        all,
        into,
        all_into,
    } = bodies;
    let vis = &function.item.vis;
    let (inputs, ret, gradient) = (pieces.inputs(), pieces.result(), pieces.gradient());
    let scalar = jacobian::scalar_of(function);
    let buffers = pieces.active().map(|(n, p)| {
        let (into, ty) = (prefixed("g", n), buffer(&p.inner));
        quote!(#into: &mut #ty)
    });
    let checks = pieces.checks(&|n| prefixed("g", n), &|_| true);
    let number = perhaps.0.map_or(quote!(#ret), ToTokens::to_token_stream);
    let (matrix, all_types) = (
        perhaps.ty(&quote!(rt::Matrix<#scalar>)),
        perhaps.ty(&quote!((#number, #gradient, rt::Matrix<#scalar>))),
    );
    let done = perhaps.0.map(|_| quote!(-> ::core::option::Option<()>));
    quote! {
        #hidden

        /// The Hessian: a row and a column per scalar of the differentiable parameters, in order.
        #[inline]
        #vis fn hessian #generics (#(#inputs),*) -> #matrix #clause {
            #hessian
        }

        /// The value, the gradient and the Hessian.
        #[inline]
        #vis fn value_grad_hessian #generics (#(#inputs),*) -> #all_types #clause {
            #all
        }

        /// Overwrites `out` with the Hessian, row by row; panics if `out` does not have as many elements.
        #[inline]
        #vis fn hessian_into #generics (#(#inputs,)* out: &mut [#scalar]) #done #clause {
            #into
        }

        /// Overwrites the given buffers with the gradient, and `out` with the Hessian, row by row; returns the value, and panics if `out` does not have as many elements.
        #[inline]
        #vis fn value_grad_hessian_into #generics (#(#inputs,)* #(#buffers,)* out: &mut [#scalar]) -> #ret #clause {
            #checks
            #all_into
        }
    }
}

/// The bodies of what computes Hessians.
struct Hessians {
    /// A function that they call.
    hidden: Option<TokenStream>,
    hessian: TokenStream,
    all: TokenStream,
    into: TokenStream,
    all_into: TokenStream,
}

/// How many columns there are, where that is known and they are computed at once.
fn once(pieces: &Pieces<'_>, several: Several) -> Option<usize> {
    jacobian::known_columns(pieces).filter(|n| *n <= 8 && several != Several::No)
}

/// By one sweep for each column.
fn one_by_one(pieces: &Pieces<'_>, perhaps: Perhaps<'_>) -> Hessians {
    let function = pieces.function;
    let Seeded { turbofish, .. } = pieces.seeded(None);
    let scalar = jacobian::scalar_of(function);
    let number = jacobian::number(function, &scalar);
    let Runs {
        start,
        first,
        again,
    } = Runs::new(pieces);
    let jacobian::Directions { zeros, given, dots } = jacobian::Directions::new(pieces);
    let asked = perhaps.asked();
    let all =
        perhaps.some(&quote!((value, gradient, Self::hessian #turbofish (#(#again),*) #asked)));
    let some = perhaps.some(&quote!(matrix));
    let (into, all_into) = copied(pieces, perhaps);
    Hessians {
        hidden: None,
        hessian: quote! {
            #start
            #zeros
            let columns = 0 #(+ rt::Tangent::scalar_count(&#dots))*;
            let mut matrix = rt::zeros::<#scalar>(columns, columns);
            let mut column = 0;
            #(rt::Tangent::for_each_scalar(&mut #dots, &mut |x| { *x = if column == 0 { 1.0 } else { 0.0 }; column += 1; });)*
            let mut curvature = Self::hvp #turbofish (#(#first,)* #given) #asked.1;
            for column in 0..columns {
                if column > 0 {
                    let mut at = 0;
                    #(rt::Tangent::for_each_scalar(&mut #dots, &mut |x| { *x = if at == column { 1.0 } else { 0.0 }; at += 1; });)*
                    curvature = Self::hvp #turbofish (#(#again,)* #given) #asked.1;
                }
                let mut row = 0;
                rt::Tangent::for_each_scalar(&mut curvature, &mut |x| { matrix[[row, column]] = #number; row += 1; });
            }
            #some
        },
        all: quote! {
            #start
            let (value, gradient) = Self::value_and_grad #turbofish (#(#first),*) #asked;
            #all
        },
        into,
        all_into,
    }
}

/// Several columns in each sweep; the gradient of lists is written to memory that is lent.
fn by_passes(pieces: &Pieces<'_>, several: Several, perhaps: Perhaps<'_>) -> Hessians {
    let function = pieces.function;
    let known = once(pieces, several);
    let seeded = pieces.seeded(if known.is_some() {
        pieces.clause.clone()
    } else {
        jacobian::repeated(pieces)
    });
    let (types, seed) = (pieces.given(), seeded.open.then(|| quote!(_,)));
    let types = quote!(#(#types,)* #seed);
    let Seeded {
        generics,
        clause,
        turbofish,
        ..
    } = seeded;
    let (inputs, args, ret) = (pieces.inputs(), pieces.args(), pieces.result());
    let scalar = jacobian::scalar_of(function);
    let gradient = Gradient::new(pieces, several);
    let (buffers, lent, returned) = (&gradient.buffers, &gradient.lent, &gradient.types);
    let pass = |width: usize, args: &[TokenStream], column: TokenStream| {
        let width = Literal::usize_unsuffixed(width);
        quote!(Self::__hessian_pass::<#types #width>(#(#args,)* #column, columns, matrix #(, &mut *#lent)*))
    };
    let passes = |args: &[TokenStream], column: TokenStream| {
        let [one, two, four, eight] = WIDTHS.map(|width| pass(width, args, column.clone()));
        quote! {
            match columns - #column {
                0 | 1 => #one,
                2 => #two,
                3 | 4 => #four,
                _ => #eight,
            }
        }
    };
    let counts = pieces.params().enumerate().filter(|(_, (_, p))| p.active);
    let counts = counts.map(|(k, (name, p))| {
        let zero = format_ident!("__zero_{k}");
        let shadow = prefixed("d", name);
        match p.by {
            _ if keeps(p, several) => quote!(rt::lanes::count(&*#shadow)),
            By::Value => quote!(rt::Tangent::scalar_count(&Self::#zero(&#name))),
            By::Ref | By::Mut => quote!(rt::Tangent::scalar_count(&Self::#zero(&*#name))),
        }
    });
    let made = quote! {
        let columns = 0 #(+ #counts)*;
        let matrix = entries.square(columns);
    };
    let all = if let Some(known) = known {
        let width = WIDTHS.into_iter().find(|width| *width >= known);
        let pass = pass(width.unwrap_or(8), &args, quote!(0));
        quote!(#made #pass)
    } else {
        let Runs {
            start,
            first,
            again,
        } = Runs::new(pieces);
        let (all, more) = (passes(&first, quote!(0)), passes(&again, quote!(first)));
        quote! {
            #start
            #made
            let all = #all;
            let mut first = 8;
            while first < columns {
                #more;
                first += 8;
            }
            all
        }
    };
    let hidden = quote! {
        #[inline]
        fn __hessian #generics (#(#inputs,)* entries: &mut rt::Entries<'_, #scalar> #(, #buffers)*) -> (#ret, (#(#returned,)*)) #clause { #all }
    };
    let lists = || pieces.active().filter(|(_, p)| keeps(p, several));
    let owned = lists().map(|(name, _)| {
        let shadow = prefixed("d", name);
        quote!(let mut #shadow = rt::zero_like(&*#name);)
    });
    let others = &gradient.entries;
    let run = |entries: TokenStream, lent: &[TokenStream]| quote!(Self::__hessian #turbofish (#(#args,)* #entries #(, #lent)*));
    let exclusive: Vec<_> = lent.iter().map(|name| quote!(&mut #name)).collect();
    let run_all = run(quote!(&mut entries), &exclusive);
    let made: Vec<Ident> = pieces.active().map(|(n, _)| prefixed("d", n)).collect();
    let made = tuple(&made);
    let value = perhaps.of_value(&quote!(value), &quote!((value, #made, entries.matrix())));
    let all_of_it = quote!(Self::value_grad_hessian #turbofish (#(#args),*));
    let hessian = match perhaps.0 {
        Some(_) => quote!(#all_of_it.map(|all| all.2)),
        None => quote!(#all_of_it.2),
    };
    let all = quote! {
        #(#owned)*
        let mut entries = rt::Entries::new();
        let (value, (#(#others,)*)) = #run_all;
        #value
    };
    // What is written before there is a value stays as it was where there is none.
    let (into, all_into) = if perhaps.0.is_some() || function.options.fails.is_some() {
        copied(pieces, perhaps)
    } else {
        let kept = lists().map(|(name, _)| {
            let shadow = prefixed("d", name);
            quote!(let mut #shadow = rt::lanes::Lent::of(#name.iter().map(|x| rt::zero_like(x)));)
        });
        let given: Vec<_> = lists()
            .map(|(name, _)| prefixed("g", name).into_token_stream())
            .collect();
        let set = pieces.active().filter(|(_, p)| !keeps(p, several));
        let set = set.map(|(n, p)| overwrite(p, &prefixed("g", n), &prefixed("d", n)));
        let entries = quote!(&mut rt::Entries::given(out));
        let (into, all_into) = (run(entries.clone(), &exclusive), run(entries, &given));
        (
            quote!(#(#kept)* #into;),
            quote!(let (value, (#(#others,)*)) = #all_into; #(#set)* value),
        )
    };
    Hessians {
        hidden: Some(hidden),
        hessian,
        all,
        into,
        all_into,
    }
}

/// What overwrites the caller's memory, by a copy of what the other functions return.
fn copied(pieces: &Pieces<'_>, perhaps: Perhaps<'_>) -> (TokenStream, TokenStream) {
    let Seeded { turbofish, .. } = pieces.seeded(None);
    let (args, asked) = (pieces.args(), perhaps.asked());
    let leave = super::failures::leave(pieces.function);
    let made: Vec<Ident> = pieces.active().map(|(n, _)| prefixed("d", n)).collect();
    let entries = tuple(&made);
    let set = pieces.active().map(|(n, p)| {
        let (into, made) = (prefixed("g", n), prefixed("d", n));
        overwrite(p, &into, &made)
    });
    let returned = perhaps.0.map(|_| perhaps.some(&quote!(())));
    let value = perhaps.some(&quote!(value));
    let copy = quote! {
        #leave
        rt::check_length(rt::Whose::Argument("hessian"), matrix.as_slice().len(), out.len());
        out.copy_from_slice(matrix.as_slice());
    };
    (
        quote!(let matrix = Self::hessian #turbofish (#(#args),*) #asked; #copy #returned),
        quote! {
            let (value, #entries, matrix) = Self::value_grad_hessian #turbofish (#(#args),*) #asked;
            #copy
            #(#set)*
            #value
        },
    )
}
