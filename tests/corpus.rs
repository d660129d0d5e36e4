//! Small functions of ordinary numeric code, one file per construct, each put to every check:
//! `vjp` = `jvp` = central differences, values bit for bit, buffers are added to, all forms of the derivative agree.
//! Those on types of one's own are in `corpus_types.rs`, those on derivatives of derivatives, rules of one's own and
//! checkpoints in `corpus_orders.rs`: rustc takes minutes and gigabytes for all of them at once.

#![allow(
    clippy::all,
    clippy::pedantic,
    unreachable_pub,
    unused_variables,
    reason = "the functions show what people write, not what is best"
)]

#[macro_use]
#[path = "corpus/check.rs"]
mod check;
#[path = "corpus/harness.rs"]
mod harness;
use harness::{difference, effect, flat, judge, random};

mod corpus {
    mod arithmetic;
    mod arrays;
    mod beside;
    mod bindings;
    mod branches;
    mod bulk;
    mod calls;
    mod chains;
    mod chains_traps;
    mod closures;
    mod control;
    mod cursors;
    mod decides;
    mod edges;
    mod exits;
    mod fragments;
    mod functions;
    mod growth;
    mod growth_traps;
    mod hygiene;
    mod idioms;
    mod items;
    mod lengths;
    mod matches;
    mod mixtures;
    mod mut_params;
    mod named_functions;
    mod ranges;
    mod recursion;
    mod rows;
    mod running_sums;
    mod scalar_models;
    mod singles;
    mod slice_patterns;
    mod slices;
    mod stacks;
    mod stored_iterators;
    mod traps;
    mod tuples;
    mod vecs;
    mod vectors;
    mod views;
}
