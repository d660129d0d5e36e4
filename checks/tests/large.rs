//! Large functions: expansion stays linear, and rustc bears the result.

mod package;

use std::fmt::Write;
use std::time::Instant;

use package::{Package, errors};

/// A function with `operations` operations, and what it should print at 0.3: value and derivative.
fn program(operations: usize) -> (String, f64, f64) {
    let mut body = String::new();
    let (mut value, mut slope) = (0.3_f64, 1.0_f64);
    let mut previous = "x".to_owned();
    for k in 0..operations {
        let name = format!("t{k}");
        let (code, next, partial) = match k % 5 {
            0 => (format!("{previous} * 1.25"), value * 1.25, 1.25),
            1 => (format!("{previous} + x"), value + 0.3, 1.0),
            2 => (format!("{previous}.sin()"), value.sin(), value.cos()),
            3 => (
                format!("{previous} * {previous}"),
                value * value,
                2.0 * value,
            ),
            _ => (format!("{previous} - 0.5"), value - 0.5, 1.0),
        };
        slope = partial * slope + if k % 5 == 1 { 1.0 } else { 0.0 };
        value = next;
        let _ = writeln!(body, "    let {name} = {code};");
        previous = name;
    }
    let text = format!(
        "#[autodiff::grad]\nfn f(x: f64) -> f64 {{\n{body}    {previous}\n}}\n\
         fn main() {{\n    let (value, slope) = f::value_and_grad(0.3);\n    \
         let (_, tangent) = f::jvp(0.3, 1.0);\n    println!(\"{{value:e}} {{slope:e}} {{tangent:e}}\");\n}}\n"
    );
    (text, value, slope)
}

fn package(operations: usize) -> (Package, f64, f64) {
    let (text, value, slope) = program(operations);
    let package = Package::new(
        &format!("large-{operations}"),
        "2024",
        &[("src/main.rs", &text)],
    );
    (package, value, slope)
}

/// A package that is up to date would not be expanded again.
fn clean(package: &Package, operations: usize) {
    let name = format!("large-{operations}");
    let _ = package.cargo(&["clean", "--package", &name], None);
}

#[test]
fn two_thousand_operations_build_and_are_right() {
    let (package, value, slope) = package(2_000);
    // What the package depends on is built first, so that the time is that of the function.
    let _ = package.cargo(&["check", "--package", "autodiff"], None);
    clean(&package, 2_000);
    let start = Instant::now();
    let checked = package.cargo(&["check"], None);
    println!("expanded and type-checked in {:?}", start.elapsed());
    assert!(checked.status.success(), "{}", errors(&checked));
    let output = package.cargo(&["run"], None);
    assert!(output.status.success(), "{}", errors(&output));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let numbers: Vec<f64> = printed
        .split_whitespace()
        .filter_map(|n| n.parse().ok())
        .collect();
    for (got, want) in numbers.iter().zip([value, slope, slope]) {
        assert!(
            (got - want).abs() <= 1e-12 * want.abs().max(1.0),
            "{got} is not {want}"
        );
    }
    assert_eq!(numbers.len(), 3, "{printed}");
}

#[test]
fn expansion_is_linear() {
    let size = |operations: usize| {
        let (package, _, _) = package(operations);
        // A package that is up to date would not be expanded again.
        let _ = package.cargo(
            &["clean", "--package", &format!("large-{operations}")],
            None,
        );
        let output = package.cargo(&["check"], Some("f"));
        assert!(output.status.success(), "{}", errors(&output));
        errors(&output).len()
    };
    let (small, large) = (size(1_000), size(2_000));
    println!("{small} and {large} characters");
    assert!(small > 10_000, "nothing was printed");
    assert!(large as f64 <= 2.6 * small as f64, "{small}, then {large}");
}

#[test]
fn stages_are_printed() {
    let program =
        "#[autodiff::grad]\npub fn product(x: f64, y: f64) -> f64 { let z = x.sin() * y; z * z }\n";
    let package = Package::new("stages", "2024", &[("src/lib.rs", program)]);
    for (stage, part) in [
        ("names", "let z = x.sin() * y"),
        ("facts", "x: Float(F64), active"),
        ("lowered", "z* = v0* * y*"),
        ("jvp", "fn(x, y; "),
        ("vjp", "// reverse"),
        ("residuals", "// reverse"),
        ("emitted", "pub fn __vjp"),
    ] {
        let _ = package.cargo(&["clean", "--package", "stages"], None);
        let output = package.cargo(&["check"], Some(&format!("product:{stage}")));
        let said = errors(&output);
        // Code is printed without regard to lines.
        let words: Vec<&str> = said.split_whitespace().collect();
        let found = words.join(" ").contains(part.trim());
        assert!(output.status.success() && found, "{said}");
    }
    let _ = package.cargo(&["clean", "--package", "stages"], None);
    let other = errors(&package.cargo(&["check"], Some("quotient:lowered")));
    assert!(!other.contains("z* ="), "{other}");
}
