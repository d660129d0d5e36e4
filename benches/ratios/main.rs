//! What a gradient costs: the function itself, its derivative by `#[grad]`, and the best one written by hand.
//!
//! `cargo bench` checks and measures everything, `cargo bench -- gmm` the problems with "gmm" in their names.
//! See `benches/README.md` for the method, the count mode and a table.
#![allow(clippy::needless_range_loop)] // the problems use indices, as the literature does

use std::process::ExitCode;

use crate::measure::Times;
use crate::problem::Problem;

mod check;
mod data;
mod flat;
mod measure;
mod problem;
mod table;

mod cholesky;
mod fft;
mod gmm;
mod lotka_volterra;
mod lstm;
mod matvec;
mod newton;
mod rosenbrock;
mod scalar;
mod speelpenning;

const USAGE: &str = "\
cargo bench [-- NAME…]                     check and measure the problems with one of these in their names
cargo bench -- --check [NAME…]             only check
cargo bench -- --count NAME KIND [TIMES]   only run one program so many times, to count its instructions;
                                           KIND is primal, grad, hand, grad-into or hand-into";

fn problems() -> Vec<Problem> {
    vec![
        rosenbrock::problem(),
        scalar::problem(),
        speelpenning::problem(),
        gmm::problem::<2, 5, 1>("gmm-d2-k5"),
        gmm::problem::<10, 25, 45>("gmm-d10-k25"),
        gmm::chains::problem::<2, 5, 1>("gmm-chains-d2-k5"),
        gmm::chains::problem::<10, 25, 45>("gmm-chains-d10-k25"),
        lotka_volterra::problem(),
        lstm::problem(),
        matvec::problem(),
        newton::problem(),
        fft::problem(),
        cholesky::problem(),
        cholesky::of_rows(),
    ]
}

fn main() -> ExitCode {
    // Cargo passes `--bench` to a benchmark but not to one that runs as a test, which only checks.
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |option: &str| arguments.iter().any(|a| a == option);
    let measuring = given("--bench") && !given("--check");
    arguments.retain(|a| a != "--bench" && a != "--check");
    match arguments.first().map(String::as_str) {
        Some("--count") => count(&arguments[1..]),
        Some(option) if option.starts_with('-') => usage(),
        _ => run(&arguments, measuring),
    }
}

fn run(names: &[String], measuring: bool) -> ExitCode {
    let mut problems = problems();
    problems.retain(|p| names.is_empty() || names.iter().any(|n| p.name.contains(n.as_str())));
    if problems.is_empty() {
        return usage();
    }
    for problem in &problems {
        check::check(problem);
    }
    println!("{} problems: values and gradients agree", problems.len());
    if measuring {
        table::header();
        for problem in &problems {
            table::row(problem.name, &Times::of(problem));
        }
    }
    ExitCode::SUCCESS
}

fn count(arguments: &[String]) -> ExitCode {
    let (name, kind, times) = match arguments {
        [name, kind] => (name, kind, Some(1)),
        [name, kind, times] => (name, kind, times.parse().ok()),
        _ => return usage(),
    };
    let problems = problems();
    let chosen = problems.iter().find(|p| p.name == name).and_then(|p| {
        let mut contestants = p.contestants.iter();
        contestants.find(|c| c.kind.name() == kind)
    });
    let (Some(contestant), Some(times)) = (chosen, times) else {
        return usage();
    };
    measure::counted(contestant, times);
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    let names: Vec<&str> = problems().iter().map(|p| p.name).collect();
    eprintln!("problems: {}", names.join(", "));
    ExitCode::from(2)
}
