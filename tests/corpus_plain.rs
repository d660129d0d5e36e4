//! The corpus, of which `corpus/prelude.rs` speaks: plain Rust beside what is computed, which is written rarely.

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
    mod capacities;
    mod chunk_items;
    mod empty_results;
    mod integrators;
    mod parts_backwards;
    mod plain_types;
    mod rarely_written;
}
