//! Runs random programs: `cargo run -p autodiff-checks --release --bin random -- --help`.

use std::process::ExitCode;

use autodiff_checks::generate::{CONSTRUCTS, Constructs, generate};
use autodiff_checks::run::{MUTATIONS, Series, Trial, reduce, run_series, test_mutations};

const HELP: &str = "\
Random programs against silently wrong gradients.

    random [--seed S] [--count N] [--first I] [--batch B] [--without LIST | --only LIST] [--keep DIR]
           [--print] [--plain] [--lean] [--reduce] [--mutations [LIST]]

--seed S       the seed of the series (default 1)
--count N      how many programs (default 100)
--first I      the place of the first program in the series (default 0)
--batch B      how many programs share a crate (default 25)
--without LIST constructs to leave out, by name, separated by commas
--only LIST    the only constructs to use
--keep DIR     writes failing programs there
--print        prints the programs and stops
--plain        tests the generator: plain functions, differences in the place of derivatives
--lean         fifteen programs of sixteen with the forms that are compared alone, a third of them with one twin: a quarter of the cost
--options TEXT options of `#[grad(…)]` for the judged functions
--reduce       makes the first failing program smaller and prints it
--mutations    runs the programs with each of the compiler's mutations (or those of LIST); each must be noticed";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("random: {message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let mut series = Series::new(1, 100);
    let (mut print, mut reduced, mut mutations) = (false, false, None);
    let mut arguments = std::env::args().skip(1).peekable();
    while let Some(argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .ok_or_else(|| format!("{argument} needs a value"))
        };
        let number = |text: String| {
            text.parse::<u64>()
                .map_err(|_| format!("`{text}` is not a number"))
        };
        match argument.as_str() {
            "--seed" => series.seed = number(value()?)?,
            "--count" => series.count = number(value()?)?,
            "--first" => series.first = number(value()?)?,
            "--batch" => series.batch = number(value()?)? as usize,
            "--without" => series.constructs = series.constructs.clone().without(&value()?)?,
            "--only" => series.constructs = Constructs::only(&value()?)?,
            "--keep" => series.keep = Some(value()?.into()),
            "--options" => series.forms.options = value()?,
            "--print" => print = true,
            "--plain" => series.forms.plain = true,
            "--lean" => series.lean = true,
            "--reduce" => reduced = true,
            "--mutations" => {
                let list = arguments
                    .next_if(|next| !next.starts_with("--"))
                    .unwrap_or_else(|| MUTATIONS.join(","));
                mutations = Some(list.split(',').map(str::to_owned).collect::<Vec<_>>());
            }
            "--help" | "-h" => {
                println!("{HELP}\n\nconstructs: {}", CONSTRUCTS.join(", "));
                return Ok(true);
            }
            other => return Err(format!("`{other}` is not an option; see --help")),
        }
    }
    if print {
        for program in series.programs() {
            println!(
                "// seed {}, program {}: {}\n{}",
                program.seed,
                program.index,
                program.traps.join(", "),
                program.render("#[grad]")
            );
        }
        return Ok(true);
    }
    let failed = |error: std::io::Error| error.to_string();
    if let Some(names) = mutations {
        let mut caught = true;
        for name in names {
            let trial = Trial {
                name: &name,
                programs: (series.first..series.first + series.count).collect(),
            };
            for report in test_mutations(&series, &[trial]).map_err(failed)? {
                println!(
                    "{name}: noticed by {} of {} programs",
                    report.noticed.len(),
                    report.programs
                );
                for failure in report.noticed.iter().take(1) {
                    println!("    program {}: {}", failure.index, failure.message);
                }
                caught &= !report.survived();
            }
        }
        return Ok(caught);
    }
    let report = run_series(&series).map_err(failed)?;
    for failure in &report.failures {
        println!(
            "seed {} program {}: {}",
            series.seed, failure.index, failure.message
        );
        println!(
            "    again: cargo run -p autodiff-checks --release --bin random -- --seed {} --first {} --count 1 --keep DIR",
            series.seed, failure.index
        );
    }
    println!("seed {}: {}", series.seed, report.summary());
    if !report.rare_traps().is_empty() {
        println!(
            "set less often than once in 20 programs: {}",
            report.rare_traps().join(", ")
        );
    }
    if let Some(failure) = report.failures.first().filter(|_| reduced) {
        let program = generate(series.seed, failure.index, &series.constructs);
        let smaller = reduce(&series, &program, &failure.message).map_err(failed)?;
        println!("\n// {}\n{}", failure.message, smaller.render("#[grad]"));
    }
    Ok(report.failures.is_empty())
}
