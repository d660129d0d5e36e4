//! What `#[grad]` refuses, and the words it says it in: one mistake per file.

#[test]
fn refusals() {
    trybuild::TestCases::new().compile_fail("../tests/ui/*.rs");
}
