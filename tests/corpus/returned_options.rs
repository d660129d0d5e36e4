//! Options that calls return, and what their methods make of them.

use autodiff::{Differentiable, Float, grad};

#[grad]
fn positive(x: f64) -> Option<f64> {
    if x > 0.0 { Some(x * x) } else { None }
}

#[grad]
fn both(x: f64, y: f64) -> Option<(f64, f64)> {
    if x > 0.0 {
        Some((x * y, x.sin()))
    } else {
        None
    }
}

#[grad]
fn in_question(x: f64, y: f64) -> Option<f64> {
    let z = positive(x).map(|v| v.sin() * y)?;
    Some(z * x)
}

#[grad]
fn chained(x: f64, y: f64) -> f64 {
    let mut s = positive(x).map(|v| v * y).unwrap_or(x);
    if let Some(z) = positive(y).map(|v| v * x) {
        s += z;
    }
    s += match positive(x).and_then(|v| positive(v - 0.3)) {
        Some(z) if z > 0.1 => z,
        Some(z) => z * 2.0,
        None => x * y,
    };
    let either = positive(x).or(positive(-x));
    s += either.map_or(0.0, |v| v * 3.0);
    s + both(x, y)
        .filter(|(a, _)| *a > 0.3)
        .map(|(a, b)| a * b)
        .unwrap_or_else(|| y.cos())
        + in_question(x, y).unwrap_or(y)
}

#[test]
fn methods_of_options_that_calls_return() {
    for (x, y) in [(1.3, 0.7), (-0.4, 1.1), (0.6, -0.9), (0.4, 0.2)] {
        check!(chained(value x = x, value y = y));
    }
}

#[derive(Clone, Copy, Differentiable)]
struct Held {
    a: f64,
    o: Option<f64>,
}

#[grad]
fn of_variables(x: f64, y: f64) -> f64 {
    let held = Held {
        a: y,
        o: positive(x),
    };
    let o = held.o;
    let mut s = o.map(|v| v * y).unwrap_or(x);
    let Held { a, o } = held;
    s += o.map(f64::sin).unwrap_or_else(|| a * x) * a;
    let p = positive(y);
    s * p.filter(|v| *v > 0.1).map(|v| v * v).unwrap_or(y)
}

#[grad]
fn made(x: f64) -> Vec<f64> {
    vec![x, x * x, 1.0]
}

#[grad]
fn taken_apart(x: f64, y: f64) -> f64 {
    let vs = made(x);
    let mut s = if let [a, b, _] = vs[..] { a * b } else { 0.0 };
    let [a, .., c] = &vs[..] else {
        panic!("it is short")
    };
    s += a * c * y;
    match vs.as_slice() {
        [a, rest @ ..] => s + a * rest[0],
        [] => 0.0,
    }
}

#[derive(Clone, Copy, Differentiable)]
struct Sum<T> {
    n: u32,
    mean: T,
}

#[grad]
impl<T: Float> Sum<T> {
    fn variance(&self) -> T {
        self.mean / T::from_f64(self.n as f64 - 1.0) + self.mean * T::from_f64(f64::from(self.n))
    }
}

#[grad]
fn of_counts(x: f64, y: f64) -> f64 {
    let sum = Sum { n: 3, mean: x * y };
    sum.variance() * y
}

#[test]
fn what_calls_and_fields_yield() {
    for (x, y) in [(1.3, 0.7), (-0.4, 1.1), (0.6, -0.9), (0.4, 0.2)] {
        check!(of_variables(value x = x, value y = y));
        check!(taken_apart(value x = x, value y = y));
        check!(of_counts(value x = x, value y = y));
    }
}
