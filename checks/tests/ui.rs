//! What `#[grad]` refuses, and the words it says it in: one mistake per file, in a folder by its topic.

mod package;

use package::{Package, errors};

#[test]
fn refusals() {
    trybuild::TestCases::new().compile_fail("../tests/ui/*/*.rs");
}

/// rustc says it, in words of the trait `Differentiable`; the list of types that it adds is not ours to fix in a file.
#[test]
fn a_type_without_derivative_is_named() {
    let program = "pub struct P(pub f64);\n#[autodiff::grad]\npub fn f(x: f64, p: &P) -> f64 { let _ = p; x * x }\n";
    let package = Package::new("without-derivative", "2021", &[("src/lib.rs", program)]);
    let output = package.cargo(&["check"], None);
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

/// rustc says as well that there is no such method, and shows lines of the standard library where its source is installed.
#[test]
fn an_iterator_of_an_iterator_is_named() {
    let program = "#[autodiff::grad]\npub fn f(x: &[f64]) -> f64 {\n    x.iter().iter().map(|v| v * v).sum()\n}\n";
    let package = Package::new("iterator", "2021", &[("src/lib.rs", program)]);
    let output = package.cargo(&["check"], None);
    assert!(!output.status.success(), "accepted");
    let said = errors(&output);
    let message = "an iterator has no method `iter`; call it on what the iterator is made of\n --> src/lib.rs:3:14";
    assert!(said.contains(message), "{said}");
}

/// With the source of the standard library installed, rustc shows the line that it names.
#[test]
fn expected_messages_name_no_file_of_the_standard_library() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/ui");
    let files = |folder: &std::path::Path| {
        let entries = std::fs::read_dir(folder).expect("the folder is there");
        entries.map(|entry| entry.expect("it can be read").path())
    };
    for path in files(folder.as_ref()).flat_map(|topic| files(&topic)) {
        if path.extension().is_some_and(|name| name == "stderr") {
            let text = std::fs::read_to_string(&path).expect("it can be read");
            assert!(!text.contains("$RUST"), "{}", path.display());
        }
    }
}
