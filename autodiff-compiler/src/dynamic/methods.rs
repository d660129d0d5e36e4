//! Methods with `#[grad(dynamic)]`.
//!
//! Where the type of the block has floats in it, its functions stand once more in a block for the type with variables in their place.
//! Elsewhere the type stays what it is, and the function of variables is one of its siblings.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::variables::Variables;
use crate::errors::Errors;
use crate::function::{FunctionOfBlock, GradFn, Owner};
use crate::marks;
use crate::types;
use crate::visit_mut::{self, EnterMut as _, VisitMut};

impl Owner {
    /// Of a block, if some function of it is dynamic; `all` says that every one is.
    pub(crate) fn of(block: &syn::ItemImpl, all: bool) -> Option<Owner> {
        let functions = block.items.iter().filter_map(|item| match item {
            syn::ImplItem::Fn(f) if all || is_marked(f) => Some(FunctionOfBlock {
                name: f.sig.ident.clone(),
                receiver: f.sig.receiver().is_some(),
            }),
            _ => None,
        });
        let functions: Vec<FunctionOfBlock> = functions.collect();
        (!functions.is_empty()).then(|| Owner {
            ty: (*block.self_ty).clone(),
            functions,
        })
    }
}

/// Whether a function of a block is dynamic, whatever the block is.
fn is_marked(f: &syn::ImplItemFn) -> bool {
    let dynamic = Ident::new("dynamic", Span::call_site());
    let mut marks = f.attrs.iter().filter(|a| marks::is_grad(a.path()));
    marks.any(|mark| matches!(&mark.meta, syn::Meta::List(list) if types::mentions(&list.tokens, &dynamic)))
}

/// Whether variables are put into the type of the block.
pub(crate) fn is_lifted(function: &GradFn) -> bool {
    let owner = function.options.owner.as_ref();
    owner.is_some_and(|owner| types::mentions(&owner.ty.to_token_stream(), &super::float(function)))
}

/// Whether a type of the signature is that of the block, or has it in it.
pub(super) fn is_of_owner(ty: &impl ToTokens) -> bool {
    let owner = Ident::new(types::OWNER, Span::call_site());
    types::mentions(&ty.to_token_stream(), &owner)
}

/// What the signature has in it beside what is written there: the type of the block.
pub(super) fn hidden_type(function: &GradFn) -> TokenStream {
    let owner = function.options.owner.as_ref();
    let shown = is_of_owner(&function.item.sig);
    owner
        .filter(|_| shown)
        .map_or(TokenStream::new(), |owner| owner.ty.to_token_stream())
}

/// The path of the function of variables.
pub(crate) fn entry(function: &GradFn) -> TokenStream {
    let Some(owner) = function
        .options
        .owner
        .as_ref()
        .filter(|_| is_lifted(function))
    else {
        return quote!(Self::__on_variables);
    };
    let float = super::float(function);
    let mut ty = owner.ty.clone();
    Variables::new(float.clone(), nobody())
        .of_any_tape()
        .visit_type_mut(&mut ty);
    let name = &function.item.sig.ident;
    let receiver = function.method.is_some_and(|m| m.receiver);
    if receiver && !is_generic(&function.outer, &float) {
        return quote!(<#ty>::#name);
    }
    let name = other_name(name);
    quote!(<#ty>::#name)
}

/// A function that nothing calls.
fn nobody() -> Ident {
    Ident::new("__nobody", Span::mixed_site())
}

/// A block for any floats is one for variables in the eyes of rustc, so its functions need other names there.
/// So do those without a receiver everywhere: `Model::new(…)` would be one or the other.
fn is_generic(generics: &syn::Generics, float: &Ident) -> bool {
    generics.type_params().any(|t| t.ident == *float)
}

fn other_name(function: &Ident) -> Ident {
    let plain = function.to_string().replace("r#", "");
    format_ident!("__on_variables_{plain}", span = function.span())
}

/// The functions of a block for the type with variables, if floats stand in it.
pub(crate) fn block(
    block: &syn::ItemImpl,
    owner: &Owner,
    krate: &TokenStream,
    errors: &mut Errors,
) -> TokenStream {
    let Some(float) = float_of(block) else {
        return TokenStream::new();
    };
    let own = twin(block, owner, &float, None);
    // A trait of floats has one of variables.
    let of_trait = block
        .trait_
        .as_ref()
        .filter(|(path, _)| types::mentions(&path.to_token_stream(), &float));
    if let (Some((path, _)), true) = (of_trait, is_generic(&block.generics, &float)) {
        errors.error(
            path,
            format_args!("a trait's block for every `{float}` cannot have one for variables beside it; write it for `f64`"),
        );
        return TokenStream::new();
    }
    let of_trait = of_trait.map(|of_trait| twin(block, owner, &float, Some(of_trait.clone())));
    beside(krate, &quote!(#[doc(hidden)] #own #of_trait))
}

/// The operator for the type with variables, if floats stand in it.
pub(crate) fn operator(block: &syn::ItemImpl, krate: &TokenStream) -> TokenStream {
    let (Some(float), Some(owner)) = (float_of(block), Owner::of(block, true)) else {
        return TokenStream::new();
    };
    let twin = twin(block, &owner, &float, block.trait_.clone());
    beside(krate, &twin.into_token_stream())
}

fn beside(krate: &TokenStream, items: &TokenStream) -> TokenStream {
    let allowed: TokenStream = crate::forms::ALLOWED.parse().unwrap_or_default();
    quote! {
        #allowed
        const _: () = {
            use #krate::__private as rt;
            #items
        };
    }
}

/// The type of floats in the type of a block.
fn float_of(block: &syn::ItemImpl) -> Option<Ident> {
    let generic = block.generics.type_params().map(|t| t.ident.clone());
    let generic = generic.filter(|t| super::is_float(&block.generics, t));
    let known = ["f64", "f32"].map(|name| Ident::new(name, Span::call_site()));
    let ty = block.self_ty.to_token_stream();
    generic.chain(known).find(|name| types::mentions(&ty, name))
}

/// The block for variables, as one of a trait or of the type alone.
fn twin(
    block: &syn::ItemImpl,
    owner: &Owner,
    float: &Ident,
    of_trait: Option<(syn::Path, syn::Token![for])>,
) -> syn::ItemImpl {
    let is_generic = is_generic(&block.generics, float);
    let functions = owner
        .functions
        .iter()
        .filter(|f| of_trait.is_none() && (is_generic || !f.receiver));
    let mut calls = Calls {
        this: "self".to_owned(),
        ty: owner.ident(),
        functions: functions.map(|f| f.name.clone()).collect(),
    };
    let mut twin = block.clone();
    twin.attrs.clear();
    twin.items.retain(|item| match item {
        syn::ImplItem::Fn(f) => owner.functions.iter().any(|g| g.name == f.sig.ident),
        // Constants stay numbers.
        syn::ImplItem::Const(_) => of_trait.is_some() || !is_generic,
        _ => of_trait.is_some(),
    });
    twin.trait_ = of_trait;
    calls.visit_item_impl_mut(&mut twin);
    let mut bounds = vec![without_bounds(&mut twin.generics, float)];
    for item in &mut twin.items {
        if let syn::ImplItem::Fn(f) = item {
            f.attrs.retain(|a| !marks::is_grad(a.path()));
            f.sig.inputs.iter_mut().for_each(marks::strip);
            marks::Strip::default().visit_block_mut(&mut f.block);
            if twin.trait_.is_some() {
                f.vis = syn::Visibility::Inherited;
            }
            if calls.functions.contains(&f.sig.ident) {
                f.sig.ident = other_name(&f.sig.ident);
            }
            bounds.push(without_bounds(&mut f.sig.generics, float));
        }
    }
    Variables::new(float.clone(), nobody()).implementation(&mut twin);
    let functions = twin.items.iter_mut().filter_map(|item| match item {
        syn::ImplItem::Fn(f) => Some(&mut f.sig.generics),
        _ => None,
    });
    for (generics, bounds) in std::iter::once(&mut twin.generics)
        .chain(functions)
        .zip(bounds)
    {
        if !bounds.is_empty() {
            generics.make_where_clause().predicates.extend(bounds);
        }
    }
    twin
}

/// Takes the bounds of the float out of the `where` clause: they are none of variables.
fn without_bounds(generics: &mut syn::Generics, float: &Ident) -> Vec<syn::WherePredicate> {
    let Some(clause) = &mut generics.where_clause else {
        return Vec::new();
    };
    let all = std::mem::take(&mut clause.predicates).into_iter();
    let of_float = |p: &syn::WherePredicate| matches!(p, syn::WherePredicate::Type(p) if matches!(&p.bounded_ty, syn::Type::Path(t) if t.path.is_ident(float)));
    let (bounds, others) = all.partition(of_float);
    let others: Vec<syn::WherePredicate> = others;
    clause.predicates.extend(others);
    if clause.predicates.is_empty() {
        generics.where_clause = None;
    }
    bounds
}

/// In the body of a function of variables whose type stays what it is, calls of those of its block go to the functions of variables.
pub(super) fn calls_of(function: &GradFn) -> Calls {
    let this = function.params.first().map(|p| p.name.to_string());
    let (ty, functions) = match &function.options.owner {
        Some(owner) => (
            owner.ident(),
            owner.functions.iter().map(|f| f.name.clone()).collect(),
        ),
        None => (None, vec![function.item.sig.ident.clone()]),
    };
    Calls {
        this: this.unwrap_or_default(),
        ty,
        functions,
    }
}

/// Calls functions of the block by the names of those of variables.
pub(super) struct Calls {
    /// What the receiver is called.
    this: String,
    /// The name of the type.
    ty: Option<Ident>,
    functions: Vec<Ident>,
}

impl VisitMut for Calls {
    fn visit_expr_method_call_mut(&mut self, call: &mut syn::ExprMethodCall) {
        visit_mut::visit_expr_method_call_mut(self, call);
        let on_this = matches!(&*call.receiver, syn::Expr::Path(p) if p.path.get_ident().is_some_and(|name| *name == self.this));
        if on_this && self.functions.contains(&call.method) {
            call.method = other_name(&call.method);
        }
    }

    fn visit_expr_path_mut(&mut self, path: &mut syn::ExprPath) {
        let segments = &mut path.path.segments;
        if segments.len() != 2 {
            return;
        }
        let first = &segments[0].ident;
        let of_owner = first == "Self" || first == types::OWNER || self.ty.as_ref() == Some(first);
        if of_owner && self.functions.contains(&segments[1].ident) {
            segments[1].ident = other_name(&segments[1].ident);
        }
    }
}
