//! The corpus, of which `corpus/prelude.rs` speaks: derivatives of derivatives.

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
    mod columns;
    mod jacobian_rows;
    mod lanes;
    mod modes;
    mod nested;
}
