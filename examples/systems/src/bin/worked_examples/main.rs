//! Puts the worked examples of textbooks to a tape and to compiled functions: the value of every node, and the derivative by it.
//!
//!     cargo run --release -p systems --bin worked_examples -- --help

mod formula;
mod program;
mod question;
mod textbook;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use program::{compiled, on_tape};
use question::{Example, File, Known, Question};
use systems::{Check, Stop, Verdict};

/// How far a number may be from its figure, as a part of it.
const ALLOWED: f64 = 1e-10;

/// Puts the worked examples of textbooks to a tape and to compiled functions.
///
/// The formulas of each example are read and run on a tape, and by one function with `#[grad]` that interprets them; the examples that everyone knows are functions with `#[grad]` as well. Exit code 1 if a number is missed, 2 if the file cannot be used.
#[derive(Parser)]
#[command(name = "worked_examples")]
struct Arguments {
    /// A JSON file with examples [default: those that come with the program]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The same, by the name that it has elsewhere
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    reference: Option<PathBuf>,
}

fn main() -> ExitCode {
    systems::run(run)
}

fn run(arguments: Arguments, out: &mut dyn Write) -> Result<Verdict, Stop> {
    let examples = match arguments.file.as_ref().or(arguments.reference.as_ref()) {
        Some(path) => systems::read::<File>(path)?,
        None => systems::parse::<File>(include_bytes!("../../../data/worked_examples.json"))
            .map_err(Stop::Unusable)?,
    };
    // Relative, because a chain of many sigmoids has tiny derivatives that count.
    let mut check = Check::new(ALLOWED, |figure| match figure.abs() {
        0.0 => 1.0,
        size => size,
    });
    let mut held = 0;
    for (example, question) in &examples {
        write!(out, "{:24} ", example.name)?;
        match question {
            Ok(question) => held += usize::from(answer(example, question, &mut check, out)?),
            Err(reason) => writeln!(out, "NOT UNDERSTOOD: {reason}")?,
        }
    }
    let count = examples.len();
    writeln!(out, "{held} of {count} examples hold; {}", check.summary())?;
    if held == count {
        Ok(Verdict::Held)
    } else {
        Ok(Verdict::Missed)
    }
}

/// Compares what is known of an example with what is found in every way, and says whether it holds.
fn answer(
    example: &Example,
    question: &Question,
    check: &mut Check,
    out: &mut dyn Write,
) -> Result<bool, Stop> {
    let known = question.known();
    write!(out, "{:3} numbers:", known.len())?;
    let ways = [
        ("tape", question.run(on_tape)),
        ("compiled", question.run(compiled)),
        ("written out", textbook::written_out(example)),
    ];
    let mut furthest = 0.0;
    for (way, found) in ways {
        let mut largest = None;
        for Known { name, figure, .. } in &known {
            if let Some((_, found)) = found.iter().find(|(of, _)| of == name) {
                let place = format!("{}.{name}, {way}", example.name);
                let deviation = check.compare(&place, &[*found], &[*figure]);
                largest = Some(deviation.max(largest.unwrap_or(0.0)));
            }
        }
        match largest {
            Some(largest) => write!(out, " {way} {largest:.1e}")?,
            None => write!(out, " not {way}")?,
        }
        furthest = largest.unwrap_or(0.0).max(furthest);
    }
    let holds = furthest <= ALLOWED;
    writeln!(out, "{}", if holds { "" } else { " MISSED" })?;
    Ok(holds)
}
