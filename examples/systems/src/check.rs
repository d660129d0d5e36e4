//! The comparison of what a program found with figures.

use std::io::Write;

use crate::{Stop, Verdict};

/// The length of a difference by the length of the figures, or itself where these are zero.
pub fn distance(found: &[f64], figures: &[f64]) -> f64 {
    let length = |list: &mut dyn Iterator<Item = f64>| list.map(|x| x * x).sum::<f64>().sqrt();
    let apart = length(&mut found.iter().zip(figures).map(|(a, b)| a - b));
    let whole = length(&mut figures.iter().copied());
    if whole == 0.0 { apart } else { apart / whole }
}

/// Compares numbers with figures, and remembers where they were furthest apart.
pub struct Check {
    allowed: f64,
    unit: fn(f64) -> f64,
    largest: f64,
    place: String,
}

impl Check {
    /// Numbers may be as far from their figures as `allowed`, in the unit that belongs to the figure.
    pub fn new(allowed: f64, unit: fn(f64) -> f64) -> Self {
        Check {
            allowed,
            unit,
            largest: 0.0,
            place: String::new(),
        }
    }

    /// Numbers may be as far from their figures as `allowed`.
    pub fn absolute(allowed: f64) -> Self {
        Check::new(allowed, |_| 1.0)
    }

    /// Numbers may be as far from their figures as `allowed`, times the figure where that is larger than one.
    pub fn relative(allowed: f64) -> Self {
        Check::new(allowed, |figure| figure.abs().max(1.0))
    }

    /// Compares a list with its figures, and returns the largest deviation in it: infinite where something is no number or the lengths differ.
    pub fn compare(&mut self, name: &str, found: &[f64], figures: &[f64]) -> f64 {
        let (mut largest, mut place) = (0.0, None);
        for (k, (f, e)) in found.iter().zip(figures).enumerate() {
            let deviation = (f - e).abs() / (self.unit)(*e);
            // What is no number is as far from its figure as can be.
            let deviation = if deviation.is_nan() {
                f64::INFINITY
            } else {
                deviation
            };
            if deviation > largest {
                (largest, place) = (deviation, Some(k));
            }
        }
        if found.len() != figures.len() {
            (largest, place) = (f64::INFINITY, None);
        }
        if largest > self.largest {
            self.largest = largest;
            self.place = match place {
                Some(k) if figures.len() > 1 => format!(" at {name}[{k}]"),
                _ => format!(" at {name}"),
            };
        }
        largest
    }

    /// Compares a list with its figures, and writes a line about it.
    pub fn report(
        &mut self,
        out: &mut dyn Write,
        name: &str,
        found: &[f64],
        figures: &[f64],
    ) -> Result<(), Stop> {
        let largest = self.compare(name, found, figures);
        let count = figures.len();
        writeln!(out, "{name:24} {count:5} numbers, {largest:.1e} apart")?;
        Ok(())
    }

    /// Whether all that was compared so far is close enough.
    pub fn verdict(&self) -> Verdict {
        if self.largest <= self.allowed {
            Verdict::Held
        } else {
            Verdict::Missed
        }
    }

    /// The largest deviation, where it is, and what is allowed.
    pub fn summary(&self) -> String {
        format!(
            "largest deviation {:.1e}{}, allowed {:.0e}",
            self.largest, self.place, self.allowed
        )
    }

    /// Writes the last line, and judges.
    pub fn conclude(&self, out: &mut dyn Write) -> Result<Verdict, Stop> {
        let verdict = self.verdict();
        let word = match verdict {
            Verdict::Held => "met",
            Verdict::Missed => "MISSED",
        };
        writeln!(out, "the figures are {word}: {}", self.summary())?;
        Ok(verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_line(check: &Check) -> (Verdict, String) {
        let mut out = Vec::new();
        let verdict = check.conclude(&mut out).expect("a line");
        (verdict, String::from_utf8(out).expect("text"))
    }

    #[test]
    fn the_largest_deviation_decides() {
        let mut check = Check::absolute(1e-3);
        check.compare("near", &[1.0, 2.0], &[1.0, 2.0005]);
        let (verdict, line) = last_line(&check);
        assert_eq!(verdict, Verdict::Held);
        assert!(
            line.contains("are met: largest deviation 5.0e-4 at near[1]"),
            "{line}"
        );

        check.compare("far", &[1.0, -1.0, 4.0], &[1.0, -1.5, 4.1]);
        let (verdict, line) = last_line(&check);
        assert_eq!(verdict, Verdict::Missed);
        assert!(
            line.contains("are MISSED: largest deviation 5.0e-1 at far[1]"),
            "{line}"
        );
    }

    #[test]
    fn what_is_no_number_or_not_there_is_missed() {
        for found in [&[f64::NAN, 1.0][..], &[f64::INFINITY, 1.0], &[1.0]] {
            let mut check = Check::absolute(1e300);
            check.compare("x", found, &[1.0, 1.0]);
            assert_eq!(check.verdict(), Verdict::Missed, "{found:?}");
        }
    }

    #[test]
    fn units_belong_to_the_figure() {
        let mut check = Check::relative(1e-6);
        assert_eq!(check.compare("large", &[1001.0], &[1000.0]), 1e-3);
        assert_eq!(check.compare("small", &[0.25], &[0.5]), 0.25);
    }
}
