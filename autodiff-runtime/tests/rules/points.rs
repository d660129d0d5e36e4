//! The true figures of `data/scalar_rules.csv`.

/// A function at a point.
#[derive(Debug)]
pub(crate) struct Point {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) at: Vec<f64>,
    pub(crate) value: f64,
    pub(crate) first: Vec<f64>,
    /// Row by row; empty where they are not demanded.
    pub(crate) second: Vec<f64>,
    /// One per first partial.
    pub(crate) allowed: Vec<Allowed>,
    /// What the first partials must add up to.
    pub(crate) sum: Option<f64>,
}

/// What a first partial may be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Allowed {
    Truth,
    Between(f64, f64),
    Anything,
}

pub(crate) fn points() -> impl Iterator<Item = Point> {
    include_str!("../data/scalar_rules.csv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(point)
}

fn number(text: &str) -> f64 {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().map(number).collect()
}

fn point(line: &'static str) -> Point {
    let columns: Vec<_> = line.split(';').collect();
    let [name, kind, at, value, first, second, allowed] = columns[..] else {
        panic!("{line}")
    };
    let first = numbers(first);
    let mut point = Point {
        name,
        kind,
        at: numbers(at),
        value: number(value),
        second: numbers(second),
        allowed: vec![Allowed::Truth; first.len()],
        sum: None,
        first,
    };
    for (i, rule) in allowed.split_whitespace().enumerate() {
        match rule.split_once(':') {
            Some(("sum", sum)) => point.sum = Some(number(sum)),
            Some((low, high)) => point.allowed[i] = Allowed::Between(number(low), number(high)),
            None if rule == "*" => point.allowed[i] = Allowed::Anything,
            None => assert_eq!(rule, "=", "{line}"),
        }
    }
    point
}
