//! Functions of whole rows: softmax and its logarithm.

use alloc::vec;
use alloc::vec::Vec;

use super::extrema::largest;
use super::reductions::{Lanes, reduction, sum};
use crate::float::Float;
use crate::kernels::zmul;
use crate::parallel::Work;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::Axes;
use crate::tensor::error::{Result, expect};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
#[cfg(test)]
use crate::tensor::testing::{shape, shifted};

/// exp(k x − m) of a row, where m is the maximum of k x, and m. NaN if that is infinite, as nothing is known of the ratios.
#[inline]
pub(super) fn exponentials<T: Float>(row: &[T], k: T, out: &mut [T]) -> T {
    let most = largest(row, |x| x * k);
    T::exponentials(row, k, most, out);
    most
}

/// The maximum m of a row, ln Σ eˣ⁻ᵐ, and where the maximum is; `room` has the row's length.
///
/// The maximum's own 1 is kept out of the sum: what the others add may be far smaller.
pub(super) fn log_sum<T: Float>(row: &[T], room: &mut [T]) -> (T, T) {
    let most = exponentials(row, T::ONE, room);
    let at = row.iter().position(|x| *x == most);
    if let Some(one) = at.and_then(|at| room.get_mut(at)) {
        // NaN where the maximum is infinite.
        *one -= T::ONE;
    }
    (most, sum(room).ln_1p())
}

/// Rows along axes of one operand or of two of one shape, and a kernel that writes a row.
fn by_rows<T: Float, const N: usize>(
    x: [&Tensor<T>; N],
    axes: &[usize],
    kernel: impl Fn([&[T]; N], &mut [T]) + Sync,
) -> Tensor<T> {
    let rows = x.map(|x| x.rows(axes));
    rows[0].write(
        Work::Function,
        || (),
        |(), k, _, out| {
            kernel(core::array::from_fn(|operand| rows[operand].row(k)), out);
        },
    )
}

/// eˣ / Σ eˣ along axes.
#[derive(Clone)]
pub(crate) struct Softmax {
    pub(crate) axes: Axes,
    /// Whether all weights of a row of nothing but −∞ are 0, which are NaN otherwise.
    pub(crate) may_vanish: bool,
}

impl<T: Float> Operation<T> for Softmax {
    const NAME: &'static str = "softmax";
    const KEEPS: Keeps = Keeps::Result;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let axes = self.axes.of("softmax", x[0].rank())?;
        Ok(by_rows([x[0]], &axes, |[row], out| {
            if exponentials(row, T::ONE, out) == T::NEG_INFINITY && self.may_vanish {
                out.fill(T::ZERO);
                return;
            }
            let total = sum(out);
            for out in out {
                *out /= total;
            }
        }))
    }

    fn push<A: Algebra<T>>(&self, _: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let back = SoftmaxBack {
            axes: self.axes.clone(),
        };
        dx[0].map_or_else(|| y.nothing(), |d| A::apply(&back, &[y, d]))
    }

    fn pull<A: Algebra<T>>(&self, _: &[&A], y: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let back = SoftmaxBack {
            axes: self.axes.clone(),
        };
        vec![Some(A::apply(&back, &[y, dy]))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let along = |axes: &[isize], may_vanish| Softmax {
            axes: axes.into(),
            may_vanish,
        };
        vec![
            (along(&[0], false), vec![shape(&[3])]),
            (along(&[-1], false), vec![shape(&[2, 3])]),
            (along(&[1], false), vec![shape(&[2, 3, 2])]),
            (along(&[1, 2], true), vec![shape(&[2, 3, 2])]),
            (along(&[], true), vec![shape(&[])]),
            (along(&[0], false), vec![shape(&[1, 2])]),
            (along(&[0], false), vec![shape(&[0, 2])]),
            (along(&[1], false), vec![shape(&[0, 2])]),
        ]
    }
}

/// y (d − Σ y d) along axes: what the derivative of softmax, which is symmetric, makes of d.
#[derive(Clone)]
pub(crate) struct SoftmaxBack {
    pub(super) axes: Axes,
}

impl<T: Float> Operation<T> for SoftmaxBack {
    const NAME: &'static str = "softmax";

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let axes = self.axes.of("softmax", x[0].rank())?;
        Ok(by_rows([x[0], x[1]], &axes, |[y, d], out| {
            for ((out, y), d) in out.iter_mut().zip(y).zip(d) {
                *out = zmul(*y, *d);
            }
            let mean = sum(out);
            for ((out, y), d) in out.iter_mut().zip(y).zip(d) {
                *out = zmul(*y, *d - mean);
            }
        }))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let axes = expect(self.axes.of("softmax", x[0].lengths().len()));
        let mean = x[1].times(x[0]).summed_over(&axes);
        x[1].sub(&mean).times(x[0])
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let along = |axes: &[isize]| SoftmaxBack { axes: axes.into() };
        let pair = |lengths: &[usize]| vec![shape(lengths), shifted(lengths, 5.0)];
        vec![
            (along(&[0]), pair(&[3])),
            (along(&[1]), pair(&[2, 3, 2])),
            (along(&[0, 2]), pair(&[2, 2, 3])),
            (along(&[1]), pair(&[2, 0])),
        ]
    }
}

/// x − ln Σ eˣ along an axis.
#[derive(Clone)]
pub(crate) struct LogSoftmax {
    axes: Axes,
}

impl LogSoftmax {
    fn weights(&self) -> Softmax {
        Softmax {
            axes: self.axes.clone(),
            may_vanish: false,
        }
    }
}

impl<T: Float> Operation<T> for LogSoftmax {
    const NAME: &'static str = "log_softmax";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let axes = self.axes.of("log_softmax", x[0].rank())?;
        Ok(by_rows([x[0]], &axes, |[row], out| {
            let (most, rest) = log_sum(row, out);
            for (out, x) in out.iter_mut().zip(row) {
                *out = (*x - most) - rest;
            }
        }))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let Some(d) = dx[0] else { return y.nothing() };
        let axes = expect(self.axes.of("log_softmax", y.lengths().len()));
        let mean = d.times(&x[0].then(self.weights())).summed_over(&axes);
        d.sub(&mean)
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let back = LogSoftmaxBack(self.clone());
        vec![Some(A::apply(&back, &[x[0], dy]))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let along = |axis: isize| LogSoftmax { axes: axis.into() };
        vec![
            (along(0), vec![shape(&[3])]),
            (along(-1), vec![shape(&[2, 3])]),
            (along(1), vec![shape(&[2, 3, 2])]),
            (along(0), vec![shape(&[1, 2])]),
            (along(0), vec![shape(&[0, 2])]),
        ]
    }
}

/// d − p Σ d along an axis, where p is the softmax of x.
#[derive(Clone)]
pub(crate) struct LogSoftmaxBack(LogSoftmax);

impl<T: Float> Operation<T> for LogSoftmaxBack {
    const NAME: &'static str = "log_softmax";

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let axes = self.0.axes.of("log_softmax", x[0].rank())?;
        Ok(by_rows([x[0], x[1]], &axes, |[row, d], out| {
            exponentials(row, T::ONE, out);
            let share = sum(d) / sum(out);
            for (out, d) in out.iter_mut().zip(d) {
                *out = *d - zmul(*out, share);
            }
        }))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let axes = expect(self.0.axes.of("log_softmax", x[0].lengths().len()));
        let total = x[1].summed_over(&axes);
        x[1].sub(&total.times(&x[0].then(self.0.weights())))
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let along = |axis: isize| LogSoftmaxBack(LogSoftmax { axes: axis.into() });
        let pair = |lengths: &[usize]| vec![shape(lengths), shifted(lengths, 5.0)];
        vec![
            (along(0), pair(&[3])),
            (along(1), pair(&[2, 3, 2])),
            (along(1), pair(&[2, 0])),
        ]
    }
}

/// ln Σ eˣ over axes.
#[derive(Clone)]
pub(crate) struct LogSumExp {
    lanes: Lanes,
}

impl LogSumExp {
    fn weights(&self) -> Softmax {
        Softmax {
            axes: self.lanes.axes.clone(),
            may_vanish: true,
        }
    }
}

impl<T: Float> Operation<T> for LogSumExp {
    const NAME: &'static str = "logsumexp";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let [axes, _, left] = self.lanes.shapes("logsumexp", x[0].shape())?;
        let rows = x[0].rows(&axes);
        let room = || vec![T::ZERO; rows.length];
        let sums = rows.each_in(Work::Function, room, |room, _, row| {
            let (most, rest) = log_sum(row, room);
            // An infinite maximum is the sum.
            if most.abs() == T::INFINITY {
                most
            } else {
                most + rest
            }
        });
        Ok(sums.reshaped(&left))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let sum = |d: &A| self.lanes.summed(&d.times(&x[0].then(self.weights())));
        dx[0].map_or_else(|| y.nothing(), sum)
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let d = self.lanes.repeated(dy, x[0].lengths());
        vec![Some(d.times(&x[0].then(self.weights())))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        super::reductions::lanes(|lanes| LogSumExp { lanes }, false)
    }
}

methods! {
    /// eˣ / Σ eˣ along an axis; no argument is too large.
    ///
    /// A class at −∞ has weight and derivative 0; a row of nothing but −∞ is NaN and leaves other rows alone. An axis that is not there is an error.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([1000.0, 1000.0, f64::NEG_INFINITY]);
    /// assert_eq!(x.softmax(0).to_vec(), [0.5, 0.5, 0.0]);
    /// ```
    softmax(; axis: given [isize]) -> tensor = Softmax { axes: axis.into(), may_vanish: false };
    /// The logarithm of [`softmax`](Self::softmax) along an axis, accurate for small weights and for those near 1.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([0.0, -1000.0]);
    /// assert_eq!(x.log_softmax(0).to_vec(), [0.0, -1000.0]);
    /// ```
    log_softmax(; axis: given [isize]) -> tensor = LogSoftmax { axes: axis.into() };
}

reduction!(
    logsumexp(),
    "ln Σ eˣ, for arguments of any size (−∞ of nothing and of nothing but −∞, with derivative 0),",
    "assert_eq!((x * 1000.0).logsumexp(), 6000.0);",
    (|lanes| LogSumExp { lanes })
);

#[cfg(test)]
crate::tensor::testing::operations!(Softmax SoftmaxBack LogSoftmax LogSoftmaxBack LogSumExp);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::testing::{pulled, pushed, second};

    const LOW: f64 = f64::NEG_INFINITY;

    fn softmax() -> Softmax {
        Softmax {
            axes: (-1).into(),
            may_vanish: false,
        }
    }

    #[test]
    fn a_class_at_minus_infinity_takes_no_part() {
        let x = [Tensor::from([[LOW, 0.0, 0.0], [LOW, LOW, 5.0]])];
        let d = [Tensor::from([
            [f64::NAN, 1.0, 3.0],
            [f64::INFINITY, f64::NAN, 2.0],
        ])];
        let soft = softmax();
        assert_eq!(x[0].softmax(-1).to_vec(), [0.0, 0.5, 0.5, 0.0, 0.0, 1.0]);
        let expected = [0.0, -0.5, 0.5, 0.0, 0.0, 0.0];
        assert_eq!(pulled(&soft, &x, &d[0])[0].to_vec(), expected);
        assert_eq!(pushed(&soft, &x, &d).to_vec(), expected);
        let lse = LogSumExp {
            lanes: Lanes::dropped(1),
        };
        assert_eq!(x[0].logsumexp_axis(1)[[1]], 5.0);
        let bar = pulled(&lse, &x, &Tensor::from([1.0, 1.0]));
        assert_eq!(bar[0].to_vec(), [0.0, 0.5, 0.5, 0.0, 0.0, 1.0]);
        let log = LogSoftmax { axes: (-1).into() };
        let bar = pulled(&log, &x, &Tensor::from([[0.0, 1.0, 0.0], [0.0, 0.0, 7.0]]));
        assert_eq!(bar[0].to_vec(), [0.0, 0.5, -0.5, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn a_row_of_minus_infinity_stays_alone() {
        let x = [Tensor::from([[LOW, LOW], [0.0, 0.0]])];
        let y = x[0].softmax(1);
        assert!(y[[0, 0]].is_nan() && y[[0, 1]].is_nan());
        let d = Tensor::from([[0.0, 0.0], [1.0, 0.0]]);
        assert_eq!(
            pulled(&softmax(), &x, &d)[0].to_vec(),
            [0.0, 0.0, 0.25, -0.25]
        );
        let lse = LogSumExp {
            lanes: Lanes::dropped(1),
        };
        assert_eq!(x[0].logsumexp_axis(1)[[0]], LOW);
        let c = Tensor::from([1.0, 1.0]);
        assert_eq!(pulled(&lse, &x, &c)[0].to_vec(), [0.0, 0.0, 0.5, 0.5]);
        let (_, dots) = second(&lse, &x, &[Tensor::from([[1.0, 2.0], [1.0, 0.0]])], &c, &c);
        assert_eq!(dots[0].to_vec(), [0.0, 0.0, 0.75, 0.25]);
        assert_eq!(Tensor::<f64>::zeros(&[0]).logsumexp(), LOW);
        assert_eq!(
            Tensor::from([f64::INFINITY, 1.0]).logsumexp(),
            f64::INFINITY
        );
        assert!(Tensor::from([f64::INFINITY, f64::NAN]).logsumexp().is_nan());
    }

    #[test]
    fn huge_logits() {
        let x = Tensor::from([1e300, 1e300, -1e300]);
        assert_eq!(x.softmax(0).to_vec(), [0.5, 0.5, 0.0]);
        assert_eq!(
            x.log_softmax(0).to_vec()[..2],
            [-core::f64::consts::LN_2; 2]
        );
        assert_eq!(x.logsumexp(), 1e300);
        // What the others add is far below the rounding of 1.
        let y = Tensor::from([0.0, -50.0]);
        assert!((y.log_softmax(0)[[0]] / -(-50.0_f64).exp() - 1.0).abs() < 1e-12);
        assert!((y.logsumexp() / (-50.0_f64).exp() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_class_is_constant() {
        let x = [Tensor::from([[0.1], [700.0]])];
        let (c, d) = (Tensor::from([[3.1], [0.7]]), Tensor::from([[0.3], [1.7]]));
        let zero = [0.0, 0.0];
        let (bars, dots) = second(&softmax(), &x, core::slice::from_ref(&d), &c, &d);
        assert_eq!(
            (bars[0].to_vec(), dots[0].to_vec()),
            (zero.to_vec(), zero.to_vec())
        );
        let log = LogSoftmax { axes: 1.into() };
        let (bars, dots) = second(&log, &x, core::slice::from_ref(&d), &c, &d);
        assert_eq!(
            (bars[0].to_vec(), dots[0].to_vec()),
            (zero.to_vec(), zero.to_vec())
        );
        assert_eq!(x[0].log_softmax(1).to_vec(), zero);
        assert_eq!(pushed(&softmax(), &x, &[d]).to_vec(), zero);
    }

    #[test]
    fn an_axis_that_is_not_there() {
        use alloc::string::ToString;
        assert_eq!(
            Tensor::from([1.0]).try_softmax(1).unwrap_err().to_string(),
            "softmax: axis 1 of a tensor that has 1 axes"
        );
    }
}
