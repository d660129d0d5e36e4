//! Views: other ways to walk through the same entries, which cost nothing.

#![allow(
    clippy::inline_always,
    reason = "what is compiled for the vectors of the processor has to be compiled with its caller"
)]

use smallvec::SmallVec;

use super::Tensor;
use super::dims::{Dims, count, dense_strides, stretched};
use super::storage::anything;
use crate::element::Element;
use crate::lane::dispatch;
use crate::parallel::{Amount, Blocks, Work, divide};

impl<T: Element> Tensor<T> {
    /// With the axes in this order.
    pub(super) fn permuted(&self, order: &[usize]) -> Self {
        let mut out = self.clone();
        for (to, from) in order.iter().enumerate() {
            out.shape[to] = self.shape[*from];
            out.strides[to] = self.strides[*from];
        }
        out
    }

    /// Stretched to a shape that it can be stretched to.
    pub(super) fn stretched_view(&self, shape: &[usize]) -> Self {
        Tensor {
            buffer: self.buffer.clone(),
            strides: stretched(&self.shape, &self.strides, shape),
            shape: shape.into(),
            offset: self.offset,
        }
    }

    /// In another shape of as many entries; a copy where no strides lead through them row by row.
    pub(super) fn reshaped(&self, shape: &[usize]) -> Self {
        debug_assert_eq!(self.len(), count(shape));
        if self.is_known_zero() {
            return Tensor::zero(shape.into());
        }
        if let Some(strides) = regrouped(&self.shape, &self.strides, shape) {
            return Tensor {
                buffer: self.buffer.clone(),
                strides,
                shape: shape.into(),
                offset: self.offset,
            };
        }
        let whole = self.contiguous();
        Tensor {
            buffer: whole.buffer.clone(),
            strides: dense_strides(shape),
            shape: shape.into(),
            offset: whole.offset,
        }
    }

    /// A view in another shape of as many entries, if the entries' places allow one.
    pub(super) fn viewed_as(&self, shape: &[usize]) -> Option<Self> {
        // What is walked through in one stride, the last axis first: how many entries, and the stride.
        let mut runs: SmallVec<[(usize, usize); 6]> = SmallVec::new();
        for (n, stride) in self.shape.iter().zip(&self.strides).rev() {
            match runs.last_mut() {
                _ if *n == 1 => {}
                Some((length, step)) if *stride == *step * *length => *length *= n,
                _ => runs.push((*n, *stride)),
            }
        }
        let mut runs = runs.into_iter();
        let (mut left, mut step) = runs.next().unwrap_or((1, 1));
        let mut strides = Dims::from_elem(1, shape.len());
        for (stride, n) in strides.iter_mut().zip(shape).rev() {
            if *n == 0 {
                return None;
            }
            if *n != 1 && left == 1 {
                (left, step) = runs.next()?;
            }
            if left % n != 0 {
                return None;
            }
            *stride = step;
            step *= n;
            left /= n;
        }
        Some(Tensor {
            buffer: self.buffer.clone(),
            shape: shape.into(),
            strides,
            offset: self.offset,
        })
    }

    /// The part of an axis from a first number on, every `step`-th.
    pub(super) fn cut(&self, axis: usize, first: usize, count: usize, step: usize) -> Self {
        let mut out = self.clone();
        out.shape[axis] = count;
        if count > 0 && !self.is_known_zero() {
            out.offset += first * self.strides[axis];
        }
        if count > 1 {
            out.strides[axis] *= step;
        }
        out
    }

    /// The axes that are named moved to the end, each a list of rows: what is left, the length of a row, and the entries row by row.
    ///
    /// The kernels that look at whole rows are written for this; [`from_rows`](Tensor::from_rows) leads back.
    pub(super) fn rows(&self, axes: &[usize]) -> Rows<T> {
        let mut order: Dims = (0..self.rank())
            .filter(|axis| !axes.contains(axis))
            .collect();
        let outer: Dims = order.iter().map(|axis| self.shape[*axis]).collect();
        let inner: Dims = axes.iter().map(|axis| self.shape[*axis]).collect();
        order.extend(axes.iter().copied());
        Rows {
            length: count(&inner),
            number: count(&outer),
            entries: self.permuted(&order).contiguous(),
            order,
            outer,
        }
    }
}

/// A tensor as a list of rows.
pub(super) struct Rows<T: Element> {
    /// How long a row is.
    pub(super) length: usize,
    /// How many rows there are.
    pub(super) number: usize,
    /// The shape of what has one entry per row.
    pub(super) outer: Dims,
    entries: Tensor<T>,
    order: Dims,
}

impl<T: Element> Rows<T> {
    /// The rows, one behind the other.
    pub(super) fn entries(&self) -> &[T] {
        &self.entries.data()[..self.entries.len()]
    }

    /// Row `k`.
    pub(super) fn row(&self, k: usize) -> &[T] {
        // Without the number of all entries, which is a product of lengths.
        &self.entries.data()[k * self.length..(k + 1) * self.length]
    }

    /// As many entries as there are, row by row: `kernel` writes a row, by its position, with a place for intermediate results that `room` makes for many rows.
    pub(super) fn write<S, U: Element>(
        &self,
        work: Work,
        room: impl Fn() -> S + Sync,
        kernel: impl Fn(&mut S, usize, &[T], &mut [U]) + Sync,
    ) -> Tensor<U> {
        let mut out = anything(self.entries.len());
        let length = self.length.max(1);
        let amount = Amount {
            work,
            units: out.len() / length,
            each: length,
        };
        divide(Blocks(&mut out, length), amount, |some, Blocks(out, _)| {
            let mut room = room();
            dispatch(
                #[inline(always)]
                |_| {
                    for (out, k) in out.chunks_exact_mut(length).zip(some) {
                        kernel(&mut room, k, self.row(k), out);
                    }
                },
            );
        });
        self.back(out)
    }

    /// A number for each row.
    pub(super) fn each<U: Element>(
        &self,
        work: Work,
        number: impl Fn(&[T]) -> U + Sync,
    ) -> Tensor<U> {
        self.each_in(work, || (), |(), _, row| number(row))
    }

    /// A number for each row, by its position, with a place for intermediate results that `room` makes for many rows.
    pub(super) fn each_in<S, U: Element>(
        &self,
        work: Work,
        room: impl Fn() -> S + Sync,
        number: impl Fn(&mut S, usize, &[T]) -> U + Sync,
    ) -> Tensor<U> {
        let mut numbers = anything(self.number);
        let amount = Amount {
            work,
            units: self.number,
            each: self.length,
        };
        divide(&mut numbers[..], amount, |some, numbers| {
            let mut room = room();
            for (to, k) in numbers.iter_mut().zip(some) {
                *to = number(&mut room, k, self.row(k));
            }
        });
        self.per_row(numbers)
    }

    /// What has one entry per row as a tensor, whose axes are those that are left.
    pub(super) fn per_row<U: Element>(&self, entries: alloc::vec::Vec<U>) -> Tensor<U> {
        Tensor::of(self.outer.clone(), entries)
    }

    /// What has as many entries as there were, in the tensor's own order of axes.
    pub(super) fn back<U: Element>(&self, entries: alloc::vec::Vec<U>) -> Tensor<U> {
        Tensor::of(self.entries.shape.clone(), entries).permuted(&inverse(&self.order))
    }
}

/// The order of axes that undoes another.
pub(super) fn inverse(order: &[usize]) -> Dims {
    let mut out = Dims::from_elem(0, order.len());
    for (to, from) in order.iter().enumerate() {
        out[*from] = to;
    }
    out
}

impl<T: Element> Tensor<T> {
    /// With axes of length 1 more, without a copy.
    pub(super) fn with_axes(&self, shape: &[usize]) -> Self {
        let mut strides = Dims::from_elem(0, shape.len());
        let mut from = 0;
        for (axis, n) in shape.iter().enumerate() {
            if from < self.rank()
                && self.shape[from] == *n
                && (*n != 1 || shape.len() - axis <= self.rank() - from)
            {
                strides[axis] = self.strides[from];
                from += 1;
            }
        }
        Tensor {
            buffer: self.buffer.clone(),
            shape: shape.into(),
            strides,
            offset: self.offset,
        }
    }
}

/// The strides of the same entries in another shape of as many, if there are such strides.
///
/// Axes that become one have to lie at equal distances, row by row; one that is divided lies so by itself.
fn regrouped(shape: &[usize], strides: &[usize], to: &[usize]) -> Option<Dims> {
    if shape.contains(&0) {
        return None;
    }
    let mut from = shape.iter().zip(strides).filter(|(n, _)| **n != 1);
    let mut out = Dims::from_elem(1, to.len());
    let mut next = 0;
    while let Some((n, stride)) = from.next() {
        // So many axes on either side as have the same number of entries.
        let (mut old, mut step, first) = (*n, *stride, next);
        let mut new = 1;
        while new != old || new == 1 {
            if new < old {
                new *= to[next];
                next += 1;
            } else {
                let (n, stride) = from.next()?;
                if step != stride * n {
                    return None;
                }
                old *= n;
                step = *stride;
            }
        }
        for axis in (first..next).rev() {
            out[axis] = step;
            step *= to[axis];
        }
    }
    Some(out)
}
