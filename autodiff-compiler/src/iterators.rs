//! Names of iterators: what makes them, and what makes them of others.

use syn::Expr;

use crate::syntax::peel as unparen;

/// Methods that make an iterator of something with elements.
pub(crate) const MAKERS: &[&str] = &[
    "iter",
    "iter_mut",
    "into_iter",
    "windows",
    "chunks",
    "chunks_mut",
    "chunks_exact",
    "chunks_exact_mut",
];

/// Methods that make an iterator of another one.
pub(crate) const ADAPTORS: &[&str] = &[
    "map",
    "zip",
    "enumerate",
    "rev",
    "skip",
    "take",
    "step_by",
    "chain",
    "copied",
    "cloned",
    "filter",
    "filter_map",
    "take_while",
    "skip_while",
    "map_while",
    "scan",
    "inspect",
    "flat_map",
    "flatten",
    "by_ref",
    "peekable",
    "cycle",
];

/// The function of `core::iter` that a call is of.
pub(crate) fn iterator_function(call: &syn::ExprCall) -> Option<String> {
    let Expr::Path(p) = unparen(&call.func) else {
        return None;
    };
    let mut names = p.path.segments.iter().rev().map(|s| s.ident.to_string());
    let last = names.next()?;
    let known = matches!(
        last.as_str(),
        "repeat" | "repeat_n" | "once" | "empty" | "zip" | "successors"
    );
    // Other functions are hardly called so.
    let alone = matches!(last.as_str(), "repeat_n" | "successors");
    let of_iter = match names.next() {
        Some(module) => module == "iter",
        None => alone,
    };
    (known && of_iter).then_some(last)
}

/// Whether an expression is an iterator that a chain can start from or go through.
pub(crate) fn is_chain(e: &Expr) -> bool {
    match unparen(e) {
        Expr::MethodCall(m) if MAKERS.iter().any(|name| m.method == name) => true,
        Expr::MethodCall(m) if ADAPTORS.iter().any(|name| m.method == name) => {
            is_chain(&m.receiver)
        }
        Expr::Range(r) => r.start.is_some(),
        Expr::Call(c) => iterator_function(c).is_some(),
        _ => false,
    }
}
