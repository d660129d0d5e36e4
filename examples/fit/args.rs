//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

/// What `--help` prints.
pub(crate) const HELP: &str = "\
Fits the statistical reference datasets of NIST for nonlinear regression, with Jacobians made by #[grad].

usage: fit [OPTION]… [FILE.dat]…

Without files, fits the datasets that come with the program. A FILE is one of NIST's own (StRD, nonlinear regression);
its model is found by the name of the dataset. Every dataset is fitted from both of NIST's starting points.

  -v, --verbose  print every parameter beside its certified value, and every attempt of the solver
      --plot DIR write an SVG picture per dataset into DIR: data, fitted curve, residuals
      --check    exit with 1 if any parameter agrees with the certified value in fewer than 6 digits
  -h, --help     print this text

exit status: 0 fitted; 1 --check found a miss; 2 wrong usage, or a file that cannot be read or written
";

/// What the user wants.
#[derive(Debug, PartialEq)]
pub(crate) enum Command {
    Help,
    Fit(Options),
}

/// What to fit and what to tell of it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) verbose: bool,
    pub(crate) check: bool,
    pub(crate) plot: Option<PathBuf>,
}

/// Reads the arguments behind the program's name; the error is a sentence for the user.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, String> {
    let mut options = Options::default();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy().into_owned();
        match text.as_str() {
            "-h" | "--help" => return Ok(Command::Help),
            "-v" | "--verbose" => options.verbose = true,
            "--check" => options.check = true,
            "--plot" => {
                let directory = arguments.next().filter(|value| !value.is_empty());
                let directory = directory.ok_or("--plot needs a directory")?;
                options.plot = Some(directory.into());
            }
            "--" => options.files.extend(arguments.by_ref().map(PathBuf::from)),
            _ => match text.strip_prefix("--plot=") {
                Some("") => return Err("--plot needs a directory".to_owned()),
                Some(directory) => options.plot = Some(directory.into()),
                None if text.starts_with('-') => return Err(format!("unknown option {text}")),
                None => options.files.push(argument.into()),
            },
        }
    }
    Ok(Command::Fit(options))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, String> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn options_and_files_mix() {
        let expected = Options {
            files: vec!["a.dat".into(), "b.dat".into(), "-v".into()],
            verbose: false,
            check: true,
            plot: Some("out".into()),
        };
        let line = "a.dat --check b.dat --plot out -- -v";
        assert_eq!(parsed(line), Ok(Command::Fit(expected)));
        assert_eq!(parsed("--plot=out"), parsed("--plot out"));
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(parsed("--chek"), Err("unknown option --chek".to_owned()));
        assert_eq!(parsed("-x"), Err("unknown option -x".to_owned()));
        for line in ["--plot", "--plot="] {
            assert_eq!(parsed(line), Err("--plot needs a directory".to_owned()));
        }
    }

    #[test]
    fn help_wins() {
        assert_eq!(parsed("a.dat -h"), Ok(Command::Help));
    }
}
