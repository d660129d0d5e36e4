//! Lists that are given to a function by value and come back: they are moved, in both modes, unless the reverse sweep reads what they held.

use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[grad(order = 2)]
fn push_one(mut v: Vec<f64>, x: f64) -> Vec<f64> {
    v.push(x * x);
    v
}

/// Reads the list before it grows.
#[grad(order = 2)]
fn push_next(mut v: Vec<f64>, x: f64) -> Vec<f64> {
    let last = v[v.len() - 1];
    v.push(x * last.sin());
    v
}

/// Changes all of it.
#[grad(order = 2)]
fn scaled(mut v: Vec<f64>, x: f64) -> Vec<f64> {
    for e in v.iter_mut() {
        *e *= *e * x;
    }
    v
}

#[grad(order = 2)]
fn grown(start: Vec<f64>, x: f64, n: usize) -> Vec<f64> {
    let mut v = start;
    v.push(x);
    for _ in 0..n {
        v = push_one(v, x);
    }
    v[0] *= x;
    v
}

/// What is read between the calls is a number.
#[grad(order = 2)]
fn read_between(start: Vec<f64>, x: f64, n: usize) -> f64 {
    let mut v = start;
    let mut sum = 0.0;
    for k in 0..n {
        let first = v[0] * x;
        v = push_next(v, first);
        sum += v[k] * first;
    }
    sum + v[v.len() - 1]
}

/// The reverse sweep reads the old list, which is kept.
#[grad(order = 2)]
fn old_contents(start: Vec<f64>, x: f64, n: usize) -> f64 {
    let mut v = start;
    let mut sum = 0.0;
    for _ in 0..n {
        for e in &v {
            sum += e * e * x;
        }
        v = scaled(v, x);
        v[0] += sum;
    }
    sum * v[1]
}

#[grad(order = 2)]
fn in_arms(start: Vec<f64>, x: f64, n: usize) -> f64 {
    let mut v = start;
    let mut sum = x;
    for k in 0..n {
        if k % 2 == 0 {
            v = push_one(v, sum);
        } else if v[k] > 0.3 {
            v = push_next(push_one(v, x), x);
        }
        v[0] *= x;
        sum += v[v.len() - 1];
    }
    sum
}

/// The list goes back and forth, and is handed on once more behind the loop.
#[grad(order = 2)]
fn exchanged(a: Vec<f64>, b: Vec<f64>, x: f64, n: usize) -> f64 {
    let (mut v, mut w) = (a, b);
    v.push(x);
    w.push(x * x);
    for _ in 0..n {
        let t = v;
        v = push_next(w, x);
        w = push_one(t, v[0]);
    }
    let w = scaled(w, v[1]);
    let mut sum = 0.0;
    for (a, b) in v.iter().zip(&w) {
        sum += a * b;
    }
    sum
}

#[grad(order = 2)]
fn until_full(start: Vec<f64>, x: f64, n: usize) -> f64 {
    let mut v = start;
    v[0] += x;
    loop {
        if v.len() > n {
            break;
        }
        v = push_next(v, x);
        if v[v.len() - 1] < -2.0 {
            return v[0];
        }
    }
    v[v.len() - 1] * v[0]
}

#[grad]
fn with_row(mut rows: Vec<Vec<f64>>, row: Vec<f64>) -> Vec<Vec<f64>> {
    rows.push(row);
    rows
}

#[grad]
fn rows(x: f64, n: usize) -> f64 {
    let mut all = vec![vec![x]];
    let mut row = vec![x, x * x];
    for _ in 0..n {
        let next = push_one(row.clone(), x);
        all = with_row(all, row);
        row = next;
        row[0] *= x;
    }
    let mut sum = row[0];
    for r in &all {
        for e in r {
            sum += e * x;
        }
    }
    sum
}

#[grad]
fn with_point(mut v: Vec<Point>, x: f64) -> Vec<Point> {
    v.push(Point { x, y: x * x });
    v
}

#[grad]
fn points(x: f64, n: usize) -> f64 {
    let mut v = vec![Point { x: 1.0, y: x }];
    for _ in 0..n {
        v = with_point(v, x);
        v[0].y *= x;
    }
    v.iter().map(|p| p.x * p.y).sum()
}

/// A method that takes its receiver by value and gives it back.
#[derive(Clone, Debug, Differentiable)]
struct Track {
    points: Vec<f64>,
}

#[grad]
impl Track {
    fn with(mut self, x: f64) -> Track {
        self.points.push(x * x);
        self
    }
}

#[grad]
fn tracks(x: f64, n: usize) -> f64 {
    let mut track = Track { points: vec![x] };
    for _ in 0..n {
        track = track.with(x);
        track.points[0] *= x;
    }
    track.points[0] * track.points[n]
}

/// A list in a struct, of which each call reads an element and changes one.
#[derive(Clone, Debug, Differentiable)]
struct Layers {
    weights: Vec<f64>,
    bias: f64,
}

#[grad(order = 2)]
fn stepped(mut layers: Layers, x: f64, k: usize) -> Layers {
    layers.bias += x * layers.weights[k] * layers.bias;
    layers.weights[k] *= x;
    layers
}

#[grad(order = 2)]
fn steps(weights: Vec<f64>, x: f64, n: usize) -> f64 {
    let mut layers = Layers { weights, bias: x };
    for k in 0..n {
        layers = stepped(layers, x, k % 2);
    }
    layers.bias * layers.weights[0] * layers.weights[1]
}

#[test]
fn lists_come_back() {
    check_vector!(grown(value start = vec![0.4, 0.7], value x = 0.8, constant n = 3));
    check_vector!(grown(value start = vec![0.4], value x = 0.8, constant n = 0));
    check!(read_between(value start = vec![0.4, 0.7], value x = 0.8, constant n = 3));
    check!(old_contents(value start = vec![0.4, 0.7], value x = 0.8, constant n = 3));
    check!(in_arms(value start = vec![0.4, 0.7], value x = 0.8, constant n = 5));
    check!(exchanged(value a = vec![0.4, 0.7], value b = vec![0.3, 0.9], value x = 0.8, constant n = 3));
    check!(until_full(value start = vec![0.4, 0.7], value x = 0.8, constant n = 5));
    check!(rows(value x = 0.8, constant n = 3));
    check!(points(value x = 0.8, constant n = 3));
    check!(tracks(value x = 0.8, constant n = 3));
    check!(steps(value weights = vec![0.4, 0.7], value x = 0.8, constant n = 5));
}

#[test]
fn second_derivatives_of_lists_that_come_back() {
    check_second!(read_between(value start = vec![0.4, 0.7], value x = 0.8, constant n = 3));
    check_second!(old_contents(value start = vec![0.4, 0.7], value x = 0.8, constant n = 3));
    check_second!(in_arms(value start = vec![0.4, 0.7], value x = 0.8, constant n = 5));
    check_second!(exchanged(value a = vec![0.4, 0.7], value b = vec![0.3, 0.9], value x = 0.8, constant n = 3));
    check_second!(until_full(value start = vec![0.4, 0.7], value x = 0.8, constant n = 5));
    check_second!(steps(value weights = vec![0.4, 0.7], value x = 0.8, constant n = 5));
}

/// A pullback takes the cotangent of a struct as its own, and has to find that it fits.
#[test]
fn a_seed_with_another_list_in_it_is_found() {
    let of = |count| Layers {
        weights: vec![0.5; count],
        bias: 0.3,
    };
    for (count, fits) in [(1, false), (2, true), (3, false)] {
        let (_, back) = stepped::pullback(of(2), 0.8, 1);
        let seed = of(count).zero_tangent();
        let run = std::panic::AssertUnwindSafe(|| back(seed));
        assert_eq!(std::panic::catch_unwind(run).is_ok(), fits);
    }
}

/// The list at an address that it had before, with room to grow: nothing was copied.
#[test]
fn lists_that_come_back_are_moved() {
    let room = |of: &[f64]| {
        let mut v = Vec::with_capacity(100);
        v.extend_from_slice(of);
        v
    };
    let (start, dot) = (room(&[0.4]), room(&[1.0]));
    let (list, tangent) = (start.as_ptr(), dot.as_ptr());
    let (value, along) = grown::jvp(start, 0.8, 20, (dot, 1.0));
    assert_eq!((value.as_ptr(), along.as_ptr()), (list, tangent));

    let start = room(&[0.4]);
    let list = start.as_ptr();
    let (value, back) = grown::pullback(start, 0.8, 20);
    assert_eq!(value.as_ptr(), list);
    let seed = value.clone();
    let cotangent = seed.as_ptr();
    let (bar, _) = back(seed);
    assert_eq!((bar.as_ptr(), bar.len()), (cotangent, 1));
}
