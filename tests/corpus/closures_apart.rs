//! Closures that are large and called often, so that they become functions of their own.

use autodiff::grad;

/// Closures that call closures, with captures that are numbers, lists and counts.
#[grad(order = 2)]
fn three_deep(x: f64, y: f64, w: [f64; 3], v: &[f64], n: usize) -> f64 {
    let k = x * y;
    let g0 = |a: f64, b: f64| {
        let t = a * k;
        t.sin() * b + (t * b).exp() / (1.0 + a * a)
    };
    let g1 = |a| g0(a, 0.5) * x + g0(a * y, a) + g0(1.5, a) * w[0] + g0(a, x);
    let g2 = |a: f64| g1(a).sin() + g1(a * 2.0) * g1(k) + v[1] * g1(a + n as f64);
    let mut s = g2(x) + g2(y);
    for i in 0..n {
        s += (g2(s * 0.1) * g0(v[i], s) + g1(s) + g1(0.2 * s)).sin();
    }
    s
}

/// Jumps, loops and conditions inside, and calls in every position.
#[grad(order = 2)]
fn with_statements(x: f64, y: f64, up: bool, n: usize) -> f64 {
    let scale = 0.3;
    let g = |a: f64, k: usize| -> f64 {
        if a < 0.1 {
            return a * y;
        }
        let mut t = if up { a * scale } else { a.sin() };
        for i in 0..k {
            t = (t * x + i as f64 * 0.1).sin();
            if t > 0.8 {
                break;
            }
        }
        t * t + a
    };
    let m = n + 1;
    let mut s = g(x, n);
    if s > 0.2 {
        s += g(s, m) * g(0.05 * y, 1);
    }
    for i in 0..m {
        s += match i {
            0 => g(s, i),
            1 => (g(y, i) + g(x * y, n)).cos(),
            _ => [g(s * 0.5, 2), x][i % 2],
        };
    }
    s
}

#[grad(order = 2)]
fn in_other_closures(x: f64, v: &[f64]) -> f64 {
    let density = |t: f64, m: f64, s: f64| {
        let z = (t - m) / s;
        (-0.5 * z * z).exp() / (s * (2.0 * std::f64::consts::PI).sqrt()) + x * 0.01
    };
    let all: f64 = v.iter().map(|t| density(*t, x, 0.9)).sum();
    let some = v.iter().fold(0.0, |acc, t| acc + density(*t, 0.3, x));
    let odd = move |t: f64| density(t, 0.1, 1.0) * density(t, t, 1.2);
    all * some + odd(x) * density(x * x, 1.0, 0.5)
}

#[grad]
fn narrow(x: f32, w: Vec<f32>) -> f32 {
    let g = |a: f32, b: f32| {
        let s: f32 = w.iter().map(|t| t * a).sum();
        (s + w[0] * b).sin() * x + w.len() as f32 * a * b / (1.0 + a * a + b * b)
    };
    g(x, 1.0) + g(x, x) * g(0.5, x) + g(x * x, 2.0) - g(-x, -1.0) * g(w[1], 0.1) + g(1.0, 1.0)
}

/// What cannot be a function is written out: it changes what is around it, or is passed on.
#[grad(order = 2)]
fn not_apart(x: f64, y: f64) -> f64 {
    let mut count = x;
    let mut step = |a: f64| {
        count += (a * x).sin() * y + (a * a + 1.0).ln() * 0.5 - (a - y).cos() * a;
        count * a
    };
    let mut s = step(x) + step(y) + step(x * y) + step(0.5);
    let point = (x, y);
    let with_part =
        |a: f64| (a * point.0).sin() * point.1 + (a * a + point.0).exp() * 0.1 - a * (a + 1.0).ln();
    s += with_part(x) * with_part(y) + with_part(0.3) + with_part(x * y) + with_part(x + y);
    s
}

#[test]
fn closures_of_closures() {
    check!(three_deep(value x = 0.3, value y = 0.4, value w = [0.1, 0.2, 0.3], shared v = vec![0.5, 0.05], constant n = 2));
    check_second!(three_deep(value x = 0.3, value y = 0.4, value w = [0.1, 0.2, 0.3], shared v = vec![0.5, 0.05], constant n = 2));
}

#[test]
fn closures_with_statements() {
    for (up, n) in [(true, 0), (false, 1), (true, 3), (false, 4)] {
        check!(with_statements(value x = 0.7, value y = 0.4, constant up = up, constant n = n));
        check_second!(with_statements(value x = 0.7, value y = 0.4, constant up = up, constant n = n));
    }
}

#[test]
fn closures_in_closures() {
    check!(in_other_closures(value x = 0.7, shared v = vec![0.5, 0.05, -1.0]));
    check_second!(in_other_closures(value x = 0.7, shared v = vec![0.5, 0.05, -1.0]));
}

#[test]
fn closures_of_narrow_numbers() {
    let (x, w) = (0.7_f32, vec![0.5_f32, -0.3]);
    let (value, gradient) = narrow::value_and_grad(x, w.clone());
    assert_eq!(value.to_bits(), narrow(x, w.clone()).to_bits());
    let (_, tangent) = narrow::jvp(x, w.clone(), (1.0, vec![0.5, -1.0]));
    let along = gradient.0 + 0.5 * gradient.1[0] - gradient.1[1];
    assert!((tangent - along).abs() < 1e-4 * along.abs().max(1.0));
    let h = 1e-2_f32;
    let difference = (narrow(x + h, w.clone()) - narrow(x - h, w.clone())) / (2.0 * h);
    assert!((gradient.0 - difference).abs() < 1e-2 * difference.abs().max(1.0));
}

#[test]
fn closures_that_are_written_out() {
    check!(not_apart(value x = 0.7, value y = 0.4));
    check_second!(not_apart(value x = 0.7, value y = 0.4));
}
