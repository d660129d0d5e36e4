//! The largest entry, or the mean, of each of many windows.

use alloc::format;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use super::conv::{Window, narrow, planes, widened};
use super::moves::linear;
use crate::float::Float;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::{Dims, count, size};
use crate::tensor::error::{Error, Result};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::filled;
#[cfg(test)]
use crate::tensor::testing::shape;

macro_rules! options {
    ($(#[$doc:meta])* $name:ident, $length:ty, $zero:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            kernel: $length,
            stride: $length,
            padding: $length,
            count_include_pad: bool,
        }

        impl $name {
            /// Windows of this size, one beside the other, without padding.
            #[must_use]
            pub fn new(kernel: $length) -> Self {
                $name { kernel, stride: kernel, padding: $zero, count_include_pad: true }
            }

            /// From one window to the next.
            #[must_use]
            pub fn stride(mut self, stride: $length) -> Self {
                self.stride = stride;
                self
            }

            /// How far windows reach beyond the input on each side: at most half of their size.
            #[must_use]
            pub fn padding(mut self, padding: $length) -> Self {
                self.padding = padding;
                self
            }

            /// Whether a mean is divided by the size of the window also where that reaches beyond the input; it is where nobody says otherwise.
            #[must_use]
            pub fn count_include_pad(mut self, count_include_pad: bool) -> Self {
                self.count_include_pad = count_include_pad;
                self
            }
        }
    };
}

options! {
    /// How the windows of [`max_pool1d`](Tensor::max_pool1d) and [`avg_pool1d`](Tensor::avg_pool1d) lie.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Pool1d;
    /// assert_eq!(Pool1d::new(2), Pool1d::new(2).stride(2).padding(0));
    /// ```
    Pool1d, usize, 0
}
options! {
    /// How the windows of [`max_pool2d`](Tensor::max_pool2d) and [`avg_pool2d`](Tensor::avg_pool2d) lie, by rows and by columns.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Pool2d;
    /// assert_eq!(Pool2d::new([2, 3]), Pool2d::new([2, 3]).stride([2, 3]).padding([0, 0]));
    /// ```
    Pool2d, [usize; 2], [0, 0]
}

impl From<Pool1d> for Pool2d {
    fn from(one: Pool1d) -> Self {
        Pool2d {
            kernel: [1, one.kernel],
            stride: [1, one.stride],
            padding: [0, one.padding],
            count_include_pad: one.count_include_pad,
        }
    }
}

/// Where the windows lie in an input.
struct Layout {
    pool: Pool2d,
    input: [usize; 2],
    number: [usize; 2],
    result: Dims,
}

impl Layout {
    fn new(operation: &'static str, pool: Pool2d, shape: &[usize]) -> Result<Self> {
        if shape.len() < 2 {
            return Err(Error::new(
                operation,
                format!("the input has the shape {shape:?}, but windows need two axes"),
            ));
        }
        let (outer, input) = planes(shape);
        if (0..2).any(|axis| pool.padding[axis] > pool.kernel[axis] / 2) {
            return Err(Error::new(
                operation,
                format!(
                    "the padding {:?} is more than half of the kernel {:?}",
                    pool.padding, pool.kernel
                ),
            ));
        }
        let window = Window {
            kernel: pool.kernel,
            stride: pool.stride,
            padding: pool.padding,
            dilation: [1, 1],
        };
        let number = window.number(operation, input)?;
        // Beside an input without entries a window has none.
        if input.contains(&0) {
            return Err(Error::new(
                operation,
                format!("the input {shape:?} has no entries in its windows"),
            ));
        }
        let mut result: Dims = outer.into();
        result.extend(number);
        size(operation, &result)?;
        Ok(Layout {
            pool,
            input,
            number,
            result,
        })
    }

    /// The part of an axis that a window lies over.
    fn part(&self, axis: usize, k: usize) -> (usize, usize) {
        let first = k * self.pool.stride[axis];
        let padding = self.pool.padding[axis];
        let end = (first + self.pool.kernel[axis]).saturating_sub(padding);
        (first.saturating_sub(padding), end.min(self.input[axis]))
    }

    /// Calls `at` with the rows and the columns of every window of a plane.
    fn each(&self, mut at: impl FnMut((usize, usize), (usize, usize))) {
        for i in 0..self.number[0] {
            for j in 0..self.number[1] {
                at(self.part(0, i), self.part(1, j));
            }
        }
    }

    /// What a mean is divided by.
    fn divisor(&self, rows: (usize, usize), columns: (usize, usize)) -> f64 {
        let size = if self.pool.count_include_pad {
            count(&self.pool.kernel)
        } else {
            (rows.1 - rows.0) * (columns.1 - columns.0)
        };
        size as f64
    }
}

/// For every window where its largest entry lies: the first one of several, the last NaN if there is one.
fn winners<T: Float>(layout: &Layout, x: &Tensor<T>) -> Vec<usize> {
    let x = x.contiguous();
    let (entries, plane) = (x.dense().unwrap_or(&[]), count(&layout.input));
    let mut out = Vec::with_capacity(count(&layout.result));
    for (k, entries) in entries.chunks_exact(plane).enumerate() {
        layout.each(|rows, columns| {
            let mut best = rows.0 * layout.input[1] + columns.0;
            for i in rows.0..rows.1 {
                for at in i * layout.input[1] + columns.0..i * layout.input[1] + columns.1 {
                    if entries[at] > entries[best] || entries[at].is_nan() {
                        best = at;
                    }
                }
            }
            out.push(k * plane + best);
        });
    }
    out
}

/// The entries at certain places.
#[derive(Clone)]
struct Pick {
    places: Arc<[usize]>,
    shape: Dims,
}

/// Zero but at certain places, where entries are added.
#[derive(Clone)]
struct Put {
    places: Arc<[usize]>,
    shape: Dims,
}

impl<T: Float> Operation<T> for Pick {
    const NAME: &'static str = "max_pool2d";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let x = x[0].contiguous();
        let entries = x.dense().unwrap_or(&[]);
        Ok(Tensor::of(
            self.shape.clone(),
            self.places.iter().map(|k| entries[*k]).collect(),
        ))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(Put {
            places: self.places.clone(),
            shape: x[0].lengths().into(),
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![(
            Pick {
                places: [4, 1, 4].into(),
                shape: [3, 1].into_iter().collect(),
            },
            vec![shape(&[2, 3])],
        )]
    }
}

impl<T: Float> Operation<T> for Put {
    const NAME: &'static str = "max_pool2d";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let mut out = filled(size("max_pool2d", &self.shape)?, T::ZERO);
        let x = x[0].contiguous();
        for (at, x) in self.places.iter().zip(x.dense().unwrap_or(&[])) {
            out[*at] += *x;
        }
        Ok(Tensor::of(self.shape.clone(), out))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(Pick {
            places: self.places.clone(),
            shape: x[0].lengths().into(),
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![(
            Put {
                places: [4, 1, 4].into(),
                shape: [2, 3].into_iter().collect(),
            },
            vec![shape(&[3])],
        )]
    }
}

/// The largest entry of each window of the last two axes.
#[derive(Clone)]
pub(crate) struct MaxPool(pub(crate) Pool2d);

impl MaxPool {
    fn places<T: Float, A: Algebra<T>>(&self, x: &A) -> Arc<[usize]> {
        Layout::new("max_pool2d", self.0, x.lengths())
            .map_or_else(|_| [].into(), |layout| winners(&layout, x.primal()).into())
    }
}

impl<T: Float> Operation<T> for MaxPool {
    const NAME: &'static str = "max_pool2d";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let layout = Layout::new("max_pool2d", self.0, x[0].shape())?;
        let x = x[0].contiguous();
        let places = winners(&layout, &x);
        let entries = x.dense().unwrap_or(&[]);
        Ok(Tensor::of(
            layout.result,
            places.iter().map(|k| entries[*k]).collect(),
        ))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let picked = |d: &A| {
            d.then(Pick {
                places: self.places(x[0]),
                shape: y.lengths().into(),
            })
        };
        dx[0].map_or_else(|| y.nothing(), picked)
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(Put {
            places: self.places(x[0]),
            shape: x[0].lengths().into(),
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        pools()
            .into_iter()
            .map(|(pool, x)| (MaxPool(pool), vec![shape(x)]))
            .collect()
    }
}

/// The mean of each window of the last two axes.
#[derive(Clone)]
pub(crate) struct AvgPool(pub(crate) Pool2d);

/// Every entry in equal parts to those that its window's mean is of.
#[derive(Clone)]
struct Share {
    pool: Pool2d,
    shape: Dims,
}

impl<T: Float> Operation<T> for AvgPool {
    const NAME: &'static str = "avg_pool2d";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let layout = Layout::new("avg_pool2d", self.0, x[0].shape())?;
        let x = x[0].contiguous();
        let (plane, width) = (count(&layout.input), layout.input[1]);
        let mut out = Vec::with_capacity(count(&layout.result));
        for entries in x.dense().unwrap_or(&[]).chunks_exact(plane) {
            layout.each(|rows, columns| {
                let mut sum = T::ZERO;
                for i in rows.0..rows.1 {
                    for x in &entries[i * width + columns.0..i * width + columns.1] {
                        sum += *x;
                    }
                }
                out.push(sum / T::from_f64(layout.divisor(rows, columns)));
            });
        }
        Ok(Tensor::of(layout.result, out))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(Share {
            pool: self.0,
            shape: x[0].lengths().into(),
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        pools()
            .into_iter()
            .map(|(pool, x)| (AvgPool(pool), vec![shape(x)]))
            .collect()
    }
}

impl<T: Float> Operation<T> for Share {
    const NAME: &'static str = "avg_pool2d";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let layout = Layout::new("avg_pool2d", self.pool, &self.shape)?;
        let x = x[0].contiguous();
        let (plane, width) = (count(&layout.input), layout.input[1]);
        let mut out = filled(count(&self.shape), T::ZERO);
        let mut given = x.dense().unwrap_or(&[]).iter();
        for entries in out.chunks_exact_mut(plane) {
            layout.each(|rows, columns| {
                let share =
                    *given.next().unwrap_or(&T::ZERO) / T::from_f64(layout.divisor(rows, columns));
                for i in rows.0..rows.1 {
                    for to in &mut entries[i * width + columns.0..i * width + columns.1] {
                        *to += share;
                    }
                }
            });
        }
        Ok(Tensor::of(self.shape.clone(), out))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(AvgPool(self.pool)))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        (pools().into_iter())
            .filter_map(|(pool, of)| {
                let layout = Layout::new("avg_pool2d", pool, of).ok()?;
                Some((
                    Share {
                        pool,
                        shape: of.into(),
                    },
                    vec![shape(&layout.result)],
                ))
            })
            .collect()
    }
}

#[cfg(test)]
fn pools() -> Vec<(Pool2d, &'static [usize])> {
    let of = Pool2d::new;
    vec![
        (of([2, 2]), &[1, 2, 4, 4]),
        (of([3, 2]).stride([1, 2]).padding([1, 0]), &[2, 1, 5, 6]),
        (of([3, 3]).stride([2, 2]).padding([1, 1]), &[6, 6]),
        (
            of([3, 3])
                .stride([2, 2])
                .padding([1, 1])
                .count_include_pad(false),
            &[1, 5, 4],
        ),
        (of([1, 2]).stride([3, 1]), &[2, 5, 3]),
        (of([2, 1]), &[0, 2, 3, 3]),
    ]
}

/// An operation on windows of the last axis, as one on windows of the last two.
macro_rules! one_axis {
    ($(#[$doc:meta])* $name:ident, $method:literal, $wide:ident) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub(crate) struct $name(pub(crate) Pool1d);

        impl<T: Float> Operation<T> for $name {
            const NAME: &'static str = $method;
            const KEEPS: Keeps = <$wide as Operation<T>>::KEEPS;

            fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
                if x[0].rank() == 0 {
                    return Err(Error::new($method, "the input is a number, but windows need an axis"));
                }
                Ok(narrow(&$wide(self.0.into()).value(&[&widened(x[0])])?))
            }

            fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
                let dot = dx[0].map(widened);
                narrow(&$wide(self.0.into()).push(&[&widened(x[0])], &widened(y), &[dot.as_ref()]))
            }

            fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
                let wide: $wide = $wide(self.0.into());
                let bars = wide.pull(&[&widened(x[0])], &widened(y), &widened(dy), wanted);
                bars.into_iter().map(|d| d.map(|d| narrow(&d))).collect()
            }

            #[cfg(test)]
            fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
                vec![
                    ($name(Pool1d::new(2)), vec![shape(&[2, 5])]),
                    ($name(Pool1d::new(3).stride(2).padding(1).count_include_pad(false)), vec![shape(&[2, 2, 4])]),
                ]
            }
        }
    };
}
one_axis! {
    /// The largest entry of each window of the last axis.
    MaxPool1d, "max_pool1d", MaxPool
}
one_axis! {
    /// The mean of each window of the last axis.
    AvgPool1d, "avg_pool1d", AvgPool
}

methods! {
    /// The largest entry of each window of the last two axes. What lies beyond the input is not looked at; the first of equal entries gets all of the gradient, and NaN wins.
    ///
    /// ```
    /// use autodiff_runtime::tensor::{Pool2d, Tensor};
    /// let x = Tensor::from([[1.0, 2.0, 0.0, 0.0], [3.0, 4.0, 0.0, -1.0]]);
    /// assert_eq!(x.max_pool2d(Pool2d::new([2, 2])).to_vec(), [4.0, 0.0]);
    /// ```
    max_pool2d(; pool: given [Pool2d]) -> tensor = MaxPool(pool);
    /// The mean of each window of the last two axes.
    ///
    /// ```
    /// use autodiff_runtime::tensor::{Pool2d, Tensor};
    /// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
    /// let padded = Pool2d::new([2, 2]).padding([1, 1]);
    /// assert_eq!(x.avg_pool2d(Pool2d::new([2, 2])).to_vec(), [2.5]);
    /// assert_eq!(x.avg_pool2d(padded)[[0, 0]], 0.25);
    /// assert_eq!(x.avg_pool2d(padded.count_include_pad(false))[[0, 0]], 1.0);
    /// ```
    avg_pool2d(; pool: given [Pool2d]) -> tensor = AvgPool(pool);
    /// The largest entry of each window of the last axis, as [`max_pool2d`](Tensor::max_pool2d).
    max_pool1d(; pool: given [Pool1d]) -> tensor = MaxPool1d(pool);
    /// The mean of each window of the last axis, as [`avg_pool2d`](Tensor::avg_pool2d).
    avg_pool1d(; pool: given [Pool1d]) -> tensor = AvgPool1d(pool);
}

#[cfg(test)]
crate::tensor::testing::operations!(Pick Put MaxPool AvgPool Share MaxPool1d AvgPool1d);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::tensor::operation::Dual;
    use crate::tensor::testing::pulled;

    #[test]
    fn padding_is_nothing_and_not_zero() {
        let x = Tensor::full(&[2, 2], -1.0);
        assert_eq!(
            x.max_pool2d(Pool2d::new([2, 2]).padding([1, 1])).to_vec(),
            [-1.0; 4]
        );
    }

    #[test]
    fn the_first_of_equals_takes_all_in_both_modes() {
        let x = Tensor::from([[1.0, 1.0], [1.0, 1.0]]);
        let pool = MaxPool(Pool2d::new([2, 2]));
        let bars = pulled(
            &pool,
            core::slice::from_ref(&x),
            &Tensor::full(&[1, 1], 3.0),
        );
        assert_eq!(bars[0].to_vec(), [3.0, 0.0, 0.0, 0.0]);
        let dual = Dual::new(x, Some(Tensor::from([[5.0, 6.0], [7.0, 8.0]])));
        assert_eq!(Dual::apply(&pool, &[&dual]).into_dot().to_vec(), [5.0]);
    }

    #[test]
    fn one_entry_may_win_several_windows() {
        let x = Tensor::from([[0.0, 9.0, 1.0]]);
        let pool = MaxPool(Pool2d::new([1, 2]).stride([1, 1]));
        assert_eq!(
            pulled(&pool, &[x], &Tensor::from([[1.0, 10.0]]))[0].to_vec(),
            [0.0, 11.0, 0.0]
        );
    }

    #[test]
    fn nan_wins_and_other_entries_get_nothing_of_it() {
        let x = Tensor::from([[0.0, f64::NAN, 1.0, 2.0]]);
        let y = x.max_pool2d(Pool2d::new([1, 2]));
        assert!(y[[0, 0]].is_nan());
        assert_eq!(y[[0, 1]], 2.0);
    }

    #[test]
    fn a_mean_is_divided_by_the_same_count_in_both_directions() {
        let x = Tensor::from([[1.0, 2.0, 4.0]]);
        let with = Pool2d::new([1, 2]).padding([0, 1]);
        assert_eq!(x.avg_pool2d(with).to_vec(), [0.5, 3.0]);
        assert_eq!(
            x.avg_pool2d(with.count_include_pad(false)).to_vec(),
            [1.0, 3.0]
        );
        let back = |pool| {
            pulled(
                &AvgPool(pool),
                core::slice::from_ref(&x),
                &Tensor::ones(&[1, 2]),
            )[0]
            .to_vec()
        };
        assert_eq!(back(with), [0.5; 3]);
        assert_eq!(back(with.count_include_pad(false)), [1.0, 0.5, 0.5]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let x = Tensor::<f64>::ones(&[2, 3]);
        let fails = |pool: Pool2d, expected: &str| {
            assert_eq!(x.try_max_pool2d(pool).unwrap_err().to_string(), expected);
        };
        fails(
            Pool2d::new([3, 1]),
            "max_pool2d: the kernel [3, 1] reaches over 3, but axis 0 of the input [2, 3] has 2 with its padding",
        );
        fails(
            Pool2d::new([2, 2]).padding([0, 2]),
            "max_pool2d: the padding [0, 2] is more than half of the kernel [2, 2]",
        );
        fails(
            Pool2d::new([0, 2]),
            "max_pool2d: the stride [0, 2] has a length of 0",
        );
        let empty = Tensor::<f64>::ones(&[0, 3]);
        assert!(
            empty
                .try_avg_pool2d(Pool2d::new([2, 2]).padding([1, 0]))
                .is_err()
        );
    }
}
