//! Kernels: one closure over the elements of several operands.
//!
//! The inner loop takes groups of eight elements of dense slices and nothing else: strides in it cost twice the time, and more lanes are slower in `f64`.
//! Whatever is not a dense slice is brought into one first, a block at a time, which stays in the nearest cache.

use core::cell::Cell;

use smallvec::SmallVec;

use super::{Math, dispatch};
use crate::float::Float;

/// Elements of a group.
const WIDTH: usize = 8;
/// Elements of a block: few enough for the nearest cache, and so many that what each block costs by itself does not count.
const BLOCK: usize = 512;

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
    mut outputs: [Output<'_, T>; O],
    f: impl Fn(Math<'_>, [T; I]) -> [T; O],
) {
    T::walk(length, &inputs, &mut outputs, &inner::<T, I, O, true>(&f));
}

/// The inner loop over groups of elements: all of a kernel that has to be compiled for each `f`.
///
/// It is `FAR` if `f` may have a function that needs branches far out.
/// (With `#[inline]` it would be compiled in each part of a program that has it.)
pub(crate) fn inner<T: Float, const I: usize, const O: usize, const FAR: bool>(
    f: &impl Fn(Math<'_>, [T; I]) -> [T; O],
) -> impl Fn(&[&[T]], &mut [&mut [T]], usize) {
    move |inputs, outputs, length| {
        // By loops here and below, which a compiler has less to do with than with `map` and `from_fn`.
        let mut x: [&[T]; I] = [&[]; I];
        x.copy_from_slice(inputs);
        let mut y: [&mut [T]; O] = nothing();
        for (y, output) in y.iter_mut().zip(outputs) {
            *y = output;
        }
        dispatch(
            #[inline(always)]
            |math| groups::<T, I, O, FAR>(math, x, y, length, f),
        );
    }
}

/// Slices without elements, where others are to stand; by itself it is compiled once for so many, and not for each kernel.
fn nothing<'a, T, const O: usize>() -> [&'a mut [T]; O] {
    core::array::from_fn(|_| &mut [][..])
}

/// The inner loop: whole groups of dense slices of this length.
#[inline(always)]
fn groups<T: Float, const I: usize, const O: usize, const FAR: bool>(
    math: Math<'_>,
    mut inputs: [&[T]; I],
    mut outputs: [&mut [T]; O],
    length: usize,
    f: &impl Fn(Math<'_>, [T; I]) -> [T; O],
) {
    // Cut to one length, which spares the checks in the loop.
    for input in &mut inputs {
        *input = &input[..length];
    }
    for output in &mut outputs {
        let whole = core::mem::take(output);
        *output = &mut whole[..length];
    }
    let beyond = Cell::new(false);
    let quick = Math {
        beyond: FAR.then_some(&beyond),
        ..math
    };
    let mut at = 0;
    while at + WIDTH <= length {
        let mut x = [[T::ZERO; WIDTH]; I];
        for k in 0..I {
            x[k].copy_from_slice(&inputs[k][at..at + WIDTH]);
        }
        let mut y = group(quick, &x, f);
        if FAR && beyond.take() {
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
pub type Run<'r, T> = dyn Fn(&[&[T]], &mut [&mut [T]], usize) + 'r;

/// Calls `run` for all elements: at once where every operand is dense, otherwise block by block.
///
/// It knows nothing of the kernel but `run`, so that it is compiled once for each float, and not for each kernel of a program.
///
/// # Panics
///
/// If a slice has another length.
pub(crate) fn walk<T: Float>(
    length: usize,
    inputs: &[Operand<'_, T>],
    outputs: &mut [Output<'_, T>],
    run: &Run<'_, T>,
) {
    for input in inputs {
        if let Operand::Dense(input) = input {
            assert!(
                input.len() == length,
                "a kernel over {length} elements was given {} of an operand",
                input.len()
            );
        }
    }
    for output in &*outputs {
        if let Output::Dense(output) | Output::Add(output) = output {
            assert!(
                output.len() == length,
                "a kernel over {length} elements was given room for {} of a result",
                output.len()
            );
        }
    }
    let call = match inputs.len().max(outputs.len()) {
        0..=8 => calls::<T, 8>,
        9..=24 => calls::<T, 24>,
        _ => calls::<T, 1024>,
    };
    call(length, inputs, outputs, run);
}

/// As [`walk`], for at most `N` operands and as many results: their slices are in arrays, which cost less than lists for each block.
fn calls<T: Float, const N: usize>(
    length: usize,
    inputs: &[Operand<'_, T>],
    outputs: &mut [Output<'_, T>],
    run: &Run<'_, T>,
) {
    let (i, o) = (inputs.len(), outputs.len());
    let mut done = 0;
    let dense = inputs.iter().all(|x| matches!(x, Operand::Dense(_)))
        && outputs.iter().all(|y| matches!(y, Output::Dense(_)));
    if dense {
        done = length - length % WIDTH;
        let (mut x, mut y) = ([&[][..]; N], nothing::<T, N>());
        for (x, input) in x.iter_mut().zip(inputs) {
            if let Operand::Dense(input) = input {
                *x = &input[..done];
            }
        }
        for (y, output) in y.iter_mut().zip(&mut *outputs) {
            if let Output::Dense(output) = output {
                *y = &mut output[..done];
            }
        }
        run(&x[..i], &mut y[..o], done);
    }
    if dense && done == length {
        return;
    }
    // Sums of no elements are written as well.
    let block = BLOCK
        .min((length - done).next_multiple_of(WIDTH))
        .max(WIDTH);
    // What is in it does not matter: of a block that is not full, nobody looks at the rest.
    let mut room = T::anything((i + o) * block);
    let (copies, results) = room.split_at_mut(i * block);
    for (input, copy) in inputs.iter().zip(copies.chunks_exact_mut(block)) {
        if let Operand::Scalar(x) = input {
            copy.fill(*x);
        }
    }
    let mut sums: SmallVec<[Pairwise<T>; 1]> = (outputs.iter())
        .filter(|output| matches!(output, Output::Sum(_)))
        .map(|_| Pairwise::new())
        .collect();
    while done < length {
        let n = block.min(length - done);
        let whole = n.next_multiple_of(WIDTH);
        let here = done..done + n;

        let (mut x, mut y) = ([&[][..]; N], nothing::<T, N>());
        let mut copies = &mut copies[..];
        for (x, input) in x.iter_mut().zip(inputs) {
            let (copy, rest) = core::mem::take(&mut copies).split_at_mut(block);
            copies = rest;
            match input {
                Operand::Dense(input) if n == whole => {
                    *x = &input[here.clone()];
                    continue;
                }
                Operand::Dense(input) => copy[..n].copy_from_slice(&input[here.clone()]),
                Operand::Scalar(_) => {}
                Operand::Fill(fill) => fill(done, &mut copy[..n]),
            }
            *x = &copy[..whole];
        }
        let mut left = &mut results[..];
        for (y, output) in y.iter_mut().zip(&mut *outputs) {
            let (result, rest) = core::mem::take(&mut left).split_at_mut(block);
            left = rest;
            *y = match output {
                Output::Dense(output) if n == whole => &mut output[here.clone()],
                _ => &mut result[..whole],
            };
        }
        run(&x[..i], &mut y[..o], whole);

        let (mut left, mut sums) = (&results[..], sums.iter_mut());
        for output in &mut *outputs {
            let (result, rest) = left.split_at(block);
            left = rest;
            let result = &result[..n];
            match output {
                Output::Dense(_) if n == whole => {}
                Output::Dense(output) => output[here.clone()].copy_from_slice(result),
                Output::Add(output) => {
                    for (output, &result) in output[here.clone()].iter_mut().zip(result) {
                        *output += result;
                    }
                }
                Output::Sum(_) => {
                    if let Some(sum) = sums.next() {
                        sum.push(sum_of_block(result));
                    }
                }
                Output::Take(take) => take(done, result),
            }
        }
        done += n;
    }
    let mut sums = sums.iter();
    for output in outputs {
        if let Output::Sum(output) = output {
            **output = sums.next().map_or(T::ZERO, Pairwise::total);
        }
    }
    T::keep(room);
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
