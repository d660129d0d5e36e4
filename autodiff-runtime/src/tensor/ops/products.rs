//! Matrix products.

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;

use crate::element::Real;
use crate::float::Float;
use crate::kernels::zmul;
use crate::lane::dispatch;
use crate::parallel::{Amount, Blocks, Work, both, divide};
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::{Dims, broadcast, count, size, stretched};
use crate::tensor::elementwise::{Walk, zip};
use crate::tensor::error::{Error, Result};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::gemm::Lent;
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::{anything, filled};
#[cfg(test)]
use crate::tensor::testing::{shape, shifted};

/// The tangent of an operation that is linear in each of two operands: the operation itself, or what it is where zeros take no part.
macro_rules! bilinear {
    () => {
        $crate::tensor::ops::products::bilinear!(self, |a, b| A::apply(self, &[a, b]));
    };
    (|$a:ident, $b:ident| $product:expr) => {
        $crate::tensor::ops::products::bilinear!(self, |$a, $b| $product);
    };
    ($this:ident, |$a:ident, $b:ident| $product:expr) => {
        fn push<A: Algebra<T>>(&$this, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
            let product = |$a: &A, $b: &A| $product;
            let a = dx[0].map(|d| product(d, x[1]));
            let b = dx[1].map(|d| product(x[0], d));
            match (a, b) {
                (Some(a), Some(b)) => a.add(&b),
                (Some(a), None) | (None, Some(a)) => a,
                (None, None) => y.nothing(),
            }
        }
    };
}
pub(in crate::tensor) use bilinear;

/// The product of the last two axes; the others are stretched to each other. A vector is a row on the left and a column on the right, and its axis is not in the result.
#[derive(Clone)]
pub(crate) struct MatMul;

/// The same where a zero takes no part whatever it meets: the product that derivatives are made of.
#[derive(Clone)]
pub(crate) struct Absorbing;

/// A with a first axis where it is a vector, B with a last one; the shapes of the result with and without these axes.
struct Sizes {
    a: Dims,
    b: Dims,
    whole: Dims,
    result: Dims,
}

fn sizes(a: &[usize], b: &[usize]) -> Result<Sizes> {
    let fail = |reason: &str| {
        Err(Error::new(
            "matmul",
            alloc::format!("{reason}: {a:?} times {b:?}"),
        ))
    };
    if a.is_empty() || b.is_empty() {
        return fail("an operand has no axes");
    }
    let (mut left, mut right): (Dims, Dims) = (a.into(), b.into());
    if a.len() == 1 {
        left.insert(0, 1);
    }
    if b.len() == 1 {
        right.push(1);
    }
    let (i, j) = (left.len() - 2, right.len() - 2);
    if left[i + 1] != right[j] {
        return fail("the inner lengths differ");
    }
    let Ok(batch) = broadcast("matmul", &left[..i], &right[..j]) else {
        return fail("the batches do not go together");
    };
    let mut result = batch.clone();
    if a.len() > 1 {
        result.push(left[i]);
    }
    if b.len() > 1 {
        result.push(right[j + 1]);
    }
    let mut whole = batch;
    whole.extend([left[i], right[j + 1]]);
    size("matmul", &whole)?;
    Ok(Sizes {
        a: left,
        b: right,
        whole,
        result,
    })
}

/// A matrix whose kernel packs its rows or columns: one of the two strides has to be the distance of neighbours.
fn product<T: Float>(a: &Tensor<T>, b: &Tensor<T>, whole: &[usize]) -> Vec<T> {
    let rank = whole.len();
    let [m, k, n] = [whole[rank - 2], a.shape[a.rank() - 1], whole[rank - 1]];
    let size = count(whole);
    if k == 0 || size == 0 {
        return filled(size, T::ZERO);
    }
    let mut out = anything(size);
    // A known zero has no entries to lend.
    let materialized = |x: &Tensor<T>| {
        if x.is_known_zero() {
            x.contiguous()
        } else {
            x.clone()
        }
    };
    let (a, b) = (materialized(a), materialized(b));
    let [(sa, ta), (sb, tb)] = [&a, &b].map(|x| x.strides.split_at(x.rank() - 2));
    let batch = &whole[..rank - 2];
    // One matrix for a batch of rows that lie at equal distances is one product.
    if let Some(rows) = joined(
        &a,
        batch,
        b.rank() == 2 || sb.iter().zip(&b.shape).all(|(s, n)| *n == 1 || *s == 0),
    ) {
        let left = Lent {
            data: a.data(),
            row: ta[0],
            column: ta[1],
        };
        let right = Lent {
            data: b.data(),
            row: tb[0],
            column: tb[1],
        };
        multiply([rows, k, n], left, right, &mut out);
        return out;
    }
    let batches = |x: &Tensor<T>, s: &[usize]| stretched(&x.shape[..x.rank() - 2], s, batch);
    let (sa, sb) = (batches(&a, sa), batches(&b, sb));
    let batches = Walk::new(batch, [&sa, &sb]);
    let amount = Amount {
        work: Work::Product,
        units: batches.count,
        each: m.saturating_mul(k).saturating_mul(n),
    };
    divide(
        Blocks(&mut out, m * n),
        amount,
        |some, Blocks(out, size)| {
            let mut places = out.chunks_exact_mut(size);
            batches.part(some, |at, step, times| {
                for (i, place) in (0..times).zip(&mut places) {
                    let left = Lent {
                        data: &a.data()[at[0] + i * step[0]..],
                        row: ta[0],
                        column: ta[1],
                    };
                    let right = Lent {
                        data: &b.data()[at[1] + i * step[1]..],
                        row: tb[0],
                        column: tb[1],
                    };
                    multiply([m, k, n], left, right, place);
                }
            });
        },
    );
    out
}

/// How many rows A has over all its batch, if these lie at equal distances and the other operand is one matrix.
fn joined<T: Float>(a: &Tensor<T>, batch: &[usize], one: bool) -> Option<usize> {
    let i = a.rank() - 2;
    if !one || a.shape[..i] != *batch {
        return None;
    }
    let mut rows = a.shape[i];
    for axis in (0..i).rev() {
        if a.shape[axis] != 1 && a.strides[axis] != a.strides[i] * rows {
            return None;
        }
        rows *= a.shape[axis];
    }
    Some(rows)
}

/// C = A B.
pub(super) fn multiply<T: Real + Float>(
    [m, k, n]: [usize; 3],
    a: Lent<'_, T>,
    b: Lent<'_, T>,
    c: &mut [T],
) {
    if n == 1 && (a.row == 1 || a.column == 1) {
        times_vector(k, a, &neighbours(b.data, b.row, k), &mut c[..m]);
    } else if m == 1 && (b.row == 1 || b.column == 1) {
        // A row times a matrix is its transpose times a column.
        let turned = Lent {
            data: b.data,
            row: b.column,
            column: b.row,
        };
        times_vector(k, turned, &neighbours(a.data, a.column, k), &mut c[..n]);
    } else {
        T::gemm([m, k, n], a, b, T::ZERO, c);
    }
}

/// So many entries at equal distances, one beside the other.
fn neighbours<T: Float>(entries: &[T], step: usize, length: usize) -> Cow<'_, [T]> {
    match step {
        1 => Cow::Borrowed(&entries[..length]),
        0 => Cow::Owned(vec![entries[0]; length]),
        _ => Cow::Owned(entries.iter().step_by(step).take(length).copied().collect()),
    }
}

/// So many entries of a sum of columns go to a thread at once: with fewer it would jump from page to page.
const BLOCK: usize = 1024;

/// c = A x for a matrix of k columns, whose rows or columns lie one entry beside the other.
fn times_vector<T: Float>(k: usize, a: Lent<'_, T>, x: &[T], c: &mut [T]) {
    let amount = |unit: usize, units: usize| Amount {
        work: Work::Memory,
        units,
        each: unit.saturating_mul(k),
    };
    if a.column == 1 {
        let amount = amount(1, c.len());
        divide(c, amount, |some, c| {
            for (i, c) in some.zip(c) {
                *c = dot(&a.data[i * a.row..i * a.row + k], x);
            }
        });
        return;
    }
    // A sum of columns, four at a time, so that the result is read and written less often.
    let amount = amount(BLOCK, c.len().div_ceil(BLOCK));
    divide(Blocks(c, BLOCK), amount, |some, Blocks(c, _)| {
        let (first, m) = (some.start * BLOCK, c.len());
        let column = |j: usize| &a.data[j * a.column + first..j * a.column + first + m];
        c.fill(T::ZERO);
        let fours = k / 4 * 4;
        for j in (0..fours).step_by(4) {
            let (p, q, r, s) = (column(j), column(j + 1), column(j + 2), column(j + 3));
            for i in 0..m {
                c[i] += (p[i] * x[j] + q[i] * x[j + 1]) + (r[i] * x[j + 2] + s[i] * x[j + 3]);
            }
        }
        for (j, x) in x.iter().enumerate().skip(fours) {
            for (c, a) in c.iter_mut().zip(column(j)) {
                *c += *a * *x;
            }
        }
    });
}

/// a · b of two lists, in eight sums.
pub(super) fn dot<T: Float>(a: &[T], b: &[T]) -> T {
    let (a_groups, b_groups) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest = a_groups.remainder().iter().zip(b_groups.remainder());
    let mut sums = [T::ZERO; 8];
    for (k, (a, b)) in rest.enumerate() {
        sums[k] = *a * *b;
    }
    for (a, b) in a_groups.zip(b_groups) {
        for k in 0..8 {
            sums[k] += a[k] * b[k];
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}

/// The product of two matrices, which lies in memory as another of its size: a matrix that is seen transposed has a cotangent that is one.
fn laid_as<T: Float, A: Algebra<T>>(like: &A, a: &A, b: &A) -> A {
    let like = like.primal();
    let [row, column] = [2, 1].map(|k| like.strides[like.rank() - k]);
    if row == 1 && column != 1 {
        b.transposed().matmul(&a.transposed()).transposed()
    } else {
        a.matmul(b)
    }
}

/// Whether there is neither an infinite entry nor NaN.
pub(super) fn all_finite<T: Float>(entries: &[T]) -> bool {
    let (left, right) = entries.split_at(entries.len() / 2);
    let [left, right] = [left, right].map(|half| move || dispatch(|_| finite(half)));
    let (left, right) = both(Work::Memory, entries.len(), left, right);
    left & right
}

/// The same as vector code: x − x is zero where x is finite, and else NaN, which stays in a sum.
#[allow(
    clippy::inline_always,
    clippy::eq_op,
    reason = "it is compiled for the instructions of who calls it; and see above"
)]
#[inline(always)]
fn finite<T: Float>(entries: &[T]) -> bool {
    let mut sums = [T::ZERO; 32];
    let groups = entries.chunks_exact(sums.len());
    let rest = groups.remainder();
    for group in groups.chain([rest]) {
        for (sum, x) in sums.iter_mut().zip(group) {
            *sum += *x - *x;
        }
    }
    sums.iter().all(|sum| *sum == T::ZERO)
}

/// The same product, entry by entry, without what a zero meets.
fn without_zeros<T: Float>(a: &Tensor<T>, b: &Tensor<T>, whole: &[usize]) -> Vec<T> {
    let rank = whole.len();
    let [m, k, n] = [whole[rank - 2], a.shape[a.rank() - 1], whole[rank - 1]];
    let [a, b] = [(a, [m, k]), (b, [k, n])].map(|(x, last)| {
        let mut stretched: Dims = whole[..rank - 2].into();
        stretched.extend(last);
        x.stretched_view(&stretched).to_vec()
    });
    let mut out = filled(count(whole), T::ZERO);
    for (at, row) in out.chunks_exact_mut(n).enumerate() {
        let (batch, i) = (at / m, at % m);
        for (c, j) in row.iter_mut().zip(0..) {
            for l in 0..k {
                *c += zmul(a[(batch * m + i) * k + l], b[(batch * k + l) * n + j]);
            }
        }
    }
    out
}

/// The cotangents of a product: Ā = Ȳ Bᵀ, B̄ = Aᵀ Ȳ, summed over what was stretched.
fn back<T: Float, A: Algebra<T>>(x: &[&A], y: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
    let Ok(sizes) = sizes(x[0].lengths(), x[1].lengths()) else {
        return vec![Some(y.nothing()), None];
    };
    let (a, b) = (x[0].shaped(&sizes.a), x[1].shaped(&sizes.b));
    let d = dy.shaped(&sizes.whole);
    let to = |k: usize, like: &A, d: A| d.summed_to(like.lengths()).shaped(x[k].lengths());
    vec![
        wanted[0].then(|| to(0, &a, laid_as(&a, &d, &b.transposed()))),
        wanted[1].then(|| {
            // One matrix for a batch: the sum over the batch is one product.
            if sizes.b.len() == 2 && sizes.a.len() > 2 {
                let rows = |x: &A| {
                    let last = x.lengths()[x.lengths().len() - 1];
                    x.shaped(&[count(x.lengths()).checked_div(last).unwrap_or(0), last])
                };
                let last = |x: &A| x.lengths()[x.lengths().len() - 1];
                if last(&a) > 0 && last(&d) > 0 {
                    return to(1, &b, laid_as(&b, &rows(&a).transposed(), &rows(&d)));
                }
            }
            to(1, &b, laid_as(&b, &a.transposed(), &d))
        }),
    ]
}

impl<T: Float> Operation<T> for Absorbing {
    const NAME: &'static str = "matmul";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let sizes = sizes(x[0].shape(), x[1].shape())?;
        let (a, b) = (x[0].with_axes(&sizes.a), x[1].with_axes(&sizes.b));
        if a.is_known_zero() || b.is_known_zero() {
            return Ok(Tensor::zero(sizes.result));
        }
        let y = product(&a, &b, &sizes.whole);
        // What is not finite on one side would have left a trace; where the operands are smaller they are asked.
        let finite = |x: &Tensor<T>| x.data().len() == x.len() && all_finite(x.data());
        let fewer = a.len() + b.len() < y.len();
        let y = if fewer && finite(&a) && finite(&b) || all_finite(&y) {
            y
        } else {
            without_zeros(&a, &b, &sizes.whole)
        };
        Ok(Tensor::of(sizes.result, y))
    }

    bilinear!(|a, b| a.matmul(b));

    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        back(x, y, dy, wanted)
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        MatMul::points()
            .into_iter()
            .map(|(_, x)| (Absorbing, x))
            .collect()
    }
}

impl<T: Float> Operation<T> for MatMul {
    const NAME: &'static str = "matmul";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let sizes = sizes(x[0].shape(), x[1].shape())?;
        let (a, b) = (x[0].with_axes(&sizes.a), x[1].with_axes(&sizes.b));
        Ok(Tensor::of(sizes.result, product(&a, &b, &sizes.whole)))
    }

    bilinear!(|a, b| a.matmul(b));

    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        back(x, y, dy, wanted)
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let pair = |a: &[usize], b: &[usize]| (MatMul, vec![shape(a), shape(b)]);
        vec![
            pair(&[2, 3], &[3, 4]),
            pair(&[2, 2], &[2, 2]),
            pair(&[3], &[3]),
            pair(&[2, 3], &[3]),
            pair(&[3], &[3, 2]),
            pair(&[2, 2, 3], &[2, 3, 2]),
            pair(&[2, 2, 3], &[3, 2]),
            pair(&[2, 3], &[2, 3, 2]),
            pair(&[2, 1, 2, 3], &[3, 3, 2]),
            pair(&[3], &[2, 3, 2]),
            pair(&[2, 2, 3], &[3]),
            pair(&[9], &[9, 6]),
            pair(&[1, 9], &[9, 2]),
            pair(&[6, 9], &[9]),
            pair(&[2, 0], &[0, 3]),
            pair(&[0, 2], &[2, 3]),
        ]
    }
}

/// The product of two vectors.
#[derive(Clone)]
pub(crate) struct Dot;

/// The lengths of two vectors.
fn vectors(operation: &'static str, a: &[usize], b: &[usize]) -> Result<[usize; 2]> {
    let (&[n], &[m]) = (a, b) else {
        return Err(Error::shapes(
            operation,
            "the operands are not two vectors",
            a,
            b,
        ));
    };
    Ok([n, m])
}

impl<T: Float> Operation<T> for Dot {
    const NAME: &'static str = "dot";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let [n, m] = vectors("dot", x[0].shape(), x[1].shape())?;
        if n != m {
            return Err(Error::shapes(
                "dot",
                "the lengths differ",
                x[0].shape(),
                x[1].shape(),
            ));
        }
        let (a, b) = (x[0].contiguous(), x[1].contiguous());
        Ok(Tensor::scalar(dot(&a.data()[..n], &b.data()[..n])))
    }

    bilinear!(|a, b| a.times(b).summed_to(&[]));

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        vec![
            wanted[0].then(|| dy.times(x[1])),
            wanted[1].then(|| dy.times(x[0])),
        ]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |n: usize| (Dot, vec![shape(&[n]), shifted(&[n], 4.0)]);
        vec![of(3), of(19), of(1), of(0)]
    }
}

/// All products of an entry of a vector and one of another.
#[derive(Clone)]
pub(crate) struct Outer;

impl<T: Float> Operation<T> for Outer {
    const NAME: &'static str = "outer";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let [n, m] = vectors("outer", x[0].shape(), x[1].shape())?;
        zip(
            "outer",
            &x[0].with_axes(&[n, 1]),
            &x[1].with_axes(&[1, m]),
            |a, b| a * b,
        )
    }

    bilinear!(|a, b| a
        .shaped(&[count(a.lengths()), 1])
        .times(&b.shaped(&[1, count(b.lengths())])));

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        vec![
            wanted[0].then(|| dy.matmul(x[1])),
            wanted[1].then(|| x[0].matmul(dy)),
        ]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |n: usize, m: usize| (Outer, vec![shape(&[n]), shifted(&[m], 4.0)]);
        vec![of(3, 2), of(2, 2), of(1, 3), of(3, 1), of(0, 2), of(2, 0)]
    }
}

methods! {
    /// The matrix product of the last two axes; those before them are a batch, and are stretched to each other.
    ///
    /// A vector is a row on the left and a column on the right, and its axis is not in the result.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let a = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(a.matmul(Tensor::from([1.0, -1.0])).to_vec(), [-1.0, -1.0]);
    /// ```
    matmul(other;) -> tensor = MatMul;
    /// The product of two vectors of one length.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, 2.0]).dot(Tensor::from([3.0, 4.0])), 11.0);
    /// ```
    dot(other;) -> scalar = Dot;
    /// The products of each entry of a vector and each of another: shapes `[n]` and `[m]` to `[n, m]`.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, 2.0]).outer(Tensor::from([3.0, 4.0])).to_vec(), [3.0, 4.0, 6.0, 8.0]);
    /// ```
    outer(other;) -> tensor = Outer;
}

#[cfg(test)]
crate::tensor::testing::operations!(MatMul Absorbing Dot Outer);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_lie_in_any_order_beside_vectors() {
        let (a, x, y) = (
            shape::<f64>(&[5, 11]),
            shifted(&[11, 3], 2.0),
            shifted(&[3, 5], 4.0),
        );
        let column = x.cut(1, 1, 1, 1);
        let row = y.cut(0, 2, 1, 1);
        let turned = Tensor::from_fn(&[11, 5], |at| a[[at[1], at[0]]]);
        for a in [a.clone(), turned.transposed()] {
            for (i, entry) in a.matmul(&column).iter().enumerate() {
                let sum: f64 = (0..11).map(|k| a[[i, k]] * x[[k, 1]]).sum();
                assert!((entry - sum).abs() < 1e-14);
            }
            for (j, entry) in row.matmul(&a).iter().enumerate() {
                let sum: f64 = (0..5).map(|k| y[[2, k]] * a[[k, j]]).sum();
                assert!((entry - sum).abs() < 1e-14);
            }
        }
        // Stretched along its only axis.
        let ones = Tensor::full(&[1], 2.0).stretched_view(&[11]);
        assert!(Formulas::matmul(&a, &ones).allclose(&(a.sum_axis(1) * 2.0), 1e-14, 0.0));
    }
}
