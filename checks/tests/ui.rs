//! What `#[grad]` refuses, and the words it says it in: one mistake per file.

mod package;

use package::{Package, errors};

#[test]
fn refusals() {
    trybuild::TestCases::new().compile_fail("../tests/ui/*.rs");
}

/// rustc says it, in words of the trait `Differentiable`; the list of types that it adds is not ours to fix in a file.
#[test]
fn a_type_without_derivative_is_named() {
    let program = "pub struct P(pub f64);\n#[autodiff::grad]\npub fn f(x: f64, p: &P) -> f64 { let _ = p; x * x }\n";
    let package = Package::new("without-derivative", "2021", &[("src/lib.rs", program)]);
    let output = package.cargo(&["check"], false);
    assert!(!output.status.success(), "accepted");
    let said = errors(&output);
    let first = said.split("error").nth(1).unwrap_or_default();
    assert!(first.contains("`P` has no derivative"), "{said}");
    assert!(first.contains("src/lib.rs:3:22"), "{said}");
    assert!(
        first.contains("`#[constant]` before the parameter"),
        "{said}"
    );
}
