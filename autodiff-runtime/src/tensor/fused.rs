//! Chains of operations that go entry by entry, as one kernel: what generated code calls.

#![allow(
    clippy::inline_always,
    clippy::redundant_closure,
    reason = "what is in a kernel has to be compiled with it"
)]

use alloc::vec::Vec;

use super::algebra::Formulas;
use super::arguments::AsTensor;
use super::dims::{Dims, axis, broadcast, dense_strides, size, stretched};
use super::elementwise::{Walk, entries};
use super::error::expect;
use super::ops::reductions::{Lanes as Axes, PIECE, sum, sum_of_pieces, sum_rows};
pub use super::program::Program;
use super::program::along;
use super::storage::{anything, filled};
use super::{Tensor, count};
use crate::float::Float;
use crate::lane::{Math, Operand, Output, dispatch, walk};
use crate::parallel::{Cut, Work, divide};
use crate::tangent::Differentiable;

/// What a thread is given at least: so many entries, a multiple of a piece.
pub(super) const UNIT: usize = 1 << 14;

/// The shape that the operands of a kernel are stretched to.
#[derive(Debug)]
pub struct Shape(pub(super) Dims);

impl Shape {
    /// An operand, a tensor or a number, which this operation is the first to read.
    ///
    /// # Panics
    ///
    /// If its shape does not go together with those of the operands before.
    #[track_caller]
    pub fn leaf<T: Float, L: AsTensor<T>>(&mut self, operation: &'static str, of: &L) -> Tensor<T> {
        let leaf = of.as_tensor();
        self.0 = expect(broadcast(operation, &self.0, &leaf.shape));
        leaf
    }

    /// The cotangent of what is computed of the operands before.
    ///
    /// # Panics
    ///
    /// If they would be stretched to its shape, or it does not go together with theirs.
    #[track_caller]
    pub fn seed<T: Float, L: AsTensor<T>>(&mut self, of: &L) -> Tensor<T> {
        let seed = of.as_tensor();
        let whole = broadcast("mul", &self.0, &seed.shape);
        assert!(
            whole.is_ok_and(|whole| whole == self.0),
            "the seed has shape {:?}, but the result comes of tensors of shape {:?}",
            seed.shape(),
            &self.0[..]
        );
        seed
    }

    /// An operand of which nothing but the shape matters.
    ///
    /// # Panics
    ///
    /// If its shape does not go together with those of the operands before.
    #[track_caller]
    pub fn outline<T: Float, L: AsTensor<T>>(
        &mut self,
        operation: &'static str,
        of: &L,
    ) -> Tensor<T> {
        self.leaf(operation, of).outline()
    }
}

/// A number that a kernel gives.
pub fn number<T: Float>(given: Tensor<T>) -> T {
    given.only()
}

/// What the cotangent of a kernel's operand is: a tensor, or a number.
pub trait Cotangent<T: Float> {
    /// The cotangent that a kernel has given.
    fn of(given: Tensor<T>) -> Self;
}

impl<T: Float> Cotangent<T> for Tensor<T> {
    fn of(given: Tensor<T>) -> Tensor<T> {
        given
    }
}

impl<T: Float> Cotangent<T> for T {
    fn of(given: Tensor<T>) -> T {
        given.only()
    }
}

/// A cotangent that a kernel gives, as that of its operand.
pub fn like<T: Float, L: Differentiable<Tangent: Cotangent<T>>>(
    _: &L,
    given: Tensor<T>,
) -> L::Tangent {
    L::Tangent::of(given)
}

/// What becomes of a value that a kernel computes for each entry.
#[derive(Clone, Copy)]
pub enum To {
    /// A tensor.
    Entries,
    /// A tensor that is summed to the shape of an operand.
    Like(usize),
    /// The sum of all entries, as the operation `sum` adds them.
    Sum,
    /// Their mean, as the operation `mean` has it.
    Mean,
    /// How many there are.
    Count,
    /// What the lanes along an axis are folded to, as the operations with `_keep` do.
    Along(Fold, isize),
    /// How many entries such a lane has.
    CountAlong(isize),
}

/// What the entries of a lane are folded to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    /// Their sum.
    Sum,
    /// Their mean.
    Mean,
    /// The largest.
    Most,
}

impl To {
    /// The shape of such a result of entries of this shape, if it is not that of an operand.
    ///
    /// # Panics
    ///
    /// If there is no such result.
    #[track_caller]
    pub(super) fn shape(self, of: &[usize]) -> Dims {
        // A panic within a closure would not name the place of the caller.
        let lanes = |name, along: isize| {
            let lanes = Axes::kept(along);
            match name {
                "sum" => lanes.shapes(name, of),
                _ => lanes.not_empty(name, of),
            }
        };
        match self {
            To::Entries | To::Like(_) => of.into(),
            To::Sum | To::Count => Dims::new(),
            To::Mean => {
                expect(Axes::all().not_empty("mean", of));
                Dims::new()
            }
            To::Along(fold, along) => {
                let name = match fold {
                    Fold::Sum => "sum",
                    Fold::Mean => "mean",
                    Fold::Most => "max",
                };
                let [_, kept, _] = expect(lanes(name, along));
                kept
            }
            To::CountAlong(along) => {
                expect(lanes("sum", along));
                Dims::new()
            }
        }
    }
}

/// What a result of a kernel is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// A value that the kernel computes for each entry.
    Value(usize),
    /// The entries of an operand as they are.
    Operand(usize),
}

/// What is wanted of a value that a kernel computes: what only sums are wanted of is added up on the way, and never stands in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// The entries.
    Entries,
    /// The sum of all.
    Total,
    /// The sums of rows of so many entries.
    Rows(usize),
    /// The sum of all rows of so many entries.
    Columns(usize),
}

impl Goal {
    /// What is wanted where the entries, of this shape, are summed to that of an operand.
    fn like(operand: &[usize], shape: &[usize]) -> Self {
        let length = count(shape);
        if count(operand) == 1 && length != 1 {
            return Goal::Total;
        }
        let strides = stretched(operand, &dense_strides(operand), shape);
        // Of short rows each would be little more than its beginning and its end; of long ones as many entries are added one by one.
        match Walk::new(shape, [&strides]).in_rows() {
            Some((n, [0, 1])) if (32..=UNIT).contains(&n) => Goal::Rows(n),
            Some((n, [1, 0])) if (64..=UNIT / 8).contains(&n) && n < length => Goal::Columns(n),
            _ => Goal::Entries,
        }
    }

    /// What serves two results.
    fn and(self, other: Self) -> Self {
        if self == other { self } else { Goal::Entries }
    }

    /// Where the sums of a unit begin: of each row that has entries in a unit, or of rows, a unit has its own.
    fn begin(self, unit: usize, length: usize) -> usize {
        let at = (unit * UNIT).min(length);
        match self {
            Goal::Entries => at,
            Goal::Total => at.div_ceil(PIECE),
            Goal::Rows(n) => at / n + unit,
            Goal::Columns(n) => unit * n,
        }
    }

    /// Adds a part of the entries to the sums of a unit and those behind it.
    fn add<T: Float>(self, from: usize, mut piece: &[T], sums: &mut [T], before: usize) {
        let mut at = from;
        while !piece.is_empty() {
            let n = match self {
                Goal::Rows(n) | Goal::Columns(n) => n,
                _ => PIECE,
            };
            let (part, rest) = piece.split_at(piece.len().min(n - at % n));
            match self {
                Goal::Entries => {}
                Goal::Total => sums[at / PIECE - before] = sum(part),
                Goal::Rows(n) => sums[at / n + at / UNIT - before] += sum(part),
                Goal::Columns(n) => {
                    let first = at / UNIT * n + at % n - before;
                    let sums = &mut sums[first..][..part.len()];
                    dispatch(
                        #[inline(always)]
                        |_| {
                            for (sum, x) in sums.iter_mut().zip(part) {
                                *sum += *x;
                            }
                        },
                    );
                }
            }
            (piece, at) = (rest, at + part.len());
        }
    }

    /// The sums from those of the units.
    fn finish<T: Float>(self, sums: Vec<T>, length: usize) -> Vec<T> {
        match self {
            Goal::Entries => sums,
            Goal::Total => alloc::vec![sum_of_pieces(&sums, length)],
            Goal::Rows(n) => {
                let mut out = filled(length / n, T::ZERO);
                for unit in 0..length.div_ceil(UNIT) {
                    let end = ((unit + 1) * UNIT).min(length);
                    for row in unit * UNIT / n..end.div_ceil(n) {
                        out[row] += sums[row + unit];
                    }
                }
                out
            }
            Goal::Columns(n) => {
                let mut out = filled(n, T::ZERO);
                sum_rows(&sums, length.div_ceil(UNIT), &mut out);
                out
            }
        }
    }
}

/// Where a value that a kernel computes goes: to entries, or to the sums of units from the first one of these on.
struct Place<'a, T> {
    goal: Goal,
    unit: usize,
    length: usize,
    to: &'a mut [T],
}

impl<T: Float> Cut for Place<'_, T> {
    fn cut(self, units: usize) -> (Self, Self) {
        let Place {
            goal,
            unit,
            length,
            to,
        } = self;
        let begin = |unit| goal.begin(unit, length);
        let at = (begin(unit + units) - begin(unit)).min(to.len());
        let (left, right) = to.split_at_mut(at);
        let place = |unit, to| Place {
            goal,
            unit,
            length,
            to,
        };
        (place(unit, left), place(unit + units, right))
    }
}

/// `f` of the entries of operands that are stretched to one shape; it is `FAR` if it may have a function that needs branches far out.
///
/// Each result says what it is made of.
/// The order of addition depends on the shapes alone.
///
/// # Panics
///
/// If the shapes do not fit together.
#[track_caller]
pub fn fused<T: Float, const I: usize, const O: usize, const R: usize, const FAR: bool>(
    operands: impl FnOnce(&mut Shape) -> [Tensor<T>; I],
    results: [(Of, To); R],
    f: impl Fn(Math<'_>, [T; I]) -> [T; O] + Sync,
) -> [Tensor<T>; R] {
    let mut shape = Shape(Dims::new());
    let operands = operands(&mut shape);
    let given = T::chain(Chain {
        shape: &shape,
        operands: &operands,
        results: &results,
        values: O,
        inner: &crate::lane::inner::<T, I, O, FAR>(&f),
    });
    <[Tensor<T>; R]>::try_from(given).unwrap_or_else(|_| unreachable!("one for each"))
}

/// The inner loop of a kernel of a program.
pub fn inner<T: Float, const I: usize, const O: usize, const FAR: bool>(
    f: impl Fn(Math<'_>, [T; I]) -> [T; O] + Sync,
) -> impl Fn(&[&[T]], &mut [&mut [T]], usize) + Sync {
    move |inputs, outputs, length| {
        crate::lane::inner::<T, I, O, FAR>(&f)(inputs, outputs, length);
    }
}

/// The inner loop of one that computes nothing.
pub fn nothing<T: Float>(_: &[&[T]], _: &mut [&mut [T]], _: usize) {}

/// The inner loop of a kernel, which several threads run.
type Inner<'f, T> = dyn Fn(&[&[T]], &mut [&mut [T]], usize) + Sync + 'f;

/// A kernel over operands that are stretched to this shape: all that there is to know of it but what it computes.
#[derive(Clone, Copy)]
#[allow(
    missing_debug_implementations,
    reason = "an inner loop has nothing to show"
)]
pub struct Chain<'a, T: Float> {
    pub(super) shape: &'a Shape,
    pub(super) operands: &'a [Tensor<T>],
    pub(super) results: &'a [(Of, To)],
    /// How many values its inner loop computes for each entry.
    pub(super) values: usize,
    pub(super) inner: &'a Inner<'a, T>,
}

/// Runs a kernel.
#[track_caller]
pub(crate) fn run_alone<T: Float>(chain: Chain<'_, T>) -> Vec<Tensor<T>> {
    let Chain {
        shape: Shape(shape),
        operands,
        results,
        values,
        inner,
    } = chain;
    let length = expect(size("a chain of operations", shape));
    for (_, to) in results {
        to.shape(shape);
    }
    let count = T::from_f64(length as f64);
    let goal = |to: To| match to {
        To::Entries | To::Along(..) => Goal::Entries,
        To::Like(k) => Goal::like(&operands[k].shape, shape),
        To::Sum | To::Mean | To::Count | To::CountAlong(_) => Goal::Total,
    };
    let goals = (0..values).map(|o| {
        let of = results.iter().filter(|(of, _)| *of == Of::Value(o));
        of.map(|&(_, to)| goal(to))
            .reduce(Goal::and)
            .unwrap_or(Goal::Entries)
    });
    let units = length.div_ceil(UNIT);
    let mut values: Vec<(Goal, Vec<T>)> = goals
        .map(|goal| {
            let end = goal.begin(units, length);
            let room = match goal {
                Goal::Entries | Goal::Total => anything(end),
                Goal::Rows(_) | Goal::Columns(_) => filled(end, T::ZERO),
            };
            (goal, room)
        })
        .collect();
    let places: Vec<Place<'_, T>> = (values.iter_mut())
        .map(|(goal, value)| Place {
            goal: *goal,
            unit: 0,
            length,
            to: value,
        })
        .collect();
    let sources: Vec<Source<'_, T>> = (operands.iter())
        .map(|operand| Source::new(operand, shape))
        .collect();
    let amount = crate::parallel::Amount {
        each: UNIT,
        // Where nothing is computed, there is nothing to do.
        ..entries(Work::Function, if places.is_empty() { 0 } else { units })
    };
    divide(places, amount, |some, mut places| {
        let part = some.start * UNIT..length.min(some.end * UNIT);
        let mut takes: Vec<_> = (places.iter_mut())
            .map(|place| {
                let (goal, before) = (place.goal, place.goal.begin(some.start, length));
                let sums = match goal {
                    Goal::Entries => &mut [][..],
                    _ => core::mem::take(&mut place.to),
                };
                let from = part.start;
                move |at: usize, piece: &[T]| goal.add(from + at, piece, sums, before)
            })
            .collect();
        let mut outputs: Vec<Output<'_, T>> = (places.iter_mut().zip(&mut takes))
            .map(|(place, take)| match place.goal {
                Goal::Entries => Output::Dense(&mut *place.to),
                _ => Output::Take(take),
            })
            .collect();
        let fills: Vec<_> = (sources.iter())
            .map(|source| {
                let from = part.start;
                move |at: usize, to: &mut [T]| source.fill(from + at, to)
            })
            .collect();
        let inputs: Vec<Operand<'_, T>> = (sources.iter().zip(&fills))
            .map(|(source, fill)| match source {
                Source::Dense(all) => Operand::Dense(&all[part.clone()]),
                Source::Number(x) => Operand::Scalar(*x),
                Source::Strided { .. } => Operand::Fill(fill),
            })
            .collect();
        walk(part.len(), &inputs, &mut outputs, inner);
    });
    let values: Vec<(Goal, Tensor<T>)> = (values.into_iter())
        .map(|(goal, value)| {
            let value = goal.finish(value, length);
            let value = match goal {
                Goal::Entries => Tensor::of(shape.clone(), value),
                // Whoever asks for sums knows their shape.
                _ => Tensor::of(Dims::from_elem(value.len(), 1), value),
            };
            (goal, value)
        })
        .collect();
    let result = |&(of, to): &(Of, To)| {
        let value = match of {
            Of::Value(o) => values[o].1.clone(),
            Of::Operand(k) => operands[k].stretched_to(shape),
        };
        let summed_to = |shape: &[usize]| match of {
            Of::Value(o) if values[o].0 != Goal::Entries => value.reshaped(shape),
            _ => value.summed_to(shape),
        };
        match to {
            To::Entries => value,
            To::Like(k) => summed_to(&operands[k].shape),
            To::Sum => summed_to(&[]),
            To::Mean => Tensor::scalar(summed_to(&[]).only() / count),
            To::Count => Tensor::scalar(count),
            To::Along(fold, axis) => along(fold, axis, &value),
            To::CountAlong(along) => {
                let axis = expect(axis("sum", shape.len(), along));
                Tensor::scalar(T::from_f64(shape[axis] as f64))
            }
        }
    };
    results.iter().map(result).collect()
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

impl<'a, T: Float> Source<'a, T> {
    fn new(operand: &'a Tensor<T>, shape: &[usize]) -> Self {
        if operand.is_known_zero() {
            return Source::Number(T::ZERO);
        }
        if operand.len() == 1 {
            return Source::Number(operand.only());
        }
        match operand.dense() {
            Some(all) if all.len() == count(shape) => Source::Dense(all),
            _ => {
                let data = operand.data();
                let strides = stretched(&operand.shape, &operand.strides, shape);
                if let (Some(&x), true) = (data.first(), strides.iter().all(|step| *step == 0)) {
                    return Source::Number(x);
                }
                let walk = Walk::new(shape, [&strides]);
                Source::Strided { data, walk }
            }
        }
    }

    /// Writes the entries from a position on.
    fn fill(&self, at: usize, mut to: &mut [T]) {
        let Source::Strided { data, walk } = self else {
            return;
        };
        // Rows that are repeated, and numbers that stand for rows: what nearly all are.
        if let Some((length, [step, next])) = walk.in_rows() {
            let (mut row, mut from) = (at / length, at % length);
            while !to.is_empty() {
                let (part, rest) = to.split_at_mut(to.len().min(length - from));
                write(data, row * next + from * step, step, part);
                (to, row, from) = (rest, row + 1, 0);
            }
            return;
        }
        walk.part(at..at + to.len(), |[from], [step], n| {
            let (part, rest) = core::mem::take(&mut to).split_at_mut(n);
            write(data, from, step, part);
            to = rest;
        });
    }
}

/// Writes entries that stand at equal distances.
fn write<T: Float>(data: &[T], from: usize, step: usize, to: &mut [T]) {
    match step {
        0 => to.fill(data[from]),
        1 => to.copy_from_slice(&data[from..from + to.len()]),
        _ => {
            for (to, x) in to.iter_mut().zip(data[from..].iter().step_by(step)) {
                *to = *x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Of, To, UNIT, fused, like};
    use crate::tensor::Tensor;
    use crate::tensor::algebra::Formulas as _;

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
            [&[3 * UNIT + 5], &[1], &[]],
        ];
        for [a, b, c] in shapes {
            let (a, b, c) = (some(a, 0.1), some(b, 0.2), some(c, 0.3));
            let [y] = fused::<_, _, _, _, true>(
                |shape| {
                    [
                        shape.leaf("add", &a),
                        shape.leaf("add", &b),
                        shape.leaf("add", &c),
                    ]
                },
                [(Of::Value(0), To::Entries)],
                |math, [a, b, c]| [math.tanh(a * b - c)],
            );
            assert_eq!(y, (&a * &b - &c).tanh());
        }
    }

    #[test]
    fn strides_and_zeros_without_a_buffer() {
        let turned = some(&[5, 3], 0.1).transpose(0, 1);
        let (rows, zero) = (some(&[5, 5], 0.2).slice(0, 1, 4, 1), Tensor::zeros(&[3, 5]));
        let [y] = fused::<_, _, _, _, true>(
            |shape| [&turned, &rows, &zero].map(|x| shape.leaf("add", x)),
            [(Of::Value(0), To::Entries)],
            |_, [a, b, z]| [a * b + z],
        );
        assert_eq!(y, turned * rows);
    }

    #[test]
    fn sums_to_the_shapes_of_operands() {
        let (a, b, k) = (some(&[70, 500], 0.1), some(&[500], 0.2), 0.7);
        let [da, db, dk] = fused::<_, _, _, _, true>(
            |shape| {
                [
                    shape.leaf("add", &a),
                    shape.leaf("add", &b),
                    shape.leaf("add", &k),
                ]
            },
            [
                (Of::Value(0), To::Like(0)),
                (Of::Value(1), To::Like(1)),
                (Of::Value(2), To::Like(2)),
            ],
            |_, [a, b, k]| [b * k, a * k, a * b],
        );
        let close = |x: &Tensor<f64>, y: &Tensor<f64>| assert!((x - y).abs().max() < 1e-10);
        close(&da, &(&b * k).broadcast_to(&[70, 500]));
        close(&db, &(a.sum_axis(0) * k));
        let dk: f64 = like(&k, dk);
        assert!((dk - (&a * &b).sum()).abs() < 1e-9);
    }

    #[test]
    fn sums_on_the_way_are_those_of_the_entries() {
        let shapes: [[&[usize]; 2]; 9] = [
            [&[70, 500], &[500]],
            [&[70, 500], &[70, 1]],
            [&[3, 5, 1000], &[5, 1000]],
            [&[3, 5, 1000], &[3, 5, 1]],
            [&[3, 5, 1000], &[3, 1, 1]],
            [&[3, 5, 1000], &[5, 1]],
            [&[2, 3 * UNIT + 5], &[2, 1]],
            [&[2, 3 * UNIT + 5], &[3 * UNIT + 5]],
            [&[UNIT, 3], &[3]],
        ];
        for [all, part] in shapes {
            let (a, b) = (some(all, 0.1), some(part, 0.2));
            let [db, twice, entries] = fused::<_, _, _, _, true>(
                |shape| [shape.leaf("mul", &a), shape.leaf("mul", &b)],
                [
                    (Of::Value(0), To::Like(1)),
                    (Of::Value(1), To::Like(1)),
                    (Of::Value(1), To::Entries),
                ],
                |_, [a, b]| [a * b, a + a],
            );
            let close = |x: &Tensor<f64>, y: &Tensor<f64>| {
                assert_eq!(x.shape(), y.shape());
                assert!((x - y).abs().max() < 1e-9);
            };
            let full = &a * &b;
            close(&db, &full.summed_to(part));
            close(&twice, &(&a + &a).summed_to(part));
            assert_eq!(entries, &a + &a);
        }
    }

    #[test]
    fn sums_have_the_bits_of_the_operation() {
        for length in [
            0,
            1,
            7,
            32,
            33,
            255,
            256,
            257,
            511,
            513,
            5000,
            3 * UNIT + 300,
        ] {
            let a = some(&[length], 0.1);
            let [total, twice, all, plain] = fused::<_, _, _, _, true>(
                |shape| [shape.leaf("add", &a)],
                [
                    (Of::Value(0), To::Sum),
                    (Of::Value(1), To::Sum),
                    (Of::Value(1), To::Entries),
                    (Of::Operand(0), To::Sum),
                ],
                |_, [a]| [a * a, a + a],
            );
            assert_eq!(total.only().to_bits(), (&a * &a).sum().to_bits());
            assert_eq!(twice.only().to_bits(), (&a + &a).sum().to_bits());
            assert_eq!(plain.only().to_bits(), a.sum().to_bits());
            assert_eq!(all, &a + &a);
        }
    }

    #[test]
    #[should_panic(expected = "[2] and [3]")]
    fn shapes_that_do_not_fit() {
        let (a, b) = (some(&[2], 0.1), some(&[3], 0.1));
        let [_] = fused::<_, _, _, _, true>(
            |shape| [a, b].map(|x| shape.leaf("add", &x)),
            [(Of::Value(0), To::Entries)],
            |_, [a, b]| [a + b],
        );
    }
}
