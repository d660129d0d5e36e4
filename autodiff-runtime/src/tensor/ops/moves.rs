//! Other arrangements of the same entries.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use crate::float::Float;
use smallvec::SmallVec;

use crate::element::Element;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::{Axes, Dims, axis, count, dense_strides, size};
use crate::tensor::elementwise::walk;
use crate::tensor::error::{Error, Result, expect};
use crate::tensor::forms::{attribute, methods, moves};
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::{anything, filled};
#[cfg(test)]
use crate::tensor::testing::shape;
use crate::tensor::views::inverse;

/// The tangent of a linear operation: the operation on the operand's tangent.
macro_rules! linear {
    () => {
        fn push<A: Algebra<T>>(&self, _: &[&A], y: &A, dx: &[Option<&A>]) -> A {
            dx[0].map_or_else(|| y.nothing(), |d| d.then(self.clone()))
        }
    };
}
pub(super) use linear;

/// An operation on one operand that is another operation once the operand's shape is known: axes that count from the end, lengths that follow from others.
pub(super) trait ByShape: Clone + Send + Sync + 'static {
    /// The name in messages.
    const NAME: &'static str;

    /// The operation that it is.
    type Is;

    /// The operation that it is for an operand of this shape, or what is wrong with the shape.
    fn on(&self, shape: &[usize]) -> Result<Self::Is>;

    /// Operands at which tests look at the operation.
    #[cfg(test)]
    fn points<T: Float>() -> Vec<(Self, Vec<Tensor<T>>)>;
}

/// An operation that arranges entries, whatever they are: indices and masks as well.
pub(super) trait Moves {
    /// The entries in their new places, or what is wrong with the shape.
    fn moved<E: Element>(&self, x: &Tensor<E>) -> Result<Tensor<E>>;
}

impl<O: ByShape<Is: Moves>> Moves for O {
    fn moved<E: Element>(&self, x: &Tensor<E>) -> Result<Tensor<E>> {
        self.on(x.shape())?.moved(x)
    }
}

impl<T: Float, O: ByShape<Is: Operation<T>>> Operation<T> for O {
    const NAME: &'static str = O::NAME;
    const KEEPS: Keeps = <O::Is as Operation<T>>::KEEPS;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.on(x[0].shape())?.value(x)
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        expect(self.on(x[0].lengths())).push(x, y, dx)
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        expect(self.on(x[0].lengths())).pull(x, y, dy, wanted)
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        O::points()
    }
}

/// The axes in another order.
#[derive(Clone)]
pub(crate) struct Permute {
    pub(crate) order: Dims,
}

impl Moves for Permute {
    fn moved<E: Element>(&self, x: &Tensor<E>) -> Result<Tensor<E>> {
        let mut sorted = self.order.clone();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..x.rank()) {
            return Err(Error::new(
                "permute",
                format!(
                    "{:?} is no order of the axes of {:?}",
                    &self.order[..],
                    x.shape()
                ),
            ));
        }
        Ok(x.permuted(&self.order))
    }
}

impl<T: Float> Operation<T> for Permute {
    const NAME: &'static str = "permute";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.moved(x[0])
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(Permute {
            order: inverse(&self.order),
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![
            (
                Permute {
                    order: [2, 0, 1].into_iter().collect(),
                },
                vec![shape(&[2, 2, 2])],
            ),
            (
                Permute {
                    order: [1, 2, 0].into_iter().collect(),
                },
                vec![shape(&[2, 3, 4])],
            ),
            (Permute { order: Dims::new() }, vec![shape(&[])]),
        ]
    }
}

/// Stretched to a shape.
#[derive(Clone)]
pub(crate) struct BroadcastTo {
    pub(crate) shape: Dims,
}

impl Moves for BroadcastTo {
    fn moved<E: Element>(&self, x: &Tensor<E>) -> Result<Tensor<E>> {
        let (from, to) = (x.shape(), &self.shape);
        size("broadcast_to", to)?;
        let missing = to.len().checked_sub(from.len());
        let fits =
            missing.is_some_and(|k| from.iter().zip(&to[k..]).all(|(n, m)| *n == 1 || n == m));
        if !fits {
            return Err(Error::new(
                "broadcast_to",
                format!("{from:?} cannot be stretched to {:?}", &to[..]),
            ));
        }
        Ok(x.stretched_view(to))
    }
}

impl<T: Float> Operation<T> for BroadcastTo {
    const NAME: &'static str = "broadcast_to";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.moved(x[0])
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.summed_to(x[0].lengths()))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let to = |shape: &[usize]| BroadcastTo {
            shape: shape.into(),
        };
        vec![
            (to(&[2, 3, 4]), vec![shape(&[3, 1])]),
            (to(&[3]), vec![shape(&[])]),
            (to(&[0]), vec![shape(&[1])]),
        ]
    }
}

/// The same entries row by row in another shape.
#[derive(Clone)]
pub(crate) struct Reshape {
    pub(crate) shape: Dims,
}

impl Moves for Reshape {
    fn moved<E: Element>(&self, x: &Tensor<E>) -> Result<Tensor<E>> {
        size("reshape", &self.shape)?;
        if count(&self.shape) != x.len() {
            return Err(Error::shapes(
                "reshape",
                "the shapes have different numbers of entries",
                x.shape(),
                &self.shape,
            ));
        }
        Ok((x.viewed_as(&self.shape)).unwrap_or_else(|| x.reshaped(&self.shape)))
    }
}

impl<T: Float> Operation<T> for Reshape {
    const NAME: &'static str = "reshape";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.moved(x[0])
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.shaped(x[0].lengths()))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let to = |shape: &[usize]| Reshape {
            shape: shape.into(),
        };
        vec![
            (to(&[3, 4]), vec![shape(&[2, 6])]),
            (to(&[1, 1]), vec![shape(&[])]),
            (to(&[0, 5]), vec![shape(&[3, 0])]),
        ]
    }
}

/// Writes the entries of a tensor into a buffer, from a position on, with these strides.
pub(super) fn write<T: Element>(x: &Tensor<T>, out: &mut [T], from: usize, strides: &[usize]) {
    if x.is_known_zero() {
        walk(&x.shape, [strides], |[at], [step], n| {
            for k in 0..n {
                out[from + at + k * step] = T::default();
            }
        });
        return;
    }
    let data = x.data();
    walk(
        &x.shape,
        [&x.strides, strides],
        |[at, to], [step, stride], n| {
            let to = &mut out[from + to..];
            if step == 1 && stride == 1 {
                to[..n].copy_from_slice(&data[at..at + n]);
            } else {
                for k in 0..n {
                    to[k * stride] = data[at + k * step];
                }
            }
        },
    );
}

/// The part of each axis from a first number on, every so-manieth.
#[derive(Clone)]
pub(crate) struct Cut {
    pub(crate) first: Dims,
    pub(crate) count: Dims,
    pub(crate) step: Dims,
}

impl Cut {
    /// All of a shape but for one axis.
    pub(super) fn of(
        shape: &[usize],
        axis: usize,
        first: usize,
        count: usize,
        step: usize,
    ) -> Self {
        let mut cut = Cut {
            first: Dims::from_elem(0, shape.len()),
            count: shape.into(),
            step: Dims::from_elem(1, shape.len()),
        };
        cut.first[axis] = first;
        cut.count[axis] = count;
        cut.step[axis] = step;
        cut
    }

    /// The first part of each axis.
    pub(super) fn to(shape: &[usize]) -> Self {
        Cut {
            first: Dims::from_elem(0, shape.len()),
            count: shape.into(),
            step: Dims::from_elem(1, shape.len()),
        }
    }
}

impl Moves for Cut {
    fn moved<E: Element>(&self, x: &Tensor<E>) -> Result<Tensor<E>> {
        let whole = x.clone();
        Ok((0..x.rank()).fold(whole, |y, axis| {
            y.cut(axis, self.first[axis], self.count[axis], self.step[axis])
        }))
    }
}

impl<T: Float> Operation<T> for Cut {
    const NAME: &'static str = "slice";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.moved(x[0])
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(Spread {
            shape: x[0].lengths().into(),
            first: self.first.clone(),
            step: self.step.clone(),
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![
            (Cut::of(&[2, 7], 1, 1, 3, 2), vec![shape(&[2, 7])]),
            (Cut::to(&[2, 0, 1]), vec![shape(&[3, 2, 2])]),
            (Cut::to(&[]), vec![shape(&[])]),
        ]
    }
}

/// The entries at the places that [`Cut`] takes them from, in a shape, with zeros elsewhere.
#[derive(Clone)]
pub(crate) struct Spread {
    pub(crate) shape: Dims,
    pub(crate) first: Dims,
    pub(crate) step: Dims,
}

/// The entries at the places that a cut takes them from, in a shape, with a number elsewhere.
fn spread<T: Float>(x: &Tensor<T>, to: &Spread, elsewhere: T) -> Tensor<T> {
    let mut strides = dense_strides(&to.shape);
    let mut out = filled(count(&to.shape), elsewhere);
    if !x.is_empty() {
        let from = (strides.iter().zip(&to.first)).map(|(s, k)| s * k).sum();
        for (stride, step) in strides.iter_mut().zip(&to.step) {
            // Of a single entry the step is never taken.
            *stride = stride.saturating_mul(*step);
        }
        write(x, &mut out, from, &strides);
    }
    Tensor::of(to.shape.clone(), out)
}

impl<T: Float> Operation<T> for Spread {
    const NAME: &'static str = "slice";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        if x[0].is_known_zero() {
            return Ok(Tensor::zero(self.shape.clone()));
        }
        if x[0].shape == self.shape {
            return Ok(x[0].clone());
        }
        Ok(spread(x[0], self, T::ZERO))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(Cut {
            first: self.first.clone(),
            count: x[0].lengths().into(),
            step: self.step.clone(),
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let to = |shape: &[usize], first: &[usize], step: &[usize]| Spread {
            shape: shape.into(),
            first: first.into(),
            step: step.into(),
        };
        vec![
            (to(&[2, 7], &[0, 1], &[1, 2]), vec![shape(&[2, 3])]),
            (to(&[3], &[3], &[1]), vec![shape(&[0])]),
            (to(&[], &[], &[]), vec![shape(&[])]),
        ]
    }
}

/// Each `step`-th entry of an axis from `start` on, before `stop`.
#[derive(Clone)]
struct Slice {
    axis: isize,
    start: isize,
    stop: isize,
    step: isize,
}

impl ByShape for Slice {
    const NAME: &'static str = "slice";
    type Is = Cut;

    fn on(&self, shape: &[usize]) -> Result<Cut> {
        let axis = axis("slice", shape.len(), self.axis)?;
        let step = usize::try_from(self.step).ok().filter(|step| *step > 0);
        let Some(step) = step else {
            return Err(Error::new(
                "slice",
                format!(
                    "the step {} of axis {axis}; steps are positive, and `flip` reverses an axis",
                    self.step
                ),
            ));
        };
        // As in Python: from the end where negative, and what is outside is the end itself.
        let length = shape[axis];
        let within = |at: isize| {
            if at < 0 {
                length.saturating_sub(at.unsigned_abs())
            } else {
                length.min(at.unsigned_abs())
            }
        };
        let (start, stop) = (within(self.start), within(self.stop));
        let count = stop.saturating_sub(start).div_ceil(step);
        Ok(Cut::of(shape, axis, start, count, step))
    }

    #[cfg(test)]
    fn points<T: Float>() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |axis, start, stop, step| Slice {
            axis,
            start,
            stop,
            step,
        };
        vec![
            (of(0, 1, 5, 1), vec![shape(&[6, 4])]),
            (of(-1, 0, 7, 2), vec![shape(&[3, 7])]),
            (of(1, 1, -1, 3), vec![shape(&[2, 7, 2])]),
            (of(0, 3, 2, 1), vec![shape(&[4, 2])]),
            (of(0, 0, 100, 1), vec![shape(&[0, 2])]),
        ]
    }
}

/// A part of an axis.
#[derive(Clone)]
struct Narrow {
    axis: isize,
    start: usize,
    length: usize,
}

impl ByShape for Narrow {
    const NAME: &'static str = "narrow";
    type Is = Cut;

    fn on(&self, shape: &[usize]) -> Result<Cut> {
        let axis = axis("narrow", shape.len(), self.axis)?;
        let inside = (self.start.checked_add(self.length)).is_some_and(|end| end <= shape[axis]);
        if !inside {
            return Err(Error::new(
                "narrow",
                format!(
                    "{} entries from {} on of axis {axis}, which has length {}",
                    self.length, self.start, shape[axis]
                ),
            ));
        }
        Ok(Cut::of(shape, axis, self.start, self.length, 1))
    }

    #[cfg(test)]
    fn points<T: Float>() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |axis, start, length| Narrow {
            axis,
            start,
            length,
        };
        vec![
            (of(1, 1, 2), vec![shape(&[2, 4])]),
            (of(-2, 2, 0), vec![shape(&[2, 4])]),
        ]
    }
}

/// The entries at one number of an axis, which is dropped.
#[derive(Clone)]
struct Select {
    axis: isize,
    index: isize,
}

impl Select {
    fn cut(&self, shape: &[usize]) -> Result<Cut> {
        let axis = axis("select", shape.len(), self.axis)?;
        let length = shape[axis];
        let at = if self.index < 0 {
            length.checked_sub(self.index.unsigned_abs())
        } else {
            Some(self.index.unsigned_abs()).filter(|at| *at < length)
        };
        let Some(at) = at else {
            return Err(Error::new(
                "select",
                format!(
                    "index {} of axis {axis}, which has length {length}",
                    self.index
                ),
            ));
        };
        Ok(Cut::of(shape, axis, at, 1, 1))
    }

    /// The shape without the axis.
    fn left(&self, shape: &[usize]) -> Dims {
        let mut left: Dims = shape.into();
        left.remove(expect(axis("select", left.len(), self.axis)));
        left
    }
}

impl Moves for Select {
    fn moved<E: Element>(&self, x: &Tensor<E>) -> Result<Tensor<E>> {
        let part = self.cut(x.shape())?.moved(x)?;
        Ok(part.reshaped(&self.left(x.shape())))
    }
}

impl<T: Float> Operation<T> for Select {
    const NAME: &'static str = "select";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.moved(x[0])
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let cut = expect(self.cut(x[0].lengths()));
        x[0].then(cut).shaped(&self.left(x[0].lengths()))
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |axis, index| Select { axis, index };
        vec![
            (of(0, 1), vec![shape(&[2, 3])]),
            (of(-1, -1), vec![shape(&[2, 1, 3])]),
            (of(0, 0), vec![shape(&[1])]),
        ]
    }
}

/// The axes in another order, which may count from the end.
#[derive(Clone)]
struct PermuteTo {
    order: SmallVec<[isize; 6]>,
}

impl ByShape for PermuteTo {
    const NAME: &'static str = "permute";
    type Is = Permute;

    fn on(&self, shape: &[usize]) -> Result<Permute> {
        let order: Result<Dims> = (self.order.iter())
            .map(|k| axis("permute", shape.len(), *k))
            .collect();
        Ok(Permute { order: order? })
    }

    #[cfg(test)]
    fn points<T: Float>() -> Vec<(Self, Vec<Tensor<T>>)> {
        let to = |order: &[isize]| PermuteTo {
            order: order.into(),
        };
        vec![
            (to(&[-1, 0, 1]), vec![shape(&[2, 3, 4])]),
            (to(&[1, 2, 0]), vec![shape(&[2, 2, 2])]),
            (to(&[0]), vec![shape(&[0])]),
        ]
    }
}

/// Two axes exchanged.
#[derive(Clone)]
struct Transpose {
    name: &'static str,
    axes: [isize; 2],
}

impl ByShape for Transpose {
    const NAME: &'static str = "transpose";
    type Is = Permute;

    fn on(&self, shape: &[usize]) -> Result<Permute> {
        let mut order: Dims = (0..shape.len()).collect();
        let [a, b] = self.axes;
        order.swap(
            axis(self.name, shape.len(), a)?,
            axis(self.name, shape.len(), b)?,
        );
        Ok(Permute { order })
    }

    #[cfg(test)]
    fn points<T: Float>() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |a, b| Transpose {
            name: "transpose",
            axes: [a, b],
        };
        vec![
            (of(0, 1), vec![shape(&[2, 3])]),
            (of(0, -1), vec![shape(&[2, 3, 4])]),
            (of(1, 1), vec![shape(&[2, 0])]),
        ]
    }
}

/// Axes reversed.
#[derive(Clone)]
struct Flip {
    axes: Axes,
}

impl Moves for Flip {
    fn moved<E: Element>(&self, x: &Tensor<E>) -> Result<Tensor<E>> {
        let axes = self.axes.of("flip", x.rank())?;
        if x.is_known_zero() || x.is_empty() {
            return Ok(x.clone());
        }
        let mut y = x.clone();
        for axis in axes {
            let from = y.contiguous();
            let (n, inner) = (y.shape[axis], count(&y.shape[axis + 1..]));
            let entries = from.dense().unwrap_or(&[]).chunks_exact(n * inner);
            let mut out = anything(y.len());
            for (to, from) in out.chunks_exact_mut(n * inner).zip(entries) {
                if inner == 1 {
                    for (to, from) in to.iter_mut().zip(from.iter().rev()) {
                        *to = *from;
                    }
                } else {
                    let rows = from.chunks_exact(inner).rev();
                    for (to, from) in to.chunks_exact_mut(inner).zip(rows) {
                        to.copy_from_slice(from);
                    }
                }
            }
            y = Tensor::of(y.shape.clone(), out);
        }
        Ok(y)
    }
}

impl<T: Float> Operation<T> for Flip {
    const NAME: &'static str = "flip";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.moved(x[0])
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(self.clone()))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |axes: &[isize]| Flip { axes: axes.into() };
        vec![
            (of(&[0]), vec![shape(&[4])]),
            (of(&[-1]), vec![shape(&[2, 3])]),
            (of(&[0, 2]), vec![shape(&[2, 3, 2])]),
            (of(&[]), vec![shape(&[2])]),
            (of(&[1]), vec![shape(&[2, 0])]),
        ]
    }
}

/// The entries in fewer axes or more: the shape follows from the operand's.
macro_rules! reshapes {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $ty:ty),* } = $text:literal, |$this:ident, $shape:ident| $body:expr, at [$($point:expr => $at:expr),*];)*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        struct $name {
            $($field: $ty),*
        }

        impl ByShape for $name {
            const NAME: &'static str = $text;
            type Is = Reshape;

            fn on(&self, $shape: &[usize]) -> Result<Reshape> {
                let $this = self;
                let shape: Result<Dims> = $body;
                Ok(Reshape { shape: shape? })
            }

            #[cfg(test)]
            fn points<T: Float>() -> Vec<(Self, Vec<Tensor<T>>)> {
                vec![$(($point, vec![shape(&$at)])),*]
            }
        }
    )*};
}
reshapes! {
    /// One axis.
    Flatten {} = "flatten", |_this, shape| Ok([count(shape)].into_iter().collect()),
        at [Flatten {} => [2, 3], Flatten {} => [], Flatten {} => [2, 0]];
    /// Without axes of length 1.
    Squeeze { axes: Axes } = "squeeze", |this, shape| {
        let axes = this.axes.of("squeeze", shape.len())?;
        if let Some(axis) = axes.iter().find(|axis| shape[**axis] != 1) {
            return Err(Error::new(
                "squeeze",
                format!("axis {axis} of {shape:?} has length {}, not 1", shape[*axis]),
            ));
        }
        Ok((0..shape.len()).filter(|axis| !axes.contains(axis)).map(|axis| shape[axis]).collect())
    }, at [Squeeze { axes: 1.into() } => [2, 1, 3], Squeeze { axes: [0, -1].into() } => [1, 2, 1]];
    /// Without any axis of length 1.
    SqueezeAll {} = "squeeze_all", |_this, shape| Ok(shape.iter().copied().filter(|n| *n != 1).collect()),
        at [SqueezeAll {} => [1, 2, 1, 3], SqueezeAll {} => [1, 1]];
    /// With an axis of length 1 more.
    Unsqueeze { axis: isize } = "unsqueeze", |this, shape| {
        let mut long: Dims = shape.into();
        long.insert(axis("unsqueeze", shape.len() + 1, this.axis)?, 1);
        Ok(long)
    }, at [Unsqueeze { axis: 0 } => [2, 3], Unsqueeze { axis: -1 } => [2], Unsqueeze { axis: 0 } => []];
}

/// Each entry so many places further along an axis, the last ones in front.
#[derive(Clone)]
struct Roll {
    shift: isize,
    axis: isize,
}

impl Moves for Roll {
    fn moved<E: Element>(&self, x: &Tensor<E>) -> Result<Tensor<E>> {
        let axis = axis("roll", x.rank(), self.axis)?;
        if x.is_known_zero() || x.is_empty() {
            return Ok(x.clone());
        }
        let length = x.shape()[axis];
        let shift = self.shift.rem_euclid(length as isize).unsigned_abs();
        let strides = dense_strides(x.shape());
        let mut out = anything(x.len());
        let (front, back) = (
            x.cut(axis, 0, length - shift, 1),
            x.cut(axis, length - shift, shift, 1),
        );
        write(&front, &mut out, shift * strides[axis], &strides);
        write(&back, &mut out, 0, &strides);
        Ok(Tensor::of(x.shape.clone(), out))
    }
}

impl<T: Float> Operation<T> for Roll {
    const NAME: &'static str = "roll";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.moved(x[0])
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(Roll {
            shift: self.shift.wrapping_neg(),
            axis: self.axis,
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let by = |shift, axis| Roll { shift, axis };
        vec![
            (by(1, 0), vec![shape(&[3, 2])]),
            (by(-7, -1), vec![shape(&[2, 3])]),
            (by(0, 0), vec![shape(&[2])]),
            (by(3, 1), vec![shape(&[2, 0])]),
        ]
    }
}

/// A number before and behind the entries of each axis.
#[derive(Clone)]
struct Pad {
    widths: Vec<[usize; 2]>,
    value: f64,
}

impl Pad {
    /// Where the entries go.
    fn place(&self, shape: &[usize]) -> Result<Spread> {
        if self.widths.len() != shape.len() {
            return Err(Error::new(
                "pad",
                format!(
                    "{} pairs of widths for the axes of {shape:?}",
                    self.widths.len()
                ),
            ));
        }
        let padded: Option<Dims> = (shape.iter().zip(&self.widths))
            .map(|(n, [before, behind])| n.checked_add(*before)?.checked_add(*behind))
            .collect();
        let Some(padded) = padded else {
            return Err(Error::new(
                "pad",
                format!("the widths {:?} are too large", self.widths),
            ));
        };
        size("pad", &padded)?;
        Ok(Spread {
            shape: padded,
            first: self.widths.iter().map(|[before, _]| *before).collect(),
            step: Dims::from_elem(1, shape.len()),
        })
    }
}

impl<T: Float> Operation<T> for Pad {
    const NAME: &'static str = "pad";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        Ok(spread(
            x[0],
            &self.place(x[0].shape())?,
            T::from_f64(self.value),
        ))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        dx[0].map_or_else(
            || y.nothing(),
            |d| d.then(expect(self.place(x[0].lengths()))),
        )
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        expect(self.place(x[0].lengths())).pull(x, y, dy, wanted)
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let by = |widths: &[[usize; 2]], value| Pad {
            widths: widths.into(),
            value,
        };
        vec![
            (by(&[[1, 2]], 0.5), vec![shape(&[3])]),
            (by(&[[0, 2], [1, 0]], 2.0), vec![shape(&[0, 0])]),
            (by(&[[0, 2], [1, 0]], -1.0), vec![shape(&[2, 3])]),
            (by(&[], 1.0), vec![shape(&[])]),
        ]
    }
}

/// As often as these numbers say along the last axes, those before them new.
#[derive(Clone)]
struct Repeat {
    name: &'static str,
    times: Dims,
}

impl Repeat {
    /// The shape with an axis before each, that stretched, and the result's.
    fn shapes(&self, shape: &[usize]) -> Result<[Dims; 3]> {
        let Some(missing) = self.times.len().checked_sub(shape.len()) else {
            return Err(Error::new(
                self.name,
                format!("{} numbers for the axes of {shape:?}", self.times.len()),
            ));
        };
        let [mut split, mut long, mut whole] = [Dims::new(), Dims::new(), Dims::new()];
        for (axis, times) in self.times.iter().enumerate() {
            let length = axis.checked_sub(missing).map_or(1, |axis| shape[axis]);
            split.extend([1, length]);
            long.extend([*times, length]);
            whole.push(times.checked_mul(length).unwrap_or(usize::MAX));
        }
        size(self.name, &whole)?;
        Ok([split, long, whole])
    }
}

impl Moves for Repeat {
    fn moved<E: Element>(&self, x: &Tensor<E>) -> Result<Tensor<E>> {
        let [split, long, whole] = self.shapes(x.shape())?;
        Ok(x.reshaped(&split).stretched_view(&long).reshaped(&whole))
    }
}

impl<T: Float> Operation<T> for Repeat {
    const NAME: &'static str = "repeat";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.moved(x[0])
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let [split, long, whole] = expect(self.shapes(x[0].lengths()));
        x[0].shaped(&split).stretched_to(&long).shaped(&whole)
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let by = |times: &[usize]| Repeat {
            name: "repeat",
            times: times.into(),
        };
        vec![
            (by(&[2, 3]), vec![shape(&[3])]),
            (by(&[2, 1, 3]), vec![shape(&[2, 1, 2])]),
            (by(&[0, 2]), vec![shape(&[3, 2])]),
            (by(&[2]), vec![shape(&[])]),
        ]
    }
}

/// As [`Repeat`], where missing numbers are 1.
#[derive(Clone)]
struct Tile {
    times: Dims,
}

impl ByShape for Tile {
    const NAME: &'static str = "tile";
    type Is = Repeat;

    fn on(&self, shape: &[usize]) -> Result<Repeat> {
        let mut times = Dims::from_elem(1, shape.len().saturating_sub(self.times.len()));
        times.extend(self.times.iter().copied());
        Ok(Repeat {
            name: "tile",
            times,
        })
    }

    #[cfg(test)]
    fn points<T: Float>() -> Vec<(Self, Vec<Tensor<T>>)> {
        let by = |times: &[usize]| Tile {
            times: times.into(),
        };
        vec![
            (by(&[3]), vec![shape(&[2, 2])]),
            (by(&[2, 1, 2]), vec![shape(&[2])]),
            (by(&[]), vec![shape(&[2])]),
        ]
    }
}

/// What matrices have on one side of a diagonal, with it; zero elsewhere.
#[derive(Clone)]
struct Triangle {
    upper: bool,
    diagonal: isize,
}

impl<T: Float> Operation<T> for Triangle {
    const NAME: &'static str = "tril";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let name = if self.upper { "triu" } else { "tril" };
        let [_, rows, columns] = matrices(name, x[0].shape())?;
        let mut y = x[0].clone();
        if y.is_known_zero() || y.is_empty() {
            return Ok(y);
        }
        for matrix in y.entries_mut().chunks_exact_mut(rows * columns) {
            for (k, row) in matrix.chunks_exact_mut(columns).enumerate() {
                // The diagonal goes through this place, or beside the matrix.
                let place = (k as isize).saturating_add(self.diagonal);
                let until = |place: isize| usize::try_from(place).unwrap_or(0).min(columns);
                if self.upper {
                    row[..until(place)].fill(T::ZERO);
                } else {
                    row[until(place.saturating_add(1))..].fill(T::ZERO);
                }
            }
        }
        Ok(y)
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(self.clone()))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |upper, diagonal| Triangle { upper, diagonal };
        vec![
            (of(false, 0), vec![shape(&[4, 4])]),
            (of(true, 0), vec![shape(&[4, 4])]),
            (of(false, -1), vec![shape(&[3, 5])]),
            (of(true, -1), vec![shape(&[5, 3])]),
            (of(true, 1), vec![shape(&[2, 3, 3])]),
            (of(false, 9), vec![shape(&[2, 3])]),
            (of(true, isize::MIN), vec![shape(&[2, 3])]),
            (of(true, 9), vec![shape(&[2, 3])]),
            (of(true, 0), vec![shape(&[0, 3])]),
        ]
    }
}

/// The lengths of the axes before the last two together, and of these.
fn matrices(operation: &'static str, shape: &[usize]) -> Result<[usize; 3]> {
    match shape {
        [batch @ .., rows, columns] => Ok([count(batch), *rows, *columns]),
        _ => Err(Error::new(
            operation,
            format!("a tensor of shape {shape:?} is no matrix"),
        )),
    }
}

/// Where a diagonal of a matrix begins, and how long it is.
fn diagonal(rows: usize, columns: usize, offset: isize) -> ([usize; 2], usize) {
    let by = offset.unsigned_abs();
    let from = if offset < 0 { [by, 0] } else { [0, by] };
    let length = rows
        .saturating_sub(from[0])
        .min(columns.saturating_sub(from[1]));
    (from, length)
}

/// A diagonal of the matrices of the last two axes, as the last axis.
#[derive(Clone)]
struct LastDiagonal {
    offset: isize,
}

impl<T: Float> Operation<T> for LastDiagonal {
    const NAME: &'static str = "diagonal";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let [_, rows, columns] = matrices("diagonal", x[0].shape())?;
        let ([row, column], length) = diagonal(rows, columns, self.offset);
        let mut y = x[0].clone();
        let rank = y.rank();
        let [down, right] = [y.strides[rank - 2], y.strides[rank - 1]];
        if length > 0 && !y.is_known_zero() {
            y.offset += row * down + column * right;
        }
        y.shape.truncate(rank - 1);
        y.strides.truncate(rank - 1);
        (y.shape[rank - 2], y.strides[rank - 2]) = (length, down + right);
        Ok(y)
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let rank = x[0].lengths().len();
        vec![Some(dy.then(OnDiagonal {
            offset: self.offset,
            matrix: [x[0].lengths()[rank - 2], x[0].lengths()[rank - 1]],
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |offset| LastDiagonal { offset };
        vec![
            (of(0), vec![shape(&[3, 3])]),
            (of(1), vec![shape(&[2, 4])]),
            (of(-1), vec![shape(&[2, 4, 2])]),
            (of(5), vec![shape(&[2, 3])]),
            (of(0), vec![shape(&[0, 3])]),
        ]
    }
}

/// The last axis on a diagonal of matrices of zeros.
#[derive(Clone)]
struct OnDiagonal {
    offset: isize,
    matrix: [usize; 2],
}

impl<T: Float> Operation<T> for OnDiagonal {
    const NAME: &'static str = "diag";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let [rows, columns] = self.matrix;
        let mut shape = x[0].shape.clone();
        shape.pop();
        shape.extend(self.matrix);
        let length = size("diag", &shape)?;
        if x[0].is_known_zero() {
            return Ok(Tensor::zero(shape));
        }
        let ([row, column], _) = diagonal(rows, columns, self.offset);
        let mut strides = dense_strides(&shape);
        strides.pop();
        let last = strides.len() - 1;
        strides[last] = columns + 1;
        let mut out = filled(length, T::ZERO);
        write(x[0], &mut out, row * columns + column, &strides);
        Ok(Tensor::of(shape, out))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(LastDiagonal {
            offset: self.offset,
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |offset, matrix| OnDiagonal { offset, matrix };
        vec![
            (of(1, [2, 4]), vec![shape(&[2])]),
            (of(-1, [4, 2]), vec![shape(&[3, 2])]),
            (of(0, [0, 2]), vec![shape(&[0])]),
        ]
    }
}

/// The matrix with a vector on its diagonal, or the diagonal of a matrix.
#[derive(Clone)]
struct Diag;

impl<T: Float> Operation<T> for Diag {
    const NAME: &'static str = "diag";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        match x[0].shape() {
            [n] => {
                size("diag", &[*n, *n])?;
                Ok(self.formula(x))
            }
            [_, _] => Ok(self.formula(x)),
            shape => Err(Error::new(
                "diag",
                format!("a tensor of shape {shape:?} is neither a vector nor a matrix"),
            )),
        }
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        match x[0].lengths() {
            [n] => {
                let matrix = [*n, *n];
                x[0].then(OnDiagonal { offset: 0, matrix })
            }
            _ => x[0].then(LastDiagonal { offset: 0 }),
        }
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        [&[3][..], &[0], &[2, 3], &[3, 3]]
            .map(|at| (Diag, vec![shape(at)]))
            .into()
    }
}

/// A diagonal of the matrices of two axes, as the last axis.
#[derive(Clone)]
struct Diagonal {
    offset: isize,
    axes: [isize; 2],
}

impl Diagonal {
    /// The order in which the two axes are the last ones.
    fn order(&self, rank: usize) -> Result<Dims> {
        let [a, b] = [
            axis("diagonal", rank, self.axes[0])?,
            axis("diagonal", rank, self.axes[1])?,
        ];
        if a == b {
            return Err(Error::new("diagonal", format!("axis {a} is named twice")));
        }
        let mut order: Dims = (0..rank).filter(|axis| *axis != a && *axis != b).collect();
        order.extend([a, b]);
        Ok(order)
    }
}

impl<T: Float> Operation<T> for Diagonal {
    const NAME: &'static str = "diagonal";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.order(x[0].rank())?;
        Ok(self.formula(x))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let order = expect(self.order(x[0].lengths().len()));
        let offset = self.offset;
        x[0].then(Permute { order }).then(LastDiagonal { offset })
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |offset, axes| Diagonal { offset, axes };
        vec![
            (of(0, [0, 1]), vec![shape(&[3, 2])]),
            (of(1, [0, -1]), vec![shape(&[2, 2, 3])]),
            (of(1, [1, 0]), vec![shape(&[2, 3])]),
        ]
    }
}

/// The sum of the diagonal of a matrix.
#[derive(Clone)]
struct Trace;

impl<T: Float> Operation<T> for Trace {
    const NAME: &'static str = "trace";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        if x[0].rank() != 2 {
            return Err(Error::new(
                "trace",
                format!("a tensor of shape {:?} is no matrix", x[0].shape()),
            ));
        }
        Ok(self.formula(x))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        x[0].then(LastDiagonal { offset: 0 }).summed_to(&[])
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        [[3, 3], [2, 4], [4, 2], [0, 2]]
            .map(|at| (Trace, vec![shape(&at)]))
            .into()
    }
}

/// Each entry of an axis but the first minus the one before it.
#[derive(Clone)]
struct Diff {
    axis: isize,
}

impl<T: Float> Operation<T> for Diff {
    const NAME: &'static str = "diff";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        axis("diff", x[0].rank(), self.axis)?;
        Ok(self.formula(x))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let shape = x[0].lengths();
        let axis = expect(axis("diff", shape.len(), self.axis));
        let length = shape[axis].saturating_sub(1);
        let from = |first| x[0].then(Cut::of(shape, axis, first, length, 1));
        from(1).sub(&from(0))
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |axis| Diff { axis };
        vec![
            (of(0), vec![shape(&[4])]),
            (of(-2), vec![shape(&[3, 2])]),
            (of(0), vec![shape(&[1, 2])]),
            (of(0), vec![shape(&[0, 2])]),
        ]
    }
}

moves! {
    /// The same entries row by row in another shape; a view where the entries lie row by row.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(x.reshape(&[2, 2])[[1, 0]], 3.0);
    /// ```
    reshape(; shape: lent [[usize]]) -> tensor = Reshape { shape: shape.into() };
    /// A view with the axes in another order; negative ones count from the end.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::<f64>::ones(&[2, 3, 4]);
    /// assert_eq!(x.permute(&[2, 0, 1]).shape(), [4, 2, 3]);
    /// ```
    permute(; order: lent [[isize]]) -> tensor = PermuteTo { order: order.into() };
    /// A view with two axes exchanged.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::<f64>::ones(&[2, 3, 4]);
    /// assert_eq!(x.transpose(0, -1).shape(), [4, 3, 2]);
    /// ```
    transpose(; a: given [isize], b: given [isize]) -> tensor = Transpose { name: "transpose", axes: [a, b] };
    /// A view with the last two axes exchanged: the transpose of a matrix, or of each of a batch.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(x.t(), Tensor::from([[1.0, 3.0], [2.0, 4.0]]));
    /// ```
    t(;) -> tensor = Transpose { name: "t", axes: [-2, -1] };
    /// A view of every `step`-th entry of an axis from `start` on, before `stop`.
    ///
    /// As in Python, negative numbers count from the end, and ends outside the axis are its own. Steps are positive.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([0.0, 1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(x.slice(0, 1, 5, 2).to_vec(), [1.0, 3.0]);
    /// assert_eq!(x.slice(0, -2, 5, 1).to_vec(), [3.0, 4.0]);
    /// ```
    slice(; axis: given [isize], start: given [isize], stop: given [isize], step: given [isize]) -> tensor = Slice { axis, start, stop, step };
    /// A view of `length` entries of an axis from `start` on.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([0.0, 1.0, 2.0, 3.0]);
    /// assert_eq!(x.narrow(0, 1, 2).to_vec(), [1.0, 2.0]);
    /// ```
    narrow(; axis: given [isize], start: given [usize], length: given [usize]) -> tensor = Narrow { axis, start, length };
    /// A view of what stands at one number of an axis, which is dropped; a negative number counts from the end.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(x.select(1, 0).to_vec(), [1.0, 3.0]);
    /// ```
    select(; axis: given [isize], index: given [isize]) -> tensor = Select { axis, index };
    /// All entries in one axis.
    flatten(;) -> tensor = Flatten {};
    /// Without these axes, which have length 1.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::<f64>::ones(&[2, 1, 3]).squeeze(1).shape(), [2, 3]);
    /// ```
    squeeze(; axes: axes) -> tensor = Squeeze { axes: axes.into() };
    /// Without any axis of length 1.
    squeeze_all(;) -> tensor = SqueezeAll {};
    /// With an axis of length 1 more, which is this one of the result.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([1.0, 2.0]);
    /// assert_eq!(x.unsqueeze(-1).shape(), [2, 1]);
    /// ```
    unsqueeze(; axis: given [isize]) -> tensor = Unsqueeze { axis };
    /// Each entry `shift` places further along an axis; those that leave it come in at the other end.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, 2.0, 3.0]).roll(1, 0).to_vec(), [3.0, 1.0, 2.0]);
    /// ```
    roll(; shift: given [isize], axis: given [isize]) -> tensor = Roll { shift, axis };
    /// The tensor as often along each axis as a number says; there is a number for each axis, and those before them are for new axes.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([1.0, 2.0]);
    /// assert_eq!(x.repeat(&[2, 1]), Tensor::from([[1.0, 2.0], [1.0, 2.0]]));
    /// ```
    repeat(; times: lent [[usize]]) -> tensor = Repeat { name: "repeat", times: times.into() };
    /// As [`repeat`](Self::repeat); where there are fewer numbers than axes, they are for the last ones.
    tile(; times: lent [[usize]]) -> tensor = Tile { times: times.into() };
    /// With axes reversed.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(x.flip(0).to_vec(), [3.0, 4.0, 1.0, 2.0]);
    /// ```
    flip(; axes: axes) -> tensor = Flip { axes: axes.into() };
    /// A view that is stretched to a shape: axes are aligned at the end, and those of length 1 are repeated.
    broadcast_to(; shape: lent [[usize]]) -> tensor = BroadcastTo { shape: shape.into() };
}
methods! {
    /// With a number before and behind the entries of each axis, as often as its pair says; in the order of the axes.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([1.0, 2.0]);
    /// assert_eq!(x.pad(&[[1, 2]], 0.0).to_vec(), [0.0, 1.0, 2.0, 0.0, 0.0]);
    /// ```
    pad(; widths: lent [[[usize; 2]]], value: given [f64]) -> tensor = Pad { widths: widths.into(), value };
    /// The lower triangles of the matrices of the last two axes: what is on the `diagonal`-th diagonal (0 is the main one, 1 that above it) and below; zero elsewhere.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(x.tril(0).to_vec(), [1.0, 0.0, 3.0, 4.0]);
    /// ```
    tril(; diagonal: given [isize]) -> tensor = Triangle { upper: false, diagonal };
    /// The upper triangles of the matrices of the last two axes: what is on the `diagonal`-th diagonal and above; zero elsewhere.
    triu(; diagonal: given [isize]) -> tensor = Triangle { upper: true, diagonal };
    /// The matrix that has a vector on its diagonal, or a view of the diagonal of a matrix.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([1.0, 2.0]);
    /// assert_eq!(x.diag().to_vec(), [1.0, 0.0, 0.0, 2.0]);
    /// assert_eq!(x.diag().diag(), x);
    /// ```
    diag(;) -> tensor = Diag;
    /// A view of the `offset`-th diagonals of the matrices that two axes make, as the last axis.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(x.diagonal(1, 0, 1).to_vec(), [2.0, 6.0]);
    /// ```
    diagonal(; offset: given [isize], a: given [isize], b: given [isize]) -> tensor = Diagonal { offset, axes: [a, b] };
    /// The sum of the diagonal of a matrix, which need not be square.
    trace(;) -> scalar = Trace;
    /// The differences of neighbours along an axis, one fewer than entries.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, 4.0, 9.0]).diff(0).to_vec(), [3.0, 5.0]);
    /// ```
    diff(; axis: given [isize]) -> tensor = Diff { axis };
}

#[cfg(test)]
crate::tensor::testing::operations!(Permute BroadcastTo Reshape Cut Spread Slice Narrow Select PermuteTo Transpose Flip
    Flatten Squeeze SqueezeAll Unsqueeze Roll Pad Repeat Tile Triangle LastDiagonal OnDiagonal Diag Diagonal Trace Diff);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::tensor::operation::Kept;

    #[test]
    fn indices_and_masks_are_arranged_as_numbers_are() {
        let numbers: Tensor<f64> =
            Tensor::from_fn(&[2, 3, 2], |i| (i[0] * 6 + i[1] * 2 + i[2]) as f64);
        let indices: Tensor<usize> = numbers.cast();
        let mask = numbers.gt(5.0);
        macro_rules! same {
            ($($name:ident($($arg:expr),*))*) => {$(
                let arranged = numbers.$name($($arg),*);
                assert_eq!(indices.$name($($arg),*), arranged.cast(), stringify!($name));
                assert_eq!(mask.$name($($arg),*), arranged.gt(5.0), stringify!($name));
            )*};
        }
        same! {
            reshape(&[4, 3]) flatten() t() transpose(0, -1) permute(&[2, 0, 1]) slice(1, 0, 3, 2) narrow(0, 1, 1)
            select(-1, 0) unsqueeze(1) squeeze_all() roll(1, 1) repeat(&[2, 1, 2]) tile(&[3])
            flip([0, 2]) broadcast_to(&[2, 2, 3, 2])
        }
        assert_eq!(
            indices.select(0, 0).unsqueeze(0).squeeze(0),
            indices.select(0, 0)
        );
        assert_eq!(
            indices.try_reshape(&[5]).unwrap_err().to_string(),
            numbers.try_reshape(&[5]).unwrap_err().to_string()
        );
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let x = shape::<f64>(&[2, 3]);
        let message = |y: Result<Tensor<f64>>| y.unwrap_err().to_string();
        assert_eq!(
            message(x.try_slice(1, 0, 3, -1)),
            "slice: the step -1 of axis 1; steps are positive, and `flip` reverses an axis"
        );
        assert!(message(x.try_slice(1, 0, 3, 0)).contains("the step 0"));
        assert_eq!(
            message(x.try_narrow(1, 2, usize::MAX)),
            alloc::format!(
                "narrow: {} entries from 2 on of axis 1, which has length 3",
                usize::MAX
            )
        );
        assert_eq!(
            message(x.try_select(0, -3)),
            "select: index -3 of axis 0, which has length 2"
        );
        assert_eq!(
            message(x.try_permute(&[0, 0])),
            "permute: [0, 0] is no order of the axes of [2, 3]"
        );
        assert_eq!(
            message(shape::<f64>(&[3]).try_t()),
            "t: axis -2 of a tensor that has 1 axes"
        );
        assert_eq!(
            message(x.try_squeeze(-1)),
            "squeeze: axis 1 of [2, 3] has length 3, not 1"
        );
        assert_eq!(
            message(x.try_pad(&[[1, 1]], 0.0)),
            "pad: 1 pairs of widths for the axes of [2, 3]"
        );
        assert!(message(x.try_pad(&[[usize::MAX, 1], [0, 0]], 0.0)).contains("too large"));
        assert_eq!(
            message(x.try_repeat(&[2])),
            "repeat: 1 numbers for the axes of [2, 3]"
        );
        assert!(message(x.try_repeat(&[usize::MAX, 2])).contains("more entries"));
        assert_eq!(
            message(shape::<f64>(&[3]).try_triu(0)),
            "triu: a tensor of shape [3] is no matrix"
        );
        assert!(shape::<f64>(&[3]).try_trace().is_err());
        assert!(message(shape::<f64>(&[2, 2, 2]).try_diag()).contains("neither"));
        assert!(message(x.try_diagonal(0, 1, -1)).contains("twice"));
        assert!(shape::<f64>(&[]).try_roll(1, 0).is_err());
    }

    /// What is not selected may be anything.
    #[test]
    fn nan_outside_does_not_matter() {
        let x = Tensor::from([[1.0, f64::NAN], [2.0, f64::INFINITY]]);
        assert_eq!(x.tril(-1).to_vec(), [0.0, 0.0, 2.0, 0.0]);
        let outside = Tensor::from([[f64::NAN, f64::INFINITY], [1.0, f64::NAN]]);
        let (_, kept) = Kept::new(
            Triangle {
                upper: false,
                diagonal: -1,
            },
            vec![x],
        );
        assert_eq!(
            kept.pull(&outside, &[true])[0].to_vec(),
            [0.0, 0.0, 1.0, 0.0]
        );
    }

    #[test]
    fn padding_may_be_infinite() {
        let pad = Pad {
            widths: vec![[1, 0]],
            value: f64::NEG_INFINITY,
        };
        let (y, kept) = Kept::new(pad, vec![Tensor::from([2.0])]);
        assert_eq!(y.to_vec(), [f64::NEG_INFINITY, 2.0]);
        let seed = Tensor::from([f64::NAN, 3.0]);
        assert_eq!(kept.pull(&seed, &[true])[0].to_vec(), [3.0]);
    }

    /// Views share the entries that they are views of.
    #[test]
    fn views_are_no_copies() {
        let x = shape::<f64>(&[4, 6]);
        let same = |y: &Tensor<f64>| core::ptr::eq(&raw const x.data()[0], &raw const y.data()[0]);
        for y in [
            x.t(),
            x.permute(&[1, 0]),
            x.slice(1, 0, 6, 2),
            x.narrow(0, 0, 2),
            x.select(1, 0),
            x.reshape(&[2, 2, 6]),
            x.t().reshape(&[2, 3, 4]),
            x.slice(1, 0, 3, 1).reshape(&[2, 2, 3, 1]),
            x.t().unsqueeze(1),
            x.diagonal(0, 0, 1),
            x.broadcast_to(&[2, 4, 6]).reshape(&[2, 24]),
            x.flatten(),
        ] {
            assert!(same(&y), "{:?}", y.shape());
        }
        assert_eq!(x.t().flatten().to_vec(), x.t().to_vec());
        assert_eq!(
            x.slice(1, 0, 3, 1).reshape(&[2, 6]).to_vec(),
            x.slice(1, 0, 3, 1).to_vec()
        );
    }

    #[test]
    fn slices_as_in_python() {
        let x = Tensor::from([0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(x.slice(0, -3, -1, 1).to_vec(), [2.0, 3.0]);
        assert_eq!(x.slice(0, -100, 100, 3).to_vec(), [0.0, 3.0]);
        assert_eq!(x.slice(0, 4, 1, 1).shape(), [0]);
        assert_eq!(
            x.slice(0, isize::MIN, isize::MAX, isize::MAX).to_vec(),
            [0.0]
        );
    }
}
