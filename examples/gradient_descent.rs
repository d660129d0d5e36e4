//! Minimises Rosenbrock's valley by gradient descent, with gradients made by `#[grad]`.
//!
//!     cargo run --release --example gradient_descent

use autodiff::grad;

/// A curved valley whose floor falls gently to 0 at (1, …, 1).
#[grad]
fn rosenbrock(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 1..x.len() {
        let a = 1.0 - x[i - 1];
        let b = x[i] - x[i - 1] * x[i - 1];
        sum += a * a + 100.0 * b * b;
    }
    sum
}

/// The point a step of length `rate` down the slope.
fn descend(x: &[f64], slope: &[f64], rate: f64) -> Vec<f64> {
    x.iter().zip(slope).map(|(x, s)| x - rate * s).collect()
}

fn main() {
    let mut x = vec![-1.2, 1.0, -0.5, 0.8];
    let mut rate = 1.0;
    println!("  steps        value     |gradient|    x");
    for step in 0..=20_000 {
        let (value, slope) = rosenbrock::value_and_grad(&x);
        let square: f64 = slope.iter().map(|s| s * s).sum();
        if [0, 1, 10, 100, 1_000, 10_000, 20_000].contains(&step) {
            let norm = square.sqrt();
            println!("{step:7} {value:12.3e} {norm:14.3e}    {x:.5?}");
        }
        // Armijo's rule: halve the step until the value falls as the slope promises.
        rate *= 2.0;
        while rosenbrock(&descend(&x, &slope, rate)) > value - 0.5 * rate * square {
            rate *= 0.5;
        }
        x = descend(&x, &slope, rate);
    }
}
