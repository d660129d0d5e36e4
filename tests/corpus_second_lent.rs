//! The corpus, of which `corpus/prelude.rs` speaks: second derivatives through what is lent.

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
    mod second_directions;
    mod second_lent;
}
