//! `#[grad]` on a trait: hidden functions that its `impl`s fill, so that what is generic in the trait has derivatives.
//!
//! `#[grad] trait Model { fn energy(&self, x: f64) -> f64; }` gets a hidden function for each form of the derivatives of `energy` that other derivatives call,
//! and `#[grad] impl Model for Spring` fills them with those of the type.
//! What the trait provides has its derivatives in the trait, too, and others where an `impl` replaces it.

use std::rc::Rc;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::accessors::Accessors;
use crate::block::Block;
use crate::callable;
use crate::counts;
use crate::errors::Errors;
use crate::fallible;
use crate::forms::{CALLED, EACH_FORM};
use crate::function::{self, Options};
use crate::marks;
use crate::types;
use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{self, EnterMut as _, OtherMut, VisitMut};

/// What an `impl` without `#[grad]` lacks before all; its name is the advice.
const MARK: &str = "__put_grad_above_this_impl";

/// The name by which an `impl` finds the macro of its trait.
const FOLLOWED: &str = "__Followed";

/// `#[grad(options)] trait … { … }`
pub(crate) fn expand(
    options: &Options,
    mut item: syn::ItemTrait,
    errors: &mut Errors,
) -> TokenStream {
    let krate = function::krate(options);
    refuse(options, &item, errors);
    counts::check_trait(&item, errors);
    let mut options = options.clone();
    options.own.make_compiled();
    let refused = !errors.is_empty();
    let of = Block {
        generics: item.generics.clone(),
        ty: syn::parse_quote!(Self),
        owner: None,
        // What the trait provides, an `impl` may replace.
        accessors: Accessors::none(),
        fields: Rc::default(),
        checks: Vec::new(),
        at_once: Vec::new(),
        aliases: fallible::aliases(item.items.iter().filter_map(|item| match item {
            syn::TraitItem::Fn(f) => f.default.as_ref().map(|body| (&f.sig, body)),
            _ => None,
        })),
    };
    let (mark, called) = (format_ident!("{MARK}"), format_ident!("{CALLED}"));
    let mut hidden: Vec<syn::TraitItemFn> = vec![
        syn::parse_quote! {
            #[doc(hidden)]
            fn #mark() where Self: ::core::marker::Sized;
        },
        syn::parse_quote! {
            #[doc(hidden)]
            fn #called() where Self: ::core::marker::Sized {}
        },
    ];
    for item in &mut item.items {
        let syn::TraitItem::Fn(f) = item else {
            continue;
        };
        let mut options = options.clone();
        options.of_trait = true;
        options.declared = f.default.is_none();
        let mut function = syn::ImplItemFn {
            attrs: f.attrs.clone(),
            vis: syn::Visibility::Inherited,
            modifiers: syn::FnModifiers::default(),
            sig: f.sig.clone(),
            block: f.default.clone().unwrap_or_else(|| syn::parse_quote!({})),
        };
        let required = options.declared;
        let derived = of.derive(&mut function, options, errors);
        f.attrs = function.attrs;
        f.sig = function.sig;
        f.default = f.default.is_some().then_some(function.block);
        for form in forms(derived.unwrap_or_default(), &[&f.sig], errors) {
            hidden.push(declared(form, required, &krate));
        }
    }
    if refused {
        return item.to_token_stream();
    }
    // A link `[Model]` in documentation is to the trait alone.
    let documented: syn::Attribute = syn::parse_quote!(#[cfg(not(doc))]);
    for f in &mut hidden {
        f.attrs.insert(0, documented.clone());
    }
    item.items
        .extend(hidden.into_iter().map(syn::TraitItem::Fn));
    let (vis, name) = (&item.vis, &item.ident);
    let groups = format_ident!("of_order_{}", options.order.max(1));
    quote! {
        #item
        #documented
        #[doc(hidden)]
        #[allow(unused_imports)]
        #vis use #krate::__private::#groups as #name;
    }
}

/// What is made of the functions of a trait's `impl`, each with the functions that have some.
pub(crate) struct Made<'a> {
    /// Forms that stand in the `impl` itself.
    pub(crate) itself: (&'a TokenStream, &'a [syn::Signature]),
    /// Forms that are functions of the type, which those of the trait call.
    pub(crate) forwarded: (&'a TokenStream, &'a [syn::Signature]),
}

/// Whether a type parameter stands for any type that has derivatives.
pub(crate) fn is_differentiable(t: &Ident, generics: &syn::Generics) -> bool {
    types::has_bound(t, &format_ident!("Differentiable"), generics)
}

/// Asks of such parameters of an `impl` what its hidden functions ask of them, and those of the trait do not.
pub(crate) fn hold(block: &mut syn::ItemImpl, options: &Options) {
    let krate = function::krate(options);
    let names = block.generics.type_params().map(|t| t.ident.clone());
    let names: Vec<Ident> = names
        .filter(|t| !options.labels.contains(t) && is_differentiable(t, &block.generics))
        .collect();
    for t in names {
        let clause = block.generics.make_where_clause();
        clause
            .predicates
            .push(syn::parse_quote!(#t: #krate::__private::Held + 'static));
    }
}

/// The `impl` of a trait, which fills the hidden functions if the trait has some.
pub(crate) fn filled(
    path: &syn::Path,
    options: &Options,
    mut block: syn::ItemImpl,
    made: Made<'_>,
    errors: &mut Errors,
) -> TokenStream {
    let krate = function::krate(options);
    let mut followed = path.clone();
    if let Some(last) = followed.segments.last_mut() {
        last.arguments = syn::PathArguments::None;
    }
    let (mark, name) = (format_ident!("{MARK}"), format_ident!("{FOLLOWED}"));
    let mut groups = vec![quote!(#[inline] fn #mark() {})];
    groups.resize(options.order.max(1) as usize, TokenStream::new());
    let is_held = |t: &Ident| is_differentiable(t, &block.generics);
    let mut parameters = block.generics.type_params();
    let others = |t: &&syn::TypeParam| !options.labels.contains(&t.ident) && !is_held(&t.ident);
    if let Some(t) = parameters.find(others) {
        let message = "in an `impl` of a #[grad] trait a type parameter stands for types with derivatives; write `+ Differentiable` behind its bounds, or one `impl` for each type";
        groups[0].extend(quote_spanned!(t.span()=> ::core::compile_error!(#message);));
    }
    for item in &block.items {
        let syn::ImplItem::Fn(f) = item else { continue };
        let of = [made.itself.1, made.forwarded.1];
        let derived = of.into_iter().flatten().any(|of| of.ident == f.sig.ident);
        if !derived && types::worthwhile(&f.sig) {
            // The derivative that the trait provides would be that of another function.
            let message = "nothing is differentiable in this function, but in the trait there may be; leave out `#[constant]`";
            groups[0]
                .extend(quote_spanned!(f.sig.ident.span()=> ::core::compile_error!(#message);));
        }
    }
    let mut forms = |(siblings, functions): (&TokenStream, &[syn::Signature])| {
        let functions: Vec<_> = functions.iter().collect();
        forms(siblings.clone(), &functions, errors)
    };
    // What is made of others the trait makes of them itself.
    let forwarded = forms(made.forwarded)
        .into_iter()
        .filter(|form| !form.made)
        .map(|form| (form.level, forwarded(form.function)));
    let itself = forms(made.itself)
        .into_iter()
        .map(|form| (form.level, itself(form.function)));
    for (level, form) in forwarded.chain(itself) {
        if let Some(group) = groups.get_mut(level) {
            group.extend(form);
        }
    }
    block
        .items
        .push(syn::parse_quote!(#name! { #({ #groups })* }));
    let conditions = block.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    quote! {
        #(#conditions)*
        const _: () = {
            #[allow(unused_imports)]
            use #krate::__private::not_followed::*;
            // In a scope of its own, behind which the macro for a trait that has none is found.
            const _: () = {
                #[allow(unused_imports)]
                use #followed as #name;
                #block
            };
        };
    }
}

/// A form of the derivatives of a function that other derivatives call.
pub(crate) struct Form {
    pub(crate) function: syn::ImplItemFn,
    /// Its order less one.
    level: usize,
    /// It is made of the others.
    made: bool,
}

/// The forms that other derivatives call, of those of the functions.
pub(crate) fn forms(
    derived: TokenStream,
    functions: &[&syn::Signature],
    errors: &mut Errors,
) -> Vec<Form> {
    let parsed = match syn::parse2::<syn::ItemImpl>(quote!(impl __S { #derived })) {
        Ok(parsed) => parsed,
        Err(error) => {
            errors.take(error);
            return Vec::new();
        }
    };
    let found = parsed.items.into_iter().filter_map(|item| match item {
        syn::ImplItem::Fn(function) => {
            let name = function.sig.ident.to_string();
            let of = functions.iter().find_map(|of| {
                let plain = read(&name, &of.ident, of);
                plain.or_else(|| {
                    let value = fallible::value_of_trait(of)?;
                    if value == name {
                        return Some((0, true));
                    }
                    read(&name, &value, of)
                })
            });
            of.map(|(level, made)| Form {
                function,
                level,
                made,
            })
        }
        _ => None,
    });
    found.collect()
}

/// The order less one of the form `name` of a function, if others call it, and whether it is made of other forms.
fn read(name: &str, function: &Ident, of: &syn::Signature) -> Option<(usize, bool)> {
    let function = function.to_string().replace("r#", "");
    let form = name.strip_suffix(function.as_str())?.strip_suffix('_')?;
    if form == EACH_FORM {
        return Some((1, false));
    }
    let plain = form.replacen("__taken_", "__", 1);
    let mut rest = plain.strip_prefix("__")?;
    if rest.starts_with("zero_") || rest == "by_value" || rest == "changed" {
        return Some((0, true));
    }
    // Of a method that takes its receiver by value, the forms of either name have a body of their own.
    let owned = of
        .receiver()
        .is_some_and(|r| matches!(r.kind, syn::ReceiverKind::Value));
    let second_name = plain != form && !owned;
    if rest == "jvp" {
        return Some((0, second_name));
    }
    let mut level = 0;
    while let Some(behind) = rest.strip_prefix("jvp_") {
        (rest, level) = (behind, level + 1);
    }
    let made = second_name || rest != "fwd" && !owned;
    ["fwd", "even", "passed"]
        .contains(&rest)
        .then_some((level, made))
}

/// A form as a function of the trait, for types that have derivatives.
///
/// What it has to have of a function without a body are the forms of the first order; those of others are lacking where an `impl` has not the order of the trait, which is an error.
fn declared(form: Form, required: bool, krate: &TokenStream) -> syn::TraitItemFn {
    let required = required && form.level == 0 && !form.made;
    let syn::ImplItemFn {
        mut attrs,
        mut sig,
        block,
        ..
    } = form.function;
    let clause = sig.generics.make_where_clause();
    clause
        .predicates
        .push(syn::parse_quote!(Self: ::core::marker::Sized + #krate::__private::Held));
    if required {
        attrs.retain(|a| !a.path().is_ident("inline"));
        // Patterns belong to bodies.
        for input in &mut sig.inputs {
            if let syn::FnArg::Typed(arg) = input {
                if let syn::Pat::Ident(p) = &mut *arg.pat {
                    p.mutability = None;
                }
            }
        }
    }
    OfTrait.visit_return_type_mut(&mut sig.output);
    syn::TraitItemFn {
        attrs,
        modifiers: syn::FnModifiers::default(),
        sig,
        default: (!required).then_some(block),
        semi_token: required.then(Default::default),
    }
}

/// In a trait, what is returned names the type that has the trait.
struct OfTrait;

impl VisitMut for OfTrait {
    fn visit_other_mut(&mut self, node: OtherMut<'_>) {
        match node {
            OtherMut::PreciseCapture(captures) => {
                let (lifetimes, others): (Vec<_>, Vec<_>) = std::mem::take(&mut captures.params)
                    .into_iter()
                    .partition(|p| matches!(p, syn::CapturedParam::Lifetime(_)));
                let this = syn::CapturedParam::Ident(format_ident!("Self"));
                captures.params = lifetimes.into_iter().chain([this]).chain(others).collect();
                OtherMut::PreciseCapture(captures).walk(self);
            }
            other => other.walk(self),
        }
    }
}

/// A form of the trait, which is that of the type.
fn forwarded(mut form: syn::ImplItemFn) -> TokenStream {
    form.vis = syn::Visibility::Inherited;
    let args = types::passed_on(&mut form.sig);
    let name = &form.sig.ident;
    let given: Vec<&Ident> = types::named(&form.sig.generics).collect();
    let given = (!given.is_empty()).then(|| quote!(::<#(#given),*>));
    form.block = syn::parse_quote!({ Self::#name #given (#(#args),*) });
    form.to_token_stream()
}

/// A form in the `impl` of the trait, of a number or a type that may have others of the name by other traits, or of its own.
fn itself(mut form: syn::ImplItemFn) -> TokenStream {
    struct Qualify;
    impl VisitMut for Qualify {
        fn visit_expr_path_mut(&mut self, e: &mut syn::ExprPath) {
            visit_mut::visit_expr_path_mut(self, e);
            let segments = &mut e.path.segments;
            if e.qself.is_some() || segments.len() != 2 || segments[0].ident != "Self" {
                return;
            }
            let (name, form) = (format_ident!("{FOLLOWED}"), &segments[1]);
            if form.ident.to_string().starts_with("__") {
                *e = syn::parse_quote!(<Self as #name>::#form);
            }
        }
    }
    form.vis = syn::Visibility::Inherited;
    Qualify.visit_impl_item_fn_mut(&mut form);
    form.to_token_stream()
}

/// Refuses what no function generic in the trait could be told.
fn refuse(options: &Options, item: &syn::ItemTrait, errors: &mut Errors) {
    if options.own.is_dynamic() {
        errors.error(
            &item.ident,
            "a trait has no functions to record; put `#[grad(dynamic)]` on its `impl` for a type",
        );
    }
    for param in &item.generics.params {
        if !matches!(param, syn::GenericParam::Const(_)) {
            errors.error(param, "a #[grad] trait is generic in lengths alone, `const N: usize`; put #[grad] on its `impl` for a type alone, or write the type that is meant");
        }
    }
    for of in &item.items {
        let syn::TraitItem::Fn(f) = of else { continue };
        for mark in f.attrs.iter().filter(|a| marks::is_grad(a.path())) {
            let order = format_ident!("order");
            if types::mentions(&mark.meta.to_token_stream(), &order) {
                errors.error(mark, "what an `impl` has to fill is of the order of the whole trait; write `#[grad(order = …)]` above that");
            }
        }
        let mut found = Associated(errors);
        found.visit_signature(&f.sig);
        for (k, input) in f.sig.inputs.iter().enumerate() {
            let syn::FnArg::Typed(arg) = input else {
                continue;
            };
            let of = callable::read(k, &arg.ty, &f.sig.generics);
            if matches!(of, callable::Kind::Callable(_)) {
                errors.error(&arg.ty, "a function of a #[grad] trait takes no functions; write a function generic in the trait that does");
            }
        }
    }
}

/// Refuses types that each `impl` says.
struct Associated<'a>(&'a mut Errors);

impl<'ast> Visit<'ast> for Associated<'_> {
    fn visit_type_path(&mut self, t: &'ast syn::TypePath) {
        if t.path.segments.len() > 1 && t.path.segments[0].ident == "Self" || t.qself.is_some() {
            self.0.error(t, "of a type that each `impl` says, a #[grad] trait knows no derivative; write the type that is meant");
            return;
        }
        visit::visit_type_path(self, t);
    }
}
