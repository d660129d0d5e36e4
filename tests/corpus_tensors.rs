//! The corpus, of which `corpus/prelude.rs` speaks: tensors.
#![cfg(feature = "tensor")]

include!("corpus/prelude.rs");
#[path = "../checks/src/tensors.rs"]
mod tensors;

#[allow(
    clippy::all,
    clippy::pedantic,
    unreachable_pub,
    unused_variables,
    reason = "the functions show what people write, not what is best"
)]
#[path = "corpus"]
mod corpus {
    mod reassigned_constants;
    mod taken_constants;
    mod tensor_errors;
    mod tensors;
}
