//! A network as the right-hand side of a differential equation, trained through the integrator.

use autodiff::grad;
use autodiff::optim::Adam;

use crate::picture::{Series, draw};

/// Of each unit, two weights and a bias in, two weights out.
type Field = [[f64; 5]; 8];

#[grad]
fn velocity(field: &Field, s: [f64; 2]) -> [f64; 2] {
    let (mut x, mut y) = (0.0, 0.0);
    for u in field {
        let h = (u[0] * s[0] + u[1] * s[1] + u[2]).tanh();
        (x, y) = (x + u[3] * h, y + u[4] * h);
    }
    [x, y]
}

/// A path by the midpoint rule.
#[grad]
fn path(field: &Field) -> Vec<[f64; 2]> {
    let mut s = [1.0, 0.0];
    let mut out = vec![s];
    for _ in 0..60 {
        let v = velocity(field, s);
        let w = velocity(field, [s[0] + 0.05 * v[0], s[1] + 0.05 * v[1]]);
        s = [s[0] + 0.1 * w[0], s[1] + 0.1 * w[1]];
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
    sum / 61.0
}

pub(crate) fn main() {
    // A spiral, of which the solution is known.
    let spiral = |t: f64| [(-0.2 * t).exp() * t.cos(), (-0.2 * t).exp() * t.sin()];
    let seen: Vec<[f64; 2]> = (0..=60).map(|i| spiral(0.1 * f64::from(i))).collect();
    let wave = |i: usize, j: usize| (1.0 + 1.9 * i as f64 + 4.3 * j as f64).sin();
    let mut field = std::array::from_fn(|k| std::array::from_fn(|i| wave(k, 7 * i)));
    let mut adam = Adam::new(0.02);
    for _ in 0..2000 {
        let gradient = loss::grad(&field, &seen);
        adam.step(&mut field, &gradient);
    }
    assert!(loss(&field, &seen) < 1e-3, "{}", loss(&field, &seen));
    let points = |path: Vec<[f64; 2]>| path.iter().map(|s| (s[0], s[1])).collect();
    let network = Series::Line("network", points(path(&field)));
    let series = [network, Series::Dots("spiral", points(seen))];
    draw("neural_ode", "x", "y", &series);
}
