//! Derivatives that the user gives: `partials`, `vjp`, `jvp`, `constant`.

use autodiff::{Float, grad};

use crate::check::near;

// Partials, in the parameters and the result.

#[grad(partials = (y * (1.0 - y)))]
fn logistic(x: f64) -> f64 {
    // Nothing of this could be followed.
    let text = format!("{x:e}");
    let x: f64 = text.parse().unwrap();
    1.0 / (1.0 + (-x).exp())
}

#[grad(partials = (cosine(x)))]
fn sine(x: f64) -> f64 {
    x.sin()
}

#[grad(partials = (-sine(x),))]
fn cosine(x: f64) -> f64 {
    x.cos()
}

#[grad(partials = (table[n] * x.powi(n as i32 - 1) * n as f64, if flip { -1.0 } else { 1.0 }))]
fn term(x: f64, b: f64, #[constant] table: &[f64], n: usize, flip: bool) -> f64 {
    let signed = [b, -b];
    table[n] * x.powi(n as i32) + signed[usize::from(flip)]
}

// A parameter of the name `y` is not the result.
#[grad(partials = (y, x))]
fn product(x: f64, y: f64) -> f64 {
    x * y
}

#[grad(partials = (owned[0] * y, pair.1 * y))]
fn moved(x: f64, z: f64, #[constant] owned: Vec<f64>, #[constant] pair: (f64, f64)) -> f64 {
    (x * owned.into_iter().next().unwrap() + z * pair.1).exp()
}

#[grad(partials = (T::from_f64(2.0) * x, b * T::from_f64(N as f64)))]
fn general<T: Float, const N: usize>(x: T, b: T, _weights: [usize; N]) -> T {
    x * x + b * b * T::from_f64(N as f64) * T::from_f64(0.5)
}

#[grad(partials = (3.0 * x * x, 1.0f32 / 3.0))]
fn narrow(x: f32, k: f32) -> f32 {
    x * x * x + k / 3.0
}

#[grad(wrt(b), partials = (a))]
fn one_of_two(a: f64, b: f64) -> f64 {
    a * b
}

// The slope is infinite at zero, where nothing flows back.
#[grad(partials = (0.5 / y))]
fn root(x: f64) -> f64 {
    x.sqrt()
}

#[grad]
fn combined(x: f64, z: f64) -> f64 {
    let table = [0.5, -1.0, 0.25];
    let mut s = product(x, z);
    let mut v = [x, z, s];
    for i in 0..4 {
        let t = term(v[i % 3], s, &table, i % 3, i % 2 == 0);
        v[(i + 1) % 3] = sine(t) + logistic(s);
        s += v[i % 3] * cosine(z) * one_of_two(0.5, t);
    }
    general(s, v[1], [1, 2]) + root(x * x + z)
}

// Reverse mode by a pullback, which may borrow.

fn norm_pullback(xs: &[f64], scale: f64) -> (f64, impl FnOnce(f64) -> (Vec<f64>, f64)) {
    let r = xs.iter().map(|x| x * x).sum::<f64>().sqrt();
    let back = move |seed: f64| {
        let along = xs.iter().map(|x| seed * scale * x / r).collect();
        (along, seed * r)
    };
    (scale * r, back)
}

fn norm_forward(xs: &[f64], scale: f64, (dxs, dscale): (&[f64], f64)) -> (f64, f64) {
    let r = xs.iter().map(|x| x * x).sum::<f64>().sqrt();
    let along: f64 = xs.iter().zip(dxs).map(|(x, d)| x * d / r).sum();
    (scale * r, scale * along + dscale * r)
}

#[grad(vjp = norm_pullback)]
fn norm(xs: &[f64], scale: f64) -> f64 {
    scale * xs.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[grad(vjp = norm_pullback, jvp = norm_forward)]
fn norm_both(xs: &[f64], scale: f64) -> f64 {
    scale * xs.iter().map(|x| x * x).sum::<f64>().sqrt()
}

mod outside {
    pub fn reversed_back(
        v: Vec<f64>,
        n: usize,
    ) -> ((Vec<f64>, f64), impl FnOnce((Vec<f64>, f64)) -> Vec<f64>) {
        let last = v[v.len() - 1];
        let value = (v.iter().rev().map(|x| x * n as f64).collect(), last * last);
        let back = move |(seed, s): (Vec<f64>, f64)| {
            let mut d: Vec<f64> = seed.iter().rev().map(|x| x * n as f64).collect();
            *d.last_mut().unwrap() += 2.0 * last * s;
            d
        };
        (value, back)
    }

    pub fn reversed_along(
        v: Vec<f64>,
        n: usize,
        dv: Vec<f64>,
    ) -> ((Vec<f64>, f64), (Vec<f64>, f64)) {
        let (last, dlast) = (v[v.len() - 1], dv[v.len() - 1]);
        let scaled = |v: Vec<f64>| v.iter().rev().map(|x| x * n as f64).collect::<Vec<f64>>();
        ((scaled(v), last * last), (scaled(dv), 2.0 * last * dlast))
    }
}

#[grad(vjp = outside::reversed_back, jvp = outside::reversed_along)]
fn reversed(v: Vec<f64>, n: usize) -> (Vec<f64>, f64) {
    let last = v[v.len() - 1];
    (v.iter().rev().map(|x| x * n as f64).collect(), last * last)
}

fn generic_pullback<T: Float, const N: usize>(
    x: [T; N],
    k: T,
) -> (T, impl FnOnce(T) -> ([T; N], T)) {
    let sum = x.iter().fold(T::from_f64(0.0), |s, x| s + *x);
    (sum * k, move |seed: T| ([seed * k; N], seed * sum))
}

#[grad(vjp = generic_pullback)]
fn generic<T: Float, const N: usize>(x: [T; N], k: T) -> T {
    x.iter().fold(T::from_f64(0.0), |s, x| s + *x) * k
}

// Forward mode alone: gradients are made of it, one direction after the other.

fn blend_along(
    a: &[f64; 2],
    t: f64,
    (da, dt): (&[f64; 2], f64),
) -> ((f64, [f64; 2]), (f64, [f64; 2])) {
    let value = blend(a, t);
    let first = dt * (a[1] - a[0]) + da[0] * (1.0 - t) + da[1] * t;
    let second = [dt * a[0] + t * da[0], da[1] * a[1].cos()];
    (value, (first, second))
}

#[grad(jvp = blend_along)]
fn blend(a: &[f64; 2], t: f64) -> (f64, [f64; 2]) {
    (a[0] + t * (a[1] - a[0]), [t * a[0], a[1].sin()])
}

fn power_along(x: f32, n: i32, dx: f32) -> (f32, f32) {
    (x.powi(n), dx * n as f32 * x.powi(n - 1))
}

#[grad(jvp = power_along)]
fn power(x: f32, n: i32) -> f32 {
    x.powi(n)
}

#[grad]
fn calls_pullbacks(xs: &[f64], c: f64) -> f64 {
    let mut a = xs.to_vec();
    let mut total = 0.0;
    for i in 0..4 {
        // Between the call and its reverse the memory changes.
        let r = norm_both(&a, c) + norm_both(&a[1..], total + 1.5);
        a[i % 2] = (a[i % 2] * r).sin();
        let (v, last) = reversed(a.clone(), i + 1);
        total += v[0] * last;
        a[2] = blend(&[v[1], r], c).0;
    }
    total
}

#[grad]
fn calls_reverse_alone(xs: &[f64], c: f64) -> f64 {
    let mut a = [xs[0], xs[1], c];
    let mut total = 0.3;
    for i in 0..3 {
        total += norm(&a, c) * generic(a, total);
        a[i] = total.sin();
    }
    if total > 100.0 {
        norm(xs, c)
    } else {
        total + norm(&a[1..], 2.0)
    }
}

fn half_power_back(x: f64) -> (f64, impl FnOnce(f64) -> f64) {
    (0.5 * x.abs().sqrt() * x, move |seed| {
        0.75 * seed * x.abs().sqrt()
    })
}

#[grad(vjp = half_power_back)]
fn half_power(x: f64) -> f64 {
    0.5 * x.abs().sqrt() * x
}

/// Forward mode suits its gradient.
#[grad]
fn repeats_reverse_alone(x: f64, n: usize) -> f64 {
    let mut s = x;
    for _ in 0..n {
        s = half_power(s) + 0.5 * s;
    }
    s
}

#[grad]
fn many_by_reverse_alone(x: f64) -> Vec<f64> {
    let mut out = vec![x; 6];
    for i in 0..6 {
        out[i] = half_power(x * (i as f64 + 1.0));
    }
    out
}

// A constant.

#[grad(constant)]
fn step(x: f64) -> f64 {
    x.round()
}

#[grad(constant)]
fn note(at: usize, xs: &[f64], name: &str, label: Option<String>) {
    assert!(xs[at % 3].is_finite() && (label.is_none() || name == "end"));
    crate::effect::tick();
}

#[grad(constant)]
fn sorted(xs: &[f64]) -> (Vec<f64>, usize) {
    let mut v = xs.to_vec();
    v.sort_by(f64::total_cmp);
    let n = v.len();
    (v, n)
}

#[grad]
fn with_constants(xs: &[f64], k: f64) -> f64 {
    let mut a = xs.to_vec();
    let mut s = 0.0;
    for i in 0..3 {
        note(i, &a, "a", None);
        s += a[i] * k * (1.0 + step(3.0 * k));
        a[(i + 1) % 3] *= s;
    }
    note(7, &a, "end", Some("x".to_owned()));
    s * s + a[0]
}

#[test]
fn partials_are_the_derivatives() {
    check!(logistic(value x = 0.3));
    check!(sine(value x = 0.7));
    let table = [1.0, 2.0, -0.5];
    for n in 0..3 {
        for flip in [false, true] {
            check!(term(value x = 0.7, value b = 0.2, constant table = &table, constant n = n, constant flip = flip));
        }
    }
    check!(product(value x = 0.7, value y = -1.3));
    check!(narrow(value x = 0.7f32, value k = -0.3f32));
    assert_eq!(
        moved::grad(0.5, 0.25, vec![2.0], (7.0, 3.0)).0,
        2.0 * moved(0.5, 0.25, vec![2.0], (7.0, 3.0))
    );
    assert_eq!(general::grad(3.0, 2.0, [0; 5]), (6.0, 10.0));
    assert_eq!(one_of_two::grad(3.0, 2.0), 3.0);
    check!(combined(value x = 0.4, value z = 1.2));
}

#[test]
fn nothing_flows_back_to_an_infinite_partial_from_zero() {
    assert_eq!(root::grad(0.0), f64::INFINITY);
    assert_eq!(root::vjp(0.0, 0.0), (0.0, 0.0));
    assert_eq!(root::jvp(0.0, 0.0), (0.0, 0.0));
}

#[test]
fn a_pullback_is_the_derivative() {
    let xs = [0.5, -1.2, 0.3];
    check!(norm_both(shared xs = xs, value scale = 1.7));
    check_vector!(reversed(value v = vec![0.5, -1.2, 0.3], constant n = 3));
    let expected = norm_both::grad(&xs, 1.7);
    assert_eq!(norm::grad(&xs, 1.7), expected);
    assert_eq!(norm::vjp(&xs, 1.7, 1.0).1, expected);
    assert_eq!(
        norm::value_and_grad(&xs, 1.7),
        (norm(&xs, 1.7), expected.clone())
    );
    assert_eq!(norm::pullback(&xs, 1.7).1(1.0), expected);
    assert_eq!(norm::jacobian(&xs, 1.7).row(0)[..3], expected.0[..]);
    let (mut d, mut k) = ([1.0; 3], 2.0);
    norm::grad_into(&xs, 1.7, &mut d, &mut k);
    near(
        &d,
        &expected.0.iter().map(|x| x + 1.0).collect::<Vec<_>>(),
        1e-15,
    );
    near(&k, &(expected.1 + 2.0), 1e-15);
    assert_eq!(generic::grad([1.0, 2.0, 4.0], 3.0), ([3.0; 3], 7.0));
    assert_eq!(generic::grad([1.0f32, 2.0], 3.0), ([3.0; 2], 3.0));
    check!(calls_pullbacks(shared xs = xs, value c = 0.6));
}

#[test]
fn a_function_with_reverse_mode_alone_is_called() {
    check!(calls_reverse_alone(shared xs = [0.5, -1.2], value c = 0.6));
    check!(repeats_reverse_alone(value x = 0.2, constant n = 3));
    check_vector!(many_by_reverse_alone(value x = 0.7));
    // Nothing comes of a zero, whatever it is multiplied with.
    assert_eq!(repeats_reverse_alone::jvp(0.0, 1, 0.0), (0.0, 0.0));
}

#[test]
fn a_tangent_is_the_derivative() {
    check_vector!(blend(shared a = [0.5, -1.2], value t = 0.3));
    check!(power(value x = 0.7f32, constant n = 3));
}

#[test]
fn a_constant_has_no_derivative() {
    check!(with_constants(shared xs = [0.5, -1.2, 0.3], value k = 0.6));
    crate::effect::reset();
    with_constants::vjp(&[0.5, -1.2, 0.3], 0.6, 1.0);
    assert_eq!(crate::effect::reset(), 4);
    assert_eq!(sorted(&[2.0, 1.0]), (vec![1.0, 2.0], 2));
}
