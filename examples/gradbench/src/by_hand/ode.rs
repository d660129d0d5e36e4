//! `ode`: the state in front of each step is kept, and the stages of a step are computed again.

use crate::evals::ode::Input;

fn slope(x: &[f64], y: &[f64], z: &mut [f64]) {
    let n = x.len();
    z[0] = x[0];
    let (x, y, z) = (&x[1..], &y[..n - 1], &mut z[1..n]);
    for i in 0..n - 1 {
        z[i] = x[i] * y[i];
    }
}

/// `to = y + h k`.
fn moved(y: &[f64], k: &[f64], h: f64, to: &mut [f64]) {
    let n = y.len();
    let (k, to) = (&k[..n], &mut to[..n]);
    for i in 0..n {
        to[i] = y[i] + h * k[i];
    }
}

/// Adds what the slope at `y` gives to the derivatives by `x`, and to those by `y` as well as to those by another state from which `y` is a step away.
fn slope_back(
    x: &[f64],
    y: &[f64],
    d_z: &[f64],
    d_x: &mut [f64],
    mut by_y: impl FnMut(usize, f64),
) {
    let n = x.len();
    d_x[0] += d_z[0];
    let (x, y, d_z, d_x) = (&x[1..], &y[..n - 1], &d_z[1..n], &mut d_x[1..n]);
    for i in 0..n - 1 {
        d_x[i] += d_z[i] * y[i];
        by_y(i, d_z[i] * x[i]);
    }
}

pub(crate) fn gradient(input: &Input) -> Vec<f64> {
    let Input { x, s } = input;
    let (n, h) = (x.len(), 2.0 / *s as f64);
    let mut states = vec![0.0; n * (s + 1)];
    let mut k: [Vec<f64>; 4] = std::array::from_fn(|_| vec![0.0; n]);
    let mut at: [Vec<f64>; 3] = std::array::from_fn(|_| vec![0.0; n]);
    let stages = |y: &[f64], k: &mut [Vec<f64>; 4], at: &mut [Vec<f64>; 3]| {
        slope(x, y, &mut k[0]);
        moved(y, &k[0], 0.5 * h, &mut at[0]);
        slope(x, &at[0], &mut k[1]);
        moved(y, &k[1], 0.5 * h, &mut at[1]);
        slope(x, &at[1], &mut k[2]);
        moved(y, &k[2], h, &mut at[2]);
    };
    for step in 0..*s {
        let (before, after) = states.split_at_mut((step + 1) * n);
        let (y, next) = (&before[step * n..], &mut after[..n]);
        stages(y, &mut k, &mut at);
        slope(x, &at[2], &mut k[3]);
        let [k1, k2, k3, k4] = &k;
        let (k1, k2, k3, k4) = (&k1[..n], &k2[..n], &k3[..n], &k4[..n]);
        for i in 0..n {
            next[i] = y[i] + h * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0;
        }
    }
    let mut d_x = vec![0.0; n];
    let mut d_y = vec![0.0; n];
    d_y[n - 1] = 1.0;
    let mut d_k: [Vec<f64>; 4] = std::array::from_fn(|_| vec![0.0; n]);
    for step in (0..*s).rev() {
        let y = &states[step * n..][..n];
        stages(y, &mut k, &mut at);
        let d_y = &mut d_y[..n];
        let [d_k1, d_k2, d_k3, d_k4] = &mut d_k;
        let (d_k1, d_k2) = (&mut d_k1[..n], &mut d_k2[..n]);
        let (d_k3, d_k4) = (&mut d_k3[..n], &mut d_k4[..n]);
        for i in 0..n {
            let t = d_y[i] * (h / 6.0);
            (d_k1[i], d_k2[i], d_k3[i], d_k4[i]) = (t, 2.0 * t, 2.0 * t, t);
        }
        slope_back(x, &at[2], d_k4, &mut d_x, |i, d| {
            d_y[i] += d;
            d_k3[i] += d * h;
        });
        slope_back(x, &at[1], d_k3, &mut d_x, |i, d| {
            d_y[i] += d;
            d_k2[i] += d * (0.5 * h);
        });
        slope_back(x, &at[0], d_k2, &mut d_x, |i, d| {
            d_y[i] += d;
            d_k1[i] += d * (0.5 * h);
        });
        slope_back(x, y, d_k1, &mut d_x, |i, d| d_y[i] += d);
    }
    d_x
}
