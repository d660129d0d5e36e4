//! The corpus, of which `corpus/prelude.rs` speaks: arrays, slices and lists.

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
    mod arrays;
    mod beside;
    mod bulk;
    mod growth;
    mod growth_traps;
    mod lengths;
    mod lists_handed_on;
    mod mut_params;
    mod neighbours;
    mod rows;
    mod running_sums;
    mod slice_patterns;
    mod slices;
    mod stacks;
    mod states;
    mod tuples;
    mod vecs;
    mod vectors;
    mod views;
    mod written_again;
    mod written_anew;
}
