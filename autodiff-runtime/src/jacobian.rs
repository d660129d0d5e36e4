//! Jacobians of functions that leave final states in memory which they are lent, from their sweeps.

use crate::float::Float;
use crate::lanes::Wide;
use crate::lengths::{Whose, check_length};
use crate::matrix::Matrix;
use crate::num::{self, Numeric};
use crate::objective::flat;
use crate::tangent::{Differentiable, Tangent};

/// A tangent with 1 in place of its scalar number `at`, and 0 elsewhere.
pub(crate) fn unit<D: Tangent>(zeros: &D, at: usize) -> D {
    let (mut unit, mut k) = (zeros.clone(), 0);
    unit.for_each_scalar(&mut |x| {
        *x = if k == at { 1.0 } else { 0.0 };
        k += 1;
    });
    unit
}

/// By one forward sweep for each scalar of the parameters: `run` takes their tangents, and yields the value and the tangents of what comes out.
///
/// `None` where reverse mode may be taken, and is cheaper: a reverse sweep costs about three forward ones.
pub fn by_columns<T: Numeric, D: Tangent, V, O: Tangent>(
    zeros: D,
    reverse: bool,
    mut run: impl FnMut(D) -> (V, O),
) -> (V, Option<Matrix<T>>) {
    let columns = zeros.scalar_count();
    let (mut value, mut tangent) = run(unit(&zeros, 0));
    let rows = tangent.scalar_count();
    if reverse && columns > 3 * rows {
        return (value, None);
    }
    let mut matrix = crate::generated::zeros(rows, columns);
    for column in 0..columns {
        if column > 0 {
            (value, tangent) = run(unit(&zeros, column));
        }
        let mut row = 0;
        tangent.for_each_scalar(&mut |x| {
            matrix[[row, column]] = num::lit::<T>(*x);
            row += 1;
        });
    }
    (value, Some(matrix))
}

/// By one forward sweep for each scalar of the parameters, with the value.
pub fn all_columns<T: Numeric, D: Tangent, V, O: Tangent>(
    zeros: D,
    run: impl FnMut(D) -> (V, O),
) -> (V, Matrix<T>) {
    let (value, matrix) = by_columns(zeros, false, run);
    (value, matrix.unwrap_or_else(|| unreachable!()))
}

/// The same of the one scalar that there is.
pub fn one_column<T: Numeric, D: Tangent, V, O: Tangent>(
    zeros: D,
    run: impl FnOnce(D) -> (V, O),
) -> (V, Matrix<T>) {
    let (value, mut tangent) = run(unit(&zeros, 0));
    let mut data = alloc::vec::Vec::new();
    tangent.for_each_scalar(&mut |x| data.push(num::lit(*x)));
    (value, Matrix::from_vec(data.len(), 1, data))
}

/// Where the rows of a Jacobian are written to.
#[derive(Debug)]
pub struct Entries<'a, T> {
    given: Option<&'a mut [T]>,
    made: alloc::vec::Vec<T>,
    shape: (usize, usize),
}

impl<'a, T: Numeric> Entries<'a, T> {
    /// Memory that the caller has, row by row.
    #[inline]
    pub fn given(out: &'a mut [T]) -> Entries<'a, T> {
        Entries {
            given: Some(out),
            made: alloc::vec::Vec::new(),
            shape: (0, 0),
        }
    }

    /// A new matrix.
    #[inline]
    pub fn new() -> Entries<'a, T> {
        Entries {
            given: None,
            made: alloc::vec::Vec::new(),
            shape: (0, 0),
        }
    }

    /// The matrix, if it is a new one.
    #[inline]
    pub fn matrix(self) -> Matrix<T> {
        Matrix::from_vec(self.shape.0, self.shape.1, self.made)
    }

    /// So many entries, to be written.
    #[inline]
    #[track_caller]
    fn of_shape(&mut self, rows: usize, columns: usize) -> &mut [T] {
        self.called("jacobian", rows, columns)
    }

    /// The entries of a Hessian, to be written.
    #[inline]
    #[track_caller]
    pub fn square(&mut self, columns: usize) -> &mut [T] {
        self.called("hessian", columns, columns)
    }

    #[inline]
    #[track_caller]
    fn called(&mut self, name: &'static str, rows: usize, columns: usize) -> &mut [T] {
        self.shape = (rows, columns);
        match &mut self.given {
            Some(out) => {
                check_length(Whose::Argument(name), rows * columns, out.len());
                out
            }
            None => {
                self.made = alloc::vec![num::lit(0.0); rows * columns];
                &mut self.made
            }
        }
    }
}

impl<T: Numeric> Default for Entries<'_, T> {
    fn default() -> Self {
        Entries::new()
    }
}

/// Rows of at most so many numbers are put together on the stack; the numbers of longer ones are visited one by one.
const FEW: usize = 32;

/// By columns (`forward`: tangents to value and tangents of the results) or by rows (`backward`: cotangents of the results to value and gradient), whichever is cheaper.
///
/// A reverse sweep costs about three forward ones.
/// Where the type of the results says how many there are, and sweeps are `alike`, whichever of them is the first, no sweep is made to find out.
#[inline]
#[track_caller]
pub fn cheaper_mode<T: Numeric, D: Tangent, V, O: Tangent, G: Tangent>(
    zeros: D,
    alike: bool,
    mut forward: impl FnMut(D) -> (V, O),
    backward: impl FnMut(O) -> (V, G),
    out: &mut Entries<'_, T>,
) -> V {
    let columns = zeros.scalar_count();
    if let Some(zero) = O::__fixed().filter(|_| alike) {
        if zero.scalar_count() > 0 && columns > 3 * zero.scalar_count() {
            let value = write_rows(&zero, columns, backward, out);
            return value.unwrap_or_else(|| unreachable!());
        }
    }
    let (mut value, mut tangent) = forward(unit(&zeros, 0));
    let rows = tangent.scalar_count();
    if columns > 3 * rows {
        write_rows(&tangent, columns, backward, out);
        return value;
    }
    let entries = out.of_shape(rows, columns);
    for column in 0..columns {
        if column > 0 {
            (value, tangent) = forward(unit(&zeros, column));
        }
        let mut row = 0;
        tangent.for_each_scalar(&mut |x| {
            entries[row * columns + column] = num::lit::<T>(*x);
            row += 1;
        });
    }
    value
}

/// So many columns, `N` in one forward sweep: `run` takes the number of the first of them, and yields the value and the tangents of the results.
///
/// The first sweep says how many results there are: with `reverse`, an error where so few that as many reverse sweeps are cheaper, which is a tangent of theirs.
fn lanes_of<const N: usize, T: Numeric + Float, V, O: Tangent, W: Wide<N, Narrow = O>>(
    columns: usize,
    mut run: impl FnMut(usize) -> (V, W),
    reverse: bool,
) -> (V, Result<Matrix<T>, O>) {
    let (mut value, mut wide) = run(0);
    let tangent = wide.lane(0);
    let rows = tangent.scalar_count();
    // A sweep in lanes takes as long as a few in one direction.
    if reverse && columns > N && columns > 8 * rows {
        return (value, Err(tangent));
    }
    let mut matrix = crate::generated::zeros(rows, columns);
    let mut first = 0;
    loop {
        wide.write_columns(first, &mut 0, columns, matrix.as_mut_slice());
        first += N;
        if first >= columns {
            return (value, Ok(matrix));
        }
        (value, wide) = run(first);
    }
}

/// By columns, several in one forward sweep.
#[inline]
pub fn all_columns_in_lanes<
    const N: usize,
    T: Numeric + Float,
    V,
    O: Tangent,
    W: Wide<N, Narrow = O>,
>(
    (columns, run): (usize, impl FnMut(usize) -> (V, W)),
) -> (V, Matrix<T>) {
    let (value, matrix) = lanes_of(columns, run, false);
    (value, matrix.unwrap_or_else(|_| unreachable!()))
}

/// As [`cheaper_mode`], with several columns in one forward sweep.
#[inline]
#[track_caller]
pub fn cheaper_mode_in_lanes<
    const N: usize,
    T: Numeric + Float,
    V,
    O: Tangent,
    W: Wide<N, Narrow = O>,
    G: Tangent,
>(
    (columns, run): (usize, impl FnMut(usize) -> (V, W)),
    backward: impl FnMut(O) -> (V, G),
    out: &mut Entries<'_, T>,
) -> V {
    let (value, matrix) = lanes_of(columns, run, true);
    match matrix {
        Ok(matrix) => out
            .of_shape(matrix.rows(), columns)
            .copy_from_slice(matrix.as_slice()),
        Err(tangent) => _ = write_rows(&tangent, columns, backward, out),
    }
    value
}

/// Each row by a reverse sweep from a cotangent like this one; the value that the last of them had.
#[inline]
#[track_caller]
fn write_rows<T: Numeric, V, O: Tangent, G: Tangent>(
    like: &O,
    columns: usize,
    mut backward: impl FnMut(O) -> (V, G),
    out: &mut Entries<'_, T>,
) -> Option<V> {
    let rows = like.scalar_count();
    let entries = out.of_shape(rows, columns);
    let mut numbers = [0.0; FEW];
    let mut found = None;
    for row in 0..rows {
        let (value, mut gradient) = backward(unit(like, row));
        let entries = &mut entries[row * columns..][..columns];
        if columns <= FEW {
            gradient.write_flat(&mut numbers);
            for (entry, x) in entries.iter_mut().zip(numbers) {
                *entry = num::lit(x);
            }
        } else {
            let mut entries = entries.iter_mut();
            gradient.for_each_scalar(&mut |x| {
                if let Some(entry) = entries.next() {
                    *entry = num::lit(*x);
                }
            });
        }
        found = Some(value);
    }
    found
}

/// Of one number: its gradient.
pub fn one_row<T: Numeric, V, G: Tangent>((value, mut gradient): (V, G)) -> (V, Matrix<T>) {
    let mut data = alloc::vec::Vec::with_capacity(gradient.scalar_count());
    gradient.for_each_scalar(&mut |x| data.push(num::lit(*x)));
    (value, Matrix::from_vec(1, data.len(), data))
}

/// By one reverse sweep for each scalar of the result: `shape` takes tangents of the parameters that are zero, and yields some of the result.
pub fn all_rows<T: Numeric, D: Tangent, O: Tangent, G: Tangent>(
    zeros: D,
    shape: impl FnOnce(D) -> O,
    run: impl FnMut(O) -> G,
) -> Matrix<T> {
    let columns = zeros.scalar_count();
    let matrix = by_rows(shape(zeros), run);
    if matrix.rows() > 0 {
        return matrix;
    }
    Matrix::from_vec(0, columns, alloc::vec::Vec::new())
}

/// The same of an option, where there is something in it.
pub fn all_rows_of_some<T: Numeric, D: Tangent, O: Tangent, G: Tangent>(
    zeros: D,
    shape: impl FnOnce(D) -> Option<O>,
    run: impl FnMut(Option<O>) -> G,
) -> Option<Matrix<T>> {
    let mut found = false;
    let shape = |zeros| {
        let shape = shape(zeros);
        found = shape.is_some();
        shape
    };
    let matrix = all_rows(zeros, shape, run);
    found.then_some(matrix)
}

/// Writes a Jacobian to a slice, row by row.
///
/// # Panics
/// If the slice does not have as many elements.
#[track_caller]
pub fn write_jacobian<T: Copy>(matrix: &Matrix<T>, out: &mut [T]) {
    check_length(
        Whose::Argument("jacobian"),
        matrix.as_slice().len(),
        out.len(),
    );
    out.copy_from_slice(matrix.as_slice());
}

/// By one reverse sweep for each scalar of what comes out: `run` takes its cotangents, and yields those of the parameters.
pub fn by_rows<T: Numeric, O: Tangent, D: Tangent>(
    zeros: O,
    mut run: impl FnMut(O) -> D,
) -> Matrix<T> {
    let rows = zeros.scalar_count();
    let mut data = alloc::vec::Vec::new();
    for row in 0..rows {
        let mut gradient = run(unit(&zeros, row));
        gradient.for_each_scalar(&mut |x| data.push(num::lit::<T>(*x)));
    }
    let columns = data.len().checked_div(rows).unwrap_or(0);
    Matrix::from_vec(rows, columns, data)
}

/// The inverse of the Jacobian of a residual by the solution.
#[derive(Clone, Debug)]
pub struct Inverse<T> {
    entries: Matrix<T>,
    zero: T,
}

impl<T: Copy> Inverse<T> {
    /// An entry.
    #[inline]
    pub fn at(&self, i: usize, j: usize) -> T {
        self.entries[[i, j]]
    }

    /// The number zero.
    #[inline]
    pub fn zero(&self) -> T {
        self.zero
    }
}

/// The inverse of the Jacobian of what is zero at `y`; NaN throughout where there is none.
///
/// `run` takes a tangent of `y`, and yields the residual and its tangent.
///
/// # Panics
/// If there are not as many residuals as numbers in `y`; with `verify` also where there is no inverse, or where a step of Newton's method would move `y` by more than the square root of the precision.
pub fn inverse_at<T: Numeric, Y: Differentiable>(
    name: &str,
    verify: bool,
    y: &Y,
    run: impl FnMut(Y::Tangent) -> (Y, Y::Tangent),
) -> Inverse<T> {
    let (residual, jacobian) = by_columns::<f64, _, _, _>(y.zero_tangent(), false, run);
    let residual = flat(&residual);
    let n = flat(y).len();
    assert!(
        residual.len() == n,
        "`{name}`: there are {} residuals for a result of {n} numbers",
        residual.len()
    );
    let inverse = match jacobian {
        Some(jacobian) if n > 0 => inverted(jacobian),
        _ => Some(Matrix::zeros(n, n)),
    };
    if verify {
        let Some(inverse) = &inverse else {
            singular(name);
        };
        let size = flat(y).iter().fold(1.0, |m: f64, y| m.max(abs(*y)));
        for i in 0..n {
            let entries = inverse.row(i).iter().zip(&residual);
            let step = entries.map(|(a, r)| a * r).sum();
            assert_solved::<T>(name, size, step);
        }
    }
    let entries = match inverse {
        Some(inverse) => inverse.as_slice().iter().map(|x| num::lit(*x)).collect(),
        None => alloc::vec![num::lit(f64::NAN); n * n],
    };
    Inverse {
        entries: Matrix::from_vec(n, n, entries),
        zero: num::lit(0.0),
    }
}

/// The same of a number.
///
/// # Panics
/// With `verify`, as [`inverse_at`].
pub fn reciprocal_at<T: Numeric>(
    name: &str,
    verify: bool,
    y: &T,
    run: impl FnOnce(T) -> (T, T),
) -> T {
    let (residual, slope) = run(num::lit(1.0));
    let [y, residual, slope] = [*y, residual, slope].map(num::cast::<T, f64>);
    let singular_here = slope == 0.0 || !slope.is_finite();
    if verify {
        if singular_here {
            singular(name);
        }
        assert_solved::<T>(name, abs(y).max(1.0), residual / slope);
    }
    num::lit(if singular_here { f64::NAN } else { 1.0 / slope })
}

fn singular(name: &str) -> ! {
    panic!("`{name}`: the Jacobian of the residual is singular at the result");
}

/// Panics where Newton's method would go on by `step` from a result of that size.
fn assert_solved<T: Numeric>(name: &str, size: f64, step: f64) {
    assert!(
        abs(step) <= half_of_the_digits::<T>() * size,
        "`{name}`: the residual is not zero at the result: a step of Newton's method moves it by {step}"
    );
}

/// What half as many digits as the type has are good for.
fn half_of_the_digits<T: Numeric>() -> f64 {
    let single = num::cast::<T, f64>(num::lit(1.0 + f64::EPSILON)) == 1.0;
    if single { 3.5e-4 } else { 1.5e-8 }
}

fn abs(x: f64) -> f64 {
    if x < 0.0 { -x } else { x }
}

/// The solution for a right-hand side by a solver of the user's, which is given products with the matrix; of zero it is zero.
///
/// `product` takes a tangent of the solution, or a cotangent of the residual, and yields the other.
///
/// # Panics
/// If the solution has another length; with `verify` also where it is none: where it holds what is no number, or where its product is not the right-hand side to half the digits.
pub fn solved<T: Numeric, D: Tangent>(
    name: &str,
    verify: bool,
    right: &D,
    product: impl Fn(D) -> D,
    solve: impl Fn(&dyn Fn(&[T]) -> alloc::vec::Vec<T>, &[T]) -> alloc::vec::Vec<T>,
) -> D {
    let numbers =
        |of: D| -> alloc::vec::Vec<T> { of.to_flat().into_iter().map(num::lit).collect() };
    let filled = |with: &[T]| {
        let (mut out, mut given) = (right.clone(), with.iter());
        out.for_each_scalar(&mut |x| *x = given.next().map_or(0.0, |x| num::cast(*x)));
        out
    };
    let n = right.scalar_count();
    let product = |of: &[T]| {
        assert!(
            of.len() == n,
            "`{name}`: the solver asks for a product with {} numbers, and there are {n}",
            of.len()
        );
        numbers(product(filled(of)))
    };
    let right = numbers(right.clone());
    if right.iter().all(|x| num::cast::<T, f64>(*x) == 0.0) {
        return filled(&right);
    }
    let x = solve(&product, &right);
    assert!(
        x.len() == n,
        "`{name}`: the solver gives {} numbers for a right-hand side of {n}",
        x.len()
    );
    if verify {
        if !x.iter().all(|x| num::cast::<T, f64>(*x).is_finite()) {
            singular(name);
        }
        let rest: alloc::vec::Vec<T> = (product(&x).iter().zip(&right))
            .map(|(a, b)| num::lit(num::cast::<T, f64>(*a) - num::cast::<T, f64>(*b)))
            .collect();
        let size = |of: &[T]| of.iter().fold(0.0, |m: f64, x| m.max(abs(num::cast(*x))));
        let (rest, right) = (size(&rest), size(&right));
        assert!(
            rest <= half_of_the_digits::<T>() * right,
            "`{name}`: the solver's result is no solution: the product with it is off by {rest}, of a right-hand side up to {right}"
        );
    }
    filled(&x)
}

/// One tangent without another.
pub fn less<D: Tangent>(mut from: D, what: &D) -> D {
    from.add_scaled(-1.0, what);
    from
}

/// Panics where a step of Newton's method would go on from a solution at which so much of the residual remains.
pub fn assert_found<T: Numeric, Y: Differentiable>(
    name: &str,
    y: &Y,
    remains: &Y,
    step: impl FnOnce(&Y::Tangent) -> Y::Tangent,
) {
    let (mut along, mut given) = (y.zero_tangent(), flat(remains).into_iter());
    along.for_each_scalar(&mut |x| *x = given.next().unwrap_or(0.0));
    let size = flat(y).iter().fold(1.0, |m: f64, y| m.max(abs(*y)));
    for step in step(&along).to_flat() {
        assert_solved::<T>(name, size, step);
    }
}

/// The inverse of a square matrix, by elimination with row pivots; `None` where a pivot is zero or no number.
fn inverted(mut a: Matrix<f64>) -> Option<Matrix<f64>> {
    let n = a.rows();
    let mut inverse = Matrix::zeros(n, n);
    for k in 0..n {
        inverse[[k, k]] = 1.0;
    }
    for k in 0..n {
        let pivot = (k..n).fold(k, |best, i| {
            if abs(a[[i, k]]) > abs(a[[best, k]]) {
                i
            } else {
                best
            }
        });
        let slope = a[[pivot, k]];
        if slope == 0.0 || !slope.is_finite() {
            return None;
        }
        for m in [&mut a, &mut inverse] {
            for j in 0..n {
                let above = m[[k, j]];
                m[[k, j]] = m[[pivot, j]] / slope;
                if pivot != k {
                    m[[pivot, j]] = above;
                }
            }
        }
        for i in (0..n).filter(|i| *i != k) {
            let factor = a[[i, k]];
            if factor != 0.0 {
                for m in [&mut a, &mut inverse] {
                    for j in 0..n {
                        let above = m[[k, j]];
                        m[[i, j]] -= factor * above;
                    }
                }
            }
        }
    }
    Some(inverse)
}
