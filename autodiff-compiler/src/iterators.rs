//! Names of iterators: what makes them, and what makes them of others.

use syn::Expr;

use crate::syntax::peel as unparen;

/// A method of lists that walks through parts of them.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    name: &'static str,
    /// How they follow each other.
    pub(crate) follow: Follow,
}

/// How parts of a list follow each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follow {
    /// Each begins one element behind the one before.
    Overlapping,
    /// One behind the other; a sibling of the method, `…_mut`, lends them to be changed.
    Apart {
        /// What is left over is none of them.
        exact: bool,
        /// From the end of the list.
        backwards: bool,
    },
}

impl Follow {
    /// Whether all are of one length.
    pub(crate) fn is_even(self) -> bool {
        !matches!(self, Follow::Apart { exact: false, .. })
    }
}

const PARTS: &[Parts] = &[
    Parts {
        name: "windows",
        follow: Follow::Overlapping,
    },
    apart("chunks", false, false),
    apart("chunks_exact", true, false),
    apart("rchunks", false, true),
    apart("rchunks_exact", true, true),
];

const fn apart(name: &'static str, exact: bool, backwards: bool) -> Parts {
    Parts {
        name,
        follow: Follow::Apart { exact, backwards },
    }
}

/// What a method of this name walks through, if that is parts of a list.
pub(crate) fn parts(name: &str) -> Option<Parts> {
    let mut all = PARTS.iter();
    let found = all.find(|row| match name.strip_suffix("_mut") {
        Some(shared) => row.name == shared && row.follow != Follow::Overlapping,
        None => row.name == name,
    });
    found.copied()
}

/// Whether a method of this name walks through parts of a list that it only reads.
pub(crate) fn reads_parts(name: &str) -> bool {
    !name.ends_with("_mut") && parts(name).is_some()
}

/// Whether a method of this name makes an iterator of something with elements.
pub(crate) fn makes_iterator(name: &str) -> bool {
    matches!(name, "iter" | "iter_mut" | "into_iter") || parts(name).is_some()
}

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
    let alone = matches!(last.as_str(), "repeat_n" | "successors" | "zip");
    let of_iter = match names.next() {
        Some(module) => module == "iter",
        None => alone,
    };
    (known && of_iter).then_some(last)
}

/// Whether an expression is an iterator that a chain can start from or go through.
pub(crate) fn is_chain(e: &Expr) -> bool {
    match unparen(e) {
        Expr::MethodCall(m) if makes_iterator(&m.method.to_string()) => true,
        Expr::MethodCall(m) if ADAPTORS.iter().any(|name| m.method == name) => {
            is_chain(&m.receiver)
        }
        Expr::Range(r) => r.start.is_some(),
        Expr::Call(c) => iterator_function(c).is_some(),
        _ => false,
    }
}
