//! `#[grad(dynamic)]`: the body once more, with variables of a tape in place of floats.
//!
//! What comes of it is the function of variables, which `api/dynamic.rs` runs on a tape.

mod callee;
mod functions;
mod local;
mod methods;
mod variables;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

pub(crate) use self::functions::{Named, is_function, named, takes_functions};
pub(crate) use self::methods::{block, entry, operator};
use self::variables::Variables;
use crate::errors::Errors;
use crate::function::{By, GradFn, ParamInfo};
use crate::marks;
use crate::types;

use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{EnterMut as _, VisitMut};

/// Refuses signatures that variables cannot be put into.
pub(crate) fn check(function: &GradFn, errors: &mut Errors) {
    let sig = &function.written.sig;
    let all = [&sig.generics, &function.outer];
    let unknown = all
        .into_iter()
        .flat_map(|generics| generics.type_params().map(move |t| (generics, t)));
    let unknown = unknown.filter(|(generics, t)| {
        !functions::is_parameter(&t.ident, generics) && !is_float(generics, &t.ident)
    });
    let unknown = unknown.map(|(_, t)| t);
    let before = errors.count();
    for param in unknown {
        errors.error(param, format_args!("a dynamic function may be generic in its float alone; write `{0}: Float`, or write the type out", param.ident));
    }
    for bound in functions::unmet(&sig.generics) {
        errors.error(&bound, "of a function that it takes, a dynamic function knows that it can be called; leave this bound out");
    }
    if errors.count() > before {
        return;
    }
    if floats(function).len() > 1 {
        errors.error(
            &sig.ident,
            "a dynamic function computes with one type of floats; use `f64` or `f32` throughout",
        );
        return;
    }
    for param in function.params.iter().filter(|p| p.by == By::Mut) {
        let name = &param.name;
        if !param.active {
            errors.error(&param.written, format_args!("a dynamic function changes nothing but what derivatives flow through; return the new `{name}`"));
        } else if !param.ty.keeps_shape()
            && !matches!(param.ty, crate::ir::Ty::Slice(_) | crate::ir::Ty::User)
        {
            errors.error(&param.written, format_args!("a dynamic function cannot change the length of what it is lent; return the new `{name}`, or take a slice"));
        }
    }
    if let Some(call) = watched(&function.written.block) {
        errors.error(call, "`with_cotangent` needs compiled code, and a dynamic body is recorded; write it into a `#[grad]` function that calls this one");
    }
    refuse_derivatives(&function.written.block, errors);
    for param in function.params.iter().filter(|p| p.active) {
        if holds_floats(function, param) {
            continue;
        }
        if methods::is_of_owner(&param.written) {
            let message = if function.options.owner.is_some() {
                "derivatives of a dynamic method are found in a type that is generic in its numbers; write `impl Model<f64>`, or mark `self` with `#[constant]`"
            } else {
                "what `self` is says the `impl` block; write `#[grad]` above that as well, or mark `self` with `#[constant]`"
            };
            errors.error(&param.inner, message);
        } else {
            errors.error(&param.written, format_args!("in a dynamic function, derivatives are found in numbers, arrays, slices and vectors of them, and in types that are generic in their numbers; take the numbers of `{0}`, or mark it with `#[constant]`", param.name));
        }
    }
}

/// The first call of `with_cotangent`: code for the reverse sweep, of which a tape has none.
pub(crate) fn watched(block: &syn::Block) -> Option<&syn::Expr> {
    struct Find<'a>(Option<&'a syn::Expr>);
    impl<'a> Visit<'a> for Find<'a> {
        fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
            if self.0.is_none() && marks::is_with_cotangent(&call.func) {
                self.0 = Some(&call.func);
            }
            visit::visit_expr_call(self, call);
        }
    }
    let mut find = Find(None);
    find.visit_block(block);
    find.0
}

/// Refuses derivatives that the body asks for: they are of plain numbers.
fn refuse_derivatives(block: &syn::Block, errors: &mut Errors) {
    struct Find<'a>(&'a mut Errors);
    impl<'ast> Visit<'ast> for Find<'_> {
        fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
            if let syn::Expr::Path(path) = &*call.func {
                if path.qself.is_none() && callee::is_derivative(&path.path) {
                    self.0.error(path, "a derivative is one of plain numbers, and a dynamic body computes with variables; write this call into a `#[grad]` function, and call that here");
                }
            }
            visit::visit_expr_call(self, call);
        }
        fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
            // One with derivatives of its own is compiled.
            if !f.attrs.iter().any(|a| crate::marks::is_grad(a.path())) {
                visit::visit_item_fn(self, f);
            }
        }
    }
    Find(errors).visit_block(block);
}

/// The types of floats in the signature.
fn floats(function: &GradFn) -> Vec<Ident> {
    let sig = &function.written.sig;
    let mut tokens = sig.inputs.to_token_stream();
    sig.output.to_tokens(&mut tokens);
    tokens.extend(methods::hidden_type(function));
    let generic = [&sig.generics, &function.outer]
        .into_iter()
        .flat_map(|generics| {
            let all = generics.type_params().map(|t| t.ident.clone());
            all.filter(|t| is_float(generics, t))
        });
    let known = ["f64", "f32"].map(|name| Ident::new(name, Span::call_site()));
    generic
        .chain(known)
        .filter(|name| types::mentions(&tokens, name))
        .collect()
}

/// The type of floats.
pub(crate) fn float(function: &GradFn) -> Ident {
    let first = floats(function).into_iter().next();
    first.unwrap_or_else(|| Ident::new("f64", Span::call_site()))
}

/// Whether the written type of a parameter shows floats: then variables take their place.
pub(crate) fn holds_floats(function: &GradFn, param: &ParamInfo) -> bool {
    types::mentions(&param.written.to_token_stream(), &float(function))
        || methods::is_of_owner(&param.written) && methods::is_lifted(function)
}

/// Whether a type parameter is said to be a `Float`.
pub(crate) fn is_float(generics: &syn::Generics, name: &Ident) -> bool {
    let named = |bounds: &syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]>| {
        bounds.iter().any(|bound| matches!(bound, syn::TypeParamBound::Trait(t) if t.path.segments.last().is_some_and(|s| s.ident == "Float")))
    };
    let inline = generics
        .type_params()
        .any(|p| p.ident == *name && named(&p.bounds));
    let clause = generics.where_clause.iter().flat_map(|c| &c.predicates);
    inline
        || clause.into_iter().any(|p| matches!(p, syn::WherePredicate::Type(p) if named(&p.bounds) && matches!(&p.bounded_ty, syn::Type::Path(t) if t.path.is_ident(name))))
}

/// The function of variables; nothing where it stands in a block of its own.
pub(crate) fn on_variables(function: &GradFn) -> TokenStream {
    if methods::is_lifted(function) {
        return TokenStream::new();
    }
    let item = match function.method {
        Some(_) => &function.item,
        None => &function.written,
    };
    let sig = item.sig.clone();
    let mut block = (*item.block).clone();
    if function.method.is_some() {
        methods::calls_of(function).visit_block_mut(&mut block);
    }
    let mut variables = Variables::new(float(function), sig.ident.clone());
    variables.body(&sig, &mut block);
    let sig = signature(function, &sig);
    let (inputs, output) = (&sig.inputs, &sig.output);
    let generics = sig.generics.params.iter();
    let clause = &sig.generics.where_clause;
    quote!(#[inline] fn __on_variables<'__t, #(#generics),*>(#inputs) #output #clause #block)
}

/// A signature with variables in place of floats, but in the bounds of the floats.
fn signature(function: &GradFn, sig: &syn::Signature) -> syn::Signature {
    let mut variables = Variables::new(float(function), sig.ident.clone());
    let mut sig = sig.clone();
    let generics = sig.generics.clone();
    for input in &mut sig.inputs {
        // What a function of variables borrows lives no longer than those.
        let is_function =
            matches!(&*input, syn::FnArg::Typed(arg) if is_function(&arg.ty, &generics));
        variables.be_in_signature(is_function);
        variables.visit_fn_arg_mut(input);
    }
    variables.be_in_signature(false);
    variables.visit_return_type_mut(&mut sig.output);
    functions::put_into(&mut sig.generics, &mut variables);
    sig
}

pub(crate) fn borrowed(name: &Ident, param: &ParamInfo) -> TokenStream {
    match param.by {
        By::Value => quote!(&#name),
        By::Ref | By::Mut => quote!(&*#name),
    }
}
