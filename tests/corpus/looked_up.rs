//! Results and options that hold no derivative, and what their methods make of them beside what is active.

use autodiff::grad;

#[derive(Debug)]
struct Missing;

#[derive(Debug)]
enum Failure {
    At(usize),
    Other,
}

#[grad(order = 2)]
fn positive(x: f64) -> Result<f64, Missing> {
    if x > 0.0 { Ok(x.sin()) } else { Err(Missing) }
}

fn table(k: usize) -> Result<f64, Missing> {
    if k > 0 { Ok(0.5) } else { Err(Missing) }
}

fn told(k: usize) -> Result<f64, Failure> {
    match k {
        0 => Err(Failure::At(3)),
        1 => Err(Failure::Other),
        _ => Ok(0.5),
    }
}

struct Table {
    entries: Vec<f64>,
}

impl Table {
    fn at(&self, k: usize) -> Result<f64, Failure> {
        self.entries.get(k).copied().ok_or(Failure::At(k))
    }

    fn perhaps(&self, k: usize) -> Option<f64> {
        self.entries.get(k).copied()
    }
}

#[grad(order = 2)]
fn of_a_function(x: f64, k: usize) -> f64 {
    table(k).map_or(x, |z| x * x * z)
        + table(k).unwrap_or(x * x)
        + table(k).unwrap_or_else(|_| x.cos())
        + table(k).map_or_else(|_| x, |z| z * x)
        + table(k).unwrap_or_default() * x
        + table(k).ok().map_or(x, |z| z * x)
}

#[grad(order = 2)]
fn after_a_map(x: f64, k: usize) -> f64 {
    let d = x * x;
    table(k).map(|z| z * x).unwrap_or(0.0)
        + table(k).map(|z| z * x).unwrap_or(d)
        + table(k).map(|z| z * x).unwrap_or(-x.sin())
        + table(k).map(|z| z * x).unwrap_or_else(|_| 2.0 * x)
        + positive(x).map(|z| z * x).unwrap_or(d)
}

#[grad(order = 2)]
fn by_its_error(x: f64, k: usize) -> f64 {
    let y = told(k).unwrap_or_else(|e| match e {
        Failure::At(n) => x * n as f64,
        Failure::Other => x.sin(),
    });
    y * told(k).map_or_else(
        |e| {
            if matches!(e, Failure::Other) {
                x
            } else {
                2.0 * x
            }
        },
        |z| z * x,
    )
}

#[grad(order = 2)]
fn of_a_method(x: f64, #[constant] t: &Table) -> f64 {
    t.at(1).unwrap_or(x) * t.at(5).unwrap_or(x) * t.perhaps(0).map_or(x, |z| z * x)
        + t.perhaps(7).map(|z| z * x).unwrap_or(x)
}

/// The value decides, and goes nowhere.
#[grad(order = 2)]
fn of_no_account(x: f64, y: f64) -> f64 {
    let c = positive(x).map(|_| y).unwrap_or(-x);
    positive(x).map_or(x, |z| if z > 0.1 { x * x } else { x })
        + positive(x * y).map_or(x, |_| y * y)
        + c * y
}

/// Where something is in a list.
#[grad(order = 2)]
fn of_places(x: f64, w: &[f64], k: usize) -> f64 {
    let at = w.iter().position(|v| *v > 0.5);
    let ks = [1usize, 2, 4];
    w.iter()
        .position(|v| *v > 0.5)
        .map_or(x, |k| x * w[k] * k as f64)
        + w.iter()
            .position(|v| *v > 0.5)
            .map(|k| x * w[k])
            .unwrap_or(x)
        + at.map_or(x * x, |k| x * w[k])
        + ks.binary_search(&k).map_or(x, |i| x * x * i as f64)
        + ks.binary_search(&k).unwrap_or_else(|i| i + 1) as f64 * x
}

#[test]
fn functions() {
    for k in 0..3 {
        check!(of_a_function(value x = 0.3, constant k = k));
        check_second!(of_a_function(value x = 0.3, constant k = k));
        check!(after_a_map(value x = 0.3, constant k = k));
        check_second!(after_a_map(value x = 0.3, constant k = k));
        check!(by_its_error(value x = 0.3, constant k = k));
        check_second!(by_its_error(value x = 0.3, constant k = k));
    }
    check!(after_a_map(value x = -0.3, constant k = 1));
}

#[test]
fn methods() {
    let t = Table {
        entries: vec![0.5, 0.7],
    };
    check!(of_a_method(value x = 0.3, constant t = &t));
    check_second!(of_a_method(value x = 0.3, constant t = &t));
}

#[test]
fn values_of_no_account() {
    for x in [0.05, 0.3, -0.3] {
        check!(of_no_account(value x = x, value y = 0.7));
        check_second!(of_no_account(value x = x, value y = 0.7));
    }
}

#[test]
fn places() {
    for w in [[0.2, 0.6], [0.2, 0.3]] {
        for k in [2, 3] {
            check!(of_places(value x = 0.3, shared w = w, constant k = k));
            check_second!(of_places(value x = 0.3, shared w = w, constant k = k));
        }
    }
}
