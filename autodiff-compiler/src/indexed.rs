//! Types of one's own with an index.
//!
//! With several parts, `m[(i, j)]`, it is a method that `#[grad] impl Index<(usize, usize)>` defines.
//! With one, `v[i]` cannot be told from an element of an array: the tangent of the type has the same index.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Expr, Pat, Stmt, parse_quote};

use crate::api;
use crate::errors::Errors;
use crate::facts;
use crate::forms::{reader, writer};
use crate::syntax::peel as unparen;
use crate::types;
use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{self, VisitMut};

/// The function that an `impl` of `Index` or `IndexMut` defines, as one of the type's own; none for other traits, and where what is there is no number.
pub(crate) fn function(path: &syn::Path, block: &syn::ItemImpl) -> Option<syn::ImplItemFn> {
    let of = path.segments.last()?;
    let writes = writes(path)?;
    let syn::PathArguments::AngleBracketed(args) = &of.arguments else {
        return None;
    };
    let Some(syn::GenericArgument::Type(syn::Type::Tuple(parts))) = args.args.first() else {
        return None;
    };
    let mut f = block.items.iter().find_map(|item| match item {
        syn::ImplItem::Fn(f) => Some(f.clone()),
        _ => None,
    })?;
    let syn::ReturnType::Type(_, ty) = &f.sig.output else {
        return None;
    };
    let syn::Type::Reference(output) = &**ty else {
        return None;
    };
    let output = output.elem.clone();
    // What `IndexMut` gives, `Index` may know alone.
    let number = types::read(&output).is_scalar()
        || is_parameter(&output, &block.generics)
        || writes && matches!(&*output, syn::Type::Path(p) if p.qself.is_some());
    if !number || f.sig.inputs.len() != 2 {
        return None;
    }
    let Some(Stmt::Expr(tail, None)) = f.block.stmts.last_mut() else {
        return None;
    };
    let place: Expr = match &*tail {
        Expr::Reference(r) => (*r.expr).clone(),
        e => parse_quote!(*(#e)),
    };
    if writes {
        *tail = parse_quote!(#place = value);
        f.sig.inputs.push(parse_quote!(value: #output));
        f.sig.output = syn::ReturnType::Default;
        f.sig.ident = writer(parts.elems.len(), Span::call_site());
    } else {
        *tail = place;
        f.sig.output = parse_quote!(-> #output);
        f.sig.ident = reader(parts.elems.len(), Span::call_site());
    }
    f.attrs.push(parse_quote!(#[doc(hidden)]));
    f.attrs
        .push(parse_quote!(#[allow(dead_code, non_snake_case)]));
    f.vis = parse_quote!(pub);
    Some(f)
}

/// Whether it is `IndexMut`; none for traits other than this and `Index`.
fn writes(path: &syn::Path) -> Option<bool> {
    match path.segments.last()?.ident.to_string().as_str() {
        "Index" => Some(false),
        "IndexMut" => Some(true),
        _ => None,
    }
}

/// The same index for the tangent of the type, which has the same fields; none for traits other than `Index` and `IndexMut`.
///
/// A tangent is always added to, so `Index` is what both are made of, and `IndexMut` has nothing to add.
pub(crate) fn of_tangent(
    path: &syn::Path,
    block: &syn::ItemImpl,
    errors: &mut Errors,
) -> Option<TokenStream> {
    if writes(path)? {
        return Some(TokenStream::new());
    }
    let mut open = block.clone();
    let syn::Type::Path(ty) = &mut *open.self_ty else {
        return None;
    };
    let last = ty.path.segments.last_mut()?;
    let name = last.ident.clone();
    last.ident = format_ident!("{name}Tangent");
    if let syn::PathArguments::AngleBracketed(args) = &mut last.arguments {
        let kept = args.args.iter().filter(|arg| !is_lifetime(arg)).cloned();
        args.args = kept.collect();
    }
    let parameters = open.generics.params.into_iter();
    let parameters = parameters.filter(|p| !matches!(p, syn::GenericParam::Lifetime(_)));
    open.generics.params = parameters.collect();
    let names: Vec<Ident> = open
        .generics
        .type_params()
        .map(|t| t.ident.clone())
        .collect();
    let clause = open.generics.make_where_clause();
    for name in names {
        clause
            .predicates
            .push(parse_quote!(#name: rt::Differentiable));
    }
    let mut changing = open.clone();
    let (of, _) = changing.trait_.as_mut()?;
    // The user may have imported `Index` alone.
    let by = &of.segments.last()?.arguments;
    *of = parse_quote!(::core::ops::IndexMut #by);
    changing
        .items
        .retain(|item| matches!(item, syn::ImplItem::Fn(_)));
    for item in &mut open.items {
        match item {
            syn::ImplItem::Type(output) => {
                output.ty = syn::parse2(api::view(&output.ty)).ok()?;
            }
            syn::ImplItem::Fn(f) => {
                Constants { errors }.visit_block(&f.block);
                OfTangent { name: &name }.visit_block_mut(&mut f.block);
                f.sig.output = parse_quote!(-> &Self::Output);
            }
            _ => {}
        }
    }
    for item in &mut changing.items {
        let syn::ImplItem::Fn(f) = item else { continue };
        OfTangent { name: &name }.visit_block_mut(&mut f.block);
        Changing.visit_block_mut(&mut f.block);
        f.sig.ident = Ident::new("index_mut", Span::call_site());
        *f.sig.inputs.first_mut()? = parse_quote!(&mut self);
        f.sig.output = parse_quote!(-> &mut Self::Output);
    }
    if !errors.is_empty() {
        return Some(TokenStream::new());
    }
    Some(quote! {
        #[automatically_derived]
        #open
        #[automatically_derived]
        #changing
    })
}

fn is_lifetime(arg: &syn::GenericArgument) -> bool {
    matches!(arg, syn::GenericArgument::Lifetime(_))
}

/// Makes of code for a value what it is for a tangent.
struct OfTangent<'a> {
    /// The name of the type.
    name: &'a Ident,
}

impl VisitMut for OfTangent<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        // What is asserted of constants has been asserted of the value.
        block.stmts.retain(|stmt| match stmt {
            Stmt::Macro(m) => !asserts(&m.mac),
            Stmt::Expr(Expr::Macro(m), _) => !asserts(&m.mac),
            _ => true,
        });
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        let path = match pat {
            Pat::Struct(p) => Some(&mut p.path),
            Pat::TupleStruct(p) => Some(&mut p.path),
            _ => None,
        };
        if let Some(path) = path.filter(|path| path.is_ident(self.name)) {
            *path = parse_quote!(Self);
        }
        visit_mut::visit_pat_mut(self, pat);
    }
}

/// Makes of code that reaches a part by a shared reference what reaches it by a mutable one.
struct Changing;

impl VisitMut for Changing {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        // What an index reads of the part is read before that is borrowed.
        if matches!(e, Expr::Reference(_) | Expr::MethodCall(_)) {
            let mut before = Vec::new();
            if let Some(name) = facts::root(e) {
                read_before(e, &name, &mut before);
            }
            if !before.is_empty() {
                self.visit_expr_mut(e);
                *e = parse_quote!({ #(#before)* #e });
                return;
            }
        }
        match e {
            Expr::Reference(r) => r.mutability = Some(<syn::Token![mut]>::default()),
            Expr::MethodCall(m) => {
                if let Some((_, changing)) = CHANGING.iter().find(|(name, _)| m.method == name) {
                    m.method = Ident::new(changing, m.method.span());
                }
                return self.visit_expr_mut(&mut m.receiver);
            }
            // What stands in brackets is read.
            Expr::Index(i) => return self.visit_expr_mut(&mut i.expr),
            _ => {}
        }
        visit_mut::visit_expr_mut(self, e);
    }
}

/// Takes what names the variable out of the indices and arguments on the way to a part of it.
fn read_before(e: &mut Expr, name: &str, before: &mut Vec<Stmt>) {
    let mut take = |e: &mut Expr| {
        if !matches!(e, Expr::Closure(_)) && facts::mentions(e, &|other| other == name) {
            let at = Ident::new(&format!("at_{}", before.len()), Span::mixed_site());
            before.push(parse_quote!(let #at = #e;));
            *e = parse_quote!(#at);
        }
    };
    match e {
        Expr::Index(i) => {
            take(&mut i.index);
            read_before(&mut i.expr, name, before);
        }
        Expr::MethodCall(m) => {
            m.args.iter_mut().for_each(take);
            read_before(&mut m.receiver, name, before);
        }
        Expr::Field(f) => read_before(&mut f.base, name, before),
        Expr::Group(g) => read_before(&mut g.expr, name, before),
        Expr::Paren(p) => read_before(&mut p.expr, name, before),
        Expr::Reference(r) => read_before(&mut r.expr, name, before),
        Expr::Unary(u) => read_before(&mut u.expr, name, before),
        _ => {}
    }
}

/// Methods, and their siblings for mutable references.
const CHANGING: &[(&str, &str)] = &[
    ("as_ref", "as_mut"),
    ("as_slice", "as_mut_slice"),
    ("first", "first_mut"),
    ("get", "get_mut"),
    ("index", "index_mut"),
    ("iter", "iter_mut"),
    ("last", "last_mut"),
    ("split_at", "split_at_mut"),
];

fn asserts(mac: &syn::Macro) -> bool {
    let name = mac.path.segments.last().map(|s| s.ident.to_string());
    name.is_some_and(|name| name.contains("assert"))
}

/// Refuses what a tangent does not have: constants, and methods.
struct Constants<'a> {
    errors: &'a mut Errors,
}

impl Constants<'_> {
    /// What a place is reached by: only what stands in brackets is read.
    fn place(&mut self, e: &Expr) {
        match unparen(e) {
            Expr::Field(f) => self.place(&f.base),
            Expr::Index(i) => {
                self.place(&i.expr);
                self.visit_expr(&i.index);
            }
            Expr::Unary(u) => self.place(&u.expr),
            Expr::Reference(r) => self.place(&r.expr),
            Expr::MethodCall(m) if !is_self(&m.receiver) => {
                self.place(&m.receiver);
                m.args.iter().for_each(|arg| self.visit_expr(arg));
            }
            Expr::Path(_) => {}
            e => self.visit_expr(e),
        }
    }
}

impl Visit<'_> for Constants<'_> {
    fn visit_expr(&mut self, e: &Expr) {
        match e {
            Expr::Reference(r) => self.place(&r.expr),
            Expr::Index(_) => self.place(e),
            Expr::MethodCall(m) if !is_self(&m.receiver) => self.place(e),
            Expr::Field(_) | Expr::MethodCall(_) if root_is_self(e) => self.errors.error(
                e,
                "the tangent of this type is indexed in the same way, and has neither constants nor methods; index by several numbers, `m[(i, j)]`, or write a #[grad] method in place of `Index`",
            ),
            e => visit::visit_expr(self, e),
        }
    }
}

fn is_self(e: &Expr) -> bool {
    matches!(unparen(e), Expr::Path(p) if p.path.is_ident("self"))
}

fn root_is_self(e: &Expr) -> bool {
    match unparen(e) {
        Expr::Field(f) => root_is_self(&f.base),
        Expr::MethodCall(m) => root_is_self(&m.receiver),
        e => is_self(e),
    }
}

fn is_parameter(ty: &syn::Type, generics: &syn::Generics) -> bool {
    let syn::Type::Path(p) = ty else { return false };
    generics
        .type_params()
        .any(|param| p.path.is_ident(&param.ident))
}
