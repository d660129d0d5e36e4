//! The corpus, of which `corpus/prelude.rs` speaks: control flow, and what is written in ordinary bodies.

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
    mod arithmetic;
    mod asked_together;
    mod bindings;
    mod branches;
    mod conditional_code;
    mod control;
    mod counted;
    mod counters;
    mod decides;
    mod edges;
    mod exits;
    mod fragments;
    mod hygiene;
    mod idioms;
    mod items;
    mod matches;
    mod mixtures;
    mod parts;
    mod ranges;
    mod scalar_models;
    mod searches;
    mod singles;
    mod sums;
    mod traps;
}
