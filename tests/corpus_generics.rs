//! The corpus, of which `corpus/prelude.rs` speaks: generics, and functions as arguments.

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
    mod bounds;
    mod captured_lists;
    mod captured_types;
    mod function_arguments;
    mod generic_blocks;
    mod generic_types;
    mod generics;
    mod named_functions;
    mod states_of_any_type;
    mod traits_of_numbers;
}
