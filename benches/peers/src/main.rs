//! The dynamic tape of autodiff beside the tapes of the crates `reverse` and `echidna`, in one process, recording included.
//!
//!     cargo run --release          (in this folder)
//!
//! See `benches/README.md` for the method and a table.
#![allow(clippy::needless_range_loop)] // the problems use indices, as the literature does

mod problems;

use std::hint::black_box;
use std::time::Instant;

use problems::{gmm, lotka_volterra, speelpenning};

/// A program that computes value and gradient, or the value alone.
type Program<'a> = (&'static str, Box<dyn FnMut() -> Vec<f64> + 'a>);

/// One problem for all contestants: `$f` is the function, at any kind of number.
macro_rules! race {
    ($name:literal, $x:expr, $f:expr) => {{
        let x: &[f64] = $x;
        let reused = autodiff::Tape::new();
        let cleared = reverse::Tape::new();
        let (mut bytecode, _) = echidna::record(|v| $f(v), x);
        let programs: Vec<Program> = vec![
            ("function", Box::new(|| vec![$f(black_box(x))])),
            (
                "autodiff",
                Box::new(|| {
                    reused.clear();
                    let v = reused.vars(black_box(x));
                    $f(&v).backward().wrt(&v)
                }),
            ),
            (
                "autodiff, new tape",
                Box::new(|| autodiff::grad(|v| $f(v), black_box(x))),
            ),
            (
                "reverse",
                Box::new(|| {
                    cleared.clear();
                    let v = cleared.add_vars(black_box(x));
                    $f(&v).grad()[..x.len()].to_vec()
                }),
            ),
            (
                "reverse, new tape",
                Box::new(|| {
                    let tape = reverse::Tape::new();
                    let v = tape.add_vars(black_box(x));
                    $f(&v).grad()[..x.len()].to_vec()
                }),
            ),
            (
                "echidna",
                Box::new(|| echidna::grad(|v| $f(v), black_box(x))),
            ),
            (
                "echidna, replayed",
                Box::new(move || bytecode.gradient(black_box(x))),
            ),
        ];
        measure($name, programs);
    }};
}

/// Checks that all agree, and prints the fastest of many samples of each, taken in turn.
fn measure(name: &str, mut programs: Vec<Program>) {
    let truth = programs[1].1();
    for (who, program) in &mut programs[1..] {
        let found = program();
        assert_eq!(found.len(), truth.len(), "{name}: {who}");
        for (a, b) in found.iter().zip(&truth) {
            assert!(
                (a - b).abs() <= 1e-9 * b.abs().max(1.0),
                "{name}: {who}: {a} {b}"
            );
        }
    }
    let counts: Vec<usize> = programs
        .iter_mut()
        .map(|(_, program)| {
            let start = Instant::now();
            program();
            (5e-4 / start.elapsed().as_secs_f64()).ceil() as usize
        })
        .collect();
    let mut fastest = vec![f64::INFINITY; programs.len()];
    for _ in 0..61 {
        for (k, (_, program)) in programs.iter_mut().enumerate() {
            // The one before has left other things in the caches.
            black_box(program());
            let start = Instant::now();
            for _ in 0..counts[k] {
                black_box(program());
            }
            fastest[k] = fastest[k].min(start.elapsed().as_secs_f64() / counts[k] as f64);
        }
    }
    let times: Vec<String> = fastest.iter().map(|t| format!("{:.2}", t * 1e6)).collect();
    // A replay records nothing.
    let best = fastest[3..6].iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        "| {name} | {} | {:.2} |",
        times.join(" | "),
        fastest[1] / best
    );
}

/// Pseudo-random numbers between two bounds.
fn numbers(n: usize, low: f64, high: f64) -> Vec<f64> {
    let mut state = 12345_u64;
    let next = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        low + (high - low) * ((state >> 11) as f64 / (1_u64 << 53) as f64)
    };
    std::iter::repeat_with(next).take(n).collect()
}

fn points<const D: usize>() -> Vec<[f64; D]> {
    let all = numbers(1000 * D, -2.0, 2.0);
    let rows = all.chunks(D).map(|row| std::array::from_fn(|i| row[i]));
    rows.collect()
}

fn main() {
    println!(
        "| µs | function | autodiff | autodiff, new tape | reverse | reverse, new tape | echidna | echidna, replayed | autodiff / best of the others that record |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    race!(
        "speelpenning, N = 1000",
        &numbers(1000, 0.9, 1.1),
        speelpenning
    );
    race!("lotka-volterra", &[1.5, 0.1, 0.075, 1.0], lotka_volterra);
    let small = points::<2>();
    let x = numbers(5 + 10 + 10 + 5, -0.6, 0.6);
    race!("gmm, d2 K5 n1000", &x, |v: &[_]| gmm::<_, 2, 5>(v, &small));
    let large = points::<10>();
    let x = numbers(25 + 250 + 250 + 25 * 45, -0.6, 0.6);
    race!("gmm, d10 K25 n1000", &x, |v: &[_]| gmm::<_, 10, 25>(
        v, &large
    ));
}
