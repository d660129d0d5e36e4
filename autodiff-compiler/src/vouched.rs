//! Types that are vouched for: where one has no derivative, a constant says so, and nothing else does.
//!
//! What stands for the type is the type itself if the constant could be computed; else it is what rustc takes without another error.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use crate::analysis::Activity;
use crate::emit::located_at;
use crate::function::{GradFn, Options, OwnType, Uses, Vouched};
use crate::ir::{self, Func, Kind, Param, Step, Ty};
use crate::marks;
use crate::types;
use crate::visit_mut::{self, VisitMut};

/// The function with such types in its signature, and what vouches for them.
///
/// Where the graph is known, so is what derivatives do with a parameter of such a type.
pub(crate) fn vouched(function: &GradFn, graph: Option<(&Func, &Activity)>) -> GradFn {
    let beside = matches!(function.options.vouched, Vouched::Own | Vouched::Others);
    let (mut of_block, mut alone) = (function.options.own_types.borrow_mut(), Vec::new());
    let mut vouch = Vouch {
        function,
        beside,
        of: if beside { &mut of_block } else { &mut alone },
    };
    let mut out = function.clone();
    for (k, p) in out.params.iter_mut().enumerate() {
        if !p.active || !p.tangible || p.callable.is_some() {
            continue;
        }
        let itself = match &p.inner {
            syn::Type::Path(ty) if !types::is_transparent(ty) => vouch.known(ty),
            _ => None,
        };
        let own = matches!(&p.inner, syn::Type::Path(ty) if vouch.is_own(ty));
        match (itself, graph) {
            (Some(of), Some((func, activity))) => {
                vouch.of[of].uses.read(func, activity, func.params[k]);
            }
            (None, Some((func, activity))) if own => {
                let mut uses = function.options.uses.borrow_mut();
                uses.read(func, activity, func.params[k]);
            }
            _ => {}
        }
        vouch.visit_type_mut(&mut p.inner);
        vouch.visit_type_mut(&mut p.passed);
        vouch.visit_type_mut(&mut p.again);
    }
    if let Some(ret) = &mut out.ret {
        vouch.visit_type_mut(ret);
    }
    out.vouched = items(&alone);
    out
}

/// What vouches for each.
fn items(types: &[OwnType]) -> TokenStream {
    let items = types.iter().enumerate().map(|(k, of)| {
        let name = format!("{}{k}", types::VOUCHED);
        item(&name, &of.closed, &of.uses)
    });
    items.collect()
}

impl Uses {
    fn read(&mut self, func: &Func, activity: &Activity, param: Param) {
        let mut see = |op: &ir::Op| {
            let active = op
                .args
                .iter()
                .chain(&op.results)
                .any(|&v| activity.value(v));
            for path in op.paths() {
                if Param::Place(path.root) != param {
                    continue;
                }
                match path.steps.first() {
                    None if matches!(op.kind, Kind::Walked(_)) => {
                        self.walked.get_or_insert(op.span);
                    }
                    Some(Step::Index(at)) if active && matches!(func.ty(*at), Ty::Int) => {
                        self.indexed = true;
                    }
                    _ => {}
                }
            }
        };
        for op in &func.body.ops {
            op.walk(&mut see);
        }
    }
}

/// Whether the type of a block is vouched for, beside those of its signatures: what its parameters stand for is known, and a method of the block needs its derivative.
pub(crate) fn own(options: &Options, block: &syn::ItemImpl) -> Vouched {
    let needs = |item: &syn::ImplItem| {
        let syn::ImplItem::Fn(f) = item else {
            return false;
        };
        let constant = |r: &syn::Receiver| r.attrs.iter().any(|a| a.path().is_ident("constant"));
        let mut marks = f.attrs.iter().filter(|a| marks::is_grad(a.path()));
        // Options may say that the receiver is none of the variables.
        let plain = marks.all(|a| matches!(a.meta, syn::Meta::Path(_)));
        plain && types::worthwhile(&f.sig) && f.sig.receiver().is_some_and(|r| !constant(r))
    };
    let needed = options.wrt.is_none() && block.items.iter().any(needs);
    if needed && types::closed(&block.self_ty, &block.generics).is_some() {
        Vouched::Own
    } else {
        Vouched::Others
    }
}

/// What vouches for the type of a block and those of its signatures, once it is known what derivatives do with them.
pub(crate) fn of_block(options: &Options, ty: &syn::Type, generics: &syn::Generics) -> TokenStream {
    let own = (options.vouched == Vouched::Own).then_some(ty);
    let closed = own.and_then(|ty| types::closed(ty, generics));
    let own = closed.map(|ty| item(types::VOUCHED, &ty, &options.uses.borrow()));
    let others = items(&options.own_types.borrow());
    quote!(#own #others)
}

/// What makes rustc look at a type, and say so there if it has no derivative.
fn item(name: &str, ty: &syn::Type, uses: &Uses) -> TokenStream {
    let (name, span) = (format_ident!("{name}"), types::span_of(ty));
    let ty = located_at(types::lasting(ty).into_token_stream(), span);
    let tangent = quote_spanned!(span=> let _ = <#ty as rt::Differentiable>::zero_tangent;);
    // What is asked of the tangent is asked of what has one.
    let used = |span: Span, rule: TokenStream| {
        let span = span.resolved_at(Span::mixed_site());
        let rule = located_at(rule, span);
        quote_spanned!(span=> let _ = |v: &rt::Vouched<{ #tangent true }, #ty>| #rule(v);)
    };
    let asked = match *uses {
        Uses {
            walked: Some(at), ..
        } => used(at, quote!(rt::walked)),
        Uses { indexed: true, .. } => used(span, quote!(rt::Indexed(0).of)),
        Uses { .. } => tangent,
    };
    quote_spanned! {span=>
        #[allow(dead_code)]
        type #name<__T> = rt::Vouched<{ #asked true }, __T>;
    }
}

struct Vouch<'a> {
    function: &'a GradFn,
    /// It is a method whose block has a place for what vouches.
    beside: bool,
    of: &'a mut Vec<OwnType>,
}

impl Vouch<'_> {
    /// A type of the user's own with what stands for its parameters.
    fn closed(&self, ty: &syn::TypePath) -> Option<syn::Type> {
        let whole = syn::Type::Path(ty.clone());
        let generics = &self.function.item.sig.generics;
        let first = ty.path.segments.first();
        let parameter = |name: &Ident| first.is_some_and(|first| first.ident == *name);
        // Beside a block nothing of it has a name.
        let text = ty.to_token_stream();
        let block = [types::OWNER, "Self"].map(|name| Ident::new(name, Span::call_site()));
        let of_block = types::named(&self.function.outer).chain(&block);
        let hidden = self.beside
            && of_block
                .into_iter()
                .any(|name| types::mentions(&text, name));
        let own = types::read(&whole).is_user()
            && ty.qself.is_none()
            && !types::is_transparent(ty)
            && !types::named(generics).any(parameter)
            && !hidden;
        own.then(|| types::closed(&whole, generics)).flatten()
    }

    /// Whether it is the type of the block, which is vouched for beside it.
    fn is_own(&self, ty: &syn::TypePath) -> bool {
        let own = self.function.method.is_some() && self.function.options.vouched == Vouched::Own;
        own && ty.path.is_ident(types::OWNER)
    }

    /// Which of those that are vouched for it is.
    fn known(&mut self, ty: &syn::TypePath) -> Option<usize> {
        let all = self.function.method.is_none()
            || self.beside
            || self.function.options.vouched == Vouched::All;
        let closed = all.then(|| self.closed(ty)).flatten()?;
        let ty = syn::Type::Path(ty.clone());
        let known = self.of.iter().position(|of| of.ty == ty);
        Some(known.unwrap_or_else(|| {
            let uses = Uses::default();
            self.of.push(OwnType { ty, closed, uses });
            self.of.len() - 1
        }))
    }

    /// The name of what vouches for it.
    fn name(&mut self, ty: &syn::TypePath) -> Option<String> {
        if self.is_own(ty) {
            return Some(types::VOUCHED.to_owned());
        }
        let known = self.known(ty)?;
        Some(format!("{}{known}", types::VOUCHED))
    }
}

impl VisitMut for Vouch<'_> {
    fn visit_type_path_mut(&mut self, ty: &mut syn::TypePath) {
        match self.name(ty) {
            Some(name) => {
                let name = format_ident!("{name}");
                *ty = syn::parse_quote!(#name<#ty>);
            }
            // What else holds a type may ask for something else of it.
            None if types::is_transparent(ty) => visit_mut::visit_type_path_mut(self, ty),
            None => {}
        }
    }
}
