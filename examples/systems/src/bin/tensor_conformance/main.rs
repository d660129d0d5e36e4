//! Puts operations of tensors to figures: results, gradients and derivatives along tangents, of compiled functions and on a tape.
//!
//!     cargo run --release -p systems --bin tensor_conformance -- --help

mod attributes;
mod file;
mod layout;
mod operations;
mod question;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use file::File;
use question::{Answer, Question};
use systems::{Stop, Verdict};

/// Puts operations of tensors to figures: results, gradients and derivatives along tangents, of compiled functions and on a tape.
///
/// Each case is computed with its operands one entry behind the other in memory, and laid out otherwise. Where a case has no second derivatives (`hvp`), those of compiled functions are compared with differences of gradients, which is said but decides nothing. Exit code 1 if a number is missed, 2 if the file cannot be used.
#[derive(Parser)]
#[command(name = "tensor_conformance")]
struct Arguments {
    /// A JSON file with cases [default: those that come with the program]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The same, by the name that it has elsewhere
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    reference: Option<PathBuf>,
}

fn main() -> ExitCode {
    // What an operation panics with is part of the answer.
    std::panic::set_hook(Box::new(|_| {}));
    systems::run(run)
}

/// How many cases of an operation hold.
#[derive(Default)]
struct Count {
    name: String,
    cases: usize,
    compiled: usize,
    on_tape: usize,
    both: usize,
}

fn run(arguments: Arguments, out: &mut dyn Write) -> Result<Verdict, Stop> {
    let cases = match arguments.file.as_ref().or(arguments.reference.as_ref()) {
        Some(path) => systems::read::<File>(path)?,
        None => systems::parse::<File>(include_bytes!("../../../data/tensor_ops.json"))
            .map_err(Stop::Unusable)?,
    };
    let mut counts: Vec<Count> = Vec::new();
    let (mut largest, mut numbers) = (0.0_f64, 0);
    let (mut curved, mut agree) = (0, 0);
    for case in &cases {
        let known = counts.iter().position(|count| count.name == case.operation);
        let count = match known {
            Some(k) => &mut counts[k],
            None => {
                counts.push(Count {
                    name: case.operation.clone(),
                    ..Count::default()
                });
                counts.last_mut().expect("the one just added")
            }
        };
        count.cases += 1;
        let answer = match Question::of(case) {
            Ok(question) => question.answer(),
            Err(reason) => Answer::refused(reason),
        };
        let [compiled, on_tape] = answer.holds();
        count.compiled += usize::from(compiled);
        count.on_tape += usize::from(on_tape);
        count.both += usize::from(compiled && on_tape);
        for miss in &answer.misses {
            writeln!(
                out,
                "MISSED {}: {miss}",
                if case.id.is_empty() {
                    &case.operation
                } else {
                    &case.id
                }
            )?;
        }
        largest = largest.max(answer.largest);
        numbers += answer.numbers;
        if let Some(deviation) = answer.second {
            curved += 1;
            if deviation <= question::ROUGHLY {
                agree += 1;
            } else {
                writeln!(
                    out,
                    "second order of {} is {deviation:.1e} from differences",
                    case.id
                )?;
            }
        }
    }
    for Count {
        name,
        cases,
        compiled,
        on_tape,
        both,
    } in &counts
    {
        writeln!(
            out,
            "{name:18} {both:3} of {cases} hold; compiled {compiled}, on the tape {on_tape}"
        )?;
    }
    if curved > 0 {
        writeln!(
            out,
            "second order: {agree} of {curved} agree with differences of gradients"
        )?;
    }
    let held: usize = counts.iter().map(|count| count.both).sum();
    writeln!(
        out,
        "total: {held} of {} hold, compiled and on the tape; {numbers} numbers, largest deviation {largest:.1e}, allowed {:.0e}",
        cases.len(),
        question::ALLOWED,
    )?;
    Ok(if held == cases.len() {
        Verdict::Held
    } else {
        Verdict::Missed
    })
}
