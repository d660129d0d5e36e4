//! Chains of operations that go entry by entry, as one kernel: what generated code calls.

#![allow(
    clippy::inline_always,
    clippy::redundant_closure,
    reason = "what is in a kernel has to be compiled with it"
)]

use alloc::vec::Vec;

use super::algebra::Formulas;
use super::arguments::AsTensor;
use super::dims::{Dims, broadcast, size, stretched};
use super::elementwise::{Walk, entries};
use super::error::expect;
use super::storage::anything;
use super::{Tensor, count};
use crate::lane::{Lane, Math, Operand, Output, Pairwise, drive};
use crate::parallel::{Blocks, Cut, Work, divide};

/// How many entries are added up before their sum is added to that of others: what a thread is given at least.
const SUMMED: usize = 1 << 14;

/// An operand of a kernel: a tensor, or a number.
pub fn leaf<T: Lane, L: AsTensor<T>>(of: &L) -> Tensor<T> {
    of.as_tensor()
}

/// What an operand of a kernel is: a tensor or a number, or a reference to one.
pub trait Leaf<T: Lane>: AsTensor<T> {
    /// What its cotangent is.
    type Cotangent;

    /// The cotangent that a kernel has given.
    fn cotangent(given: Tensor<T>) -> Self::Cotangent;
}

impl<T: Lane> Leaf<T> for Tensor<T> {
    type Cotangent = Tensor<T>;
    fn cotangent(given: Tensor<T>) -> Tensor<T> {
        given
    }
}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl Leaf<$t> for $t {
            type Cotangent = $t;
            fn cotangent(given: Tensor<$t>) -> $t {
                given.only()
            }
        }
    )*};
}
numbers! { f32 f64 }

impl<'a, T: Lane, L: Leaf<T>> Leaf<T> for &'a L
where
    &'a L: AsTensor<T>,
{
    type Cotangent = L::Cotangent;
    fn cotangent(given: Tensor<T>) -> L::Cotangent {
        L::cotangent(given)
    }
}

/// A cotangent that a kernel gives, as that of its operand: a tensor, or a number.
pub fn like<T: Lane, L: Leaf<T>>(_: &L, given: Tensor<T>) -> L::Cotangent {
    L::cotangent(given)
}

/// Where a result of a kernel goes.
enum Place<'a, T> {
    /// To the entries of a tensor.
    Entries(&'a mut [T]),
    /// To the sums of so many entries each.
    Sums(Blocks<'a, T>),
}

impl<T: Lane> Cut for Place<'_, T> {
    fn cut(self, units: usize) -> (Self, Self) {
        match self {
            Place::Entries(all) => {
                let (left, right) = all.split_at_mut((units * SUMMED).min(all.len()));
                (Place::Entries(left), Place::Entries(right))
            }
            Place::Sums(sums) => {
                let (left, right) = sums.cut(units);
                (Place::Sums(left), Place::Sums(right))
            }
        }
    }
}

/// `f` of the entries of operands that are stretched to one shape.
///
/// A result is of that shape, or summed to the shape of an operand.
/// The order of addition depends on the shapes alone.
///
/// # Panics
///
/// If the shapes do not fit together.
#[track_caller]
pub fn fused<T: Lane, const I: usize, const O: usize>(
    operation: &'static str,
    operands: [Tensor<T>; I],
    summed: [Option<usize>; O],
    f: impl Fn(Math<'_>, [T; I]) -> [T; O] + Sync,
) -> [Tensor<T>; O] {
    let mut shape = Dims::new();
    for operand in &operands {
        shape = expect(broadcast(operation, &shape, &operand.shape));
    }
    let length = expect(size(operation, &shape));
    let units = length.div_ceil(SUMMED);
    let is_sum = summed.map(|to| to.is_some_and(|k| operands[k].len() == 1 && length != 1));
    let mut results: [Vec<T>; O] = is_sum.map(|sum| {
        if sum {
            anything(units)
        } else {
            anything(length)
        }
    });
    let mut sums = is_sum.into_iter();
    let places = results.each_mut().map(|result| {
        if sums.next() == Some(true) {
            Place::Sums(Blocks(&mut result[..], 1))
        } else {
            Place::Entries(&mut result[..])
        }
    });
    let sources = operands
        .each_ref()
        .map(|operand| Source::new(operand, &shape));
    let amount = crate::parallel::Amount {
        each: SUMMED,
        ..entries(Work::Function, units)
    };
    divide(places, amount, |some, mut places| {
        // A sum is of one unit; without one, units need not be told apart.
        let each = if is_sum.contains(&true) {
            1
        } else {
            some.len()
        };
        for (k, unit) in some.clone().step_by(each.max(1)).enumerate() {
            let part = unit * SUMMED..length.min((unit + each) * SUMMED);
            let inside = k * SUMMED..k * SUMMED + part.len();
            let outputs = places.each_mut().map(|place| match place {
                Place::Entries(all) => Output::Dense(&mut all[inside.clone()]),
                Place::Sums(Blocks(sums, _)) => Output::Sum(&mut sums[k]),
            });
            let fills = sources.each_ref().map(|source| {
                let from = part.start;
                move |at: usize, to: &mut [T]| source.fill(from + at, to)
            });
            let mut fills = fills.iter();
            let inputs = sources.each_ref().map(|source| {
                let fill = fills.next();
                match (source, fill) {
                    (Source::Dense(all), _) => Operand::Dense(&all[part.clone()]),
                    (Source::Number(x), _) => Operand::Scalar(*x),
                    (Source::Strided { .. }, Some(fill)) => Operand::Fill(fill),
                    (Source::Strided { .. }, None) => Operand::Scalar(T::ZERO),
                }
            });
            drive(
                part.len(),
                inputs,
                outputs,
                #[inline(always)]
                |math, entries| f(math, entries),
            );
        }
    });
    let mut to = summed.into_iter().zip(is_sum);
    results.map(|entries| {
        let like = |k: usize| operands[k].shape.clone();
        match to.next() {
            Some((Some(k), true)) => {
                let mut sum = Pairwise::new();
                entries.iter().for_each(|&x| sum.push(x));
                Tensor::of(like(k), alloc::vec![sum.total()])
            }
            Some((Some(k), false)) => Tensor::of(shape.clone(), entries).summed_to(&like(k)),
            _ => Tensor::of(shape.clone(), entries),
        }
    })
}

/// The entries of an operand.
enum Source<'a, T> {
    /// One after the other.
    Dense(&'a [T]),
    /// The same everywhere.
    Number(T),
    /// Wherever the walk through them goes.
    Strided { data: &'a [T], walk: Walk<1> },
}

impl<'a, T: Lane> Source<'a, T> {
    fn new(operand: &'a Tensor<T>, shape: &[usize]) -> Self {
        if operand.is_known_zero() {
            return Source::Number(T::ZERO);
        }
        if operand.len() == 1 {
            return Source::Number(operand.only());
        }
        match operand.dense() {
            Some(all) if all.len() == count(shape) => Source::Dense(all),
            _ => Source::Strided {
                data: operand.data(),
                walk: Walk::new(shape, [&stretched(&operand.shape, &operand.strides, shape)]),
            },
        }
    }

    /// Writes the entries from a position on.
    fn fill(&self, at: usize, to: &mut [T]) {
        let Source::Strided { data, walk } = self else {
            return;
        };
        let mut next = 0;
        walk.part(at..at + to.len(), |[from], [step], n| {
            let row = &mut to[next..next + n];
            next += n;
            match step {
                0 => row.fill(data[from]),
                1 => row.copy_from_slice(&data[from..from + n]),
                _ => {
                    for (to, x) in row.iter_mut().zip(data[from..].iter().step_by(step)) {
                        *to = *x;
                    }
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{SUMMED, fused, leaf, like};
    use crate::tensor::Tensor;

    fn some(shape: &[usize], k: f64) -> Tensor<f64> {
        let mut at = k;
        Tensor::from_fn(shape, |_| {
            at += 0.754877666;
            at.fract() - 0.4
        })
    }

    #[test]
    fn entries_are_those_of_the_operations() {
        let shapes: [[&[usize]; 3]; 7] = [
            [&[2, 3], &[2, 3], &[2, 3]],
            [&[2, 3], &[3], &[2, 1]],
            [&[], &[], &[]],
            [&[1], &[], &[1, 1]],
            [&[0, 3], &[3], &[1]],
            [&[301, 7], &[301, 1], &[4, 1, 1]],
            [&[3 * SUMMED + 5], &[1], &[]],
        ];
        for [a, b, c] in shapes {
            let (a, b, c) = (some(a, 0.1), some(b, 0.2), some(c, 0.3));
            let [y] = fused(
                "chain",
                [leaf(&a), leaf(&b), leaf(&c)],
                [None],
                |math, [a, b, c]| [math.tanh(a * b - c)],
            );
            assert_eq!(y, (&a * &b - &c).tanh());
        }
    }

    #[test]
    fn strides_and_zeros_without_a_buffer() {
        let turned = some(&[5, 3], 0.1).transpose(0, 1);
        let (rows, zero) = (some(&[5, 5], 0.2).slice(0, 1, 4, 1), Tensor::zeros(&[3, 5]));
        let [y] = fused(
            "chain",
            [turned.clone(), rows.clone(), zero],
            [None],
            |_, [a, b, z]| [a * b + z],
        );
        assert_eq!(y, turned * rows);
    }

    #[test]
    fn sums_to_the_shapes_of_operands() {
        let (a, b, k) = (some(&[70, 500], 0.1), some(&[500], 0.2), 0.7);
        let [da, db, dk] = fused(
            "chain",
            [leaf(&a), leaf(&b), leaf(&k)],
            [Some(0), Some(1), Some(2)],
            |_, [a, b, k]| [b * k, a * k, a * b],
        );
        let close = |x: &Tensor<f64>, y: &Tensor<f64>| assert!((x - y).abs().max() < 1e-10);
        close(&da, &(&b * k).broadcast_to(&[70, 500]));
        close(&db, &(a.sum_axis(0) * k));
        let dk: f64 = like(&k, dk);
        assert!((dk - (&a * &b).sum()).abs() < 1e-9);
    }

    #[test]
    #[should_panic(expected = "[2] and [3]")]
    fn shapes_that_do_not_fit() {
        let (a, b) = (some(&[2], 0.1), some(&[3], 0.1));
        let [_] = fused("chain", [a, b], [None], |_, [a, b]| [a + b]);
    }
}
