//! Generated code gives no warning, whatever a crate denies.

mod package;

use package::{Package, errors};

const PROGRAM: &str = include_str!("lints/program.rs");

fn check(edition: &str) {
    let package = Package::new(
        &format!("lints-{edition}"),
        edition,
        &[("src/lib.rs", PROGRAM)],
    );
    let output = package.cargo(&["check"], None);
    assert!(output.status.success(), "{}", errors(&output));
    // Clippy is a component of its own, which not everybody has.
    if !package
        .cargo(&["clippy", "--version"], None)
        .status
        .success()
    {
        eprintln!("without clippy");
        return;
    }
    let output = package.cargo(&["clippy"], None);
    assert!(output.status.success(), "{}", errors(&output));
}

#[test]
fn edition_2021_has_no_warnings() {
    check("2021");
}

#[test]
fn edition_2024_has_no_warnings() {
    check("2024");
}
