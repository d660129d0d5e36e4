//! A network as the right-hand side of a differential equation, trained through the integrator.

use autodiff::optim::{Adam, schedule};
use autodiff::{Differentiable, grad};

use crate::picture::{Series, draw};

#[derive(Differentiable)]
struct Field {
    inner: [[f64; 3]; 8],
    outer: [[f64; 2]; 8],
}

#[grad]
fn velocity(field: &Field, s: [f64; 2]) -> [f64; 2] {
    let mut v = [0.0; 2];
    for (w, out) in field.inner.iter().zip(&field.outer) {
        let h = (w[0] * s[0] + w[1] * s[1] + w[2]).tanh();
        v = [v[0] + out[0] * h, v[1] + out[1] * h];
    }
    v
}

/// A path by the midpoint rule.
#[grad]
fn path(field: &Field) -> Vec<[f64; 2]> {
    let (mut s, h) = ([1.0, 0.0], 0.1);
    let mut out = vec![s];
    for _ in 0..60 {
        let v = velocity(field, s);
        let middle = [s[0] + 0.5 * h * v[0], s[1] + 0.5 * h * v[1]];
        let w = velocity(field, middle);
        s = [s[0] + h * w[0], s[1] + h * w[1]];
        out.push(s);
    }
    out
}

#[grad]
fn loss(field: &Field, #[constant] seen: &[[f64; 2]]) -> f64 {
    let mut sum = 0.0;
    for (s, t) in path(field).iter().zip(seen) {
        sum += (s[0] - t[0]).powi(2) + (s[1] - t[1]).powi(2);
    }
    sum / seen.len() as f64
}

pub(crate) fn main() {
    // A spiral, of which the solution is known.
    let spiral = |t: f64| [(-0.2 * t).exp() * t.cos(), (-0.2 * t).exp() * t.sin()];
    let seen: Vec<[f64; 2]> = (0..=60).map(|i| spiral(0.1 * f64::from(i))).collect();
    let wave = |i: usize, j: usize| (1.0 + 1.9 * i as f64 + 4.3 * j as f64).sin();
    let inner = std::array::from_fn(|k| std::array::from_fn(|i| wave(k, i)));
    let outer = std::array::from_fn(|k| std::array::from_fn(|i| 0.3 * wave(i + 3, k)));
    let (mut field, mut adam) = (Field { inner, outer }, Adam::new(0.02));
    for step in 0..1500 {
        adam.set_lr(schedule::linear(step, 1500, 0.02, 0.002));
        let gradient = loss::grad(&field, &seen);
        adam.step(&mut field, &gradient);
    }
    assert!(loss(&field, &seen) < 1e-3);
    let points = |path: Vec<[f64; 2]>| path.iter().map(|s| (s[0], s[1])).collect();
    let network = Series::Line("network", points(path(&field)));
    draw(
        "neural_ode",
        "x",
        "y",
        &[network, Series::Dots("spiral", points(seen))],
    );
}
