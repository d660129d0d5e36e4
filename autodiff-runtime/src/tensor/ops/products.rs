//! Matrix products.

use alloc::vec;
use alloc::vec::Vec;

use crate::element::Real;
use crate::float::Float;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::{Dims, broadcast, count, size, stretched};
use crate::tensor::elementwise::walk;
use crate::tensor::error::{Error, Result};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::gemm::Lent;
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::filled;
#[cfg(test)]
use crate::tensor::testing::shape;

/// The product of the last two axes; the others are stretched to each other. A vector is a row on the left and a column on the right, and its axis is not in the result.
#[derive(Clone)]
pub(crate) struct MatMul;

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
    let mut out = filled(count(whole), T::ZERO);
    if k == 0 || out.is_empty() {
        return out;
    }
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
    let mut next = 0;
    walk(batch, [&sa, &sb], |at, step, times| {
        for i in 0..times {
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
            multiply([m, k, n], left, right, &mut out[next..next + m * n]);
            next += m * n;
        }
    });
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
    if n == 1 && a.column == 1 && b.row == 1 {
        // Rows times a vector.
        for (i, c) in c.iter_mut().enumerate() {
            *c = dot(&a.data[i * a.row..i * a.row + k], &b.data[..k]);
        }
    } else if m == 1 && b.column == 1 {
        // A row times a matrix: a sum of the matrix' rows.
        c.fill(T::ZERO);
        for j in 0..k {
            let x = a.data[j * a.column];
            for (c, b) in c.iter_mut().zip(&b.data[j * b.row..j * b.row + n]) {
                *c += x * *b;
            }
        }
    } else if n == 1 && a.row == 1 {
        c.fill(T::ZERO);
        for j in 0..k {
            let x = b.data[j * b.row];
            for (c, a) in c.iter_mut().zip(&a.data[j * a.column..j * a.column + m]) {
                *c += *a * x;
            }
        }
    } else {
        T::gemm([m, k, n], a, b, T::ZERO, c);
    }
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

impl<T: Float> Operation<T> for MatMul {
    const NAME: &'static str = "matmul";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let sizes = sizes(x[0].shape(), x[1].shape())?;
        let (a, b) = (x[0].with_axes(&sizes.a), x[1].with_axes(&sizes.b));
        Ok(Tensor::of(sizes.result, product(&a, &b, &sizes.whole)))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        match (dx[0].map(|d| d.matmul(x[1])), dx[1].map(|d| x[0].matmul(d))) {
            (Some(a), Some(b)) => a.add(&b),
            (Some(a), None) | (None, Some(a)) => a,
            (None, None) => y.nothing(),
        }
    }

    // Ā = Ȳ Bᵀ, B̄ = Aᵀ Ȳ, summed over what was stretched.
    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let Ok(sizes) = sizes(x[0].lengths(), x[1].lengths()) else {
            return vec![Some(y.nothing()), None];
        };
        let (a, b) = (x[0].shaped(&sizes.a), x[1].shaped(&sizes.b));
        let d = dy.shaped(&sizes.whole);
        let to = |k: usize, like: &A, d: A| d.summed_to(like.lengths()).shaped(x[k].lengths());
        vec![
            wanted[0].then(|| to(0, &a, d.matmul(&b.transposed()))),
            wanted[1].then(|| {
                // One matrix for a batch: the sum over the batch is one product.
                if sizes.b.len() == 2 && sizes.a.len() > 2 {
                    let rows = |x: &A| {
                        let last = x.lengths()[x.lengths().len() - 1];
                        x.shaped(&[count(x.lengths()).checked_div(last).unwrap_or(0), last])
                    };
                    let last = |x: &A| x.lengths()[x.lengths().len() - 1];
                    if last(&a) > 0 && last(&d) > 0 {
                        return to(1, &b, rows(&a).transposed().matmul(&rows(&d)));
                    }
                }
                to(1, &b, a.transposed().matmul(&d))
            }),
        ]
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
            pair(&[2, 0], &[0, 3]),
            pair(&[0, 2], &[2, 3]),
        ]
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
}

#[cfg(test)]
crate::tensor::testing::operations!(MatMul);
