//! Factors of square matrices, in plain memory.

use alloc::vec;
use alloc::vec::Vec;

use super::products::{dot, multiply};
use crate::float::Float;
use crate::tensor::gemm::Lent;

/// How many rows or columns are treated one by one, before the others are reached by a product.
const BLOCK: usize = 32;

/// a −= b.
fn subtract<T: Float>(a: &mut [T], b: &[T]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a -= *b;
    }
}

/// a −= k b.
fn subtract_multiple<T: Float>(a: &mut [T], k: T, b: &[T]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a -= k * *b;
    }
}

/// Solves T X = B in place: T is a triangle of n rows, lower or upper, with these distances of rows and columns; X has m columns.
pub(super) fn substitute<T: Float>(
    t: &[T],
    [row, column]: [usize; 2],
    n: usize,
    lower: bool,
    unit: bool,
    x: &mut [T],
    m: usize,
) {
    if m == 0 {
        return;
    }
    let mut room = vec![T::ZERO; BLOCK.min(n) * m];
    for done in (0..n).step_by(BLOCK) {
        let size = BLOCK.min(n - done);
        // The rows of this block, and those before it, in the order in which they are solved.
        let (first, solved) = if lower {
            (done, 0)
        } else {
            (n - done - size, n - done)
        };
        if done > 0 {
            let part = Lent {
                data: &t[first * row + solved * column..],
                row,
                column,
            };
            let before = Lent {
                data: &x[solved * m..],
                row: m,
                column: 1,
            };
            let room = &mut room[..size * m];
            multiply([size, done, m], part, before, room);
            subtract(&mut x[first * m..(first + size) * m], room);
        }
        for k in 0..size {
            let i = if lower {
                first + k
            } else {
                first + size - 1 - k
            };
            let (head, tail) = x.split_at_mut(if lower { i * m } else { (i + 1) * m });
            let (to, others, from) = if lower {
                (&mut tail[..m], &head[first * m..], first)
            } else {
                (
                    &mut head[i * m..],
                    &tail[..(first + size - i - 1) * m],
                    i + 1,
                )
            };
            for (j, other) in others.chunks_exact(m).enumerate() {
                subtract_multiple(to, t[i * row + (from + j) * column], other);
            }
            if !unit {
                let pivot = t[i * row + i * column];
                to.iter_mut().for_each(|x| *x /= pivot);
            }
        }
    }
}

/// P A = L U, with the largest entry of each column as its pivot.
pub(super) struct Factors<T> {
    n: usize,
    /// U, and below its diagonal L, whose own diagonal is 1.
    both: Vec<T>,
    /// Which row of A is which of L U.
    rows: Vec<usize>,
    odd: bool,
}

impl<T: Float> Factors<T> {
    pub(super) fn new(a: &[T], n: usize) -> Self {
        let mut factors = Factors {
            n,
            both: a.to_vec(),
            rows: (0..n).collect(),
            odd: false,
        };
        for first in (0..n).step_by(BLOCK) {
            let end = (first + BLOCK).min(n);
            factors.panel(first, end);
            if end < n {
                factors.rest(first, end);
            }
        }
        factors
    }

    /// Columns from `first` to `end`, one by one.
    fn panel(&mut self, first: usize, end: usize) {
        let n = self.n;
        for k in first..end {
            let mut best = k;
            for i in k + 1..n {
                let size = self.both[i * n + k].abs();
                if size > self.both[best * n + k].abs() || size.is_nan() {
                    best = i;
                }
            }
            if best != k {
                let (upper, lower) = self.both.split_at_mut(best * n);
                upper[k * n..(k + 1) * n].swap_with_slice(&mut lower[..n]);
                self.rows.swap(k, best);
                self.odd = !self.odd;
            }
            let pivot = self.both[k * n + k];
            if pivot == T::ZERO {
                continue;
            }
            let (upper, lower) = self.both.split_at_mut((k + 1) * n);
            let row = &upper[k * n + k + 1..k * n + end];
            for other in lower.chunks_exact_mut(n) {
                other[k] /= pivot;
                let factor = other[k];
                subtract_multiple(&mut other[k + 1..end], factor, row);
            }
        }
    }

    /// What the columns from `first` to `end` leave of those behind them.
    fn rest(&mut self, first: usize, end: usize) {
        let n = self.n;
        for k in first..end {
            let (upper, lower) = self.both.split_at_mut((k + 1) * n);
            let row = &upper[k * n + end..];
            for other in lower[..(end - k - 1) * n].chunks_exact_mut(n) {
                let factor = other[k];
                subtract_multiple(&mut other[end..], factor, row);
            }
        }
        let left = n - end;
        let mut product = vec![T::ZERO; left * left];
        let lower = Lent {
            data: &self.both[end * n + first..],
            row: n,
            column: 1,
        };
        let upper = Lent {
            data: &self.both[first * n + end..],
            row: n,
            column: 1,
        };
        multiply([left, end - first, left], lower, upper, &mut product);
        for (row, product) in self.both[end * n..]
            .chunks_exact_mut(n)
            .zip(product.chunks_exact(left))
        {
            subtract(&mut row[end..], product);
        }
    }

    fn pivots(&self) -> impl Iterator<Item = T> {
        (0..self.n).map(|k| self.both[k * self.n + k])
    }

    pub(super) fn is_singular(&self) -> bool {
        self.pivots().any(|pivot| pivot == T::ZERO)
    }

    pub(super) fn determinant(&self) -> T {
        let sign = if self.odd { -T::ONE } else { T::ONE };
        self.pivots().fold(sign, |product, pivot| product * pivot)
    }

    pub(super) fn log_determinant(&self) -> T {
        self.pivots().map(|pivot| pivot.abs().ln()).sum()
    }

    /// The solution X of A X = B, of m columns.
    pub(super) fn solve(&self, b: &[T], x: &mut [T], m: usize) {
        if m == 0 {
            return;
        }
        for (to, from) in x.chunks_exact_mut(m).zip(&self.rows) {
            to.copy_from_slice(&b[from * m..(from + 1) * m]);
        }
        substitute(&self.both, [self.n, 1], self.n, true, true, x, m);
        substitute(&self.both, [self.n, 1], self.n, false, false, x, m);
    }
}

/// The lower triangle of the symmetric part, or the number of the first pivot that is not positive.
pub(super) fn cholesky<T: Float>(a: &[T], l: &mut [T], n: usize) -> Result<(), usize> {
    for i in 0..n {
        let (before, row) = l.split_at_mut(i * n);
        for j in 0..i {
            let other = &before[j * n..(j + 1) * n];
            let x = T::from_f64(0.5) * (a[i * n + j] + a[j * n + i]);
            row[j] = (x - dot(&row[..j], &other[..j])) / other[j];
        }
        let pivot = a[i * n + i] - dot(&row[..i], &row[..i]);
        // NaN is not positive either.
        if pivot.is_nan() || pivot <= T::ZERO {
            return Err(i);
        }
        row[i] = pivot.sqrt();
        row[i + 1..n].fill(T::ZERO);
    }
    Ok(())
}

/// P A Q = L D V, with the largest entry that is left as each pivot; L and V have ones on their diagonals, and no entry is larger.
pub(super) struct Complete<T> {
    n: usize,
    /// L below the diagonal, V above.
    both: Vec<T>,
    d: Vec<T>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    odd: bool,
}

impl<T: Float> Complete<T> {
    pub(super) fn new(a: &[T], n: usize) -> Self {
        let mut both = a.to_vec();
        let (mut rows, mut columns): (Vec<usize>, Vec<usize>) =
            ((0..n).collect(), (0..n).collect());
        let mut d = vec![T::ZERO; n];
        let mut odd = false;
        for k in 0..n {
            let mut best = [k, k];
            for i in k..n {
                for j in k..n {
                    let size = both[i * n + j].abs();
                    if size > both[best[0] * n + best[1]].abs() || size.is_nan() {
                        best = [i, j];
                    }
                }
            }
            let [i, j] = best;
            let pivot = both[i * n + j];
            if pivot == T::ZERO {
                break;
            }
            if i != k {
                let (upper, lower) = both.split_at_mut(i * n);
                upper[k * n..(k + 1) * n].swap_with_slice(&mut lower[..n]);
                rows.swap(i, k);
                odd = !odd;
            }
            if j != k {
                both.chunks_exact_mut(n).for_each(|row| row.swap(j, k));
                columns.swap(j, k);
                odd = !odd;
            }
            d[k] = pivot;
            let (upper, lower) = both.split_at_mut((k + 1) * n);
            let row = &mut upper[k * n + k + 1..];
            for other in lower.chunks_exact_mut(n) {
                other[k] /= pivot;
                let factor = other[k];
                subtract_multiple(&mut other[k + 1..], factor, row);
            }
            row.iter_mut().for_each(|x| *x /= pivot);
        }
        Complete {
            n,
            both,
            d,
            rows,
            columns,
            odd,
        }
    }

    /// L⁻ᵀ H V⁻ᵀ in the order of A's rows and columns, with the sign of the orders.
    fn outwards(&self, h: &[T]) -> Vec<T> {
        let n = self.n;
        let mut x = transposed(h, n);
        substitute(&self.both, [n, 1], n, false, true, &mut x, n);
        let mut x = transposed(&x, n);
        substitute(&self.both, [1, n], n, false, true, &mut x, n);
        let mut out = vec![T::ZERO; n * n];
        for (i, row) in self.rows.iter().enumerate() {
            for (j, column) in self.columns.iter().enumerate() {
                let entry = x[i * n + j];
                out[row * n + column] = if self.odd { -entry } else { entry };
            }
        }
        out
    }

    /// The cofactors of A.
    pub(super) fn cofactors(&self) -> Vec<T> {
        let n = self.n;
        let mut h = vec![T::ZERO; n * n];
        for (i, product) in others(&self.d).into_iter().enumerate() {
            h[i * n + i] = product;
        }
        self.outwards(&h)
    }

    /// The derivative of the cofactors along E.
    pub(super) fn slope(&self, e: &[T]) -> Vec<T> {
        let n = self.n;
        let mut f: Vec<T> = (self.rows.iter())
            .flat_map(|row| self.columns.iter().map(move |column| e[row * n + column]))
            .collect();
        // Fᵀ, where F = L⁻¹ E V⁻¹.
        substitute(&self.both, [n, 1], n, true, true, &mut f, n);
        let mut f = transposed(&f, n);
        substitute(&self.both, [1, n], n, true, true, &mut f, n);
        let mut h = vec![T::ZERO; n * n];
        let mut d = self.d.clone();
        for i in 0..n {
            // Without the entry i; and then without each other one.
            let own = core::mem::replace(&mut d[i], T::ONE);
            let products = others(&d);
            d[i] = own;
            for j in (0..n).filter(|j| *j != i) {
                h[i * n + i] += products[j] * f[j * n + j];
                h[i * n + j] = -(products[j] * f[i * n + j]);
            }
        }
        self.outwards(&h)
    }
}

fn transposed<T: Float>(a: &[T], n: usize) -> Vec<T> {
    (0..n * n).map(|k| a[k % n * n + k / n]).collect()
}

/// For each number the product of the others.
fn others<T: Float>(d: &[T]) -> Vec<T> {
    let mut out = vec![T::ONE; d.len()];
    let mut product = T::ONE;
    for (out, d) in out.iter_mut().zip(d) {
        *out = product;
        product *= *d;
    }
    product = T::ONE;
    for (out, d) in out.iter_mut().zip(d).rev() {
        *out *= product;
        product *= *d;
    }
    out
}
