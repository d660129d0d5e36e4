//! Attention: means of values, weighted by how well each token's key fits a query.
//!
//! Sources: Vaswani and others, Attention Is All You Need, 2017; that the weights are computed again and not kept: Dao and others, `FlashAttention`, 2022.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::moves::linear;
use super::products::all_finite;
use super::reductions::sum;
use super::rows::{SoftmaxBack, exponentials};
use crate::float::Float;
use crate::kernels::zmul;
use crate::parallel::{Amount, Blocks, Cut, Work, divide};
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::{Dims, count};
use crate::tensor::elementwise::Walk;
use crate::tensor::error::{Error, Result};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::gemm::Lent;
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::filled;
#[cfg(test)]
use crate::tensor::testing::{shape, shifted};

/// The rows and columns of the last two axes.
fn matrix(shape: &[usize]) -> [usize; 2] {
    let rank = shape.len();
    [shape[rank - 2], shape[rank - 1]]
}

/// The shape with other last two axes.
fn with_matrix(shape: &[usize], [rows, columns]: [usize; 2]) -> Dims {
    let mut out: Dims = shape[..shape.len() - 2].into();
    out.extend([rows, columns]);
    out
}

/// The matrices of the last two axes of tensors that have the other axes in common, so many operations for each.
///
/// The kernel is handed places for the results of some, and the number of one among these; and a place for intermediate results that `room` makes for all of them.
fn by_matrices<T: Float, C: Cut, S, const N: usize>(
    x: [&Tensor<T>; N],
    places: C,
    operations: usize,
    room: impl Fn() -> S + Sync,
    kernel: impl Fn(&mut S, &mut C, usize, [Lent<'_, T>; N]) + Sync,
) {
    // A known zero has no entries to lend.
    let x = x.map(|x| {
        if x.is_known_zero() {
            x.contiguous()
        } else {
            x.clone()
        }
    });
    let batch = x[0].rank() - 2;
    let strides: [&[usize]; N] = core::array::from_fn(|k| &x[k].strides[..batch]);
    let walk = Walk::new(&x[0].shape[..batch], strides);
    let amount = Amount {
        work: Work::Product,
        units: walk.count,
        each: operations,
    };
    divide(places, amount, |some, mut places| {
        let mut room = room();
        let mut number = 0;
        walk.part(some, |at, step, times| {
            for i in 0..times {
                let lent = core::array::from_fn(|k| Lent {
                    data: x[k].data().get(at[k] + i * step[k]..).unwrap_or(&[]),
                    row: x[k].strides[batch],
                    column: x[k].strides[batch + 1],
                });
                kernel(&mut room, &mut places, number, lent);
                number += 1;
            }
        });
    });
}

/// The place of matrix `i`, which has so many entries.
fn part<T>(all: &mut [T], i: usize, size: usize) -> &mut [T] {
    &mut all[i * size..(i + 1) * size]
}

fn flipped<T>(x: Lent<'_, T>) -> Lent<'_, T> {
    Lent {
        data: x.data,
        row: x.column,
        column: x.row,
    }
}

/// A dense matrix.
fn dense<T>(data: &[T], columns: usize) -> Lent<'_, T> {
    Lent {
        data,
        row: columns,
        column: 1,
    }
}

/// C = A B.
fn multiply<T: Float>([m, k, n]: [usize; 3], a: Lent<'_, T>, b: Lent<'_, T>, c: &mut [T]) {
    if m == 0 || k == 0 || n == 0 {
        c.fill(T::ZERO);
    } else {
        T::gemm([m, k, n], a, b, T::ZERO, c);
    }
}

/// C = A B, where a zero takes no part whatever it meets: a token that is not seen, or a cotangent that is not there.
fn absorbing<T: Float>([m, k, n]: [usize; 3], a: Lent<'_, T>, b: Lent<'_, T>, c: &mut [T]) {
    multiply([m, k, n], a, b, c);
    // What is not finite on one side would have left a trace.
    if all_finite(c) {
        return;
    }
    for (i, row) in c.chunks_exact_mut(n).enumerate() {
        row.fill(T::ZERO);
        for l in 0..k {
            let weight = a.data[i * a.row + l * a.column];
            for (j, c) in row.iter_mut().enumerate() {
                *c += zmul(weight, b.data[l * b.row + j * b.column]);
            }
        }
    }
}

/// C = A Bᵀ as [`absorbing`], and 0 where the column's token is after the row's if tokens see only what is before.
fn outer<T: Float>(
    causal: bool,
    [m, k, n]: [usize; 3],
    a: Lent<'_, T>,
    b: Lent<'_, T>,
    c: &mut [T],
) {
    absorbing([m, k, n], a, flipped(b), c);
    hide(causal, n, c);
}

/// Puts 0 where the column's token is after the row's, if tokens see only what is before.
fn hide<T: Float>(causal: bool, columns: usize, c: &mut [T]) {
    if causal {
        for (i, row) in c.chunks_exact_mut(columns.max(1)).enumerate() {
            if let Some(hidden) = row.get_mut(i + 1..) {
                hidden.fill(T::ZERO);
            }
        }
    }
}

/// The softmax of what each row sees of its scores times a scale.
fn soften<T: Float>(causal: bool, scale: T, columns: usize, scores: &mut [T]) {
    let mut room = filled(columns, T::ZERO);
    for (i, row) in scores.chunks_exact_mut(columns.max(1)).enumerate() {
        let visible = if causal { columns.min(i + 1) } else { columns };
        let (row, room) = (&mut row[..visible], &mut room[..visible]);
        exponentials(row, scale, room);
        let total = sum(room);
        for (x, e) in row.iter_mut().zip(room) {
            *x = *e / total;
        }
    }
}

/// The mean of values, weighted by the softmax of q · k / √d; with `causal`, over tokens up to the query's own.
#[derive(Clone, Copy)]
pub(crate) struct Attention {
    causal: bool,
}

/// How many queries, keys, entries of a key and entries of a value there are.
#[derive(Clone, Copy)]
struct Sizes {
    queries: usize,
    keys: usize,
    depth: usize,
    width: usize,
}

impl Sizes {
    fn of(q: &[usize], k: &[usize], v: &[usize]) -> Self {
        let ([queries, depth], [keys, _], [_, width]) = (matrix(q), matrix(k), matrix(v));
        Sizes {
            queries,
            keys,
            depth,
            width,
        }
    }

    /// How many multiplications the weights and the mean are.
    fn operations(self) -> usize {
        (self.queries.saturating_mul(self.keys)).saturating_mul(self.depth + self.width)
    }

    /// 1 / √d.
    fn scale(self) -> f64 {
        1.0 / (self.depth.max(1) as f64).sqrt()
    }
}

impl Attention {
    fn name(self) -> &'static str {
        if self.causal {
            "causal_attention"
        } else {
            "attention"
        }
    }

    fn check<T: Float>(self, x: &[&Tensor<T>]) -> Result<Sizes> {
        let [q, k, v] = [x[0].shape(), x[1].shape(), x[2].shape()];
        let fail = |reason: &str| {
            let shapes = format!("{reason}: queries {q:?}, keys {k:?}, values {v:?}");
            Err(Error::new(self.name(), shapes))
        };
        if q.len() < 2 || k.len() < 2 || v.len() < 2 {
            return fail("an operand has no axes of tokens and of their entries");
        }
        let batch = |shape: &[usize]| Dims::from(&shape[..shape.len() - 2]);
        if batch(q) != batch(k) || batch(q) != batch(v) {
            return fail("the axes before the last two differ");
        }
        let sizes = Sizes::of(q, k, v);
        if matrix(k)[1] != sizes.depth {
            return fail("queries and keys have different lengths");
        }
        if matrix(v)[0] != sizes.keys {
            return fail("there are not as many values as keys");
        }
        if self.causal && sizes.queries != sizes.keys {
            return fail("there are not as many queries as keys");
        }
        if sizes.queries > 0 && sizes.keys == 0 {
            return fail("there is no mean of no values");
        }
        Ok(sizes)
    }

    /// The weights of one matrix.
    fn weights<T: Float>(self, sizes: Sizes, q: Lent<'_, T>, k: Lent<'_, T>, out: &mut [T]) {
        let lengths = [sizes.queries, sizes.depth, sizes.keys];
        multiply(lengths, q, flipped(k), out);
        hide(self.causal, sizes.keys, out);
        soften(self.causal, T::from_f64(sizes.scale()), sizes.keys, out);
    }

    /// The weights as a formula.
    fn weights_of<T: Float, A: Algebra<T>>(self, q: &A, k: &A) -> A {
        let causal = self.causal;
        let scale = Sizes::of(q.lengths(), k.lengths(), k.lengths()).scale();
        let scores = A::apply(&Outer { causal }, &[q, k]).scaled(scale);
        scores.then(VisibleSoftmax { causal })
    }
}

impl<T: Float> Operation<T> for Attention {
    const NAME: &'static str = "attention";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let sizes = self.check(x)?;
        let Sizes {
            queries,
            keys,
            width,
            ..
        } = sizes;
        let shape = with_matrix(x[0].shape(), [queries, width]);
        let mut out = filled(count(&shape), T::ZERO);
        let places = Blocks(&mut out, queries * width);
        let room = || vec![T::ZERO; queries * keys];
        by_matrices(
            [x[0], x[1], x[2]],
            places,
            sizes.operations(),
            room,
            |weights, Blocks(places, size), i, [q, k, v]| {
                self.weights(sizes, q, k, weights);
                let place = part(places, i, *size);
                absorbing([queries, keys, width], dense(weights, keys), v, place);
            },
        );
        Ok(Tensor::of(shape, out))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let weights = self.weights_of(x[0], x[1]);
        let mean = Weighted {
            causal: self.causal,
            flipped: false,
        };
        A::apply(&mean, &[&weights, x[2]])
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let all = A::apply(&AttentionBack(*self), &[x[0], x[1], x[2], dy]);
        let mut first = 0;
        (x.iter().zip(wanted))
            .map(|(x, wanted)| {
                let part = Part {
                    first,
                    shape: x.lengths().into(),
                };
                first += x.primal().len();
                wanted.then(|| all.then(part))
            })
            .collect()
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |causal, q: &[usize], k: &[usize], v: &[usize]| {
            let x = vec![shape(q), shifted(k, 5.0), shifted(v, 9.0)];
            (Attention { causal }, x)
        };
        vec![
            of(true, &[3, 2], &[3, 2], &[3, 2]),
            of(true, &[2, 2, 3, 2], &[2, 2, 3, 2], &[2, 2, 3, 1]),
            of(true, &[2, 1, 3], &[2, 1, 3], &[2, 1, 3]),
            of(true, &[0, 2, 3], &[0, 2, 3], &[0, 2, 3]),
            of(true, &[0, 3], &[0, 3], &[0, 3]),
            of(false, &[2, 2], &[3, 2], &[3, 2]),
            of(false, &[2, 1, 3], &[2, 4, 3], &[2, 4, 2]),
            of(false, &[3, 2], &[1, 2], &[1, 3]),
            of(false, &[2, 0], &[3, 0], &[3, 2]),
        ]
    }
}

/// The cotangents of queries, keys and values from that of the result, one behind the other in one list: they share the weights.
#[derive(Clone)]
pub(crate) struct AttentionBack(Attention);

impl<T: Float> Operation<T> for AttentionBack {
    const NAME: &'static str = "attention";

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let Attention { causal } = self.0;
        let sizes = Sizes::of(x[0].shape(), x[1].shape(), x[2].shape());
        let Sizes {
            queries,
            keys,
            depth,
            width,
        } = sizes;
        let scale = T::from_f64(sizes.scale());
        let mut out = filled(x[0].len() + x[1].len() + x[2].len(), T::ZERO);
        let (dq, rest) = out.split_at_mut(x[0].len());
        let (dk, dv) = rest.split_at_mut(x[1].len());
        let places = (
            Blocks(dq, queries * depth),
            (Blocks(dk, keys * depth), Blocks(dv, keys * width)),
        );
        let room = || [(); 2].map(|()| vec![T::ZERO; queries * keys]);
        let operations = 3 * sizes.operations();
        let lent = [x[0], x[1], x[2], x[3]];
        by_matrices(lent, places, operations, room, |room, places, i, lent| {
            let ([weights, slopes], [q, k, v, d]) = (room, lent);
            let (dq, (dk, dv)) = places;
            let [dq, dk, dv] = [dq, dk, dv].map(|Blocks(all, size)| part(all, i, *size));
            self.0.weights(sizes, q, k, weights);
            absorbing([keys, queries, width], flipped(dense(weights, keys)), d, dv);
            outer(causal, [queries, width, keys], d, v, slopes);
            let rows = weights.chunks_exact(keys.max(1));
            for (d, p) in slopes.chunks_exact_mut(keys.max(1)).zip(rows) {
                let mean = super::reductions::sum_by_two(p, d, zmul);
                for (d, p) in d.iter_mut().zip(p) {
                    *d = zmul(*p, *d - mean) * scale;
                }
            }
            absorbing([queries, keys, depth], dense(slopes, keys), k, dq);
            absorbing([keys, queries, depth], flipped(dense(slopes, keys)), q, dk);
        });
        Ok(Tensor::of(Dims::from_elem(out.len(), 1), out))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let Attention { causal } = self.0;
        let sizes = Sizes::of(x[0].lengths(), x[1].lengths(), x[2].lengths());
        let weights = self.0.weights_of(x[0], x[1]);
        let axes = (-1).into();
        let by_weights = A::apply(&Outer { causal }, &[x[3], x[2]]);
        let slopes = A::apply(&SoftmaxBack { axes }, &[&weights, &by_weights]);
        let slopes = slopes.scaled(sizes.scale());
        let weighted = |weights: &A, flipped, x| {
            let product = Weighted { causal, flipped };
            A::apply(&product, &[weights, x])
        };
        let parts = [
            weighted(&slopes, false, x[1]),
            weighted(&slopes, true, x[0]),
            weighted(&weights, true, x[3]),
        ];
        let total = parts.iter().map(|part| part.primal().len()).sum();
        let mut first = 0;
        let placed = parts.map(|part| {
            let place = Placed { first, total };
            first += part.primal().len();
            part.then(place)
        });
        let [q, k, v] = placed;
        q.add(&k).add(&v)
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let points = Attention::points().into_iter();
        points
            .map(|(attention, mut x)| {
                let result = attention.value(&x.iter().collect::<Vec<_>>()).unwrap();
                x.push(shifted(result.shape(), 2.0));
                (AttentionBack(attention), x)
            })
            .collect()
    }
}

/// A Bᵀ of the last two axes, and 0 where the column's token is after the row's if tokens see only what is before.
#[derive(Clone)]
pub(crate) struct Outer {
    causal: bool,
}

impl<T: Float> Operation<T> for Outer {
    const NAME: &'static str = "attention";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let ([m, k], [n, _]) = (matrix(x[0].shape()), matrix(x[1].shape()));
        let shape = with_matrix(x[0].shape(), [m, n]);
        let mut out = filled(count(&shape), T::ZERO);
        let places = Blocks(&mut out, m * n);
        let operations = m.saturating_mul(k).saturating_mul(n);
        by_matrices(
            [x[0], x[1]],
            places,
            operations,
            || (),
            |(), Blocks(places, size), i, [a, b]| {
                outer(self.causal, [m, k, n], a, b, part(places, i, *size));
            },
        );
        Ok(Tensor::of(shape, out))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let by_left = dx[0].map(|d| A::apply(self, &[d, x[1]]));
        let by_right = dx[1].map(|d| A::apply(self, &[x[0], d]));
        [by_left, by_right]
            .into_iter()
            .flatten()
            .reduce(|a, b| a.add(&b))
            .unwrap_or_else(|| y.nothing())
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let causal = self.causal;
        let weighted = |flipped, x| A::apply(&Weighted { causal, flipped }, &[dy, x]);
        vec![
            wanted[0].then(|| weighted(false, x[1])),
            wanted[1].then(|| weighted(true, x[0])),
        ]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let pair = |a: &[usize], b: &[usize]| vec![shape(a), shifted(b, 5.0)];
        vec![
            (Outer { causal: true }, pair(&[2, 3, 2], &[2, 3, 2])),
            (Outer { causal: false }, pair(&[2, 3], &[4, 3])),
        ]
    }
}

/// W X of the last two axes, or Wᵀ X, of what is seen of W: a token after the row's is not, if tokens see only what is before.
#[derive(Clone)]
pub(crate) struct Weighted {
    causal: bool,
    flipped: bool,
}

impl<T: Float> Operation<T> for Weighted {
    const NAME: &'static str = "attention";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let ([rows, columns], [_, width]) = (matrix(x[0].shape()), matrix(x[1].shape()));
        let (m, k) = if self.flipped {
            (columns, rows)
        } else {
            (rows, columns)
        };
        let shape = with_matrix(x[0].shape(), [m, width]);
        let mut out = filled(count(&shape), T::ZERO);
        let places = Blocks(&mut out, m * width);
        let operations = m.saturating_mul(k).saturating_mul(width);
        let room = || vec![T::ZERO; rows * columns];
        by_matrices(
            [x[0], x[1]],
            places,
            operations,
            room,
            |seen, places, i, [w, x]| {
                for (i, row) in seen.chunks_exact_mut(columns.max(1)).enumerate() {
                    for (j, to) in row.iter_mut().enumerate() {
                        *to = w.data[i * w.row + j * w.column];
                    }
                }
                hide(self.causal, columns, seen);
                let w = dense(seen, columns);
                let w = if self.flipped { flipped(w) } else { w };
                absorbing([m, k, width], w, x, part(places.0, i, m * width));
            },
        );
        Ok(Tensor::of(shape, out))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let by_weights = dx[0].map(|d| A::apply(self, &[d, x[1]]));
        let by_values = dx[1].map(|d| A::apply(self, &[x[0], d]));
        [by_weights, by_values]
            .into_iter()
            .flatten()
            .reduce(|a, b| a.add(&b))
            .unwrap_or_else(|| y.nothing())
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let Weighted { causal, flipped } = *self;
        let (rows, columns) = if flipped { (x[1], dy) } else { (dy, x[1]) };
        let back = Weighted {
            causal,
            flipped: !flipped,
        };
        vec![
            wanted[0].then(|| A::apply(&Outer { causal }, &[rows, columns])),
            wanted[1].then(|| A::apply(&back, &[x[0], dy])),
        ]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let pair = |a: &[usize], b: &[usize]| vec![shape(a), shifted(b, 5.0)];
        let of = |causal, flipped| Weighted { causal, flipped };
        vec![
            (of(true, false), pair(&[2, 3, 3], &[2, 3, 2])),
            (of(true, true), pair(&[3, 3], &[3, 2])),
            (of(false, false), pair(&[2, 3], &[3, 4])),
            (of(false, true), pair(&[2, 3], &[2, 4])),
        ]
    }
}

/// The softmax along the last axis, of tokens up to the row's own if they see only what is before; 0 elsewhere.
#[derive(Clone)]
pub(crate) struct VisibleSoftmax {
    causal: bool,
}

impl<T: Float> Operation<T> for VisibleSoftmax {
    const NAME: &'static str = "attention";
    const KEEPS: Keeps = Keeps::Result;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let [rows, columns] = matrix(x[0].shape());
        let whole = x[0].contiguous();
        let mut out = whole.dense().unwrap_or(&[]).to_vec();
        for matrix in out.chunks_exact_mut((rows * columns).max(1)) {
            hide(self.causal, columns, matrix);
            soften(self.causal, T::ONE, columns, matrix);
        }
        Ok(Tensor::of(x[0].shape().into(), out))
    }

    fn push<A: Algebra<T>>(&self, _: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let axes = (-1).into();
        dx[0].map_or_else(|| y.nothing(), |d| A::apply(&SoftmaxBack { axes }, &[y, d]))
    }

    fn pull<A: Algebra<T>>(&self, _: &[&A], y: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let axes = (-1).into();
        vec![Some(A::apply(&SoftmaxBack { axes }, &[y, dy]))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![
            (VisibleSoftmax { causal: true }, vec![shape(&[2, 3, 3])]),
            (VisibleSoftmax { causal: false }, vec![shape(&[2, 3])]),
        ]
    }
}

/// The part of a list that begins at an entry, in a shape.
#[derive(Clone)]
pub(crate) struct Part {
    first: usize,
    shape: Dims,
}

impl<T: Float> Operation<T> for Part {
    const NAME: &'static str = "attention";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let part = x[0].cut(0, self.first, count(&self.shape), 1);
        Ok(part.reshaped(&self.shape))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(Placed {
            first: self.first,
            total: x[0].primal().len(),
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let part = |first, lengths: &[usize]| Part {
            first,
            shape: lengths.into(),
        };
        vec![
            (part(1, &[2, 2]), vec![shape(&[6])]),
            (part(3, &[0, 2]), vec![shape(&[3])]),
        ]
    }
}

/// The entries as a part of a list of zeros.
#[derive(Clone)]
pub(crate) struct Placed {
    first: usize,
    total: usize,
}

impl<T: Float> Operation<T> for Placed {
    const NAME: &'static str = "attention";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let mut out = filled(self.total, T::ZERO);
        for (to, x) in out[self.first..].iter_mut().zip(x[0]) {
            *to = x;
        }
        Ok(Tensor::of(Dims::from_elem(self.total, 1), out))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(Part {
            first: self.first,
            shape: x[0].lengths().into(),
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![(Placed { first: 2, total: 7 }, vec![shape(&[2, 2])])]
    }
}

methods! {
    /// The mean of values, weighted for each query by softmax(q · k / √d) over the keys; the receiver are the queries.
    ///
    /// The last two axes are tokens and their entries, those before them a batch that all three have in common. There may be more keys than queries or fewer.
    /// Other shapes, and queries without any key, are an error.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let queries = Tensor::from([[0.0, 0.0]]);
    /// let keys = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
    /// let values = Tensor::from([[1.0], [5.0]]);
    /// assert_eq!(queries.attention(keys, values).to_vec(), [3.0]);
    /// ```
    attention(keys, values;) -> tensor = Attention { causal: false };
    /// As [`attention`](Self::attention), where each token sees itself and the tokens before it; what it does not see has no influence, however large.
    ///
    /// There have to be as many queries as keys.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([[0.0, 0.0], [0.0, 0.0]]);
    /// let values = Tensor::from([[1.0], [5.0]]);
    /// assert_eq!(x.causal_attention(&x, values).to_vec(), [1.0, 3.0]);
    /// ```
    causal_attention(keys, values;) -> tensor = Attention { causal: true };
}

#[cfg(test)]
crate::tensor::testing::operations!(Attention AttentionBack Outer Weighted VisibleSoftmax Part Placed);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::tensor::testing::{pulled, pushed, second};

    const CAUSAL: Attention = Attention { causal: true };

    #[test]
    fn one_token_is_its_value() {
        let x = [
            Tensor::from([[3.0, 0.1]]),
            Tensor::from([[0.7, 1e30]]),
            Tensor::from([[0.3, 0.9]]),
        ];
        let d = x.clone();
        let c = Tensor::from([[1.7, -0.3]]);
        assert_eq!(x[0].causal_attention(&x[1], &x[2]), x[2]);
        let (bars, dots) = second(&CAUSAL, &x, &d, &c, &c);
        for k in [0, 1] {
            assert_eq!(bars[k].to_vec(), [0.0, 0.0]);
            assert_eq!(dots[k].to_vec(), [0.0, 0.0]);
        }
        assert_eq!(bars[2], c);
        assert_eq!(pushed(&CAUSAL, &x, &d), d[2]);
    }

    #[test]
    fn what_is_hidden_has_no_influence() {
        let operands = |key: f64, value: f64| {
            [
                Tensor::from([[0.5, 1.0], [0.2, -0.4], [0.1, 0.3]]),
                Tensor::from([[0.1, 0.2], [0.3, 0.4], [key, -0.5]]),
                Tensor::from([[1.0, 2.0], [3.0, 5.0], [value, 0.0]]),
            ]
        };
        let c = Tensor::from([[1.0, 0.5], [0.25, 2.0], [0.0, 0.0]]);
        let d = operands(0.3, 0.4);
        let plain = operands(0.7, -1.0);
        let expected = second(&CAUSAL, &plain, &d, &c, &c);
        let tangent = pushed(&CAUSAL, &plain, &d);
        for (key, value) in [
            (1e300, 1e300),
            (f64::INFINITY, f64::NAN),
            (f64::NAN, f64::NEG_INFINITY),
        ] {
            let x = operands(key, value);
            let y = x[0].causal_attention(&x[1], &x[2]);
            let y0 = plain[0].causal_attention(&plain[1], &plain[2]);
            assert_eq!(y.to_vec()[..4], y0.to_vec()[..4]);
            assert_eq!(pushed(&CAUSAL, &x, &d).to_vec()[..4], tangent.to_vec()[..4]);
            let near = |a: &[Tensor<f64>], b: &[Tensor<f64>], to: usize| {
                for (a, b) in a.iter().zip(b) {
                    for (a, b) in a.to_vec()[..to].iter().zip(&b.to_vec()[..to]) {
                        assert!((a - b).abs() < 1e-14, "{a} and {b} of {key}, {value}");
                    }
                }
            };
            // The third query's weights are not numbers, but its cotangent is zero.
            let bars = pulled(&CAUSAL, &x, &c);
            near(&bars, &expected.0, 4);
            let (bars, _) = second(&CAUSAL, &x, &d, &c, &c);
            near(&bars, &expected.0, 4);
        }
        assert_eq!(expected.0[1].to_vec()[4..], [0.0, 0.0]);
        assert_eq!(expected.0[2].to_vec()[4..], [0.0, 0.0]);
    }

    #[test]
    fn as_its_formula_in_a_large_batch_of_views() {
        // Heads cut out of rows that hold queries, keys and values side by side.
        let all: Tensor<f64> = shifted(&[2, 17, 3, 2, 4], 3.0);
        let part = |k| all.cut(2, k, 1, 1).permuted(&[2, 0, 3, 1, 4]);
        let x = [part(0), part(1), part(2)];
        let operands: Vec<&Tensor<f64>> = x.iter().collect();
        let y = x[0].causal_attention(&x[1], &x[2]);
        let formula = CAUSAL.formula(&operands);
        assert_eq!(y.shape(), [1, 2, 2, 17, 4]);
        for (a, b) in y.iter().zip(&formula) {
            assert!((a - b).abs() < 1e-14);
        }
    }

    #[test]
    fn what_is_refused() {
        let x = |lengths: &[usize]| Tensor::<f64>::ones(lengths);
        let q = x(&[2, 3, 4]);
        assert_eq!(
            q.try_causal_attention(x(&[2, 5, 4]), x(&[2, 5, 4]))
                .unwrap_err()
                .to_string(),
            "causal_attention: there are not as many queries as keys: queries [2, 3, 4], keys [2, 5, 4], values [2, 5, 4]"
        );
        assert!(q.try_attention(x(&[2, 5, 4]), x(&[2, 5, 7])).is_ok());
        assert!(q.try_attention(x(&[2, 5, 3]), x(&[2, 5, 7])).is_err());
        assert!(q.try_attention(x(&[2, 5, 4]), x(&[2, 4, 7])).is_err());
        assert!(q.try_attention(x(&[1, 5, 4]), x(&[2, 5, 7])).is_err());
        assert!(q.try_attention(x(&[2, 0, 4]), x(&[2, 0, 7])).is_err());
        assert!(q.try_attention(x(&[4]), 1.0).is_err());
    }
}
