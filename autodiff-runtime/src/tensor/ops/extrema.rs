//! The largest and the smallest entry.

use alloc::vec;
use alloc::vec::Vec;

use super::reductions::{Lanes, reduction};
use crate::float::Float;
use crate::parallel::{Work, both};
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::error::{Result, expect};
use crate::tensor::forms::attribute;
use crate::tensor::operation::{Algebra, Keeps, Operation};

/// The larger of two numbers, and NaN where one of them is.
fn larger<T: Float>(a: T, b: T) -> T {
    // Both are asked, so that there is no branch.
    if (a > b) | a.is_nan() { a } else { b }
}

/// Lists of this length are looked at in order; longer ones are halved.
const PIECE: usize = 1 << 12;

/// The largest of `f` of the entries of a list, in eight lists so that they are looked at side by side; −∞ of nothing.
///
/// Which of two zeros it is depends on the length and the places alone.
#[inline]
pub(crate) fn largest<T: Float>(entries: &[T], f: impl Fn(T) -> T + Copy + Sync) -> T {
    if entries.len() > PIECE {
        return largest_of_halves(entries, f);
    }
    let groups = entries.chunks_exact(8);
    let rest = groups.remainder();
    let mut most = [T::NEG_INFINITY; 8];
    for group in groups {
        for (most, x) in most.iter_mut().zip(group) {
            *most = larger(*most, f(*x));
        }
    }
    for (most, x) in most.iter_mut().zip(rest) {
        *most = larger(*most, f(*x));
    }
    most.into_iter().fold(T::NEG_INFINITY, larger)
}

/// The largest of a long list: apart, so that the loop over a short one is part of its caller.
fn largest_of_halves<T: Float>(entries: &[T], f: impl Fn(T) -> T + Copy + Sync) -> T {
    let (left, right) = entries.split_at(entries.len() / 2);
    let (left, right) = both(
        Work::Memory,
        entries.len(),
        || largest(left, f),
        || largest(right, f),
    );
    larger(left, right)
}

/// The largest or the smallest entry over axes.
#[derive(Clone)]
pub(crate) struct Extremum {
    lanes: Lanes,
    smallest: bool,
}

impl Extremum {
    fn name(&self) -> &'static str {
        if self.smallest { "min" } else { "max" }
    }

    /// What each entry has of the slope: those that are tied share it. NaN is tied with NaN.
    fn shares<T: Float>(&self, x: &Tensor<T>) -> Tensor<T> {
        let y = expect(self.value(&[x]));
        let [axes, kept, _] = expect(self.lanes.shapes("max", x.shape()));
        let rows = x.rows(&axes);
        let y = y.reshaped(&kept);
        let y = y.to_vec();
        rows.write(
            Work::Memory,
            || (),
            |(), k, row, out| {
                let y = y[k];
                let chosen = |x: T| x == y || x.is_nan() && y.is_nan();
                let tied = row.iter().filter(|x| chosen(**x)).count();
                let share = T::ONE / T::from_f64(tied as f64);
                for (out, x) in out.iter_mut().zip(row) {
                    *out = if chosen(*x) { share } else { T::ZERO };
                }
            },
        )
    }
}

impl<T: Float> Operation<T> for Extremum {
    const NAME: &'static str = "max";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let [axes, _, left] = self.lanes.not_empty(self.name(), x[0].shape())?;
        let rows = x[0].rows(&axes);
        let most = rows.each(Work::Memory, |row| {
            if self.smallest {
                -largest(row, |x| -x)
            } else {
                largest(row, |x| x)
            }
        });
        Ok(most.reshaped(&left))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let shares = A::constant(self.shares(x[0].primal()));
        dx[0].map_or_else(|| y.nothing(), |d| self.lanes.summed(&d.times(&shares)))
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let shares = A::constant(self.shares(x[0].primal()));
        vec![Some(self.lanes.repeated(dy, x[0].lengths()).times(&shares))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of =
            |smallest| super::reductions::lanes(move |lanes| Extremum { lanes, smallest }, false);
        of(false).into_iter().chain(of(true)).collect()
    }
}

reduction!(
    max(),
    "The largest entry (NaN if there is one; of nothing: an error; those that are tied share the derivative equally)",
    "assert_eq!(x.max(), 6.0);",
    (|lanes| Extremum {
        lanes,
        smallest: false
    })
);
reduction!(
    min(),
    "The smallest entry (NaN if there is one; of nothing: an error; those that are tied share the derivative equally)",
    "assert_eq!(x.min(), 1.0);",
    (|lanes| Extremum {
        lanes,
        smallest: true
    })
);

#[cfg(test)]
crate::tensor::testing::operations!(Extremum);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::tensor::testing::{pulled, pushed};

    fn over(lanes: Lanes, smallest: bool) -> Extremum {
        Extremum { lanes, smallest }
    }

    #[test]
    fn what_is_tied_shares_equally_in_both_modes() {
        let x = Tensor::from([
            [3.0, 1.0, 3.0, 3.0],
            [f64::INFINITY, f64::NEG_INFINITY, 0.0, f64::INFINITY],
        ]);
        let max = over(Lanes::dropped(1), false);
        let bar = pulled(&max, core::slice::from_ref(&x), &Tensor::from([6.0, 6.0]));
        assert_eq!(bar[0].to_vec(), [2.0, 0.0, 2.0, 2.0, 3.0, 0.0, 0.0, 3.0]);
        let d = Tensor::from([[3.0, f64::NAN, 6.0, 9.0], [1.0, f64::NAN, f64::NAN, 2.0]]);
        assert_eq!(
            pushed(&max, core::slice::from_ref(&x), &[d]).to_vec(),
            [6.0, 1.5]
        );
        let min = over(Lanes::all(), true);
        let bar = pulled(&min, &[x], &Tensor::scalar(2.0));
        assert_eq!(bar[0].to_vec(), [0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    }

    #[test]
    fn not_a_number_is_seen() {
        for at in 0..11 {
            let mut x = vec![1.0; 11];
            x[at] = f64::NAN;
            let x = Tensor::from(x);
            assert!(x.max().is_nan() && x.min().is_nan());
            let bar = pulled(&over(Lanes::all(), false), &[x], &Tensor::scalar(1.0));
            assert_eq!(bar[0].sum(), 1.0);
            assert_eq!(bar[0][[at]], 1.0);
        }
    }

    #[test]
    fn nothing_has_no_maximum() {
        let x = Tensor::<f64>::zeros(&[0, 3]);
        assert_eq!(
            x.try_max_axis(0).unwrap_err().to_string(),
            "max: there is none of no entries: shape [0, 3], axes [0]"
        );
        assert!(x.try_min().is_err() && x.try_mean().is_err() && x.try_mean_axis_keep(0).is_err());
        assert_eq!(x.max_axis(1).shape(), [0]);
        assert_eq!(x.mean_axis_keep(1).shape(), [0, 1]);
    }

    #[test]
    fn values() {
        let x = Tensor::from([[1.0, -2.0, 7.0], [0.5, 4.0, -8.0]]);
        assert_eq!(x.max(), 7.0);
        assert_eq!(x.min_axis(0).to_vec(), [0.5, -2.0, -8.0]);
        assert_eq!(x.max_axis_keep(-1).shape(), [2, 1]);
        assert_eq!(x.max_axis([]).to_vec(), x.to_vec());
    }
}
