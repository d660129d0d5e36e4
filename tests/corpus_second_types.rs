//! The corpus, of which `corpus/prelude.rs` speaks: second derivatives of types of one's own.

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
    mod arms;
    mod closures_apart;
    mod operator_methods;
    mod second_operators;
    mod second_types;
}
