//! The corpus, of which `corpus/prelude.rs` speaks: parameters and memory that are constant.

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
    mod constant_data;
    mod constant_memory;
    mod constant_results;
    mod inactive;
    mod state;
}
