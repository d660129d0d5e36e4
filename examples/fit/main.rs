//! Fits NIST's nonlinear regression datasets with Jacobians made by `#[grad]`.
//!
//!     cargo run --release --example fit -- --help

mod args;
mod catalog;
mod data;
mod jacobian;
mod models;
mod nist;
mod plot;
mod report;
mod solve;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use args::{Command, Options};
use data::Dataset;
use report::{Outcome, Tally};

/// The dataset whose model is shown when no file is asked for.
const SHOWN: &str = "Eckerle4";

const SUCCESS: u8 = 0;
const MISSED: u8 = 1;
const UNUSABLE: u8 = 2;

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1);
    match run(
        arguments,
        &mut io::stdout().lock(),
        &mut io::stderr().lock(),
    ) {
        Ok(status) => ExitCode::from(status),
        // Whoever read the output has seen enough, as in `fit | head`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(SUCCESS),
        Err(_) => ExitCode::from(UNUSABLE),
    }
}

/// The whole program: returns the exit status, or the error of writing to `out` or `err`.
fn run(
    arguments: impl IntoIterator<Item = std::ffi::OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<u8> {
    let options = match args::parse(arguments) {
        Ok(Command::Fit(options)) => options,
        Ok(Command::Help) => {
            write!(out, "{}", args::HELP)?;
            return Ok(SUCCESS);
        }
        Err(mistake) => {
            writeln!(err, "fit: {mistake}; --help lists what there is")?;
            return Ok(UNUSABLE);
        }
    };
    let (datasets, mistakes) = read(&options);
    for mistake in &mistakes {
        writeln!(err, "fit: {mistake}")?;
    }
    if !mistakes.is_empty() {
        return Ok(UNUSABLE);
    }
    if let Some(directory) = &options.plot {
        if let Err(error) = fs::create_dir_all(directory) {
            writeln!(err, "fit: {}: {error}", directory.display())?;
            return Ok(UNUSABLE);
        }
    }
    if let (true, Some(model)) = (options.files.is_empty(), catalog::find(SHOWN)) {
        report::model(out, model)?;
    }
    fit_all(&options, &datasets, out, err)
}

/// Reads what is to be fitted; mistakes are collected, so that one run names them all.
fn read(options: &Options) -> (Vec<Dataset>, Vec<String>) {
    let results: Vec<_> = if options.files.is_empty() {
        nist::EMBEDDED
            .iter()
            .map(|(name, text)| nist::parse(text).map_err(|error| format!("{name}:{error}")))
            .collect()
    } else {
        options.files.iter().map(|path| read_file(path)).collect()
    };
    let (mut datasets, mut mistakes) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(dataset) => datasets.push(dataset),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    (datasets, mistakes)
}

fn read_file(path: &Path) -> Result<Dataset, String> {
    let name = path.display();
    let bytes = fs::read(path).map_err(|error| format!("{name}: {error}"))?;
    // What is not UTF-8 in the prose of a file does no harm, and elsewhere it is no number.
    nist::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| format!("{name}:{error}"))
}

fn fit_all(
    options: &Options,
    datasets: &[Dataset],
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<u8> {
    let mut tally = Tally::default();
    let mut pictures = Vec::new();
    report::head(out)?;
    for data in datasets {
        let outcomes = [1, 2].map(|start| fit(data, start));
        for outcome in &outcomes {
            report::row(out, data, outcome)?;
            if options.verbose {
                report::details(out, data, outcome)?;
            }
            tally.add(data, outcome);
        }
        if let Some(directory) = &options.plot {
            match picture(directory, data, &outcomes) {
                Ok(path) => pictures.push(path),
                Err(error) => {
                    let (name, directory) = (data.model.dataset, directory.display());
                    writeln!(err, "fit: {directory}: no picture of {name}: {error}")?;
                    return Ok(UNUSABLE);
                }
            }
        }
    }
    report::legend(out)?;
    for path in pictures {
        writeln!(out, "wrote {path}")?;
    }
    report::tally(out, &tally)?;
    let failed = options.check && tally.missed > 0;
    Ok(if failed { MISSED } else { SUCCESS })
}

/// Fits from starting point 1 or 2.
fn fit(data: &Dataset, start: usize) -> Outcome {
    let clock = Instant::now();
    let fit = solve::fit(data, &data.starts[start - 1]);
    let time = clock.elapsed();
    let checked = fit.map(|fit| {
        let check = jacobian::check(data.model, &data.observations, &fit.parameters);
        (fit, check)
    });
    Outcome {
        start,
        time,
        fit: checked,
    }
}

/// Draws the better of the fits and returns the picture's path.
fn picture(
    directory: &Path,
    data: &Dataset,
    outcomes: &[Outcome],
) -> Result<String, Box<dyn Error>> {
    let best = outcomes
        .iter()
        .filter_map(|outcome| outcome.fit.as_ref())
        .map(|(fit, _)| fit)
        .min_by(|a, b| a.rss.total_cmp(&b.rss))
        .ok_or("the model is undefined at both starts")?;
    let path = plot::write(directory, data, &best.parameters)?;
    Ok(path.display().to_string())
}
