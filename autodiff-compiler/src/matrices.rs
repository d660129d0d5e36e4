//! Which functions may be about matrices and arrays of other crates, whose methods have their hidden forms in traits.
//!
//! The macro sees no types. A function about numbers, lists and tuples of them alone has no need of these traits, and does not import them.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};

use crate::attr::GradFn;
use crate::{lower, rules, tensors};

/// Types, variants and traits of the standard library that say nothing of what the function is about.
const STANDARD: &[&str] = &[
    "Box", "Copy", "Clone", "Default", "Err", "Fn", "FnMut", "FnOnce", "Into", "Iterator", "None",
    "Ok", "Option", "Result", "Self", "Some", "String", "Vec", "Float", "Sized", "From", "Debug",
];

/// Whether a function may be about them: a type that is not one of the standard library is named, or a method that this has not is called.
pub(crate) fn may_concern(function: &GradFn) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
            let name = m.method.to_string();
            self.0 |= rules::by_method(&name).is_none() && !lower::is_standard(&name);
            visit::visit_expr_method_call(self, m);
        }
    }
    if !cfg!(feature = "matrices") {
        return false;
    }
    let (written, body) = (&function.written, &function.body);
    let parameters = written.sig.generics.params.iter().map(|p| match p {
        syn::GenericParam::Type(t) => t.ident.to_string(),
        syn::GenericParam::Const(c) => c.ident.to_string(),
        syn::GenericParam::Lifetime(l) => l.lifetime.ident.to_string(),
    });
    let parameters: Vec<String> = parameters.collect();
    // A receiver is of any type.
    let mut find = Find(
        function.method.is_some()
            || names_a_type(written.sig.to_token_stream(), &parameters)
            || names_a_type(body.to_token_stream(), &parameters),
    );
    find.visit_block(body);
    find.0
}

/// Whether something is named as types are, which is neither known nor a parameter; constants are named in capitals.
fn names_a_type(tokens: TokenStream, parameters: &[String]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => {
            let name = ident.to_string();
            let capital = name.starts_with(|c: char| c.is_uppercase());
            let constant = name.len() > 1 && !name.contains(|c: char| c.is_lowercase());
            let known = STANDARD.contains(&name.as_str()) || name == tensors::TENSOR;
            capital && !constant && !known && !parameters.contains(&name)
        }
        TokenTree::Group(group) => names_a_type(group.stream(), parameters),
        _ => false,
    })
}
