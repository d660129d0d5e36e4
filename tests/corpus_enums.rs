//! The corpus, of which `corpus/prelude.rs` speaks: enums of one's own, and constants of types.

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
    mod constants_by_value;
    mod constants_of_types;
    mod enums;
}
