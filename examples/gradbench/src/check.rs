//! Records of what functions return, and whether ours return it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::evals;
use crate::protocol::guarded;

/// One line of a file of records.
#[derive(Deserialize)]
struct Record<'a> {
    eval: String,
    function: String,
    #[serde(default)]
    workload: Value,
    /// The greatest distance, relative to the length of the output as a vector.
    rtol: f64,
    #[serde(borrow)]
    input: &'a RawValue,
    output: Value,
}

/// How many records hold, of how many.
#[derive(Clone, Copy, Default)]
struct Count {
    held: usize,
    all: usize,
}

impl Count {
    fn add(&mut self, other: Count) {
        self.held += other.held;
        self.all += other.all;
    }
}

/// Runs the records in `files`, and says of each that does not hold why, of each eval how many hold, and last how many in all; returns whether everything holds.
pub(crate) fn check(files: &[impl AsRef<Path>], out: &mut dyn Write) -> io::Result<bool> {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut readable = true;
    for path in files {
        let path = path.as_ref();
        let mut found = 0;
        let read = File::open(path).and_then(|file| {
            for (number, line) in BufReader::new(file).lines().enumerate() {
                let line = line?;
                if line.trim().is_empty() {
                    continue;
                }
                found += 1;
                match serde_json::from_str::<Record>(&line) {
                    Ok(record) => {
                        let held = hold(&record);
                        let count = counts.entry(record.eval.clone()).or_default();
                        count.add(Count {
                            held: usize::from(held.is_ok()),
                            all: 1,
                        });
                        if let Err(reason) = held {
                            let Record { eval, function, .. } = &record;
                            let workload = &record.workload;
                            writeln!(out, "{eval}::{function} {workload}: {reason}")?;
                        }
                    }
                    Err(error) => {
                        readable = false;
                        let (path, number) = (path.display(), number + 1);
                        writeln!(out, "{path}, line {number}: not a record: {error}")?;
                    }
                }
            }
            if found == 0 {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "no records"));
            }
            Ok(())
        });
        if let Err(error) = read {
            readable = false;
            writeln!(out, "{}: {error}", path.display())?;
        }
    }
    let mut total = Count::default();
    for (eval, count) in &counts {
        total.add(*count);
        writeln!(out, "{eval}: {} of {} hold", count.held, count.all)?;
    }
    writeln!(out, "total: {} of {} hold", total.held, total.all)?;
    Ok(readable && total.held == total.all)
}

/// Whether our function returns what the record says, or why not.
fn hold(record: &Record) -> Result<(), String> {
    let Record {
        eval,
        function,
        input,
        ..
    } = record;
    let output = guarded(|| {
        let mut task =
            evals::prepare(eval, function, input).map_err(|refusal| refusal.to_string())?;
        task.run();
        task.output().ok_or_else(|| "no result".to_owned())
    })??;
    if !output.is_finite() {
        return Err("the result has numbers that are not finite".to_owned());
    }
    let ours = serde_json::to_value(&output).map_err(|error| error.to_string())?;
    let mut pairs = Vec::new();
    pair(&ours, &record.output, &mut pairs)?;
    let off = distance(&pairs);
    if off <= record.rtol {
        return Ok(());
    }
    Err(format!("off by {off:.1e}, {:.1e} are allowed", record.rtol))
}

/// Puts the numbers beside each other that stand at the same place.
fn pair(ours: &Value, expected: &Value, pairs: &mut Vec<(f64, f64)>) -> Result<(), String> {
    match (ours, expected) {
        (Value::Number(a), Value::Number(b)) => {
            let numbers = a.as_f64().zip(b.as_f64());
            pairs.push(numbers.ok_or_else(|| format!("{a} or {b} is no number"))?);
            Ok(())
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let both = &mut a.iter().zip(b);
            both.try_for_each(|(a, b)| pair(a, b, pairs))
        }
        (Value::Array(a), Value::Array(b)) => {
            Err(format!("{} entries instead of {}", a.len(), b.len()))
        }
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
            let both = &mut a.iter();
            both.try_for_each(|(name, a)| match b.get(name) {
                Some(b) => pair(a, b, pairs),
                None => Err(format!("nothing is expected for `{name}`")),
            })
        }
        _ => Err("it has another shape".to_owned()),
    }
}

/// The distance of the first numbers from the second, in lengths of the second.
fn distance(pairs: &[(f64, f64)]) -> f64 {
    // Squares of the largest do not overflow, nor do all of them vanish.
    let largest = pairs
        .iter()
        .fold(0.0, |m: f64, (a, b)| m.max(a.abs()).max(b.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let norm = |part: &dyn Fn(&(f64, f64)) -> f64| {
        let squares = pairs.iter().map(|both| (part(both) / largest).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let off = norm(&|(a, b)| a - b);
    if off == 0.0 {
        return 0.0;
    }
    off / norm(&|(_, b)| *b)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    /// Whether everything in a file with this text holds, and what is said; the name is for this test alone.
    fn checked(name: &str, text: &str) -> (bool, String) {
        let path = std::env::temp_dir().join(format!("gradbench-{}-{name}", std::process::id()));
        fs::write(&path, text).expect("a place for temporary files");
        let mut out = Vec::new();
        let held = check(&[&path], &mut out).expect("memory to write to");
        fs::remove_file(&path).expect("the file just written");
        (held, String::from_utf8(out).expect("text"))
    }

    #[test]
    fn the_records_beside_the_program_hold() {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/records.jsonl");
        let mut out = Vec::new();
        let held = check(&[path], &mut out).expect("memory to write to");
        let said = String::from_utf8(out).expect("text");
        assert!(held, "{said}");
        // Twelve evals, and the total.
        assert_eq!(said.lines().count(), 13, "{said}");
        assert_eq!(said.lines().last(), Some("total: 40 of 40 hold"));
    }

    #[test]
    fn a_record_that_does_not_hold_is_told() {
        let record = |function: &str, rtol: &str, output: &str| {
            format!(
                r#"{{"eval":"lse","function":"{function}","workload":"two","rtol":{rtol},"input":{{"x":[0,0]}},"output":{output}}}"#
            )
        };
        let (held, said) = checked("holds", &record("gradient", "1e-12", "[0.5, 0.5]"));
        assert!(held);
        assert_eq!(said, "lse: 1 of 1 hold\ntotal: 1 of 1 hold\n");
        for (name, record, why) in [
            (
                "far",
                record("gradient", "1e-3", "[0.5, 0.502]"),
                "off by 2.8e-3",
            ),
            ("zero", record("gradient", "1e-3", "[0, 0]"), "off by inf"),
            (
                "short",
                record("gradient", "1", "[0.5]"),
                "2 entries instead of 1",
            ),
            ("shape", record("gradient", "1", "0.5"), "another shape"),
            (
                "null",
                record("gradient", "1", "[null, 1]"),
                "another shape",
            ),
            ("function", record("jacobian", "1", "1"), "no such function"),
        ] {
            let (held, said) = checked(name, &record);
            assert!(!held, "{said}");
            assert!(said.starts_with("lse::"), "{said}");
            assert!(said.contains(why), "{said}");
            assert!(said.ends_with("total: 0 of 1 hold\n"), "{said}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        for (name, text, why) in [
            ("empty", "", "no records"),
            ("text", "records\n", "line 1: not a record"),
            ("cut", "{\"eval\": \"lse\"", "line 1: not a record"),
        ] {
            let (held, said) = checked(name, text);
            assert!(!held, "{said}");
            assert!(said.contains(why), "{said}");
        }
        let mut out = Vec::new();
        assert!(!check(&["no/such.jsonl"], &mut out).expect("memory to write to"));
        let said = String::from_utf8(out).expect("text");
        assert!(said.starts_with("no/such.jsonl: No such file"), "{said}");
        assert!(said.ends_with("total: 0 of 0 hold\n"), "{said}");
    }
}
