//! Closures that are passed to calls and capture lists: they share one copy, and give cotangents to the elements that they use.

use autodiff::{Float, grad};

#[grad(order = 2)]
fn apply<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
    f(x) * f(0.5 * x)
}

#[grad(order = 2)]
fn sum_of<F: Fn(usize) -> f64>(f: F, n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        s += f(i) * f(0);
    }
    s
}

#[grad(order = 2)]
fn one_of_many(ws: &[f64], x: f64, n: usize) -> f64 {
    let mut s = x;
    for i in 0..n {
        s = apply(|t| (t * ws[i]).sin() + ws[0], s);
    }
    s
}

/// So many elements that they are kept as a list.
#[grad(order = 2)]
fn all_of_them(ws: &[f64], x: f64) -> f64 {
    let n = ws.len();
    let first = sum_of(|i| ws[i] * ws[(i + 1) % n] * x, n);
    let second = apply(
        |t| {
            let mut y = t;
            for w in ws {
                y = y * 0.5 + w * t;
            }
            y
        },
        x,
    );
    first * second
}

/// Some closures use whole parts, and lend them.
#[grad(order = 2)]
fn mean(xs: &[f64]) -> f64 {
    let mut s = 0.0;
    for x in xs {
        s += x * x;
    }
    s / xs.len() as f64
}

#[grad(order = 2)]
fn parts(ws: &[f64], x: f64, n: usize) -> f64 {
    let mut s = x;
    for i in 0..n {
        if i % 2 == 0 {
            s = apply(|t| mean(ws) * t + ws[i], s);
        } else {
            s = apply(|t| mean(&ws[i..]) * t * ws[i], s);
        }
    }
    s
}

/// Lists of the function's own: one that never changes, and ones that do.
#[grad(order = 2)]
fn own_lists(start: Vec<f64>, x: f64, n: usize) -> f64 {
    let fixed = vec![x; 20];
    let mut changed = start.clone();
    let mut s = x;
    for i in 0..n {
        let fresh = vec![s, s * x];
        s = apply(|t| t.sin() * fixed[i] + start[0] * fresh[1] + changed[0], s);
        changed[0] *= s;
    }
    s + changed[0]
}

/// A closure in a closure, and two of one call.
#[grad(order = 2)]
fn both<F: Fn(f64) -> f64, G: Fn(f64) -> f64>(f: F, g: G, x: f64) -> f64 {
    f(g(x)) + g(f(x) * x)
}

#[grad(order = 2)]
fn shared_by_closures(ws: &[f64], x: f64) -> f64 {
    let outer = both(|t| t * ws[1] + ws[2], |t| (t * ws[1]).cos(), x);
    outer * apply(|t| apply(|u| u * ws[0] + t, t * ws[2]), x)
}

#[grad]
fn apply_any<T: Float, F: Fn(T) -> T>(f: F, x: T) -> T {
    f(x) * f(x * x)
}

#[grad]
fn of_any_float<T: Float>(ws: &[T], x: T, n: usize) -> T {
    let mut s = x;
    for i in 0..n {
        s = apply_any(|t| (t * ws[i]).sin() + ws[0], s);
    }
    s
}

#[grad]
fn as_singles(ws: [f64; 12], x: f64) -> f64 {
    let ws = ws.to_vec();
    of_any_float(&ws, x, 3)
}

/// Nobody calls it, so an index behind the last does no harm.
#[grad]
fn not_called<F: Fn(f64) -> f64>(f: F, x: f64, n: usize) -> f64 {
    let mut s = x;
    for _ in 0..n {
        s = f(s);
    }
    s
}

#[grad]
fn behind_the_last(ws: &[f64], x: f64) -> f64 {
    not_called(|t| t * ws[ws.len()], x, 0) * ws[0]
}

const WS: [f64; 12] = [
    0.4, 0.7, -0.3, 0.9, 1.1, -0.2, 0.6, 0.1, 0.8, -0.5, 0.2, 1.3,
];

#[test]
fn closures_capture_lists() {
    check!(one_of_many(shared ws = WS, value x = 0.8, constant n = 3));
    check!(one_of_many(shared ws = WS, value x = 0.8, constant n = 12));
    check!(all_of_them(shared ws = WS, value x = 0.8));
    check!(parts(shared ws = WS, value x = 0.8, constant n = 4));
    check!(own_lists(value start = vec![0.4, 0.7], value x = 0.8, constant n = 4));
    check!(shared_by_closures(shared ws = WS, value x = 0.8));
    check!(as_singles(value ws = WS, value x = 0.8));
    check!(behind_the_last(shared ws = WS, value x = 0.8));
}

#[test]
fn second_derivatives_through_captured_lists() {
    check_second!(one_of_many(shared ws = WS, value x = 0.8, constant n = 3));
    check_second!(all_of_them(shared ws = WS, value x = 0.8));
    check_second!(parts(shared ws = WS, value x = 0.8, constant n = 4));
    check_second!(own_lists(value start = vec![0.4, 0.7], value x = 0.8, constant n = 4));
    check_second!(shared_by_closures(shared ws = WS, value x = 0.8));
}
