//! The corpus, of which `corpus/prelude.rs` speaks: what is lent.

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
    mod lent;
    mod lent_and_changed;
    mod lent_options;
    mod made_where_lent;
    mod parts_lent;
}
