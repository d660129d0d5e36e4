//! Names: of the hidden forms that functions and methods have, and of what generated code has for its own.

use proc_macro2::TokenStream;
use proc_macro2::{Ident, Span};
use quote::{format_ident, quote};
use syn::spanned::Spanned;

use crate::types;

/// The hidden form of a function, differentiated so often in forward mode; `base` is empty for the function itself.
pub(crate) fn form_name(level: u32, base: &str) -> Ident {
    let mut name = String::from("_");
    for _ in 0..level {
        name += "_jvp";
    }
    if !base.is_empty() {
        name += "_";
        name += base;
    }
    Ident::new(&name, Span::call_site())
}

/// The name of the forward form in several directions at once, in lanes.
pub(crate) const LANES_FORM: &str = "__lanes_fwd";

/// The same with a tangent for each direction.
pub(crate) const EACH_FORM: &str = "__each_fwd";

/// The name of forward mode in lanes; its arguments are the number of directions, the function's own as a tuple, and their tangents.
pub(crate) const JVP_LANES: &str = "__lanes_jvp";

/// That of a function that changes what it is lent.
pub(crate) const JVP_LANES_MUT: &str = "__lanes_mut_jvp";

/// The constant that says whether a function has it, and all that it calls.
pub(crate) const IN_LANES: &str = "__IN_LANES";

/// That of a function that changes what it is lent: to one that does not, a caller may lend it as if it did.
pub(crate) const MUT_IN_LANES: &str = "__MUT_IN_LANES";

/// The forward sweep whose pullback leaves alone what the function changed; its arguments are the function's own as a tuple, and a closure that calls `__fwd` with them.
pub(crate) const LEAVING: &str = "__leaving";

/// How many directions there are at once, as the generated function calls it.
pub(crate) fn lanes() -> Ident {
    Ident::new("__LANES", Span::mixed_site())
}

/// The forms of a function as they are passed to another.
pub(crate) const PASSED: &str = "passed";

/// The name of a derivative of the method `name`: `loss_grad`, or `__fwd_loss` for a hidden form.
pub(crate) fn sibling(form: &str, name: &Ident) -> Ident {
    let name = name.to_string().replace("r#", "");
    if form.starts_with("__") {
        format_ident!("{form}_{name}")
    } else {
        format_ident!("{name}_{form}")
    }
}

/// Whether other derivatives call the form, whatever they know of the first argument.
pub(crate) fn is_called(form: &str) -> bool {
    let in_forward_mode = form.starts_with("__jvp") && !form.ends_with("_vjp");
    in_forward_mode || ["__fwd", "__even", "__value", "__trace", EACH_FORM].contains(&form)
}

/// The form that is called by the path of a function with a first argument by value, which may be the receiver of a method.
///
/// Another name, because methods are called on what is lent to them: `__fwd_sq` borrows the receiver.
pub(crate) fn taken(form: &str) -> String {
    if is_called(form) {
        form.replacen("__", "__taken_", 1)
    } else {
        form.to_owned()
    }
}

/// What a trait without `#[grad]` lacks where a function of it is called on a number; its name is the advice.
pub(crate) const CALLED: &str = "__put_grad_above_the_trait_and_its_impl";

/// The macro by which a derivative of a function that has failed is left.
pub(crate) const LEAVE: &str = "__leave_if_failed";

/// A type that is its parameter where rustc takes the code.
pub(crate) const SOUND: &str = "__Sound";

/// The function beside a fallible one that computes its value.
pub(crate) const VALUE: &str = "__try";

/// The parameter by which it reports an error.
pub(crate) const FAILURE: &str = "__failure";

/// The name of the function that computes the value of the function or method `name`.
pub(crate) fn value_name(name: &Ident) -> Ident {
    let plain = name.to_string().replace("r#", "");
    format_ident!("{VALUE}_{plain}", span = name.span())
}

/// The name of a function or method as the user wrote it, where `name` may be that of the one that computes its value.
pub(crate) fn without_value(name: &str) -> &str {
    let plain = name.strip_prefix(VALUE).and_then(|n| n.strip_prefix('_'));
    plain.unwrap_or(name)
}

/// Lints that derivative code cannot heed: names are the user's, and statements are in the order of the sweeps. Some are younger than the oldest compiler that will do.
pub(crate) const ALLOWED: &str = "#[allow(
    unknown_lints, nonstandard_style, unused, deprecated, mismatched_lifetime_syntaxes, unreachable_pub, unused_lifetimes, single_use_lifetimes,
    unused_qualifications, unused_results, let_underscore_drop, arithmetic_overflow, unconditional_panic, trivial_bounds, trivial_casts,
    trivial_numeric_casts, elided_lifetimes_in_paths, missing_docs, missing_debug_implementations, missing_copy_implementations, clippy::all,
    clippy::pedantic, clippy::nursery, clippy::restriction
)]";

/// Names that generated functions give to what is theirs.
pub(crate) const RESERVED: &[&str] = &[
    "seed",
    "value",
    "back",
    "deep",
    "bars",
    "tangents",
    "tangent",
    "matrix",
    "rows",
    "columns",
    "column",
    "row",
    "at",
    "gradient",
    "out",
    "trace",
    "tape",
    "nodes",
    "flat",
    "next",
    "found",
    "result",
    "caller",
    "arg",
    "last",
    "dot_seed",
    "curvature",
];

/// The form of a function that calls itself which leaves its pullback on a stack.
pub(crate) const DEEP: &str = "__deep";

/// What a function returns that has failed.
pub(crate) fn absent(ty: &syn::Type, rt: &TokenStream) -> TokenStream {
    match (types::strip_groups(ty), types::read(ty)) {
        (_, crate::ir::Ty::Float(crate::ir::Width::F64 | crate::ir::Width::F32)) => quote!(0.0),
        (syn::Type::Tuple(t), _) => {
            let parts = t.elems.iter().map(|t| absent(t, rt));
            quote!((#(#parts,)*))
        }
        (syn::Type::Array(t), crate::ir::Ty::Array(elem, _)) if elem.is_scalar() => {
            let (elem, len) = (absent(&t.elem, rt), &t.len);
            quote!([#elem; #len])
        }
        // Of a type parameter its bounds say what there is.
        _ => {
            let asked = Ident::new("__autodiff_absent", ty.span());
            quote!(({ use #rt::fallible::KnownAbsent as _; (&&&&#rt::fallible::Absence::<#ty>::new()).#asked() }))
        }
    }
}

/// `rt::fallible::failure(…)`, or the parameter itself: what reports an error is no reference.
pub(crate) fn is_failure(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Path(p) => p.path.is_ident(FAILURE),
        syn::Expr::Call(call) => matches!(&*call.func, syn::Expr::Path(p)
            if p.path.segments[0].ident == "rt" && p.path.segments.last().is_some_and(|s| s.ident == "failure")),
        _ => false,
    }
}

/// The name of the function that reads what is at an index of some parts. It is what an error shows if there is none.
pub(crate) fn reader(parts: usize, span: Span) -> Ident {
    Ident::new(&format!("of_grad_impl_Index_{parts}"), span)
}

/// How the name of the function that writes it begins.
pub(crate) const WRITER: &str = "set_by_grad_impl_IndexMut_";

/// The name of the function that writes it.
pub(crate) fn writer(parts: usize, span: Span) -> Ident {
    Ident::new(&format!("{WRITER}{parts}"), span)
}
