//! The problems of GradBench: a module for each, with its functions and with what they are given.

pub(crate) mod ba;
pub(crate) mod det;
pub(crate) mod gmm;
pub(crate) mod hello;
pub(crate) mod ht;
pub(crate) mod kmeans;
pub(crate) mod llsq;
pub(crate) mod lse;
pub(crate) mod lstm;
pub(crate) mod ode;
pub(crate) mod particle;
pub(crate) mod saddle;

use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::task::Task;

type Prepare = fn(&str, &RawValue) -> Result<Box<dyn Task>, Refusal>;

/// All evals by their names.
const EVALS: [(&str, Prepare); 12] = [
    ("hello", hello::prepare),
    ("gmm", gmm::prepare),
    ("ba", ba::prepare),
    ("kmeans", kmeans::prepare),
    ("lstm", lstm::prepare),
    ("ht", ht::prepare),
    ("ode", ode::prepare),
    ("det", det::prepare),
    ("llsq", llsq::prepare),
    ("lse", lse::prepare),
    ("particle", particle::prepare),
    ("saddle", saddle::prepare),
];

/// Why there is nothing to run.
#[derive(Debug, PartialEq)]
pub(crate) enum Refusal {
    /// No eval of GradBench has this name.
    NoModule,
    /// The eval has no function of this name.
    NoFunction,
    /// The function cannot be given this, and the sentence says why.
    Input(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoModule => f.write_str("no such module"),
            Refusal::NoFunction => f.write_str("no such function"),
            Refusal::Input(reason) => write!(f, "an input that does not fit: {reason}"),
        }
    }
}

/// Whether there is an eval of this name.
pub(crate) fn is_known(module: &str) -> bool {
    find(module).is_some()
}

fn find(module: &str) -> Option<Prepare> {
    let found = EVALS.iter().find(|(name, _)| *name == module);
    found.map(|(_, prepare)| *prepare)
}

/// A function of an eval with its input, ready to be run.
pub(crate) fn prepare(
    module: &str,
    function: &str,
    input: &RawValue,
) -> Result<Box<dyn Task>, Refusal> {
    find(module).ok_or(Refusal::NoModule)?(function, input)
}

/// What `make` makes of the input, if it is one.
fn parse<'a, I: Deserialize<'a>>(
    input: &'a RawValue,
    make: impl FnOnce(I) -> Box<dyn Task>,
) -> Result<Box<dyn Task>, Refusal> {
    match serde_json::from_str(input.get()) {
        Ok(input) => Ok(make(input)),
        Err(error) => Err(Refusal::Input(error.to_string())),
    }
}
