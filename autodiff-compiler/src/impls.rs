//! `#[grad]` on an `impl` block: on every function in it that has something to differentiate, or on the operator that it defines.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use crate::accessors::Accessors;
use crate::api;
use crate::attr;
use crate::block::Block;
use crate::called::Called;
use crate::conversions;
use crate::counts;
use crate::dynamic;
use crate::errors::Errors;
use crate::fallible;
use crate::forms;
use crate::function::{By, GradFn, Options, ParamInfo, krate};
use crate::indexed;
use crate::ir::Operator;
use crate::lower::qualified;
use crate::marks;
use crate::method;
use crate::namesakes;
use crate::own_names;
use crate::pipeline;
use crate::sound::{self, Code};
use crate::tensors;
use crate::traits::{self, Made};
use crate::types::{self, passed_on, worthwhile};
use crate::visit_mut::{self, EnterMut as _, OtherMut, VisitMut};
use crate::vouched;

/// `#[grad(options)] impl … { … }`
pub(crate) fn expand(options: &Options, block: syn::ItemImpl, errors: &mut Errors) -> TokenStream {
    if refuse_names_of_derivatives(options, &block, errors) {
        return unmarked(block).into_token_stream();
    }
    let path = block.trait_.as_ref().map(|(path, _)| path.clone());
    match path {
        None => inherent(options, block, errors),
        Some(path) => {
            let operator = path.segments.last();
            let operator = operator.and_then(|s| Operator::of_trait(&s.ident.to_string()));
            match operator {
                Some(operator) => {
                    let mut compiled = options.clone();
                    compiled.own.make_compiled();
                    let rule = rule(operator, &compiled, &block, errors);
                    let of_variables = options
                        .own
                        .is_dynamic()
                        .then(|| dynamic::operator(&block, &krate(options)));
                    quote!(#block #rule #of_variables)
                }
                None if is_ours(&block.self_ty) => match index(&path, &block) {
                    Some(own) => {
                        let own = inherent(options, own, errors);
                        let block = unmarked(block);
                        quote!(#block #own)
                    }
                    None => match indexed::of_tangent(&path, &block, errors) {
                        Some(same) => {
                            let krate = krate(options);
                            let allowed: TokenStream =
                                crate::forms::ALLOWED.parse().unwrap_or_default();
                            quote! {
                                #block
                                #allowed
                                const _: () = {
                                    use #krate::__private as rt;
                                    #same
                                };
                            }
                        }
                        None => of_trait(&path, options, block, errors),
                    },
                },
                None => match number(&block.self_ty) {
                    Some(number) => of_number(&path, options, &number, block, errors),
                    None => {
                        errors.error(&path, "only on a type of your own, `f64` and `f32` can functions of a trait have derivatives; write a #[grad] function, and call it here");
                        block.to_token_stream()
                    }
                },
            }
        }
    }
}

/// Reports functions that are named like a derivative of another one of the block.
fn refuse_names_of_derivatives(
    options: &Options,
    block: &syn::ItemImpl,
    errors: &mut Errors,
) -> bool {
    let plain = |f: &&syn::ImplItemFn| !f.attrs.iter().any(|a| a.path().is_ident("cfg"));
    let functions = block.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(f) => Some(f),
        _ => None,
    });
    let functions: Vec<&syn::ImplItemFn> = functions.filter(plain).collect();
    let before = errors.count();
    for of in functions.iter().filter(|f| worthwhile(&f.sig)) {
        let marked = of.attrs.iter().any(|a| marks::is_grad(a.path()));
        let number = match &of.sig.output {
            syn::ReturnType::Default => false,
            syn::ReturnType::Type(_, ty) => types::read(ty).is_float(),
        };
        if marked || !number || options.own.is_given() {
            continue;
        }
        let name = &of.sig.ident;
        for form in ["grad", "value_and_grad"] {
            let taken = forms::sibling(form, name);
            for f in functions.iter().filter(|f| f.sig.ident == taken) {
                errors.error(&f.sig.ident, format_args!("`{taken}` is what #[grad] calls a derivative of `{name}`; give one of them another name"));
            }
        }
    }
    errors.count() > before
}

/// Reports type parameters with the trait that the block is of: what is made of others by that trait calls its functions on them.
fn refuse_combined(path: &syn::Path, block: &syn::ItemImpl, errors: &mut Errors) -> bool {
    let lent = block.items.iter().any(|item| {
        matches!(item, syn::ImplItem::Fn(f) if f.sig.receiver().is_some_and(|r| matches!(r.kind, syn::ReceiverKind::Reference(..))))
    });
    let (Some(of), true) = (path.segments.last(), lent) else {
        return false;
    };
    let before = errors.count();
    for t in block.generics.type_params().map(|t| &t.ident) {
        if !traits::is_differentiable(t, &block.generics)
            && types::has_bound(t, &of.ident, &block.generics)
        {
            errors.error(t, format_args!("a type parameter of an `impl` stands for a float, and not for what has the functions of `{0}`; put #[grad] on the trait and write `{0} + Differentiable`, or one `impl` for each type", of.ident));
        }
    }
    errors.count() > before
}

/// Reports functions of a trait for whatever type has its bounds, which can have none of its own.
fn refuse_for_all(path: &syn::Path, block: &syn::ItemImpl, errors: &mut Errors) -> bool {
    let function = block.items.iter().find_map(|item| match item {
        syn::ImplItem::Fn(f) if worthwhile(&f.sig) => Some(f),
        _ => None,
    });
    let (Some(f), true) = (function, is_for_all(block)) else {
        return false;
    };
    let (name, of) = (&f.sig.ident, path.segments.last().map(|s| &s.ident));
    errors.error(&block.self_ty, format_args!("functions of a trait for all types at once cannot have derivatives; write `{name}` in the trait itself with #[grad], one `impl {}` for each type, or a generic function beside it", of.map_or_else(String::new, ToString::to_string)));
    true
}

/// Whether a block is for a type parameter of its own.
fn is_for_all(block: &syn::ItemImpl) -> bool {
    let mut parameters = block.generics.type_params();
    parameters.any(|t| matches!(&*block.self_ty, syn::Type::Path(p) if p.path.is_ident(&t.ident)))
}

/// May the type have functions of its own here, as far as its name shows?
fn is_ours(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Path(p) => {
            p.qself.is_none() && types::read(ty).is_user() && !tensors::is_named(ty)
        }
        _ => false,
    }
}

/// The name of a number.
fn number(ty: &syn::Type) -> Option<Ident> {
    match types::strip_groups(ty) {
        syn::Type::Path(p) => {
            let numbers = |name: &&Ident| *name == "f64" || *name == "f32";
            p.path.get_ident().filter(numbers).cloned()
        }
        _ => None,
    }
}

/// The functions of a trait for a number, which can have no functions of its own: the hidden functions of the trait have their bodies.
fn of_number(
    path: &syn::Path,
    options: &Options,
    number: &Ident,
    block: syn::ItemImpl,
    errors: &mut Errors,
) -> TokenStream {
    let mut open = block.clone();
    Spell::new(path, &block).visit_item_impl_mut(&mut open);
    let defines = block.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(f) => Some(f.sig.ident.clone()),
        _ => None,
    });
    let defines = defines.collect();
    Named {
        path,
        number,
        defines,
    }
    .visit_item_impl_mut(&mut open);
    let mut options = options.clone();
    options.of_trait = true;
    options.of_number = Some(number.clone());
    options.own.make_compiled();
    let (siblings, functions, twins) = siblings(&options, &mut open, errors);
    let made = Made {
        itself: (&siblings, &functions),
        forwarded: (&TokenStream::new(), &[]),
    };
    let block = traits::filled(path, &options, unmarked(block), made, errors);
    quote!(#block #twins)
}

/// The functions of a trait for a type: their siblings are functions of the type, whatever it is called through.
fn of_trait(
    path: &syn::Path,
    options: &Options,
    mut block: syn::ItemImpl,
    errors: &mut Errors,
) -> TokenStream {
    if refuse_combined(path, &block, errors) || refuse_for_all(path, &block, errors) {
        return unmarked(block).into_token_stream();
    }
    name_lifetimes(&mut block);
    traits::hold(&mut block, options);
    if let Some(from) = conversions::source(path).filter(|_| !options.own.is_dynamic()) {
        let options = Options {
            apart: true,
            of_trait: true,
            ..options.clone()
        };
        let (forms, functions, _) = siblings(&options, &mut block.clone(), errors);
        let filled = match functions.first() {
            Some(of) => conversions::filled(&options, &block, (from, path), (of, forms), errors),
            None => TokenStream::new(),
        };
        let block = unmarked(block);
        return quote!(#block #filled);
    }
    let mut open = block.clone();
    // Outside of the `impl` of the trait its types have no names.
    Spell::new(path, &block).visit_item_impl_mut(&mut open);
    let of_trait = take_unconstrained(&mut open);
    for item in &mut open.items {
        if let syn::ImplItem::Fn(f) = item {
            f.vis = syn::parse_quote!(pub);
            let generics = &mut f.sig.generics;
            generics.params.extend(of_trait.params.clone());
            if let Some(clause) = &of_trait.where_clause {
                let own = generics.make_where_clause();
                own.predicates.extend(clause.predicates.clone());
            }
        }
    }
    forget_derived(&mut open.generics);
    let mut options = options.clone();
    options.of_trait = true;
    options.apart = true;
    if !is_for_all(&block) {
        options.vouched = vouched::own(&options, &open);
    }
    let (krate, allowed): (_, TokenStream) = (
        krate(&options),
        crate::forms::ALLOWED.parse().unwrap_or_default(),
    );
    let mut namesakes = namesakes::take(&mut open);
    let (siblings, functions, twins) = self::siblings(&options, &mut open, errors);
    options.namesake = true;
    let (of_plain, plain, _) = self::siblings(&options, &mut namesakes.plain, errors);
    options.apart = false;
    let (of_others, others, _) = self::siblings(&options, &mut namesakes.others, errors);
    let block = unmarked(block);
    let code = sound::of_block(&options, &block, &functions);
    let forms = sound::depending(&code, quote!(#siblings #of_plain));
    let followed: Vec<_> = functions.iter().chain(&plain).cloned().collect();
    let made = Made {
        itself: (&of_others, &others),
        forwarded: (&forms, &followed),
    };
    let (attrs, count) = (block.attrs.clone(), functions.len());
    let plain_block = block.clone();
    let block = traits::filled(path, &options, block, made, errors);
    let forwarded = functions.into_iter().map(|sig| forwarder(path, sig, &code));
    let marks = plain.iter().map(|sig| mark(path, &sig.ident));
    // A constant has no gradient that could be another's.
    let checks = plain.iter().chain(&others);
    let checks = checks.filter(|sig| !attr::yields_constant(sig));
    let checks = checks.map(|sig| namesakes::check(sig, &krate));
    let forwarded: TokenStream = forwarded.chain(marks).chain(checks).collect();
    let (generics, ty) = (&open.generics, &open.self_ty);
    let (generics, _, clause) = generics.split_for_impl();
    let (called, siblings) = called(&plain_block, siblings, &code, count);
    let own = called.around(
        &quote!(impl #generics #ty #clause { #forwarded #siblings }),
        true,
    );
    let item = vouched::of_block(&options, ty, &open.generics);
    let own = quote! {
        #item
        #allowed
        const _: () = {
            use #krate::__private::scope::*;
            #own
        };
    };
    // All that a type parameter has are functions that the trait provides.
    let own = if is_for_all(&plain_block) {
        TokenStream::new()
    } else {
        sound::around(&code, &attrs, own)
    };
    let conditions = open.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    quote! {
        #(#conditions)*
        const _: () = {
            #[allow(unused_imports)]
            use #krate::__private as rt;
            #block
            #own
        };
        #twins
    }
}

/// What the siblings of a block's functions call, of which there are so many, and the siblings with names for it.
fn called(
    block: &syn::ItemImpl,
    siblings: TokenStream,
    code: &[Code],
    functions: usize,
) -> (Called, TokenStream) {
    let mut called = Called::default();
    for item in &block.items {
        if let syn::ImplItem::Fn(f) = item {
            called.leave_items_of(&f.block);
            called.asking_traits_of(&f.sig, &f.block);
        }
    }
    let siblings = called.read(siblings);
    if code.iter().filter(|code| code.is_closed()).count() == functions {
        called.given_as_checked();
    }
    (called, siblings)
}

/// Takes out the parameters that only the trait of an `impl` mentions, which a block of the type's own cannot have: its functions can.
fn take_unconstrained(block: &mut syn::ItemImpl) -> syn::Generics {
    let ty = block.self_ty.to_token_stream();
    let mut taken = syn::Generics::default();
    let mut names = Vec::new();
    for param in std::mem::take(&mut block.generics.params) {
        let name = match &param {
            syn::GenericParam::Type(t) => Some(&t.ident),
            syn::GenericParam::Const(c) => Some(&c.ident),
            syn::GenericParam::Lifetime(_) => None,
        };
        match name.filter(|name| !types::mentions(&ty, name)) {
            Some(name) => {
                names.push(name.clone());
                taken.params.push(param);
            }
            None => block.generics.params.push(param),
        }
    }
    if let Some(clause) = block.generics.where_clause.take() {
        for predicate in clause.predicates {
            let tokens = predicate.to_token_stream();
            let of_them = names.iter().any(|name| types::mentions(&tokens, name));
            let of = if of_them {
                &mut taken
            } else {
                &mut block.generics
            };
            of.make_where_clause().predicates.push(predicate);
        }
    }
    taken
}

/// The block without what only the macro reads.
fn unmarked(mut block: syn::ItemImpl) -> syn::ItemImpl {
    for item in &mut block.items {
        if let syn::ImplItem::Fn(f) = item {
            f.attrs.retain(|a| !marks::is_grad(a.path()));
            f.sig.inputs.iter_mut().for_each(marks::strip);
            marks::Strip::default().visit_block_mut(&mut f.block);
        }
    }
    block
}

/// What an `impl` of `Index` or `IndexMut` means to generated code, as a block of the type's own.
fn index(path: &syn::Path, block: &syn::ItemImpl) -> Option<syn::ItemImpl> {
    let mut of = path.clone();
    let last = of.segments.last_mut()?;
    if last.ident == "IndexMut" {
        // It is `Index` that has the type.
        last.ident = Ident::new("Index", last.ident.span());
    }
    let mut open = block.clone();
    Spell::new(&of, block).visit_item_impl_mut(&mut open);
    let function = indexed::function(path, &open)?;
    open.trait_ = None;
    open.items = vec![syn::ImplItem::Fn(function)];
    Some(open)
}

/// A function of the type that calls that of the trait: there can be no other of its name, whose siblings these would be taken for.
fn forwarder(path: &syn::Path, mut sig: syn::Signature, code: &[Code]) -> TokenStream {
    let sound = sound::inferred(code);
    let args = passed_on(&mut sig);
    let name = &sig.ident;
    let mark = mark(path, name);
    quote! {
        #mark
        #[doc(hidden)]
        #[allow(dead_code, clippy::all, clippy::pedantic)]
        #[inline]
        pub #sig {
            let of #sound = <Self as #path>::#name;
            of(#(#args),*)
        }
    }
}

/// What shows that the type's derivatives of this name are those of the trait's function.
fn mark(path: &syn::Path, name: &Ident) -> TokenStream {
    let of = path.segments.last();
    let mark = of.map(|of| {
        let mark = qualified::of_trait(&of.ident, name);
        quote! {
            #[doc(hidden)]
            #[allow(dead_code, non_upper_case_globals, clippy::all, clippy::pedantic)]
            pub const #mark: () = ();
        }
    });
    mark.unwrap_or_default()
}

/// The types of a trait, which its `impl` names `Self::Item`, as what they are there.
struct Spell<'a> {
    path: &'a syn::Path,
    types: FxHashMap<Ident, syn::Type>,
}

impl<'a> Spell<'a> {
    fn new(path: &'a syn::Path, block: &syn::ItemImpl) -> Spell<'a> {
        let types = block.items.iter().filter_map(|item| match item {
            syn::ImplItem::Type(ty) if ty.generics.params.is_empty() => {
                Some((ty.ident.clone(), ty.ty.clone()))
            }
            _ => None,
        });
        let types = types.collect();
        Spell { path, types }
    }
}

/// `Self::f(…)` in a block for a number, as `<f64 as Trait>::f(…)`.
struct Named<'a> {
    path: &'a syn::Path,
    number: &'a Ident,
    defines: Vec<Ident>,
}

impl VisitMut for Named<'_> {
    fn visit_expr_path_mut(&mut self, e: &mut syn::ExprPath) {
        visit_mut::visit_expr_path_mut(self, e);
        if let (None, [of, name]) = (&e.qself, &e.path.segments.iter().collect::<Vec<_>>()[..]) {
            if of.ident == "Self" && self.defines.contains(&name.ident) {
                let (number, path, span) = (self.number, self.path, of.ident.span());
                *e = syn::parse_quote_spanned!(span=> <#number as #path>::#name);
            }
        }
    }
}

/// Puts a type in place of the first names of a path in code, `Self::Output::new`; rustc infers its arguments.
fn begin_with(path: &mut syn::Path, ty: &syn::Type, names: usize) {
    let syn::Type::Path(p) = types::strip_groups(ty) else {
        return;
    };
    let mut segments = p.path.segments.clone();
    for segment in &mut segments {
        segment.arguments = syn::PathArguments::None;
    }
    segments.extend(path.segments.iter().skip(names).cloned());
    path.segments = segments;
    path.leading_colon = p.path.leading_colon;
}

impl Spell<'_> {
    /// Of a path in code, the type of the trait that it begins with.
    fn spell(&self, path: &mut syn::Path) {
        let names = &path.segments;
        if names.len() >= 2 && names[0].ident == "Self" {
            if let Some(ty) = self.types.get(&names[1].ident) {
                begin_with(path, &ty.clone(), 2);
            }
        }
    }
}

impl VisitMut for Spell<'_> {
    fn visit_expr_path_mut(&mut self, e: &mut syn::ExprPath) {
        visit_mut::visit_expr_path_mut(self, e);
        if e.qself.is_none() {
            self.spell(&mut e.path);
        }
    }

    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        visit_mut::visit_type_mut(self, ty);
        let syn::Type::Path(p) = &*ty else { return };
        let of_self = p.path.segments.len() == 2 && p.path.segments[0].ident == "Self";
        if p.qself.is_none() && of_self {
            let (of, name) = (self.path, p.path.segments[1].clone());
            // It may stand for another of them in turn, and not for itself.
            *ty = match self.types.remove(&name.ident) {
                Some(known) => {
                    let mut spelled = known.clone();
                    self.visit_type_mut(&mut spelled);
                    self.types.insert(name.ident, known);
                    spelled
                }
                None => syn::parse_quote!(<Self as #of>::#name),
            };
        }
    }

    fn visit_other_mut(&mut self, node: OtherMut<'_>) {
        match node {
            OtherMut::ExprStruct(e) => {
                OtherMut::ExprStruct(e).walk(self);
                self.spell(&mut e.path);
            }
            other => other.walk(self),
        }
    }
}

/// The functions of a block get their siblings, in a block beside it.
fn inherent(options: &Options, mut block: syn::ItemImpl, errors: &mut Errors) -> TokenStream {
    counts::check(&block, errors);
    name_lifetimes(&mut block);
    let options = Options {
        apart: true,
        vouched: vouched::own(options, &block),
        ..options.clone()
    };
    let written = block.generics.clone();
    forget_derived(&mut block.generics);
    let (siblings, functions, twins) = siblings(&options, &mut block, errors);
    let generics = std::mem::replace(&mut block.generics, written);
    let (krate, allowed): (_, TokenStream) = (
        krate(&options),
        crate::forms::ALLOWED.parse().unwrap_or_default(),
    );
    let conditions = block.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    let ty = &block.self_ty;
    let item = vouched::of_block(&options, ty, &generics);
    let (generics, _, clause) = generics.split_for_impl();
    let code = sound::of_block(&options, &block, &functions);
    let (called, siblings) = called(&block, siblings, &code, functions.len());
    let siblings = called.around(&quote!(impl #generics #ty #clause { #siblings }), true);
    let siblings = sound::around(&code, &block.attrs, quote!(#item #siblings));
    quote! {
        #block
        #(#conditions)*
        #allowed
        const _: () = {
            use #krate::__private as rt;
            use #krate::__private::scope::*;
            #siblings
        };
        #twins
    }
}

/// Takes away what the bounds of a block say of types that have derivatives by their `impl`.
fn forget_derived(generics: &mut syn::Generics) {
    let parameters: Vec<Ident> = types::named(generics).cloned().collect();
    attr::forget_derived(generics, &parameters);
}

/// The siblings of the functions of a block, the functions that have some, and what else stands beside the block, which is left as it is to be compiled.
fn siblings(
    options: &Options,
    block: &mut syn::ItemImpl,
    errors: &mut Errors,
) -> (TokenStream, Vec<syn::Signature>, TokenStream) {
    let owner = crate::function::Owner::of(block, options.own.is_dynamic());
    let mut twins = TokenStream::new();
    if let Some(owner) = &owner {
        twins = dynamic::block(block, owner, &krate(options), errors);
    }
    let mut siblings = TokenStream::new();
    let mut functions = Vec::new();
    let of = Block {
        generics: block.generics.clone(),
        ty: (*block.self_ty).clone(),
        owner,
        accessors: Accessors::of(block),
        fields: Rc::new(own_names::fields(block)),
        checks: checks(block),
        at_once: if options.of_number.is_none() {
            at_once(block)
        } else {
            Vec::new()
        },
        aliases: fallible::aliases(block.items.iter().filter_map(|item| match item {
            syn::ImplItem::Fn(f) => Some((&f.sig, &f.block)),
            _ => None,
        })),
    };
    for item in &mut block.items {
        let syn::ImplItem::Fn(f) = item else { continue };
        if let Some(derived) = of.derive(f, options.clone(), errors) {
            functions.push(f.sig.clone());
            siblings.extend(derived);
        }
    }
    // What a trait provides may have derivatives.
    if functions.is_empty() && errors.is_empty() && !options.of_trait {
        errors.error(
            block.impl_token,
            "no function of this block has something to differentiate; remove #[grad]",
        );
    }
    if !errors.is_empty() {
        twins = TokenStream::new();
    }
    (siblings, functions, twins)
}

/// Methods of a block that look at their receiver, and return an error or nothing.
fn checks(block: &syn::ItemImpl) -> Vec<Ident> {
    let checks = |sig: &syn::Signature| {
        let looks = sig
            .receiver()
            .is_some_and(|r| matches!(&r.kind, syn::ReceiverKind::Reference(_, _, None)));
        let value = match &sig.output {
            syn::ReturnType::Default => None,
            syn::ReturnType::Type(_, ty) => types::value_of(ty),
        };
        looks && matches!(value, Some(syn::Type::Tuple(t)) if t.elems.is_empty())
    };
    let functions = block.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(f) if checks(&f.sig) => Some(f.sig.ident.clone()),
        _ => None,
    });
    functions.collect()
}

/// Methods of a block that look at their receiver and change nothing of what they are given, and are given no functions.
fn at_once(block: &syn::ItemImpl) -> Vec<Ident> {
    let looks = |r: &syn::Receiver| matches!(&r.kind, syn::ReceiverKind::Reference(_, _, None));
    let plain = |input: &syn::FnArg| match input {
        syn::FnArg::Receiver(r) => looks(r),
        syn::FnArg::Typed(p) => match &*p.ty {
            syn::Type::Reference(r) => {
                let list = matches!(&*r.elem, syn::Type::Slice(_) | syn::Type::Array(_));
                r.mutability.is_none() && (list || matches!(&*r.elem, syn::Type::Path(_)))
            }
            syn::Type::Path(_) | syn::Type::Array(_) => true,
            _ => false,
        },
    };
    let functions = block.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(f) => Some(&f.sig),
        _ => None,
    });
    functions
        .filter(|sig| sig.receiver().is_some() && sig.inputs.iter().all(plain))
        .filter(|sig| sig.generics.type_params().next().is_none())
        .map(|sig| sig.ident.clone())
        .collect()
}

/// Gives the lifetimes of `impl S<'_>` names, which the types of pullbacks have to mention.
fn name_lifetimes(block: &mut syn::ItemImpl) {
    let mut named = types::Named::new("of", &[]);
    named.visit_type_mut(&mut block.self_ty);
    if named.declare(&mut block.generics) {
        // Nobody wrote the name.
        let allowed = syn::parse_quote!(#[allow(unknown_lints, clippy::elidable_lifetime_names)]);
        block.attrs.push(allowed);
    }
}

/// The rule of an operator, from the function that defines it.
fn rule(
    operator: Operator,
    options: &Options,
    block: &syn::ItemImpl,
    errors: &mut Errors,
) -> TokenStream {
    let functions = block.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(f) => Some(f),
        _ => None,
    });
    let Some(f) = functions.into_iter().next() else {
        return TokenStream::new();
    };
    let output = block.items.iter().find_map(|item| match item {
        syn::ImplItem::Type(t) if t.ident == "Output" => Some(t.ty.clone()),
        _ => None,
    });
    let mut item = syn::ItemFn {
        attrs: Vec::new(),
        vis: syn::Visibility::Inherited,
        modifiers: syn::FnModifiers::default(),
        sig: f.sig.clone(),
        block: Box::new(f.block.clone()),
    };
    let opened = method::open(&mut item, None, errors);
    let operands = if operator == Operator::NEG { 1 } else { 2 };
    if !opened.receiver || opened.owned == operator.assigns() || item.sig.inputs.len() != operands {
        errors.error(
            &f.sig,
            "this is not the function of the operator; write it as the trait declares it",
        );
    }
    if !errors.is_empty() {
        return TokenStream::new();
    }
    let this = match item.sig.inputs.first() {
        Some(syn::FnArg::Typed(arg)) => arg.pat.clone(),
        _ => return TokenStream::new(),
    };
    // A sum of traits has parentheses behind a reference.
    let self_ty = match &*block.self_ty {
        sum @ syn::Type::TraitObject(_) => &syn::parse_quote!((#sum)),
        ty => ty,
    };
    if opened.owned {
        item.sig.inputs[0] = syn::parse_quote!(#this: #self_ty);
    } else {
        item.sig.inputs[0] = syn::parse_quote!(#this: &mut #self_ty);
    }
    let mut concrete = Concrete {
        self_ty,
        output: output.as_ref(),
    };
    concrete.visit_item_fn_mut(&mut item);
    let mut generics = block.generics.clone();
    generics.params.extend(item.sig.generics.params.clone());
    // The operands stand in the head of the rule, where lifetimes have names.
    let mut named = types::Named::new("of", &[]);
    for input in &mut item.sig.inputs {
        if let syn::FnArg::Typed(arg) = input {
            named.visit_type_mut(types::strip_mut(&mut arg.ty));
        }
    }
    named.declare(&mut generics);
    item.sig.generics = generics;
    let mut given = options.clone();
    given.name = Some(format_ident!("__Operator", span = Span::mixed_site()));
    let mut function = attr::function(given, item, &syn::Generics::default(), errors);
    function.hidden = true;
    let mut forms = pipeline::derivatives_of(&function, errors);
    if !errors.is_empty() {
        if !function.sound {
            return TokenStream::new();
        }
        // Who uses the operator has no error of their own.
        forms = api::declared(&function);
    }
    let rule = implementation(operator, &function);
    quote!(const _: () = { #forms #rule };)
}

/// Puts the type in the place of `Self`.
struct Concrete<'a> {
    self_ty: &'a syn::Type,
    output: Option<&'a syn::Type>,
}

impl VisitMut for Concrete<'_> {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        if let syn::Type::Path(p) = ty {
            let names: Vec<String> = p
                .path
                .segments
                .iter()
                .map(|s| s.ident.to_string())
                .collect();
            match names
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .as_slice()
            {
                [types::OWNER | "Self"] => {
                    *ty = self.self_ty.clone();
                    return;
                }
                [types::OWNER, "Output"] => {
                    if let Some(output) = self.output {
                        *ty = output.clone();
                        self.visit_type_mut(ty);
                        return;
                    }
                }
                _ => {}
            }
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_other_mut(&mut self, node: OtherMut<'_>) {
        match node {
            OtherMut::Path(path) => {
                OtherMut::Path(path).walk(self);
                let is_own = |path: &syn::Path| {
                    let first = path.segments.first();
                    first.is_some_and(|s| s.ident == types::OWNER || s.ident == "Self")
                };
                let of_output = path.segments.len() > 1 && path.segments[1].ident == "Output";
                if let (true, true, Some(output)) = (is_own(path), of_output, self.output) {
                    // It may be `Self` in turn.
                    begin_with(path, output, 2);
                }
                if is_own(path) {
                    begin_with(path, self.self_ty, 1);
                }
            }
            other => other.walk(self),
        }
    }
}

/// An operand of an operator, in the code of its rule.
struct Operand<'a> {
    info: &'a ParamInfo,
    name: Ident,
}

impl Operand<'_> {
    /// As the function takes it.
    fn passed(&self, name: &TokenStream) -> TokenStream {
        match self.info.by {
            By::Value => quote!(rt::Original(&#name).__copy()),
            By::Ref => quote!(&#name),
            By::Mut => quote!(&mut #name),
        }
    }
}

/// `impl MulRule<B> for A`
fn implementation(operator: Operator, function: &GradFn) -> TokenStream {
    let krate = function.krate();
    let name = function.type_name();
    let trait_name: String = operator
        .name
        .split('_')
        .map(|part| part[..1].to_uppercase() + &part[1..])
        .collect();
    let again_name = format_ident!("{trait_name}Again");
    let trait_name = format_ident!("{trait_name}Rule");
    let mut generics = function.item.sig.generics.clone();
    for bound in function.hidden_bounds() {
        generics.make_where_clause().predicates.push(bound);
    }
    let (impls, _, clause) = generics.split_for_impl();
    let operands: Vec<Operand<'_>> = function
        .params
        .iter()
        .zip(["a", "b"])
        .map(|(info, name)| Operand {
            info,
            name: Ident::new(name, Span::mixed_site()),
        })
        .collect();
    let mutates = operands[0].info.by == By::Mut;
    let types: Vec<_> = operands
        .iter()
        .map(|o| types::strip(&o.info.written))
        .collect();
    let written: Vec<TokenStream> = operands
        .iter()
        .map(|o| o.info.inner.to_token_stream())
        .collect();
    let flags: Vec<bool> = operands.iter().map(|o| o.info.by == By::Ref).collect();
    let result = match (&function.ret, mutates) {
        (_, true) | (None, _) => written[0].clone(),
        (Some(ret), false) => ret.to_token_stream(),
    };
    let names: Vec<&Ident> = operands.iter().map(|o| &o.name).collect();
    let kept = quote!((#(#types,)*));
    let unpack = quote!(let (#(mut #names,)*) = kept;);
    // What the caller has may be a reference to what is kept.
    let keep = operands.iter().map(|o| {
        let name = &o.name;
        let of = if o.name == "a" {
            quote!(self)
        } else {
            quote!(#name)
        };
        quote!(rt::Original(#of).__copy())
    });
    let keep: Vec<_> = keep.collect();
    let tangent = |k: usize| {
        let ty = &written[k];
        quote!(<#ty as rt::Differentiable>::Tangent)
    };
    let dy = quote!(<#result as rt::Differentiable>::Tangent);
    let shadows: Vec<Ident> = names
        .iter()
        .map(|n| format_ident!("d_{n}", span = Span::mixed_site()))
        .collect();
    let passed: Vec<TokenStream> = operands
        .iter()
        .map(|o| {
            let name = &o.name;
            o.passed(&quote!(#name))
        })
        .collect();
    let borrowed: Vec<usize> = (0..operands.len())
        .filter(|&k| operands[k].info.by != By::Value)
        .collect();
    let made = borrowed
        .iter()
        .filter(|&&k| operands[k].info.by == By::Ref)
        .map(|&k| {
            let (shadow, name) = (&shadows[k], names[k]);
            quote!(let mut #shadow = rt::zero_like(&#name);)
        });
    let made: Vec<_> = made.collect();
    let given: Vec<_> = borrowed
        .iter()
        .map(|&k| {
            let shadow = &shadows[k];
            quote!(&mut #shadow)
        })
        .collect();
    let owned: Vec<&Ident> = (0..operands.len())
        .filter(|&k| operands[k].info.by == By::Value)
        .map(|k| &shadows[k])
        .collect();
    let sweep = if mutates {
        let again: Vec<_> = borrowed
            .iter()
            .map(|&k| operands[k].passed(&names[k].to_token_stream()))
            .collect();
        let first = &shadows[0];
        quote! {
            let mut #first = rt::copy(dy);
            #(#made)*
            let (_, back) = #name::__fwd(#(#passed),*);
            let (#(#owned,)*) = back((), #(#again,)* #(#given),*);
        }
    } else {
        quote! {
            #(#made)*
            let (_, (#(#owned,)*)) = #name::__vjp(#(#passed,)* rt::copy(dy) #(, #given)*);
        }
    };
    let dots: Vec<Ident> = names
        .iter()
        .map(|n| format_ident!("dot_{n}", span = Span::mixed_site()))
        .collect();
    let fore = |k: usize| {
        let lets = (0..operands.len()).map(|j| {
            let (dot, name) = (&dots[j], names[j]);
            if j == k {
                quote!(let mut #dot = rt::copy(d);)
            } else {
                quote!(let mut #dot = rt::zero_like(&#name);)
            }
        });
        let given = operands
            .iter()
            .zip(&dots)
            .map(|(o, dot)| o.passed(&dot.to_token_stream()));
        let first = &dots[0];
        let call = quote!(#name::__jvp(#(#passed,)* #(#given),*));
        let result = if mutates {
            quote!({ #call; #first })
        } else {
            quote!(#call.1)
        };
        let copies = quote!(let (#(mut #names,)*) = (#(#keep,)*););
        quote!(#copies #(#lets)* #result)
    };
    // The sweep with tangents; what it leaves are the tangents of the cotangents.
    let dot_sweep = || {
        let dot_shadows: Vec<Ident> = shadows
            .iter()
            .map(|shadow| format_ident!("dot_{shadow}", span = Span::mixed_site()))
            .collect();
        let dotted: Vec<_> = operands
            .iter()
            .zip(&dots)
            .map(|(o, dot)| o.passed(&dot.to_token_stream()))
            .collect();
        let dot_owned = owned.iter().map(|&shadow| {
            let k = shadows.iter().position(|s| s == shadow);
            k.map(|k| &dot_shadows[k])
        });
        let dot_owned: Vec<_> = dot_owned.collect();
        let dot_given: Vec<_> = borrowed
            .iter()
            .map(|&k| {
                let shadow = &dot_shadows[k];
                quote!(&mut #shadow)
            })
            .collect();
        let dot_made = borrowed
            .iter()
            .filter(|&&k| operands[k].info.by == By::Ref)
            .map(|&k| {
                let (shadow, name) = (&dot_shadows[k], names[k]);
                quote!(let mut #shadow = rt::zero_like(&#name);)
            });
        let dot_made: Vec<_> = dot_made.collect();
        let zeros = names.iter().map(|name| quote!(rt::zero_like(&#name)));
        let before = quote! {
            #unpack
            let (#(mut #dots,)*) = dot.unwrap_or_else(|| (#(#zeros,)*));
            let dot_dy = ddy.map_or_else(|| rt::zero_like(dy), rt::copy);
        };
        let run = if mutates {
            let again = |of: &[TokenStream]| -> Vec<TokenStream> {
                borrowed.iter().map(|&k| of[k].clone()).collect()
            };
            let (again, dots_again) = (again(&passed), again(&dotted));
            let (first, dot_first) = (&shadows[0], &dot_shadows[0]);
            quote! {
                let mut #first = rt::copy(dy);
                let mut #dot_first = dot_dy;
                #(#made)*
                #(#dot_made)*
                let (_, _, back) = #name::__jvp_fwd(#(#passed,)* #(#dotted),*);
                let (_, (#(#dot_owned,)*)) = back((), (), #(#again,)* #(#dots_again,)* #(#given,)* #(#dot_given),*);
            }
        } else {
            quote! {
                #(#made)*
                #(#dot_made)*
                let (_, _, _, (#(#dot_owned,)*)) =
                    #name::__jvp_vjp(#(#passed,)* #(#dotted,)* rt::copy(dy), dot_dy #(, #given)* #(, #dot_given)*);
            }
        };
        (quote!(#before #run), dot_shadows)
    };
    // The tangents of the operands, which are what is kept of them.
    let dot_keep = |dots: &[TokenStream]| {
        let each = dots.iter().zip(&names).map(|(dot, name)| {
            let of = if *name == "a" {
                quote!(self)
            } else {
                quote!(#name)
            };
            quote!(#dot.map_or_else(|| rt::zero_like(#of), rt::copy))
        });
        quote!((#(#each,)*))
    };
    let tangents = (0..operands.len()).map(tangent);
    let dot_kept = quote!((#(#tangents,)*));
    let allowed: TokenStream = crate::forms::ALLOWED.parse().unwrap_or_default();
    let left_shadow = &shadows[0];
    let (left_tangent, fore_left) = (tangent(0), fore(0));
    let a = &written[0];
    if operands.len() == 1 {
        let again = (function.options.order > 1).then(|| {
            let (sweep, dot_shadows) = dot_sweep();
            let (keep, shadow) = (dot_keep(&[quote!(da)]), &dot_shadows[0]);
            let da = tangent(0);
            quote! {
                #allowed
                impl #impls rt::operators::#again_name<#(#flags),*> for #a #clause {
                    type LeftDot = #dot_kept;
                    #[inline]
                    fn __dot_keep_left(&self, da: ::core::option::Option<&#da>) -> #dot_kept { #keep }
                    #[inline]
                    fn dot_left(kept: #kept, dot: ::core::option::Option<#dot_kept>, dy: &#dy, ddy: ::core::option::Option<&#dy>) -> #da { #sweep #shadow }
                }
            }
        });
        return quote! {
            use #krate::__private as rt;
            #allowed
            impl #impls rt::operators::#trait_name<#(#flags),*> for #a #clause {
                type Result = #result;
                type Left = #kept;
                #[inline]
                fn __keep_left(&self) -> #kept { (#(#keep,)*) }
                #[inline]
                fn back_left(kept: #kept, dy: &#dy) -> #left_tangent { #unpack #sweep #left_shadow }
                #[inline]
                fn __fore_left(&self, d: &#left_tangent) -> #dy { #fore_left }
            }
            #again
        };
    }
    let (b, right_tangent, fore_right) = (&written[1], tangent(1), fore(1));
    let other = names[1];
    let right_shadow = &shadows[1];
    let again = (function.options.order > 1).then(|| {
        let (sweep, dot_shadows) = dot_sweep();
        let keep = dot_keep(&[quote!(da), quote!(db)]);
        let (dot_left, dot_right) = (&dot_shadows[0], &dot_shadows[1]);
        let tangents = quote!(da: ::core::option::Option<&#left_tangent>, db: ::core::option::Option<&#right_tangent>);
        let given = quote!(kept: #kept, dot: ::core::option::Option<#dot_kept>, dy: &#dy, ddy: ::core::option::Option<&#dy>);
        quote! {
            #allowed
            impl #impls rt::operators::#again_name<#b, #(#flags),*> for #a #clause {
                type LeftDot = #dot_kept;
                type RightDot = #dot_kept;
                #[inline]
                fn __dot_keep_left(&self, #other: &#b, #tangents) -> #dot_kept { #keep }
                #[inline]
                fn __dot_keep_right(&self, #other: &#b, #tangents) -> #dot_kept { #keep }
                #[inline]
                fn dot_left(#given) -> #left_tangent { #sweep #dot_left }
                #[inline]
                fn dot_right(#given) -> #right_tangent { #sweep #dot_right }
            }
        }
    });
    quote! {
        use #krate::__private as rt;
        #allowed
        impl #impls rt::operators::#trait_name<#b, #(#flags),*> for #a #clause {
            type Result = #result;
            type Left = #kept;
            type Right = #kept;
            #[inline]
            fn __keep_left(&self, #other: &#b) -> #kept { (#(#keep,)*) }
            #[inline]
            fn __keep_right(&self, #other: &#b) -> #kept { (#(#keep,)*) }
            #[inline]
            fn back_left(kept: #kept, dy: &#dy) -> #left_tangent { #unpack #sweep #left_shadow }
            #[inline]
            fn back_right(kept: #kept, dy: &#dy) -> #right_tangent { #unpack #sweep #right_shadow }
            #[inline]
            fn __fore_left(&self, #other: &#b, d: &#left_tangent) -> #dy { #fore_left }
            #[inline]
            fn __fore_right(&self, #other: &#b, d: &#right_tangent) -> #dy { #fore_right }
        }
        #again
    }
}
