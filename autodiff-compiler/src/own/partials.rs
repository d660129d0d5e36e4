//! `partials = (e₁, …)`: the function as a call of itself, linked to the expressions that are its partial derivatives.
//!
//! The body becomes `{ let y = f(x₁, …); linked(y, x₁, …, e₁, …) }`.
//! In first order nothing flows through the call or the expressions; where derivatives are differentiated once more, both have derivatives like any other code.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

use crate::errors::Errors;
use crate::function::{By, GradFn};
use crate::types;
use crate::visit::{self, Visit};

/// The name by which lowering knows the operation; no user writes it.
pub(crate) const LINKED: &str = "__autodiff_linked";

/// The body of a function whose partials are given.
pub(super) fn body(function: &GradFn, partials: &syn::Expr, errors: &mut Errors) -> syn::Block {
    let given: Vec<&syn::Expr> = match partials {
        syn::Expr::Tuple(tuple) => tuple.elems.iter().collect(),
        syn::Expr::Paren(one) => vec![&one.expr],
        one => vec![one],
    };
    let params: Vec<_> = function.params.iter().filter(|p| p.active).collect();
    if let Some(ret) = function
        .ret
        .as_ref()
        .filter(|_| !function.ret_ty.is_float())
    {
        errors.error(ret, "`partials` are for a function with one number as result; write `vjp = …` or `jvp = …` instead");
    }
    for param in &params {
        if !(param.ty.is_float() && param.by == By::Value) {
            errors.error(&param.written, format_args!("`partials` are for parameters that are numbers, and `{}` is none; write `vjp = …` or `jvp = …` instead, or mark it `#[constant]`", param.name));
        }
    }
    if given.len() != params.len() {
        let names: Vec<String> = params.iter().map(|p| format!("`{}`", p.name)).collect();
        let count = match given.len() {
            1 => "is 1 partial".to_owned(),
            n => format!("are {n} partials"),
        };
        let wanted = match names.as_slice() {
            [one] => format!("parameter {one} alone has a derivative"),
            [first @ .., last] => format!("{} and {last} have derivatives", first.join(", ")),
            [] => return function.body.clone(),
        };
        errors.error(
            partials,
            format_args!(
                "here {count}, but {wanted}; write one expression for each, in this order"
            ),
        );
    }
    let mut leaves = Leaves {
        loops: 0,
        what: "a partial",
        errors,
    };
    leaves.visit_expr(partials);
    let result = result_name(function.params.iter().map(|p| &p.name), partials);
    let call = call_of(function);
    let inputs = function.params.iter().filter(|p| p.active).map(|p| &p.name);
    let ret = function.ret.to_token_stream();
    let patterns = &function.body.stmts;
    let linked = format_ident!("{LINKED}");
    syn::parse_quote!({
        let #result: #ret = #call;
        #(#patterns)*
        #linked(#result, #(#inputs,)* #(#given),*)
    })
}

/// Refuses what leaves a partial or a residual: each is a value.
pub(super) struct Leaves<'a> {
    pub(super) loops: usize,
    pub(super) what: &'static str,
    pub(super) errors: &'a mut Errors,
}

impl Leaves<'_> {
    fn refuse(&mut self, at: impl ToTokens) {
        self.errors.error(
            at,
            format_args!(
                "{} is an expression with a value, which cannot be left; use `if` and `else`",
                self.what
            ),
        );
    }

    fn within(&mut self, look: impl FnOnce(&mut Self)) {
        self.loops += 1;
        look(self);
        self.loops -= 1;
    }
}

impl<'ast> Visit<'ast> for Leaves<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_expr_return(&mut self, e: &'ast syn::ExprReturn) {
        self.refuse(e.return_token);
    }

    fn visit_expr_try(&mut self, e: &'ast syn::ExprTry) {
        self.refuse(e.question_token);
    }

    fn visit_expr_break(&mut self, e: &'ast syn::ExprBreak) {
        if self.loops == 0 && e.label.is_none() {
            self.refuse(e.break_token);
        }
    }

    fn visit_expr_continue(&mut self, e: &'ast syn::ExprContinue) {
        if self.loops == 0 && e.label.is_none() {
            self.refuse(e.continue_token);
        }
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        self.within(|cx| visit::visit_expr_for_loop(cx, e));
    }

    fn visit_expr_while(&mut self, e: &'ast syn::ExprWhile) {
        self.within(|cx| visit::visit_expr_while(cx, e));
    }

    fn visit_expr_loop(&mut self, e: &'ast syn::ExprLoop) {
        self.within(|cx| visit::visit_expr_loop(cx, e));
    }
}

/// A body that only calls the function, for its picture.
pub(super) fn call(function: &GradFn) -> syn::Block {
    let call = call_of(function);
    syn::parse_quote!({ #call })
}

/// `f(x, n, data)`
fn call_of(function: &GradFn) -> TokenStream {
    let primal = &function.item.sig.ident;
    let args = function.params.iter().map(|p| {
        let name = &p.name;
        // The expressions may mention what the call would move.
        if p.by == By::Value && !p.ty.is_scalar() && !p.active {
            quote!(::core::clone::Clone::clone(&#name))
        } else {
            quote!(#name)
        }
    });
    let generics: Vec<&Ident> = types::named(&function.item.sig.generics).collect();
    if generics.is_empty() {
        quote!(#primal(#(#args),*))
    } else {
        quote!(#primal::<#(#generics),*>(#(#args),*))
    }
}

/// `y` as the expressions write it; a parameter of that name comes first.
pub(super) fn result_name<'a>(
    mut params: impl Iterator<Item = &'a Ident>,
    expression: &syn::Expr,
) -> Ident {
    fn find(tokens: TokenStream, name: &str) -> Option<Ident> {
        tokens.into_iter().find_map(|token| match token {
            TokenTree::Ident(ident) if ident == name => Some(ident),
            TokenTree::Group(group) => find(group.stream(), name),
            _ => None,
        })
    }
    let name = if params.any(|name| name == "y") {
        "result"
    } else {
        "y"
    };
    find(expression.to_token_stream(), name).unwrap_or_else(|| Ident::new(name, Span::call_site()))
}
