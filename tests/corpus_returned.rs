//! The corpus, of which `corpus/prelude.rs` speaks: options and lists that are handed back.

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
    mod absent_values;
    mod checked_first;
    mod failing_loops;
    mod fallible;
    mod fallible_objectives;
    mod looked_up;
    mod returned_lists;
    mod returned_options;
}
