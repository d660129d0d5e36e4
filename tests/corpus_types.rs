//! The corpus, of which `corpus/prelude.rs` speaks: structs of one's own.

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
    mod ends_of_types;
    mod indexed_types;
    mod range_types;
    mod struct_updates;
    mod taken_by_value;
    mod unknown_types;
    mod user_types;
    mod values_of_types;
    mod without_clone;
    mod written_types;
}
