//! The bound `Differentiable` of a type parameter whose methods say that it stands for a type of the user's own.
//!
//! ```text
//! fn energy<M: Model>(m: &M, x: f64) -> f64 { m.value(x) }
//! fn energy<M: Model + Differentiable>(m: &M, x: f64) -> f64 { m.value(x) }
//! ```

use std::collections::BTreeSet;

use proc_macro2::Ident;
use quote::ToTokens;

use crate::callable;
use crate::rules;
use crate::std_methods;
use crate::types;
use crate::visit::{self, Enter as _, Visit};

/// How methods of floats begin that belong to traits of other crates: `to_f64`.
const CONVERSIONS: &[&str] = &["to_", "as_"];

/// A trait of the user's own, and the methods that are called of it.
pub(crate) struct Asked {
    pub(crate) of: syn::Path,
    pub(crate) methods: BTreeSet<String>,
}

/// Adds the bound where it is not written; `labels` are parameters that stand for no number.
///
/// A parameter is the user's own type if it has a trait, is passed as it is or lent, is mentioned nowhere else, and is asked for a method that floats do not have.
pub(crate) fn complete(item: &mut syn::ItemFn, labels: &[Ident]) {
    let params = item.sig.generics.type_params().map(|t| t.ident.clone());
    let own = |name: &Ident| {
        !types::is_held(name, &item.sig.generics)
            && methods_of(name, &item.sig, &item.block).is_some()
    };
    let own: Vec<Ident> = params
        .filter(|name| !labels.contains(name) && own(name))
        .collect();
    for param in item.sig.generics.type_params_mut() {
        if own.contains(&param.ident) {
            param.bounds.push(syn::parse_quote!(rt::Differentiable));
        }
    }
}

/// The traits that such parameters of a function have, as the user wrote it: derivatives of their methods are those of the traits.
pub(crate) fn asked(sig: &syn::Signature, block: &syn::Block) -> Vec<Asked> {
    let mut found = Vec::new();
    let mut add = |bounds: Vec<&syn::TypeParamBound>, methods: &BTreeSet<String>| {
        let plain = |of: &&syn::Path| of.segments.iter().all(|s| s.arguments.is_none());
        for of in types::own_traits_among(bounds).filter(plain) {
            let (of, methods) = (of.clone(), methods.clone());
            found.push(Asked { of, methods });
        }
    };
    for param in sig.generics.type_params() {
        if let Some(methods) = methods_of(&param.ident, sig, block) {
            add(types::bounds(&sig.generics, &param.ident), &methods);
        }
    }
    for input in &sig.inputs {
        let syn::FnArg::Typed(arg) = input else {
            continue;
        };
        if let (syn::Type::ImplTrait(of), syn::Pat::Ident(name)) =
            (types::strip(&arg.ty), &*arg.pat)
        {
            if let Some(methods) = own_methods(vec![&name.ident], block) {
                add(of.bounds.iter().collect(), &methods);
            }
        }
    }
    found
}

/// The methods that a parameter is asked for, if it stands for a type of the user's own.
fn methods_of(name: &Ident, sig: &syn::Signature, block: &syn::Block) -> Option<BTreeSet<String>> {
    let generics = &sig.generics;
    let function = !matches!(
        callable::read(0, &syn::parse_quote!(#name), generics),
        callable::Kind::Other
    );
    if function
        || types::is_number(name, generics)
        || types::mentions(&sig.output.to_token_stream(), name)
    {
        return None;
    }
    let mut names = Vec::new();
    for input in &sig.inputs {
        let syn::FnArg::Typed(arg) = input else {
            continue;
        };
        let itself = matches!(types::strip(&arg.ty), syn::Type::Path(p) if p.path.is_ident(name));
        match &*arg.pat {
            syn::Pat::Ident(pat) if itself => {
                if arg.attrs.iter().any(|a| a.path().is_ident("constant")) {
                    return None;
                }
                names.push(&pat.ident);
            }
            _ if types::mentions(&arg.ty.to_token_stream(), name) => return None,
            _ => {}
        }
    }
    own_methods(names, block)
}

/// The methods that floats do not have which variables of one type are asked for, if there are some and none of the variables is an operand.
pub(crate) fn own_methods(names: Vec<&Ident>, block: &syn::Block) -> Option<BTreeSet<String>> {
    let mut uses = Uses {
        names,
        methods: BTreeSet::new(),
        number: false,
    };
    uses.visit_block(block);
    (!uses.number && !uses.methods.is_empty()).then_some(uses.methods)
}

/// What a body does with some variables.
struct Uses<'a> {
    names: Vec<&'a Ident>,
    /// The methods they are asked for that floats do not have.
    methods: BTreeSet<String>,
    /// One is an operand.
    number: bool,
}

impl Uses<'_> {
    fn is_one(&self, e: &syn::Expr) -> bool {
        match e {
            syn::Expr::Paren(e) => self.is_one(&e.expr),
            syn::Expr::Path(p) => self.names.iter().any(|name| p.path.is_ident(*name)),
            syn::Expr::Reference(r) => self.is_one(&r.expr),
            syn::Expr::Unary(u) => matches!(u.op, syn::UnOp::Deref(_)) && self.is_one(&u.expr),
            _ => false,
        }
    }
}

impl<'ast> Visit<'ast> for Uses<'_> {
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let name = call.method.to_string();
        let of_floats = rules::by_method(&name).is_some()
            || std_methods::is_inert_name(&name)
            || std_methods::is_standard(&name)
            || CONVERSIONS.iter().any(|of| name.starts_with(of));
        if !of_floats && self.is_one(&call.receiver) {
            self.methods.insert(name);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        self.number |= self.is_one(&e.left) || self.is_one(&e.right);
        visit::visit_expr_binary(self, e);
    }
}
