//! Ranges whose numbers have the type that their uses give them: signed where something is taken off, `i32` where nothing says more.

use autodiff::grad;

#[grad]
fn collected(x: f64) -> f64 {
    let signs: Vec<f64> = (0..4).map(|i| x * (1 - 2 * (i % 2)) as f64).collect();
    let v: Vec<f64> = (0..5).map(|i| if i - 2 < 0 { x } else { x * x }).collect();
    let n = 2;
    let w: Vec<f64> = (0..=2 * n).map(|i| x * (i - n) as f64).collect();
    let counted: Vec<f64> = (0..4)
        .enumerate()
        .map(|(k, i)| x * (k as i32 - i + i - 2) as f64)
        .collect();
    signs[1] * w[1] + v.iter().sum::<f64>() * counted[0] + w[4] * signs[2]
}

#[grad]
fn in_step(x: f64) -> f64 {
    let v = [x, x * x, 2.0];
    let mut s: f64 = v
        .iter()
        .zip(0..)
        .map(|(t, i)| t * (1 - 2 * (i % 2)) as f64)
        .sum();
    for (t, i) in v.iter().zip(0..3) {
        s += if i - 1 < 0 { t * t } else { *t };
    }
    for (i, t) in (1..).zip(v.iter()) {
        s += t * (i - 2) as f64;
    }
    let mut rest = v.iter().zip(0..);
    while let Some((t, i)) = rest.next() {
        s += t * x * (i - 2) as f64;
    }
    s
}

#[grad]
fn powers(x: f64, n: i32) -> f64 {
    let v: Vec<f64> = (0..4).map(|n| x.powi(n)).collect();
    let w: f64 = v.iter().zip(1..).map(|(t, i)| t.powi(i)).sum();
    let u: f64 = (0..3).zip(2..5).map(|(i, j)| x.powi(j - i)).sum();
    let few: Vec<f64> = (0..5u8).map(|k| x * k as f64).collect();
    let given: Vec<f64> = (0..n).map(|i| x * i as f64).collect();
    w + u * few[2] + given.iter().sum::<f64>()
}

/// More numbers than their type holds.
#[grad]
fn long_of_few_bits(x: f64) -> f64 {
    let mut s = 0.0;
    for (i, t) in (-100..100i8).zip([x; 210].iter()) {
        s += t * i as f64;
    }
    let v = [x; 210];
    s + v
        .iter()
        .zip(-100..100i8)
        .map(|(t, i)| t * t * i as f64)
        .sum::<f64>()
}

/// The numbers of these are indices.
#[grad]
fn indices(x: &[f64]) -> f64 {
    let n = x.len();
    let w: Vec<f64> = (0..n).map(|i| x[i] * i as f64).collect();
    let u: Vec<f64> = (0..3).map(|i| w[i + 1] * x[i]).collect();
    let named: Vec<(usize, f64)> = u.iter().zip(0..).map(|(a, i)| (i, a * x[0])).collect();
    let table: Vec<Vec<f64>> = (0..2)
        .map(|i| (0..3).map(|j| x[j] * (i - j as i32) as f64).collect())
        .collect();
    named[1].1 + u[2] * named[2].0 as f64 + table[1][2] * w[1]
}

#[test]
fn ranges_of_any_integers() {
    for y in [0.7, -0.4, 1.3] {
        check!(collected(value x = y));
        check!(in_step(value x = y));
        check!(powers(value x = y, constant n = 3));
        check!(powers(value x = y, constant n = -1));
        check!(long_of_few_bits(value x = y));
        check!(indices(shared x = vec![y, 0.5, 1.5, -0.6]));
    }
}
