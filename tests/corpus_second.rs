//! The corpus, of which `corpus/prelude.rs` speaks: second and higher derivatives.

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
    mod many_parameters;
    mod nearest;
    mod orders;
    mod overwritten;
    mod second;
    mod second_calls;
    mod second_options;
    mod sunk;
    mod third;
    mod zero_slopes;
}
