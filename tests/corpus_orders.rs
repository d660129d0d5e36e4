//! The corpus, of which `corpus.rs` speaks: second and higher derivatives, rules of one's own, checkpoints.

#![allow(
    clippy::all,
    clippy::pedantic,
    unreachable_pub,
    unused_variables,
    reason = "the functions show what people write, not what is best"
)]

#[allow(
    dead_code,
    unused_macros,
    reason = "shared with all of the corpus, which uses more of it"
)]
#[macro_use]
#[path = "corpus/check.rs"]
mod check;
#[path = "corpus/harness.rs"]
mod harness;
use harness::{difference, effect, flat, judge, random};

#[path = "corpus"]
mod corpus {
    mod arms;
    mod checkpoint;
    mod closures_apart;
    mod jacobian_rows;
    mod modes;
    mod nested;
    mod orders;
    mod own;
    mod own_forward;
    mod second;
    mod second_calls;
    mod second_checkpoints;
    mod second_directions;
    mod second_lent;
    mod second_operators;
    mod second_types;
    mod third;
}
