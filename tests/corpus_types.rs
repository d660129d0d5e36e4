//! The corpus, of which `corpus.rs` speaks: types of one's own, methods, generics, and what is constant or lent.

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
    mod borrowing_types;
    mod boxes;
    mod constant_data;
    mod constant_fields;
    mod constant_memory;
    mod constant_parts;
    mod constants_of_types;
    mod ends_of_types;
    mod enums;
    mod function_arguments;
    mod generic_blocks;
    mod generic_traits;
    mod generic_types;
    mod generics;
    mod inactive;
    mod inactive_references;
    mod indexed_types;
    mod lent;
    mod lent_and_changed;
    mod lent_options;
    mod methods;
    mod options_of_types;
    mod own_names;
    mod parts_lent;
    mod passed_on;
    mod plain_types;
    mod range_types;
    mod references;
    mod returned_lists;
    mod returned_options;
    mod struct_updates;
    mod taken_by_value;
    mod traits;
    mod unknown_types;
    mod user_types;
    mod values_of_types;
    mod written_types;
}
