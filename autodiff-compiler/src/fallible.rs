//! Functions that return a `Result`.
//!
//! `fn f(x: f64) -> Result<f64, E>` becomes a function `f::__try(x, failure) -> f64` that reports its error by its last parameter,
//! a constant, and returns something that nobody looks at then. Nothing of the error enters the graph; the derivatives are those of
//! this function. Callers that are differentiated call its hidden forms, and ask first whether it has failed. The public
//! derivatives of `f` call those of `__try`, and return a `Result` of the kind that `f` returns.

use proc_macro2::{Delimiter, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

use crate::api;
use crate::attr;
use crate::callable;
use crate::called::Called;
use crate::errors::Errors;
use crate::forms::{ALLOWED, FAILURE, LEAVE, VALUE, absent, value_name};
use crate::function::{self, Options, Uses, Vouched};
use crate::marks;
use crate::own;
use crate::pipeline;
use crate::sound;
use crate::types::{self, is_result, value_of};
use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{self, VisitMut};
use crate::vouched::vouched;

/// Whether the return type shows that a function is fallible, or an option says so.
pub(crate) fn is_fallible(options: &Options, item: &syn::ItemFn) -> bool {
    if options.fails.is_some() {
        return false;
    }
    let syn::ReturnType::Type(_, ty) = &item.sig.output else {
        return false;
    };
    let aliased = || Returned::of(&item.block) && is_alias(ty);
    options.fallible || is_result(ty) && !is_made(ty, item.block.to_token_stream()) || aliased()
}

/// Whether a type may be another name of a result, as far as its own name shows.
fn is_alias(ty: &syn::Type) -> bool {
    let ty = types::strip_groups(ty);
    matches!(ty, syn::Type::Path(p) if p.qself.is_none()) && types::read(ty).is_user()
}

/// The names by which functions of a block call their results, as far as their bodies show that these are some.
pub(crate) fn aliases<'a>(
    functions: impl Iterator<Item = (&'a syn::Signature, &'a syn::Block)>,
) -> Vec<Ident> {
    let alias = |(sig, body): (&syn::Signature, &syn::Block)| {
        let syn::ReturnType::Type(_, ty) = &sig.output else {
            return None;
        };
        let hidden = !is_result(ty) && is_alias(ty) && Returned::of(body);
        let last = types::last(types::strip_groups(ty)).filter(|_| hidden);
        last.map(|last| last.ident.clone())
    };
    functions.filter_map(alias).collect()
}

/// Whether a function returns a type of one of the names.
pub(crate) fn returns_one_of(aliases: &[Ident], sig: &syn::Signature) -> bool {
    match &sig.output {
        syn::ReturnType::Type(_, ty) => {
            let last = types::last(types::strip_groups(ty));
            last.is_some_and(|last| aliases.contains(&last.ident))
        }
        syn::ReturnType::Default => false,
    }
}

/// Whether a body returns `Ok(…)` or `Err(…)`, from whichever place of it, or leaves by `?`.
#[derive(Default)]
struct Returned {
    result: bool,
    left: bool,
    option: bool,
}

impl Returned {
    fn of(body: &syn::Block) -> bool {
        let mut returned = Returned::default();
        returned.visit_block(body);
        returned.last(body);
        // An alias may be one of an option.
        returned.result || returned.left && !returned.option
    }

    fn last(&mut self, block: &syn::Block) {
        if let Some(syn::Stmt::Expr(e, None)) = block.stmts.last() {
            self.value(e);
        }
    }

    /// What comes out of the expression.
    fn value(&mut self, e: &syn::Expr) {
        match e {
            syn::Expr::Paren(e) => self.value(&e.expr),
            syn::Expr::Group(e) => self.value(&e.expr),
            syn::Expr::Block(e) => self.last(&e.block),
            syn::Expr::If(e) => {
                self.last(&e.then_branch);
                e.else_branch.iter().for_each(|(_, e)| self.value(e));
            }
            syn::Expr::Match(e) => e.arms.iter().for_each(|arm| self.value(&arm.body)),
            syn::Expr::Call(e) => {
                let is = |name| matches!(&*e.func, syn::Expr::Path(p) if p.path.is_ident(name));
                self.result |= is("Ok") || is("Err");
                self.option |= is("Some");
            }
            syn::Expr::Path(p) => self.option |= p.path.is_ident("None"),
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Returned {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_expr_try(&mut self, e: &'ast syn::ExprTry) {
        self.left = true;
        visit::visit_expr_try(self, e);
    }

    fn visit_expr_return(&mut self, e: &'ast syn::ExprReturn) {
        e.expr.iter().for_each(|e| self.value(e));
        visit::visit_expr_return(self, e);
    }
}

/// Whether a body makes a value of a type by its name, `FitResult { … }`, `FitResult::new(…)`: it is a type of the user's own, for an alias of a result has no such values.
fn is_made(ty: &syn::Type, body: TokenStream) -> bool {
    let Some(name) = types::last(types::strip_groups(ty)).map(|last| &last.ident) else {
        return false;
    };
    let mut named = false;
    for token in body {
        let made = match &token {
            TokenTree::Group(group) => {
                let fields = matches!(group.delimiter(), Delimiter::Brace | Delimiter::Parenthesis);
                named && fields || is_made(ty, group.stream())
            }
            TokenTree::Punct(punct) => {
                named && punct.as_char() == ':' && punct.spacing() == Spacing::Joint
            }
            _ => false,
        };
        if made {
            return true;
        }
        named = matches!(&token, TokenTree::Ident(ident) if ident == name && ident != "Result");
    }
    false
}

/// A fallible function, and its derivatives beside it.
pub(crate) fn function(
    options: Options,
    mut item: syn::ItemFn,
    errors: &mut Errors,
) -> TokenStream {
    let mut user = item.clone();
    user.sig.inputs.iter_mut().for_each(marks::strip);
    crate::marks::Strip::default().visit_block_mut(&mut user.block);
    let mut plain = user.clone();
    types::close_lifetimes(&mut item);
    types::close_lifetimes(&mut plain);
    if attr::is_method(&options, &item) {
        let outer = crate::method::of_block(&item);
        let derived = method(options, item, &outer, errors);
        let advice = crate::siblings::advice(&user.sig.ident);
        return quote!(#user #advice #derived);
    }
    let name = options
        .name
        .clone()
        .unwrap_or_else(|| item.sig.ident.clone());
    let krate = function::krate(&options);
    let allowed: TokenStream = ALLOWED.parse().unwrap_or_default();
    if refuse(&options, &item, errors) {
        let vis = &item.vis;
        return quote! {
            #user
            #[doc(hidden)]
            #allowed
            #[derive(Clone, Copy, Debug, Default)]
            #vis struct #name {}
        };
    }
    let beside = own::beside(&options, &item);
    let own = Ident::new(VALUE, item.sig.ident.span());
    let optional = optional(
        &options,
        &item,
        &quote!(#name::#own),
        &syn::Generics::default(),
        errors,
    );
    let options = Options {
        apart: true,
        vouched: Vouched::All,
        ..options
    };
    let body = item.block.clone();
    let code = options
        .for_rustc
        .then(|| sound::closure(&item.attrs, &item.sig, &plain.block, None, &Uses::default()));
    let code: Vec<sound::Code> = code.flatten().into_iter().collect();
    // What is left out of the functions it stands on.
    let in_full = options.only.is_none();
    let Layers {
        derived,
        vouched,
        solvable,
    } = layers(
        options,
        item,
        own,
        Some(&name),
        &syn::Generics::default(),
        errors,
    );
    let beside = own::expanded(beside, pipeline::beside, errors);
    // It calls what a refused function does not have.
    let optional = errors.is_empty().then_some(optional);
    let mut called = Called::default();
    called.leave_items_of(&body);
    let derived = called.read(derived);
    if code.iter().any(sound::Code::is_closed) {
        called.given_as_checked();
    }
    let solvable = solvable.filter(|_| in_full);
    let (with, solvable) = solvable.map_or_else(Default::default, |s| (s.with, s.item));
    let derived = called.around(&quote!(impl #name { #derived #with } #solvable), true);
    let derived = sound::around(&code, &[], quote!(#vouched #derived));
    quote! {
        #user
        #(#beside)*

        #optional

        #allowed
        const _: () = {
            use #krate::__private as rt;
            use #krate::__private::scope::*;
            #derived
        };
    }
}

/// The hidden forms of the function as one that returns an option: what `f(x).unwrap_or(y)` calls, which does not show what `f` returns.
fn optional(
    options: &Options,
    item: &syn::ItemFn,
    value: &TokenStream,
    outer: &syn::Generics,
    errors: &mut Errors,
) -> TokenStream {
    let syn::ReturnType::Type(_, ret) = &item.sig.output else {
        return TokenStream::new();
    };
    let mut options = options.clone();
    options.fallible = false;
    options.called_only = true;
    options.of_result = true;
    // What is named like it in the body is the function that it stands for.
    options.namesake = true;
    let constant = std::mem::take(&mut options.own).is_constant();
    let mut item = item.clone();
    let args = types::passed_on(&mut item.sig);
    let krate = function::krate(&options);
    let turbofish = turbofish(&item.sig);
    let of = value_type(ret, &krate);
    item.sig.output = syn::parse_quote!(-> ::core::option::Option<#of>);
    item.block = syn::parse_quote!({
        let failure = rt::stop_gradient(rt::fallible::Slot::new());
        let value = #value #turbofish (#(#args,)* rt::fallible::failure(&failure));
        let failed: bool = rt::stop_gradient(rt::fallible::failed(&failure));
        if failed { None } else { Some(value) }
    });
    let count = errors.count();
    let function = attr::function(options, item, outer, errors);
    // What is wrong with it is said of the function itself.
    errors.forget(count);
    if constant && function.options.declared {
        // That there is nothing to differentiate is what it says of itself.
        return api::declared(&function);
    }
    pipeline::derivatives_of(&function, errors)
}

/// The siblings of a fallible method.
pub(crate) fn method(
    options: Options,
    mut item: syn::ItemFn,
    outer: &syn::Generics,
    errors: &mut Errors,
) -> TokenStream {
    types::close_lifetimes(&mut item);
    if refuse(&options, &item, errors) {
        return TokenStream::new();
    }
    if options.own.is_implicit() {
        own::refuse_method(&options, errors);
        return TokenStream::new();
    }
    let own = value_name(&item.sig.ident);
    let mut given = options.clone();
    given.method = true;
    let value = quote!(Self::#own);
    let optional = optional(&given, &item, &value, outer, errors);
    let before = errors.count();
    let Layers { derived, .. } = layers(options, item, own, None, outer, errors);
    let optional = (errors.count() == before).then_some(optional);
    quote!(#optional #derived)
}

/// What stands beside a fallible function.
#[derive(Default)]
struct Layers {
    /// The function that computes the value, its derivatives, and the fallible ones that call these.
    derived: TokenStream,
    /// What vouches for its types.
    vouched: TokenStream,
    /// The function as solvers take it.
    solvable: Option<api::Solvable>,
}

/// `name` is that of the type beside a function, which methods have not.
fn layers(
    mut options: Options,
    mut item: syn::ItemFn,
    own: Ident,
    name: Option<&Ident>,
    outer: &syn::Generics,
    errors: &mut Errors,
) -> Layers {
    name_lifetimes(&mut item.sig);
    let krate = function::krate(&options);
    let user = item.sig.ident.clone();
    let syn::ReturnType::Type(_, ret) = item.sig.output.clone() else {
        return Layers::default();
    };
    let value = value_type(&ret, &krate);
    let lent = matches!(types::strip_groups(&value), syn::Type::Reference(_));
    let lent = lent && !types::is_constant_of_program(&value);
    if lent && item.sig.receiver().is_some() {
        errors.error(
            &value,
            "a reference in a result cannot be followed; return a copy of what it refers to",
        );
        return Layers::default();
    }
    options.method = true;
    options.name = None;
    options.recursive |= types::names_itself(&item.block, &user, item.sig.receiver().is_some());
    options.fails = Some(user.clone());
    item.sig.ident = own.clone();
    item.sig.output = match &value {
        syn::Type::Tuple(t) if t.elems.is_empty() => syn::ReturnType::Default,
        value => syn::parse_quote!(-> #value),
    };
    let failure = format_ident!("{FAILURE}");
    item.sig.inputs.push(syn::parse_quote! {
        #[constant] #failure: #krate::__private::fallible::Failure<'_, <#ret as #krate::__private::fallible::Fallible>::Error>
    });
    let primal = primal(&item, &user, &krate);
    let function = attr::function(options, item, outer, errors);
    let derived = pipeline::derivatives_of(&function, errors);
    let public = public(&derived, &own, &user, &ret, &krate, errors);
    let name = name.filter(|_| errors.is_empty());
    let solvable = name.and_then(|name| {
        let of = api::Fallible {
            name,
            function: &user,
            ret: &ret,
        };
        api::solvable_fallible(&function, of)
    });
    Layers {
        derived: quote!(#primal #public),
        vouched: vouched(&function, None).vouched,
        solvable,
    }
}

/// What a result is of; of an alias only whether it is nothing, `Res<()>`, or a type of the user's own, `Res<Self>`, is seen.
fn value_type(ret: &syn::Type, krate: &TokenStream) -> syn::Type {
    let unit: syn::Type = syn::parse_quote!(());
    let argument = types::last(types::strip_groups(ret)).and_then(types::argument);
    match (value_of(ret), argument) {
        (Some(value), _) => value.clone(),
        (None, Some(argument)) if *argument == unit => unit,
        // No number, by which its derivatives are others.
        (None, Some(argument)) if types::read(argument).is_user() => argument.clone(),
        (None, _) => syn::parse_quote!(<#ret as #krate::__private::fallible::Fallible>::Value),
    }
}

/// The function that computes the value, from the user's own.
fn primal(item: &syn::ItemFn, user: &Ident, krate: &TokenStream) -> TokenStream {
    let mut sig = item.sig.clone();
    sig.inputs.iter_mut().for_each(marks::strip);
    let count = sig.inputs.len() - 1;
    let args = types::passed_on(&mut sig);
    let (given, failure) = (&args[..count], &args[count]);
    let free = item.sig.ident == VALUE;
    let called = if free {
        quote!(#user)
    } else {
        quote!(Self::#user)
    };
    let turbofish = turbofish(&sig);
    let absent = match &sig.output {
        syn::ReturnType::Default => quote!(()),
        syn::ReturnType::Type(_, ty) => absent(ty, &quote!(#krate::__private)),
    };
    let allowed: TokenStream = ALLOWED.parse().unwrap_or_default();
    let vis = &item.vis;
    quote! {
        #[doc(hidden)]
        #allowed
        #[inline]
        #vis #sig {
            match #called #turbofish (#(#given),*) {
                ::core::result::Result::Ok(value) => value,
                ::core::result::Result::Err(error) => {
                    #krate::__private::fallible::fail(#failure, error);
                    #absent
                }
            }
        }
    }
}

/// The parameters of a function as arguments, where all of them have names.
fn turbofish(sig: &syn::Signature) -> Option<TokenStream> {
    let unnamed = sig.inputs.iter().any(
        |arg| matches!(arg, syn::FnArg::Typed(arg) if matches!(&*arg.ty, syn::Type::ImplTrait(_))),
    );
    let generics: Vec<&Ident> = types::named(&sig.generics).collect();
    (!unnamed && !generics.is_empty()).then(|| quote!(::<#(#generics),*>))
}

/// The derivatives as users see them: those of the function that computes the value, where it does.
fn public(
    derived: &TokenStream,
    own: &Ident,
    user: &Ident,
    ret: &syn::Type,
    krate: &TokenStream,
    errors: &mut Errors,
) -> TokenStream {
    let parsed = match syn::parse2::<syn::ItemImpl>(quote!(impl __S { #derived })) {
        Ok(parsed) => parsed,
        Err(error) => {
            errors.take(error);
            return TokenStream::new();
        }
    };
    let mut out = TokenStream::new();
    for item in parsed.items {
        match item {
            syn::ImplItem::Fn(f) => {
                let prefix = format!("{own}_");
                let form = f.sig.ident.to_string();
                let shown = form.strip_prefix(&prefix).map(|form| {
                    let name = if own == VALUE {
                        Ident::new(form, user.span())
                    } else {
                        crate::forms::sibling(form, user)
                    };
                    wrapped(&f, name, ret, krate)
                });
                out.extend(shown);
                let mut f = f;
                f.attrs.retain(|a| !a.path().is_ident("doc"));
                f.attrs.push(syn::parse_quote!(#[doc(hidden)]));
                Leave(None).visit_block_mut(&mut f.block);
                out.extend(f.to_token_stream());
            }
            syn::ImplItem::Macro(m) => {
                let (path, inner) = (&m.mac.path, &m.mac.tokens);
                let inner = public(inner, own, user, ret, krate, errors);
                out.extend(quote!(#path! { #inner }));
            }
            other => out.extend(other.to_token_stream()),
        }
    }
    out
}

/// A derivative of the function that computes the value, as one of the fallible function.
fn wrapped(f: &syn::ImplItemFn, name: Ident, ret: &syn::Type, krate: &TokenStream) -> TokenStream {
    let mut shown = f.clone();
    let own = std::mem::replace(&mut shown.sig.ident, name);
    let is_failure = |arg: &syn::FnArg| matches!(arg, syn::FnArg::Typed(arg) if matches!(&*arg.pat, syn::Pat::Ident(p) if p.ident == FAILURE));
    let fails = f.sig.inputs.iter().find(|arg| is_failure(arg));
    let args: Vec<TokenStream> = shown
        .sig
        .inputs
        .iter()
        .map(|arg| match arg {
            syn::FnArg::Receiver(r) => r.self_token.to_token_stream(),
            syn::FnArg::Typed(arg) => arg.pat.to_token_stream(),
        })
        .collect();
    let generics: Vec<&Ident> = types::named(&f.sig.generics).collect();
    let turbofish = (!generics.is_empty()).then(|| quote!(::<#(#generics),*>));
    let called = quote!(Self::#own #turbofish (#(#args),*));
    let Some(syn::FnArg::Typed(syn::PatType { pat: failure, .. })) = fails else {
        shown.block = syn::parse_quote!({ #called });
        return shown.to_token_stream();
    };
    let inputs = std::mem::take(&mut shown.sig.inputs);
    shown.sig.inputs = inputs.into_iter().filter(|arg| !is_failure(arg)).collect();
    let output = match &f.sig.output {
        syn::ReturnType::Default => quote!(()),
        syn::ReturnType::Type(_, ty) => ty.to_token_stream(),
    };
    let output = with(ret, &output, krate);
    shown.sig.output = syn::parse_quote!(-> #output);
    let rt = quote!(#krate::__private::fallible);
    // A pullback lives longer than the slot, and what is left in the midst of it is written out as well.
    let mut leaves = Leave(Some(syn::parse_quote! {
        if let ::core::option::Option::Some(error) = slot.take() {
            return ::core::result::Result::Err(error);
        }
    }));
    let mut body = f.block.clone();
    leaves.visit_block_mut(&mut body);
    shown.block = if leaves.0.is_none() || own.to_string().ends_with("pullback") {
        syn::parse_quote!({
            let slot = #rt::Slot::new();
            let #failure = slot.failure();
            let value = #body;
            #rt::joined(value, slot.take())
        })
    } else {
        syn::parse_quote!({ #rt::tried(|#failure| #called) })
    };
    shown.to_token_stream()
}

/// Replaces the mark of where a derivative is left, or takes it away.
struct Leave(Option<syn::Stmt>);

impl VisitMut for Leave {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        visit_mut::visit_block_mut(self, block);
        let is_mark =
            |stmt: &syn::Stmt| matches!(stmt, syn::Stmt::Macro(m) if m.mac.path.is_ident(LEAVE));
        if !block.stmts.iter().any(is_mark) {
            return;
        }
        let with = self.0.take();
        block.stmts = std::mem::take(&mut block.stmts)
            .into_iter()
            .filter_map(|stmt| {
                if is_mark(&stmt) {
                    with.clone()
                } else {
                    Some(stmt)
                }
            })
            .collect();
    }
}

/// The return type with another value.
fn with(ret: &syn::Type, value: &TokenStream, krate: &TokenStream) -> TokenStream {
    let mut replaced = types::strip_groups(ret).clone();
    if let syn::Type::Path(p) = &mut replaced {
        if let Some(last) = p.path.segments.last_mut().filter(|s| s.ident == "Result") {
            if let syn::PathArguments::AngleBracketed(args) = &mut last.arguments {
                let first = args.args.iter_mut().find_map(|arg| match arg {
                    syn::GenericArgument::Type(ty) => Some(ty),
                    _ => None,
                });
                if let Some(first) = first {
                    *first = syn::Type::Verbatim(value.clone());
                    return replaced.to_token_stream();
                }
            }
        }
    }
    quote!(<#ret as #krate::__private::fallible::Fallible>::With<#value>)
}

/// Refuses what cannot be fallible.
fn refuse(options: &Options, item: &syn::ItemFn, errors: &mut Errors) -> bool {
    let syn::ReturnType::Type(_, ret) = &item.sig.output else {
        return false;
    };
    let nested = value_of(ret).filter(|of| types::last(of).is_some_and(|s| s.ident == "Result"));
    if let Some(nested) = nested {
        errors.error(
            nested,
            "a result in a result has no derivative; use `?` on one of them",
        );
    } else if has_unnamed(ret.to_token_stream()) {
        errors.error(ret, "an error without a name cannot be passed on by derivatives; write its type in place of `impl …`");
    } else if options.own.is_implicit() && value_of(ret).is_none() {
        errors.error(
            ret,
            "the type of the solution is not seen; write `Result<…, …>` with it",
        );
    } else if options.own.is_given() && !options.own.is_implicit() && !options.own.is_constant() {
        errors.error(ret, "a function that returns a `Result` has no derivatives of your own, and no dynamic ones; let it call one that returns floats and has them");
    } else if options.of_number.is_some() {
        errors.error(ret, "a fallible function of a trait has no derivative for a number; write a function, and call it here");
    } else if let Some(output) = passed_result(&item.sig) {
        errors.error(output, "a function that is passed and returns a result cannot be followed; let it return an `Option`, or call a #[grad] function by its name");
    } else {
        return false;
    }
    true
}

/// The result that a function yields which this one is passed.
fn passed_result(sig: &syn::Signature) -> Option<syn::Type> {
    sig.inputs.iter().enumerate().find_map(|(k, input)| {
        let syn::FnArg::Typed(arg) = input else {
            return None;
        };
        match callable::read(k, &arg.ty, &sig.generics) {
            callable::Kind::Callable(of) if is_result(&of.output) => Some(of.output),
            _ => None,
        }
    })
}

/// The function beside a fallible one of a trait that computes its value.
pub(crate) fn value_of_trait(sig: &syn::Signature) -> Option<Ident> {
    match &sig.output {
        syn::ReturnType::Type(_, ty) if is_result(ty) => Some(value_name(&sig.ident)),
        _ => None,
    }
}

fn has_unnamed(tokens: TokenStream) -> bool {
    types::mentions(&tokens, &Ident::new("impl", Span::call_site()))
}

/// Gives a name to the lifetime that a return type leaves out.
fn name_lifetimes(sig: &mut syn::Signature) {
    struct Elided {
        name: Option<syn::Lifetime>,
        found: usize,
    }
    impl VisitMut for Elided {
        fn visit_type_reference_mut(&mut self, t: &mut syn::TypeReference) {
            visit_mut::visit_type_reference_mut(self, t);
            if t.lifetime.is_none() {
                self.found += 1;
                t.lifetime.clone_from(&self.name);
            }
        }
        fn visit_lifetime_mut(&mut self, lifetime: &mut syn::Lifetime) {
            if lifetime.ident == "_" {
                self.found += 1;
                if let Some(name) = &self.name {
                    *lifetime = name.clone();
                }
            }
        }
    }
    let name = syn::Lifetime::new("'__failure", Span::call_site());
    let syn::ReturnType::Type(_, ret) = &mut sig.output else {
        return;
    };
    let mut elided = Elided {
        name: None,
        found: 0,
    };
    elided.visit_type_mut(ret);
    if elided.found == 0 {
        return;
    }
    elided.name = Some(name.clone());
    elided.visit_type_mut(ret);
    let lent = sig.inputs.iter_mut().find_map(|input| match input {
        syn::FnArg::Receiver(r) => Some(r),
        syn::FnArg::Typed(_) => None,
    });
    match lent {
        Some(syn::Receiver {
            kind: syn::ReceiverKind::Reference(_, lifetime, _),
            ..
        }) => {
            if lifetime.is_none() {
                *lifetime = Some(name.clone());
            }
        }
        _ => {
            for input in &mut sig.inputs {
                if let syn::FnArg::Typed(arg) = input {
                    elided.visit_type_mut(&mut arg.ty);
                }
            }
        }
    }
    sig.generics.params.insert(0, syn::parse_quote!(#name));
}
