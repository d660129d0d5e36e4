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
