//! Small functions of ordinary numeric code, one file per construct, each put to every check:
//! `vjp` = `jvp` = central differences, values bit for bit, buffers are added to, all forms of the derivative agree.

#![allow(
    clippy::all,
    clippy::pedantic,
    unreachable_pub,
    unused_variables,
    reason = "the functions show what people write, not what is best"
)]

#[allow(
    dead_code,
    unreachable_pub,
    reason = "shared with the member `checks`, which uses more of it"
)]
#[path = "../checks/src/difference.rs"]
mod difference;
#[allow(
    dead_code,
    unreachable_pub,
    reason = "shared with the member `checks`, which uses more of it"
)]
#[path = "../checks/src/effect.rs"]
mod effect;
#[allow(
    dead_code,
    unreachable_pub,
    reason = "shared with the member `checks`, which uses more of it"
)]
#[path = "../checks/src/flat.rs"]
mod flat;
#[allow(
    dead_code,
    unreachable_pub,
    reason = "shared with the member `checks`, which uses more of it"
)]
#[path = "../checks/src/judge.rs"]
mod judge;
#[allow(
    dead_code,
    unreachable_pub,
    reason = "shared with the member `checks`, which uses more of it"
)]
#[path = "../checks/src/random.rs"]
mod random;

#[macro_use]
#[path = "corpus/check.rs"]
mod check;

mod corpus {
    mod arithmetic;
    mod arrays;
    mod beside;
    mod bindings;
    mod borrowing_types;
    mod branches;
    mod bulk;
    mod calls;
    mod chains;
    mod chains_traps;
    mod checkpoint;
    mod closures;
    mod constant_data;
    mod constant_fields;
    mod constant_memory;
    mod constant_parts;
    mod constants_of_types;
    mod control;
    mod cursors;
    mod edges;
    mod ends_of_types;
    mod enums;
    mod exits;
    mod fragments;
    mod function_arguments;
    mod functions;
    mod generic_blocks;
    mod generic_types;
    mod generics;
    mod growth;
    mod growth_traps;
    mod hygiene;
    mod idioms;
    mod inactive;
    mod inactive_references;
    mod indexed_types;
    mod items;
    mod jacobian_rows;
    mod lengths;
    mod lent;
    mod lent_and_changed;
    mod lent_options;
    mod matches;
    mod methods;
    mod mixtures;
    mod modes;
    mod mut_params;
    mod named_functions;
    mod nested;
    mod orders;
    mod own;
    mod own_names;
    mod parts_lent;
    mod passed_on;
    mod range_types;
    mod ranges;
    mod recursion;
    mod references;
    mod returned_options;
    mod rows;
    mod running_sums;
    mod scalar_models;
    mod second;
    mod second_calls;
    mod second_directions;
    mod second_lent;
    mod second_operators;
    mod second_types;
    mod singles;
    mod slice_patterns;
    mod slices;
    mod stacks;
    mod stored_iterators;
    mod struct_updates;
    mod taken_by_value;
    mod third;
    mod traits;
    mod traps;
    mod tuples;
    mod unknown_types;
    mod user_types;
    mod values_of_types;
    mod vecs;
    mod vectors;
    mod views;
    mod written_types;
}
