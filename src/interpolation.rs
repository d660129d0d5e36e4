//! Interpolation over tables, differentiable by the point and by the entries of the table.

use alloc::{vec, vec::Vec};

use crate::{Float, grad};

/// Linear interpolation over a table: the value at `x` of the polyline through the points (`xs[k]`, `ys[k]`), as NumPy's `interp`.
///
/// The `xs` ascend. Left and right of the table it is the first and the last of the `ys`, with derivative 0 by `x`; at a knot the slope is that of the segment to the right.
/// Differentiable by `x`, the `xs` and the `ys`.
///
/// # Panics
///
/// If the table is empty, or its columns differ in length.
///
/// ```
/// use autodiff::{grad, interp};
///
/// const TIMES: [f64; 3] = [0.0, 1.0, 3.0];
///
/// #[grad]
/// fn load(t: f64, levels: &[f64]) -> f64 {
///     interp(t, &TIMES, levels)
/// }
///
/// let (by_time, by_levels) = load::grad(2.0, &[1.0, 5.0, 9.0]);
/// assert_eq!(load(2.0, &[1.0, 5.0, 9.0]), 7.0);
/// assert_eq!(by_time, 2.0);
/// assert_eq!(by_levels, [0.0, 0.5, 0.5]);
/// ```
#[grad(order = 2)]
#[must_use]
pub fn interp<T: Float>(x: T, xs: &[T], ys: &[T]) -> T {
    assert!(
        !xs.is_empty() && xs.len() == ys.len(),
        "a table has as many abscissas as values, and some"
    );
    let last = xs.len() - 1;
    let after = xs.partition_point(|knot| *knot <= x);
    if after == 0 {
        // NaN is no place.
        if x.is_nan() { x } else { ys[0] }
    } else if after > last {
        ys[last]
    } else {
        let part = (x - xs[after - 1]) / (xs[after] - xs[after - 1]);
        ys[after - 1] + part * (ys[after] - ys[after - 1])
    }
}

/// A cubic spline: through the points of a table, with two continuous derivatives.
///
/// It is made once, in time proportional to the length of the table, and evaluated by [`at`](Self::at). Beyond the table its first and last cubic go on.
/// Both are differentiable: by the point, and through the spline by the entries of the table.
///
/// ```
/// use autodiff::{CubicSpline, grad};
///
/// #[grad]
/// fn height(x: f64, ys: &[f64]) -> f64 {
///     let spline = CubicSpline::natural(&[0.0, 1.0, 2.0, 4.0], ys);
///     spline.at(x)
/// }
///
/// let ys = [1.0, 3.0, 2.0, 0.0];
/// assert_eq!(height(1.0, &ys), 3.0);
/// let (slope, by_entries) = height::grad(1.0, &ys);
/// assert!((slope - 10.0 / 23.0).abs() < 1e-12);
/// // At a knot the value is that entry, whatever the others are.
/// assert_eq!(by_entries, [0.0, 1.0, 0.0, 0.0]);
/// ```
#[derive(crate::Differentiable, Clone, Debug, PartialEq)]
pub struct CubicSpline<T> {
    xs: Vec<T>,
    ys: Vec<T>,
    /// The second derivatives at the knots.
    bends: Vec<T>,
}

#[grad(order = 2)]
impl<T: Float> CubicSpline<T> {
    /// The spline whose second derivative is zero at both ends.
    ///
    /// # Panics
    ///
    /// If there are fewer than two points, or the columns differ in length.
    #[must_use]
    pub fn natural(xs: &[T], ys: &[T]) -> Self {
        Self::through(xs, ys, false)
    }

    /// The spline whose first two cubics are one, and whose last two: through points of a cubic it is that cubic.
    ///
    /// Through three points it is the parabola, through two the line.
    ///
    /// # Panics
    ///
    /// If there are fewer than two points, or the columns differ in length.
    #[must_use]
    pub fn not_a_knot(xs: &[T], ys: &[T]) -> Self {
        Self::through(xs, ys, true)
    }

    /// The spline of either kind: one function, since its derivatives are the largest of this crate.
    fn through(xs: &[T], ys: &[T], not_a_knot: bool) -> Self {
        let n = xs.len();
        assert!(
            n >= 2 && n == ys.len(),
            "a spline needs two points, and as many abscissas as values"
        );
        let mut bends: Vec<T> = vec![T::ZERO; n];
        let mut ahead: Vec<T> = vec![T::ZERO; n];
        let two: T = T::from_f64(2.0);
        let six: T = T::from_f64(6.0);
        for k in 1..n - 1 {
            let before = xs[k] - xs[k - 1];
            let after = xs[k + 1] - xs[k];
            let turn = (ys[k + 1] - ys[k]) / after - (ys[k] - ys[k - 1]) / before;
            // What stands in front of the bends at the knots before, here and after.
            let mut left: T = before;
            let mut middle = two * (before + after);
            let mut right = after;
            if not_a_knot && n == 3 {
                left = T::ZERO;
                right = T::ZERO;
                middle = middle + before + after;
            } else if not_a_knot && k == 1 {
                left = T::ZERO;
                middle = middle + before + before * before / after;
                right = after - before * before / after;
            } else if not_a_knot && k == n - 2 {
                left = before - after * after / before;
                middle = middle + after + after * after / before;
                right = T::ZERO;
            }
            let pivot = middle - left * ahead[k - 1];
            ahead[k] = right / pivot;
            bends[k] = (six * turn - left * bends[k - 1]) / pivot;
        }
        for k in (1..n - 1).rev() {
            bends[k] = bends[k] - ahead[k] * bends[k + 1];
        }
        if not_a_knot && n == 3 {
            bends[0] = bends[1];
            bends[2] = bends[1];
        } else if not_a_knot && n > 3 {
            let first = (xs[1] - xs[0]) / (xs[2] - xs[1]);
            bends[0] = bends[1] + first * (bends[1] - bends[2]);
            let last = (xs[n - 1] - xs[n - 2]) / (xs[n - 2] - xs[n - 3]);
            bends[n - 1] = bends[n - 2] + last * (bends[n - 2] - bends[n - 3]);
        }
        Self {
            xs: xs.to_vec(),
            ys: ys.to_vec(),
            bends,
        }
    }

    /// The value at `x`.
    #[must_use]
    pub fn at(&self, x: T) -> T {
        let after = self.xs.partition_point(|knot| *knot <= x);
        let k = after.clamp(1, self.xs.len() - 1) - 1;
        let (start, end): (T, T) = (self.xs[k], self.xs[k + 1]);
        let (low, high): (T, T) = (self.ys[k], self.ys[k + 1]);
        let (left, right): (T, T) = (self.bends[k], self.bends[k + 1]);
        let width = end - start;
        let along = x - start;
        let two: T = T::from_f64(2.0);
        let six: T = T::from_f64(6.0);
        let slope = (high - low) / width - width * (two * left + right) / six;
        low + along * (slope + along * (left / two + along * (right - left) / (six * width)))
    }
}
