//! Options that calls return, and what their methods make of them.

use autodiff::grad;

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

#[test]
fn what_calls_yield() {
    for (x, y) in [(1.3, 0.7), (-0.4, 1.1), (0.6, -0.9), (0.4, 0.2)] {
        check!(taken_apart(value x = x, value y = y));
    }
}

#[grad]
fn below(x: f64, n: usize) -> Option<f64> {
    if n > 3 { None } else { Some(x * x) }
}

/// Of what is constant, with something active in its place.
#[grad]
fn in_its_place(x: f64) -> f64 {
    let mut pair = (1.5f64, 1.07);
    pair.1 *= pair.0;
    let c = below(pair.1.clamp(-0.8, 0.9), 1).unwrap_or(f64::cos(x));
    let d = below(pair.1.abs(), 4).unwrap_or(f64::cos(x));
    c * x + d
}

#[test]
fn constant_options() {
    check!(in_its_place(value x = 0.7));
}

#[grad]
fn ends_asked_for(x: &[f64]) -> Option<f64> {
    let (a, rest) = x.split_first()?;
    let (b, others) = rest.split_last()?;
    let c = x.get(1)?;
    let part = x.get(1..3)?;
    let w: Vec<f64> = others.iter().map(|v| v * a).collect();
    Some(a * b * c + part[0] * part[1] + w.last().copied()? * w.first()?)
}

#[grad]
fn s_of(x: &[f64]) -> f64 {
    x[1].sin()
}

#[grad]
fn rows_asked_for(x: &[f64], k: usize) -> Option<f64> {
    let mut rows = vec![x.to_vec(), vec![x[1], x[0] * x[2]]];
    let last = rows.last_mut()?;
    last[0] *= x[3];
    let changed = rows.get_mut(k)?;
    changed[1] *= x[4];
    rows.first_mut()?[0] = x[1] * s_of(x);
    rows.last_mut()?[0] *= *x.last()?;
    let first = rows.first().cloned()?;
    let row = rows.get(k)?;
    Some(row[0] * row[1] + first[0] * first[1])
}

#[grad]
fn asked_for(x: &[f64], k: usize) -> f64 {
    let mut s = ends_asked_for(x).unwrap_or(x[0]);
    s += rows_asked_for(x, k).unwrap_or(x[1] * s);
    s + ends_asked_for(&x[k..k + 1]).unwrap_or(x[2] * s)
}

#[grad]
fn parts_that_may_be_there(x: &[f64], k: usize) -> f64 {
    let mut v = x.to_vec();
    if let Some(a) = v.get_mut(k) {
        *a *= x[0];
    }
    let mut s = match v.get(k..k + 2) {
        Some(part) => part[0] * part[1],
        None => v[0] * x[1],
    };
    for a in x.get(k..).unwrap_or(&[]) {
        s += a * s;
    }
    for a in if x[0] > 0.0 { &x[1..] } else { x } {
        s += a * s;
    }
    s += v.get(..=k).unwrap_or_default().iter().sum::<f64>();
    let Some(part) = v.get(1..k) else {
        return s * x[2];
    };
    s + part.iter().product::<f64>()
}

#[test]
fn elements_that_may_be_there() {
    for x in [
        [1.3, 0.7, -0.4, 1.1, 0.6],
        [-0.9, -1.2, -0.3, 0.5, 0.8],
        [0.45, 1.9, 1.2, -0.7, -1.6],
    ] {
        for k in [0, 1, 3] {
            check!(asked_for(shared x = x, constant k = k));
        }
        for k in [0, 1, 3, 4, 7] {
            check!(parts_that_may_be_there(shared x = x, constant k = k));
        }
    }
}

#[grad]
fn if_positive(x: f64, y: f64) -> Option<f64> {
    let a = (x > 0.0).then(|| x * y)?;
    let b = (y > 0.5).then_some(a.sin());
    b.or((x > 1.0).then_some(x))
}

#[grad]
fn options_of_conditions(x: f64, y: f64) -> f64 {
    let positive = x > 0.0;
    let mut s = if_positive(x, y).unwrap_or(y);
    s += positive
        .then(|| {
            let q = x.sqrt();
            q * y
        })
        .unwrap_or_else(|| x * x);
    if let Some(a) = (y > 0.0).then_some(s * y) {
        s += a;
    }
    let pair = (x > y).then(|| (x * y, s));
    s += pair.map_or(y, |(a, b)| a * b);
    s + [x, y, s]
        .iter()
        .filter_map(|&a| (a > 0.0).then_some(a))
        .map(f64::sqrt)
        .sum::<f64>()
}

#[test]
fn conditions() {
    for (x, y) in [(1.3, 0.7), (-0.4, 1.1), (0.6, -0.9), (0.4, 0.2), (1.4, 0.2)] {
        check!(options_of_conditions(value x = x, value y = y));
    }
}
