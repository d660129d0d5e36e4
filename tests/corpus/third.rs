//! Third derivatives: `hvp_jvp` is the derivative of `hvp`, by closed forms and by differences.

use autodiff::{erf, erfc, gelu, gelu_tanh, grad, logsumexp, relu, sigmoid, silu, softplus};

use crate::check::near;
use crate::difference::directional;
use crate::flat::flat;

#[grad(order = 3)]
fn cubic(x: f64, y: f64) -> f64 {
    x * x * y + y * y * y
}

#[grad(order = 3)]
fn sine(x: f64) -> f64 {
    x.sin()
}

#[test]
fn closed_forms() {
    let (x, y) = (0.3, 0.7);
    let ((gradient, along), (across, third)) = cubic::hvp_jvp(x, y, (1.0, 2.0), (3.0, -1.0));
    near(&gradient, &(2.0 * x * y, x * x + 3.0 * y * y), 1e-15);
    near(&along, &(2.0 * y + 4.0 * x, 2.0 * x + 12.0 * y), 1e-15);
    near(&across, &(6.0 * y - 2.0 * x, 6.0 * x - 6.0 * y), 1e-15);
    // ∂³/∂x²∂y = 2 and ∂³/∂y³ = 6.
    near(&third, &(2.0 * (-1.0 + 6.0), 2.0 * 3.0 - 12.0), 1e-14);
    assert_eq!(cubic::hvp(x, y, (1.0, 2.0)), (gradient, along));
    let ((first, second), (_, third)) = sine::hvp_jvp(0.4, 1.0, 1.0);
    near(
        &[first, second, third],
        &[0.4_f64.cos(), -0.4_f64.sin(), -0.4_f64.cos()],
        1e-15,
    );
}

#[grad(order = 3)]
fn helper(x: f64, w: &[f64]) -> f64 {
    (x * w[0]).sin() / (1.0 + x * w[1])
}

#[grad(order = 3)]
fn program(xs: &[f64], k: f64, n: usize) -> f64 {
    let mut v = xs.to_vec();
    let mut s = k;
    for i in 0..n {
        if i % 2 == 0 {
            v[i % 3] = v[(i + 1) % 3] * s.cos() + helper(s, &v);
        } else {
            s += v[i % 3] * v[0] * k;
        }
    }
    let mut rounds = 0;
    while s.abs() < 3.0 && rounds < 4 {
        s = s * 1.5 + helper(k, xs);
        rounds += 1;
    }
    s * v[1]
}

#[test]
fn differences_of_the_hessian_product() {
    let (xs, k) = ([0.4, 0.6, -0.7], 0.9);
    let (t, u) = (([0.3, -1.0, 0.5], 0.7), ([1.0, 0.2, -0.4], -0.6));
    let ((gradient, along), (across, third)) =
        program::hvp_jvp(&xs, k, 5, (&t.0, t.1), (&u.0, u.1));
    assert_eq!(program::hvp(&xs, k, 5, (&t.0, t.1)), (gradient, along));
    near(&across, &program::hvp(&xs, k, 5, (&u.0, u.1)).1, 1e-13);
    let product = |z: &[f64]| flat(&program::hvp(&z[..3], z[3], 5, (&t.0, t.1)).1);
    let estimates = directional(
        &product,
        &[xs[0], xs[1], xs[2], k],
        &[u.0[0], u.0[1], u.0[2], u.1],
    );
    let expected: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
    near(&flat(&third), &expected, 1e-6);
    // The third derivative is symmetric in its directions.
    let (_, (_, again)) = program::hvp_jvp(&xs, k, 5, (&u.0, u.1), (&t.0, t.1));
    near(&third, &again, 1e-12);
}

#[grad(order = 3)]
fn activations(xs: &[f64], k: f64) -> f64 {
    let mut s = 0.0;
    for &x in xs {
        s += sigmoid(k * x) * silu(x - k) + gelu(x) * gelu_tanh(k * s) + relu(x * k);
    }
    let terms = [s, k * xs[0], xs[1] - s];
    logsumexp(&terms) * erf(k) + softplus(s) * erfc(xs[2] * k) + logsumexp(xs)
}

#[test]
fn functions_of_this_crate() {
    let (xs, k) = ([0.4, 0.6, -0.7], 0.9);
    let (t, u) = (([0.3, -1.0, 0.5], 0.7), ([1.0, 0.2, -0.4], -0.6));
    let ((gradient, along), (across, third)) =
        activations::hvp_jvp(&xs, k, (&t.0, t.1), (&u.0, u.1));
    assert_eq!(activations::grad(&xs, k), gradient);
    near(&activations::hvp(&xs, k, (&t.0, t.1)).1, &along, 1e-14);
    near(&activations::hvp(&xs, k, (&u.0, u.1)).1, &across, 1e-13);
    let product = |z: &[f64]| flat(&activations::hvp(&z[..3], z[3], (&t.0, t.1)).1);
    let estimates = directional(
        &product,
        &[xs[0], xs[1], xs[2], k],
        &[u.0[0], u.0[1], u.0[2], u.1],
    );
    let expected: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
    near(&flat(&third), &expected, 1e-6);
}

/// The derivatives of functions of this crate, within a body.
#[grad(order = 2)]
fn slopes(xs: &[f64], k: f64) -> f64 {
    let (value, slope) = softplus::value_and_grad(k * xs[1]);
    let softmax = logsumexp::grad(xs);
    let (of_both, both) = logsumexp::value_and_grad(&[k, value]);
    softmax[0] * sigmoid::grad(k) + slope * softmax[2] * value + of_both * both[1]
}

fn slopes_by_hand(xs: &[f64], k: f64) -> f64 {
    let (value, slope) = (softplus(k * xs[1]), sigmoid(k * xs[1]));
    let softmax = |i: usize| (xs[i] - logsumexp(xs)).exp();
    let of_both = logsumexp(&[k, value]);
    softmax(0) * sigmoid(k) * (1.0 - sigmoid(k))
        + slope * softmax(2) * value
        + of_both * (value - of_both).exp()
}

#[test]
fn slopes_of_functions_of_this_crate() {
    let (xs, k) = ([0.4, 0.6, -0.7], 0.9);
    let (t, u) = ([0.3, -1.0, 0.5, 0.7], [1.0, 0.2, -0.4, -0.6]);
    let point = [xs[0], xs[1], xs[2], k];
    near(&slopes(&xs, k), &slopes_by_hand(&xs, k), 1e-15);
    let (gradient, along) = slopes::hvp(&xs, k, (&t[..3], t[3]));
    let value = |z: &[f64]| vec![slopes_by_hand(&z[..3], z[3])];
    for direction in [t, u] {
        let slope: f64 = flat(&gradient)
            .iter()
            .zip(direction)
            .map(|(g, d)| g * d)
            .sum();
        near(
            &slope,
            &directional(&value, &point, &direction)[0].value,
            1e-8,
        );
        let forward = slopes::jvp(&xs, k, (&direction[..3], direction[3])).1;
        near(&slope, &forward, 1e-14);
    }
    let reverse = |z: &[f64]| flat(&slopes::grad(&z[..3], z[3]));
    let expected: Vec<f64> = directional(&reverse, &point, &t)
        .iter()
        .map(|e| e.value)
        .collect();
    near(&flat(&along), &expected, 1e-8);
}
