//! Loops over the entries of several tensors that are stretched to one shape.

use alloc::vec::Vec;

use super::Tensor;
use super::dims::{Dims, broadcast, count, stretched};
use super::error::Result;
use super::storage::anything;
use crate::element::Element;

/// How many entries are brought together before a kernel looks at them.
const BLOCK: usize = 256;

/// Calls `row` for each row of the last axis: where it begins in each operand, and how long it is.
///
/// Axes that every operand walks through in one stride are one axis; the strides of the last one are returned with the first call's arguments.
pub(super) fn walk<const N: usize>(
    shape: &[usize],
    strides: [&[usize]; N],
    mut row: impl FnMut([usize; N], [usize; N], usize),
) {
    if count(shape) == 0 {
        return;
    }
    // Lengths and strides of what is left, the last axis first.
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
        row([0; N], [0; N], 1);
        return;
    }
    let inner = core::array::from_fn(|k| steps[k][0]);
    let mut at = Dims::from_elem(0, lengths.len());
    let mut base = [0; N];
    loop {
        row(base, inner, lengths[0]);
        let mut axis = 1;
        loop {
            if axis == lengths.len() {
                return;
            }
            at[axis] += 1;
            for (b, s) in base.iter_mut().zip(&steps) {
                *b += s[axis];
            }
            if at[axis] < lengths[axis] {
                break;
            }
            for (b, s) in base.iter_mut().zip(&steps) {
                *b -= s[axis] * lengths[axis];
            }
            at[axis] = 0;
            axis += 1;
        }
    }
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
    let (data, mut next) = (of.data(), 0);
    walk(&of.shape, [&of.strides], |[at], [step], n| {
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
    out
}

/// `f` of every entry.
pub(super) fn map<T: Element, U: Element>(x: &Tensor<T>, f: impl Fn(T) -> U) -> Tensor<U> {
    // One by one: of a row that is repeated, each entry once.
    let mut out = anything(x.len());
    if x.is_known_zero() {
        out.fill(f(T::default()));
        return Tensor::of(x.shape.clone(), out);
    }
    if let Some(entries) = x.dense() {
        for (to, from) in out.iter_mut().zip(entries) {
            *to = f(*from);
        }
        return Tensor::of(x.shape.clone(), out);
    }
    let (mut a, mut next) = (Operand::new(x), 0);
    walk(&x.shape, [&x.strides], |[at], [step], n| {
        for from in (0..n).step_by(BLOCK) {
            let length = BLOCK.min(n - from);
            let block = a.block(at + from * step, step, length);
            for (to, a) in out[next..next + length].iter_mut().zip(block) {
                *to = f(*a);
            }
            next += length;
        }
    });
    Tensor::of(x.shape.clone(), out)
}

macro_rules! zips {
    ($($(#[$doc:meta])* $name:ident($($x:ident $X:ident),+);)*) => {$(
        $(#[$doc])*
        pub(super) fn $name<$($X: Element,)+ Y: Element>(
            operation: &'static str,
            $($x: &Tensor<$X>,)+
            f: impl Fn($($X),+) -> Y,
        ) -> Result<Tensor<Y>> {
            let shape = zips!(@shape operation, $($x)+);
            let mut out = anything(super::dims::size(operation, &shape)?);
            let mut next = 0;
            let strides = [$(&stretched(&$x.shape, &$x.strides, &shape)[..]),+];
            $(let mut $x = Operand::new($x);)+
            walk(&shape, strides, |at, step, n| {
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
            Ok(Tensor::of(shape, out))
        }
    )*};
    (@shape $operation:ident, $a:ident $b:ident) => { broadcast($operation, &$a.shape, &$b.shape)? };
    (@shape $operation:ident, $a:ident $b:ident $c:ident) => { broadcast($operation, &broadcast($operation, &$a.shape, &$b.shape)?, &$c.shape)? };
    (@shape $operation:ident, $a:ident $b:ident $c:ident $d:ident) => { broadcast($operation, &broadcast($operation, &$a.shape, &$b.shape)?, &broadcast($operation, &$c.shape, &$d.shape)?)? };
}
zips! {
    /// `f` of the entries of two tensors, stretched to one shape.
    zip(a A, b B);
    /// `f` of the entries of three tensors, stretched to one shape.
    zip3(a A, b B, c C);
    /// `f` of the entries of four tensors, stretched to one shape.
    zip4(a A, b B, c C, d D);
}
