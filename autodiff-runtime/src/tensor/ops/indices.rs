//! Entries that indices choose, and sums at the places that they name.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::moves::{ByShape, Cut, Moves, Spread};
use crate::element::Element;
use crate::float::Float;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::{Dims, axis, count, dense_strides, size};
use crate::tensor::elementwise::walk;
use crate::tensor::error::{Error, Result, expect};
use crate::tensor::forms::{attribute, methods, moves};
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::{anything, filled};
#[cfg(test)]
use crate::tensor::testing::{shape, shifted};

/// The first index that is not below the length of an axis is an error.
fn inside(
    operation: &'static str,
    index: &Tensor<usize>,
    axis: usize,
    length: usize,
) -> Result<()> {
    let inside = |index: &usize| *index < length;
    let outside = match index.dense() {
        Some(entries) => entries.iter().copied().find(|k| !inside(k)),
        None => index.iter().find(|k| !inside(k)),
    };
    outside.map_or(Ok(()), |index| {
        Err(Error::new(
            operation,
            format!("index {index} of axis {axis}, which has length {length}"),
        ))
    })
}

/// The axis, if an index has as many axes as a tensor and is nowhere longer but along it, and names entries that there are.
fn fitting(
    operation: &'static str,
    at: isize,
    index: &Tensor<usize>,
    shape: &[usize],
) -> Result<usize> {
    let axis = axis(operation, shape.len(), at)?;
    let fits = index.rank() == shape.len()
        && (0..shape.len()).all(|k| k == axis || index.shape()[k] <= shape[k]);
    if !fits {
        return Err(Error::new(
            operation,
            format!(
                "an index of shape {:?} for axis {axis} of a tensor of shape {shape:?}",
                index.shape()
            ),
        ));
    }
    inside(operation, index, axis, shape[axis])?;
    Ok(axis)
}

/// Strides without that of one axis, and that one.
fn without(strides: &[usize], axis: usize) -> (Dims, usize) {
    let mut others: Dims = strides.into();
    let stride = core::mem::take(&mut others[axis]);
    (others, stride)
}

/// At each place of the index, the entry whose number along an axis it is.
#[derive(Clone)]
pub(crate) struct Gather {
    pub(crate) axis: isize,
    pub(crate) index: Tensor<usize>,
}

impl Moves for Gather {
    fn moved<E: Element>(&self, x: &Tensor<E>) -> Result<Tensor<E>> {
        let axis = fitting("gather", self.axis, &self.index, x.shape())?;
        let shape = self.index.shape.clone();
        if x.is_known_zero() {
            return Ok(Tensor::zero(shape));
        }
        let index = self.index.contiguous();
        let mut out = anything(index.len());
        let (others, stride) = without(&x.strides, axis);
        let (data, numbers) = (x.data(), index.data());
        walk(
            &shape,
            [&index.strides, &others],
            |[at, from], [_, step], n| {
                let row = out[at..at + n].iter_mut().zip(&numbers[at..at + n]);
                for (k, (to, number)) in row.enumerate() {
                    *to = data[from + k * step + number * stride];
                }
            },
        );
        Ok(Tensor::of(shape, out))
    }
}

impl<T: Float> Operation<T> for Gather {
    const NAME: &'static str = "gather";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.moved(x[0])
    }

    fn push<A: Algebra<T>>(&self, _: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        dx[0].map_or_else(|| y.nothing(), |d| d.then(self.clone()))
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(Scatter {
            shape: x[0].lengths().into(),
            axis: self.axis,
            index: self.index.clone(),
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |axis, shape: &[usize], index: &[usize]| Gather {
            axis,
            index: Tensor::from_vec(shape, index.to_vec()),
        };
        vec![
            (of(0, &[2, 3], &[3, 0, 1, 1, 0, 1]), vec![shape(&[4, 3])]),
            (of(-1, &[3, 2], &[4, 4, 0, 1, 2, 2]), vec![shape(&[3, 5])]),
            (
                of(2, &[1, 2, 3], &[1, 1, 1, 0, 3, 2]),
                vec![shape(&[2, 3, 4])],
            ),
            (of(0, &[5], &[0, 0, 0, 1, 0]), vec![shape(&[2])]),
            (of(0, &[0, 2], &[]), vec![shape(&[3, 2])]),
            (of(1, &[0, 4], &[]), vec![shape(&[0, 0])]),
        ]
    }
}

/// Zeros of a shape, with each entry added where the index says along an axis.
#[derive(Clone)]
pub(crate) struct Scatter {
    pub(crate) shape: Dims,
    pub(crate) axis: isize,
    pub(crate) index: Tensor<usize>,
}

/// Adds each entry of `source`, which has the index's shape, where the index says along an axis of a dense tensor's entries.
fn scatter<T: Float>(
    out: &mut [T],
    shape: &[usize],
    axis: usize,
    index: &Tensor<usize>,
    source: &Tensor<T>,
) {
    if source.is_known_zero() {
        return;
    }
    let index = index.contiguous();
    let (others, stride) = without(&dense_strides(shape), axis);
    let (data, numbers) = (source.data(), index.data());
    walk(
        &index.shape,
        [&index.strides, &others, &source.strides],
        |[at, to, from], [_, to_step, from_step], n| {
            for (k, number) in numbers[at..at + n].iter().enumerate() {
                out[to + k * to_step + number * stride] += data[from + k * from_step];
            }
        },
    );
}

impl<T: Float> Operation<T> for Scatter {
    const NAME: &'static str = "gather";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let axis = fitting("gather", self.axis, &self.index, &self.shape)?;
        if x[0].is_known_zero() {
            return Ok(Tensor::zero(self.shape.clone()));
        }
        let mut out = filled(count(&self.shape), T::ZERO);
        scatter(&mut out, &self.shape, axis, &self.index, x[0]);
        Ok(Tensor::of(self.shape.clone(), out))
    }

    fn push<A: Algebra<T>>(&self, _: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        dx[0].map_or_else(|| y.nothing(), |d| d.then(self.clone()))
    }

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(Gather {
            axis: self.axis,
            index: self.index.clone(),
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![(
            Scatter {
                shape: [4, 3].into_iter().collect(),
                axis: 0,
                index: Tensor::from([[3, 0], [1, 0], [3, 0]]),
            },
            vec![shape(&[3, 2])],
        )]
    }
}

/// The first operand, with entries of the second added where the index says along an axis.
#[derive(Clone)]
struct ScatterAdd {
    axis: isize,
    index: Tensor<usize>,
}

impl ScatterAdd {
    /// The part of the source that the index speaks of.
    fn used<T: Float, A: Algebra<T>>(&self, source: &A) -> A {
        if source.lengths() == self.index.shape() {
            source.clone()
        } else {
            source.then(Cut::to(self.index.shape()))
        }
    }
}

impl<T: Float> Operation<T> for ScatterAdd {
    const NAME: &'static str = "scatter_add";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let axis = fitting("scatter_add", self.axis, &self.index, x[0].shape())?;
        let (index, source) = (self.index.shape(), x[1].shape());
        if index.len() != source.len() || index.iter().zip(source).any(|(n, m)| n > m) {
            return Err(Error::new(
                "scatter_add",
                format!("an index of shape {index:?} for a source of shape {source:?}"),
            ));
        }
        if x[1].is_known_zero() {
            return Ok(x[0].clone());
        }
        let mut y = x[0].clone();
        let shape = y.shape.clone();
        scatter(y.entries_mut(), &shape, axis, &self.index, &self.used(x[1]));
        Ok(y)
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        match (dx[0], dx[1]) {
            (Some(a), None) => a.clone(),
            (Some(a), Some(b)) => A::apply(self, &[a, b]),
            (None, Some(b)) => A::apply(self, &[&x[0].nothing(), b]),
            (None, None) => y.nothing(),
        }
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let source = || {
            let d = dy.then(Gather {
                axis: self.axis,
                index: self.index.clone(),
            });
            let whole = x[1].lengths();
            if d.lengths() == whole {
                return d;
            }
            d.then(Spread {
                shape: whole.into(),
                first: Dims::from_elem(0, whole.len()),
                step: Dims::from_elem(1, whole.len()),
            })
        };
        vec![wanted[0].then(|| dy.clone()), wanted[1].then(source)]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |axis, shape: &[usize], index: &[usize]| ScatterAdd {
            axis,
            index: Tensor::from_vec(shape, index.to_vec()),
        };
        vec![
            (
                of(0, &[2, 3], &[3, 0, 1, 3, 0, 1]),
                vec![shape(&[4, 3]), shifted(&[2, 3], 9.0)],
            ),
            (
                of(-1, &[2, 2], &[4, 4, 0, 1]),
                vec![shape(&[3, 5]), shifted(&[3, 4], 9.0)],
            ),
            (
                of(0, &[4], &[0, 0, 0, 1]),
                vec![shape(&[2]), shifted(&[4], 9.0)],
            ),
            (of(0, &[0], &[]), vec![shape(&[2]), shifted(&[3], 9.0)]),
        ]
    }
}

/// The rows along an axis that an index names; its axes are where that axis was.
#[derive(Clone)]
pub(crate) struct Take {
    pub(crate) name: &'static str,
    pub(crate) axis: usize,
    pub(crate) index: Tensor<usize>,
}

/// How many rows stand before an axis, and how long each of its entries is.
fn around(shape: &[usize], axis: usize) -> [usize; 2] {
    [count(&shape[..axis]), count(&shape[axis + 1..])]
}

impl Moves for Take {
    fn moved<E: Element>(&self, x: &Tensor<E>) -> Result<Tensor<E>> {
        let from = x.shape();
        inside(self.name, &self.index, self.axis, from[self.axis])?;
        let mut shape: Dims = from[..self.axis].into();
        shape.extend(self.index.shape().iter().copied());
        shape.extend(from[self.axis + 1..].iter().copied());
        let length = size(self.name, &shape)?;
        if x.is_known_zero() || length == 0 {
            return Ok(Tensor::zero(shape));
        }
        let (source, index) = (x.contiguous(), self.index.contiguous());
        let [_, inner] = around(from, self.axis);
        let numbers = &index.data()[..index.len()];
        let mut out = anything(length);
        let mut to = out.chunks_exact_mut(inner);
        for block in source.data()[..source.len()].chunks_exact(from[self.axis] * inner) {
            for (number, to) in numbers.iter().zip(&mut to) {
                to.copy_from_slice(&block[number * inner..(number + 1) * inner]);
            }
        }
        Ok(Tensor::of(shape, out))
    }
}

impl<T: Float> Operation<T> for Take {
    const NAME: &'static str = "index_select";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.moved(x[0])
    }

    fn push<A: Algebra<T>>(&self, _: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        dx[0].map_or_else(|| y.nothing(), |d| d.then(self.clone()))
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(Deal {
            length: x[0].lengths()[self.axis],
            taken: self.clone(),
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |axis, index: Tensor<usize>| Take {
            name: "index_select",
            axis,
            index,
        };
        vec![
            (
                of(0, Tensor::from([[4, 1, 1], [0, 4, 2]])),
                vec![shape(&[5, 3])],
            ),
            (of(1, Tensor::from([2, 2, 0])), vec![shape(&[2, 3, 2])]),
            (of(1, Tensor::scalar(2)), vec![shape(&[2, 3])]),
            (of(0, Tensor::zeros(&[0])), vec![shape(&[2, 3])]),
            (of(0, Tensor::from([1, 1])), vec![shape(&[2, 0])]),
        ]
    }
}

/// Zeros, with the rows added where [`Take`] takes them from.
#[derive(Clone)]
pub(crate) struct Deal {
    length: usize,
    taken: Take,
}

/// Adds rows along an axis of a dense tensor's entries where an index says.
fn deal<T: Float>(
    out: &mut [T],
    [length, inner]: [usize; 2],
    index: &Tensor<usize>,
    rows: &Tensor<T>,
) {
    if rows.is_known_zero() || out.is_empty() {
        return;
    }
    let (rows, index) = (rows.contiguous(), index.contiguous());
    let numbers = &index.data()[..index.len()];
    let mut from = rows.data()[..rows.len()].chunks_exact(inner);
    for block in out.chunks_exact_mut(length * inner) {
        for (number, from) in numbers.iter().zip(&mut from) {
            let row = &mut block[number * inner..(number + 1) * inner];
            for (to, x) in row.iter_mut().zip(from) {
                *to += *x;
            }
        }
    }
}

impl<T: Float> Operation<T> for Deal {
    const NAME: &'static str = "index_select";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let Take { axis, index, .. } = &self.taken;
        let mut shape: Dims = x[0].shape()[..*axis].into();
        shape.push(self.length);
        shape.extend(x[0].shape()[axis + index.rank()..].iter().copied());
        if x[0].is_known_zero() {
            return Ok(Tensor::zero(shape));
        }
        let [_, inner] = around(&shape, *axis);
        let mut out = filled(count(&shape), T::ZERO);
        deal(&mut out, [self.length, inner], index, x[0]);
        Ok(Tensor::of(shape, out))
    }

    fn push<A: Algebra<T>>(&self, _: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        dx[0].map_or_else(|| y.nothing(), |d| d.then(self.clone()))
    }

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(self.taken.clone()))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        <Take as Operation<T>>::points()
            .into_iter()
            .map(|(taken, x)| {
                let length = x[0].shape()[taken.axis];
                let y = expect(taken.value(&[&x[0]]));
                (Deal { length, taken }, vec![shape(y.shape())])
            })
            .collect()
    }
}

/// The rows of a matrix that an index names.
#[derive(Clone)]
struct Embedding {
    index: Tensor<usize>,
}

impl ByShape for Embedding {
    const NAME: &'static str = "embedding";
    type Is = Take;

    fn on(&self, shape: &[usize]) -> Result<Take> {
        if shape.len() != 2 {
            return Err(Error::new(
                "embedding",
                format!("the weight has the shape {shape:?}, and is to be a matrix"),
            ));
        }
        Ok(Take {
            name: "embedding",
            axis: 0,
            index: self.index.clone(),
        })
    }

    #[cfg(test)]
    fn points<T: Float>() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |index| Embedding { index };
        vec![
            (of(Tensor::from([4, 1, 1, 0])), vec![shape(&[5, 3])]),
            (of(Tensor::from([[6, 0], [6, 6]])), vec![shape(&[7, 2])]),
            (of(Tensor::scalar(1)), vec![shape(&[3, 4])]),
            (of(Tensor::zeros(&[2])), vec![shape(&[3, 1])]),
        ]
    }
}

/// The entries of an axis that a list names.
#[derive(Clone)]
struct IndexSelect {
    axis: isize,
    index: Tensor<usize>,
}

/// A list along an axis.
fn list(
    operation: &'static str,
    at: isize,
    index: &Tensor<usize>,
    shape: &[usize],
) -> Result<usize> {
    if index.rank() != 1 {
        return Err(Error::new(
            operation,
            format!(
                "the index has the shape {:?}, and is to be a list",
                index.shape()
            ),
        ));
    }
    axis(operation, shape.len(), at)
}

impl ByShape for IndexSelect {
    const NAME: &'static str = "index_select";
    type Is = Take;

    fn on(&self, shape: &[usize]) -> Result<Take> {
        Ok(Take {
            name: "index_select",
            axis: list("index_select", self.axis, &self.index, shape)?,
            index: self.index.clone(),
        })
    }

    #[cfg(test)]
    fn points<T: Float>() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |axis, index| IndexSelect { axis, index };
        vec![
            (of(-1, Tensor::from([2, 0, 2])), vec![shape(&[2, 3])]),
            (of(0, Tensor::zeros(&[0])), vec![shape(&[2, 3])]),
        ]
    }
}

/// The first operand, with the rows of the second added along an axis where a list says.
#[derive(Clone)]
struct IndexAdd {
    axis: isize,
    index: Tensor<usize>,
}

impl<T: Float> Operation<T> for IndexAdd {
    const NAME: &'static str = "index_add";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let axis = list("index_add", self.axis, &self.index, x[0].shape())?;
        let mut fits = x[0].shape.clone();
        fits[axis] = self.index.len();
        if x[1].shape() != fits.as_slice() {
            return Err(Error::new(
                "index_add",
                format!(
                    "a source of shape {:?} where {:?} fits: {} indices along axis {axis} of {:?}",
                    x[1].shape(),
                    &fits[..],
                    self.index.len(),
                    x[0].shape()
                ),
            ));
        }
        let length = x[0].shape()[axis];
        inside("index_add", &self.index, axis, length)?;
        if x[1].is_known_zero() {
            return Ok(x[0].clone());
        }
        let mut y = x[0].clone();
        let [_, inner] = around(x[0].shape(), axis);
        deal(y.entries_mut(), [length, inner], &self.index, x[1]);
        Ok(y)
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        match (dx[0], dx[1]) {
            (Some(a), None) => a.clone(),
            (Some(a), Some(b)) => A::apply(self, &[a, b]),
            (None, Some(b)) => A::apply(self, &[&x[0].nothing(), b]),
            (None, None) => y.nothing(),
        }
    }

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let rows = || {
            dy.then(IndexSelect {
                axis: self.axis,
                index: self.index.clone(),
            })
        };
        vec![wanted[0].then(|| dy.clone()), wanted[1].then(rows)]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |axis, index: Tensor<usize>| IndexAdd { axis, index };
        vec![
            (
                of(0, Tensor::from([3, 0, 3])),
                vec![shape(&[4, 2]), shifted(&[3, 2], 9.0)],
            ),
            (
                of(-1, Tensor::from([1, 1])),
                vec![shape(&[2, 3]), shifted(&[2, 2], 9.0)],
            ),
            (
                of(0, Tensor::zeros(&[0])),
                vec![shape(&[2]), shifted(&[0], 9.0)],
            ),
        ]
    }
}

moves! {
    /// The rows of this matrix that an index names: `y[i…] = x[index[i…]]`. Of a row that is named twice the cotangents are added.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let weight = Tensor::from([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    /// let tokens = Tensor::from([2, 0]);
    /// assert_eq!(weight.embedding(&tokens), Tensor::from([[5.0, 6.0], [1.0, 2.0]]));
    /// ```
    embedding(; index: lent [Tensor<usize>]) -> tensor = Embedding { index: index.clone() };
    /// Along axis 0: `y[i][j] = x[index[i][j]][j]`, and the same for other axes and ranks. The index is nowhere longer than the tensor but along the axis.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
    /// let index = Tensor::from([[1], [0]]);
    /// assert_eq!(x.gather(1, &index).to_vec(), [2.0, 3.0]);
    /// ```
    gather(; axis: given [isize], index: lent [Tensor<usize>]) -> tensor = Gather { axis, index: index.clone() };
    /// The entries of an axis that a list names.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
    /// let last = Tensor::from([1, 1]);
    /// assert_eq!(x.index_select(0, &last), Tensor::from([[3.0, 4.0], [3.0, 4.0]]));
    /// ```
    index_select(; axis: given [isize], index: lent [Tensor<usize>]) -> tensor = IndexSelect { axis, index: index.clone() };
}
methods! {
    /// Along axis 0: `src[i][j]` is added at `[index[i][j]][j]`, and the same for other axes and ranks; the index is nowhere longer than the source.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let index = Tensor::from([1, 1, 0]);
    /// let counts = Tensor::<f64>::zeros(&[3]).scatter_add(0, &index, Tensor::ones(&[3]));
    /// assert_eq!(counts.to_vec(), [1.0, 2.0, 0.0]);
    /// ```
    scatter_add(axis: given [isize], index: lent [Tensor<usize>]; src;) -> tensor = ScatterAdd { axis, index: index.clone() };
    /// The rows of `src` along an axis are added where a list says.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let index = Tensor::from([1, 1]);
    /// let sums = Tensor::<f64>::zeros(&[2, 2]).index_add(0, &index, Tensor::from([[1.0, 2.0], [3.0, 4.0]]));
    /// assert_eq!(sums.to_vec(), [0.0, 0.0, 4.0, 6.0]);
    /// ```
    index_add(axis: given [isize], index: lent [Tensor<usize>]; src;) -> tensor = IndexAdd { axis, index: index.clone() };
}

impl Tensor<usize> {
    /// For each index a row of `classes` numbers, which are 0 but for a 1 at the index.
    ///
    /// # Panics
    /// If an index is not below the number of classes.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let rows: Tensor<f64> = Tensor::from([1, 0]).one_hot(3);
    /// assert_eq!(rows.to_vec(), [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn one_hot<T: Float>(&self, classes: usize) -> Tensor<T> {
        expect(self.try_one_hot(classes))
    }

    /// As [`one_hot`](Tensor::one_hot).
    ///
    /// # Errors
    /// Where that panics, with the index and the number of classes.
    pub fn try_one_hot<T: Float>(&self, classes: usize) -> Result<Tensor<T>> {
        let mut shape = self.shape.clone();
        shape.push(classes);
        let length = size("one_hot", &shape)?;
        inside("one_hot", self, self.rank(), classes)?;
        let mut out = filled(length, T::ZERO);
        for (row, index) in out.chunks_exact_mut(classes.max(1)).zip(self) {
            row[index] = T::ONE;
        }
        Ok(Tensor::of(shape, out))
    }
}

#[cfg(test)]
crate::tensor::testing::operations!(Gather Scatter ScatterAdd Take Deal Embedding IndexSelect IndexAdd);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::tensor::operation::Kept;

    #[test]
    fn indices_choose_among_indices_and_masks() {
        let classes = Tensor::from([[5, 7], [9, 11]]);
        assert_eq!(
            classes.index_select(0, &Tensor::from([1, 1])),
            Tensor::from([[9, 11], [9, 11]])
        );
        assert_eq!(
            classes.embedding(&Tensor::from([1])),
            Tensor::from([[9, 11]])
        );
        assert_eq!(
            classes.gather(1, &Tensor::from([[1], [0]])),
            Tensor::from([[7], [9]])
        );
        let mask = Tensor::from([true, false]);
        assert_eq!(
            mask.index_select(0, &Tensor::from([1, 0, 0])),
            Tensor::from([false, true, true])
        );
    }

    #[test]
    fn indices_outside_are_named() {
        let x = shape::<f64>(&[3, 2]);
        let message = |y: Result<Tensor<f64>>| y.unwrap_err().to_string();
        assert_eq!(
            message(x.try_embedding(&Tensor::from([0, 3]))),
            "embedding: index 3 of axis 0, which has length 3"
        );
        assert_eq!(
            message(x.try_gather(1, &Tensor::from([[0], [2]]))),
            "gather: index 2 of axis 1, which has length 2"
        );
        assert_eq!(
            message(x.try_gather(0, &Tensor::from([0]))),
            "gather: an index of shape [1] for axis 0 of a tensor of shape [3, 2]"
        );
        assert_eq!(
            message(x.try_index_select(-1, &Tensor::from([5]))),
            "index_select: index 5 of axis 1, which has length 2"
        );
        assert_eq!(
            message(x.try_scatter_add(0, &Tensor::from([[9, 0]]), &x)),
            "scatter_add: index 9 of axis 0, which has length 3"
        );
        assert_eq!(
            message(x.try_scatter_add(0, &Tensor::from([[1, 0]]), Tensor::ones(&[1, 1]))),
            "scatter_add: an index of shape [1, 2] for a source of shape [1, 1]"
        );
        assert_eq!(
            message(x.try_index_add(0, &Tensor::from([7]), Tensor::ones(&[1, 2]))),
            "index_add: index 7 of axis 0, which has length 3"
        );
        assert_eq!(
            message(Tensor::from([[4]]).try_one_hot(4)),
            "one_hot: index 4 of axis 2, which has length 4"
        );
        assert_eq!(
            message(Tensor::<f64>::ones(&[0, 2]).try_embedding(&Tensor::zeros(&[1]))),
            "embedding: index 0 of axis 0, which has length 0"
        );
        assert!(message(shape::<f64>(&[3]).try_embedding(&Tensor::zeros(&[1]))).contains("[3]"));
    }

    #[test]
    fn rows_that_are_not_used_keep_their_nan_to_themselves() {
        let x = Tensor::from([[1.0, 2.0], [f64::NAN, f64::INFINITY], [3.0, 4.0]]);
        let index = Tensor::from([0, 2, 2]);
        let (y, kept) = Kept::new(Embedding { index }, vec![x]);
        assert_eq!(y.to_vec(), [1.0, 2.0, 3.0, 4.0, 3.0, 4.0]);
        let bars = kept.pull(&Tensor::ones(&[3, 2]), &[true]);
        assert_eq!(bars[0].to_vec(), [1.0, 1.0, 0.0, 0.0, 2.0, 2.0]);
    }

    #[test]
    fn nothing_is_named() {
        let x = shape::<f64>(&[3, 2]);
        assert_eq!(x.embedding(&Tensor::zeros(&[0])).shape(), [0, 2]);
        assert_eq!(x.embedding(&Tensor::zeros(&[])).shape(), [2]);
        assert_eq!(x.scatter_add(0, &Tensor::zeros(&[0, 2]), &x), x);
        assert_eq!(
            shape::<f64>(&[0, 3])
                .embedding(&Tensor::zeros(&[0]))
                .shape(),
            [0, 3]
        );
        let rows: Tensor<f64> = Tensor::zeros(&[0]).one_hot(0);
        assert_eq!(rows.shape(), [0, 0]);
    }
}
