//! Methods of the standard library by name: what they yield, whether they only decide, what they refer to.

use crate::features::features;
use crate::ir::Ty;
use crate::iterators;

/// What has a method.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Of {
    /// Numbers, lists, options and text: what else has a method of this name is checked.
    Anything,
    Number,
    List,
    Iterator,
    Order,
}

/// What a method yields.
#[derive(Clone, Copy)]
pub(crate) enum Yields {
    Truth,
    Count,
    Order,
    /// The number in another form.
    Bits,
    Text,
    /// A truth value, or one for each entry.
    Mask,
    /// An option or result of counts.
    Place,
    PerhapsOrder,
}

/// Methods that compare their receiver with what an argument refers to.
pub(crate) const COMPARISONS: &[(Yields, &[&str])] = &[
    (Yields::Truth, &["eq", "ge", "gt", "le", "lt", "ne"]),
    (Yields::Order, &["cmp", "total_cmp"]),
    (Yields::PerhapsOrder, &["partial_cmp"]),
];

/// The other methods.
pub(crate) const METHODS: &[(Of, Yields, &[&str])] = &[
    (
        Of::Anything,
        Yields::Truth,
        &[
            "contains",
            "ends_with",
            "eq_ignore_ascii_case",
            "is_empty",
            "is_finite",
            "is_infinite",
            "is_nan",
            "is_none",
            "is_normal",
            "is_sign_negative",
            "is_sign_positive",
            "is_some",
            "is_subnormal",
            "starts_with",
        ],
    ),
    (Of::Anything, Yields::Count, &["len"]),
    (Of::Anything, Yields::Text, &["as_str", "to_string"]),
    (Of::Anything, Yields::Order, &["classify"]),
    // `num_traits` has them on numbers; that they yield what they are taken for, rustc says of what is emitted.
    (
        Of::Number,
        Yields::Truth,
        &["is_negative", "is_one", "is_positive", "is_zero"],
    ),
    (Of::Number, Yields::Bits, &["to_bits"]),
    (
        Of::Number,
        Yields::Text,
        &["to_be_bytes", "to_le_bytes", "to_ne_bytes"],
    ),
    (
        Of::List,
        Yields::Truth,
        &["is_sorted", "is_sorted_by", "is_sorted_by_key"],
    ),
    (Of::List, Yields::Count, &["capacity", "partition_point"]),
    (
        Of::List,
        Yields::Place,
        &["binary_search", "binary_search_by", "binary_search_by_key"],
    ),
    (
        Of::Iterator,
        Yields::Truth,
        &[
            "all",
            "any",
            "is_partitioned",
            "is_sorted",
            "is_sorted_by",
            "is_sorted_by_key",
        ],
    ),
    (Of::Iterator, Yields::Count, &["count"]),
    (Of::Iterator, Yields::Place, &["position", "rposition"]),
    (
        Of::Order,
        Yields::Truth,
        &["is_eq", "is_ge", "is_gt", "is_le", "is_lt", "is_ne"],
    ),
    (Of::Order, Yields::Order, &["reverse", "then", "then_with"]),
];

/// The same, where there are matrices and arrays of other crates.
const METHODS_OF_MATRICES: &[(Of, Yields, &[&str])] = &[
    (Of::Anything, Yields::Count, &["ncols", "ndim", "nrows"]),
    (Of::Anything, Yields::Truth, &["is_square"]),
];

/// Methods that hardly anything but a list has.
pub(crate) const OF_LISTS_ALONE: &[&str] = &["dedup", "resize_with", "splice"];

/// Methods of numbers without a slope: their result has the derivative zero.
pub(crate) const STEPS: &[&str] = &[
    "ceil",
    "div_euclid",
    "floor",
    "round",
    "round_ties_even",
    "signum",
    "trunc",
    "zero_tangent",
];

pub(crate) fn row(name: &str, of: impl Fn(Of) -> bool) -> Option<Yields> {
    let matrices = METHODS_OF_MATRICES.iter().filter(|_| features().matrices());
    let mut methods = METHODS.iter().chain(matrices);
    let found = methods.find(|(whose, _, names)| of(*whose) && names.contains(&name));
    found.map(|(_, yields, _)| *yields)
}

pub(crate) fn comparison(name: &str) -> Option<Yields> {
    let mut rows = COMPARISONS.iter();
    rows.find(|(_, names)| names.contains(&name))
        .map(|(yields, _)| *yields)
}

/// Whether a method of this name compares.
pub(crate) fn compares(name: &str) -> bool {
    comparison(name).is_some()
}

/// Whether numbers and lists have a method of this name whose result never carries a derivative.
pub(crate) fn is_inert_name(name: &str) -> bool {
    STEPS.contains(&name) || compares(name) || row(name, |of| of == Of::Anything).is_some()
}

/// Whether the standard library has a method of this name that only decides.
pub(crate) fn decides_by_name(name: &str) -> bool {
    compares(name) || row(name, |_| true).is_some()
}

/// Whether a method of this name yields a number in another form.
pub(crate) fn codes_by_name(name: &str) -> bool {
    let of = |of| matches!(of, Of::Anything | Of::Number);
    matches!(row(name, of), Some(Yields::Bits | Yields::Text))
}

/// Methods of the standard library that numbers, options, iterators, lists or text have, beside those that have rules.
pub(crate) const STANDARD: &[&str] = &[
    "add",
    "add_assign",
    "all",
    "and",
    "and_then",
    "any",
    "append",
    "as_bytes",
    "as_deref",
    "as_mut_slice",
    "as_slice",
    "as_str",
    "borrow",
    "borrow_mut",
    "by_ref",
    "capacity",
    "ceil",
    "chain",
    "chars",
    "checked_add",
    "chunk_by",
    "clear",
    "clone_from",
    "clone_from_slice",
    "cloned",
    "cmp_by",
    "collect",
    "concat",
    "contains_key",
    "copied",
    "copy_from_slice",
    "copy_within",
    "count",
    "cycle",
    "dedup",
    "deref",
    "div",
    "div_f32",
    "div_f64",
    "drain",
    "entry",
    "enumerate",
    "err",
    "expect",
    "expect_err",
    "extend",
    "extend_from_slice",
    "extend_from_within",
    "fill",
    "filter",
    "filter_map",
    "find",
    "find_map",
    "first",
    "first_chunk",
    "first_mut",
    "flat_map",
    "flatten",
    "flush",
    "fold",
    "for_each",
    "from",
    "get",
    "get_mut",
    "get_or_init",
    "get_or_insert",
    "get_or_insert_with",
    "insert",
    "inspect",
    "into",
    "into_boxed_slice",
    "into_inner",
    "into_iter",
    "is_none",
    "is_none_or",
    "is_some",
    "is_some_and",
    "iter",
    "iter_mut",
    "join",
    "keys",
    "last",
    "last_mut",
    "load",
    "lock",
    "map",
    "map_err",
    "map_or",
    "map_or_else",
    "map_while",
    "max_by",
    "max_by_key",
    "min_by",
    "min_by_key",
    "mul",
    "mul_f32",
    "mul_f64",
    "neg",
    "next",
    "next_back",
    "nth",
    "ok",
    "ok_or",
    "ok_or_else",
    "or",
    "or_else",
    "parse",
    "partition",
    "partition_point",
    "peek",
    "peekable",
    "pop",
    "position",
    "product",
    "push",
    "push_str",
    "read",
    "recv",
    "reduce",
    "rem",
    "remove",
    "replace",
    "reserve",
    "resize",
    "resize_with",
    "retain",
    "rev",
    "reverse",
    "rotate_left",
    "rotate_right",
    "rposition",
    "scan",
    "select_nth_unstable",
    "send",
    "set",
    "sin_cos",
    "skip",
    "skip_while",
    "sort",
    "sort_by",
    "sort_by_key",
    "sort_unstable",
    "sort_unstable_by",
    "splice",
    "split",
    "split_at",
    "split_at_mut",
    "split_first",
    "split_first_mut",
    "split_last",
    "split_last_mut",
    "split_off",
    "step_by",
    "store",
    "sub",
    "sum",
    "swap",
    "swap_remove",
    "take",
    "take_while",
    "then",
    "then_some",
    "to_bits",
    "to_le_bytes",
    "to_string",
    "to_vec",
    "truncate",
    "try_fold",
    "try_for_each",
    "try_into",
    "try_recv",
    "try_send",
    "unwrap",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
    "unzip",
    "update",
    "values",
    "values_mut",
    "with",
    "write",
    "xor",
    "zip",
];

/// Methods by which values disappear in what many may share, and come back.
const HIDING: &[&str] = &[
    "get_or_init",
    "get_or_insert",
    "load",
    "read",
    "recv",
    "replace",
    "send",
    "set",
    "store",
    "try_recv",
    "try_send",
    "write",
];

/// Whether values disappear by a method in what many may share.
pub(crate) fn hides(name: &str) -> bool {
    HIDING.contains(&name)
}

/// Whether the standard library has methods of this name, beside those that have rules.
pub(crate) fn is_standard(name: &str) -> bool {
    STANDARD.contains(&name) || iterators::parts(name).is_some() || decides_by_name(name)
}

/// Methods whose result refers into their receiver.
const VIEW_METHODS: &[&str] = &[
    "iter",
    "iter_mut",
    "enumerate",
    "zip",
    "rev",
    "as_slice",
    "as_mut_slice",
    "as_ref",
    "as_mut",
    "skip",
    "take",
    "step_by",
    "copied",
    "cloned",
    "into_iter",
    "split_at",
    "split_at_mut",
    "split_first",
    "split_first_mut",
    "split_last",
    "split_last_mut",
    "first",
    "first_mut",
    "last",
    "last_mut",
    "get",
    "get_mut",
    "unwrap",
    "expect",
];

/// Whether what a method of this name yields refers into its receiver.
pub(crate) fn is_view(name: &syn::Ident) -> bool {
    let name = name.to_string();
    VIEW_METHODS.contains(&name.as_str()) || iterators::parts(&name).is_some()
}

/// Methods of sequences, iterators, truth values and options that yield an option in any case.
pub(crate) const OPTIONS: &[&str] = &[
    "err",
    "filter",
    "find",
    "find_map",
    "first",
    "get",
    "last",
    "max",
    "max_by",
    "max_by_key",
    "min",
    "min_by",
    "min_by_key",
    "next",
    "nth",
    "ok",
    "partial_cmp",
    "pop",
    "position",
    "reduce",
    "split_first",
    "split_last",
    "take",
    "then",
    "then_some",
    "xor",
    "zip",
];

/// Methods that yield an option where they are called on one; results have them as well.
pub(crate) const STILL_OPTIONS: &[&str] = &[
    "and_then", "as_deref", "as_ref", "cloned", "copied", "inspect", "map", "or", "or_else",
];

/// Methods of the rule table that integers have as well.
pub(crate) const SHARED_METHODS: &[&str] = &[
    "abs",
    "min",
    "max",
    "clamp",
    "signum",
    "rem_euclid",
    "div_euclid",
    "abs_sub",
];

impl Yields {
    pub(crate) fn ty(self) -> Ty {
        match self {
            Yields::Truth => Ty::Bool,
            Yields::Count | Yields::Bits => Ty::Int,
            Yields::Order | Yields::Text | Yields::Mask | Yields::Place | Yields::PerhapsOrder => {
                Ty::Inert
            }
        }
    }

    /// What is in it, if it is an option or a result.
    pub(crate) fn inside(self) -> Option<Ty> {
        match self {
            Yields::Place => Some(Ty::Int),
            Yields::PerhapsOrder => Some(Ty::Inert),
            _ => None,
        }
    }
}

/// Whether a method, of options and of all that is turned into something else, takes its receiver by value.
pub(crate) fn takes_receiver(name: &str) -> bool {
    let opens = matches!(
        name,
        "expect" | "unwrap" | "unwrap_or" | "unwrap_or_default" | "unwrap_or_else"
    );
    opens || name.starts_with("into_")
}

/// Whether a method of lists or of options is known to move nothing of its receiver.
pub(crate) fn leaves_receiver(name: &str) -> bool {
    LOOKS.contains(&name)
}

/// Methods of lists and of options that move nothing.
const LOOKS: &[&str] = &[
    "as_deref",
    "as_ref",
    "as_slice",
    "chunks",
    "chunks_exact",
    "clone",
    "contains",
    "first",
    "get",
    "is_empty",
    "is_none",
    "is_some",
    "iter",
    "last",
    "len",
    "to_vec",
    "windows",
];
