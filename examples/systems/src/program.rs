//! The frame of every program: its arguments, its output, its exit code.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

/// What a program that came to its end has to say about the figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// They are met, or there are none. Exit code 0.
    Held,
    /// They are missed. Exit code 1.
    Missed,
}

/// Why a program did not come to its end.
#[derive(Debug)]
pub enum Stop {
    /// The user gave it something that it cannot use, and this sentence says what. Exit code 2.
    Unusable(String),
    /// Its output cannot be written.
    Output(io::Error),
}

impl Stop {
    /// The file at `path` cannot be used, because of `reason`.
    pub fn file(path: &Path, reason: impl Display) -> Self {
        Stop::Unusable(format!("{}: {reason}", path.display()))
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Output(error)
    }
}

/// Runs a program with the arguments of the command line, and says with which code the process ends.
pub fn run<A: Parser>(
    program: impl FnOnce(A, &mut dyn Write) -> Result<Verdict, Stop>,
) -> ExitCode {
    let outcome = program(A::parse(), &mut io::stdout().lock());
    ExitCode::from(code(outcome, &mut io::stderr().lock()))
}

/// The exit code; what went wrong is written to `err`.
fn code(outcome: Result<Verdict, Stop>, err: &mut dyn Write) -> u8 {
    let reason = match outcome {
        Ok(Verdict::Held) => return 0,
        Ok(Verdict::Missed) => return 1,
        // Whoever read the output has seen enough, as in `microgpt | head`.
        Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => return 0,
        Err(Stop::Output(error)) => error.to_string(),
        Err(Stop::Unusable(reason)) => reason,
    };
    // With no place left to say it, the code says it alone.
    let _ = writeln!(err, "error: {reason}");
    2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_of_the_help() {
        let mut err = Vec::new();
        assert_eq!(code(Ok(Verdict::Held), &mut err), 0);
        assert_eq!(code(Ok(Verdict::Missed), &mut err), 1);
        assert!(err.is_empty());
        let stop = Stop::file(Path::new("a.json"), "no such thing");
        assert_eq!(code(Err(stop), &mut err), 2);
        assert_eq!(err, b"error: a.json: no such thing\n");
    }

    #[test]
    fn a_reader_that_leaves_is_no_error() {
        let mut err = Vec::new();
        let left = io::Error::from(io::ErrorKind::BrokenPipe);
        assert_eq!(code(Err(left.into()), &mut err), 0);
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert_eq!(code(Err(full.into()), &mut err), 2);
    }
}
