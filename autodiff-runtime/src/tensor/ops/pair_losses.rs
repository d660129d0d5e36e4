//! Losses that compare a prediction with a target entry by entry: the mean over entries of a function of both.

use alloc::format;
use alloc::vec::Vec;

use super::reductions::sum;
use super::unary::{Ln, Map, Sigmoid};
use crate::float::Float;
use crate::functions::sigmoid;
use crate::kernels::zmul;
use crate::parallel::Work;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::elementwise::{map, zip, zip_by, zip3_by};
use crate::tensor::error::{Error, Result, expect};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
#[cfg(test)]
use crate::tensor::testing::{shape, shifted};

/// How a prediction is compared with a target.
#[derive(Clone, Copy, PartialEq)]
enum Measure {
    /// (x − t)².
    Square,
    /// |x − t|.
    Absolute,
    /// (x − t)² / 2 up to a distance δ, then δ (|x − t| − δ / 2).
    Huber(f64),
    /// (x − t)² / 2 β up to a distance β, then |x − t| − β / 2.
    Smooth(f64),
    /// ln(1 + eˣ) − x t.
    Logits,
    /// t (ln t − x).
    Divergence,
}

impl Measure {
    fn name(self) -> &'static str {
        match self {
            Measure::Square => "mse",
            Measure::Absolute => "l1_loss",
            Measure::Huber(_) => "huber",
            Measure::Smooth(_) => "smooth_l1",
            Measure::Logits => "bce_with_logits",
            Measure::Divergence => "kl_div",
        }
    }

    /// Of one prediction and one target.
    fn of<T: Float>(self, x: T, t: T) -> T {
        let half = T::from_f64(0.5);
        let distance = (x - t).abs();
        match self {
            Measure::Square => distance * distance,
            Measure::Absolute => distance,
            Measure::Huber(bound) => {
                let bound = T::from_f64(bound);
                if distance <= bound {
                    half * distance * distance
                } else {
                    bound * (distance - half * bound)
                }
            }
            Measure::Smooth(bound) => {
                let bound = T::from_f64(bound);
                if distance <= bound {
                    half * distance * (distance / bound)
                } else {
                    distance - half * bound
                }
            }
            Measure::Logits => {
                let rest = (-x.abs()).exp().ln_1p();
                if x < T::ZERO {
                    zmul(t, -x) + rest
                } else {
                    zmul(T::ONE - t, x) + rest
                }
            }
            Measure::Divergence => zmul(t, t.ln() - x),
        }
    }

    /// How much work a term or a slope is.
    fn work(self) -> Work {
        match self {
            Measure::Logits | Measure::Divergence => Work::Function,
            _ => Work::Memory,
        }
    }

    /// The slope by the prediction (0) or by the target (1).
    fn slope<T: Float>(self, by: usize, x: T, t: T) -> T {
        let away = x - t;
        let clamped = |bound: f64| {
            let bound = T::from_f64(bound);
            if away.abs() <= bound {
                away
            } else {
                bound * away.signum()
            }
        };
        let by_prediction = match self {
            Measure::Square => away + away,
            Measure::Absolute if away == T::ZERO => T::ZERO,
            Measure::Absolute => away.signum(),
            Measure::Huber(bound) => clamped(bound),
            Measure::Smooth(bound) => clamped(bound) / T::from_f64(bound),
            Measure::Logits if by == 1 => return -x,
            // Where σ(x) is nearly 1, it is not what the target is taken from.
            Measure::Logits if x < T::ZERO => sigmoid(x) - t,
            Measure::Logits => (T::ONE - t) - sigmoid(-x),
            Measure::Divergence if by == 1 => return t.ln() + T::ONE - x,
            Measure::Divergence => -t,
        };
        if by == 0 {
            by_prediction
        } else {
            -by_prediction
        }
    }

    /// The slope as a formula.
    fn formula<T: Float, A: Algebra<T>>(self, by: usize, x: &A, t: &A) -> A {
        let selected = |inside: f64, f: &(dyn Fn(T) -> T + Sync)| {
            let away = zip("sub", x.primal(), t.primal(), |x, t| x - t);
            map(&expect(away), |d| {
                if d.abs() <= T::from_f64(inside) {
                    f(d)
                } else {
                    T::ZERO
                }
            })
        };
        let by_prediction = match self {
            Measure::Square => x.sub(t).scaled(2.0),
            // Constant wherever there is a slope.
            Measure::Absolute => {
                A::constant(selected(f64::INFINITY, &|d| self.slope(0, d, T::ZERO)))
            }
            Measure::Huber(bound) | Measure::Smooth(bound) => {
                let outer = zip("sub", x.primal(), t.primal(), |x, t| {
                    let inside = (x - t).abs() <= T::from_f64(bound);
                    if inside {
                        T::ZERO
                    } else {
                        T::from_f64(bound) * (x - t).signum()
                    }
                });
                let inner = A::constant(selected(bound, &|_| T::ONE));
                let clamped = x.sub(t).times(&inner).add(&A::constant(expect(outer)));
                if let Measure::Smooth(bound) = self {
                    clamped.scaled(1.0 / bound)
                } else {
                    clamped
                }
            }
            Measure::Logits if by == 1 => return x.neg(),
            Measure::Logits => x.then(Map(Sigmoid)).sub(t),
            Measure::Divergence if by == 1 => {
                return t.then(Map(Ln)).add(&A::number(1.0)).sub(x);
            }
            Measure::Divergence => t.neg(),
        };
        if by == 0 {
            by_prediction
        } else {
            by_prediction.neg()
        }
    }
}

/// The mean of a measure over all entries.
#[derive(Clone)]
pub(crate) struct PairLoss(Measure);

impl<T: Float> Operation<T> for PairLoss {
    const NAME: &'static str = "loss";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let measure = self.0;
        let fail = |reason| Err(Error::new(measure.name(), reason));
        let [a, b] = [x[0].shape(), x[1].shape()];
        if a != b {
            return fail(format!(
                "the prediction's shape {a:?} is not the target's, {b:?}; a loss stretches neither"
            ));
        }
        if x[0].is_empty() {
            return fail(format!("there is no mean of no entries: {a:?}"));
        }
        match measure {
            Measure::Huber(bound) | Measure::Smooth(bound) if bound.is_nan() || bound <= 0.0 => {
                return fail(format!("the distance is {bound}, which must be positive"));
            }
            _ => {}
        }
        let terms = zip_by(measure.work(), measure.name(), x[0], x[1], |x, t| {
            measure.of(x, t)
        })?;
        let n = T::from_f64(terms.len() as f64);
        Ok(Tensor::scalar(sum(terms.dense().unwrap_or(&[])) / n))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let one = A::number(1.0);
        (dx.iter().enumerate())
            .filter_map(|(by, d)| d.map(|d| (by, d)))
            .map(|(by, d)| d.times(&self.back(by, x, &one)).summed_to(&[]))
            .reduce(|a, b| a.add(&b))
            .unwrap_or_else(|| y.nothing())
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        [0, 1]
            .map(|by| wanted[by].then(|| self.back(by, x, dy)))
            .into()
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let measures = [
            Measure::Square,
            Measure::Absolute,
            Measure::Huber(0.3),
            Measure::Smooth(0.3),
            Measure::Logits,
            Measure::Divergence,
        ];
        let shapes: [&[usize]; 4] = [&[2, 3], &[2, 1, 2], &[], &[1]];
        measures
            .iter()
            .flat_map(|measure| {
                shapes.map(|lengths| {
                    let pair = [shape(lengths), shifted(lengths, 5.0)];
                    (PairLoss(*measure), pair.into())
                })
            })
            .collect()
    }
}

impl PairLoss {
    fn back<T: Float, A: Algebra<T>>(&self, by: usize, x: &[&A], d: &A) -> A {
        let back = PairLossBack {
            measure: self.0,
            by,
        };
        A::apply(&back, &[x[0], x[1], d])
    }
}

/// The slope of a measure times d / n: the cotangent of the prediction (0) or of the target (1).
#[derive(Clone)]
pub(crate) struct PairLossBack {
    measure: Measure,
    by: usize,
}

impl<T: Float> Operation<T> for PairLossBack {
    const NAME: &'static str = "loss";

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let n = T::from_f64(x[0].len() as f64);
        zip3_by(
            self.measure.work(),
            self.measure.name(),
            x[0],
            x[1],
            x[2],
            |x, t, d| zmul(self.measure.slope(self.by, x, t), d / n),
        )
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let share = x[2].scaled(1.0 / x[0].primal().len() as f64);
        share.times(&self.measure.formula(self.by, x[0], x[1]))
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let losses = PairLoss::points().into_iter();
        losses
            .flat_map(|(PairLoss(measure), mut x)| {
                x.push(shape(&[]));
                [0, 1].map(|by| (PairLossBack { measure, by }, x.clone()))
            })
            .collect()
    }
}

methods! {
    /// The mean of (x − t)² over all entries, for targets t of the same shape; another shape, or no entries, is an error.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([1.0, 5.0]);
    /// assert_eq!(x.mse(Tensor::from([1.0, 2.0])), 4.5);
    /// ```
    mse(target;) -> scalar = PairLoss(Measure::Square);
    /// The mean of |x − t| over all entries, for targets t of the same shape; another shape, or no entries, is an error.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([1.0, 5.0]);
    /// assert_eq!(x.l1_loss(Tensor::from([1.0, 2.0])), 1.5);
    /// ```
    l1_loss(target;) -> scalar = PairLoss(Measure::Absolute);
    /// The mean over all entries of (x − t)² / 2 up to a distance δ and of δ (|x − t| − δ / 2) beyond, for targets t of the same shape.
    ///
    /// Another shape, no entries, or a δ that is not positive is an error.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([1.0, 5.0]);
    /// assert_eq!(x.huber(Tensor::from([0.0, 2.0]), 1.0), 1.5);
    /// ```
    huber(target; delta: given [f64]) -> scalar = PairLoss(Measure::Huber(delta));
    /// The mean over all entries of (x − t)² / 2β up to a distance β and of |x − t| − β / 2 beyond, for targets t of the same shape.
    ///
    /// Another shape, no entries, or a β that is not positive is an error.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([1.0, 5.0]);
    /// assert_eq!(x.smooth_l1(Tensor::from([0.0, 2.0]), 2.0), 1.125);
    /// ```
    smooth_l1(target; beta: given [f64]) -> scalar = PairLoss(Measure::Smooth(beta));
    /// The mean over all entries of ln(1 + eˣ) − x t: the cross-entropy of σ(x) and a probability t, for targets t of the same shape.
    ///
    /// Accurate for logits of any size; another shape, or no entries, is an error.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([1000.0, -1000.0]);
    /// assert_eq!(x.bce_with_logits(Tensor::from([1.0, 1.0])), 500.0);
    /// ```
    bce_with_logits(target;) -> scalar = PairLoss(Measure::Logits);
    /// The mean over all entries of t (ln t − x), for logarithms x of probabilities and probabilities t of the same shape; 0 where t is.
    ///
    /// Another shape, or no entries, is an error.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([f64::NEG_INFINITY, 0.0]);
    /// assert_eq!(x.kl_div(Tensor::from([0.0, 1.0])), 0.0);
    /// ```
    kl_div(target;) -> scalar = PairLoss(Measure::Divergence);
}

#[cfg(test)]
crate::tensor::testing::operations!(PairLoss PairLossBack);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::tensor::testing::{pulled, pushed, second};

    #[test]
    fn logits_of_any_size() {
        let loss = PairLoss(Measure::Logits);
        let x = [Tensor::from([1e300, -1e300]), Tensor::from([1.0, 0.0])];
        assert_eq!(x[0].bce_with_logits(&x[1]), 0.0);
        assert_eq!(
            pulled(&loss, &x, &Tensor::scalar(2.0))[0].to_vec(),
            [0.0, 0.0]
        );
        let x = [Tensor::from([50.0, -50.0]), Tensor::from([1.0, 0.0])];
        let bar = &pulled(&loss, &x, &Tensor::scalar(2.0))[0];
        let small = (-50.0_f64).exp();
        for (bar, expected) in bar.iter().zip([-small, small]) {
            assert!((bar / expected - 1.0).abs() < 1e-14);
        }
        let sure = [
            Tensor::from([f64::INFINITY, f64::NEG_INFINITY]),
            x[1].clone(),
        ];
        assert_eq!(sure[0].bce_with_logits(&sure[1]), 0.0);
    }

    #[test]
    fn logits_are_smooth_at_zero() {
        let loss = PairLoss(Measure::Logits);
        let x = [Tensor::from([0.0, -0.0]), Tensor::from([0.25, 0.75])];
        let d = [Tensor::from([1.0, 1.0]), Tensor::from([0.0, 0.0])];
        let two = Tensor::scalar(2.0);
        let (bars, dots) = second(&loss, &x, &d, &two, &two.outline());
        assert_eq!(bars[0].to_vec(), [0.25, -0.25]);
        assert_eq!(dots[0].to_vec(), [0.25, 0.25]);
        assert_eq!(pushed(&loss, &x, &d).item(), 0.0);
    }

    #[test]
    fn kinks_and_bounds() {
        let one = Tensor::scalar(3.0);
        let x = [
            Tensor::from([0.0, 1.0, -3.0]),
            Tensor::from([0.0, 0.0, 0.0]),
        ];
        let d = [Tensor::from([1.0, 1.0, 1.0]), Tensor::from([0.0, 0.0, 0.0])];
        for (measure, first, other) in [
            (Measure::Absolute, [0.0, 1.0, -1.0], [0.0, 0.0, 0.0]),
            (Measure::Huber(1.0), [0.0, 1.0, -1.0], [1.0, 1.0, 0.0]),
            (Measure::Smooth(2.0), [0.0, 0.5, -1.0], [0.5, 0.5, 0.0]),
            (Measure::Square, [0.0, 2.0, -6.0], [2.0, 2.0, 2.0]),
        ] {
            let (bars, dots) = second(&PairLoss(measure), &x, &d, &one, &one.outline());
            assert_eq!(bars[0].to_vec(), first, "{}", measure.name());
            assert_eq!(dots[0].to_vec(), other, "{}", measure.name());
            assert_eq!(
                dots[1].to_vec(),
                other.map(|x| 0.0 - x),
                "{}",
                measure.name()
            );
        }
    }

    #[test]
    fn what_has_no_probability_takes_no_part() {
        let x = [
            Tensor::from([f64::NEG_INFINITY, -1.0]),
            Tensor::from([0.0, 1.0]),
        ];
        let loss = PairLoss(Measure::Divergence);
        assert_eq!(x[0].kl_div(&x[1]), 0.5);
        assert_eq!(
            pulled(&loss, &x, &Tensor::scalar(2.0))[0].to_vec(),
            [0.0, -1.0]
        );
    }

    #[test]
    fn nothing_is_stretched() {
        let column = Tensor::<f64>::ones(&[3, 1]);
        let row = Tensor::ones(&[3]);
        assert_eq!(
            column.try_mse(&row).unwrap_err().to_string(),
            "mse: the prediction's shape [3, 1] is not the target's, [3]; a loss stretches neither"
        );
        assert!(column.try_bce_with_logits(1.0).is_err());
        assert!(column.try_huber(&column, 0.0).is_err());
        assert!(column.try_smooth_l1(&column, f64::NAN).is_err());
        let nothing = Tensor::<f64>::zeros(&[0]);
        assert!(nothing.try_kl_div(&nothing).is_err());
        assert!(nothing.try_l1_loss(&nothing).is_err());
    }
}
