//! A tool for GradBench, the public benchmark of automatic differentiation: its twelve problems, differentiated by `#[grad]`.
//!
//! Without arguments it speaks the benchmark's protocol on its standard streams.

// The problems are written as the benchmark has them.
#![allow(clippy::needless_range_loop, clippy::manual_memcpy)]

mod bench;
mod by_hand;
mod check;
mod descent;
mod evals;
mod output;
mod protocol;
mod rows;
mod scavenge;
mod task;

use std::io::{self, BufReader, Write};
use std::panic;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Answers the messages of GradBench on standard input until it ends.
#[derive(Parser)]
#[command(name = "gradbench")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Compare with records of what the functions return: exit code 1 if any does not hold, or a file cannot be used
    Check {
        /// Files with a record a line
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Measure gradients beside their functions and beside gradients by hand
    Bench {
        /// The problems to measure [default: all]
        evals: Vec<String>,
        /// Where a picture of the ratios goes
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
    },
    /// Run one program of a problem once, and print the most memory of this process, in bytes
    #[command(hide = true)]
    Peak {
        eval: String,
        workload: String,
        program: String,
    },
}

fn main() -> ExitCode {
    // What a function panics with is in the answer.
    panic::set_hook(Box::new(|_| {}));
    let mut out = io::stdout().lock();
    let outcome = match Arguments::parse().command {
        None => protocol::serve(BufReader::new(io::stdin().lock()), out).map(|()| true),
        Some(Command::Check { files }) => check::check(&files, &mut out),
        Some(Command::Bench { evals, svg }) => bench::bench(&evals, svg.as_deref(), &mut out),
        Some(Command::Peak {
            eval,
            workload,
            program,
        }) => match bench::peak(&eval, &workload, &program) {
            Some(bytes) => writeln!(out, "{bytes}").map(|()| true),
            None => Ok(false),
        },
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // Whoever read the output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
