//! The program as a whole: what it prints, its exit status, and what bad files get.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::data::Dataset;
use crate::{fs, nist, run, solve};

/// A file as NIST writes it, shortened.
const MISRA1A: &str = "\
NIST/ITL StRD
Dataset Name:  Misra1a           (Misra1a.dat)

File Format:   ASCII
               Starting Values   (lines 41 to 42)
               Certified Values  (lines 41 to 47)
               Data              (lines 61 to 74)

Data:          1 Response Variable  (y = volume)
               1 Predictor Variable (x = pressure)
               14 Observations
               Lower Level of Difficulty
               Observed Data

Model:         Exponential Class
               2 Parameters (b1 and b2)

               y = b1*(1-exp[-b2*x])  +  e

          Starting values                  Certified Values

        Start 1     Start 2           Parameter     Standard Deviation
  b1 =   500         250           2.3894212918E+02  2.7070075241E+00
  b2 =     0.0001      0.0005      5.5015643181E-04  7.2668688436E-06

Residual Sum of Squares:                    1.2455138894E-01
Residual Standard Deviation:                1.0187876330E-01
Degrees of Freedom:                                12
Number of Observations:                            14

Data:   y               x
      10.07E0      77.6E0
      14.73E0     114.9E0
      17.94E0     141.1E0
      23.93E0     190.8E0
      29.61E0     239.9E0
      35.18E0     289.0E0
      40.02E0     332.8E0
      44.82E0     378.4E0
      50.76E0     434.8E0
      55.05E0     477.3E0
      61.01E0     536.8E0
      66.40E0     593.1E0
      75.47E0     689.1E0
      81.78E0     760.0E0
";

/// A file or folder of this test's own, removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn path(name: &str) -> Self {
        let unique = format!("fit-{}-{name}", std::process::id());
        Self(std::env::temp_dir().join(unique))
    }

    fn file(name: &str, content: impl AsRef<[u8]>) -> Self {
        let scratch = Self::path(name);
        fs::write(&scratch.0, content).expect("a writable temporary folder");
        scratch
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing to do about a leftover in the temporary folder.
        let _ = fs::remove_file(&self.0).or_else(|_| fs::remove_dir_all(&self.0));
    }
}

/// Exit status, output and errors of one run.
fn fit(arguments: &[&dyn AsRef<std::ffi::OsStr>]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = arguments
        .iter()
        .map(|argument| OsString::from(argument.as_ref()));
    let status = run(arguments, &mut out, &mut err).expect("writing into memory");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status, text(out), text(err))
}

fn parse(text: &str) -> Result<Dataset, String> {
    nist::parse(text).map_err(|error| error.to_string())
}

#[test]
fn all_parameters_agree_from_both_starts() {
    let (status, out, err) = fit(&[&"--check", &"-v"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("#[grad]\npub(crate) fn eckerle4("), "{out}");
    let last = out.lines().last();
    assert_eq!(
        last,
        Some("28 fits, 118 parameters, 0 with fewer than 6 digits")
    );
}

#[test]
fn check_finds_a_wrong_parameter() {
    let wrong = MISRA1A.replace("5.5015643181E-04", "5.5015943181E-04");
    let file = Scratch::file("wrong.dat", wrong);
    let (status, out, _) = fit(&[&"--check", &file.0]);
    assert_eq!(status, 1, "{out}");
    let last = out.lines().last();
    assert_eq!(
        last,
        Some("2 fits, 4 parameters, 2 with fewer than 6 digits")
    );
    assert_eq!(fit(&[&file.0]).0, 0);
}

#[test]
fn line_endings_and_prose_do_not_matter() {
    let file = Scratch::file("crlf.dat", MISRA1A.replace('\n', " \r\n"));
    let (status, out, err) = fit(&[&"--check", &file.0]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let mut latin1 = MISRA1A.replace("volume", "v\u{1}lume").into_bytes();
    for byte in &mut latin1 {
        *byte = if *byte == 1 { 0xf6 } else { *byte };
    }
    let file = Scratch::file("latin1.dat", latin1);
    assert_eq!(fit(&[&"--check", &file.0]).0, 0);
}

#[test]
fn every_plot_is_written() {
    let directory = Scratch::path("plots");
    let nelson = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fit/data/nelson.txt");
    let file = Scratch::file("plotted.dat", MISRA1A);
    let (status, out, err) = fit(&[&"--plot", &directory.0, &file.0, &nelson]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    for name in ["Misra1a.svg", "Nelson.svg"] {
        let svg = fs::read_to_string(directory.0.join(name)).expect("a picture");
        assert!(svg.starts_with(r#"<svg width="900" height="700""#), "{svg}");
        assert!(svg.contains("residual") && svg.contains("<circle"), "{svg}");
    }
    let (status, _, err) = fit(&[&"--plot", &file.0, &file.0]);
    assert_eq!(status, 2);
    assert!(err.contains("plotted.dat: "), "{err}");
}

#[test]
fn wrong_usage_is_named() {
    let (status, out, err) = fit(&[&"--chek"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert_eq!(
        err,
        "fit: unknown option --chek; --help lists what there is\n"
    );
    let (status, out, err) = fit(&[&"--help"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("--plot DIR"), "{out}");
}

#[test]
fn unreadable_files_are_named_together() {
    let directory = std::env::temp_dir();
    let (status, out, err) = fit(&[&"missing.dat", &directory, &"also-missing.dat"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert_eq!(err.lines().count(), 3, "{err}");
    assert!(err.starts_with("fit: missing.dat: "), "{err}");
    let file = Scratch::file("bad.dat", MISRA1A.replace("77.6E0", "77.6E"));
    let (status, _, err) = fit(&[&file.0]);
    let expected = "bad.dat:32: \"77.6E\" is not a finite number\n";
    assert!(status == 2 && err.ends_with(expected), "{err}");
}

#[test]
fn malformed_files_name_the_line() {
    let cases = [
        (
            "Misra1a  ",
            "Misra2x  ",
            "2: no model for dataset \"Misra2x\"; known: Bennett5",
        ),
        (
            "Dataset Name:  ",
            "Name:  ",
            "45: the file ends without a line \"Dataset Name:\"",
        ),
        (
            "  b1 =   500         250",
            "  b1 =   500         2 50 1 ",
            "23: expected two starting",
        ),
        (
            "  b1 =   500",
            "  b1 =   5oo",
            "23: \"5oo\" is not a finite number",
        ),
        (
            "  b2 =     0.0001      0.0005      5.5015643181E-04  7.2668688436E-06\n",
            "",
            "23: Misra1a has 2 parameters, the file gives values for 1",
        ),
        ("  b2 = ", "  b3 = ", "24: expected b2, found b3"),
        (
            "E-06\n",
            "E-06\n  b3 = 1 2 3 4\n",
            "25: Misra1a has 2 parameters, the file gives values for 3",
        ),
        (
            "1.2455138894E-01",
            "",
            "26: nothing follows \"Residual Sum of Squares:\"",
        ),
        (
            "     14\n\nData",
            "     many\n\nData",
            "29: \"many\" is not a number of observations",
        ),
        (
            "     14\n\nData",
            "     15\n\nData",
            "45: the file ends after 14 of 15 observations",
        ),
        (
            "     14\n\nData",
            "     13\n\nData",
            "45: more than the 13 observations announced",
        ),
        (
            "Data:   y   ",
            "        y   ",
            "45: the file ends without a line \"Data:\"",
        ),
        (
            "10.07E0      77.6E0",
            "10.07E0",
            "32: an observation of Misra1a has 2 numbers, this line has 1",
        ),
        (
            "10.07E0 ",
            "10.07E0 1 ",
            "32: an observation of Misra1a has 2 numbers, this line has 3",
        ),
        ("10.07E0 ", "NaN ", "32: \"NaN\" is not a finite number"),
    ];
    for (old, new, expected) in cases {
        assert!(MISRA1A.contains(old), "{old}");
        let error = parse(&MISRA1A.replacen(old, new, 1)).expect_err(new);
        assert!(error.starts_with(expected), "{error}");
    }
    let one_observation = "Dataset Name: Misra1a\nb1 = 1 1 1\nb2 = 1 1 1\nResidual Sum of Squares: 0\nNumber of Observations: 1\nData:\n1 2\n";
    let error = parse(one_observation).expect_err("too few observations");
    assert!(error.starts_with("7: 1 observations cannot"), "{error}");
    let nelson = "Dataset Name: Nelson\nb1 = 1 1 1\nb2 = 1 1 1\nb3 = 1 1 1\nResidual Sum of Squares: 0\nNumber of Observations: 3\nData:\n-1 2 3\n";
    let error = parse(nelson).expect_err("the logarithm of a negative number");
    assert_eq!(error, "8: log[y] is not a finite number for y = -1");
}

#[test]
fn truncated_files_are_refused() {
    let last_number = MISRA1A.rfind("760.0E0").expect("the last number");
    for end in 0..last_number {
        let error = parse(&MISRA1A[..end]).expect_err("a truncated file");
        let line: usize = error
            .split(':')
            .next()
            .and_then(|line| line.parse().ok())
            .expect("a line");
        let lines = MISRA1A[..end].lines().count().max(1);
        assert!((1..=lines).contains(&line), "{end}: {error}");
    }
}

#[test]
fn damaged_files_never_panic() {
    // A multiplicative generator: the same files on every run.
    let mut state: u64 = 1;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap_or(0) % below
    };
    let replacements = b"0123456789.-+eE =bx\n\t\xff";
    for _ in 0..300 {
        let mut bytes = MISRA1A.as_bytes().to_vec();
        for _ in 0..=next(8) {
            let at = next(bytes.len());
            match next(3) {
                0 => bytes[at] = replacements[next(replacements.len())],
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, replacements[next(replacements.len())]),
            }
        }
        if let Ok(data) = parse(&String::from_utf8_lossy(&bytes)) {
            for start in &data.starts {
                let _ = solve::fit(&data, start);
            }
        }
    }
}
