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
use crate::tensor::forms::{attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::filled;
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
pub(super) trait ByShape: Clone + Send + 'static {
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

impl<T: Float> Operation<T> for Permute {
    const NAME: &'static str = "permute";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let mut sorted = self.order.clone();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..x[0].rank()) {
            return Err(Error::new(
                "permute",
                format!(
                    "{:?} is no order of the axes of {:?}",
                    &self.order[..],
                    x[0].shape()
                ),
            ));
        }
        Ok(x[0].permuted(&self.order))
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

impl<T: Float> Operation<T> for BroadcastTo {
    const NAME: &'static str = "broadcast_to";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let (from, to) = (x[0].shape(), &self.shape);
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
        Ok(x[0].stretched_view(to))
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

impl<T: Float> Operation<T> for Reshape {
    const NAME: &'static str = "reshape";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        size("reshape", &self.shape)?;
        if count(&self.shape) != x[0].len() {
            return Err(Error::shapes(
                "reshape",
                "the shapes have different numbers of entries",
                x[0].shape(),
                &self.shape,
            ));
        }
        Ok((x[0].viewed_as(&self.shape)).unwrap_or_else(|| x[0].reshaped(&self.shape)))
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

impl<T: Float> Operation<T> for Cut {
    const NAME: &'static str = "slice";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let whole = x[0].clone();
        Ok((0..x[0].rank()).fold(whole, |y, axis| {
            y.cut(axis, self.first[axis], self.count[axis], self.step[axis])
        }))
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
            *stride *= step;
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
}

impl<T: Float> Operation<T> for Select {
    const NAME: &'static str = "select";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.cut(x[0].shape())?;
        Ok(self.formula(x))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let mut left: Dims = x[0].lengths().into();
        left.remove(expect(axis("select", left.len(), self.axis)));
        let cut = expect(self.cut(x[0].lengths()));
        x[0].then(cut).shaped(&left)
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

impl<T: Float> Operation<T> for Flip {
    const NAME: &'static str = "flip";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let axes = self.axes.of("flip", x[0].rank())?;
        if x[0].is_known_zero() || x[0].is_empty() {
            return Ok(x[0].clone());
        }
        let mut y = x[0].clone();
        for axis in axes {
            let from = y.contiguous();
            let (n, inner) = (y.shape[axis], count(&y.shape[axis + 1..]));
            let mut out = Vec::with_capacity(y.len());
            for block in from.dense().unwrap_or(&[]).chunks_exact(n * inner) {
                for row in block.chunks_exact(inner).rev() {
                    out.extend_from_slice(row);
                }
            }
            y = Tensor::of(y.shape.clone(), out);
        }
        Ok(y)
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

methods! {
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

#[cfg(test)]
crate::tensor::testing::operations!(Permute BroadcastTo Reshape Cut Spread Slice Narrow Select PermuteTo Transpose Flip);
