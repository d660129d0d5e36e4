//! The corpus, of which `corpus/prelude.rs` speaks: products and factors of tensors.
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
    mod made_again;
    #[cfg(feature = "linalg")]
    mod spectra;
}
