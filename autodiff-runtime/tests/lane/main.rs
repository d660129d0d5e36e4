//! The functions and kernels of `lane`.
#![cfg(feature = "tensor")]

mod accuracy;

use accuracy::{ROWS, worst};
use autodiff_runtime::lane::{self, Operand, Output};

/// Steps between the arguments of a sample: a prime, so that they have all kinds of mantissas, in every exponent and of both signs.
/// They are 2²⁰, or without optimisations, where each takes a microsecond, 2¹⁷.
const STEP: u32 = if cfg!(debug_assertions) { 32_749 } else { 4093 };

#[test]
fn two_units_in_the_last_place() {
    for row in ROWS {
        let worst = worst(row, STEP, 16);
        assert!(
            worst.ulps <= row.allowed && worst.wrong.is_empty(),
            "{}: {worst:?}",
            row.name
        );
    }
}

#[test]
fn the_same_in_double_precision() {
    let figures = include_str!("../data/lane.csv");
    for row in ROWS {
        let (mut xs, mut truths) = (Vec::new(), Vec::new());
        for line in figures.lines() {
            let Some(figures) = line
                .strip_prefix(row.name)
                .and_then(|rest| rest.strip_prefix(';'))
            else {
                continue;
            };
            let mut figures = figures
                .split(';')
                .map(|figure| figure.parse::<f64>().unwrap());
            xs.push(figures.next().unwrap());
            truths.push([figures.next().unwrap(), figures.next().unwrap()]);
        }
        assert!(!xs.is_empty(), "{}", row.name);
        let mut ys = vec![0.0; xs.len()];
        (row.kernel_of_f64)(&xs, &mut ys);
        for ((x, y), [high, low]) in xs.iter().zip(ys).zip(truths) {
            let exponent = row.size(*x, high).max(f64::MIN_POSITIVE).to_bits() >> 52;
            let unit = f64::from_bits(exponent << 52) * f64::EPSILON;
            let ulps = ((y - high) - low).abs() / unit;
            assert!(
                ulps <= row.allowed,
                "{}({x:e}) is {y:e}, {ulps} units from {high:e}",
                row.name
            );
        }
    }
}

/// With `reproducible` a kernel has the bits of the functions by themselves, which are compiled for any machine.
#[cfg(feature = "reproducible")]
#[test]
fn the_same_bits_on_every_machine() {
    let xs: Vec<f32> = numbers(10_000, 5)
        .into_iter()
        .map(|x| 5.0 * x as f32)
        .collect();
    for row in ROWS {
        let mut ys = vec![0.0; xs.len()];
        (row.kernel)(&xs, &mut ys);
        for (&x, y) in xs.iter().zip(ys) {
            let alone = (row.alone)(x);
            assert!(
                y.to_bits() == alone.to_bits() || y.is_nan() && alone.is_nan(),
                "{}({x:e})",
                row.name
            );
        }
    }
}

/// Numbers without order.
fn numbers(length: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        })
        .collect()
}

#[test]
fn every_length_and_every_kind_of_operand() {
    for length in (0..40).chain([255, 256, 257, 511, 512, 520, 1000]) {
        let [a, b] = [1, 2].map(|seed| numbers(length, seed));
        let fill = |at: usize, block: &mut [f64]| {
            for (i, x) in block.iter_mut().enumerate() {
                *x = ((at + i) % 7) as f64;
            }
        };
        let expected: Vec<f64> = (0..length)
            .map(|i| a[i] * 2.5 + b[i] * (i % 7) as f64)
            .collect();
        let (mut dense, mut added, mut sum) = (vec![0.0; length], vec![1.0; length], 7.0);
        let mut taken = Vec::new();
        lane::drive(
            length,
            [
                Operand::Dense(&a),
                Operand::Dense(&b),
                Operand::Scalar(2.5),
                Operand::Fill(&fill),
            ],
            [
                Output::Dense(&mut dense),
                Output::Add(&mut added),
                Output::Sum(&mut sum),
                Output::Take(&mut |at, block| {
                    assert_eq!(at, taken.len());
                    taken.extend_from_slice(block);
                }),
            ],
            |_, [a, b, c, d]| [a * c + b * d; 4],
        );
        assert_eq!(dense, expected);
        assert_eq!(taken, expected);
        assert_eq!(added, expected.iter().map(|x| 1.0 + x).collect::<Vec<_>>());
        let plain: f64 = expected.iter().sum();
        assert!((sum - plain).abs() < 1e-12, "{sum} for {plain}");

        let mut fused = vec![0.0; length];
        lane::fused([&a, &b], [&mut fused], |_, [a, b]| [a * b]);
        assert!(fused.iter().zip(&a).zip(&b).all(|((y, a), b)| *y == a * b));
    }
}

#[test]
fn bits_do_not_depend_on_the_place() {
    let x = numbers(77, 3);
    let kernel = |x: &[f64]| {
        let mut y = vec![0.0; x.len()];
        lane::fused([x], [&mut y], |lane, [x]| [lane.tanh(x) + lane.erf(x)]);
        y
    };
    let whole = kernel(&x);
    for start in 0..x.len() {
        assert_eq!(kernel(&x[start..])[..], whole[start..]);
    }
}

#[test]
fn long_sums_are_accurate() {
    // One after the other, ten million times 0.1 is 1,087,937 in f32.
    let x = vec![0.1_f32; 10_000_000];
    let sum = lane::sum(x.len(), [&x], |_, [x]| x);
    assert!((sum - 1e6).abs() <= 0.125, "{sum}");
}

#[test]
fn other_lengths_are_refused() {
    let refused = std::panic::catch_unwind(|| {
        lane::fused([&[1.0, 2.0][..]], [&mut [0.0][..]], |_, [x]| [x]);
    });
    let message = *refused.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(
        message,
        "a kernel over 1 elements was given 2 of an operand"
    );
}
