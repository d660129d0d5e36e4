//! `#[grad]` with a twin on the tape, for every function that can have one.

use proc_macro::{TokenStream, TokenTree};

const LENDS: &str = "it lends variables to a compiled function, which changes floats";
const TWICE: &str = "it counts how often it runs";
const PASSES: &str = "it passes a closure to a compiled function";

/// Functions without a twin, each with the reason.
const FUNCTIONS: &[(&str, &str)] = &[
    ("called_in_a_loop", LENDS),
    ("changes_a_local", LENDS),
    ("counted_sine", TWICE),
    ("counts", TWICE),
    ("effects_once", TWICE),
    ("grown", LENDS),
    ("grown_in_place", LENDS),
    ("is_passed_on_by_name", PASSES),
    ("lends_twice", LENDS),
    ("narrowed", "it computes in both widths"),
    ("nested_patterns_of_closures", PASSES),
    (
        "shadowed",
        "a function of its body has its name, which is ambiguous to an import",
    ),
    ("shifts", LENDS),
    ("skipped_calls", TWICE),
    ("steps", LENDS),
    ("swept", LENDS),
    ("through_a_scalar_reference", LENDS),
    ("transformed", LENDS),
    ("unused_result", LENDS),
    ("with_constants", TWICE),
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
    let compiled = name.is_none_or(|name| FUNCTIONS.iter().any(|(other, _)| *other == name));
    let twin = if compiled { "" } else { "__twin" };
    let comma = if args.is_empty() || compiled { "" } else { "," };
    let mut out: TokenStream = format!("#[::autodiff::__grad({args} {comma} {twin})]")
        .parse()
        .unwrap_or_default();
    out.extend(item);
    out
}
