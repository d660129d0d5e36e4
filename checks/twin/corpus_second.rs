//! The corpus, whose functions run on a tape as well, its second half; `without.txt` says which files are left out.

include!("../../tests/corpus/prelude.rs");

#[path = "../../tests/corpus"]
mod corpus {
    mod inactive_references;
    mod items;
    mod jacobian_rows;
    mod matches;
    mod mixtures;
    mod modes;
    mod nearest;
    mod neighbours;
    mod orders;
    mod own;
    mod range_types;
    mod ranges;
    mod recursion;
    mod references;
    mod returned_options;
    mod rows;
    mod running_sums;
    mod scalar_models;
    mod singles;
    mod slice_patterns;
    mod slices;
    mod stacks;
    mod stored_iterators;
    mod sunk;
    mod sunk_traps;
    mod traps;
    mod tuples;
    mod vecs;
    mod vectors;
    mod views;
}
