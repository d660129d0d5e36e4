//! Functions that return results, what callers make of these, and chains that stop at an error.

use super::scope::{Kind, Var};
use super::{Generator, ResultType, Stmt};

/// The errors: one has nothing in it, and becomes the other, which has numbers that are no floats.
const ERRORS: &str = "\
#[derive(Debug)]
pub struct Missing;

#[derive(Debug, Clone, PartialEq)]
pub enum Failure { Small, At(usize), Said(String) }

impl From<Missing> for Failure {
    fn from(_: Missing) -> Self { Self::Small }
}
";

/// The names of the errors.
const NAMES: [&str; 2] = ["Missing", "Failure"];

impl Generator {
    /// The type of a result that may be an error.
    pub(crate) fn fallible_result(&mut self) -> ResultType {
        if self.items.iter().all(|item| item != ERRORS) {
            self.items.push(ERRORS.to_owned());
        }
        self.used.insert("fallible");
        ResultType::Fallible(NAMES[self.random.below(NAMES.len())])
    }

    /// A value of an error.
    pub(crate) fn error(&mut self, name: &str) -> String {
        if name == "Missing" {
            return name.to_owned();
        }
        match self.random.below(3) {
            0 => "Failure::Small".to_owned(),
            1 => match self.any(|var| matches!(var.kind, Kind::Int(..))) {
                Some(var) => format!("Failure::At({})", var.read),
                None => "Failure::At(2)".to_owned(),
            },
            _ => "Failure::Said(\"low\".to_owned())".to_owned(),
        }
    }

    /// What hands the error of one function on from another, if that has one; behind a value.
    fn handed_on(&mut self, from: &str) -> Option<String> {
        match self.result? {
            ResultType::Fallible(to) if to == from || to == "Failure" => Some("?".to_owned()),
            ResultType::Fallible(to) => Some(format!(".map_err(|_| {})?", self.error(to))),
            ResultType::Maybe => Some(".ok()?".to_owned()),
            _ => None,
        }
    }

    /// `let name = …` of a call that may fail: what it is bound to on failure, and what is made of `z` otherwise.
    pub(crate) fn unpacked_result(
        &mut self,
        (call, error): (&str, &str),
        name: &str,
        (other, z, value): (&str, &str, &str),
    ) -> String {
        if self.random.chance(0.5) {
            if let Some(onward) = self.handed_on(error) {
                return format!("let {name} = {call}{onward};");
            }
        }
        let limit = self.literal(-0.5, 0.8);
        let failure = self.error("Failure");
        let made = match self.random.below(11) {
            0 => format!("{call}.unwrap_or({other})"),
            1 => format!("{call}.unwrap_or_else(|_| {other})"),
            2 => format!("{call}.map_or({other}, |{z}| {z} * ({value}))"),
            3 => format!("{call}.map(|{z}| {z} * ({value})).unwrap_or({other})"),
            4 => format!("{call}.ok().unwrap_or({other})"),
            // What calls itself is left out: the type of its result is not known yet.
            5 if self.loops == 0 => format!(
                "{call}.or_else(|_| if {other} > {limit} {{ Ok({other}) }} else {{ Err({failure}) }}).unwrap_or({limit})"
            ),
            6 => format!(
                "{call}.and_then(|{z}| if {z} > {limit} {{ Ok({value}) }} else {{ Err({}) }}).unwrap_or({other})",
                self.error(error)
            ),
            7 if self.use_of("match") => {
                let of_index = if error == "Failure" {
                    format!(
                        "Err(Failure::At(at)) => at as {} * ({other}), ",
                        self.scalar
                    )
                } else {
                    String::new()
                };
                format!(
                    "match {call} {{ Ok({z}) if {z} > {limit} => {value}, Ok({z}) => {z}.sin(), {of_index}Err(_) => {other} }}"
                )
            }
            8 if self.use_of("let_else") => {
                return match self.jump() {
                    Some(jump) => format!("let Ok({name}) = {call} else {{ {jump} }};"),
                    None => format!("let {name} = {call}.unwrap_or({other});"),
                };
            }
            9 => format!(
                "{{ let outcome = {call}; if outcome.is_ok() {{ outcome.unwrap() * 0.5 }} else {{ {other} }} }}"
            ),
            _ => format!("if let Ok({z}) = {call} {{ {value} }} else {{ {other} }}"),
        };
        format!("let {name} = {made};")
    }

    /// A chain that stops at an error, or an option that becomes one.
    pub(crate) fn fallible_statement(&mut self) -> Option<Vec<Stmt>> {
        let Some(ResultType::Fallible(error)) = self.result else {
            return None;
        };
        let (n, limit, name) = (
            self.random.between(1, 4),
            self.literal(0.2, 0.9),
            self.fresh("v"),
        );
        let (e, failure) = (self.fixed(1, 1.5), self.error(error));
        let k = Var::new("z", Kind::Scalar, false, 3.0);
        let f = self.fixed_with(vec![k], 1, 1.2);
        let s = self.scalar;
        let value = match self.random.below(5) {
            0 => format!(
                "(0..{n}).try_fold({e}, |z: {s}, _| if z > -{limit} {{ Ok({f}) }} else {{ Err({failure}) }})?"
            ),
            1 => format!(
                "(0..{n}).map(|k| {{ let z = ({e}) * k as {s}; if z > -{limit} {{ Ok({f}) }} else {{ Err({failure}) }} }}).sum::<Result<{s}, {error}>>()?.sin()"
            ),
            2 => format!(
                "(0..{n}).map(|k| {{ let z = ({e}) + k as {s}; if z > -{limit} {{ Ok({f}) }} else {{ Err({failure}) }} }}).collect::<Result<Vec<{s}>, {error}>>()?[{}]",
                n - 1
            ),
            3 => format!(
                "(if {e} > {limit} {{ Some({e}) }} else {{ None }}).ok_or({failure})?.cos()"
            ),
            _ => format!(
                "{{ let mut z: {s} = {e}; for k in 0..{n} {{ if z < -{limit} {{ return Err({failure}); }} z = ({f}).sin() + 0.1 * k as {s}; }} z }}"
            ),
        };
        Some(self.lines(&[format!("let {name} = {value};")], &name, &[]))
    }
}
