//! `lse`: the exponentials stand where the gradient will be.

use crate::evals::lse::Input;

const LANES: usize = 8;

pub(crate) fn gradient(input: &Input) -> Vec<f64> {
    let x = &input.x;
    let mut max = x[0];
    let mut at = 0;
    for i in 1..x.len() {
        if x[i] > max {
            (max, at) = (x[i], i);
        }
    }
    let mut sum = 0.0;
    let exponential = |x: &f64| {
        let e = (x - max).exp();
        sum += e;
        e
    };
    let mut gradient: Vec<f64> = x.iter().map(exponential).collect();
    let d_sum = 1.0 / sum;
    let mut totals = [0.0; LANES];
    let mut chunks = gradient.chunks_exact_mut(LANES);
    for chunk in &mut chunks {
        for i in 0..LANES {
            chunk[i] *= d_sum;
            totals[i] += chunk[i];
        }
    }
    let mut total: f64 = totals.iter().sum();
    for g in chunks.into_remainder() {
        *g *= d_sum;
        total += *g;
    }
    // Of the maximum in front of the logarithm and of that in the exponentials.
    gradient[at] += 1.0 - total;
    gradient
}
