//! The memory of long loops, in bytes, as the allocator sees it.

use std::time::{Duration, Instant};

use autodiff::grad;
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// A recurrence with a state of a hundred numbers, as it is and by two schedules.
macro_rules! recurrence {
    ($($name:ident: $(#[$checkpoint:meta])*;)*) => {$(
        #[grad]
        fn $name(x: &[f64], k: f64, rounds: usize) -> f64 {
            let mut u = x.to_vec();
            $(#[$checkpoint])*
            for t in 0..rounds {
                let w = k / (1.0 + (t % 7) as f64);
                for j in 1..u.len() {
                    u[j] += w * (u[j - 1] - u[j] * u[j]);
                }
                u[0] = u[0] * 0.5 + k;
            }
            let mut sum = 0.0;
            for j in 0..u.len() {
                sum += u[j] * u[j];
            }
            sum
        }
    )*};
}

recurrence! {
    plain:;
    every: #[checkpoint(every = 250)];
    binomial: #[checkpoint];
}

/// The same as long as a condition holds.
#[grad]
fn conditional(x: &[f64], k: f64, rounds: usize) -> f64 {
    let mut u = x.to_vec();
    let mut t = 0;
    #[checkpoint]
    while t < rounds {
        let w = k / (1.0 + (t % 7) as f64);
        for j in 1..u.len() {
            u[j] += w * (u[j - 1] - u[j] * u[j]);
        }
        u[0] = u[0] * 0.5 + k;
        t += 1;
    }
    let mut sum = 0.0;
    for v in &u {
        sum += v * v;
    }
    sum
}

/// The gradient, the bytes that were allocated at most at one time for it, and the time it took.
fn measured(gradient: impl FnOnce() -> (Vec<f64>, f64)) -> (Vec<f64>, usize, Duration) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let start = Instant::now();
    let (mut all, k) = gradient();
    all.push(k);
    (all, ALLOCATOR.peak_usage() - before, start.elapsed())
}

// One test, since all tests of a program share the allocator.
#[test]
fn checkpoints_keep_memory_small() {
    let x: Vec<f64> = (0..100).map(|j| 0.5 + 0.3 * f64::from(j).sin()).collect();
    let rounds = 60_000;
    let (expected, whole, whole_time) = measured(|| plain::grad(&x, 0.1, rounds));
    let (by_every, parts, every_time) = measured(|| every::grad(&x, 0.1, rounds));
    let (by_binomial, few, binomial_time) = measured(|| binomial::grad(&x, 0.1, rounds));
    let (by_condition, some, _) = measured(|| conditional::grad(&x, 0.1, rounds));
    println!(
        "plain {whole} bytes, {whole_time:?}; every {parts} bytes, {every_time:?}; binomial {few} bytes, {binomial_time:?}"
    );
    for found in [&by_every, &by_binomial, &by_condition] {
        for (a, b) in found.iter().zip(&expected) {
            assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} is not {b}");
        }
    }
    assert!(parts * 100 <= whole, "{parts} bytes of {whole}");
    assert!(few * 200 <= whole, "{few} bytes of {whole}");
    assert!(some * 100 <= whole, "{some} bytes of {whole}");

    // Sixteen times the rounds are four doublings more.
    let (_, more, _) = measured(|| binomial::grad(&x, 0.1, 16 * rounds / 10));
    let (_, less, _) = measured(|| binomial::grad(&x, 0.1, rounds / 10));
    assert!(
        more <= less + 4 * 12 * 900 + 50_000,
        "{less} bytes, then {more}"
    );
}
