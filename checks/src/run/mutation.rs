//! The mutation of the compiler: with one analysis made wrong on purpose, the checks must notice.

use std::collections::BTreeSet;
use std::io;

use super::glue::Forms;
use super::report::{Failure, Report};
use super::series::{Case, Series, has_second, judge, split};
use crate::generate::generate;

/// The mutations that the compiler knows.
pub const NAMES: &[&str] = &[
    "drop_save",
    "drop_record",
    "drop_change",
    "drop_swap",
    "keep_adjoint",
    "drop_carried",
    "drop_step",
    "leave_lent",
    "whole_range",
    "drop_round",
    "forget_taken",
    "drop_sunk",
    "drop_bend",
    "drop_kept_dot",
    "drop_link",
    "drop_choice",
    "drop_sum",
    "drop_neighbour",
    "add_to_nothing",
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
        without: None,
        verify: false,
        dynamic: false,
        strong: false,
        second,
        lean: true,
        ..Forms::default()
    }
}

/// What a mutation is tried on: programs of a series, by their places.
#[derive(Debug, Clone)]
pub struct Trial<'a> {
    /// The mutation.
    pub name: &'a str,
    /// The programs.
    pub programs: Vec<u64>,
}

/// Compiles programs of a series with mutated compilers and lets them be judged, all in one build.
///
/// Beside them stands each program by the compiler as it is, which must pass.
///
/// # Errors
///
/// If a program does not pass without any mutation, files cannot be written, or cargo cannot be run.
pub fn test_mutations(series: &Series, trials: &[Trial]) -> io::Result<Vec<MutantReport>> {
    let of = |index: u64, forms: Forms, name: &dyn Fn(String) -> String| {
        let program = generate(series.seed, index, &series.constructs);
        let second = forms.second && has_second(&program);
        let forms = Forms { second, ..forms };
        Case::new(name(program.module()), program, &forms)
    };
    let all: BTreeSet<u64> = trials.iter().flat_map(|t| t.programs.clone()).collect();
    let sound: Vec<Case> = all
        .iter()
        .map(|&index| of(index, forms(String::new(), true), &|module| module))
        .collect();
    // In crates of their own: what does not come to its end takes no other mutation along.
    let mut batches = split(&sound, series.batch);
    for trial in trials {
        let programs = trial.programs.iter().map(|&index| {
            let forms = forms(
                format!("__mutate = {:?}", trial.name),
                SECOND.contains(&trial.name),
            );
            of(index, forms, &|module| format!("{}_{module}", trial.name))
        });
        batches.extend(split(&programs.collect::<Vec<_>>(), series.batch));
    }
    let mut reports: Vec<MutantReport> = trials
        .iter()
        .map(|trial| MutantReport {
            name: trial.name.to_owned(),
            programs: trial.programs.len(),
            noticed: Vec::new(),
        })
        .collect();
    judge(
        "mutation",
        &batches,
        &mut Report::default(),
        |case, message| {
            let index = case.program.index;
            let mutation = case
                .name
                .strip_suffix(&format!("_{}", case.program.module()));
            let Some(report) = reports.iter_mut().find(|r| Some(&*r.name) == mutation) else {
                let message = format!("program {index} must pass first: {message}");
                return Err(io::Error::other(message));
            };
            // Code that does not compile is a noticed mutation too, but not one that the checks can take credit for.
            if !message.contains("does not compile") && !message.contains("generator failed") {
                report.noticed.push(Failure { index, message });
            }
            Ok(())
        },
    )?;
    Ok(reports)
}
