//! The corpus, of which `corpus/prelude.rs` speaks: what is borrowed.

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
    mod borrowing_types;
    mod fields_passed_on;
    mod inactive_references;
    mod references;
}
