//! The type beside the function: its public derivatives, and the hidden forms that other derivatives call.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit_mut::VisitMut;

use crate::attr::{By, GradFn, ParamInfo};
use crate::ir::Ty;
use crate::types;

/// The bodies of the three forms, ready to be put into functions.
pub(crate) struct Bodies {
    pub(crate) jvp: TokenStream,
    /// `None` for a function with `&mut` parameters, which needs its final state after the sweep.
    pub(crate) vjp: Option<TokenStream>,
    pub(crate) fwd: TokenStream,
}

/// Lints that derivative code cannot heed: names are the user's, and statements are in the order of the sweeps.
const ALLOWED: &str = "#[allow(
    non_snake_case, non_camel_case_types, non_upper_case_globals, unused_variables, unused_mut, unused_assignments, unused_parens,
    unused_braces, unused_labels, unused_must_use, dead_code, unreachable_code, unreachable_pub, unreachable_patterns, path_statements,
    redundant_semicolons, deprecated, unused_imports, unused_lifetimes, single_use_lifetimes, unused_qualifications, unused_results,
    let_underscore_drop, trivial_casts, trivial_numeric_casts, elided_lifetimes_in_paths, missing_docs, missing_debug_implementations,
    missing_copy_implementations, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction
)]";

/// The tangent of a written type, as it is owned.
pub(crate) fn owned(ty: &syn::Type) -> TokenStream {
    match types::strip(ty) {
        syn::Type::Slice(t) => {
            let elem = owned(&t.elem);
            quote!(rt::Vec<#elem>)
        }
        _ => view(ty),
    }
}

/// The tangent of a written type, as it stands behind a reference.
fn view(ty: &syn::Type) -> TokenStream {
    let stripped = types::strip(ty);
    let known = types::read(stripped);
    if known.is_inert() {
        return quote!(());
    }
    match (stripped, known) {
        (_, Ty::Float(_)) => stripped.to_token_stream(),
        (syn::Type::Array(t), _) => {
            let (elem, len) = (owned(&t.elem), &t.len);
            quote!([#elem; #len])
        }
        (syn::Type::Slice(t), _) => {
            let elem = owned(&t.elem);
            quote!([#elem])
        }
        (syn::Type::Tuple(t), _) => {
            let parts = t.elems.iter().map(owned);
            quote!((#(#parts,)*))
        }
        (syn::Type::Path(p), Ty::Vec(_)) => {
            let elem = p.path.segments.last().and_then(|s| match &s.arguments {
                syn::PathArguments::AngleBracketed(args) => {
                    args.args.iter().find_map(|a| match a {
                        syn::GenericArgument::Type(t) => Some(owned(t)),
                        _ => None,
                    })
                }
                _ => None,
            });
            quote!(rt::Vec<#elem>)
        }
        (other, _) => {
            let other = elide(other);
            // Said at the user's type, once however often it is needed.
            let span = syn::spanned::Spanned::span(&other).resolved_at(Span::call_site());
            quote_spanned!(span=> <#other as rt::Differentiable>::Tangent)
        }
    }
}

/// The tangent behind a reference, with vectors as slices.
fn buffer(ty: &syn::Type) -> TokenStream {
    match (types::strip(ty), types::read(ty)) {
        (syn::Type::Path(_), Ty::Vec(_)) => {
            let inner = vec_element(ty);
            quote!([#inner])
        }
        _ => view(ty),
    }
}

fn vec_element(ty: &syn::Type) -> TokenStream {
    let syn::Type::Path(p) = types::strip(ty) else {
        return quote!(());
    };
    let elem = p.path.segments.last().and_then(|s| match &s.arguments {
        syn::PathArguments::AngleBracketed(args) => args.args.iter().find_map(|a| match a {
            syn::GenericArgument::Type(t) => Some(owned(t)),
            _ => None,
        }),
        _ => None,
    });
    elem.unwrap_or_else(|| quote!(()))
}

/// A type without the names of its lifetimes.
fn elide(ty: &syn::Type) -> syn::Type {
    struct Elide;
    impl VisitMut for Elide {
        fn visit_type_reference_mut(&mut self, t: &mut syn::TypeReference) {
            t.lifetime = None;
            syn::visit_mut::visit_type_reference_mut(self, t);
        }
        fn visit_lifetime_mut(&mut self, l: &mut syn::Lifetime) {
            if l.ident != "static" {
                l.ident = Ident::new("_", l.ident.span());
            }
        }
    }
    let mut ty = ty.clone();
    Elide.visit_type_mut(&mut ty);
    ty
}

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

impl<'a> Pieces<'a> {
    fn new(function: &'a GradFn, names: Vec<Ident>) -> Self {
        let generics = &function.item.sig.generics;
        let consts: Vec<&Ident> = generics.const_params().map(|p| &p.ident).collect();
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
            turbofish: if consts.is_empty() {
                quote!()
            } else {
                quote!(::<#(#consts),*>)
            },
            captures: quote!(#(#consts),*),
            clause: generics.where_clause.clone(),
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
                let ty = &p.written;
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

    /// Checks that given slices have the lengths of their arguments.
    fn checks(
        &self,
        given: &dyn Fn(&Ident) -> Ident,
        only: &dyn Fn(&ParamInfo) -> bool,
    ) -> TokenStream {
        self.active()
            .filter(|(_, p)| only(p))
            .map(|(name, p)| {
                check_lengths(
                    &name.to_string(),
                    &quote!(#name),
                    &given(name).to_token_stream(),
                    &p.inner,
                )
            })
            .collect()
    }

    fn names_of(&self, prefix: &str) -> Vec<Ident> {
        self.names.iter().map(|n| prefixed(prefix, n)).collect()
    }
}

fn prefixed(prefix: &str, name: &Ident) -> Ident {
    let name = name.to_string().replace("r#", "");
    format_ident!("{prefix}_{name}", span = Span::mixed_site())
}

/// Compares lengths of a slice or vector, and of those nested in it.
fn check_lengths(
    name: &str,
    argument: &TokenStream,
    given: &TokenStream,
    ty: &syn::Type,
) -> TokenStream {
    let nested = |elem: &syn::Type, length: TokenStream| {
        let inner = check_lengths(name, &quote!(a), &quote!(t), elem);
        if inner.is_empty() {
            length
        } else {
            quote!(#length for (a, t) in #argument.iter().zip(#given.iter()) { #inner })
        }
    };
    let length = quote!(rt::check_length(#name, #argument.len(), #given.len()););
    match (types::strip(ty), types::read(ty)) {
        (syn::Type::Slice(t), _) if !types::read(&t.elem).is_inert() => nested(&t.elem, length),
        (syn::Type::Array(t), _) => nested(&t.elem, quote!()),
        (syn::Type::Path(p), Ty::Vec(elem)) if !elem.is_inert() => {
            let elem = p.path.segments.last().and_then(|s| match &s.arguments {
                syn::PathArguments::AngleBracketed(args) => {
                    args.args.iter().find_map(|a| match a {
                        syn::GenericArgument::Type(t) => Some(t.clone()),
                        _ => None,
                    })
                }
                _ => None,
            });
            elem.map_or(length.clone(), |elem| nested(&elem, length))
        }
        _ => quote!(),
    }
}

/// Emits the type and its associated functions.
#[allow(clippy::too_many_lines)]
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
    let scalar = matches!(function.ret_ty, Ty::Float(_) | Ty::Unknown) && function.ret.is_some();
    let vis_hidden = quote!(#[doc(hidden)] #[inline] #vis);

    // Hidden forms.
    let zeros = pieces
        .params()
        .enumerate()
        .map(|(k, (_, p))| zero_form(k, p, function, &vis_hidden));
    let dots = pieces.names_of("dot");
    let dot_inputs = pieces.params().zip(&dots).map(|((_, p), dot)| {
        let ty = if p.by == By::Value {
            owned(&p.inner)
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
        .map(|(_, p)| owned(&p.inner))
        .collect();
    let bars = quote!((#(#owned_bars,)*));
    let again: Vec<TokenStream> = function
        .params
        .iter()
        .filter(|p| p.by != By::Value)
        .map(|p| elide(&p.written).to_token_stream())
        .collect();
    let shadow_types = shadows.iter().map(|(_, ty)| quote!(&mut #ty));
    let fwd_output = quote!((#ret, impl FnOnce(#tangent #(, #again)* #(, #shadow_types)*) -> #bars + use<#captures>));
    let (jvp_body, fwd_body) = (&bodies.jvp, &bodies.fwd);
    let vjp_form = bodies.vjp.as_ref().map(|body| {
        quote! {
            #vis_hidden fn __vjp #generics (#(#inputs,)* seed: #tangent #(, #shadow_inputs)*) -> (#ret, #bars) #clause { #body }
        }
    });

    // Public forms.
    let mut public = TokenStream::new();
    public.extend(jvp_api(&pieces, &dots));
    public.extend(reverse_api(&pieces, unit, mutates, scalar));
    if !mutates && !unit {
        let jacobians = jacobian_api(&pieces);
        public.extend(quote!(rt::with_alloc! { #jacobians }));
    }
    let primal = &function.item.sig.ident;
    let derivatives = quote! {
        impl #name {
            #(#zeros)*
            #vis_hidden fn __jvp #generics (#(#inputs,)* #(#dot_inputs),*) -> (#ret, #tangent) #clause { #jvp_body }
            #vjp_form
            #vis_hidden fn __fwd #generics (#(#inputs),*) -> #fwd_output #clause { #fwd_body }
            #public
            fn __primal #generics () #clause { let _ = #primal #turbofish; }
        }
    };
    let derivatives = if needs_heap(&derivatives) {
        let message = "the reverse sweep of this function needs a heap, for vectors or for what its loops remember; turn on the feature `alloc` of autodiff";
        let error = quote_spanned!(primal.span()=> ::core::compile_error!(#message););
        quote! {
            rt::without_alloc! { #error }
            rt::with_alloc! { #derivatives }
        }
    } else {
        derivatives
    };
    quote! {
        #[doc(hidden)]
        #allowed
        #[derive(Clone, Copy, Debug, Default)]
        #vis struct #name {}

        #allowed
        const _: () = {
            use #krate::__private as rt;
            // For a module without the prelude.
            use ::core::{clone::Clone as _, iter::{DoubleEndedIterator as _, ExactSizeIterator as _, IntoIterator as _, Iterator as _}, ops::FnOnce};
            #derivatives
        };
    }
}

/// Whether code names what exists only with the feature `alloc`; Jacobians aside, which look for themselves.
fn needs_heap(tokens: &TokenStream) -> bool {
    let mut after_jacobian = false;
    for token in tokens.clone() {
        match token {
            TokenTree::Ident(ident) if ident == "with_alloc" => after_jacobian = true,
            TokenTree::Ident(ident)
                if ["Stack", "Slots", "Vec", "vec", "ToOwned"]
                    .iter()
                    .any(|name| ident == name) =>
            {
                return true;
            }
            TokenTree::Group(group)
                if !std::mem::take(&mut after_jacobian) && needs_heap(&group.stream()) =>
            {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// The parameters of a pullback after its seed: the references again, then their shadows.
pub(crate) fn closure_params(function: &GradFn, names: &[Ident]) -> TokenStream {
    let borrowed = || {
        names
            .iter()
            .zip(&function.params)
            .filter(|(_, p)| p.by != By::Value)
    };
    let again = borrowed().map(|(n, p)| {
        let ty = elide(&p.written);
        quote!(, #n: #ty)
    });
    let shadows = borrowed().map(|(n, p)| {
        let (shadow, ty) = (prefixed("d", n), buffer_or_unit(p));
        quote!(, #shadow: &mut #ty)
    });
    quote!(#(#again)* #(#shadows)*)
}

/// What a hidden form takes for a by-reference parameter.
fn buffer_or_unit(p: &ParamInfo) -> TokenStream {
    if p.tangible {
        buffer(&p.inner)
    } else {
        quote!(())
    }
}

/// `__zero_k`: the zero tangent of an argument.
fn zero_form(k: usize, p: &ParamInfo, function: &GradFn, vis: &TokenStream) -> TokenStream {
    let name = format_ident!("__zero_{k}");
    if !p.tangible {
        return quote!(#vis fn #name<__T: ?::core::marker::Sized>(_: &__T) {});
    }
    let ty = elide(&p.inner);
    let tangent = owned(&p.inner);
    let text = ty.to_token_stream();
    let consts = function
        .item
        .sig
        .generics
        .const_params()
        .filter(|c| mentions(&text, &c.ident));
    let consts: Vec<_> = consts.collect();
    let generics = if consts.is_empty() {
        quote!()
    } else {
        quote!(<#(#consts),*>)
    };
    quote!(#vis fn #name #generics (arg: &#ty) -> #tangent { rt::zero_like(arg) })
}

fn mentions(tokens: &TokenStream, name: &Ident) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        _ => false,
    })
}

fn jvp_api(pieces: &Pieces<'_>, dots: &[Ident]) -> TokenStream {
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
    let entries: Vec<(Ident, TokenStream)> = pieces
        .params()
        .zip(dots)
        .filter(|((_, p), _)| p.active)
        .map(|((_, p), dot)| {
            let ty = match p.by {
                By::Value => owned(&p.inner),
                By::Ref => {
                    let ty = buffer(&p.inner);
                    quote!(&#ty)
                }
                By::Mut => {
                    let ty = buffer(&p.inner);
                    quote!(&mut #ty)
                }
            };
            (dot.clone(), ty)
        })
        .collect();
    let (names, types): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
    let (pattern, ty) = match (names.as_slice(), types.as_slice()) {
        ([n], [t]) => (quote!(#n), quote!(#t)),
        _ => (quote!((#(#names),*)), quote!((#(#types),*))),
    };
    let checks = pieces.checks(&|n| prefixed("dot", n), &|_| true);
    // Constant parameters get the zero tangent.
    let mut zeros = TokenStream::new();
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

#[allow(clippy::too_many_lines)]
fn reverse_api(pieces: &Pieces<'_>, unit: bool, mutates: bool, scalar: bool) -> TokenStream {
    let Pieces {
        generics,
        turbofish,
        clause,
        function,
        captures,
        ..
    } = pieces;
    let _ = captures;
    let vis = &function.item.vis;
    let (inputs, args) = (pieces.inputs(), pieces.args());
    let (ret, tangent, gradient) = (pieces.result(), pieces.result_tangent(), pieces.gradient());
    // Shadows of by-reference parameters: made here, or given as `&mut`.
    let mut made = TokenStream::new();
    let mut shadow_args = Vec::new();
    let mut into_shadow_args = Vec::new();
    let mut into_made = TokenStream::new();
    let mut entries = Vec::new();
    let mut into_params = Vec::new();
    let mut bar_params = Vec::new();
    let mut zero_bars = TokenStream::new();
    let mut owned_names = Vec::new();
    let mut into_adds = TokenStream::new();
    for (k, (name, p)) in pieces.params().enumerate() {
        let shadow = prefixed("d", name);
        let zero = format_ident!("__zero_{k}");
        match p.by {
            By::Value => {
                owned_names.push(shadow.clone());
                if p.active {
                    entries.push(shadow.clone());
                    let ty = buffer(&p.inner);
                    let into = prefixed("g", name);
                    into_params.push(quote!(#into: &mut #ty));
                    into_adds.extend(quote!(rt::acc(&mut *#into, &#shadow);));
                }
            }
            By::Ref => {
                made.extend(quote!(let mut #shadow = Self::#zero(&*#name);));
                shadow_args.push(quote!(&mut #shadow));
                if p.active {
                    entries.push(shadow.clone());
                    let ty = buffer(&p.inner);
                    let into = prefixed("g", name);
                    into_params.push(quote!(#into: &mut #ty));
                    into_shadow_args.push(quote!(&mut *#into));
                } else {
                    into_made.extend(quote!(let mut #shadow = Self::#zero(&*#name);));
                    into_shadow_args.push(quote!(&mut #shadow));
                }
            }
            By::Mut => {
                if p.active {
                    let ty = buffer(&p.inner);
                    let bar = prefixed("g", name);
                    bar_params.push(quote!(#bar: &mut #ty));
                    into_params.push(quote!(#bar: &mut #ty));
                    shadow_args.push(quote!(&mut *#bar));
                    into_shadow_args.push(quote!(&mut *#bar));
                    zero_bars.extend(quote!(let mut #bar = Self::#zero(&*#name);));
                } else {
                    made.extend(quote!(let mut #shadow = Self::#zero(&*#name);));
                    into_made.extend(quote!(let mut #shadow = Self::#zero(&*#name);));
                    shadow_args.push(quote!(&mut #shadow));
                    into_shadow_args.push(quote!(&mut #shadow));
                }
            }
        }
    }
    let gradient_value = match entries.as_slice() {
        [one] => quote!(#one),
        all => quote!((#(#all),*)),
    };
    let checks_bar = pieces.checks(&|n| prefixed("g", n), &|p| p.by == By::Mut);
    let checks_into = pieces.checks(&|n| prefixed("g", n), &|_| true);
    let references: Vec<TokenStream> = pieces
        .params()
        .filter(|(_, p)| p.by != By::Value)
        .map(|(n, p)| {
            if p.by == By::Mut {
                quote!(&mut *#n)
            } else {
                quote!(#n)
            }
        })
        .collect();
    // A function with `&mut` parameters leaves its final state behind; the reverse sweep undoes it on the way.
    let keep: TokenStream = pieces
        .params()
        .filter(|(_, p)| p.by == By::Mut)
        .map(|(n, p)| {
            let kept = prefixed("kept", n);
            if matches!(types::strip(&p.inner), syn::Type::Slice(_)) {
                quote!(let #kept = rt::ToOwned::to_owned(&*#n);)
            } else {
                quote!(let #kept = rt::copy(&*#n);)
            }
        })
        .collect();
    let put_back: TokenStream = pieces
        .params()
        .filter(|(_, p)| p.by == By::Mut)
        .map(|(n, p)| {
            let kept = prefixed("kept", n);
            if matches!(types::strip(&p.inner), syn::Type::Slice(_)) {
                quote!(#n.clone_from_slice(&#kept);)
            } else {
                quote!(*#n = #kept;)
            }
        })
        .collect();
    let sweep = |shadows: &[TokenStream], seed: TokenStream| {
        if mutates {
            quote! {
                let (value, back) = Self::__fwd #turbofish (#(#args),*);
                #keep
                let (#(#owned_names,)*) = back(#seed #(, #references)* #(, #shadows)*);
                #put_back
            }
        } else {
            quote!(let (value, (#(#owned_names,)*)) = Self::__vjp #turbofish (#(#args,)* #seed #(, #shadows)*);)
        }
    };
    let seed_param = if unit {
        quote!()
    } else {
        quote!(seed: #tangent,)
    };
    let seed = if unit { quote!(()) } else { quote!(seed) };
    let (vjp_sweep, into_sweep) = (
        sweep(&shadow_args, seed.clone()),
        sweep(&into_shadow_args, seed),
    );
    let (vjp_output, vjp_value) = if unit {
        (gradient.clone(), gradient_value.clone())
    } else {
        (quote!((#ret, #gradient)), quote!((value, #gradient_value)))
    };
    let mut out = quote! {
        /// Reverse mode: the value, and the cotangents of the parameters for the cotangent `seed` of the result.
        #[inline]
        #vis fn vjp #generics (#(#inputs,)* #seed_param #(#bar_params),*) -> #vjp_output #clause {
            #checks_bar
            #made
            #vjp_sweep
            #vjp_value
        }

        /// Reverse mode: adds the cotangents of the parameters to the given buffers, and returns the value.
        #[inline]
        #vis fn vjp_into #generics (#(#inputs,)* #seed_param #(#into_params),*) -> #ret #clause {
            #checks_into
            #into_made
            #into_sweep
            #into_adds
            value
        }
    };
    if scalar && !unit {
        let one = quote!(<#tangent as rt::Unit>::unit());
        let (shadow_args, into_sweep) = (&shadow_args, sweep(&into_shadow_args, one.clone()));
        let plain = sweep(shadow_args, one);
        let shadowed = if mutates {
            // The cotangent of the final state is zero.
            quote!(#zero_bars)
        } else {
            quote!()
        };
        let rebind: TokenStream = pieces
            .active()
            .filter(|(_, p)| p.by == By::Mut)
            .map(|(n, _)| {
                let bar = prefixed("g", n);
                quote!(let #bar = &mut #bar;)
            })
            .collect();
        let into_only: Vec<_> = pieces
            .active()
            .filter(|(_, p)| p.by != By::Mut)
            .map(|(n, p)| {
                let (into, ty) = (prefixed("g", n), buffer(&p.inner));
                quote!(#into: &mut #ty)
            })
            .collect();
        let checks_given = pieces.checks(&|n| prefixed("g", n), &|p| p.by != By::Mut);
        out.extend(quote! {
            /// The gradient of the result.
            #[inline]
            #vis fn grad #generics (#(#inputs),*) -> #gradient #clause {
                #made #shadowed #rebind
                #plain
                #gradient_value
            }

            /// The value and the gradient, in one sweep.
            #[inline]
            #vis fn value_and_grad #generics (#(#inputs),*) -> (#ret, #gradient) #clause {
                #made #shadowed #rebind
                #plain
                (value, #gradient_value)
            }

            /// Adds the gradient to the given buffers, and returns the value.
            #[inline]
            #vis fn grad_into #generics (#(#inputs,)* #(#into_only),*) -> #ret #clause {
                #checks_given
                #into_made #shadowed #rebind
                #into_sweep
                #into_adds
                value
            }
        });
    }
    if !mutates && !unit {
        let made_late = made.clone();
        out.extend(quote! {
            /// The value, and the pullback that turns a cotangent of the result into those of the parameters.
            #[inline]
            #vis fn pullback #generics (#(#inputs),*) -> (#ret, impl FnOnce(#tangent) -> #gradient) #clause {
                let (value, back) = Self::__fwd #turbofish (#(#args),*);
                (value, move |seed: #tangent| {
                    #made_late
                    let (#(#owned_names,)*) = back(seed #(, #references)* #(, #shadow_args)*);
                    #gradient_value
                })
            }
        });
    }
    out
}

fn jacobian_api(pieces: &Pieces<'_>) -> TokenStream {
    let Pieces {
        generics,
        turbofish,
        clause,
        function,
        ..
    } = pieces;
    let vis = &function.item.vis;
    let inputs = pieces.inputs();
    let ret = pieces.result();
    let tangent = pieces.result_tangent();
    let scalar = scalar_of(function);
    // Calling a function again and again needs its owned arguments again and again.
    let again: Vec<TokenStream> = pieces
        .params()
        .map(|(n, p)| {
            if p.by == By::Value {
                quote!(rt::copy(&#n))
            } else {
                quote!(#n)
            }
        })
        .collect();
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
    // A number has one row: one reverse sweep. Otherwise the first column shows how many rows there are.
    let value_and_jacobian = if matches!(function.ret_ty, Ty::Float(_)) {
        quote! {
            let (value, mut gradient) = Self::vjp #turbofish (#(#again,)* <#tangent as rt::Unit>::unit());
            let columns = rt::Tangent::scalar_count(&gradient);
            let mut matrix = rt::Matrix::zeros(1, columns);
            let mut column = 0;
            rt::Tangent::for_each_scalar(&mut gradient, &mut |x| { matrix[[0, column]] = *x as #scalar; column += 1; });
            (value, matrix)
        }
    } else {
        quote! {
            #zeros
            let columns = 0 #(+ rt::Tangent::scalar_count(&#dots))*;
            let mut at = 0;
            #(rt::Tangent::for_each_scalar(&mut #dots, &mut |x| { *x = if at == 0 { 1.0 } else { 0.0 }; at += 1; });)*
            let (value, mut tangent) = Self::jvp #turbofish (#(#again,)* #given);
            let rows = rt::Tangent::scalar_count(&tangent);
            // A reverse sweep costs about three forward ones.
            if columns > 3 * rows {
                return (value, Self::jacrev #turbofish (#(#again),*));
            }
            let mut matrix = rt::Matrix::zeros(rows, columns);
            for column in 0..columns {
                if column > 0 {
                    let mut at = 0;
                    #(rt::Tangent::for_each_scalar(&mut #dots, &mut |x| { *x = if at == column { 1.0 } else { 0.0 }; at += 1; });)*
                    tangent = Self::jvp #turbofish (#(#again,)* #given).1;
                }
                let mut row = 0;
                rt::Tangent::for_each_scalar(&mut tangent, &mut |x| { matrix[[row, column]] = *x as #scalar; row += 1; });
            }
            (value, matrix)
        }
    };
    let jacrev = if matches!(function.ret_ty, Ty::Float(_)) {
        quote!(Self::value_and_jacobian #turbofish (#(#again),*).1)
    } else {
        quote! {
            let columns = { #zeros 0 #(+ rt::Tangent::scalar_count(&#dots))* };
            let mut seed: #tangent = {
                #zeros
                Self::jvp #turbofish (#(#again,)* #given).1
            };
            let rows = rt::Tangent::scalar_count(&seed);
            let mut matrix = rt::Matrix::zeros(rows, columns);
            for row in 0..rows {
                let mut at = 0;
                rt::Tangent::for_each_scalar(&mut seed, &mut |x| { *x = if at == row { 1.0 } else { 0.0 }; at += 1; });
                let (_, mut gradient) = Self::vjp #turbofish (#(#again,)* rt::copy(&seed));
                let mut column = 0;
                rt::Tangent::for_each_scalar(&mut gradient, &mut |x| { matrix[[row, column]] = *x as #scalar; column += 1; });
            }
            matrix
        }
    };
    quote! {
        /// The Jacobian, a row per scalar of the result and a column per scalar of the differentiable parameters, in order; by the cheaper mode.
        #[inline]
        #vis fn jacobian #generics (#(#inputs),*) -> rt::Matrix<#scalar> #clause {
            Self::value_and_jacobian #turbofish (#(#again),*).1
        }

        /// The value and the Jacobian.
        #vis fn value_and_jacobian #generics (#(#inputs),*) -> (#ret, rt::Matrix<#scalar>) #clause {
            #value_and_jacobian
        }

        /// The Jacobian in forward mode: one sweep per column.
        #vis fn jacfwd #generics (#(#inputs),*) -> rt::Matrix<#scalar> #clause {
            #zeros
            let columns = 0 #(+ rt::Tangent::scalar_count(&#dots))*;
            let mut matrix = rt::Matrix::zeros(0, columns);
            for column in 0..columns {
                let mut at = 0;
                #(rt::Tangent::for_each_scalar(&mut #dots, &mut |x| { *x = if at == column { 1.0 } else { 0.0 }; at += 1; });)*
                let (_, mut tangent) = Self::jvp #turbofish (#(#again,)* #given);
                let rows = rt::Tangent::scalar_count(&tangent);
                if column == 0 {
                    matrix = rt::Matrix::zeros(rows, columns);
                }
                let mut row = 0;
                rt::Tangent::for_each_scalar(&mut tangent, &mut |x| { matrix[[row, column]] = *x as #scalar; row += 1; });
            }
            matrix
        }

        /// The Jacobian in reverse mode: one sweep per row.
        #vis fn jacrev #generics (#(#inputs),*) -> rt::Matrix<#scalar> #clause {
            #jacrev
        }

        /// Writes the Jacobian to `out`, row by row.
        ///
        /// # Panics
        /// If `out` does not have as many elements as the Jacobian.
        #[inline]
        #vis fn jacobian_into #generics (#(#inputs,)* out: &mut [#scalar]) #clause {
            let matrix = Self::jacobian #turbofish (#(#again),*);
            rt::check_length("jacobian", matrix.as_slice().len(), out.len());
            out.copy_from_slice(matrix.as_slice());
        }
    }
}

/// The scalar type of the result: `f64` where both widths occur.
fn scalar_of(function: &GradFn) -> Ident {
    fn widths(ty: &Ty, narrow: &mut bool, wide: &mut bool) {
        match ty {
            Ty::Float(crate::ir::Width::F32) => *narrow = true,
            Ty::Array(e, _) | Ty::Slice(e) | Ty::Vec(e) => widths(e, narrow, wide),
            Ty::Tuple(parts) => parts.iter().for_each(|p| widths(p, narrow, wide)),
            Ty::Int | Ty::Bool | Ty::Inert => {}
            _ => *wide = true,
        }
    }
    let (mut narrow, mut wide) = (false, false);
    widths(&function.ret_ty, &mut narrow, &mut wide);
    Ident::new(
        if narrow && !wide { "f32" } else { "f64" },
        Span::mixed_site(),
    )
}

/// Derivatives of a refused function: as far as its signature is understood they have their own types, so that no second error appears where they are called.
pub(crate) fn stub(function: &GradFn) -> TokenStream {
    if function.item.sig.receiver().is_some()
        || mentions(
            &function.item.sig.to_token_stream(),
            &Ident::new("Self", Span::call_site()),
        )
    {
        // A type cannot be declared among methods.
        return TokenStream::new();
    }
    if function.understood {
        let names: Vec<Ident> = function
            .params
            .iter()
            .map(|p| crate::expand::hygienic(&p.name))
            .collect();
        let closure = closure_params(function, &names);
        let tangent = function.ret.as_ref().map_or(quote!(()), owned);
        let never = quote!(::core::unreachable!());
        let bodies = Bodies {
            jvp: never.clone(),
            vjp: function
                .params
                .iter()
                .all(|p| p.by != By::Mut || !p.active)
                .then(|| never.clone()),
            fwd: quote!((#never, move |seed: #tangent #closure| #never)),
        };
        return api(function, names, &bodies);
    }
    let name = function.type_name();
    let (vis, krate) = (&function.item.vis, function.krate());
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
        quote!(#vis fn #form<#(#types),*>(#(_: #types),*) -> #output { ::core::unreachable!() })
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
    let jacobians = [
        form("jacobian", 0, quote!(rt::Matrix<f64>)),
        form("value_and_jacobian", 0, quote!((#ret, rt::Matrix<f64>))),
        form("jacfwd", 0, quote!(rt::Matrix<f64>)),
        form("jacrev", 0, quote!(rt::Matrix<f64>)),
        form("jacobian_into", 1, quote!(())),
    ];
    quote! {
        #[doc(hidden)]
        #allowed
        #[derive(Clone, Copy, Debug, Default)]
        #vis struct #name {}

        #allowed
        const _: () = {
            use #krate::__private as rt;
            impl #name {
                #(#forms)*
                rt::with_alloc! { #(#jacobians)* }
            }
        };
    }
}
