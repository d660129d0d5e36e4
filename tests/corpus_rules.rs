//! The corpus, of which `corpus/prelude.rs` speaks: rules of one's own, and checkpoints.

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
    mod checkpoint;
    mod implicit;
    mod own;
    mod own_forward;
    mod own_pairs;
    mod second_checkpoints;
}
