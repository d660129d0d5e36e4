//! `for` over ranges: plain, reversed, stepped, inclusive, empty, nested.

use autodiff::grad;

use crate::check::near;

#[grad]
fn horner(c: &[f64], x: f64) -> f64 {
    let mut y = 0.0;
    for i in (0..c.len()).rev() {
        y = y * x + c[i];
    }
    y
}

#[grad]
fn inclusive(x: f64, n: usize) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in 1..=n {
        term *= x / k as f64;
        sum += term;
    }
    sum
}

#[grad]
fn stepped(a: &[f64], x: f64) -> f64 {
    let mut sum = 0.0;
    for i in (0..a.len()).step_by(2) {
        sum += a[i] * x;
        sum = sum.sin();
    }
    for i in (1..a.len()).rev().step_by(3) {
        sum *= a[i];
    }
    sum
}

#[grad]
fn triangular(a: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..a.len() {
        for j in 0..i {
            let d = a[i] - a[j];
            total += 1.0 / (1.0 + d * d);
        }
    }
    total
}

#[grad]
fn three_deep(x: f64, n: usize) -> f64 {
    let mut y = x;
    for i in 0..n {
        for j in i..n {
            let mut z = y;
            for k in 0..j {
                z = (z * x + 0.1 * k as f64).sin();
            }
            y += 0.5 * z;
        }
    }
    y * y
}

#[grad]
fn logistic(r: f64, x0: f64, n: usize) -> f64 {
    let mut x = x0;
    for _ in 0..n {
        x = r * x * (1.0 - x);
    }
    x
}

#[grad]
fn permuted(x: f64, y: f64, z: f64, n: usize) -> f64 {
    let (mut a, mut b, mut c) = (x, y, z);
    for _ in 0..n {
        let t = a;
        a = b;
        b = c;
        c = t * a;
    }
    a + 2.0 * b + 3.0 * c
}

#[grad]
fn bound_changed(x: f64) -> f64 {
    let mut n = 4;
    let mut y = x;
    for i in 0..n {
        n = i;
        y = y * x + n as f64;
    }
    y + n as f64 * x
}

#[grad]
fn nonlinear_tail(x: &[f64]) -> f64 {
    let mut out = 0.0;
    for i in 0..x.len() {
        let mut s = 0.0;
        for j in 0..x.len() {
            s += (x[i] * x[j]).exp();
        }
        out += s.ln();
    }
    out.tanh()
}

#[grad]
fn accumulator_reset(x: &[f64]) -> f64 {
    let mut s = 0.0;
    let mut y = 0.0;
    for i in 0..x.len() {
        s += x[i];
        if s > 1.0 {
            s = 0.1;
        }
        y += s * s;
    }
    y
}

#[grad]
fn integers_counted(x: f64, n: i64) -> f64 {
    let mut y = x;
    for k in -2..n {
        y += x * (k as f64) * y;
    }
    y
}

#[test]
fn directions_and_steps() {
    check!(horner(shared c = [0.7, -0.4, 1.2, 0.1], value x = 0.9));
    check!(inclusive(value x = 0.9, constant n = 6));
    check!(stepped(shared a = [0.7, -0.4, 1.2, 0.1, 0.3], value x = 0.9));
    check!(integers_counted(value x = 0.3, constant n = 3));
}

#[test]
fn nests() {
    check!(triangular(shared a = [0.7, -0.4, 1.2, 0.1]));
    check!(three_deep(value x = 0.7, constant n = 3));
    check!(nonlinear_tail(shared x = [0.7, -0.4, 0.2]));
}

#[test]
fn carried_values() {
    check!(logistic(value r = 2.9, value x0 = 0.3, constant n = 7));
    for n in 0..5 {
        check!(permuted(value x = 0.7, value y = -0.4, value z = 1.2, constant n = n));
    }
    check!(accumulator_reset(shared x = [0.7, 0.4, 0.2, 0.9, 0.3]));
}

#[test]
fn a_range_is_evaluated_once() {
    check!(bound_changed(value x = 0.7));
}

#[test]
fn empty_ranges() {
    near(&logistic::grad(2.9, 0.3, 0), &(0.0, 1.0), 0.0);
    check!(three_deep(value x = 0.7, constant n = 0));
    check!(inclusive(value x = 0.7, constant n = 0));
    check!(integers_counted(value x = 0.3, constant n = -5));
    check!(horner(shared c = [0.0; 0], value x = 0.9));
}
