//! The command line of `autodiff`: derivatives as source, graphs, reports, stages of the compiler, and its refusals explained.
#![forbid(unsafe_code)]

mod check;
mod expand;
mod explain;
mod problem;
mod source;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::problem::Problem;
use crate::source::{Request, Source};

/// Automatic differentiation of Rust functions: what the macro makes, to be read, checked in and compared.
#[derive(Parser)]
#[command(name = "autodiff", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write a file out with its derivatives in place of #[grad] and #[derive(Differentiable)]
    Expand {
        /// The file of Rust
        file: String,
        /// The one function, `Type::method` or type to expand, marked or not; all that is marked if it is left out
        function: Option<String>,
        /// How often it may be differentiated
        #[arg(long, requires = "function", value_parser = clap::value_parser!(u32).range(1..=3))]
        order: Option<u32>,
        /// How gradients are computed
        #[arg(long, requires = "function", value_parser = ["forward", "reverse"])]
        mode: Option<String>,
        /// Where it is written, in place of the standard output
        #[arg(short, long, value_name = "OUT")]
        output: Option<String>,
        /// Compare with what is in OUT, and write nothing
        #[arg(long, requires = "output")]
        check: bool,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let (outcome, failed) = match arguments.command {
        Command::Expand {
            file,
            function,
            order,
            mode,
            output,
            check,
        } => {
            let request = Request {
                function,
                order,
                mode,
                report: false,
            };
            let outcome = Source::read(&file).and_then(|source| expand::expand(&source, &request));
            let outcome = outcome.and_then(|text| deliver(&text, output.as_deref(), check));
            (outcome, format!("could not expand `{file}`"))
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => {
            problem::print(&problems, &failed);
            ExitCode::FAILURE
        }
    }
}

/// Prints a text, writes it to a file, or compares it with what is there.
fn deliver(text: &str, output: Option<&str>, check: bool) -> Result<(), Vec<Problem>> {
    let failed = |what: &str, path: &str, error: std::io::Error| {
        vec![Problem::plain(format!(
            "failed to {what} `{path}`: {error}"
        ))]
    };
    match output {
        None => {
            print_out(text);
            Ok(())
        }
        Some(path) if check => {
            let there = std::fs::read_to_string(path).map_err(|e| failed("read", path, e))?;
            match check::difference(&there, text) {
                None => Ok(()),
                Some(difference) => {
                    anstream::eprint!("{difference}");
                    Err(vec![Problem::plain(format!(
                        "`{path}` is not what would be written now; run the same command without `--check`"
                    ))])
                }
            }
        }
        Some(path) => std::fs::write(path, text).map_err(|e| failed("write", path, e)),
    }
}

/// Writes to the standard output; whoever reads it may have had enough.
fn print_out(text: &str) {
    use std::io::Write;
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}
