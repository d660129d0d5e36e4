//! Second derivatives through calls: many directions at once where every type is known, one after the other in what is called where it is not.

use autodiff::{Differentiable, Float, grad};

use crate::check::near;

#[grad(order = 2)]
fn weighted(x: f64, w: &[f64], k: usize) -> f64 {
    x * w[k] + x.sin()
}

#[grad(order = 2)]
fn of_any_float<T: Float>(x: T, y: &[T; 2]) -> T {
    x * y[1] * x + y[0].sin()
}

#[grad(order = 2)]
fn advance(v: &mut [f64], by: f64) {
    for x in v.iter_mut() {
        *x = *x * by + x.sin();
    }
}

#[derive(Clone, Copy, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

/// Through a type of its own: this function has one direction at a time.
#[grad(order = 2)]
fn through_a_type(x: f64, v: &mut [f64; 2], w: &[f64]) -> f64 {
    let p = Point { x, y: v[0] * w[1] };
    v[1] = p.x * p.y;
    p.x * p.y * p.x + v[0]
}

#[grad(order = 2)]
fn grown(x: f64, v: &mut Vec<f64>, by: Vec<f64>) -> Option<f64> {
    let p = Point { x, y: v[0] };
    v.push(p.x * p.y * by[0]);
    v[0] = by[1].sin();
    if x > 0.0 { Some(p.x * by[1]) } else { None }
}

#[grad(order = 2)]
fn pair(x: f64, y: f64) -> (f64, f64) {
    (x * y, x.sin() * y)
}

#[grad(order = 2)]
fn list(xs: &[f64], scale: f64) -> Vec<f64> {
    xs.iter().map(|x| (x * scale).cos()).collect()
}

#[grad(order = 2)]
fn down(xs: &[f64]) -> f64 {
    match xs {
        [] => 1.0,
        [x, rest @ ..] => x.sin() * down(rest) + x * x,
    }
}

#[grad(order = 2, partials = (2.0 * a * b, a * a))]
fn own(a: f64, b: f64) -> f64 {
    a * a * b
}

#[grad(constant)]
fn level(x: f64) -> f64 {
    (x * 4.0).floor()
}

/// Second derivatives of `$f` against differences of its gradient, and each column against `hvp`.
macro_rules! agrees {
    ($f:ident, $x:expr) => {{
        let x: [f64; 3] = $x;
        let hessian = $f::hessian(&x);
        let (value, gradient, same) = $f::value_grad_hessian(&x);
        assert_eq!(value.to_bits(), $f(&x).to_bits());
        assert_eq!(hessian, same);
        near(&gradient, &$f::grad(&x), 1e-14);
        for j in 0..3 {
            let mut direction = [0.0; 3];
            direction[j] = 1.0;
            let (_, column) = $f::hvp(&x, &direction);
            let (mut above, mut below) = (x, x);
            above[j] += 1e-5;
            below[j] -= 1e-5;
            let (above, below) = ($f::grad(&above), $f::grad(&below));
            for i in 0..3 {
                let slope = (above[i] - below[i]) / 2e-5;
                let entry = hessian[[i, j]];
                assert!(
                    (entry - slope).abs() <= 1e-7 * (1.0 + slope.abs()),
                    "{} {i} {j}: {entry} but {slope}",
                    stringify!($f)
                );
                assert!((entry - hessian[[j, i]]).abs() <= 1e-12 * (1.0 + slope.abs()));
                assert!((entry - column[i]).abs() <= 1e-12 * (1.0 + slope.abs()));
            }
        }
    }};
}

#[grad(order = 2)]
fn in_a_loop(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += weighted(x[i], x, i) * s.cos();
    }
    s
}

#[grad(order = 2)]
fn in_place(x: &[f64]) -> f64 {
    let mut v = [x[1], x[2], x[0] * x[1]];
    for _ in 0..2 {
        advance(&mut v, x[0]);
    }
    advance(&mut v[1..], 2.0);
    v[0] * v[1] + v[2]
}

#[grad(order = 2)]
fn one_direction_after_the_other(x: &[f64]) -> f64 {
    let mut w = [x[0], x[2] * x[1]];
    let a: f64 = through_a_type(x[1], &mut w, x);
    let b: f64 = through_a_type(w[1], &mut w, &[x[0], x[2]]);
    let c: f64 = of_any_float(a, &[w[0], 2.0 * b]);
    (c * 0.1).sin() + a * b
}

#[grad(order = 2)]
fn of_growing_lists(x: &[f64]) -> f64 {
    let mut v = vec![x[0] * x[1], x[2]];
    let o: Option<f64> = grown(x[2], &mut v, vec![x[0], x[1]]);
    let head = v[0];
    let p: Option<f64> = grown(-x[2] * x[0], &mut v, vec![head, x[1]]);
    let a = if let Some(a) = o { a } else { 2.0 };
    let b = if let Some(b) = p { b } else { x[0] };
    a * b + v.iter().map(|y| y * y).sum::<f64>()
}

#[grad(order = 2)]
fn of_tuples_and_lists(x: &[f64]) -> f64 {
    let (a, b): (f64, f64) = pair(x[0], x[1]);
    let all: Vec<f64> = list(x, a);
    all[0] * all[2] * b + down(x) * down(&x[1..])
}

#[grad(order = 2)]
fn of_rules_and_constants(x: &[f64]) -> f64 {
    let a: f64 = own(x[0], x[1]);
    let l: f64 = level(x[2]);
    a * own(x[2], a) * l + own(2.0, x[1])
}

#[test]
fn many_directions() {
    for x in [[0.7, 1.3, 0.4], [-0.3, 0.9, -1.1]] {
        agrees!(in_a_loop, x);
        agrees!(in_place, x);
        agrees!(one_direction_after_the_other, x);
        agrees!(of_growing_lists, x);
        agrees!(of_tuples_and_lists, x);
        agrees!(of_rules_and_constants, x);
    }
}
