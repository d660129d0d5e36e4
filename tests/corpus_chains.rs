//! The corpus, of which `corpus/prelude.rs` speaks: iterators.

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
    mod chains;
    mod chains_traps;
    mod cursors;
    mod stored_iterators;
}
