//! The command line of `autodiff`: derivatives as source, graphs, reports, stages of the compiler, and its refusals explained.
#![forbid(unsafe_code)]

mod check;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use autodiff_compiler::tool::stage_names;

use autodiff_cli::problem::{Problem, Renderer};
use autodiff_cli::show::Format;
use autodiff_cli::source::{Request, Source};
use autodiff_cli::{expand, explain, show};

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
    /// Draw the static computation graph of a function
    Graph {
        /// The file of Rust
        file: String,
        /// The function, or `Type::method`
        function: String,
        /// How it is written
        #[arg(long, value_enum, default_value = "svg")]
        format: Format,
    },
    /// Say what reverse sweeps remember, line by line, and why
    Report {
        /// The file of Rust
        file: String,
        /// The function, or `Type::method`; all if it is left out
        function: Option<String>,
    },
    /// Print the stages of the compiler for a function
    Stages {
        /// The file of Rust
        file: String,
        /// The function, or `Type::method`
        function: String,
        /// The one stage that is printed
        #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(stage_names()))]
        stage: Option<String>,
    },
    /// Explain a refusal: an example, and what to write instead
    Explain {
        /// The name of the refusal, which stands in brackets behind `error`; all names if it is left out
        refusal: Option<String>,
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
                ..Request::default()
            };
            let outcome = Source::read(&file).and_then(|source| expand::expand(&source, &request));
            let outcome = outcome.and_then(|text| deliver(&text, output.as_deref(), check));
            (outcome, format!("could not expand `{file}`"))
        }
        Command::Graph {
            file,
            function,
            format,
        } => {
            let shown = of(&file, Some(function), |source, request| {
                show::graph(source, request, format)
            });
            (shown, format!("could not draw a function of `{file}`"))
        }
        Command::Report { file, function } => (
            of(&file, function, show::report),
            format!("could not report on `{file}`"),
        ),
        Command::Stages {
            file,
            function,
            stage,
        } => {
            let shown = of(&file, Some(function), |source, request| {
                show::stages(source, request, stage.as_deref())
            });
            (shown, format!("could not differentiate `{file}`"))
        }
        Command::Explain { refusal } => {
            let text = explain::explain(refusal.as_deref());
            (text.map(|text| print_out(&text)), String::new())
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => {
            print_problems(&problems, &failed);
            ExitCode::FAILURE
        }
    }
}

/// Prints what there is to see of a function.
fn of(
    file: &str,
    function: Option<String>,
    show: impl FnOnce(&Source, &Request) -> Result<String, Vec<Problem>>,
) -> Result<(), Vec<Problem>> {
    let request = Request {
        function,
        ..Request::default()
    };
    let source = Source::read(file)?;
    show(&source, &request).map(|text| print_out(&text))
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

/// Prints problems, each with an empty line behind it, and what they mean to the run.
fn print_problems(problems: &[Problem], failed: &str) {
    for problem in problems {
        anstream::eprintln!("{}\n", problem.render(&Renderer::styled()));
    }
    let known = problems.iter().find_map(|p| explain::kind_of(&p.message));
    let errors = match problems.len() {
        1 => "1 previous error".to_owned(),
        n => format!("{n} previous errors"),
    };
    if problems.iter().any(|p| p.range().is_some()) {
        let last = Problem::plain(format!("{failed} due to {errors}"));
        anstream::eprintln!("{}", last.render(&Renderer::styled()));
    }
    if let Some(kind) = known {
        anstream::eprintln!(
            "\nFor what to write instead, try `autodiff explain {}`.",
            kind.name
        );
    }
}
