//! `autodiff explain`: what a refusal means, and what to write instead.
//!
//! The compiler's messages have no codes. A kind of refusal is known by its message, whatever stands between its backticks.

mod kinds;

use std::fmt::Write;

use crate::problem::Problem;

/// A kind of refusal.
pub struct Kind {
    /// By which it is asked for.
    pub name: &'static str,
    /// The compiler's message for the example.
    message: &'static str,
    /// What it is that cannot be done.
    why: &'static str,
    /// Code that is refused.
    example: &'static str,
    /// Code that is not.
    instead: &'static str,
}

/// The kind of a message, if it is in the table.
pub fn kind_of(message: &str) -> Option<&'static Kind> {
    kinds::KINDS
        .iter()
        .find(|kind| same_kind(kind.message, message))
}

/// Whether two messages differ in names at most.
fn same_kind(a: &str, b: &str) -> bool {
    a.split('`').step_by(2).eq(b.split('`').step_by(2))
}

/// The explanation of a refusal, or the list of all.
///
/// # Errors
/// If no refusal has that name.
pub fn explain(name: Option<&str>) -> Result<String, Vec<Problem>> {
    let Some(name) = name else {
        return Ok(list());
    };
    match kinds::KINDS.iter().find(|kind| kind.name == name) {
        Some(kind) => Ok(text(kind)),
        None => Err(vec![Problem::plain(format!(
            "no refusal is called `{name}`; `autodiff explain` lists them"
        ))]),
    }
}

fn list() -> String {
    let mut out = String::new();
    let width = kinds::KINDS.iter().map(|k| k.name.len()).max();
    for kind in kinds::KINDS {
        let what = kind.message.split("; ").next().unwrap_or_default();
        let _ = writeln!(
            out,
            "{:width$}  {what}",
            kind.name,
            width = width.unwrap_or(0)
        );
    }
    out
}

fn text(kind: &Kind) -> String {
    format!(
        "{}\n\n{}\n\nThis is refused:\n\n{}\nWrite instead:\n\n{}",
        kind.message,
        kind.why,
        indented(kind.example),
        indented(kind.instead)
    )
}

fn indented(code: &str) -> String {
    let lines = code.lines().map(|line| match line {
        "" => "\n".to_owned(),
        line => format!("    {line}\n"),
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use expect_test::expect_file;

    use super::{explain, kind_of, kinds::KINDS};
    use crate::expand::expand;
    use crate::source::{Request, Source};

    fn messages(code: &str) -> Vec<String> {
        let source = Source::parse("example.rs", code).expect("Rust");
        match expand(&source, &Request::default()) {
            Ok(_) => Vec::new(),
            Err(problems) => problems.into_iter().map(|p| p.message).collect(),
        }
    }

    #[test]
    fn every_example_is_refused_with_its_message_alone() {
        for kind in KINDS {
            assert_eq!(messages(kind.example), [kind.message], "{}", kind.name);
        }
    }

    #[test]
    fn what_to_write_instead_is_compiled() {
        for kind in KINDS {
            let none: [&str; 0] = [];
            assert_eq!(messages(kind.instead), none, "{}", kind.name);
        }
    }

    #[test]
    fn every_message_leads_to_its_own_kind() {
        for kind in KINDS {
            let found = kind_of(kind.message).map(|k| k.name);
            assert_eq!(found, Some(kind.name));
            let plain = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(kind.name.chars().all(plain), "{}", kind.name);
        }
        assert!(kind_of("something else").is_none());
    }

    /// The chapter of the book, whose tests compile what to write instead.
    #[test]
    fn the_book_has_every_kind() {
        let mut chapter = String::from(
            "# Kinds of refusals\n\nThis chapter is written by a test of the command line, from the table that `autodiff explain` prints.\n",
        );
        for kind in KINDS {
            let _ = write!(
                chapter,
                "\n## {}\n\n> {}\n\n{}\n\n```rust,ignore\n{}```\n\nWrite instead:\n\n```rust\n# use autodiff::{{Differentiable, grad}};\n{}```\n",
                kind.name, kind.message, kind.why, kind.example, kind.instead
            );
        }
        expect_file!["../../book/src/refusals-by-kind.md"].assert_eq(&chapter);
    }

    #[test]
    fn names_are_listed_and_unknown_ones_refused() {
        let list = explain(None).expect("a list");
        assert_eq!(list.lines().count(), KINDS.len());
        assert!(explain(Some("no-such-refusal")).is_err());
        let text = explain(Some("unsafe-block")).expect("a text");
        assert!(text.contains("Write instead:\n\n    #[grad]\n"), "{text}");
    }
}
