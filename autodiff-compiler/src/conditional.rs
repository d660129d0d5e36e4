//! Code of a body that is there under a condition only, `#[cfg(…)] { … }`: what marks the item stands above two of it, one for each answer, and rustc takes one.

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;
use crate::function::{self, Options};
use crate::visit_mut::{self, OtherMut, VisitMut};

/// The item under a condition of its bodies, and under the opposite one, each to be expanded; none if there is no such condition.
#[must_use]
pub fn conditional(args: &TokenStream, item: &TokenStream) -> Option<TokenStream> {
    let mut options = Options::default();
    options.read(args.clone(), &mut Errors::default());
    let item: syn::Item = syn::parse2(item.clone()).ok()?;
    let mut found = Answered::default();
    found.visit_item_mut(&mut item.clone());
    let condition = found.condition?;
    let under = |holds: bool| {
        let mut item = item.clone();
        let condition = Some(condition.clone());
        Answered { condition, holds }.visit_item_mut(&mut item);
        item
    };
    let (with, without) = (under(true), under(false));
    let krate = function::krate(&options);
    Some(quote! {
        #[cfg(#condition)]
        #[#krate::grad(#args)]
        #with
        #[cfg(not(#condition))]
        #[#krate::grad(#args)]
        #without
    })
}

/// Takes a condition, the first that it meets, as one that holds or not.
#[derive(Default)]
struct Answered {
    condition: Option<TokenStream>,
    holds: bool,
}

impl Answered {
    /// Whether what has these attributes is there; the answered condition is removed from them.
    fn keeps(&mut self, attrs: &mut Vec<syn::Attribute>) -> bool {
        let mut keeps = true;
        attrs.retain(|attr| {
            let Some((condition, opposite)) = condition(attr) else {
                return true;
            };
            let of = self.condition.get_or_insert_with(|| condition.clone());
            if of.to_string() != condition.to_string() {
                return true;
            }
            keeps &= self.holds != opposite;
            false
        });
        keeps
    }
}

/// `#[cfg(a)]` and `#[cfg(not(a))]` have the condition `a`, the latter its opposite.
fn condition(attr: &syn::Attribute) -> Option<(TokenStream, bool)> {
    let list = attr.meta.require_list().ok()?;
    if !list.path.is_ident("cfg") {
        return None;
    }
    match syn::parse2::<syn::MetaList>(list.tokens.clone()) {
        Ok(not) if not.path.is_ident("not") => Some((not.tokens, true)),
        _ => Some((list.tokens.clone(), false)),
    }
}

impl VisitMut for Answered {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        block.stmts.retain_mut(|stmt| match stmt {
            syn::Stmt::Local(local) => self.keeps(&mut local.attrs),
            syn::Stmt::Macro(mac) => self.keeps(&mut mac.attrs),
            syn::Stmt::Expr(expr, _) => attributes(expr).is_none_or(|attrs| self.keeps(attrs)),
            // Items are emitted as they stand.
            syn::Stmt::Item(_) => true,
        });
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_other_mut(&mut self, node: OtherMut<'_>) {
        match node {
            OtherMut::ExprMatch(expr) => {
                expr.arms.retain_mut(|arm| self.keeps(&mut arm.attrs));
                OtherMut::ExprMatch(expr).walk(self);
            }
            OtherMut::ExprStruct(expr) => {
                let fields = std::mem::take(&mut expr.fields).into_pairs();
                let kept = fields.filter_map(|mut field| {
                    let keeps = self.keeps(&mut field.value_mut().attrs);
                    keeps.then_some(field)
                });
                expr.fields = kept.collect();
                OtherMut::ExprStruct(expr).walk(self);
            }
            other => other.walk(self),
        }
    }
}

/// The attributes of an expression that stands as a statement.
fn attributes(expr: &mut syn::Expr) -> Option<&mut Vec<syn::Attribute>> {
    use syn::Expr;
    match expr {
        // What is assigned to has those in front of it.
        Expr::Assign(e) => attributes(&mut e.left),
        Expr::Binary(e) => attributes(&mut e.left),
        Expr::MethodCall(e) => attributes(&mut e.receiver),
        Expr::Call(e) => attributes(&mut e.func),
        Expr::Field(e) => attributes(&mut e.base),
        Expr::Index(e) => attributes(&mut e.expr),
        Expr::Try(e) => attributes(&mut e.expr),
        Expr::Block(e) => Some(&mut e.attrs),
        Expr::Break(e) => Some(&mut e.attrs),
        Expr::Continue(e) => Some(&mut e.attrs),
        Expr::ForLoop(e) => Some(&mut e.attrs),
        Expr::If(e) => Some(&mut e.attrs),
        Expr::Loop(e) => Some(&mut e.attrs),
        Expr::Macro(e) => Some(&mut e.attrs),
        Expr::Match(e) => Some(&mut e.attrs),
        Expr::Paren(e) => Some(&mut e.attrs),
        Expr::Path(e) => Some(&mut e.attrs),
        Expr::Return(e) => Some(&mut e.attrs),
        Expr::Unary(e) => Some(&mut e.attrs),
        Expr::Unsafe(e) => Some(&mut e.attrs),
        Expr::While(e) => Some(&mut e.attrs),
        _ => None,
    }
}
