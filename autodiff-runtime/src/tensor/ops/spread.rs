//! How far entries lie apart: distances from the mean, variances, standard deviations.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::lengths::Divisor;
use super::moves::linear;
use super::reductions::{Lanes, reduction, sum_by};
use crate::float::Float;
use crate::parallel::Work;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::Axes;
use crate::tensor::elementwise::map;
use crate::tensor::error::{Error, Result};
use crate::tensor::forms::attribute;
use crate::tensor::operation::{Algebra, Keeps, Operation};
#[cfg(test)]
use crate::tensor::testing::shape;

/// The mean of a row that is not empty, exact where all its entries are alike: distances from the first one are added.
pub(super) fn mean<T: Float>(row: &[T]) -> T {
    let n = T::from_f64(row.len() as f64);
    row.first()
        .map_or(T::NAN, |first| *first + sum_by(row, |x| x - *first) / n)
}

/// x − mean(x) along axes: a projection, whose derivative is itself.
#[derive(Clone)]
pub(crate) struct Centred {
    pub(crate) axes: Axes,
}

impl<T: Float> Operation<T> for Centred {
    const NAME: &'static str = "var";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let rows = x[0].rows(&self.axes.of("var", x[0].rank())?);
        let write = |(): &mut (), _, row: &[T], out: &mut [T]| {
            let mean = mean(row);
            for (out, x) in out.iter_mut().zip(row) {
                *out = *x - mean;
            }
        };
        Ok(rows.write(Work::Function, || (), write))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(self.clone()))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let along = |axes: &[isize]| Centred { axes: axes.into() };
        vec![
            (along(&[0]), vec![shape(&[3])]),
            (along(&[1]), vec![shape(&[2, 3, 2])]),
            (along(&[2, 0]), vec![shape(&[2, 3, 2])]),
            (along(&[]), vec![shape(&[])]),
            (along(&[0]), vec![shape(&[0, 2])]),
        ]
    }
}

/// The mean square of the distances from the mean, over n − correction.
#[derive(Clone)]
pub(crate) struct Var {
    lanes: Lanes,
    correction: usize,
}

impl Var {
    /// What sums of squares are divided by.
    fn divisor(&self, lengths: &[usize]) -> f64 {
        (self.lanes.length(lengths) - self.correction) as f64
    }

    fn centred<T: Float, A: Algebra<T>>(&self, x: &A) -> A {
        x.then(Centred {
            axes: self.lanes.axes.clone(),
        })
    }

    fn value<T: Float>(&self, name: &'static str, x: &Tensor<T>) -> Result<Tensor<T>> {
        let [axes, _, left] = self.lanes.not_empty(name, x.shape())?;
        let rows = x.rows(&axes);
        if rows.number > 0 && rows.length <= self.correction {
            return Err(Error::new(
                name,
                format!(
                    "the number of entries, {}, less the correction, {}, is not positive; shape {:?}, axes {:?}",
                    rows.length,
                    self.correction,
                    x.shape(),
                    &axes[..]
                ),
            ));
        }
        let squares = rows.each(Work::Function, |row| {
            let mean = mean(row);
            let divisor = T::from_f64((rows.length - self.correction) as f64);
            sum_by(row, |x| (x - mean) * (x - mean)) / divisor
        });
        Ok(squares.reshaped(&left))
    }
}

impl<T: Float> Operation<T> for Var {
    const NAME: &'static str = "var";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.value("var", x[0])
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let Some(d) = dx[0].filter(|_| !y.primal().is_empty()) else {
            return y.nothing();
        };
        let products = d.times(&self.centred(x[0]));
        (self.lanes.summed(&products)).scaled(2.0 / self.divisor(x[0].lengths()))
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        if y.primal().is_empty() {
            return vec![None];
        }
        let share = dy.scaled(2.0 / self.divisor(x[0].lengths()));
        let share = self.lanes.repeated(&share, x[0].lengths());
        vec![Some(share.times(&self.centred(x[0])))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        variances(|lanes, correction| Var { lanes, correction }, true)
    }
}

/// The root of the variance; where that is 0, so is the derivative.
#[derive(Clone)]
pub(crate) struct Std {
    square: Var,
}

impl Std {
    /// (x − mean) / y / (n − correction).
    fn slope<T: Float, A: Algebra<T>>(&self, x: &A, y: &A) -> A {
        let lanes = &self.square.lanes;
        let divisor = lanes.repeated(&y.then(Divisor), x.lengths());
        let away = self.square.centred(x).over(&divisor);
        away.scaled(1.0 / self.square.divisor(x.lengths()))
    }
}

impl<T: Float> Operation<T> for Std {
    const NAME: &'static str = "std";

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        Ok(map(&self.square.value("std", x[0])?, T::sqrt))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let Some(d) = dx[0].filter(|_| !y.primal().is_empty()) else {
            return y.nothing();
        };
        self.square.lanes.summed(&d.times(&self.slope(x[0], y)))
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        if y.primal().is_empty() {
            return vec![None];
        }
        let d = self.square.lanes.repeated(dy, x[0].lengths());
        vec![Some(d.times(&self.slope(x[0], y)))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |lanes, correction| Std {
            square: Var { lanes, correction },
        };
        variances(of, false)
    }
}

/// Lanes and corrections to test at; with lanes of one entry or without, where a root has a kink.
#[cfg(test)]
fn variances<T: Float, O>(
    of: impl Fn(Lanes, usize) -> O,
    of_one: bool,
) -> Vec<(O, Vec<Tensor<T>>)> {
    let mut points = vec![
        (of(Lanes::dropped(0), 1), vec![shape(&[3, 2])]),
        (of(Lanes::kept(-1), 0), vec![shape(&[2, 3])]),
        (of(Lanes::dropped([2, 0]), 1), vec![shape(&[2, 3, 2])]),
        (of(Lanes::all(), 2), vec![shape(&[2, 3])]),
        (of(Lanes::dropped(1), 1), vec![shape(&[0, 3])]),
        (of(Lanes::dropped(1), 1), vec![shape(&[0, 0])]),
    ];
    if of_one {
        points.push((of(Lanes::dropped(0), 0), vec![shape(&[1, 2])]));
        points.push((of(Lanes::all(), 0), vec![shape(&[])]));
    }
    points
}

reduction!(
    var(correction: usize),
    "The variance: the sum of the squared distances from the mean over n − correction (0: biased; 1: unbiased; an error if that is not positive)",
    "assert_eq!(x.var(0), 3.5);",
    (|lanes, correction| Var { lanes, correction })
);
reduction!(
    std(correction: usize),
    "The root of the variance with this correction (see `var`; the derivative is 0 where all entries are alike)",
    "assert_eq!((x - 2.0).std_axis(0, 0).to_vec(), [1.0, 2.0]);",
    (|lanes, correction| Std {
        square: Var { lanes, correction }
    })
);

#[cfg(test)]
crate::tensor::testing::operations!(Centred Var Std);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::tensor::testing::{pulled, pushed, second};

    fn of(lanes: Lanes, correction: usize) -> (Var, Std) {
        let square = Var { lanes, correction };
        (square.clone(), Std { square })
    }

    #[test]
    fn constant_lanes_and_lanes_of_one() {
        // A third of the sum of three times 0.1 is not 0.1.
        let x = Tensor::from([[0.1, 0.1, 0.1], [0.0, 1.0, 5.0]]);
        let (var, std) = of(Lanes::dropped(1), 1);
        assert_eq!(x.var_axis(1, 1).to_vec(), [0.0, 7.0]);
        assert_eq!(x.std_axis(1, 0)[[0]], 0.0);
        let c = Tensor::from([1.0, 1.0]);
        let d = x.clone();
        assert_eq!(
            pulled(&var, core::slice::from_ref(&x), &c)[0].to_vec(),
            [0.0, 0.0, 0.0, -2.0, -1.0, 3.0]
        );
        let bar = &pulled(&std, core::slice::from_ref(&x), &c)[0];
        assert_eq!(bar.to_vec()[..3], [0.0; 3]);
        assert!((bar[[1, 2]] - 1.5 / 7.0_f64.sqrt()).abs() < 1e-15);
        let rough = Tensor::from([[1.0, 2.0, 4.0], [1.0, 2.0, 4.0]]);
        assert_eq!(
            pushed(
                &std,
                core::slice::from_ref(&x),
                core::slice::from_ref(&rough)
            )[[0]],
            0.0
        );
        let (_, dots) = second(&std, core::slice::from_ref(&x), &[rough], &c, &c);
        assert!(dots[0].iter().all(f64::is_finite));
        assert_eq!(dots[0].to_vec()[..3], [0.0; 3]);
        let one = Tensor::from([[0.3], [1e300]]);
        assert_eq!(one.var_axis(1, 0).to_vec(), [0.0, 0.0]);
        assert_eq!(one.std_axis(1, 0).to_vec(), [0.0, 0.0]);
        let (var, std) = of(Lanes::dropped(1), 0);
        let d1 = d.cut(1, 0, 1, 1);
        for bars in [
            pulled(&var, core::slice::from_ref(&one), &c),
            pulled(&std, core::slice::from_ref(&one), &c),
            second(
                &var,
                core::slice::from_ref(&one),
                core::slice::from_ref(&d1),
                &c,
                &c,
            )
            .1,
            second(&std, core::slice::from_ref(&one), &[d1], &c, &c).1,
        ] {
            assert_eq!(bars[0].to_vec(), [0.0, 0.0]);
        }
    }

    #[test]
    fn a_large_mean_and_a_small_spread() {
        assert_eq!(Tensor::from([1e9, 1e9 + 1.0, 1e9 + 2.0]).var(1), 1.0);
        assert_eq!(Tensor::from([4e6_f32, 4e6 + 1.0, 4e6 + 2.0]).var(1), 1.0);
    }

    #[test]
    fn what_is_refused() {
        let x = Tensor::<f64>::ones(&[2, 1]);
        assert_eq!(
            x.try_var_axis(1, 1).unwrap_err().to_string(),
            "var: the number of entries, 1, less the correction, 1, is not positive; shape [2, 1], axes [1]"
        );
        assert!(Tensor::<f64>::zeros(&[0]).try_std(0).is_err());
        assert!(Tensor::<f64>::zeros(&[0, 2]).try_var_axis(0, 0).is_err());
    }
}
