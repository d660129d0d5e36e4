//! What the book prints of the compiler is what the program prints.
#![allow(missing_docs, reason = "tests")]

mod run;

use run::{autodiff, written};

#[test]
fn stages_in_the_book_are_those_of_the_compiler() {
    let chapter = include_str!("../../book/src/compiler.md");
    // Fences are the odd parts; their first line says of what they are.
    let blocks = || chapter.split("```").skip(1).step_by(2);
    let code = |name: &str| {
        let mut functions = blocks().filter_map(|block| block.strip_prefix("rust\n"));
        let function = functions.find(|code| code.contains(name)).unwrap();
        let lines = function.lines().filter(|line| !line.starts_with("# "));
        lines.collect::<Vec<_>>().join("\n")
    };
    let mut printed = Vec::new();
    for (function, stages) in [
        ("f", &["facts", "lowered", "jvp", "vjp", "residuals"][..]),
        ("iterate", &["residuals"]),
    ] {
        let path = written(
            &format!("{function}_of_the_book.rs"),
            &code(&format!("fn {function}(")),
        );
        for stage in stages {
            let run = autodiff(&["stages", &path, function, "--stage", stage]);
            assert!(run.success, "{}", run.error);
            printed.push(run.output);
        }
    }
    let shown: Vec<_> = blocks().filter_map(|b| b.strip_prefix("text\n")).collect();
    assert_eq!(shown, printed);
}
