//! Which functions are about complex numbers, whose methods are named like those of numbers.
//!
//! As with tensors, a value whose type the macro does not know may be one in such a function: its elementary functions are calls of hidden forms, which numbers have as well.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

use crate::features::features;
use crate::function::GradFn;
use crate::iterators::is_chain;
use crate::rules;
use crate::visit_mut::{self, VisitMut};

/// The types of num-complex.
pub(crate) const TYPES: &[&str] = &["Complex", "Complex32", "Complex64"];

/// Whether a function is about them: one of the types is named.
pub(crate) fn concerns(function: &GradFn, body: &syn::Block) -> bool {
    features().num_complex
        && (names(function.item.sig.to_token_stream()) || names(body.to_token_stream()))
}

fn names(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => TYPES.iter().any(|ty| ident == ty),
        TokenTree::Group(group) => names(group.stream()),
        _ => false,
    })
}

/// Methods that numbers of the standard library have not.
const OWN: &[&str] = &[
    "arg", "conj", "fdiv", "finv", "inv", "l1_norm", "norm", "norm_sqr", "powc", "powu", "scale",
    "to_polar", "unscale",
];

/// Methods that borrow the number, and how many arguments each has: one of a trait of the user's own that takes it goes before them. `linalg::plain` of the runtime has them as well.
const BORROWING: &[(&str, usize)] = &[
    ("conj", 0),
    ("inv", 0),
    ("l1_norm", 0),
    ("norm_sqr", 0),
    ("powi", 1),
    ("powu", 1),
    ("scale", 1),
    ("unscale", 1),
];

/// The number of arguments of such a method.
pub(crate) fn borrowing(method: &str) -> Option<usize> {
    let known = BORROWING.iter().find(|(known, _)| *known == method);
    known
        .map(|(_, count)| *count)
        .filter(|_| features().num_complex)
}

/// Whether an expression is a real number for certain, by what numbers of the standard library have not.
pub(crate) fn is_real(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Field(e) => {
            matches!(&e.member, syn::Member::Named(part) if part == "re" || part == "im")
        }
        syn::Expr::MethodCall(m) => {
            let name = m.method.to_string();
            m.args.is_empty() && ["arg", "l1_norm", "norm", "norm_sqr"].contains(&name.as_str())
        }
        _ => false,
    }
}

/// Writes methods that are called by their path, `Complex64::exp(z)`, as calls of methods.
pub(crate) fn call_methods(body: &mut syn::Block) {
    struct Methods;
    impl VisitMut for Methods {
        fn visit_item_mut(&mut self, _: &mut syn::Item) {}
        fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
            visit_mut::visit_expr_mut(self, e);
            if let Some(method) = method(e) {
                *e = method;
            }
        }
    }
    if features().num_complex {
        Methods.visit_block_mut(body);
    }
}

fn method(e: &syn::Expr) -> Option<syn::Expr> {
    let syn::Expr::Call(call) = e else {
        return None;
    };
    let syn::Expr::Path(path) = &*call.func else {
        return None;
    };
    let mut segments = path.path.segments.iter().rev();
    let (name, of) = (&segments.next()?.ident, &segments.next()?.ident);
    let text = name.to_string();
    let known = OWN.contains(&text.as_str()) || rules::by_method(&text).is_some();
    if !known || !TYPES.iter().any(|ty| of == ty) {
        return None;
    }
    let mut args = call.args.iter();
    let receiver = match args.next()? {
        syn::Expr::Reference(r) => &r.expr,
        other => other,
    };
    Some(syn::parse_quote_spanned!(name.span()=> (#receiver).#name(#(#args),*)))
}

/// Whether a method, of what may be a complex number, is one of these if it is that.
pub(crate) fn may_have(m: &syn::ExprMethodCall) -> bool {
    rules::by_method(&m.method.to_string()).is_some() && !is_chain(&m.receiver)
}
