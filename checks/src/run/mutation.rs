//! The mutation of the compiler: with one analysis made wrong on purpose, the checks must notice.

use std::io;

use super::glue::Forms;
use super::report::Failure;
use super::series::{Series, run_series};

/// The mutations that the compiler knows.
pub const NAMES: &[&str] = &[
    "drop_save",
    "drop_record",
    "drop_change",
    "drop_swap",
    "keep_adjoint",
    "drop_carried",
    "drop_step",
    "whole_range",
    "drop_round",
    "forget_taken",
    "drop_sunk",
    "drop_bend",
    "drop_kept_dot",
    "drop_link",
    "drop_choice",
];

/// Of these, what first derivatives do not show.
const SECOND: &[&str] = &["drop_bend", "drop_kept_dot"];

/// What the programs noticed of one mutation.
#[derive(Debug, Clone)]
pub struct MutantReport {
    /// The mutation.
    pub name: String,
    /// How many programs were run.
    pub programs: usize,
    /// The programs that noticed it.
    pub noticed: Vec<Failure>,
}

impl MutantReport {
    /// Did no program notice?
    #[must_use]
    pub fn survived(&self) -> bool {
        self.noticed.is_empty()
    }

    /// How many programs noticed by a message that contains `word`.
    #[must_use]
    pub fn by(&self, word: &str) -> usize {
        self.noticed
            .iter()
            .filter(|failure| failure.message.contains(word))
            .count()
    }
}

/// The forms that show a mutation.
fn forms(options: String, second: bool) -> Forms {
    Forms {
        options,
        // What is wrong differs from forward mode, too.
        remember_all: false,
        verify: false,
        dynamic: false,
        strong: false,
        second,
        lean: second,
        ..Forms::default()
    }
}

/// The series of the forms that show a mutation, by the compiler as it is: its programs must pass.
#[must_use]
pub fn sound(series: &Series) -> Series {
    Series {
        forms: forms(String::new(), true),
        ..series.clone()
    }
}

/// Compiles the programs of a series with a mutated compiler and lets them be judged.
///
/// # Errors
///
/// If files cannot be written, or cargo cannot be run.
pub fn test_mutation(series: &Series, name: &str) -> io::Result<MutantReport> {
    let mutated = Series {
        forms: forms(format!("__mutate = {name:?}"), SECOND.contains(&name)),
        keep: None,
        workshop: "mutation".to_owned(),
        ..series.clone()
    };
    let report = run_series(&mutated)?;
    // Code that does not compile is a noticed mutation too, but not one that the checks can take credit for.
    let noticed = report
        .failures
        .into_iter()
        .filter(|failure| {
            !failure.message.contains("does not compile")
                && !failure.message.contains("generator failed")
        })
        .collect();
    Ok(MutantReport {
        name: name.to_owned(),
        programs: report.programs,
        noticed,
    })
}
