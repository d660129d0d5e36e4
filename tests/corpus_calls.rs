//! The corpus, of which `corpus/prelude.rs` speaks: calls, recursion and closures.

include!("corpus/prelude.rs");

#[allow(
    clippy::all,
    clippy::pedantic,
    unreachable_pub,
    unused_variables,
    reason = "the functions show what people write, not what is best"
)]
#[path = "corpus"]
mod corpus {
    mod at_once;
    mod calls;
    mod closures;
    mod deciding_functions;
    mod functions;
    mod lent_scratch;
    mod passed_on;
    mod recursion;
    mod sunk_traps;
}
