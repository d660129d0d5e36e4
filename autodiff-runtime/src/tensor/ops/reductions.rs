//! Sums and what is made of them.

#![allow(
    clippy::inline_always,
    reason = "what is compiled for the vectors of the processor has to be compiled with its caller"
)]

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::moves::linear;
use crate::float::Float;
use crate::lane::dispatch;
use crate::parallel::{Amount, Work, both, divide};
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::{Axes, Dims, broadcast, count};
use crate::tensor::elementwise::map;
use crate::tensor::error::{Error, Result, expect};
use crate::tensor::forms::attribute;
use crate::tensor::operation::{Algebra, Keeps, Operation};
#[cfg(test)]
use crate::tensor::testing::shape;

/// Rows of this length are added one by one, in several sums; longer ones are halved, so that rounding errors grow with the logarithm of the length.
pub(crate) const PIECE: usize = 256;

/// The sum of a list.
pub(crate) fn sum<T: Float>(entries: &[T]) -> T {
    sum_by(entries, |x| x)
}

/// The sum of `f` of the entries of a list.
pub(super) fn sum_by<T: Float>(entries: &[T], f: impl Fn(T) -> T + Copy + Sync) -> T {
    sum_by_two(entries, entries, |x, _| f(x))
}

/// The sum of `f` of the entries of two lists of one length.
///
/// Source: pairwise summation, Higham, Accuracy and Stability of Numerical Algorithms, section 4.2.
#[inline]
pub(super) fn sum_by_two<T: Float>(a: &[T], b: &[T], f: impl Fn(T, T) -> T + Copy + Sync) -> T {
    if a.len() > PIECE {
        return sum_of_halves(a, b, f);
    }
    if a.len() < 64 {
        return sum_in_lanes::<T, 8>(a, b, f);
    }
    // An addition waits for the one before it in its lane: with so many lanes some are always ready.
    dispatch(
        #[inline(always)]
        |_| sum_in_lanes::<T, 32>(a, b, f),
    )
}

/// The sum of each row.
pub(crate) fn sums_of_rows<T: Float>(entries: &[T], length: usize, out: &mut [T]) {
    let rows = entries.chunks_exact(length).zip(out);
    if !(64..=PIECE).contains(&length) {
        return rows.for_each(|(row, out)| *out = sum(row));
    }
    dispatch(
        #[inline(always)]
        |_| {
            for (row, out) in rows {
                *out = sum_in_lanes::<T, 32>(row, row, |x, _| x);
            }
        },
    );
}

/// The sum of `f` of the entries of two lists, in `N` sums side by side, which are then added in pairs.
#[inline(always)]
fn sum_in_lanes<T: Float, const N: usize>(a: &[T], b: &[T], f: impl Fn(T, T) -> T) -> T {
    let (a, b) = (a.chunks_exact(N), b.chunks_exact(N));
    let rest = a.remainder().iter().zip(b.remainder());
    let mut sums = [T::ZERO; N];
    for (a, b) in a.zip(b) {
        // As arrays, which is what makes this vector code.
        let (mut x, mut y) = ([T::ZERO; N], [T::ZERO; N]);
        x.copy_from_slice(a);
        y.copy_from_slice(b);
        for k in 0..N {
            sums[k] += f(x[k], y[k]);
        }
    }
    for (sum, (a, b)) in sums.iter_mut().zip(rest) {
        *sum += f(*a, *b);
    }
    let mut half = N;
    while half > 1 {
        half /= 2;
        for k in 0..half {
            let other = sums[half + k];
            sums[k] += other;
        }
    }
    sums[0]
}

/// As [`sum_by_two`] of long lists: apart, so that the loop over short ones is part of its caller.
fn sum_of_halves<T: Float>(a: &[T], b: &[T], f: impl Fn(T, T) -> T + Copy + Sync) -> T {
    let length = a.len();
    let half = half(length);
    let ((a, c), (b, d)) = (a.split_at(half), b.split_at(half));
    let left = || sum_by_two(a, b, f);
    let (left, right) = both(Work::Memory, length, left, || sum_by_two(c, d, f));
    left + right
}

/// Where a list of so many entries is halved: a piece begins there.
fn half(length: usize) -> usize {
    (length / 2).next_multiple_of(PIECE).min(length - 1)
}

/// The sum of a list of so many entries, from the sums of its pieces.
pub(crate) fn sum_of_pieces<T: Float>(sums: &[T], length: usize) -> T {
    match sums {
        [] => T::ZERO,
        [sum] => *sum,
        _ => {
            let half = half(length);
            let (left, right) = sums.split_at(half / PIECE);
            sum_of_pieces(left, half) + sum_of_pieces(right, length - half)
        }
    }
}

/// The sum of rows that lie one behind the other, into one row.
pub(crate) fn sum_rows<T: Float>(entries: &[T], number: usize, out: &mut [T]) {
    let length = out.len();
    if number > PIECE {
        let half = number / 2;
        let (left, right) = entries.split_at(half * length);
        let mut more = vec![T::ZERO; length];
        both(
            Work::Memory,
            entries.len(),
            || sum_rows(left, half, out),
            || sum_rows(right, number - half, &mut more),
        );
        for (to, x) in out.iter_mut().zip(&more) {
            *to += *x;
        }
        return;
    }
    let amount = Amount {
        work: Work::Memory,
        units: length,
        each: number,
    };
    divide(out, amount, |some, out| {
        out.fill(T::ZERO);
        dispatch(
            #[inline(always)]
            |_| {
                for row in entries.chunks_exact(length.max(1)) {
                    for (to, x) in out.iter_mut().zip(&row[some.clone()]) {
                        *to += *x;
                    }
                }
            },
        );
    });
}

/// The sum over the axes that are 1 or missing in a shape, which the operand's can be got from by stretching.
pub(crate) fn sum_to<T: Float>(x: &Tensor<T>, shape: &[usize]) -> Tensor<T> {
    if x.is_known_zero() {
        return Tensor::zero(shape.into());
    }
    let missing = x.rank() - shape.len();
    let axes: Dims = (0..x.rank())
        .filter(|axis| *axis < missing || shape[axis - missing] == 1 && x.shape()[*axis] != 1)
        .collect();
    // Where the first axes go, whole rows are added as they lie; a column is a list like any other.
    let leading = axes.iter().copied().eq(0..axes.len());
    let length = count(&x.shape()[axes.len()..]);
    match x.dense() {
        Some(entries) if leading && length != 1 => {
            let number = x.shape()[..axes.len()].iter().product();
            let mut out = vec![T::ZERO; length];
            sum_rows(entries, number, &mut out);
            Tensor::of(shape.into(), out)
        }
        _ => x.rows(&axes).each(Work::Memory, sum).reshaped(shape),
    }
}

/// The sum to a shape that can be stretched to the operand's.
#[derive(Clone)]
pub(crate) struct SumTo {
    pub(crate) shape: Dims,
}

impl<T: Float> Operation<T> for SumTo {
    const NAME: &'static str = "sum_to";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        if broadcast("sum_to", x[0].shape(), &self.shape)?.as_slice() != x[0].shape() {
            return Err(Error::shapes(
                "sum_to",
                "the second shape cannot be stretched to the first",
                x[0].shape(),
                &self.shape,
            ));
        }
        Ok(T::sum_to(x[0], &self.shape))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.stretched_to(x[0].lengths()))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let to = |shape: &[usize]| SumTo {
            shape: shape.into(),
        };
        vec![
            (to(&[3, 1]), vec![shape(&[2, 3, 4])]),
            (to(&[]), vec![shape(&[2, 3])]),
            (to(&[1, 4]), vec![shape(&[0, 4])]),
            (to(&[1]), vec![shape(&[0])]),
        ]
    }
}

/// Which lanes a reduction goes along, and whether their axes stay with length 1.
#[derive(Clone)]
pub(crate) struct Lanes {
    pub(crate) axes: Axes,
    pub(crate) keep: bool,
}

impl Lanes {
    /// All entries are one lane.
    pub(crate) fn all() -> Self {
        Lanes {
            axes: Axes::all(),
            keep: false,
        }
    }

    /// A lane along these axes, which are dropped.
    pub(crate) fn dropped(axes: impl Into<Axes>) -> Self {
        Lanes {
            axes: axes.into(),
            keep: false,
        }
    }

    /// A lane along these axes, which stay with length 1.
    pub(crate) fn kept(axes: impl Into<Axes>) -> Self {
        Lanes {
            axes: axes.into(),
            keep: true,
        }
    }

    /// The axes, the shape with these at length 1, and the shape of the result.
    pub(crate) fn shapes(&self, name: &'static str, lengths: &[usize]) -> Result<[Dims; 3]> {
        let axes = self.axes.of(name, lengths.len())?;
        let mut kept: Dims = lengths.into();
        for axis in &axes {
            kept[*axis] = 1;
        }
        let left = if self.keep {
            kept.clone()
        } else {
            (0..lengths.len())
                .filter(|axis| !axes.contains(axis))
                .map(|axis| lengths[axis])
                .collect()
        };
        Ok([axes, kept, left])
    }

    /// As [`shapes`](Self::shapes), where a lane must not be empty.
    pub(crate) fn not_empty(&self, name: &'static str, lengths: &[usize]) -> Result<[Dims; 3]> {
        let shapes = self.shapes(name, lengths)?;
        if count(&shapes[2]) > 0 && shapes[0].iter().any(|axis| lengths[*axis] == 0) {
            return Err(Error::new(
                name,
                format!(
                    "there is none of no entries: shape {lengths:?}, axes {:?}",
                    &shapes[0][..]
                ),
            ));
        }
        Ok(shapes)
    }

    /// How many entries a lane has.
    pub(super) fn length(&self, lengths: &[usize]) -> usize {
        let axes = expect(self.axes.of("sum", lengths.len()));
        axes.iter().map(|axis| lengths[*axis]).product()
    }

    /// What there is one of per lane, repeated along it.
    pub(super) fn repeated<T: Float, A: Algebra<T>>(&self, d: &A, lengths: &[usize]) -> A {
        let [_, kept, _] = expect(self.shapes("sum", lengths));
        d.shaped(&kept).stretched_to(lengths)
    }

    /// The sum along each lane.
    pub(super) fn summed<T: Float, A: Algebra<T>>(&self, x: &A) -> A {
        let [_, kept, left] = expect(self.shapes("sum", x.lengths()));
        x.summed_to(&kept).shaped(&left)
    }
}

/// The sum over axes.
#[derive(Clone)]
pub(crate) struct Sum {
    pub(crate) lanes: Lanes,
}

impl<T: Float> Operation<T> for Sum {
    const NAME: &'static str = "sum";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let [_, kept, left] = self.lanes.shapes("sum", x[0].shape())?;
        Ok(T::sum_to(x[0], &kept).reshaped(&left))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(self.lanes.repeated(dy, x[0].lengths()))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        lanes(|lanes| Sum { lanes }, true)
    }
}

/// The mean over axes.
#[derive(Clone)]
pub(crate) struct Mean {
    pub(crate) lanes: Lanes,
}

impl Mean {
    /// 1 / n.
    fn weight(&self, lengths: &[usize]) -> f64 {
        1.0 / self.lanes.length(lengths) as f64
    }
}

impl<T: Float> Operation<T> for Mean {
    const NAME: &'static str = "mean";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let [_, kept, left] = self.lanes.not_empty("mean", x[0].shape())?;
        let n = T::from_f64(self.lanes.length(x[0].shape()) as f64);
        Ok(map(&T::sum_to(x[0], &kept).reshaped(&left), |sum| sum / n))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let share = dy.scaled(self.weight(x[0].lengths()));
        vec![Some(self.lanes.repeated(&share, x[0].lengths()))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        lanes(|lanes| Mean { lanes }, false)
    }
}

/// Lanes to test reductions along, and operands; with lanes of nothing or without.
#[cfg(test)]
pub(super) fn lanes<T: Float, O>(
    of: impl Fn(Lanes) -> O,
    of_nothing: bool,
) -> Vec<(O, Vec<Tensor<T>>)> {
    let listed = |axes: &[isize]| Axes::from(axes);
    let mut points = vec![
        (Lanes::dropped(listed(&[0])), vec![shape(&[2, 3])]),
        (Lanes::kept(listed(&[-1])), vec![shape(&[2, 3])]),
        (Lanes::dropped(listed(&[2, 0])), vec![shape(&[2, 3, 4])]),
        (Lanes::kept(listed(&[1])), vec![shape(&[2, 3, 2])]),
        (Lanes::all(), vec![shape(&[2, 3])]),
        (Lanes::all(), vec![shape(&[])]),
        (Lanes::all(), vec![shape(&[1])]),
        (Lanes::dropped(listed(&[1])), vec![shape(&[0, 3])]),
        (Lanes::dropped(listed(&[])), vec![shape(&[2])]),
        (Lanes::dropped(listed(&[0])), vec![shape(&[9, 2])]),
        (Lanes::dropped(listed(&[0])), vec![shape(&[0, 0])]),
    ];
    if of_nothing {
        points.push((Lanes::dropped(listed(&[0])), vec![shape(&[0, 3])]));
        points.push((Lanes::all(), vec![shape(&[0])]));
    }
    points
        .into_iter()
        .map(|(lanes, x)| (of(lanes), x))
        .collect()
}

/// The three methods of a reduction: of all entries, along axes that are dropped, and along axes that stay.
macro_rules! reduction {
    ($name:ident($($attr:ident: $ty:ty),*), $what:literal, $example:literal, $operation:expr) => { pastey::paste! {
        $crate::tensor::forms::methods! {
            #[doc = $what]
            #[doc = " of all entries."]
            ///
            /// ```
            /// use autodiff_runtime::tensor::Tensor;
            /// let x = Tensor::from([[1.0, 2.0], [3.0, 6.0]]);
            #[doc = $example]
            /// ```
            $name(; $($attr: given [$ty]),*) -> scalar = $operation($crate::tensor::ops::reductions::Lanes::all() $(, $attr)*);
            #[doc = $what]
            /// over axes, which are dropped: one of them, several, or a range.
            [<$name _axis>](; axes: axes $(, $attr: given [$ty])*) -> tensor = $operation($crate::tensor::ops::reductions::Lanes::dropped(axes) $(, $attr)*);
            #[doc = $what]
            /// over axes, which stay with length 1.
            [<$name _axis_keep>](; axes: axes $(, $attr: given [$ty])*) -> tensor = $operation($crate::tensor::ops::reductions::Lanes::kept(axes) $(, $attr)*);
        }
    } };
}
pub(super) use reduction;

reduction!(
    sum(),
    "The sum (0 of nothing)",
    "assert_eq!(x.sum(), 12.0);",
    (|lanes| Sum { lanes })
);
reduction!(
    mean(),
    "The mean (of nothing: an error)",
    "assert_eq!(x.mean(), 3.0);",
    (|lanes| Mean { lanes })
);

#[cfg(test)]
crate::tensor::testing::operations!(SumTo Sum Mean);
