//! The corpus, of which `corpus/prelude.rs` speaks: methods.

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
    mod getters;
    mod methods;
    mod order_of_receivers;
}
