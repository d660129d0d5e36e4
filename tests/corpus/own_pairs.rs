//! `vjp = (fwd, rev)`: a function that saves, and one that is given what was saved.

use std::cell::Cell;

use autodiff::{Differentiable, Float, grad};

use crate::check::near;

thread_local! {
    static SOLVED: Cell<u32> = const { Cell::new(0) };
}

/// The norm, by a body that cannot be followed.
#[grad(vjp = (norm_fwd, norm_rev))]
fn norm(xs: &[f64], #[constant] scale: f64) -> f64 {
    scale * xs.iter().fold(0.0, |r: f64, x| r.hypot(*x))
}

fn norm_fwd(xs: &[f64], scale: f64) -> (f64, (Vec<f64>, f64)) {
    SOLVED.set(SOLVED.get() + 1);
    let r = norm(xs, 1.0);
    (scale * r, (xs.iter().map(|x| x / r).collect(), scale))
}

fn norm_rev((unit, scale): &(Vec<f64>, f64), seed: f64) -> Vec<f64> {
    unit.iter().map(|u| seed * scale * u).collect()
}

#[grad]
fn twice(xs: &[f64]) -> f64 {
    let mut copy = [0.0; 2];
    let mut sum = 0.0;
    for k in 1..4 {
        copy[0] = xs[0] * k as f64;
        copy[1] = xs[1] + sum;
        sum += norm(&copy, 2.0);
    }
    sum
}

#[grad]
fn twice_through(xs: &[f64]) -> f64 {
    let mut copy = [0.0; 2];
    let mut sum = 0.0_f64;
    for k in 1..4 {
        copy[0] = xs[0] * k as f64;
        copy[1] = xs[1] + sum;
        sum += 2.0 * (copy[0] * copy[0] + copy[1] * copy[1]).sqrt();
    }
    sum
}

#[test]
fn what_is_saved_is_given_back() {
    assert_eq!(norm::grad(&[3.0, 4.0], 2.0), [1.2, 1.6]);
    let (value, back) = norm::pullback(&[3.0, 4.0], 2.0);
    assert_eq!((value, back(10.0)), (10.0, vec![12.0, 16.0]));
    let at = [0.6, -0.8];
    SOLVED.set(0);
    let gradient = twice::grad(&at);
    // Once in each round, on the way there.
    assert_eq!(SOLVED.get(), 3);
    near(&gradient, &twice_through::grad(&at), 1e-14);
    let tangent = twice::jvp(&at, &[1.0, 2.0]).1;
    near(&tangent, &(gradient[0] + 2.0 * gradient[1]), 1e-13);
}

#[grad(order = 2, vjp = (wave_fwd, wave_rev))]
fn wave(x: f64, by: f64, #[constant] n: usize) -> f64 {
    by * x.sin().powi(n as i32)
}

#[grad(order = 2)]
fn wave_fwd(x: f64, by: f64, n: usize) -> (f64, (f64, f64, f64)) {
    let (s, c) = (x.sin(), x.cos());
    let power = s * s;
    let _ = n;
    (by * power, (s, c, by))
}

#[grad(order = 2)]
fn wave_rev((s, c, by): &(f64, f64, f64), seed: f64) -> (f64, f64) {
    (seed * by * 2.0 * s * c, seed * s * s)
}

#[grad(order = 2)]
fn of_waves(x: f64, by: f64) -> f64 {
    let mut sum = 0.0;
    for _ in 0..3 {
        sum += wave(x * by + sum, by, 2) * x;
    }
    sum
}

#[grad(order = 2)]
fn of_sines(x: f64, by: f64) -> f64 {
    let mut sum = 0.0;
    for _ in 0..3 {
        let s = (x * by + sum).sin();
        sum += by * s * s * x;
    }
    sum
}

#[test]
fn two_functions_with_derivatives_give_both_modes_and_orders() {
    let (x, by) = (0.7_f64, 1.3_f64);
    let (s2, c2) = (2.0 * x).sin_cos();
    near(&wave::grad(x, by, 2), &(by * s2, x.sin().powi(2)), 1e-14);
    near(&wave::jvp(x, by, 2, (1.0, 0.0)).1, &(by * s2), 1e-14);
    near(
        wave::hessian(x, by, 2).as_slice(),
        &[2.0 * by * c2, s2, s2, 0.0],
        1e-14,
    );
    near(
        &wave::hvp(x, by, 2, (1.0, 0.0)).1,
        &(2.0 * by * c2, s2),
        1e-14,
    );
    near(&of_waves::grad(x, by), &of_sines::grad(x, by), 1e-13);
    near(
        &of_waves::jvp(x, by, (1.0, 0.5)).1,
        &of_sines::jvp(x, by, (1.0, 0.5)).1,
        1e-13,
    );
    let (h, wanted) = (of_waves::hessian(x, by), of_sines::hessian(x, by));
    near(h.as_slice(), wanted.as_slice(), 1e-12);
}

/// A quadratic form of slices, with a struct saved.
#[grad(order = 2, vjp = (form_fwd, form_rev))]
fn form(xs: &[f64], k: f64) -> f64 {
    k * k * xs.iter().map(|x| x * x * x).sum::<f64>()
}

#[derive(Clone, Differentiable)]
struct Form {
    xs: Vec<f64>,
    k: f64,
}

#[grad(order = 2)]
fn form_fwd(xs: &[f64], k: f64) -> (f64, Form) {
    let mut sum = 0.0;
    for x in xs {
        sum += x * x * x;
    }
    let saved = Form { xs: xs.to_vec(), k };
    (k * k * sum, saved)
}

#[grad(order = 2)]
fn form_rev(saved: &Form, seed: f64) -> (Vec<f64>, f64) {
    let mut sum = 0.0;
    let mut by = Vec::new();
    for x in &saved.xs {
        sum += x * x * x;
        by.push(seed * saved.k * saved.k * 3.0 * x * x);
    }
    (by, seed * 2.0 * saved.k * sum)
}

#[grad(order = 2)]
fn of_form(xs: &[f64]) -> f64 {
    let mut all = xs.to_vec();
    all[0] *= all[1];
    let first = form(&all, xs[1]);
    all[1] = first;
    form(&all, 0.5) + first
}

#[grad(order = 2)]
fn of_cubes(xs: &[f64]) -> f64 {
    let mut all = xs.to_vec();
    all[0] *= all[1];
    let first = xs[1] * xs[1] * (all[0] * all[0] * all[0] + all[1] * all[1] * all[1]);
    all[1] = first;
    0.25 * (all[0] * all[0] * all[0] + all[1] * all[1] * all[1]) + first
}

#[test]
fn what_is_lent_may_be_changed_between_the_sweeps() {
    let at = [0.8, 1.1];
    near(&of_form::grad(&at), &of_cubes::grad(&at), 1e-13);
    near(
        &of_form::jvp(&at, &[1.0, -1.0]).1,
        &of_cubes::jvp(&at, &[1.0, -1.0]).1,
        1e-13,
    );
    let (h, wanted) = (of_form::hessian(&at), of_cubes::hessian(&at));
    near(h.as_slice(), wanted.as_slice(), 1e-12);
    let h = form::hessian(&[2.0, 3.0], 0.5);
    near(
        h.as_slice(),
        &[3.0, 0.0, 12.0, 0.0, 4.5, 27.0, 12.0, 27.0, 70.0],
        1e-14,
    );
}

#[grad(vjp = (pair_fwd, pair_rev))]
fn pair<T: Float>(x: T, y: T) -> [T; 2] {
    [x * y, x]
}

fn pair_fwd<T: Float>(x: T, y: T) -> ([T; 2], [T; 2]) {
    ([x * y, x], [x, y])
}

fn pair_rev<T: Float>(&[x, y]: &[T; 2], seed: [T; 2]) -> (T, T) {
    (seed[0] * y + seed[1], seed[0] * x)
}

#[test]
fn results_may_be_several_and_of_any_width() {
    assert_eq!(
        pair::vjp(2.0_f32, 3.0, [1.0, 10.0]),
        ([6.0, 2.0], (13.0, 2.0))
    );
    assert_eq!(pair::jacrev(2.0_f64, 3.0).as_slice(), [3.0, 2.0, 1.0, 0.0]);
}
