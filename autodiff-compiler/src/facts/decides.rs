//! What only decides: methods, functions and macros whose result has no float in it, whatever they are given.
//!
//! A derivative ends there. One table says which these are, and what comes of them; rustc checks the types where only it knows them.

use quote::ToTokens;

use super::Facts;
use crate::features::features;
use crate::ir::Ty;
use crate::iterators::is_chain;
use crate::marks::is_stop_gradient;
use crate::own_names;
use crate::std_methods::{Of, Yields, comparison, decides_by_name, is_inert_name, row};
use crate::syntax::{is_comparison, peel};
use crate::types;

/// By what the results of comparisons, searches and conversions are used, which adds nothing to them.
const UNWRAPPING: &[&str] = &[
    "err",
    "expect",
    "is_err",
    "is_none",
    "is_ok",
    "is_some",
    "ok",
    "unwrap",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
];

/// Functions that only decide, by the module of the standard library that they are in.
const FUNCTIONS: &[(&str, &str, Yields)] = &[
    ("any", "type_name_of_val", Yields::Text),
    ("mem", "align_of_val", Yields::Count),
    ("mem", "discriminant", Yields::Order),
    ("mem", "size_of_val", Yields::Count),
    ("ptr", "eq", Yields::Truth),
];

/// Types and traits of whose methods the table knows that they only decide.
const OWNERS: &[&str] = &["Ord", "PartialEq", "PartialOrd", "Vec", "f32", "f64", "str"];

/// Functions of integers that give a result, whatever they are given.
const CONVERSIONS: &[&str] = &["from_str", "from_str_radix", "try_from"];

/// What a method of the table yields, of a receiver of this type.
fn yields(m: &syn::ExprMethodCall, receiver: &Ty) -> Option<Yields> {
    let name = m.method.to_string();
    if own_names::is_look(&name) {
        return Some(Yields::Text);
    }
    let name = own_names::checked(&name);
    if let Some(yields) = comparison(name) {
        // Of tensors, and of indices in them, it yields a mask.
        let unseen = features().tensor && matches!(receiver, Ty::Unknown | Ty::User | Ty::Inert);
        let truth = matches!(yields, Yields::Truth);
        return Some(if truth && unseen {
            Yields::Mask
        } else {
            yields
        });
    }
    let iterates = is_chain(&m.receiver);
    let unseen = features().tensor && matches!(receiver, Ty::Unknown | Ty::User);
    if unseen && ["is_finite", "is_infinite", "is_nan"].contains(&name) {
        return Some(Yields::Mask);
    }
    row(name, |of| match of {
        Of::Anything => true,
        Of::Number => receiver.is_scalar() || matches!(receiver, Ty::Unknown),
        Of::Iterator => iterates,
        Of::List => {
            let unknown = matches!(receiver, Ty::Unknown | Ty::User);
            !iterates && (is_list(receiver) || unknown)
        }
        Of::Order => matches!(receiver, Ty::Inert),
    })
}

impl Facts {
    /// Whether a method yields the number that it is called on in another form, from which it can be made again.
    pub(super) fn codes(&self, m: &syn::ExprMethodCall) -> bool {
        let yields = yields(m, &self.ty(&m.receiver));
        matches!(yields, Some(Yields::Bits | Yields::Text))
    }

    /// Whether a method is one of text, of integers, or of what holds them, as far as its name shows.
    pub(super) fn knows(&self, m: &syn::ExprMethodCall) -> bool {
        let receiver = self.ty(&m.receiver);
        !own_names::is_foreign(&m.method.to_string()) || matches!(receiver, Ty::Inert | Ty::Int)
    }

    /// Whether a method decides, and the number that it is called on cannot be made of that again.
    pub(super) fn forgets(&self, m: &syn::ExprMethodCall) -> bool {
        yields(m, &self.ty(&m.receiver)).is_some() && !self.codes(m)
    }

    /// The type of what a method call yields, of a receiver of this type, if it only decides.
    pub(super) fn decided_by_method(&self, m: &syn::ExprMethodCall, receiver: &Ty) -> Option<Ty> {
        if let Some(yields) = yields(m, receiver) {
            return Some(yields.ty());
        }
        let unwraps = ["expect", "unwrap", "unwrap_or", "unwrap_or_else"];
        match peel(&m.receiver) {
            syn::Expr::MethodCall(inner) if unwraps.iter().any(|name| m.method == name) => {
                yields(inner, &self.ty(&inner.receiver))?.inside()
            }
            _ => None,
        }
    }

    /// The type of what a function yields, if it only decides.
    pub(super) fn decided_by_call(&self, path: &syn::Path) -> Option<Ty> {
        let mut names = path.segments.iter().rev().map(|s| s.ident.to_string());
        let (last, of) = (names.next()?, names.next());
        // Methods, called by their path.
        let owner = of.as_deref().is_some_and(|of| OWNERS.contains(&of));
        if let (true, Some(yields)) = (
            owner,
            comparison(&last).or_else(|| row(&last, |of| of == Of::Anything)),
        ) {
            return Some(yields.ty());
        }
        let counts = of.as_deref().is_some_and(is_integer);
        if counts && CONVERSIONS.contains(&last.as_str()) {
            return Some(Ty::Inert);
        }
        let mut functions = FUNCTIONS.iter();
        let (_, _, yields) = functions.find(|(module, name, _)| match &of {
            Some(of) => last == *name && of == module,
            // The prelude has these.
            None => last == *name && name.ends_with("_of_val") && self.get(&last).is_none(),
        })?;
        Some(yields.ty())
    }

    /// Whether an expression is `stop_gradient(…)`, or what methods make of that and of constants.
    pub(crate) fn is_stopped(&self, e: &syn::Expr) -> bool {
        match peel(e) {
            syn::Expr::Call(call) => is_stop_gradient(&call.func),
            syn::Expr::MethodCall(m) => {
                let constant = m.args.iter().all(|arg| !self.mentions_active(arg));
                constant && self.is_stopped(&m.receiver)
            }
            _ => false,
        }
    }

    /// Whether an expression only decides, and nothing is gained by looking into it.
    pub(crate) fn only_decides(&self, e: &syn::Expr) -> bool {
        match peel(e) {
            syn::Expr::Binary(e) if is_comparison(&e.op) => {
                has_list(&self.ty(&e.left)) || has_list(&self.ty(&e.right))
            }
            syn::Expr::MethodCall(m) => {
                let name = m.method.to_string();
                if UNWRAPPING.contains(&name.as_str()) && self.only_decides(&m.receiver) {
                    return !m.args.iter().any(|arg| self.is_carried_by(arg));
                }
                let name = own_names::checked(&name);
                if !decides_by_name(name) {
                    return false;
                }
                let receiver = self.ty(&m.receiver);
                let Some(yields) = yields(m, &receiver) else {
                    return false;
                };
                match name {
                    // The graph knows lengths, and what is asked of numbers.
                    "is_empty" | "len" => is_chain(&m.receiver),
                    "is_square" | "ncols" | "ndim" | "nrows" => false,
                    _ if matches!(yields, Yields::Text) => true,
                    _ if is_inert_name(name) => has_list(&receiver) || is_chain(&m.receiver),
                    _ => true,
                }
            }
            syn::Expr::Call(e) => match peel(&e.func) {
                syn::Expr::Path(p) => self.decided_by_call(&p.path).is_some(),
                _ => false,
            },
            syn::Expr::Macro(m) => m.mac.path.is_ident("format"),
            _ => false,
        }
    }

    /// Whether something active is mentioned, beside what a closure is given.
    fn is_carried_by(&self, arg: &syn::Expr) -> bool {
        let syn::Expr::Closure(closure) = peel(arg) else {
            return self.active(arg);
        };
        let mut given = Vec::new();
        for input in &closure.inputs {
            super::idents(input.to_token_stream(), &mut |name| given.push(name));
        }
        super::mentions(&closure.body, &|name| {
            let own = given.iter().any(|known| known == name);
            !own && self.get(name).is_some_and(|v| v.active)
        })
    }
}

fn is_integer(name: &str) -> bool {
    types::is_primitive(name) && !matches!(name, "f32" | "f64")
}

fn is_list(ty: &Ty) -> bool {
    matches!(ty, Ty::Array(..) | Ty::Slice(_) | Ty::Vec(_))
}

/// Whether a list is in values of this type.
fn has_list(ty: &Ty) -> bool {
    match ty {
        Ty::Option(inner) => has_list(inner),
        Ty::Tuple(parts) => parts.iter().any(has_list),
        ty => is_list(ty),
    }
}
