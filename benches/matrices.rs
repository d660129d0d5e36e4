//! Gradients of functions of nalgebra's matrices beside those by hand, with the crate's own products.
//!
//!     cargo bench --features nalgebra --bench matrices

use std::hint::black_box;
use std::time::Instant;

use autodiff::grad;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

/// ‖M x − b‖²
#[grad]
fn squares(m: &DMatrix<f64>, x: &DVector<f64>, b: &DVector<f64>) -> f64 {
    (m * x - b).norm_squared()
}

/// Cotangents of M, x and b.
type Cotangents = (DMatrix<f64>, DVector<f64>, DVector<f64>);

fn squares_by_hand(m: &DMatrix<f64>, x: &DVector<f64>, b: &DVector<f64>) -> (f64, Cotangents) {
    let r = m * x - b;
    let bar = &r * 2.0;
    (
        r.norm_squared(),
        (&bar * x.transpose(), m.tr_mul(&bar), -bar),
    )
}

/// The same, with a matrix and a right-hand side that are constants.
#[grad]
fn fit(#[constant] m: &DMatrix<f64>, x: &DVector<f64>, #[constant] b: &DVector<f64>) -> f64 {
    (m * x - b).norm_squared()
}

fn fit_by_hand(m: &DMatrix<f64>, x: &DVector<f64>, b: &DVector<f64>) -> (f64, DVector<f64>) {
    let r = m * x - b;
    let bar = &r * 2.0;
    (r.norm_squared(), m.tr_mul(&bar))
}

/// Points on springs that are turned: sums of small vectors, and products of a small matrix.
#[grad]
fn springs(points: &[Vector3<f64>], turn: &Matrix3<f64>) -> f64 {
    let mut energy = 0.0;
    for k in 1..points.len() {
        let d = turn * points[k] - points[k - 1];
        energy += d.norm_squared();
    }
    energy
}

fn springs_by_hand(
    points: &[Vector3<f64>],
    turn: &Matrix3<f64>,
) -> (f64, (Vec<Vector3<f64>>, Matrix3<f64>)) {
    let mut bars = vec![Vector3::zeros(); points.len()];
    let (mut energy, mut by_turn) = (0.0, Matrix3::zeros());
    for k in 1..points.len() {
        let d = turn * points[k] - points[k - 1];
        energy += d.norm_squared();
        let bar = d * 2.0;
        bars[k] += turn.tr_mul(&bar);
        bars[k - 1] -= bar;
        by_turn += bar * points[k].transpose();
    }
    (energy, (bars, by_turn))
}

/// The fastest of many runs, in µs.
fn fastest<R>(mut run: impl FnMut() -> R) -> f64 {
    let mut least = f64::MAX;
    for _ in 0..300 {
        let start = Instant::now();
        black_box(run());
        least = least.min(start.elapsed().as_secs_f64());
    }
    least * 1e6
}

fn print(name: &str, [primal, ours, by_hand]: [f64; 3]) {
    println!(
        "{name:<28} function {primal:8.1} µs, gradient {ours:8.1} µs, by hand {by_hand:8.1} µs: {:.2}",
        ours / by_hand
    );
}

fn main() {
    let n = 400;
    let m = DMatrix::from_fn(n, n, |i, j| ((i * 7 + j) as f64).sin());
    let x = DVector::from_fn(n, |i, _| (i as f64).cos());
    let b = DVector::from_fn(n, |i, _| (i as f64).sin());
    assert_eq!(
        squares::value_and_grad(&m, &x, &b),
        squares_by_hand(&m, &x, &b)
    );
    assert_eq!(fit::value_and_grad(&m, &x, &b), fit_by_hand(&m, &x, &b));
    let times = [
        fastest(|| squares(&m, black_box(&x), &b)),
        fastest(|| squares::value_and_grad(&m, black_box(&x), &b)),
        fastest(|| squares_by_hand(&m, black_box(&x), &b)),
    ];
    print("‖M x − b‖², n = 400, by all", times);
    let times = [
        fastest(|| fit(&m, black_box(&x), &b)),
        fastest(|| fit::value_and_grad(&m, black_box(&x), &b)),
        fastest(|| fit_by_hand(&m, black_box(&x), &b)),
    ];
    print("‖M x − b‖², n = 400, by x", times);
    let points: Vec<Vector3<f64>> = (0..1_000)
        .map(|k| Vector3::new(f64::from(k), f64::from(k).sin(), 1.0))
        .collect();
    let turn = Matrix3::new(0.8, -0.6, 0.1, 0.6, 0.8, 0.0, 0.0, 0.1, 1.0);
    let (ours, by_hand) = (
        springs::value_and_grad(&points, &turn),
        springs_by_hand(&points, &turn),
    );
    assert!((ours.1.1 - by_hand.1.1).norm() <= 1e-9 * by_hand.1.1.norm());
    let times = [
        fastest(|| springs(black_box(&points), &turn)),
        fastest(|| springs::value_and_grad(black_box(&points), &turn)),
        fastest(|| springs_by_hand(black_box(&points), &turn)),
    ];
    print("springs of 1,000 points", times);
}
