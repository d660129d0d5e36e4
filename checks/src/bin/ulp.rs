//! Puts every `f32` to the functions of `lane`: `cargo run -p autodiff-checks --release --bin ulp -- --help`.

use std::process::ExitCode;

#[allow(
    dead_code,
    reason = "shared with the runtime's own tests, which use more of it"
)]
#[path = "../../../autodiff-runtime/tests/lane/accuracy.rs"]
mod accuracy;

use accuracy::{ROWS, worst};

const HELP: &str = "\
How far the elementary functions of tensors are from the truth, at every f32.

    ulp [--step N] [NAME…]

--step N  every Nth of the 2^32 arguments (default 1: some minutes for each function)
NAME      the functions to test (default all)";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (mut step, mut names) = (1, Vec::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--help" => {
                println!("{HELP}");
                return ExitCode::SUCCESS;
            }
            "--step" => match arguments.next().and_then(|step| step.parse().ok()) {
                Some(given) if given > 0 => step = given,
                _ => {
                    eprintln!("ulp: --step needs a positive number");
                    return ExitCode::from(2);
                }
            },
            name if ROWS.iter().any(|row| row.name == name) => names.push(argument),
            name => {
                eprintln!("ulp: no function `{name}`; --help says more");
                return ExitCode::from(2);
            }
        }
    }
    let mut hold = true;
    for row in ROWS
        .iter()
        .filter(|row| names.is_empty() || names.iter().any(|name| name == row.name))
    {
        let worst = worst(row, step, 1);
        let holds = worst.ulps <= row.allowed && worst.wrong.is_empty();
        hold &= holds;
        println!(
            "{:14} {:.3} units in the last place at {:e}{}",
            row.name,
            worst.ulps,
            worst.at,
            if holds {
                String::new()
            } else {
                format!("; wrong: {:?}", worst.wrong)
            }
        );
    }
    if hold {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
