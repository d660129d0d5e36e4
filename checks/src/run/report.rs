//! What a run of many programs found.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::generate::{Program, TRAPS};

/// A program that did not pass.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Its place in the series.
    pub index: u64,
    /// What went wrong, in one line.
    pub message: String,
}

/// The outcome of a series.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// How many programs there were.
    pub programs: usize,
    /// Those that did not pass.
    pub failures: Vec<Failure>,
    /// Partial derivatives confirmed by differences.
    pub confirmed: usize,
    /// Partial derivatives next to a kink or a step.
    pub skipped: usize,
    /// Partial derivatives that are NaN in one way and a number in another, because a zero met an infinite slope on the other way only.
    pub absorbed: usize,
    /// How often each trap was set.
    pub traps: BTreeMap<&'static str, usize>,
    /// How many programs use each construct.
    pub constructs: BTreeMap<&'static str, usize>,
}

impl Report {
    /// Notes what a program contains.
    pub fn count(&mut self, program: &Program) {
        self.programs += 1;
        for &trap in &program.traps {
            *self.traps.entry(trap).or_default() += 1;
        }
        for &construct in &program.constructs {
            *self.constructs.entry(construct).or_default() += 1;
        }
    }

    /// Traps that were not set once in 20 programs.
    #[must_use]
    pub fn rare_traps(&self) -> Vec<&'static str> {
        TRAPS
            .into_iter()
            .filter(|trap| self.traps.get(trap).copied().unwrap_or(0) < self.programs / 20)
            .collect()
    }

    /// The report as text.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut out = String::new();
        let traps: usize = self.traps.values().sum();
        let _ = writeln!(
            out,
            "{} programs, {traps} traps of {} kinds, {} constructs",
            self.programs,
            self.traps.len(),
            self.constructs.len()
        );
        let _ = writeln!(
            out,
            "{} partial derivatives confirmed by differences, {} next to kinks skipped, {} absorbed in one way only",
            self.confirmed, self.skipped, self.absorbed
        );
        let _ = write!(out, "{} programs failed", self.failures.len());
        out
    }
}
