//! NIST's own file format: a head in prose, starting and certified values as `b1 = …` lines, then the data.
//!
//! The line ranges that the head states are not relied upon; the number of observations is.
//! The datasets that come with this program keep the lines that are read here, and nothing else.

use crate::catalog::Model;
use crate::data::{Certified, Dataset, Malformed, Observations, find_model, numbers};

macro_rules! embedded {
    ($($file:literal),+ $(,)?) => {
        &[$((concat!("data/", $file), include_str!(concat!("data/", $file)))),+]
    };
}

/// Names and texts of the datasets that come with this program, easier ones first.
pub(crate) const EMBEDDED: &[(&str, &str)] = embedded![
    "chwirut1.txt",
    "danwood.txt",
    "gauss2.txt",
    "lanczos3.txt",
    "misra1a.txt",
    "hahn1.txt",
    "lanczos1.txt",
    "misra1c.txt",
    "nelson.txt",
    "bennett5.txt",
    "eckerle4.txt",
    "mgh10.txt",
    "rat43.txt",
    "thurber.txt",
];

/// Reads the text of one of NIST's nonlinear regression files.
pub(crate) fn parse(text: &str) -> Result<Dataset, Malformed> {
    let file = File {
        lines: text.lines().collect(),
    };
    let (line, name) = file.labelled("Dataset Name:")?;
    let model = find_model(line, name)?;
    let parameters = file.parameters(model)?;
    let (line, rss) = file.labelled("Residual Sum of Squares:")?;
    let certified_rss = Certified::read(line, rss)?;
    let (line, count) = file.labelled("Number of Observations:")?;
    let announced = count
        .parse()
        .map_err(|_| Malformed::new(line, format!("{count:?} is not a number of observations")))?;
    Ok(Dataset {
        model,
        level: file.level(),
        starts: [
            parameters.iter().map(|p| p.starts[0]).collect(),
            parameters.iter().map(|p| p.starts[1]).collect(),
        ],
        certified: parameters.iter().map(|p| p.certified).collect(),
        certified_rss,
        observations: file.observations(model, announced)?,
    })
}

/// A line `b1 = start1 start2 certified deviation`.
struct Parameter {
    starts: [f64; 2],
    certified: Certified,
}

struct File<'a> {
    lines: Vec<&'a str>,
}

impl<'a> File<'a> {
    /// The lines with their numbers, trimmed.
    fn numbered(&self) -> impl DoubleEndedIterator<Item = (usize, &'a str)> {
        self.lines
            .iter()
            .enumerate()
            .map(|(i, line)| (i + 1, line.trim()))
    }

    fn last_line(&self) -> usize {
        self.lines.len().max(1)
    }

    /// The first word behind `label`, and its line.
    fn labelled(&self, label: &str) -> Result<(usize, &'a str), Malformed> {
        let (line, rest) = self
            .numbered()
            .find_map(|(line, text)| Some((line, text.strip_prefix(label)?)))
            .ok_or_else(|| {
                let message = format!("the file ends without a line {label:?}");
                Malformed::new(self.last_line(), message)
            })?;
        match rest.split_whitespace().next() {
            Some(word) => Ok((line, word)),
            None => Err(Malformed::new(line, format!("nothing follows {label:?}"))),
        }
    }

    /// The level of difficulty in one word; it decides nothing, so its absence is no error.
    fn level(&self) -> String {
        self.numbered()
            .find_map(|(_, text)| text.strip_suffix("Level of Difficulty"))
            .map_or_else(
                || "unstated".to_owned(),
                |level| level.trim().to_lowercase(),
            )
    }

    fn parameters(&self, model: &Model) -> Result<Vec<Parameter>, Malformed> {
        let mut parameters = Vec::new();
        let mut last = self.last_line();
        for (line, text) in self.numbered() {
            let Some((index, values)) = split_parameter(text) else {
                continue;
            };
            let expected = parameters.len() + 1;
            if index != expected.to_string() {
                let message = format!("expected b{expected}, found b{index}");
                return Err(Malformed::new(line, message));
            }
            parameters.push(read_parameter(line, values)?);
            last = line;
        }
        if parameters.len() == model.parameters {
            return Ok(parameters);
        }
        let (name, expected, found) = (model.dataset, model.parameters, parameters.len());
        Err(Malformed::new(
            last,
            format!("{name} has {expected} parameters, the file gives values for {found}"),
        ))
    }

    /// The data: everything behind the last line that starts with `Data:` (the head has one more).
    fn observations(&self, model: &Model, announced: usize) -> Result<Observations, Malformed> {
        let is_head = |text: &str| split_parameter(text).is_some();
        let heading = self
            .numbered()
            .rev()
            .take_while(|(_, text)| !is_head(text))
            .find(|(_, text)| text.starts_with("Data:"));
        let Some((heading, _)) = heading else {
            let message = "the file ends without a line \"Data:\" behind the certified values";
            return Err(Malformed::new(self.last_line(), message));
        };
        let mut observations = Observations::new(model);
        for (line, text) in self.numbered().skip(heading) {
            if text.is_empty() {
                continue;
            }
            if observations.len() == announced {
                let message = format!("more than the {announced} observations announced");
                return Err(Malformed::new(line, message));
            }
            observations.read_line(model, line, text)?;
        }
        observations.check_count(model, announced, self.last_line())?;
        Ok(observations)
    }
}

/// Index and values of a line such as `b1 = 500 250 …`.
fn split_parameter(text: &str) -> Option<(&str, &str)> {
    let (name, values) = text.split_once('=')?;
    let index = name.trim().strip_prefix('b')?;
    let is_index = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    is_index.then_some((index, values))
}

fn read_parameter(line: usize, values: &str) -> Result<Parameter, Malformed> {
    let all = numbers(line, values)?;
    // The standard deviation is not needed, so its absence is no error.
    let (3 | 4, Some(certified)) = (all.len(), values.split_whitespace().nth(2)) else {
        return Err(Malformed::new(
            line,
            format!(
                "expected two starting values, the certified value and its deviation; numbers found: {}",
                all.len()
            ),
        ));
    };
    Ok(Parameter {
        starts: [all[0], all[1]],
        certified: Certified::read(line, certified)?,
    })
}
