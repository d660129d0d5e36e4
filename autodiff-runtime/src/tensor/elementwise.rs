//! Loops over the entries of several tensors that are stretched to one shape.

use alloc::vec::Vec;
use core::ops::Range;

use super::Tensor;
use super::dims::{Dims, broadcast, count, stretched};
use super::error::Result;
use super::storage::anything;
use crate::element::Element;
use crate::parallel::{Amount, Work, divide};

/// How many entries are brought together before a kernel looks at them.
const BLOCK: usize = 256;

/// A way through the entries of several operands that are stretched to one shape, row by row of the last axis.
///
/// Axes that every operand walks through in one stride are one axis.
pub(super) struct Walk<const N: usize> {
    /// How many entries there are.
    pub(super) count: usize,
    /// Lengths and strides, the last axis first.
    lengths: Dims,
    steps: [Dims; N],
}

impl<const N: usize> Walk<N> {
    pub(super) fn new(shape: &[usize], strides: [&[usize]; N]) -> Self {
        let count = count(shape);
        let mut lengths = Dims::new();
        let mut steps: [Dims; N] = core::array::from_fn(|_| Dims::new());
        for axis in (0..shape.len()).rev() {
            if shape[axis] == 1 {
                continue;
            }
            if let Some(length) = lengths.last_mut() {
                let joins = |(s, k): (&Dims, &&[usize])| {
                    s.last().is_some_and(|inner| k[axis] == inner * *length)
                };
                if steps.iter().zip(&strides).all(joins) {
                    *length *= shape[axis];
                    continue;
                }
            }
            lengths.push(shape[axis]);
            for (s, k) in steps.iter_mut().zip(&strides) {
                s.push(k[axis]);
            }
        }
        if lengths.is_empty() {
            lengths.push(1);
            steps.iter_mut().for_each(|s| s.push(0));
        }
        Walk {
            count,
            lengths,
            steps,
        }
    }

    /// Calls `row` for each row of some entries: where it begins in each operand, the strides there, and how long it is.
    pub(super) fn part(
        &self,
        entries: Range<usize>,
        mut row: impl FnMut([usize; N], [usize; N], usize),
    ) {
        if entries.is_empty() {
            return;
        }
        let (lengths, steps) = (&self.lengths, &self.steps);
        let inner: [usize; N] = core::array::from_fn(|k| steps[k][0]);
        let mut at = Dims::from_elem(0, lengths.len());
        let mut base = [0; N];
        // Where the first row is entered.
        let (mut skipped, mut before) = (0, entries.start);
        if before > 0 {
            skipped = before % lengths[0];
            before /= lengths[0];
            for axis in 1..lengths.len() {
                at[axis] = before % lengths[axis];
                before /= lengths[axis];
                for (b, s) in base.iter_mut().zip(steps) {
                    *b += s[axis] * at[axis];
                }
            }
        }
        let mut left = entries.len();
        loop {
            let n = left.min(lengths[0] - skipped);
            row(
                core::array::from_fn(|k| base[k] + skipped * inner[k]),
                inner,
                n,
            );
            left -= n;
            if left == 0 {
                return;
            }
            skipped = 0;
            let mut axis = 1;
            loop {
                at[axis] += 1;
                for (b, s) in base.iter_mut().zip(steps) {
                    *b += s[axis];
                }
                if at[axis] < lengths[axis] {
                    break;
                }
                for (b, s) in base.iter_mut().zip(steps) {
                    *b -= s[axis] * lengths[axis];
                }
                at[axis] = 0;
                axis += 1;
            }
        }
    }
}

impl Walk<1> {
    /// The length of rows, and the strides in a row and between rows, if there are no more axes.
    pub(super) fn in_rows(&self) -> Option<(usize, [usize; 2])> {
        let [steps] = &self.steps;
        match (&self.lengths[..], &steps[..]) {
            ([length], [step]) => Some((*length, [*step, 0])),
            ([length, _], [step, next]) => Some((*length, [*step, *next])),
            _ => None,
        }
    }
}

/// Calls `row` for each row of the last axis: where it begins in each operand, the strides there, and how long it is.
pub(super) fn walk<const N: usize>(
    shape: &[usize],
    strides: [&[usize]; N],
    row: impl FnMut([usize; N], [usize; N], usize),
) {
    let walk = Walk::new(shape, strides);
    walk.part(0..walk.count, row);
}

/// An operand of a kernel, and room for what has to be brought together.
struct Operand<'a, T> {
    data: &'a [T],
    known_zero: bool,
    room: [T; BLOCK],
}

impl<'a, T: Element> Operand<'a, T> {
    fn new(of: &'a Tensor<T>) -> Self {
        Operand {
            data: of.data(),
            known_zero: of.is_known_zero(),
            room: [T::default(); BLOCK],
        }
    }

    /// The entries of a block: where they lie, if they do so one by one.
    #[inline]
    fn block(&mut self, at: usize, step: usize, length: usize) -> &[T] {
        if self.known_zero {
            &self.room[..length]
        } else if step == 1 {
            &self.data[at..at + length]
        } else {
            let room = &mut self.room[..length];
            if step == 0 {
                room.fill(self.data[at]);
            } else {
                for (to, from) in room.iter_mut().zip(self.data[at..].iter().step_by(step)) {
                    *to = *from;
                }
            }
            room
        }
    }
}

/// The entries row by row.
pub(super) fn gather<T: Element>(of: &Tensor<T>) -> Vec<T> {
    let length = of.len();
    let mut out = anything(length);
    if of.is_known_zero() {
        out.fill(T::default());
        return out;
    }
    let (data, walk) = (of.data(), Walk::new(&of.shape, [&of.strides]));
    divide(&mut out[..], entries(Work::Memory, length), |some, out| {
        let mut next = 0;
        walk.part(some, |[at], [step], n| {
            let to = &mut out[next..next + n];
            next += n;
            if step == 1 {
                to.copy_from_slice(&data[at..at + n]);
            } else if step == 0 {
                to.fill(data[at]);
            } else {
                for (to, from) in to.iter_mut().zip(data[at..].iter().step_by(step)) {
                    *to = *from;
                }
            }
        });
    });
    out
}

/// So much work for each of so many entries.
pub(super) fn entries(work: Work, units: usize) -> Amount {
    Amount {
        work,
        units,
        each: 1,
    }
}

/// `f` of some entries, in their order.
fn map_part<T: Element, U: Element>(
    x: &Tensor<T>,
    some: Range<usize>,
    out: &mut [U],
    f: &impl Fn(T) -> U,
) {
    if let Some(entries) = x.dense() {
        for (to, from) in out.iter_mut().zip(&entries[some]) {
            *to = f(*from);
        }
        return;
    }
    // One by one: of a row that is repeated, each entry once.
    let (mut a, mut next) = (Operand::new(x), 0);
    Walk::new(&x.shape, [&x.strides]).part(some, |[at], [step], n| {
        for from in (0..n).step_by(BLOCK) {
            let length = BLOCK.min(n - from);
            let block = a.block(at + from * step, step, length);
            for (to, a) in out[next..next + length].iter_mut().zip(block) {
                *to = f(*a);
            }
            next += length;
        }
    });
}

/// `f` of every entry, one after the other: what a user's function may ask for.
pub(super) fn map_in_order<T: Element, U: Element>(x: &Tensor<T>, f: impl Fn(T) -> U) -> Tensor<U> {
    let mut out = anything(x.len());
    map_part(x, 0..x.len(), &mut out, &f);
    Tensor::of(x.shape.clone(), out)
}

/// `f` of every entry.
pub(super) fn map<T: Element, U: Element>(x: &Tensor<T>, f: impl Fn(T) -> U + Sync) -> Tensor<U> {
    map_by(Work::Memory, x, f)
}

/// `f` of every entry, where that is so much work.
pub(super) fn map_by<T: Element, U: Element>(
    work: Work,
    x: &Tensor<T>,
    f: impl Fn(T) -> U + Sync,
) -> Tensor<U> {
    let mut out = anything(x.len());
    if x.is_known_zero() {
        out.fill(f(T::default()));
        return Tensor::of(x.shape.clone(), out);
    }
    divide(&mut out[..], entries(work, x.len()), |some, out| {
        map_part(x, some, out, &f);
    });
    Tensor::of(x.shape.clone(), out)
}

macro_rules! zips {
    ($($(#[$doc:meta])* $name:ident($($x:ident $X:ident),+);)*) => {$(
        $(#[$doc])*
        pub(super) fn $name<$($X: Element,)+ Y: Element>(
            work: Work,
            operation: &'static str,
            $($x: &Tensor<$X>,)+
            f: impl Fn($($X),+) -> Y + Sync,
        ) -> Result<Tensor<Y>> {
            let shape = zips!(@shape operation, $($x)+);
            let length = super::dims::size(operation, &shape)?;
            let mut out = anything(length);
            let walk = Walk::new(&shape, [$(&stretched(&$x.shape, &$x.strides, &shape)[..]),+]);
            divide(&mut out[..], entries(work, length), |some, out| {
                let mut next = 0;
                $(let mut $x = Operand::new($x);)+
                walk.part(some, |at, step, n| {
                    for from in (0..n).step_by(BLOCK) {
                        let length = BLOCK.min(n - from);
                        let mut operand = 0..;
                        $(
                            let k = operand.next().unwrap_or_default();
                            let $x = $x.block(at[k] + from * step[k], step[k], length);
                        )+
                        let to = &mut out[next..next + length];
                        // One length for all, so that the loop has no bounds to check.
                        $(let $x = &$x[..to.len()];)+
                        for i in 0..to.len() {
                            to[i] = f($($x[i]),+);
                        }
                        next += length;
                    }
                });
            });
            Ok(Tensor::of(shape, out))
        }
    )*};
    (@shape $operation:ident, $a:ident $b:ident) => { broadcast($operation, &$a.shape, &$b.shape)? };
    (@shape $operation:ident, $a:ident $b:ident $c:ident) => { broadcast($operation, &broadcast($operation, &$a.shape, &$b.shape)?, &$c.shape)? };
    (@shape $operation:ident, $a:ident $b:ident $c:ident $d:ident) => { broadcast($operation, &broadcast($operation, &$a.shape, &$b.shape)?, &broadcast($operation, &$c.shape, &$d.shape)?)? };
}
zips! {
    /// `f` of the entries of two tensors, stretched to one shape, where that is so much work.
    zip_by(a A, b B);
    /// `f` of the entries of three tensors, stretched to one shape, where that is so much work.
    zip3_by(a A, b B, c C);
    /// `f` of the entries of four tensors, stretched to one shape, where that is so much work.
    zip4_by(a A, b B, c C, d D);
}

/// `f` of the entries of two tensors, stretched to one shape.
pub(super) fn zip<A: Element, B: Element, Y: Element>(
    operation: &'static str,
    a: &Tensor<A>,
    b: &Tensor<B>,
    f: impl Fn(A, B) -> Y + Sync,
) -> Result<Tensor<Y>> {
    zip_by(Work::Memory, operation, a, b, f)
}

/// `f` of the entries of three tensors, stretched to one shape.
pub(super) fn zip3<A: Element, B: Element, C: Element, Y: Element>(
    operation: &'static str,
    a: &Tensor<A>,
    b: &Tensor<B>,
    c: &Tensor<C>,
    f: impl Fn(A, B, C) -> Y + Sync,
) -> Result<Tensor<Y>> {
    zip3_by(Work::Memory, operation, a, b, c, f)
}
