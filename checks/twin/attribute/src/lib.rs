//! `#[grad]` with a twin on the tape, for every function that can have one.

use proc_macro::{Span, TokenStream, TokenTree};

/// Files whose functions have no twin, each with what their bodies have that no variables can stand for.
const FILES: &[(&str, &str)] = &[
    ("constant_fields.rs", "structs of floats"),
    ("enums.rs", "enums of floats"),
    (
        "function_arguments.rs",
        "functions of floats that are passed to functions",
    ),
    ("methods.rs", "structs of floats"),
    ("nested.rs", "derivatives of other functions"),
    ("second_types.rs", "structs of floats"),
    ("user_types.rs", "structs of floats"),
];

const LENDS: &str = "it lends variables to a compiled function, which changes floats";
const COTANGENT: &str = "`with_cotangent` is a matter of compiled code";

/// Other functions without a twin, each with the reason.
const FUNCTIONS: &[(&str, &str)] = &[
    ("called_in_a_loop", LENDS),
    ("calls_halves", LENDS),
    ("changes_a_local", LENDS),
    ("clipped", COTANGENT),
    ("counted", COTANGENT),
    ("grown", LENDS),
    ("grown_in_place", LENDS),
    (
        "is_passed_on_by_name",
        "it passes a closure to a compiled function",
    ),
    ("lends_twice", LENDS),
    ("lent", LENDS),
    ("looked_at", COTANGENT),
    ("looked_at_in_a_sum", COTANGENT),
    ("looked_at_whole", COTANGENT),
    ("narrowed", "it computes in both widths"),
    (
        "nested_patterns_of_closures",
        "it passes a closure to a compiled function",
    ),
    ("not_on_the_way", COTANGENT),
    ("recursed", LENDS),
    ("seen_once_a_round", COTANGENT),
    ("shifts", LENDS),
    ("singles", COTANGENT),
    ("steps", LENDS),
    (
        "stopped",
        "it calls a function of floats in `stop_gradient`",
    ),
    ("swept", LENDS),
    ("through_a_scalar_reference", LENDS),
    ("transformed", LENDS),
    ("unused_result", LENDS),
];

/// `#[grad]`, and the same body on a tape, to be compared with.
#[proc_macro_attribute]
pub fn grad(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut tokens = item.clone().into_iter();
    let name = tokens
        .by_ref()
        .find(|token| token.to_string() == "fn")
        .and_then(|_| tokens.next())
        .map(|token: TokenTree| token.to_string());
    // Where the body stands; the attribute may come from a macro.
    let body = item.clone().into_iter().last();
    let file = body.map_or_else(Span::call_site, |body| body.span()).file();
    let compiled = name.is_none_or(|name| FUNCTIONS.iter().any(|(other, _)| *other == name))
        || FILES.iter().any(|(other, _)| file.ends_with(other));
    let twin = if compiled { "" } else { "__twin" };
    let comma = if args.is_empty() || compiled { "" } else { "," };
    let mut out: TokenStream = format!("#[::autodiff::__grad({args} {comma} {twin})]")
        .parse()
        .unwrap_or_default();
    out.extend(item);
    out
}
