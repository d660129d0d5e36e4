//! Functions generic over the float traits of other crates, put to what the corpus is put to.

include!("../../tests/corpus/prelude.rs");

#[allow(
    clippy::all,
    clippy::pedantic,
    unreachable_pub,
    reason = "the functions show what people write, not what is best"
)]
#[path = "generic"]
mod corpus {
    mod of_num_traits;
    mod of_simba;
}
