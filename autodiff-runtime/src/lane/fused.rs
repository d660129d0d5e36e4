//! Kernels: one closure over the elements of several operands.
//!
//! The inner loop takes groups of eight elements of dense slices and nothing else: strides in it cost twice the time, and more lanes are slower in `f64`.
//! Whatever is not a dense slice is brought into one first, a block at a time, which stays in the nearest cache.

use core::cell::Cell;

use super::{Math, dispatch};
use crate::float::Float;

/// Elements of a group.
const WIDTH: usize = 8;
/// Elements of a block.
const BLOCK: usize = 256;
/// What the blocks of a short kernel have; fewer, so that there is less to clear.
const SHORT_BLOCK: usize = 32;

/// What a kernel reads.
#[derive(Clone, Copy)]
pub enum Operand<'a, T> {
    /// One element after the other.
    Dense(&'a [T]),
    /// The same number everywhere. (A closure that captures the number is faster.)
    Scalar(T),
    /// Whatever the function writes: it is given a position, and a block for the elements from there on.
    Fill(&'a dyn Fn(usize, &mut [T])),
}

/// Where a result of a kernel goes.
pub enum Output<'a, T> {
    /// One element after the other.
    Dense(&'a mut [T]),
    /// Added to what is there.
    Add(&'a mut [T]),
    /// The sum over all elements, as [`Pairwise`] adds blocks of them.
    Sum(&'a mut T),
    /// Handed over: the position of a block, and its elements.
    Take(&'a mut dyn FnMut(usize, &[T])),
}

/// `outputs = f(inputs)`, element by element, over slices of one length.
///
/// # Panics
///
/// If the lengths differ.
#[inline]
pub fn fused<T: Float, const I: usize, const O: usize>(
    inputs: [&[T]; I],
    outputs: [&mut [T]; O],
    f: impl Fn(Math<'_>, [T; I]) -> [T; O],
) {
    const { assert!(O > 0) }
    let length = outputs[0].len();
    drive(
        length,
        inputs.map(Operand::Dense),
        outputs.map(Output::Dense),
        f,
    );
}

/// The sum of `f(inputs)` over all elements of slices of the given length, in an order of addition that depends on the length alone.
///
/// # Panics
///
/// If a slice has another length.
#[inline]
pub fn sum<T: Float, const I: usize>(
    length: usize,
    inputs: [&[T]; I],
    f: impl Fn(Math<'_>, [T; I]) -> T,
) -> T {
    let mut sum = T::ZERO;
    drive(
        length,
        inputs.map(Operand::Dense),
        [Output::Sum(&mut sum)],
        #[inline(always)]
        |lane, x| [f(lane, x)],
    );
    sum
}

/// `outputs = f(inputs)` for `length` elements.
///
/// # Panics
///
/// If a slice has another length.
#[inline]
pub fn drive<T: Float, const I: usize, const O: usize>(
    length: usize,
    inputs: [Operand<'_, T>; I],
    outputs: [Output<'_, T>; O],
    f: impl Fn(Math<'_>, [T; I]) -> [T; O],
) {
    walk(length, inputs, outputs, &inner(&f));
}

/// The inner loop over groups of elements: all of a kernel that has to be compiled for each `f`.
#[inline]
pub(crate) fn inner<T: Float, const I: usize, const O: usize>(
    f: &impl Fn(Math<'_>, [T; I]) -> [T; O],
) -> impl Fn([&[T]; I], [&mut [T]; O], usize) {
    move |x, y, length| {
        dispatch(
            #[inline(always)]
            |math| groups(math, x, y, length, f),
        );
    }
}

/// The inner loop: whole groups of dense slices.
#[inline(always)]
fn groups<T: Float, const I: usize, const O: usize>(
    math: Math<'_>,
    mut inputs: [&[T]; I],
    mut outputs: [&mut [T]; O],
    length: usize,
    f: &impl Fn(Math<'_>, [T; I]) -> [T; O],
) {
    // Cut to one length, which spares the checks in the loop. By loops here and below, which a compiler has less to do with than with `map` and `from_fn`.
    for input in &mut inputs {
        *input = &input[..length];
    }
    for output in &mut outputs {
        let whole = core::mem::take(output);
        *output = &mut whole[..length];
    }
    let beyond = Cell::new(false);
    let quick = Math {
        beyond: Some(&beyond),
        ..math
    };
    let mut at = 0;
    while at + WIDTH <= length {
        let mut x = [[T::ZERO; WIDTH]; I];
        for k in 0..I {
            x[k].copy_from_slice(&inputs[k][at..at + WIDTH]);
        }
        let mut y = group(quick, &x, f);
        if beyond.take() {
            y = again(math, &x, f);
        }
        for k in 0..O {
            outputs[k][at..at + WIDTH].copy_from_slice(&y[k]);
        }
        at += WIDTH;
    }
}

/// One group.
#[inline(always)]
fn group<T: Float, const I: usize, const O: usize>(
    math: Math<'_>,
    x: &[[T; WIDTH]; I],
    f: &impl Fn(Math<'_>, [T; I]) -> [T; O],
) -> [[T; WIDTH]; O] {
    let mut y = [[T::ZERO; WIDTH]; O];
    for i in 0..WIDTH {
        let mut entries = [T::ZERO; I];
        for k in 0..I {
            entries[k] = x[k][i];
        }
        let result = f(math, entries);
        for k in 0..O {
            y[k][i] = result[k];
        }
    }
    y
}

/// One group in which a function met an argument that it needs branches for.
#[cold]
#[inline(never)]
fn again<T: Float, const I: usize, const O: usize>(
    math: Math<'_>,
    x: &[[T; WIDTH]; I],
    f: &impl Fn(Math<'_>, [T; I]) -> [T; O],
) -> [[T; WIDTH]; O] {
    group(
        Math {
            beyond: None,
            ..math
        },
        x,
        f,
    )
}

/// The inner loop as the walk calls it, for a number of elements that is a multiple of `WIDTH`.
pub(crate) type Run<'r, T, const I: usize, const O: usize> =
    dyn Fn([&[T]; I], [&mut [T]; O], usize) + 'r;

/// Calls `run` for all elements: at once where every operand is dense, otherwise block by block.
///
/// # Panics
///
/// If a slice has another length.
pub(crate) fn walk<T: Float, const I: usize, const O: usize>(
    length: usize,
    inputs: [Operand<'_, T>; I],
    mut outputs: [Output<'_, T>; O],
    run: &Run<'_, T, I, O>,
) {
    for input in &inputs {
        if let Operand::Dense(input) = input {
            assert!(
                input.len() == length,
                "a kernel over {length} elements was given {} of an operand",
                input.len()
            );
        }
    }
    for output in &outputs {
        if let Output::Dense(output) | Output::Add(output) = output {
            assert!(
                output.len() == length,
                "a kernel over {length} elements was given room for {} of a result",
                output.len()
            );
        }
    }
    let mut done = 0;
    let dense = inputs.iter().all(|x| matches!(x, Operand::Dense(_)))
        && outputs.iter().all(|y| matches!(y, Output::Dense(_)));
    if dense {
        done = length - length % WIDTH;
        let x = inputs.map(|input| match input {
            Operand::Dense(input) => &input[..done],
            _ => &[],
        });
        let y = outputs.each_mut().map(|output| match output {
            Output::Dense(output) => &mut output[..done],
            _ => &mut [],
        });
        run(x, y, done);
        if done == length {
            return;
        }
    }
    if length - done <= SHORT_BLOCK {
        blocks::<T, I, O, SHORT_BLOCK>(done, length, inputs, outputs, run);
    } else {
        blocks::<T, I, O, BLOCK>(done, length, inputs, outputs, run);
    }
}

/// Calls `run` for the elements from `done` on, in blocks of at most `B`.
fn blocks<T: Float, const I: usize, const O: usize, const B: usize>(
    mut done: usize,
    length: usize,
    inputs: [Operand<'_, T>; I],
    mut outputs: [Output<'_, T>; O],
    run: &Run<'_, T, I, O>,
) {
    let mut copies = inputs.map(|input| {
        [match input {
            Operand::Scalar(x) => x,
            _ => T::ZERO,
        }; B]
    });
    let mut results = [[T::ZERO; B]; O];
    let mut sums = [const { Pairwise::new() }; O];
    while done < length {
        let n = B.min(length - done);
        let whole = n.next_multiple_of(WIDTH);
        let here = done..done + n;

        let mut copy = copies.iter_mut();
        let x = inputs.map(|input| {
            let copy = copy.next().map_or(&mut [][..], |copy| &mut copy[..whole]);
            match input {
                Operand::Dense(input) if n == whole => return &input[here.clone()],
                Operand::Dense(input) => copy[..n].copy_from_slice(&input[here.clone()]),
                Operand::Scalar(_) => {}
                Operand::Fill(fill) => fill(done, &mut copy[..n]),
            }
            &*copy
        });
        let mut result = results.iter_mut();
        let y = outputs.each_mut().map(|output| {
            let result = result
                .next()
                .map_or(&mut [][..], |result| &mut result[..whole]);
            match output {
                Output::Dense(output) if n == whole => &mut output[here.clone()],
                _ => result,
            }
        });
        run(x, y, whole);

        for ((output, result), sum) in outputs.iter_mut().zip(&results).zip(&mut sums) {
            let result = &result[..n];
            match output {
                Output::Dense(_) if n == whole => {}
                Output::Dense(output) => output[here.clone()].copy_from_slice(result),
                Output::Add(output) => {
                    for (output, &result) in output[here.clone()].iter_mut().zip(result) {
                        *output += result;
                    }
                }
                Output::Sum(_) => sum.push(sum_of_block(result)),
                Output::Take(take) => take(done, result),
            }
        }
        done += n;
    }
    for (output, sum) in outputs.iter_mut().zip(sums) {
        if let Output::Sum(output) = output {
            **output = sum.total();
        }
    }
}

/// The sum of a block: in as many lanes as any machine has side by side, which are then added in pairs.
fn sum_of_block<T: Float>(block: &[T]) -> T {
    const LANES: usize = 32;
    let mut lanes = [T::ZERO; LANES];
    for group in block.chunks(LANES) {
        for (lane, &x) in lanes.iter_mut().zip(group) {
            *lane += x;
        }
    }
    let mut half = LANES;
    while half > 1 {
        half /= 2;
        for i in 0..half {
            let other = lanes[half + i];
            lanes[i] += other;
        }
    }
    lanes[0]
}

/// A sum whose terms are added in pairs, the sums of these again, and so on: rounding grows with the logarithm of their number.
#[derive(Clone, Copy, Debug)]
pub struct Pairwise<T> {
    /// Where the bit k of `count` is set, the sum of 2ᵏ terms.
    sums: [T; 64],
    count: u64,
}

impl<T: Float> Pairwise<T> {
    /// A sum without terms.
    pub const fn new() -> Self {
        Pairwise {
            sums: [T::ZERO; 64],
            count: 0,
        }
    }

    /// Adds a term.
    pub fn push(&mut self, term: T) {
        let carried = self.count.trailing_ones() as usize;
        let sum = self.sums[..carried].iter().fold(term, |sum, &x| x + sum);
        self.sums[carried] = sum;
        self.count += 1;
    }

    /// The sum of all terms.
    pub fn total(&self) -> T {
        (0..64)
            .filter(|k| self.count >> k & 1 == 1)
            .fold(T::ZERO, |sum, k| self.sums[k] + sum)
    }
}

impl<T: Float> Default for Pairwise<T> {
    fn default() -> Self {
        Self::new()
    }
}
