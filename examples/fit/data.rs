//! A dataset in memory, its numbers, and what can be wrong with them.

use std::fmt;

use crate::catalog::{self, Model};

/// Observations, starting points and certified results of one dataset.
#[derive(Debug)]
pub(crate) struct Dataset {
    pub(crate) model: &'static Model,
    /// NIST's level of difficulty: lower, average or higher.
    pub(crate) level: String,
    pub(crate) starts: [Vec<f64>; 2],
    pub(crate) certified: Vec<Certified>,
    /// The certified residual sum of squares.
    pub(crate) certified_rss: Certified,
    pub(crate) observations: Observations,
}

/// What was measured: one row of predictors and one response for each observation.
#[derive(Debug)]
pub(crate) struct Observations {
    predictors: usize,
    x: Vec<f64>,
    /// The responses as they are fitted (Nelson's are logarithms).
    pub(crate) y: Vec<f64>,
}

/// A certified number and how many digits of it are stated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Certified {
    pub(crate) value: f64,
    pub(crate) digits: u32,
}

/// What is wrong with a dataset's text, and in which line (counted from 1).
#[derive(Debug, PartialEq)]
pub(crate) struct Malformed {
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl Malformed {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> Self {
        Self {
            line,
            message: message.into(),
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}

impl Observations {
    pub(crate) fn new(model: &Model) -> Self {
        Self {
            predictors: model.predictors,
            x: Vec::new(),
            y: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.y.len()
    }

    /// The predictors of each observation and its response.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.x
            .chunks_exact(self.predictors)
            .zip(self.y.iter().copied())
    }

    /// Reads one line of data: the response, then the predictors.
    pub(crate) fn read_line(
        &mut self,
        model: &Model,
        line: usize,
        text: &str,
    ) -> Result<(), Malformed> {
        let row = numbers(line, text)?;
        let expected = 1 + self.predictors;
        if row.len() != expected {
            let found = row.len();
            return Err(Malformed::new(
                line,
                format!(
                    "an observation of {} has {expected} numbers, this line has {found}",
                    model.dataset
                ),
            ));
        }
        let y = (model.response)(row[0]);
        if !y.is_finite() {
            let what = model.response_name;
            return Err(Malformed::new(
                line,
                format!("{what} is not a finite number for y = {}", row[0]),
            ));
        }
        self.y.push(y);
        self.x.extend_from_slice(&row[1..]);
        Ok(())
    }

    /// Checks that everything the file announces has been read, and that it suffices for a fit; `last` is the last line.
    pub(crate) fn check_count(
        &self,
        model: &Model,
        announced: usize,
        last: usize,
    ) -> Result<(), Malformed> {
        let (found, parameters) = (self.len(), model.parameters);
        if found != announced {
            return Err(Malformed::new(
                last,
                format!("the file ends after {found} of {announced} observations"),
            ));
        }
        if found < parameters {
            let name = model.dataset;
            return Err(Malformed::new(
                last,
                format!("{found} observations cannot determine {name}'s {parameters} parameters"),
            ));
        }
        Ok(())
    }
}

impl Certified {
    /// Reads a certified number; every digit written of its mantissa counts, except leading zeros.
    pub(crate) fn read(line: usize, text: &str) -> Result<Self, Malformed> {
        let value = number(line, text)?;
        let mantissa = text.split(['e', 'E', 'd', 'D']).next().unwrap_or(text);
        let digits = mantissa
            .chars()
            .filter(char::is_ascii_digit)
            .skip_while(|&digit| digit == '0')
            .map(|_| 1)
            .sum::<u32>();
        Ok(Self {
            value,
            digits: digits.max(1),
        })
    }

    /// The base-10 logarithm of the relative error of `found` (absolute, where zero is certified), NIST's LRE: how many digits agree.
    ///
    /// At most as many as are certified, and none where `found` is not a number.
    pub(crate) fn agreeing_digits(self, found: f64) -> f64 {
        let scale = if self.value == 0.0 {
            1.0
        } else {
            self.value.abs()
        };
        let digits = -((found - self.value).abs() / scale).log10();
        if digits.is_nan() {
            0.0
        } else {
            digits.clamp(0.0, f64::from(self.digits))
        }
    }
}

/// The model of the dataset called `name`, or an error that lists the names.
pub(crate) fn find_model(line: usize, name: &str) -> Result<&'static Model, Malformed> {
    catalog::find(name).ok_or_else(|| {
        let known: Vec<_> = catalog::MODELS.iter().map(|model| model.dataset).collect();
        Malformed::new(
            line,
            format!("no model for dataset {name:?}; known: {}", known.join(", ")),
        )
    })
}

/// All numbers of a line, separated by blanks.
pub(crate) fn numbers(line: usize, text: &str) -> Result<Vec<f64>, Malformed> {
    text.split_whitespace()
        .map(|word| number(line, word))
        .collect()
}

/// One finite number; Fortran's exponent letter D is understood.
pub(crate) fn number(line: usize, word: &str) -> Result<f64, Malformed> {
    word.replace(['d', 'D'], "e")
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
        .ok_or_else(|| Malformed::new(line, format!("{word:?} is not a finite number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certified(text: &str) -> Certified {
        Certified::read(1, text).expect("a number")
    }

    #[test]
    fn written_digits_count() {
        assert_eq!(certified("2.3894212918E+02").digits, 11);
        assert_eq!(certified("-0.0050").digits, 2);
        assert_eq!(certified("0").digits, 1);
    }

    #[test]
    fn agreement_is_capped_by_the_certified_digits() {
        let b = certified("2.3894212918E+02");
        let digits = |found| format!("{:.2}", b.agreeing_digits(found));
        assert_eq!(digits(238.942_129_18), "11.00");
        assert_eq!(digits(238.942_129_18 * (1.0 + 1e-7)), "7.00");
        for far in [-1e9, f64::NAN, f64::INFINITY] {
            assert_eq!(digits(far), "0.00");
        }
    }

    #[test]
    fn only_finite_numbers_are_numbers() {
        assert_eq!(number(1, ".591E0"), Ok(0.591));
        assert_eq!(number(1, "1.5D-3"), Ok(0.0015));
        for word in ["", "nan", "inf", "1e999", "1.5E+", "12,5", "b1"] {
            assert!(number(7, word).is_err_and(|error| error.line == 7));
        }
    }
}
