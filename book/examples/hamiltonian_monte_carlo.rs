//! Samples of a correlated normal distribution, by Hamiltonian Monte Carlo.

use autodiff::grad;

use crate::picture::{Series, draw};

/// Minus the logarithm of the density: variances 1 and 4, correlation 0.8.
#[grad]
fn energy(x: f64, y: f64) -> f64 {
    let v = 0.5 * y;
    (x * x - 1.6 * x * v + v * v) / (2.0 * (1.0 - 0.64))
}

/// Numbers between 0 and 1.
fn uniform(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    ((*state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

fn normal(state: &mut u64) -> f64 {
    let radius = (-2.0 * uniform(state).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(state)).cos()
}

pub(crate) fn main() {
    let (mut state, mut at, mut accepted) = (7, (0.0, 0.0), 0);
    let (count, h) = (20_000, 0.25);
    let mut samples = Vec::new();
    for _ in 0..count {
        let (mut q, mut p) = (at, (normal(&mut state), normal(&mut state)));
        let start = energy(q.0, q.1) + 0.5 * (p.0 * p.0 + p.1 * p.1);
        // Leapfrog: half a kick, a drift, half a kick.
        for _ in 0..12 {
            let g = energy::grad(q.0, q.1);
            p = (p.0 - 0.5 * h * g.0, p.1 - 0.5 * h * g.1);
            q = (q.0 + h * p.0, q.1 + h * p.1);
            let g = energy::grad(q.0, q.1);
            p = (p.0 - 0.5 * h * g.0, p.1 - 0.5 * h * g.1);
        }
        let end = energy(q.0, q.1) + 0.5 * (p.0 * p.0 + p.1 * p.1);
        if uniform(&mut state) < (start - end).exp() {
            at = q;
            accepted += 1;
        }
        samples.push(at);
    }
    let mean = |f: fn(&(f64, f64)) -> f64| samples.iter().map(f).sum::<f64>() / f64::from(count);
    println!("accepted {accepted} of {count}");
    assert!(accepted > count * 8 / 10);
    assert!(mean(|s| s.0).abs() < 0.05 && mean(|s| s.1).abs() < 0.1);
    assert!((mean(|s| s.0 * s.0) - 1.0).abs() < 0.05);
    assert!((mean(|s| s.0 * s.1) - 1.6).abs() < 0.08);
    assert!((mean(|s| s.1 * s.1) - 4.0).abs() < 0.2);
    let some = samples.iter().copied().step_by(100).collect();
    let dots = [Series::Dots("samples", some)];
    draw("hamiltonian_monte_carlo", "x", "y", &dots);
}
