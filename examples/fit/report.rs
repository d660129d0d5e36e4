//! What the program prints.

use std::io::{self, Write};
use std::time::Duration;

use crate::catalog::Model;
use crate::data::{Certified, Dataset};
use crate::jacobian::Check;
use crate::solve::Fit;

/// Digits that every parameter must share with its certified value.
const GOAL: f64 = 6.0;

/// One fit: a dataset from one of its starting points.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Which of the two starting points, counted from 1.
    pub(crate) start: usize,
    pub(crate) time: Duration,
    /// The fit and its Jacobian, unless the model is undefined at the starting point.
    pub(crate) fit: Option<(Fit, Check)>,
}

/// Parameters fitted, and those of them that miss the goal.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Tally {
    pub(crate) fits: usize,
    pub(crate) parameters: usize,
    pub(crate) missed: usize,
}

impl Outcome {
    /// How many digits of each parameter agree with the certified values.
    fn agreeing_digits(&self, data: &Dataset) -> Vec<f64> {
        match &self.fit {
            Some((fit, _)) => data
                .certified
                .iter()
                .zip(&fit.parameters)
                .map(|(certified, found)| certified.agreeing_digits(*found))
                .collect(),
            None => vec![0.0; data.certified.len()],
        }
    }
}

impl Tally {
    pub(crate) fn add(&mut self, data: &Dataset, outcome: &Outcome) {
        let digits = outcome.agreeing_digits(data);
        self.fits += 1;
        self.parameters += digits.len();
        self.missed += digits.iter().filter(|&&digits| digits < GOAL).count();
    }
}

/// Shows a model as the source has it, and what `#[grad]` made of it.
pub(crate) fn model(out: &mut dyn Write, model: &Model) -> io::Result<()> {
    let (dataset, function) = (model.dataset, model.function);
    writeln!(
        out,
        "The model of {dataset}, as it stands in examples/fit/models.rs:\n\n{}\n\n\
         Its Jacobian is made of {function}::grad, which #[grad] has written at compile time.\n",
        model.source()
    )
}

/// The head of the table, in two lines.
pub(crate) fn head(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:50}residual              Jacobian:", "")?;
    writeln!(
        out,
        "{:9} {:8} {:5} {:>5} {:>10} {:>17} {:>9}   {:>9} {:>6}",
        "dataset",
        "level",
        "start",
        "LRE",
        "iterations",
        "sum of squares",
        "time",
        "time",
        "digits"
    )
}

/// One row of the table.
pub(crate) fn row(out: &mut dyn Write, data: &Dataset, outcome: &Outcome) -> io::Result<()> {
    let (dataset, level, start) = (data.model.dataset, &data.level, outcome.start);
    write!(out, "{dataset:9} {level:8} {start:5} ")?;
    let Some((fit, check)) = &outcome.fit else {
        return writeln!(out, "{:>5} the model is undefined at this start", "-");
    };
    let worst = worst(&outcome.agreeing_digits(data));
    writeln!(
        out,
        "{worst:5.1} {:10} {:>17} {:>9}   {:>9} {:6.1}{}",
        fit.iterations,
        scientific(fit.rss),
        duration(outcome.time),
        duration(check.time),
        check.digits,
        if worst < GOAL { "  <- misses" } else { "" }
    )
}

/// Every parameter beside its certified value, and every attempt of the solver.
pub(crate) fn details(out: &mut dyn Write, data: &Dataset, outcome: &Outcome) -> io::Result<()> {
    let Some((fit, _)) = &outcome.fit else {
        return Ok(());
    };
    let mut line = |name: &str, found: f64, certified: Certified| {
        let digits = certified.agreeing_digits(found);
        let (found, certified) = (scientific(found), scientific(certified.value));
        writeln!(
            out,
            "    {name:3} {found:>17}   certified {certified:>17}   LRE {digits:4.1}"
        )
    };
    for (i, (certified, found)) in data.certified.iter().zip(&fit.parameters).enumerate() {
        line(&format!("b{}", i + 1), *found, *certified)?;
    }
    line("rss", fit.rss, data.certified_rss)?;
    for attempt in &fit.attempts {
        writeln!(
            out,
            "    step bound {:<4} {:5} iterations to rss {}: {}",
            attempt.step_bound,
            attempt.iterations,
            scientific(attempt.rss),
            attempt.stopped
        )?;
    }
    writeln!(out)
}

/// What the columns mean.
pub(crate) fn legend(out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\nLRE: agreeing digits of the worst parameter, of the 11 that NIST certifies. Iterations and time: all attempts of the solver.\n\
         Jacobian: one evaluation by #[grad], and its digits that agree with central differences (which have about 10 themselves)."
    )
}

/// The last line.
pub(crate) fn tally(out: &mut dyn Write, tally: &Tally) -> io::Result<()> {
    let Tally {
        fits,
        parameters,
        missed,
    } = tally;
    writeln!(
        out,
        "{fits} fits, {parameters} parameters, {missed} with fewer than {GOAL} digits"
    )
}

fn worst(digits: &[f64]) -> f64 {
    digits.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Eleven digits, written as NIST writes them.
fn scientific(value: f64) -> String {
    let text = format!("{value:.10E}");
    match text.split_once('E') {
        Some((mantissa, exponent)) => {
            let (sign, digits) = match exponent.strip_prefix('-') {
                Some(digits) => ('-', digits),
                None => ('+', exponent),
            };
            format!("{mantissa}E{sign}{digits:0>2}")
        }
        None => text,
    }
}

/// A duration in three digits and a unit that suits it.
fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (value, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let decimals = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_look_like_certified_ones() {
        assert_eq!(scientific(238.942_129_18), "2.3894212918E+02");
        assert_eq!(scientific(-5.501_564_318_1e-4), "-5.5015643181E-04");
        assert_eq!(scientific(0.0), "0.0000000000E+00");
        assert_eq!(scientific(1e-300), "1.0000000000E-300");
        assert_eq!(scientific(f64::INFINITY), "inf");
    }

    #[test]
    fn durations_have_three_digits() {
        let text = |nanoseconds| duration(Duration::from_nanos(nanoseconds));
        assert_eq!(text(5), "5.00 ns");
        assert_eq!(text(31_240), "31.2 µs");
        assert_eq!(text(314_159_265), "314 ms");
        assert_eq!(text(2_500_000_000), "2.50 s");
    }
}
