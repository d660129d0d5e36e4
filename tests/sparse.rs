//! Sparse Jacobians and Hessians against full ones, and against what they are by hand.

#![cfg(feature = "sparse")]
#![allow(missing_docs, reason = "a test")]

use autodiff::sparse::{Coloring, Pattern, SparseMatrix};
use autodiff::{Differentiable, Float, Matrix, grad};

/// Diffusion and reaction on a line.
#[grad]
fn diffusion(u: &[f64], #[constant] rate: f64) -> Vec<f64> {
    let n = u.len();
    let mut du = vec![0.0; n];
    for i in 0..n {
        let left = if i > 0 { u[i - 1] } else { 0.0 };
        let right = if i + 1 < n { u[i + 1] } else { 0.0 };
        du[i] = rate * (left - 2.0 * u[i] + right) + u[i] * (1.0 - u[i]);
    }
    du
}

#[grad]
fn rhs(#[constant] t: f64, y: &[f64], #[out] dy: &mut [f64]) {
    for i in 0..y.len() {
        dy[i] = t * y[i] * y[(i + 1) % y.len()];
    }
}

#[grad]
fn generic<T: Float>(x: &[T]) -> Vec<T> {
    x.windows(2).map(|w| w[0] * w[1].sin()).collect()
}

#[grad]
fn single(x: &[f32]) -> Vec<f32> {
    x.iter().map(|x| x * x).collect()
}

#[derive(Clone, Differentiable)]
struct Cloud {
    points: Vec<[f64; 2]>,
    scale: f64,
}

#[grad]
fn distances(cloud: &Cloud, shift: &[f64]) -> Vec<f64> {
    let mut all = Vec::new();
    for (point, shift) in cloud.points.iter().zip(shift) {
        let [x, y] = *point;
        all.push(cloud.scale * (x * x + y * y).sqrt() + shift);
    }
    all
}

#[grad]
impl Cloud {
    fn squares(&self) -> Vec<f64> {
        let mut all = Vec::new();
        for point in &self.points {
            all.push(self.scale * point[0] * point[1]);
        }
        all
    }
}

/// A chain of springs, with one weight that all are tied to.
#[grad(order = 2)]
fn energy(x: &[f64], #[constant] stiffness: f64) -> f64 {
    let mut sum = 0.0;
    for i in 1..x.len() {
        let stretch = x[i] - x[i - 1] * x[i - 1];
        sum += stiffness * stretch * stretch + x[0] * x[i].cos();
    }
    sum
}

#[grad(order = 2)]
fn two(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * a * b).sum()
}

fn near(found: &SparseMatrix<f64>, full: &Matrix<f64>) {
    let dense = found.to_dense();
    assert_eq!((dense.rows(), dense.cols()), (full.rows(), full.cols()));
    for (a, b) in dense.as_slice().iter().zip(full.as_slice()) {
        assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{a} and {b}");
    }
}

fn points(n: usize) -> Vec<f64> {
    (0..n).map(|k| 0.3 + 0.7 * (k as f64 * 1.3).sin()).collect()
}

#[test]
fn a_band_takes_three_sweeps() {
    for n in [1, 2, 5, 40] {
        let u = points(n);
        let coloring = Coloring::of_columns(Pattern::banded(n, n, 1, 1));
        assert_eq!(coloring.colors(), n.min(3));
        let found = diffusion::sparse_jacobian(&coloring, &u, 0.7);
        near(&found, &diffusion::jacobian(&u, 0.7));
        // By hand.
        for (row, column, value) in found.iter() {
            let own = -1.4 + 1.0 - 2.0 * u[row];
            let by_hand = if row == column { own } else { 0.7 };
            assert!((value - by_hand).abs() < 1e-14, "{row} {column}: {value}");
        }
    }
}

#[test]
fn a_run_on_a_tape_finds_the_pattern() {
    let found = Pattern::recorded(&points(9), |x| {
        x.windows(2).map(|w| w[0] * w[1].sin()).collect()
    });
    assert_eq!(found, Pattern::banded(8, 9, 0, 1));
    // An entry whose slope is zero at this point, and a function recorded as a whole.
    let found = Pattern::recorded(&[0.0, 1.0, 2.0], |x| {
        let mut all = diffusion::on_tape(&x[..2], 1.0);
        all.push(x[0] * x[2]);
        all
    });
    assert_eq!(
        found,
        Pattern::new(3, 3, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 2)])
    );
}

#[test]
fn what_is_written_to_an_output() {
    let (y, mut dy) = (points(7), vec![0.0; 7]);
    let ring = (0..7).flat_map(|i| [(i, i), (i, (i + 1) % 7)]);
    let coloring = Coloring::of_columns(Pattern::new(7, 7, ring));
    let found = rhs::sparse_jacobian(&coloring, 2.0, &y, &mut dy);
    near(&found, &rhs::jacobian(2.0, &y, &mut dy));
    assert_eq!(dy[3], 2.0 * y[3] * y[4]);
    assert_eq!(&rhs::sparse_pattern(2.0, &y, &mut dy), coloring.pattern());
}

#[test]
fn of_any_float() {
    let x = points(9);
    let coloring = Coloring::of_columns(Pattern::banded(8, 9, 0, 1));
    near(
        &generic::sparse_jacobian(&coloring, &x),
        &generic::jacobian(&x),
    );
    let coloring = Coloring::of_columns(Pattern::banded(3, 3, 0, 0));
    let found = single::sparse_jacobian(&coloring, &[1.0, 2.0, 4.0]);
    assert_eq!(found.values(), [2.0_f32, 4.0, 8.0]);
    assert_eq!(coloring.colors(), 1);
}

#[test]
fn parameters_of_several_types() {
    let cloud = Cloud {
        points: points(12).chunks(2).map(|p| [p[0], p[1]]).collect(),
        scale: 1.5,
    };
    let shift = points(6);
    // The points, the scale, which every row depends on, and the shift.
    let pattern = distances::sparse_pattern(&cloud, &shift);
    assert_eq!(
        (pattern.rows(), pattern.columns(), pattern.len()),
        (6, 19, 24)
    );
    let coloring = Coloring::of_columns(pattern);
    assert_eq!(coloring.colors(), 4);
    let found = distances::sparse_jacobian(&coloring, &cloud, &shift);
    near(&found, &distances::jacobian(&cloud, &shift));
    let coloring = Coloring::of_columns(cloud.squares_sparse_pattern());
    near(
        &cloud.squares_sparse_jacobian(&coloring),
        &cloud.squares_jacobian(),
    );
}

#[test]
fn a_hessian_takes_a_star_coloring() {
    let x = points(30);
    let full = energy::hessian(&x, 1.3);
    // An arrow and a chain.
    let arrow = (0..30).flat_map(|k| [(0, k), (k, 0)]);
    let pattern = Pattern::banded(30, 30, 1, 1).union(&Pattern::new(30, 30, arrow));
    let coloring = Coloring::of_symmetric(pattern);
    assert!(coloring.colors() <= 5, "{}", coloring.colors());
    near(&energy::sparse_hessian(&coloring, &x, 1.3), &full);
}

#[test]
fn a_hessian_by_two_lists() {
    let (a, b) = (points(5), points(5));
    let couples = (0..5).flat_map(|k| [(k, k), (k, 5 + k), (5 + k, k)]);
    let coloring = Coloring::of_symmetric(Pattern::new(10, 10, couples));
    assert_eq!(coloring.colors(), 2);
    near(
        &two::sparse_hessian(&coloring, &a, &b),
        &two::hessian(&a, &b),
    );
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "has an entry that the pattern lacks")]
fn a_pattern_that_lacks_an_entry_is_found() {
    let coloring = Coloring::of_columns(Pattern::banded(6, 6, 0, 1));
    let _ = diffusion::sparse_jacobian(&coloring, &points(6), 0.7);
}

#[test]
#[should_panic(expected = "the pattern has 5 columns, but the parameters have 6 scalars")]
fn a_pattern_of_another_shape_is_refused() {
    let coloring = Coloring::of_columns(Pattern::banded(6, 5, 1, 1));
    let _ = diffusion::sparse_jacobian(&coloring, &points(6), 0.7);
}

#[test]
#[should_panic(expected = "that is not symmetric")]
fn a_hessian_is_symmetric() {
    let _ = Coloring::of_symmetric(Pattern::banded(4, 4, 0, 1));
}
