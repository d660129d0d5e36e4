//! The type beside the function: its public derivatives, and the hidden forms that other derivatives call.

mod checked;
mod dynamic;
mod even;
mod failures;
mod forward;
mod functions;
mod jacobian;
mod lanes;
mod lent;
mod nested;
mod objective;
mod of_variables;
mod on_tape;
mod only;
mod own;
mod passed;
mod refused;
mod reverse;
mod rows;
mod second;
mod sparse;
mod states;
mod step;
mod tangents;
mod trace;
mod twin;
mod viewed;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

pub(crate) use self::failures::{discards, unless_failed};
use self::forward::jvp_api;
use self::jacobian::{columns, constants_of_parameters, jacobian_api};
use self::nested::nested;
use self::objective::solvable;
pub(crate) use self::objective::{Fallible, Solvable, solvable_fallible};
pub(crate) use self::of_variables::of_variables;
use self::on_tape::{as_it_is, on_tape};
use self::only::only;
pub(crate) use self::own::{constant, derivatives};
pub(crate) use self::refused::Refused;
use self::reverse::{by_sweeps, restoring, reverse_api};
use self::rows::rows_api;
pub(crate) use self::second::dual_closure_params;
use self::second::{second_api, second_forms};
use self::states::jacobians;
pub(crate) use self::step::step;
use self::tangents::{Lengths, buffer_or_unit, owned_or_unit};
pub(crate) use self::tangents::{owned, view};
use self::trace::trace_api;
use crate::called::{self, Called};
use crate::emit;
use crate::features::features;
use crate::forms::{ALLOWED, DEEP, LEAVING};
use crate::function::{By, GradFn, ParamInfo, has_unnamed_types};
use crate::ir::Ty;
use crate::matrices::scope;
use crate::names;
use crate::rules;
use crate::second::Several;
use crate::siblings::Siblings;
use crate::slopes::Steep;
use crate::sound;
use crate::types;

/// A copy of an argument: a constant has the one of its type, by `Clone`.
fn copy_of(p: &ParamInfo, of: impl ToTokens) -> TokenStream {
    emit::copy_of(p.active && emit::copies_by_type(&p.ty), of)
}

/// How the gradient is computed.
pub(crate) enum GradientBody {
    /// By the reverse sweep.
    Reverse,
    /// By a body of its own.
    Lanes(TokenStream),
    /// By one forward sweep per direction.
    Columns,
}

/// The bodies of both sweeps with tangents.
pub(crate) struct OrderBodies {
    /// How `vjp` runs in several directions at once.
    pub(crate) several: Several,
    /// `None` as in [`Bodies`].
    pub(crate) vjp: Option<TokenStream>,
    /// As `fwd`, in several directions at once, in lanes; `None` where it has none.
    pub(crate) wide: Option<TokenStream>,
    /// The same with a tangent for each direction.
    pub(crate) each: Option<TokenStream>,
    /// Binds `value`, the results as a tuple, and `back`.
    pub(crate) fwd: TokenStream,
}

/// Forward mode with tangents in several directions at once.
pub(crate) struct InLanes {
    pub(crate) body: TokenStream,
    /// The constants that say whether what it calls has it as well, which all of it has to.
    pub(crate) callees: Vec<TokenStream>,
}

/// The bodies of the three forms, ready to be put into functions.
#[allow(
    clippy::struct_excessive_bools,
    reason = "properties that do not depend on each other"
)]
pub(crate) struct Bodies {
    pub(crate) jvp: TokenStream,
    /// The form that records, where asked for.
    pub(crate) trace: Option<TokenStream>,
    /// `None` for a function with `&mut` parameters, which needs its final state after the sweep.
    pub(crate) vjp: Option<TokenStream>,
    /// All that takes time in that is one program of kernels.
    pub(crate) program: bool,
    /// Binds `value` and `back`.
    pub(crate) fwd: TokenStream,
    pub(crate) gradient: GradientBody,
    /// Forward mode in lanes, where there is one.
    pub(crate) lanes: Option<InLanes>,
    /// For each order above the first.
    pub(crate) orders: Vec<OrderBodies>,
    /// The pullback may hold another of the same function, so its type cannot be left to rustc.
    pub(crate) recursive: bool,
    /// Whether the derivatives may be infinite slopes.
    pub(crate) steep: Steep,
    /// Up to the lengths of which parameters it overwrites each one, a bit for each; nothing where that is not known.
    pub(crate) overwrites: Vec<u64>,
    /// Binds `value` and `back`, which leaves alone what the function changed.
    pub(crate) leaving: Option<TokenStream>,
    /// The pullbacks of its calls of itself stand on a stack, which `back` takes as its last argument.
    pub(crate) deep: bool,
    /// Whole functions: the graph and what goes with it.
    pub(crate) inspect: TokenStream,
    /// The modes that the user's own derivative lacks.
    pub(crate) refused: Refused,
    /// There are hidden forms alone.
    pub(crate) hidden: bool,
    /// They stand for those of a refused function, and never run.
    pub(crate) stub: bool,
}

/// The type with the name of a function, of which a value is passed where the function is: its declaration, and what stands among its derivatives.
pub(crate) fn type_of(function: &GradFn) -> [TokenStream; 2] {
    let (name, vis, krate) = (function.type_name(), &function.item.vis, function.krate());
    let items = Ident::new(ITEMS, Span::call_site());
    [
        quote! {
            // Nothing shows a function without `self` that it stands in an `impl` block, where rustc refuses a type: it names the macro.
            #krate::__private::#items! {}

            #[doc(hidden)]
            #[allow(nonstandard_style, dead_code, unreachable_pub, clippy::all, clippy::pedantic, clippy::restriction)]
            #[derive(Clone, Copy)]
            #vis struct #name {}
        },
        quote!(rt::function! { #name }),
    ]
}

/// What callers ask of it: whether it may give infinite slopes, how many arguments it takes, and whether it returns a result.
pub(crate) fn asked(function: &GradFn, steep: &TokenStream) -> TokenStream {
    let (vis, count) = (&function.item.vis, function.params.len());
    let fails = function.options.of_result.then(|| quote!(, true));
    let count = Literal::usize_unsuffixed(count);
    let own = own_instance(function);
    quote! {
        #[doc(hidden)] #vis const __STEEP: bool = #steep;
        #[doc(hidden)] #vis const __TAKES: rt::Takes<#count #fails> = rt::Takes;
        #own
    }
}

/// Which instance of a generic function is looked at where callers ask whether it is one of this library's, by whose name it goes.
fn own_instance(function: &GradFn) -> Option<TokenStream> {
    let (vis, sig) = (&function.item.vis, &function.written.sig);
    if sig.generics.type_params().next().is_none() || !rules::is_exported(&sig.ident) {
        return None;
    }
    let mut instance = |name: &Ident| {
        sig.generics.params.iter().find_map(|p| match p {
            syn::GenericParam::Type(p) => (p.ident == *name).then(|| {
                if is_dimension(&sig.generics, p) {
                    quote!(rt::linalg::ndarray::Ix1)
                } else {
                    quote!(f64)
                }
            }),
            syn::GenericParam::Const(p) => (p.ident == *name).then(|| quote!(1)),
            syn::GenericParam::Lifetime(_) => None,
        })
    };
    let mut one = |tokens| names::replaced(tokens, &mut instance, &|literal| literal);
    let given = sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(arg) => Some(one(arg.ty.to_token_stream())),
        syn::FnArg::Receiver(_) => None,
    });
    let given: Vec<_> = given.collect();
    let output = one(sig.output.to_token_stream());
    let lifetimes = sig.generics.lifetimes().map(|p| &p.lifetime);
    let instance = quote!(for<#(#lifetimes),*> fn(#(#given),*) #output);
    Some(quote! {
        #[doc(hidden)] #vis fn __of_single(_: #instance) {}
        #[doc(hidden)] #vis fn __of_double(_: #instance) {}
    })
}

/// Whether a type parameter stands for how many axes an array of ndarray has.
fn is_dimension(generics: &syn::Generics, param: &syn::TypeParam) -> bool {
    let names = |bound: &syn::TypeParamBound| match bound {
        syn::TypeParamBound::Trait(bound) => {
            let last = bound.path.segments.last();
            last.is_some_and(|s| s.ident == "Dimension" || s.ident == "RemoveAxis")
        }
        _ => false,
    };
    let clause = generics.where_clause.iter().flat_map(|c| &c.predicates);
    let bounded = clause.filter_map(|predicate| match predicate {
        syn::WherePredicate::Type(p) => Some(p),
        _ => None,
    });
    let of_param =
        |ty: &syn::Type| matches!(ty, syn::Type::Path(p) if p.path.is_ident(&param.ident));
    let mut bounded = bounded.filter(|p| of_param(&p.bounded_ty));
    features().ndarray
        && (param.bounds.iter().any(names) || bounded.any(|p| p.bounds.iter().any(names)))
}

/// The macro that stands first beside a function.
pub(crate) const ITEMS: &str = "in_an_impl_block_write_grad_method";

/// Traits that arguments of refused functions do not implement.
const NO_FORWARD: &str = "ForwardMode";
const NO_REVERSE: &str = "ReverseMode";

/// The pieces from which all signatures are made.
struct Pieces<'a> {
    function: &'a GradFn,
    names: Vec<Ident>,
    /// Generic parameters with their bounds, and as arguments.
    generics: TokenStream,
    turbofish: TokenStream,
    captures: TokenStream,
    clause: Option<syn::WhereClause>,
}

/// How a function is written whose result has to be a number.
struct Seeded {
    generics: TokenStream,
    clause: Option<syn::WhereClause>,
    /// The cotangent of the result.
    one: TokenStream,
    /// Calls another function like it.
    turbofish: TokenStream,
    /// The type of the seed is a parameter.
    open: bool,
}

impl Seeded {
    /// The parameter, where there is one, and a comma behind it.
    fn parameter(&self) -> Option<TokenStream> {
        self.open.then(|| quote!(__Seed: rt::Unit,))
    }
}

/// The parameters that the type of a pullback has to name: those of the block, and of the function as it is emitted.
fn captured(function: &GradFn, own: &syn::Generics) -> Vec<TokenStream> {
    let outer = function.outer.params.iter().map(|p| match p {
        syn::GenericParam::Lifetime(p) => p.lifetime.to_token_stream(),
        syn::GenericParam::Type(p) => p.ident.to_token_stream(),
        syn::GenericParam::Const(p) => p.ident.to_token_stream(),
    });
    // What is passed may borrow.
    let held: TokenStream = function
        .params
        .iter()
        .map(|p| p.again.to_token_stream())
        .collect();
    let borrowed = own.lifetimes().map(|p| &p.lifetime);
    let borrowed = borrowed.filter(|l| types::mentions(&held, &l.ident));
    borrowed
        .map(ToTokens::to_token_stream)
        .chain(outer)
        .chain(types::named(own).map(ToTokens::to_token_stream))
        .collect()
}

impl<'a> Pieces<'a> {
    fn new(function: &'a GradFn, names: Vec<Ident>) -> Self {
        let generics = &function.item.sig.generics;
        let given: Vec<&Ident> = types::named(generics).collect();
        let mut clause = generics.where_clause.clone();
        for bound in function.hidden_bounds() {
            let clause = clause.get_or_insert_with(|| syn::parse_quote!(where));
            clause.predicates.push(bound);
        }
        Pieces {
            function,
            names,
            generics: {
                let params = generics.params.iter();
                if generics.params.is_empty() {
                    quote!()
                } else {
                    quote!(<#(#params),*>)
                }
            },
            turbofish: if given.is_empty() {
                quote!()
            } else {
                quote!(::<#(#given),*>)
            },
            captures: {
                let captured = captured(function, generics);
                quote!(#(#captured),*)
            },
            clause,
        }
    }

    fn params(&self) -> impl Iterator<Item = (&Ident, &ParamInfo)> {
        self.names.iter().zip(&self.function.params)
    }

    fn active(&self) -> impl Iterator<Item = (&Ident, &ParamInfo)> {
        self.params().filter(|(_, p)| p.active)
    }

    /// `x: f64, xs: &[f64]`
    fn inputs(&self) -> Vec<TokenStream> {
        self.params()
            .map(|(name, p)| {
                let ty = &p.passed;
                quote!(#name: #ty)
            })
            .collect()
    }

    fn args(&self) -> Vec<TokenStream> {
        self.params()
            .map(|(name, p)| match p.by {
                By::Mut => quote!(&mut *#name),
                By::Value | By::Ref => quote!(#name),
            })
            .collect()
    }

    fn result(&self) -> TokenStream {
        self.function
            .ret
            .as_ref()
            .map_or(quote!(()), ToTokens::to_token_stream)
    }

    fn result_tangent(&self) -> TokenStream {
        self.function.ret.as_ref().map_or(quote!(()), owned)
    }

    /// The type of the gradient: one entry per active parameter that is not `&mut`.
    fn gradient(&self) -> TokenStream {
        let entries: Vec<_> = self
            .active()
            .filter(|(_, p)| p.by != By::Mut)
            .map(|(_, p)| owned(&p.inner))
            .collect();
        match entries.as_slice() {
            [one] => one.clone(),
            all => quote!((#(#all),*)),
        }
    }

    /// Checks that what is given has the lengths of its arguments.
    fn checks(
        &self,
        given: &dyn Fn(&Ident) -> Ident,
        only: &dyn Fn(&ParamInfo) -> bool,
    ) -> TokenStream {
        self.active()
            .filter(|(_, p)| p.callable.is_none() && only(p))
            .map(|(name, p)| {
                let written = name.to_string();
                let lengths = Lengths {
                    part: quote!(rt::Whose::Argument(#written)),
                    value: quote!(#name),
                    given: given(name).to_token_stream(),
                    ty: &p.inner,
                    whole: true,
                };
                lengths.check()
            })
            .collect()
    }

    /// Checks that the seed has the lengths of the result, `value`.
    fn check_seed(&self) -> TokenStream {
        let lengths = self.function.ret.as_ref().map(|ty| Lengths {
            part: quote!(rt::Whose::Result),
            value: quote!(value),
            given: quote!(seed),
            ty,
            whole: true,
        });
        lengths.map_or(quote!(), |lengths| lengths.check())
    }

    /// What a function has that needs the result to be a number, under the conditions `clause`.
    fn seeded(&self, clause: Option<syn::WhereClause>) -> Seeded {
        let (ret, tangent) = (self.result(), self.result_tangent());
        if !self.function.ret_ty.is_user() {
            return Seeded {
                generics: self.generics.clone(),
                clause,
                one: quote!(<#tangent as rt::Unit>::unit()),
                turbofish: self.turbofish.clone(),
                open: false,
            };
        }
        let params = self.function.item.sig.generics.params.iter();
        let mut clause = clause.unwrap_or_else(|| syn::parse_quote!(where));
        clause
            .predicates
            .push(syn::parse_quote!(#ret: rt::Seeded<__Seed>));
        let given: Vec<&Ident> = types::named(&self.function.item.sig.generics).collect();
        let turbofish = (!given.is_empty()).then(|| quote!(::<#(#given,)* _>));
        Seeded {
            generics: quote!(<#(#params,)* __Seed: rt::Unit>),
            clause: Some(clause),
            one: quote!(rt::seed::<#ret, __Seed>(<__Seed as rt::Unit>::unit())),
            turbofish: turbofish.unwrap_or_default(),
            open: true,
        }
    }

    /// The arguments of a form in directions, before their number.
    fn given(&self) -> impl Iterator<Item = &Ident> {
        types::named(&self.function.item.sig.generics)
    }

    fn names_of(&self, prefix: &str) -> Vec<Ident> {
        self.names.iter().map(|n| prefixed(prefix, n)).collect()
    }
}

fn prefixed(prefix: &str, name: &Ident) -> Ident {
    let name = name.to_string().replace("r#", "");
    format_ident!("{prefix}_{name}", span = Span::mixed_site())
}

/// Emits the type and its associated functions.
pub(crate) fn api(function: &GradFn, names: Vec<Ident>, bodies: &Bodies) -> TokenStream {
    let pieces = Pieces::new(function, names);
    let Pieces {
        generics,
        turbofish,
        captures,
        clause,
        ..
    } = &pieces;
    let name = function.type_name();
    let vis = &function.item.vis;
    let krate = function.krate();
    let allowed: TokenStream = ALLOWED.parse().unwrap_or_default();
    let inputs = pieces.inputs();
    let (ret, tangent) = (pieces.result(), pieces.result_tangent());
    let unit = function.ret.is_none();
    let mutates = function.params.iter().any(|p| p.by == By::Mut && p.active);
    let scalar =
        matches!(function.ret_ty, Ty::Float(_) | Ty::Unknown | Ty::User) && function.ret.is_some();
    let vis_hidden = quote!(#[doc(hidden)] #[inline] #vis);

    // Hidden forms; what is lent its receiver has zeros already.
    let lent = function.is_lent();
    let zeros = pieces
        .params()
        .enumerate()
        .filter(|_| !lent)
        .map(|(k, (_, p))| zero_form(k, p, function, &vis_hidden));
    let dots = pieces.names_of("dot");
    let dot_inputs = pieces.params().zip(&dots).map(|((_, p), dot)| {
        let ty = if p.by == By::Value {
            owned_or_unit(p)
        } else {
            buffer_or_unit(p)
        };
        match p.by {
            By::Value => quote!(#dot: #ty),
            By::Ref => quote!(#dot: &#ty),
            By::Mut => quote!(#dot: &mut #ty),
        }
    });
    let dot_inputs: Vec<_> = dot_inputs.collect();
    let shadows: Vec<(Ident, TokenStream)> = pieces
        .params()
        .filter(|(_, p)| p.by != By::Value)
        .map(|(n, p)| (prefixed("d", n), buffer_or_unit(p)))
        .collect();
    let shadow_inputs: Vec<_> = shadows.iter().map(|(n, ty)| quote!(#n: &mut #ty)).collect();
    let owned_bars: Vec<_> = pieces
        .params()
        .filter(|(_, p)| p.by == By::Value)
        .map(|(_, p)| owned_or_unit(p))
        .collect();
    let bars = quote!((#(#owned_bars,)*));
    let again: Vec<TokenStream> = function
        .params
        .iter()
        .filter(|p| p.by != By::Value)
        .map(|p| p.again.to_token_stream())
        .collect();
    let shadow_types = shadows.iter().map(|(_, ty)| quote!(&mut #ty));
    let pullback = quote!(FnOnce(#tangent #(, #again)* #(, #shadow_types)*) -> #bars);
    let (fwd_output, back) = if bodies.recursive && !bodies.deep {
        (
            quote!((#ret, rt::Box<dyn #pullback>)),
            quote!(rt::Box::new(back)),
        )
    } else {
        (
            quote!((#ret, impl #pullback + use<#captures>)),
            quote!(back),
        )
    };
    let (jvp_body, fwd_body, inspect) = (&bodies.jvp, &bodies.fwd, &bodies.inspect);
    let vjp_form = |clause: &Option<syn::WhereClause>, body: &TokenStream| {
        quote! {
            #vis_hidden fn __vjp #generics (#(#inputs,)* seed: #tangent #(, #shadow_inputs)*) -> (#ret, #bars) #clause { #body }
        }
    };
    let vjp_form = match &bodies.vjp {
        Some(body) => Some(vjp_form(clause, body)),
        None => by_sweeps(&pieces, bodies).map(|(clause, body)| vjp_form(&clause, &body)),
    };

    let gradient = pieces.gradient();
    let gradient_form = match &bodies.gradient {
        GradientBody::Lanes(body) => quote! {
            #[inline] fn __gradient #generics (#(#inputs),*) -> (#ret, #gradient) #clause { #body }
        },
        GradientBody::Columns => columns(&pieces),
        GradientBody::Reverse => TokenStream::new(),
    };

    let (scope, vouched) = (scope(function), &function.vouched);
    if function.hidden {
        let second = second_forms(&pieces, bodies);
        return quote! {
            #allowed
            #[derive(Clone, Copy)]
            struct #name;
            #allowed
            const _: () = {
                use #krate::__private as rt;
                use #krate::__private::#scope::*;
                #vouched
                impl #name {
                    #(#zeros)*
                    #vis_hidden fn __jvp #generics (#(#inputs,)* #(#dot_inputs),*) -> (#ret, #tangent) #clause { #jvp_body }
                    #vjp_form
                    #vis_hidden fn __fwd #generics (#(#inputs),*) -> #fwd_output #clause { #fwd_body (value, #back) }
                    #second
                }
            };
        };
    }

    // Public forms. Those of `plain` call nothing but forms of the function itself.
    let (mut public, mut plain) = (TokenStream::new(), TokenStream::new());
    let Refused { forward, reverse } = &bodies.refused;
    match forward {
        _ if bodies.hidden => {}
        None => {
            plain.extend(jvp_api(&pieces, &dots));
            if !mutates && !unit {
                plain.extend(forward::directions(&pieces, bodies));
            }
        }
        Some(refusal) => {
            let value = quote!((#ret, #tangent));
            plain.extend(refusal.functions(&pieces, NO_FORWARD, &[("jvp", 1, value)]));
        }
    }
    match reverse {
        _ if bodies.hidden => {}
        None => {
            let (reverse, pullback) = reverse_api(
                &pieces,
                unit,
                mutates,
                scalar,
                (&bodies.gradient, bodies.program),
            );
            plain.extend(reverse);
            public.extend(pullback);
            if !mutates && !unit {
                plain.extend(forward::seeds(&pieces, bodies));
            }
        }
        Some(refusal) => {
            let count = pieces.active().count();
            let both = quote!((#ret, #gradient));
            let all = [
                ("grad", 0, gradient.clone()),
                ("value_and_grad", 0, both.clone()),
                ("vjp", 1, both),
                ("grad_into", count, ret.clone()),
                ("vjp_into", 1 + count, ret.clone()),
                ("pullback", 0, quote!((#ret, fn(#tangent) -> #gradient))),
            ];
            plain.extend(refusal.functions(&pieces, NO_REVERSE, &all));
        }
    }
    if !mutates && !unit && !bodies.hidden {
        let jacobians = jacobian_api(&pieces, &bodies.refused, bodies.lanes.as_ref());
        plain.extend(quote!(rt::with_alloc! { #jacobians }));
        plain.extend(rows_api(&pieces, &bodies.refused));
    } else if mutates && !bodies.hidden {
        let jacobians = jacobians(&pieces);
        plain.extend(quote!(rt::with_alloc! { #jacobians }));
    }
    let solvable = match solvable(&pieces, &bodies.refused, !bodies.orders.is_empty()) {
        Some(Solvable { with, item }) if !bodies.hidden => {
            public.extend(with);
            item
        }
        _ => TokenStream::new(),
    };
    let mut within = TokenStream::new();
    let number = scalar && !mutates && !unit && !bodies.hidden;
    let optional = function.returns_optional_number() && function.options.fails.is_none();
    if !bodies.orders.is_empty() {
        let perhaps = optional && !mutates && !bodies.hidden;
        public.extend(second_api(&pieces, bodies, number || perhaps));
    } else if number && function.method.is_none() && function.callables().is_empty() {
        // What stands beside a method may be the user's own.
        plain.extend(second::lacking_api(&pieces));
    }
    let alone = function.method.is_none() && function.callables().is_empty();
    if !scalar && !optional && !mutates && !unit && !bodies.hidden && alone && reverse.is_none() {
        public.extend(second::several_results(&pieces, !bodies.orders.is_empty()));
    }
    if alone && bodies.hidden && function.options.own.is_constant() {
        public.extend(second::no_gradient(
            &pieces,
            &quote!(rt::HasSomethingToDifferentiate),
        ));
    }
    let reads = function.params.iter().all(|p| p.by != By::Mut);
    let called = function.callables().is_empty() && constants_of_parameters(&pieces).is_empty();
    let fails = function.options.fails.is_some();
    let called = called && !viewed::has_views(&pieces);
    if number && reads && called && !fails && matches!(function.ret_ty, Ty::Float(_)) {
        within = nested(&pieces, bodies);
    }
    let lacking = bodies.orders.iter().fold(1, |level, _| level + 1);
    public.extend(second::stub(&pieces, lacking));
    if let Some(body) = &bodies.trace {
        let trace = trace_api(
            &pieces,
            &dots,
            &dot_inputs,
            body,
            scalar && !mutates && !bodies.hidden,
        );
        public.extend(quote!(rt::with_alloc! { #trace }));
    }
    let markers = [
        forward.as_ref().map(|refusal| refusal.marker(NO_FORWARD)),
        reverse.as_ref().map(|refusal| refusal.marker(NO_REVERSE)),
    ];
    let markers = markers.iter().flatten();
    let reached = (0..bodies.orders.len()).map(|n| {
        let n = proc_macro2::Literal::usize_unsuffixed(n + 2);
        quote!(impl rt::Order<#n> for #name {})
    });
    let reached = quote!(#(#reached)*);
    let primal = &function.item.sig.ident;
    let zeros_of = function.method.filter(|m| m.receiver && !m.lent).map(|_| {
        let forms = zero_forms_of(function, &vis_hidden);
        let graph = (!inspect.is_empty())
            .then(|| quote!(#vis_hidden fn __graph(&self) -> &'static rt::Graph { Self::graph() }));
        let order = order_form(function, &vis_hidden);
        quote!(#forms #graph #order)
    });
    let primal_path = if function.method.is_some() {
        let owner = Ident::new(types::OWNER, Span::mixed_site());
        quote!(#owner::#primal)
    } else {
        primal.to_token_stream()
    };
    // What only its derivatives stand for is used; that of a trait is in any case.
    let is_mentioned = !function.options.of_trait && !lent;
    let alone = alone && function.item.sig.generics.params.is_empty();
    let mention = (is_mentioned && !alone).then(|| {
        if has_unnamed_types(&function.item.sig.generics) {
            let called = own::call(&pieces, &pieces.args());
            return quote!(#[inline] fn __primal #generics (#(#inputs),*) #clause { let _ = #called; });
        }
        quote!(#[inline] fn __primal #generics () #clause { let _ = #primal_path #turbofish; })
    });
    let mention_once = (is_mentioned && alone).then(|| quote!(let _ = #primal;));
    let in_lanes = forward::in_lanes(&pieces, bodies.lanes.as_ref(), &vis_hidden);
    let on_tape = on_tape(&pieces, bodies, &vis_hidden);
    let restoring = restoring(&pieces, clause.clone());
    let (even, passed) = (even::form(&pieces, 0), passed::form(&pieces, 0));
    let fwd_form = if bodies.deep {
        deep_forms(
            &pieces,
            [&vis_hidden, &fwd_output, fwd_body],
            restoring.as_ref(),
        )
    } else {
        quote!(#vis_hidden fn __fwd #generics (#(#inputs),*) -> #fwd_output #restoring { #fwd_body (value, #back) })
    };
    let leaving = bodies
        .leaving
        .as_ref()
        .map(|body| leaving(&pieces, &pullback, body));
    let waiting = bodies.deep.then(|| waiting(&pieces, &bars));
    let derivatives = quote! {
            #(#zeros)*
            #zeros_of
            #vis_hidden fn __jvp #generics (#(#inputs,)* #(#dot_inputs),*) -> (#ret, #tangent) #clause { #jvp_body }
            #vjp_form
            #gradient_form
            #in_lanes
            #fwd_form
            #leaving
            #even
            #passed
            #public
            #on_tape
            #mention
    };
    let plain = quote!(#plain #inspect);
    let (derivatives, plain) = if function.callables().is_empty() {
        (derivatives, plain)
    } else {
        let forms = functions::forms(&pieces, bodies, &vis_hidden);
        let dynamic = (!lent).then(|| on_tape::refused(&vis_hidden));
        (forms, quote!(#zeros_of #inspect #dynamic))
    };
    let taken = |derivatives| viewed::taken(&pieces, derivatives);
    let (derivatives, plain) = (taken(derivatives), taken(plain));
    let (derivatives, plain, beside) = match &function.options.only {
        Some(roots) => {
            within = TokenStream::new();
            let all = only(roots, &quote!(#derivatives #plain));
            (all, TokenStream::new(), reached)
        }
        None => (derivatives, plain, quote!(#reached #solvable #within)),
    };
    if let Some(siblings) = Siblings::new(function, allowed.clone()) {
        let siblings = siblings.of(quote!(#derivatives #plain));
        let lent = lent::forms(&pieces, bodies);
        return quote!(#siblings #lent #within);
    }
    let asked = asked(function, &bodies.steep.tokens());
    let overwrites = overwrites(function, &bodies.overwrites);
    let message = "the reverse sweep of this function needs a heap, for vectors or for what its loops remember; turn on the feature `alloc` of autodiff";
    let without = quote_spanned!(primal.span()=> ::core::compile_error!(#message););
    let code: Vec<sound::Code> = sound::of_function(function).into_iter().collect();
    let checked = code.iter().any(sound::Code::is_closed);
    let derivatives = Derivatives {
        forms: quote!(#asked #overwrites #derivatives),
        plain,
        beside: quote!(#beside #waiting),
    };
    let derivatives = with_called(function, derivatives, &without, (&code, checked));
    let vouched = sound::depending(&code, vouched.clone());
    let derivatives = sound::behind(&code, &[], quote!(#vouched #derivatives));
    let [declared, implemented] = type_of(function);
    quote! {
        #declared

        #allowed
        const _: () = {
            use #krate::__private as rt;
            use #krate::__private::#scope::*;
            #(#markers)*
            #mention_once
            #implemented
            #derivatives
        };
    }
}

/// The derivatives of a function that stands alone.
struct Derivatives {
    /// Those that may call forms of other functions.
    forms: TokenStream,
    /// Those that call forms of their own function alone, and none of which another calls.
    plain: TokenStream,
    /// What stands beside them.
    beside: TokenStream,
}

/// With what stands behind the names of other functions' derivatives, where the code is `checked` or is not, and `without` where they need a heap that is not there.
fn with_called(
    function: &GradFn,
    derivatives: Derivatives,
    without: &TokenStream,
    (code, checked): (&[sound::Code], bool),
) -> TokenStream {
    let Derivatives {
        forms,
        plain,
        beside,
    } = derivatives;
    let (name, mut called) = (function.type_name(), Called::default());
    called.leave_items_of(&function.body);
    called.asking_traits_of(&function.written.sig, &function.written.block);
    called.asking_first(sound::asked(code));
    if cfg!(test) {
        let mut of_plain = Called::default();
        of_plain.read(plain.clone());
        assert!(of_plain.is_empty(), "{plain}");
    }
    let [forms, beside] = [forms, beside].map(|t| sound::depending(code, called.read(t)));
    // Of numbers alone these have no lists.
    let mut params = function.params.iter();
    let lists = !function.ret_ty.is_scalar() || params.any(|p| !p.ty.is_scalar());
    let needs_heap = called.needs_heap() || lists && called::needs_heap(&plain);
    let derivatives = quote!(impl #name { #forms #plain } #beside);
    let derivatives = if needs_heap {
        quote! {
            rt::without_alloc! { #without }
            rt::with_alloc! { #derivatives }
        }
    } else {
        derivatives
    };
    if checked {
        called.given_as_checked();
    }
    called.around(&derivatives, true)
}

/// The parameters of a pullback after its seed: the references again, then their shadows.
pub(crate) fn closure_params(function: &GradFn, names: &[Ident]) -> TokenStream {
    let borrowed = || {
        names
            .iter()
            .zip(&function.params)
            .filter(|(_, p)| p.by != By::Value)
    };
    let again = borrowed()
        .filter(|(_, p)| p.callable.is_none())
        .map(|(n, p)| {
            let ty = &p.again;
            quote!(, #n: #ty)
        });
    let shadows = borrowed().map(|(n, p)| {
        let (shadow, ty) = (prefixed("d", n), buffer_or_unit(p));
        quote!(, #shadow: &mut #ty)
    });
    quote!(#(#again)* #(#shadows)*)
}

/// The stack of pullbacks, as the last parameter of a pullback of a function that calls itself.
pub(crate) fn deep_param() -> TokenStream {
    let deep = deep_name();
    quote!(, #deep: &rt::Deep<dyn __Back>)
}

fn deep_name() -> Ident {
    Ident::new("deep", Span::mixed_site())
}

/// What stands on the stack of a function that calls itself: its pullback, until it runs.
fn waiting(pieces: &Pieces<'_>, bars: &TokenStream) -> TokenStream {
    let params = second::closure_inputs(pieces.function, &pieces.names, 1);
    let (names, types): (Vec<_>, Vec<_>) = params.into_iter().unzip();
    let (deep, param) = (deep_name(), deep_param());
    quote! {
        pub trait __Back {
            fn run(&self, #(#names: #types),* #param) -> #bars;
        }
        impl<F: FnOnce(#(#types,)* &rt::Deep<dyn __Back>) -> #bars> __Back for rt::Waiting<F> {
            #[inline]
            fn run(&self, #(#names: #types),* #param) -> #bars {
                self.take()(#(#names,)* #deep)
            }
        }
    }
}

/// `__leaving`: the arguments are a tuple, and behind them is what callers call of a function without this form.
fn leaving(pieces: &Pieces<'_>, pullback: &TokenStream, body: &TokenStream) -> TokenStream {
    let (vis, form) = (
        &pieces.function.item.vis,
        Ident::new(LEAVING, Span::call_site()),
    );
    let (names, clause, ret) = (&pieces.names, &pieces.clause, pieces.result());
    let types = pieces.function.params.iter().map(|p| &p.passed);
    quote! {
        #[doc(hidden)]
        #[inline]
        #vis fn #form<__Otherwise>((#(#names,)*): (#(#types,)*), _: __Otherwise) -> (#ret, impl #pullback + use<__Otherwise>) #clause { #body (value, back) }
    }
}

/// `__deep`, which leaves its pullback on a stack, and `__fwd`, which owns the stack.
fn deep_forms(
    pieces: &Pieces<'_>,
    [vis, output, body]: [&TokenStream; 3],
    clause: Option<&syn::WhereClause>,
) -> TokenStream {
    let (inputs, args, ret) = (pieces.inputs(), pieces.args(), pieces.result());
    let (deep, form) = (deep_name(), format_ident!("{DEEP}"));
    let params = second::closure_inputs(pieces.function, &pieces.names, 1);
    let given = params.iter().map(|(name, _)| name);
    let params = params.iter().map(|(name, ty)| quote!(#name: #ty));
    quote! {
        #vis fn #form(#(#inputs,)* #deep: &mut rt::Deep<dyn __Back>) -> #ret #clause {
            #body
            #deep.keep(rt::Waiting::new(back));
            value
        }
        #vis fn __fwd(#(#inputs),*) -> #output #clause {
            let mut #deep = rt::Deep::new();
            let value = Self::#form(#(#args,)* &mut #deep);
            (value, move |#(#params),*| {
                let bars = #deep.last().run(#(#given,)* &#deep);
                #deep.finish();
                bars
            })
        }
    }
}

/// `__zero_k`: the zero tangent of an argument.
fn zero_form(k: usize, p: &ParamInfo, function: &GradFn, vis: &TokenStream) -> TokenStream {
    let alone = function.method.is_none() && function.item.sig.generics.params.is_empty();
    // One for all lifetimes could be no constant.
    let alone = alone && types::unborrowed(&p.inner) == *types::strip(&p.inner);
    if alone && p.tangible && p.ty.is_numbers() && (p.active || p.by == By::Value) {
        let (name, vis) = (format_ident!("__zero_{k}"), &function.item.vis);
        let (ty, tangent) = (types::elide(&p.inner), owned(&p.inner));
        return quote!(#[doc(hidden)] #vis const #name: fn(&#ty) -> #tangent = rt::zero_like;);
    }
    zero_method(k, p, function, vis)
}

/// The same as a function, which takes a receiver where it is a method.
fn zero_method(k: usize, p: &ParamInfo, function: &GradFn, vis: &TokenStream) -> TokenStream {
    let name = format_ident!("__zero_{k}");
    if !p.tangible {
        return quote!(#vis fn #name<__T: ?::core::marker::Sized>(_: &__T) {});
    }
    let tangent = owned(&p.inner);
    if p.perhaps {
        let (ty, zero) = zero_of_perhaps(p);
        return quote!(#vis fn #name(arg: &#ty) -> #tangent { #zero });
    }
    let ty = types::elide(&p.inner);
    let (generics, clause) = zero_generics(&ty, function);
    // Nothing is ever added to the shadow of a constant.
    let constant = !p.active && p.by != By::Value && matches!(p.ty, Ty::Slice(_) | Ty::Vec(_));
    let zero = if constant {
        quote!(rt::Vec::new())
    } else {
        quote!(rt::zero_like(arg))
    };
    quote!(#vis fn #name #generics (arg: &#ty) -> #tangent #clause { #zero })
}

/// The type of a constant that may have a tangent, and what makes the zero one of it.
fn zero_of_perhaps(p: &ParamInfo) -> (syn::Type, TokenStream) {
    (types::elide(&p.written), p.zero_of(&quote!(arg)))
}

/// The parameters of the function that the type of an argument names, and what is said of them alone: the type may ask for it.
fn zero_generics(
    ty: &syn::Type,
    function: &GradFn,
) -> (Option<TokenStream>, Option<syn::WhereClause>) {
    let text = ty.to_token_stream();
    let generics = &function.item.sig.generics;
    let name = |p: &syn::GenericParam| match p {
        syn::GenericParam::Type(p) => p.ident.clone(),
        syn::GenericParam::Const(p) => p.ident.clone(),
        syn::GenericParam::Lifetime(p) => p.lifetime.ident.clone(),
    };
    let within = |p: &syn::GenericParam| types::mentions(&text, &name(p));
    // `S: Data<Elem = T>` says what `T` is.
    let told = |other: &Ident| {
        let within = generics.params.iter().filter(|p| within(p));
        within
            .map(name)
            .any(|of| types::tells(&of, other, generics))
    };
    let (named, others): (Vec<_>, Vec<_>) = generics.params.iter().partition(|p| {
        !matches!(p, syn::GenericParam::Lifetime(_)) && (within(p) || told(&name(p)))
    });
    let others: Vec<Ident> = others.into_iter().map(name).collect();
    let alone = |said: TokenStream| !others.iter().any(|other| types::mentions(&said, other));
    let params = named.iter().map(|p| match p {
        syn::GenericParam::Type(p) => {
            let (name, bounds) = (&p.ident, p.bounds.iter());
            let bounds = bounds.filter(|bound| alone(bound.to_token_stream()));
            quote!(#name: #(#bounds)+*)
        }
        other => other.to_token_stream(),
    });
    let params: Vec<_> = params.collect();
    let said = generics.where_clause.iter().flat_map(|c| &c.predicates);
    let said = said.filter(|said| {
        let said = said.to_token_stream();
        alone(said.clone()) && named.iter().any(|p| types::mentions(&said, &name(p)))
    });
    let bounds = function.hidden_bounds().filter(|bound| {
        let bound = bound.to_token_stream();
        alone(bound)
    });
    let said: Vec<_> = said.cloned().chain(bounds).collect();
    (
        (!params.is_empty()).then(|| quote!(<#(#params),*>)),
        (!said.is_empty()).then(|| syn::parse_quote!(where #(#said),*)),
    )
}

/// The same of all arguments of a method, as methods: where the type of one is a constant's, only the function itself knows what goes with it.
fn zero_forms_of(function: &GradFn, vis: &TokenStream) -> TokenStream {
    let forms = function.params.iter().enumerate();
    forms
        .map(|(k, p)| zero_form_of(k, p, function, vis))
        .collect()
}

/// What callers ask whose arguments may change the receiver: whether it is taken by value, or changed.
fn order_form(function: &GradFn, vis: &TokenStream) -> TokenStream {
    let owned = function.method.is_some_and(|m| m.owned);
    let changed = function.params.first().is_some_and(|p| p.by == By::Mut);
    if owned {
        quote!(#vis fn __by_value(&self) -> rt::ByValue { rt::ByValue })
    } else if changed {
        quote!(#vis fn __changed(&self) -> rt::Changed { rt::Changed })
    } else {
        TokenStream::new()
    }
}

/// `__zero_of_k`
fn zero_form_of(k: usize, p: &ParamInfo, function: &GradFn, vis: &TokenStream) -> TokenStream {
    let name = format_ident!("__zero_of_{k}");
    if !p.tangible {
        return quote!(#vis fn #name<__T: ?::core::marker::Sized>(&self, _: &__T) {});
    }
    let tangent = owned(&p.inner);
    if p.perhaps {
        let (ty, zero) = zero_of_perhaps(p);
        return quote!(#vis fn #name(&self, arg: &#ty) -> #tangent { #zero });
    }
    let ty = types::elide(&p.inner);
    let (generics, clause) = zero_generics(&ty, function);
    quote!(#vis fn #name #generics (&self, arg: &#ty) -> #tangent #clause { rt::zero_like(arg) })
}

/// Bodies of higher order that never run.
fn stub_orders(function: &GradFn, names: &[Ident], never: &TokenStream) -> Vec<OrderBodies> {
    let early = function.params.iter().all(|p| p.by != By::Mut || !p.active);
    (1..function.options.order)
        .map(|level| {
            let closure = dual_closure_params(function, names, 1 << level, Several::No);
            let values = vec![never; 1 << level];
            OrderBodies {
                several: Several::No,
                vjp: early.then(|| never.clone()),
                wide: None,
                each: None,
                fwd: quote! {
                    let value = (#(#values,)*);
                    let back = move |#closure| #never;
                },
            }
        })
        .collect()
}

/// Derivatives of a function without a body, which never run.
pub(crate) fn declared(function: &GradFn) -> TokenStream {
    let names = crate::function::param_names(function);
    let closure = closure_params(function, &names);
    let tangent = function.ret.as_ref().map_or(quote!(()), owned);
    let never = quote!(::core::unreachable!());
    let bodies = Bodies {
        jvp: never.clone(),
        trace: function.options.trace.then(|| never.clone()),
        vjp: function
            .params
            .iter()
            .all(|p| p.by != By::Mut || !p.active)
            .then(|| never.clone()),
        fwd: quote! {
            let value = #never;
            let back = move |seed: #tangent #closure| #never;
        },
        program: false,
        gradient: GradientBody::Reverse,
        lanes: None,
        orders: stub_orders(function, &names, &never),
        recursive: false,
        steep: Steep::ALWAYS,
        overwrites: Vec::new(),
        leaving: None,
        deep: false,
        inspect: crate::inspect::stubs(function),
        refused: Refused::default(),
        hidden: false,
        // The types that a trait declares are those of functions that run.
        stub: !function.options.declared,
    };
    api(function, names, &bodies)
}

/// A refused function, for its stub: type parameters that may stand for other types than numbers are given those without an error.
fn forgiving(function: &GradFn) -> GradFn {
    let mut function = function.clone();
    let generics = &function.item.sig.generics;
    let result = function.ret.to_token_stream();
    let (held, numeric) = function.numeric.into_iter().partition(|name| {
        let own = generics.type_params().any(|t| t.ident == *name);
        own && !types::is_number(name, generics) && !types::mentions(&result, name)
    });
    function.numeric = numeric;
    function.held.extend::<Vec<Ident>>(held);
    function
}

/// What callers may rely on where they lend memory: see [`Bodies::overwrites`]. Functions without it have it from a trait, with nothing in it.
fn overwrites(function: &GradFn, known: &[u64]) -> Option<TokenStream> {
    let (vis, count) = (&function.item.vis, known.len());
    let masks = known.iter().copied();
    let masks = masks.map(proc_macro2::Literal::u64_unsuffixed);
    let some = known.iter().any(|&mask| mask != 0);
    some.then(|| quote!(#[doc(hidden)] #vis const __OVERWRITES: [u64; #count] = [#(#masks),*];))
}

/// Derivatives of a refused function: as far as its signature is understood they have their own types, so that no second error appears where they are called.
///
/// A constant says once more with `refusal` why it has none, and rustc no more than this of derivatives that call it.
pub(crate) fn stub(function: &GradFn, refusal: &TokenStream) -> TokenStream {
    let function = &forgiving(function);
    // A type cannot be declared among methods: only forms of their own are what they may have.
    let method = function.method.is_some();
    let plain =
        function.sound && !function.options.own.is_dynamic() && function.callables().is_empty();
    if function.hidden || method && !plain {
        return TokenStream::new();
    }
    let name = function.type_name();
    let (vis, krate) = (&function.item.vis, function.krate());
    let refused = quote!(#[doc(hidden)] #vis const __derived: () = { #refusal };);
    if (method || function.understood) && function.callables().is_empty() {
        let refused = (!method).then(|| quote!(impl #name { #refused }));
        let forms = declared(function);
        return quote!(#forms #refused);
    }
    let allowed: TokenStream = ALLOWED.parse().unwrap_or_default();
    let known = |ty: &syn::Type| {
        if types::read(ty).is_understood() {
            owned(ty)
        } else {
            quote!(f64)
        }
    };
    let ret = function.ret.as_ref().map_or(quote!(()), known);
    let entries: Vec<TokenStream> = function
        .params
        .iter()
        .filter(|p| p.active && p.by != By::Mut)
        .map(|p| known(&p.inner))
        .collect();
    let gradient = match entries.as_slice() {
        [one] => one.clone(),
        all => quote!((#(#all),*)),
    };
    // Arguments of any type, as many as the derivative takes.
    let count = function.item.sig.inputs.len();
    let form = |form: &str, more: usize, output: TokenStream| {
        let form = Ident::new(form, Span::call_site());
        let types: Vec<Ident> = (0..count + more).map(|k| format_ident!("T{k}")).collect();
        quote!(#[inline] #vis fn #form<#(#types),*>(#(_: #types),*) -> #output { ::core::unreachable!() })
    };
    let forms = [
        form("grad", 0, gradient.clone()),
        form("value_and_grad", 0, quote!((#ret, #gradient))),
        form("jvp", 1, quote!((#ret, #ret))),
        form("vjp", 1, quote!((#ret, #gradient))),
        form("grad_into", entries.len(), ret.clone()),
        form("vjp_into", 1 + entries.len(), ret.clone()),
        form("pullback", 0, quote!((#ret, fn(#ret) -> #gradient))),
    ];
    let inspect = crate::inspect::stubs(function);
    let trace = function
        .options
        .trace
        .then(|| form("trace", 0, quote!(rt::Trace)));
    let dynamic = as_it_is(&quote!(#[doc(hidden)] #[inline] #vis));
    let jacobians = [
        form("jacobian", 0, quote!(rt::Matrix<f64>)),
        form("value_and_jacobian", 0, quote!((#ret, rt::Matrix<f64>))),
        form("jacfwd", 0, quote!(rt::Matrix<f64>)),
        form("jacrev", 0, quote!(rt::Matrix<f64>)),
        form("jacobian_into", 1, quote!(())),
    ];
    let [declared, implemented] = type_of(function);
    let asked = asked(function, &quote!(false));
    quote! {
        #declared

        #allowed
        const _: () = {
            use #krate::__private as rt;
            #implemented
            impl #name {
                #asked
                #refused
                #(#forms)*
                #dynamic
                #inspect
                rt::with_alloc! { #(#jacobians)* #trace }
            }
        };
    }
}
