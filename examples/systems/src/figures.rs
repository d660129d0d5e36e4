//! Files with figures.

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::Stop;

/// The contents of a JSON file with figures.
pub trait Figures: DeserializeOwned {
    /// What a program works with: parts that fit each other, so that no length and no index needs a further look.
    type Checked;

    /// Puts the parts together; the error is a sentence for the user without the file's name.
    fn checked(self) -> Result<Self::Checked, String>;
}

/// Reads a file with figures, or says in one sentence why it cannot be used.
pub fn read<F: Figures>(path: &Path) -> Result<F::Checked, Stop> {
    let bytes = fs::read(path).map_err(|error| Stop::file(path, error))?;
    parse::<F>(&bytes).map_err(|reason| Stop::file(path, reason))
}

/// Reads figures from the text of a file, or says in one sentence without the file's name why they cannot be used.
pub fn parse<F: Figures>(json: &[u8]) -> Result<F::Checked, String> {
    let figures: F = serde_json::from_slice(json).map_err(|error| describe(&error))?;
    figures
        .checked()
        .map_err(|reason| format!("figures that do not fit: {reason}"))
}

fn describe(error: &serde_json::Error) -> String {
    if error.is_data() {
        format!("not the figures of this program: {error}")
    } else {
        format!("not a JSON file with numbers that are finite: {error}")
    }
}

/// Whether a list has the length that it must have.
pub fn expect_length(name: &str, found: usize, expected: usize) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!(
        "`{name}` has the length {found} instead of {expected}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Pair {
        x: Vec<f64>,
        y: Vec<f64>,
    }

    impl Figures for Pair {
        type Checked = ();

        fn checked(self) -> Result<(), String> {
            expect_length("y", self.y.len(), self.x.len())
        }
    }

    /// What is said of a file with this text; the name is for this test alone.
    fn said(name: &str, text: &str) -> String {
        let path = std::env::temp_dir().join(format!("systems-{}-{name}", std::process::id()));
        fs::write(&path, text).expect("a place for temporary files");
        let read = read::<Pair>(&path);
        fs::remove_file(&path).expect("the file just written");
        match read {
            Ok(()) => "fine".to_owned(),
            Err(Stop::Unusable(reason)) => {
                let (_, said) = reason.split_once(name).expect("the file's name");
                said.to_owned()
            }
            Err(Stop::Output(error)) => panic!("{error}"),
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let Err(Stop::Unusable(reason)) = read::<Pair>(Path::new("no/such.json")) else {
            panic!("there is no such file");
        };
        assert!(reason.starts_with("no/such.json: No such file"), "{reason}");
    }

    #[test]
    fn malformed_files_are_described_in_one_sentence() {
        assert_eq!(said("a", r#"{"x": [1.5], "y": [2], "z": 0}"#), "fine");
        for (name, text, expected) in [
            ("empty", "", "not a JSON file"),
            ("cut", r#"{"x": [1.5"#, "not a JSON file"),
            ("nan", r#"{"x": [NaN], "y": [1]}"#, "not a JSON file"),
            ("large", r#"{"x": [1e999], "y": [1]}"#, "out of range"),
            ("bytes", "\u{0}\u{1}", "not a JSON file"),
            ("null", r#"{"x": [null], "y": [1]}"#, "invalid type: null"),
            ("text", r#"{"x": ["1"], "y": [1]}"#, "invalid type: string"),
            ("lacks", r#"{"x": [1]}"#, "missing field `y`"),
            ("list", "[1, 2, 3]", "not the figures"),
            (
                "short",
                r#"{"x": [1, 2], "y": [1]}"#,
                "`y` has the length 1 instead of 2",
            ),
        ] {
            let said = said(name, text);
            assert!(said.contains(expected), "{name}: {said}");
            assert!(!said.contains('\n'), "{name}: {said}");
        }
    }

    #[test]
    fn numbers_are_read_to_the_last_bit() {
        let text = r#"{"x": [0.30000000000000004, -0.0, 1.7976931348623157e308], "y": [1,2,3]}"#;
        let pair: Pair = serde_json::from_str(text).expect("a pair");
        assert_eq!(pair.x[0].to_bits(), (0.1_f64 + 0.2).to_bits());
        assert_eq!(pair.x[1].to_bits(), (-0.0_f64).to_bits());
        assert_eq!(pair.x[2], f64::MAX);
    }
}
