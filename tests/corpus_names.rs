//! The corpus, of which `corpus/prelude.rs` speaks: names that are the user's own.

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
    mod formula_names;
    mod named_floats;
    mod own_names;
}
