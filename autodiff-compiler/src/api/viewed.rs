//! Parameters that are views: derivatives of callers have a copy of what a view shows, because pullbacks outlive it, and that is what hidden forms take.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::Pieces;
use crate::forms::{JVP_LANES, JVP_LANES_MUT, LANES_FORM, LEAVING, is_called};
use crate::function::{By, ParamInfo};
use crate::types;
use crate::visit_mut::{self, VisitMut};

/// Whether hidden forms take what the parameter shows.
fn is_taken(p: &ParamInfo) -> bool {
    let ty = match types::strip(&p.written) {
        syn::Type::Reference(r) => &r.elem,
        ty => ty,
    };
    p.by != By::Mut && types::is_view(ty)
}

/// Whether it has such parameters: calls of its derivatives have no derivatives then.
pub(super) fn has_views(pieces: &Pieces<'_>) -> bool {
    pieces.params().any(|(_, p)| is_taken(p))
}

/// The derivatives of a function with hidden forms that take what views show.
pub(super) fn taken(pieces: &Pieces<'_>, derivatives: TokenStream) -> TokenStream {
    let mut views = Views {
        names: (pieces.names.iter().map(ToString::to_string)).collect(),
        taken: pieces.params().map(|(_, p)| is_taken(p)).collect(),
        lent: pieces.params().map(|(_, p)| p.by == By::Ref).collect(),
        again: pieces.function.options.own.is_constant().then(|| {
            let taken = pieces.params().filter(|(_, p)| is_taken(p));
            let views = taken.map(|(name, p)| {
                let lent = (p.by == By::Ref).then(|| quote!(&));
                let view = match types::strip(&p.written) {
                    syn::Type::Reference(r) => types::view_of(&r.elem, name),
                    ty => types::view_of(ty, name),
                };
                syn::parse_quote!(let #name = #lent #view;)
            });
            views.collect()
        }),
    };
    // The user's own derivatives are given what the user writes.
    if !views.taken.contains(&true) || pieces.function.options.own.is_called() {
        return derivatives;
    }
    views.items(derivatives)
}

/// Which parameters are views.
struct Views {
    names: Vec<String>,
    taken: Vec<bool>,
    /// Which of them are lent.
    lent: Vec<bool>,
    /// What makes them again, for the function itself, where that is called.
    again: Option<Vec<syn::Stmt>>,
}

/// Whether callers, or forms that callers call, give the form the arguments of the function.
fn is_given(form: &str) -> bool {
    let others = [
        "__vjp",
        "__passed",
        LANES_FORM,
        JVP_LANES,
        JVP_LANES_MUT,
        LEAVING,
    ];
    is_called(form) && form != "__value" || form.starts_with("__jvp") || others.contains(&form)
}

/// `ArrayView1<f64>`  ⇒  `Array1<f64>`
fn show(ty: &mut syn::Type) {
    match ty {
        syn::Type::Reference(r) => show(&mut r.elem),
        ty => *ty = syn::parse_quote!(<#ty as rt::linalg::Viewed>::Shown),
    }
}

impl Views {
    fn items(&mut self, items: TokenStream) -> TokenStream {
        let parsed = syn::parse2::<syn::ItemImpl>(quote!(impl __S { #items }));
        let Ok(parsed) = parsed else {
            return items;
        };
        let items = parsed.items.into_iter().map(|mut item| {
            match &mut item {
                syn::ImplItem::Fn(f) => {
                    self.function(f);
                    // What it is given is what it gives.
                    if !is_given(&f.sig.ident.to_string()) || self.again.is_some() {
                        self.visit_block_mut(&mut f.block);
                    }
                }
                // What needs a heap.
                syn::ImplItem::Macro(m) => m.mac.tokens = self.items(m.mac.tokens.clone()),
                _ => {}
            }
            item.into_token_stream()
        });
        items.collect()
    }

    fn function(&self, f: &mut syn::ImplItemFn) {
        let form = f.sig.ident.to_string();
        let zero = form.strip_prefix("__zero_");
        let zero = zero.and_then(|k| k.trim_start_matches("of_").parse().ok());
        if zero.is_some_and(|k: usize| self.taken.get(k) == Some(&true)) {
            if let Some(syn::FnArg::Typed(arg)) = f.sig.inputs.last_mut() {
                // That of the view is that of what it shows.
                if let syn::ReturnType::Type(_, tangent) = &f.sig.output {
                    *arg.ty = syn::parse_quote!(&impl rt::Differentiable<Tangent = #tangent>);
                }
            }
        } else if is_given(&form) {
            for input in &mut f.sig.inputs {
                if let syn::FnArg::Typed(arg) = input {
                    self.argument(&arg.pat, &mut arg.ty);
                }
            }
            let again = self.again.iter().flatten();
            f.block.stmts.splice(0..0, again.cloned());
        }
    }

    /// What a form is given where there is a view.
    fn give(&self, k: usize, arg: &mut syn::Expr) {
        *arg = if self.lent[k] {
            syn::parse_quote!(&rt::linalg::Viewed::__shown(::core::clone::Clone::clone(#arg)))
        } else {
            syn::parse_quote!(rt::linalg::Viewed::__shown(#arg))
        };
    }

    /// The type of an argument, which may be all of them as a tuple.
    fn argument(&self, pat: &syn::Pat, ty: &mut syn::Type) {
        match (pat, ty) {
            (syn::Pat::Ident(name), ty) => {
                let name = name.ident.to_string();
                let found = self.names.iter().position(|known| *known == name);
                if found.is_some_and(|k| self.taken[k]) {
                    show(ty);
                }
            }
            (syn::Pat::Tuple(names), syn::Type::Tuple(types)) => {
                for (name, ty) in names.elems.iter().zip(&mut types.elems) {
                    self.argument(name, ty);
                }
            }
            _ => {}
        }
    }
}

impl VisitMut for Views {
    fn visit_expr_call_mut(&mut self, call: &mut syn::ExprCall) {
        visit_mut::visit_expr_call_mut(self, call);
        let syn::Expr::Path(path) = &*call.func else {
            return;
        };
        let mut segments = path.path.segments.iter();
        let (first, second) = (segments.next(), segments.next());
        match (first, second) {
            // A pullback is given what is lent again.
            (Some(back), None) if back.ident == "back" => {
                let named = |arg: &syn::Expr| match arg {
                    syn::Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
                    _ => None,
                };
                for arg in &mut call.args {
                    let found = named(arg)
                        .and_then(|name| self.names.iter().position(|known| *known == name));
                    if let Some(k) = found.filter(|k| self.taken[*k]) {
                        self.give(k, arg);
                    }
                }
            }
            (Some(of), Some(form)) if of.ident == "Self" && is_given(&form.ident.to_string()) => {
                let args = match call.args.iter_mut().nth(1) {
                    Some(syn::Expr::Tuple(all)) if form.ident.to_string().contains("lanes") => {
                        &mut all.elems
                    }
                    _ => &mut call.args,
                };
                for (k, arg) in args.iter_mut().enumerate() {
                    if self.taken.get(k) == Some(&true) {
                        self.give(k, arg);
                    }
                }
            }
            _ => {}
        }
    }
}
