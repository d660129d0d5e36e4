//! `f::on_tape(…)`, the function of variables of a tape; and `__dynamic`, by which the bodies of dynamic functions find it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::jacobian::{self, repeated};
use super::own::call;
use super::{Bodies, GradientBody, Pieces, prefixed};
use crate::dynamic;
use crate::function::{By, GradFn, MOST, ParamInfo};
use crate::ir::{Ty, Width};
use crate::visit::Enter as _;
use crate::visit_mut::{self, VisitMut};

/// The forms for variables; where there are none, `__dynamic` is the function itself.
pub(super) fn on_tape(pieces: &Pieces<'_>, bodies: &Bodies, vis: &TokenStream) -> TokenStream {
    if pieces.function.method.is_some() {
        return TokenStream::new();
    }
    let lifted = float(pieces.function).filter(|_| !pieces.function.options.called_only);
    match lifted {
        Some(float) if bodies.refused.reverse.is_none() => {
            let forms = forms(pieces, bodies, &float, vis);
            quote!(rt::with_tape! { #forms })
        }
        _ => as_it_is(vis),
    }
}

/// `__dynamic` of a function that takes no variables, or is generic in what it takes.
pub(super) fn as_it_is(vis: &TokenStream) -> TokenStream {
    quote!(#vis const fn __dynamic<__F: ::core::marker::Copy>(function: __F) -> __F { function })
}

/// `__dynamic` of a compiled function that takes functions: where it is called with one of variables, its derivative knows nothing of that.
pub(super) fn refused(vis: &TokenStream) -> TokenStream {
    quote!(#vis const fn __dynamic<__F: rt::CalledOnTape + ::core::marker::Copy>(function: __F) -> __F { function })
}

/// The one type of floats of a function, if variables can stand for all of them.
pub(super) fn float(function: &GradFn) -> Option<Ident> {
    // Its code is to see the cotangent that comes on the tape.
    if is_watched(function) && !is_repeatable(function) {
        return None;
    }
    let mut floats = Vec::new();
    for p in &function.params {
        if p.callable.is_some() || names_lifetime(&p.written) {
            return None;
        }
        if p.by == By::Mut && !function.options.own.is_dynamic() && !p.active {
            return None;
        }
        if is_user(&p.ty) && !function.options.own.is_dynamic() {
            return None;
        }
        if lifted(function, p) {
            // Variables do not live as long as the program.
            let lasting = Ident::new("static", Span::call_site());
            let written = p.written.to_token_stream();
            if crate::types::mentions(&written, &lasting) || !collect(&p.inner, &p.ty, &mut floats)
            {
                return None;
            }
        }
    }
    match &function.ret {
        Some(ret)
            if !collect(ret, &function.ret_ty, &mut floats)
                || is_user(&function.ret_ty) && !function.options.own.is_dynamic() =>
        {
            return None;
        }
        None if !function.options.own.is_constant()
            && function.params.iter().all(|p| p.by != By::Mut) =>
        {
            return None;
        }
        _ => {}
    }
    let mutates = function.params.iter().any(|p| p.by == By::Mut);
    if mutates && !function.options.own.is_dynamic() && !is_repeatable(function) {
        return None;
    }
    let first = floats.first()?.clone();
    let generics = &function.item.sig.generics;
    let dynamic = function.options.own.is_dynamic();
    let bounded = first == "f64"
        || first == "f32"
        || !dynamic && function.numeric.contains(&first)
        || dynamic::is_float(generics, &first);
    // What is written with variables has no lifetimes of its own.
    let said: TokenStream = generics
        .type_params()
        .map(ToTokens::to_token_stream)
        .chain([generics.where_clause.to_token_stream()])
        .collect();
    let borrows = generics
        .lifetimes()
        .any(|p| crate::types::mentions(&said, &p.lifetime.ident));
    (bounded && !borrows && floats.iter().all(|f| *f == first)).then_some(first)
}

/// Whether code of the body looks at cotangents.
fn is_watched(function: &GradFn) -> bool {
    dynamic::watched(&function.written.block).is_some()
}

/// Whether a call can be made again in a sweep of the tape: there are copies of what it is given.
fn is_repeatable(function: &GradFn) -> bool {
    let mutable = function.params.iter().filter(|p| p.by == By::Mut).count();
    let generic = function.item.sig.generics.type_params().next().is_some();
    // The result, and what is changed, are one tuple.
    mutable < MOST
        && !generic
        && function
            .params
            .iter()
            .all(|p| p.active || p.ty.is_numbers())
}

/// Whether a type of the user's own stands in a type: only the body of a dynamic function says that variables can be put into it.
fn is_user(ty: &Ty) -> bool {
    match ty {
        Ty::User => true,
        Ty::Array(elem, _) | Ty::Slice(elem) | Ty::Vec(elem) | Ty::Option(elem) => is_user(elem),
        Ty::Tuple(parts) => parts.iter().any(is_user),
        _ => false,
    }
}

/// Whether variables stand for the floats of a parameter in the body of a dynamic function.
fn lifted(function: &GradFn, p: &ParamInfo) -> bool {
    p.active
        || dynamic::holds_floats(function, p)
        || function
            .numeric
            .iter()
            .any(|t| crate::types::mentions(&p.written.to_token_stream(), t))
}

/// The floats in a type; false if it is made of anything but numbers and what holds several of them.
fn collect(written: &syn::Type, ty: &Ty, into: &mut Vec<Ident>) -> bool {
    // Variables are put into what is owned.
    if matches!(written, syn::Type::Reference(_)) {
        return false;
    }
    match (crate::types::strip(written), ty) {
        (syn::Type::Path(path), Ty::Float(_)) => match path.path.get_ident() {
            Some(name) => {
                into.push(name.clone());
                true
            }
            None => false,
        },
        (_, Ty::Int | Ty::Bool) => true,
        (syn::Type::Array(t), Ty::Array(elem, _)) => collect(&t.elem, elem, into),
        (syn::Type::Slice(t), Ty::Slice(elem)) => collect(&t.elem, elem, into),
        (syn::Type::Tuple(t), Ty::Tuple(parts)) => t
            .elems
            .iter()
            .zip(parts)
            .all(|(t, ty)| collect(t, ty, into)),
        (path, Ty::Vec(elem) | Ty::Option(elem)) => {
            let argument = crate::types::argument_of(path);
            argument.is_some_and(|t| collect(t, elem, into))
        }
        // Of a struct that is generic in its numbers.
        (syn::Type::Path(path), Ty::User) => {
            let arguments = path.path.segments.last().map(|s| &s.arguments);
            let Some(syn::PathArguments::AngleBracketed(arguments)) = arguments else {
                return false;
            };
            let mut arguments = arguments.args.iter().filter_map(|a| match a {
                syn::GenericArgument::Type(t) => Some(t),
                _ => None,
            });
            arguments.all(|t| collect(t, &crate::types::read(t), into))
        }
        _ => false,
    }
}

/// A type with the named lifetimes of references left out.
fn elide(ty: &syn::Type) -> syn::Type {
    struct Elide;
    impl VisitMut for Elide {
        fn visit_type_reference_mut(&mut self, t: &mut syn::TypeReference) {
            if t.lifetime.as_ref().is_some_and(|l| l.ident != "static") {
                t.lifetime = None;
            }
            visit_mut::visit_type_reference_mut(self, t);
        }
    }
    let mut ty = ty.clone();
    Elide.visit_type_mut(&mut ty);
    ty
}

/// Whether the name of a lifetime stands in a type other than at a reference.
fn names_lifetime(ty: &syn::Type) -> bool {
    struct Named(bool);
    impl<'ast> crate::visit::Visit<'ast> for Named {
        fn visit_type_reference(&mut self, t: &'ast syn::TypeReference) {
            self.visit_type(&t.elem);
        }
        fn visit_other(&mut self, node: crate::visit::Other<'ast>) {
            match node {
                crate::visit::Other::Lifetime(l) => self.0 |= l.ident != "static" && l.ident != "_",
                other => other.walk(self),
            }
        }
    }
    let mut named = Named(false);
    named.visit_type(ty);
    named.0
}

/// A type with variables in place of floats, and lifetimes left out.
fn with_variables(ty: &syn::Type, float: &Ident) -> syn::Type {
    struct Floats<'a>(&'a Ident);
    impl VisitMut for Floats<'_> {
        fn visit_type_mut(&mut self, ty: &mut syn::Type) {
            match ty {
                syn::Type::Path(path) if path.path.is_ident(self.0) => {
                    let float = self.0;
                    *ty = syn::parse_quote!(rt::Var<'__t, #float>);
                }
                _ => visit_mut::visit_type_mut(self, ty),
            }
        }
    }
    let mut ty = elide(ty);
    Floats(float).visit_type_mut(&mut ty);
    ty
}

fn forms(pieces: &Pieces<'_>, bodies: &Bodies, float: &Ident, vis: &TokenStream) -> TokenStream {
    let Pieces {
        function,
        turbofish,
        clause,
        ..
    } = pieces;
    let public = &function.item.vis;
    let name = &function.item.sig.ident;
    let generics: Vec<TokenStream> = function
        .item
        .sig
        .generics
        .params
        .iter()
        .filter(|p| !matches!(p, syn::GenericParam::Lifetime(_)))
        .map(ToTokens::to_token_stream)
        .collect();
    let is_lifted = |p: &ParamInfo| lifted(function, p);
    // A constant is taken as it is; a dynamic body has variables everywhere.
    let inputs = pieces.params().map(|(name, p)| {
        let ty = if p.active {
            with_variables(&p.written, float)
        } else {
            elide(&p.written)
        };
        quote!(#name: #ty)
    });
    let all_types: Vec<syn::Type> = function
        .params
        .iter()
        .map(|p| {
            if is_lifted(p) {
                with_variables(&p.written, float)
            } else {
                elide(&p.written)
            }
        })
        .collect();
    let ret = match &function.ret {
        Some(ty) => with_variables(ty, float).into_token_stream(),
        None => quote!(()),
    };
    let plain = function.params.iter().map(|p| elide(&p.written));
    let plain_ret = function
        .ret
        .as_ref()
        .map_or(quote!(()), |ty| elide(ty).into_token_stream());
    let given = |lifted: &dyn Fn(&ParamInfo) -> bool| -> Vec<TokenStream> {
        let args = pieces.params().map(|(name, p)| match p.by {
            By::Ref if lifted(p) => quote!(&#name),
            _ => name.to_token_stream(),
        });
        args.collect()
    };
    let constants = || pieces.params().filter(|(_, p)| !p.active && is_lifted(p));
    let is_dynamic = function.options.own.is_dynamic();
    let recorded = Recorded::new(pieces, bodies);
    let repeats = match recorded {
        Recorded::Rows => true,
        Recorded::Gradient => matches!(bodies.gradient, GradientBody::Columns),
        Recorded::Value | Recorded::Call => false,
    };
    let mut clause = if repeats && !bodies.stub && !is_dynamic {
        repeated(pieces)
    } else {
        clause.clone()
    };
    // Variables are of floats alone; what the bounds of the user say is another matter.
    if function.numeric.contains(float) {
        jacobian::said(&mut clause, syn::parse_quote!(#float: rt::Float));
    }
    let clause = &clause;
    let body = if bodies.stub {
        quote!(::core::unreachable!())
    } else if is_dynamic {
        let lifts = constants().map(|(name, p)| {
            let borrowed = dynamic::borrowed(name, p);
            quote!(let #name = rt::dynamic::constants::<#float, _>(#borrowed);)
        });
        let args = given(&|p| !p.active && is_lifted(p));
        quote!(#(#lifts)* Self::__on_variables(#(#args),*))
    } else {
        recorded.body(pieces, float, &given(&|p| p.active))
    };
    let (entry, general) = if is_dynamic && !bodies.stub {
        // The body itself.
        (Ident::new("__on_variables", Span::call_site()), None)
    } else if constants().next().is_none() {
        (Ident::new("on_tape", Span::call_site()), None)
    } else {
        let names = &pieces.names;
        let lowers = constants().map(|(name, p)| {
            let borrowed = dynamic::borrowed(name, p);
            quote!(let #name = rt::dynamic::values::<#float, _>(#borrowed);)
        });
        let args = given(&|p| !p.active && is_lifted(p));
        let general = quote! {
            #[inline]
            fn __on_variables<'__t, #(#generics),*>(#(#names: #all_types),*) -> #ret #clause {
                #(#lowers)*
                Self::on_tape #turbofish (#(#args),*)
            }
        };
        (
            Ident::new("__on_variables", Span::call_site()),
            Some(general),
        )
    };
    let doc = if is_dynamic {
        format!("`{name}` of variables: its operations are recorded on their tape.")
    } else {
        format!(
            "`{name}` of variables, which is recorded on their tape as a whole, with its own derivative."
        )
    };
    quote! {
        #[doc = #doc]
        #[track_caller]
        #[inline]
        #public fn on_tape<'__t, #(#generics),*>(#(#inputs),*) -> #ret #clause { #body }
        #general
        #vis fn __dynamic<'__t, #(#generics),*>(_: fn(#(#plain),*) -> #plain_ret) -> fn(#(#all_types),*) -> #ret #clause { Self::#entry #turbofish }
    }
}

/// What the call of a compiled function is on a tape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Recorded {
    /// A constant.
    Value,
    /// A number with its gradient.
    Gradient,
    /// Numbers with a row of partials each.
    Rows,
    /// A call that is made again in each sweep.
    Call,
}

impl Recorded {
    fn new(pieces: &Pieces<'_>, bodies: &Bodies) -> Recorded {
        let single = matches!(
            pieces.function.ret_ty,
            Ty::Float(Width::F64 | Width::F32 | Width::Generic)
        );
        let mutates = pieces.params().any(|(_, p)| p.by == By::Mut);
        if bodies.hidden {
            Recorded::Value
        } else if single && !mutates && !is_watched(pieces.function) {
            Recorded::Gradient
        } else if bodies.refused.forward.is_none() && is_repeatable(pieces.function) {
            Recorded::Call
        } else {
            Recorded::Rows
        }
    }

    /// The body of the form.
    fn body(self, pieces: &Pieces<'_>, float: &Ident, args: &[TokenStream]) -> TokenStream {
        let name = pieces.function.item.sig.ident.to_string();
        let turbofish = &pieces.turbofish;
        let primal = call(pieces, args);
        let value = quote!(rt::dynamic::constants::<#float, _>(&#primal));
        if self == Recorded::Value {
            let lowers = pieces.active().map(|(name, p)| {
                let borrowed = dynamic::borrowed(name, p);
                quote!(let #name = rt::dynamic::values::<#float, _>(#borrowed);)
            });
            return quote!(#(#lowers)* #value);
        }
        let lowers = pieces.active().map(|(name, p)| {
            let (borrowed, made) = (dynamic::borrowed(name, p), made(name, p));
            quote!(let #made = rt::dynamic::numbers::<#float, _>(#borrowed, &mut __inputs);)
        });
        let rest = match self {
            Recorded::Gradient => {
                let graded = quote!(rt::dynamic::graded(#name, &__inputs, || Self::value_and_grad #turbofish (#(#args),*)));
                quote!(if rt::dynamic::are_constant(&__inputs) { #value } else { #graded })
            }
            Recorded::Call => later(pieces, float),
            Recorded::Rows | Recorded::Value => {
                let some = pieces.function.some().map(|_| quote!(.map_or_else(|| (rt::None, rt::Matrix::zeros(0, 0)), |(value, matrix)| (rt::Some(value), matrix))));
                quote! {
                    if rt::dynamic::are_constant(&__inputs) {
                        #value
                    } else {
                        rt::dynamic::rows(#name, &__inputs, || Self::value_and_jacobian #turbofish (#(#args),*) #some)
                    }
                }
            }
        };
        quote! {
            let mut __inputs = rt::Vec::new();
            #(#lowers)*
            #rest
        }
    }
}

/// The numbers that stand for what is changed have a name of their own: the variables are changed after the call.
fn made(name: &Ident, p: &ParamInfo) -> Ident {
    if p.by == By::Mut {
        prefixed("next", name)
    } else {
        name.clone()
    }
}

/// The call, whose derivative a sweep asks for when it comes by.
fn later(pieces: &Pieces<'_>, float: &Ident) -> TokenStream {
    let Pieces {
        function,
        turbofish,
        ..
    } = pieces;
    let name = function.item.sig.ident.to_string();
    let mutable = || pieces.params().filter(|(_, p)| p.by == By::Mut);
    let changed: Vec<Ident> = mutable().map(|(name, p)| made(name, p)).collect();
    let kept = |name: &Ident| prefixed("kept", name);
    let keeps = pieces.params().map(|(name, p)| {
        let (kept, made) = (kept(name), made(name, p));
        if p.by == By::Ref && !p.active {
            quote!(let #kept = rt::ToOwned::to_owned(#made);)
        } else {
            quote!(let #kept = ::core::clone::Clone::clone(&#made);)
        }
    });
    // What was given, in a sweep; it may be asked for again.
    let again = mutable().map(|(name, _)| {
        let kept = kept(name);
        quote!(let mut #kept = ::core::clone::Clone::clone(&#kept);)
    });
    let args: Vec<TokenStream> = pieces
        .params()
        .map(|(name, p)| {
            let kept = kept(name);
            match p.by {
                By::Value => quote!(::core::clone::Clone::clone(&#kept)),
                By::Ref => quote!(&#kept),
                By::Mut => quote!(&mut #kept),
            }
        })
        .collect();
    let dots = pieces.active().map(|(name, _)| {
        let (kept, dot) = (kept(name), prefixed("dot", name));
        quote!(let mut #dot = rt::zero_like(&#kept); rt::dynamic::fill(&mut #dot, &mut __flat);)
    });
    let tangents = pieces.active().map(|(name, p)| {
        let dot = prefixed("dot", name);
        match p.by {
            By::Value => quote!(#dot),
            By::Ref => quote!(&#dot),
            By::Mut => quote!(&mut #dot),
        }
    });
    let tangents: Vec<TokenStream> = tangents.collect();
    let tangents = one_or_all(&tangents);
    let of_result = function.ret.is_some();
    let tangent = of_result.then(|| quote!(let (_, __tangent) =));
    let append_tangent = of_result.then(|| quote!(rt::dynamic::append(&__tangent, &mut __found);));
    let append_dots = mutable().map(|(name, _)| {
        let dot = prefixed("dot", name);
        quote!(rt::dynamic::append(&#dot, &mut __found);)
    });
    let seed = of_result.then(|| quote!(let mut __seed = rt::zero_like(&__value); rt::dynamic::fill(&mut __seed, &mut __flat);));
    let seed_arg = of_result.then(|| quote!(__seed,));
    let shadows = mutable().map(|(name, p)| {
        let (shadow, made) = (prefixed("d", name), made(name, p));
        quote!(let mut #shadow = rt::zero_like(&#made); rt::dynamic::fill(&mut #shadow, &mut __flat);)
    });
    let shadow_args = mutable().map(|(name, _)| {
        let shadow = prefixed("d", name);
        quote!(&mut #shadow)
    });
    let entries: Vec<TokenStream> = pieces
        .active()
        .filter(|(_, p)| p.by != By::Mut)
        .map(|(name, _)| prefixed("g", name).into_token_stream())
        .collect();
    let entries = one_or_all(&entries);
    let gradient = if of_result {
        quote!((_, #entries))
    } else {
        entries
    };
    let bars = pieces.active().map(|(name, p)| {
        let bar = prefixed(if p.by == By::Mut { "d" } else { "g" }, name);
        quote!(rt::dynamic::append(&#bar, &mut __found);)
    });
    let passed = pieces.params().map(|(name, p)| match p.by {
        By::Mut => {
            let made = made(name, p);
            quote!(&mut #made)
        }
        By::Ref if p.active => quote!(&#name),
        By::Ref => quote!(#name),
        By::Value => quote!(::core::clone::Clone::clone(&#name)),
    });
    let called = call(pieces, &passed.collect::<Vec<_>>());
    let results = (0..changed.len()).map(|k| format_ident!("__result_{k}"));
    let results: Vec<Ident> = results.collect();
    let writes = mutable().zip(&results).map(|((name, p), result)| {
        if matches!(p.ty, Ty::Slice(_)) {
            quote!(#name.clone_from_slice(&#result);)
        } else {
            quote!(*#name = #result;)
        }
    });
    let copies: Vec<TokenStream> = changed
        .iter()
        .map(|name| quote!(::core::clone::Clone::clone(&#name)))
        .collect();
    let copies = quote!(::core::clone::Clone::clone(&__value), #(#copies),*);
    quote! {
        #(#keeps)*
        #(let mut #changed = #changed;)*
        let __value = #called;
        let __all = (#copies);
        let (__result, #(#results),*) = if rt::dynamic::are_constant(&__inputs) {
            rt::dynamic::constants::<#float, _>(&__all)
        } else {
            rt::dynamic::results(#name, &__inputs, &__all, move |__forward: bool, __given: &[#float]| -> rt::Vec<#float> {
                let mut __flat = __given.iter();
                let mut __found = rt::Vec::new();
                #(#again)*
                if __forward {
                    #(#dots)*
                    #tangent Self::jvp #turbofish (#(#args,)* #tangents);
                    #append_tangent
                    #(#append_dots)*
                } else {
                    #seed
                    #(#shadows)*
                    let #gradient = Self::vjp #turbofish (#(#args,)* #seed_arg #(#shadow_args),*);
                    #(#bars)*
                }
                __found
            })
        };
        #(#writes)*
        __result
    }
}

fn one_or_all(entries: &[TokenStream]) -> TokenStream {
    match entries {
        [one] => one.clone(),
        all => quote!((#(#all),*)),
    }
}
