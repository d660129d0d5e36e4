//! The corpus, whose functions run on a tape as well, its first half; `without.txt` says which files are left out.

include!("../../tests/corpus/prelude.rs");

#[path = "../../tests/corpus"]
mod corpus {
    mod arithmetic;
    mod arrays;
    mod bindings;
    mod branches;
    mod bulk;
    mod calls;
    mod chains;
    mod chains_traps;
    mod checkpoint;
    mod closures;
    mod columns;
    mod counted;
    mod cursors;
    mod edges;
    mod exits;
    mod fragments;
    mod functions;
    mod generics;
    mod growth;
    mod growth_traps;
    mod hygiene;
    mod idioms;
    mod inactive;
}
