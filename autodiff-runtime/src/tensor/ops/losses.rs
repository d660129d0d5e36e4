//! Losses of classes: one number from logits or logarithms of probabilities, and the class that each row has.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::moves::linear;
use super::reductions::sum;
use super::rows::{Softmax, exponentials, log_sum};
use crate::float::Float;
use crate::kernels::zmul;
use crate::parallel::Work;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::error::{Error, Result};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::filled;
#[cfg(test)]
use crate::tensor::testing::shape;

/// One class per row of the last axis: its targets, row by row, or what is wrong with them.
fn checked<T: Float>(
    name: &'static str,
    x: &Tensor<T>,
    targets: &Tensor<usize>,
) -> Result<Vec<usize>> {
    let Some((classes, rows)) = x.shape().split_last() else {
        return Err(Error::new(name, "a number has no axis of classes"));
    };
    if targets.shape() != rows {
        return Err(Error::shapes(
            name,
            "the targets' shape is not the predictions' without the last axis",
            targets.shape(),
            x.shape(),
        ));
    }
    let targets: Vec<usize> = targets.iter().collect();
    if targets.is_empty() {
        return Err(Error::new(
            name,
            format!("there is no mean of no rows: {:?}", x.shape()),
        ));
    }
    match targets.iter().position(|target| target >= classes) {
        Some(row) => Err(Error::new(
            name,
            format!(
                "target {} of row {row}, but there are {classes} classes in {:?}",
                targets[row],
                x.shape()
            ),
        )),
        None => Ok(targets),
    }
}

/// `value` at each row's target, 0 elsewhere.
fn at_targets<T: Float>(x: &Tensor<T>, targets: &Tensor<usize>, value: T) -> Tensor<T> {
    let mut out = filled(x.len(), T::ZERO);
    let classes = x.shape().last().copied().unwrap_or(1).max(1);
    for (row, target) in out.chunks_exact_mut(classes).zip(targets) {
        row[target] = value;
    }
    Tensor::of(x.shape().into(), out)
}

/// The mean over rows of −ln softmax(x) at the target.
#[derive(Clone)]
pub(crate) struct CrossEntropy {
    targets: Tensor<usize>,
}

impl<T: Float> Operation<T> for CrossEntropy {
    const NAME: &'static str = "cross_entropy";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let targets = checked("cross_entropy", x[0], &self.targets)?;
        let rows = x[0].rows(&[x[0].rank() - 1]);
        let room = || vec![T::ZERO; rows.length];
        let losses = rows.each_in(Work::Function, room, |room, k, row| {
            let (most, rest) = log_sum(row, room);
            (most - row[targets[k]]) + rest
        });
        let n = T::from_f64(targets.len() as f64);
        Ok(Tensor::scalar(sum(losses.data()) / n))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let slope = || A::apply(&CrossEntropyBack(self.clone()), &[x[0], &A::number(1.0)]);
        dx[0].map_or_else(|| y.nothing(), |d| d.times(&slope()).summed_to(&[]))
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(A::apply(&CrossEntropyBack(self.clone()), &[x[0], dy]))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |lengths: &[usize]| {
            let (classes, rows) = lengths.split_last().unwrap();
            let targets = Tensor::from_fn(rows, |at| (at.iter().sum::<usize>() * 2 + 1) % classes);
            (CrossEntropy { targets }, vec![shape(lengths)])
        };
        vec![of(&[4, 3]), of(&[2, 3, 5]), of(&[4]), of(&[2, 1])]
    }
}

/// (softmax(x) − 1 at the target) · d / n: the cotangent of what a cross-entropy is of.
#[derive(Clone)]
pub(crate) struct CrossEntropyBack(CrossEntropy);

impl<T: Float> Operation<T> for CrossEntropyBack {
    const NAME: &'static str = "cross_entropy";

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let targets = self.0.targets.to_vec();
        let rows = x[0].rows(&[x[0].rank() - 1]);
        let share = x[1].iter().sum::<T>() / T::from_f64(targets.len() as f64);
        let write = |(): &mut (), k, row: &[T], out: &mut [T]| {
            let target: usize = targets[k];
            exponentials(row, T::ONE, out);
            // The target's slope is minus the sum of the others, which p − 1 would lose where p is near 1.
            let own = core::mem::take(&mut out[target]);
            let others = sum(out);
            let scale = share / (own + others);
            for out in &mut *out {
                *out = zmul(*out, scale);
            }
            out[target] = -zmul(others, scale);
        };
        Ok(rows.write(Work::Function, || (), write))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let weights = x[0].then(Softmax {
            axes: (-1).into(),
            may_vanish: false,
        });
        let chosen = at_targets(x[0].primal(), &self.0.targets, T::ONE);
        let share = x[1].scaled(1.0 / self.0.targets.len() as f64);
        weights.sub(&A::constant(chosen)).times(&share)
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let loss = CrossEntropy::points().into_iter();
        loss.map(|(loss, mut x)| {
            x.push(shape(&[]));
            (CrossEntropyBack(loss), x)
        })
        .collect()
    }
}

/// The mean over rows of −x at the target.
#[derive(Clone)]
pub(crate) struct NllLoss {
    targets: Tensor<usize>,
}

impl<T: Float> Operation<T> for NllLoss {
    const NAME: &'static str = "nll_loss";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let targets = checked("nll_loss", x[0], &self.targets)?;
        let rows = x[0].rows(&[x[0].rank() - 1]);
        let losses: Vec<T> = (rows.entries().chunks_exact(rows.length))
            .zip(&targets)
            .map(|(row, target)| -row[*target])
            .collect();
        let n = T::from_f64(targets.len() as f64);
        Ok(Tensor::scalar(sum(&losses) / n))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let chosen = at_targets(x[0].primal(), &self.targets, T::ONE);
        let share = dy.scaled(-1.0 / self.targets.len() as f64);
        vec![Some(share.times(&A::constant(chosen)))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let losses = CrossEntropy::points().into_iter();
        losses
            .map(|(CrossEntropy { targets }, x)| (NllLoss { targets }, x))
            .collect()
    }
}

methods! {
    /// The mean over rows of −x at each row's target, for logarithms x of probabilities as [`log_softmax`](Self::log_softmax) gives them.
    ///
    /// The last axis are the classes, and the targets have the shape of the others. Other shapes, a target that is no class, and no rows at all are an error.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([[-0.5, -3.0], [-1.0, -2.0]]);
    /// let targets = Tensor::from([0_usize, 1]);
    /// assert_eq!(x.nll_loss(&targets), 1.25);
    /// ```
    nll_loss(; targets: lent [Tensor<usize>]) -> scalar = NllLoss { targets: targets.clone() };
    /// The mean over rows of −ln softmax(x) at each row's target: the last axis are the classes, and the targets have the shape of the others.
    ///
    /// Accurate for logits of any size; a class at −∞ takes no part. Other shapes, a target that is no class, and no rows at all are an error.
    /// Classes that only pad the axis are cut off before.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let logits = Tensor::from([[0.0, 0.0], [1000.0, 0.0]]);
    /// let targets = Tensor::from([0_usize, 1]);
    /// assert_eq!(logits.cross_entropy(&targets), (std::f64::consts::LN_2 + 1000.0) / 2.0);
    /// ```
    cross_entropy(; targets: lent [Tensor<usize>]) -> scalar = CrossEntropy { targets: targets.clone() };
}

#[cfg(test)]
crate::tensor::testing::operations!(CrossEntropy CrossEntropyBack NllLoss);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::tensor::testing::{pulled, pushed, second};

    #[test]
    fn rows_that_are_nearly_certain_keep_their_digits() {
        let x = [Tensor::from([[0.0, -50.0]])];
        let loss = CrossEntropy {
            targets: Tensor::from([0_usize]),
        };
        let small = (-50.0_f64).exp();
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-12, "{a} and {b}");
        near(x[0].cross_entropy(&loss.targets), small);
        let bar = pulled(&loss, &x, &Tensor::scalar(1.0));
        near(bar[0][[0, 0]], -small);
        near(bar[0][[0, 1]], small);
    }

    #[test]
    fn huge_and_infinite_logits() {
        let x = [Tensor::from([
            [f64::NEG_INFINITY, 1e300, 0.0],
            [f64::NEG_INFINITY, 0.0, 0.0],
        ])];
        let loss = CrossEntropy {
            targets: Tensor::from([1_usize, 2]),
        };
        assert_eq!(
            x[0].cross_entropy(&loss.targets),
            core::f64::consts::LN_2 / 2.0
        );
        let expected = [0.0, 0.0, 0.0, 0.0, 0.25, -0.25];
        let one = Tensor::scalar(1.0);
        assert_eq!(pulled(&loss, &x, &one)[0].to_vec(), expected);
        let d = [Tensor::from([[f64::NAN, 1.0, 1.0], [f64::NAN, 4.0, 0.0]])];
        assert_eq!(pushed(&loss, &x, &d).to_vec(), [1.0]);
        let d = [Tensor::from([[1.0, 1.0, 1.0], [1.0, 4.0, 0.0]])];
        let (_, dots) = second(&loss, &x, &d, &one, &one.outline());
        assert_eq!(dots[0].to_vec(), [0.0, 0.0, 0.0, 0.0, 0.5, -0.5]);
    }

    #[test]
    fn a_single_class_has_no_loss() {
        let x = [Tensor::from([[0.3], [7.0]])];
        let loss = CrossEntropy {
            targets: Tensor::from([0_usize, 0]),
        };
        assert_eq!(x[0].cross_entropy(&loss.targets), 0.0);
        let d = [Tensor::from([[1.0], [2.0]])];
        let (bars, dots) = second(&loss, &x, &d, &Tensor::scalar(3.0), &Tensor::scalar(1.0));
        assert_eq!(bars[0].to_vec(), [0.0, 0.0]);
        assert_eq!(dots[0].to_vec(), [0.0, 0.0]);
    }

    #[test]
    fn what_is_no_target_takes_no_part() {
        let loss = NllLoss {
            targets: Tensor::from([1_usize]),
        };
        let x = [Tensor::from([[f64::NEG_INFINITY, -2.0]])];
        assert_eq!(x[0].nll_loss(&loss.targets), 2.0);
        assert_eq!(
            pulled(&loss, &x, &Tensor::scalar(3.0))[0].to_vec(),
            [0.0, -3.0]
        );
        assert!(x[0].try_nll_loss(&Tensor::from([2_usize])).is_err());
    }

    #[test]
    fn what_is_refused() {
        let x = Tensor::<f64>::zeros(&[2, 3]);
        let error = |targets: &Tensor<usize>| x.try_cross_entropy(targets).unwrap_err().to_string();
        assert_eq!(
            error(&Tensor::from([1_usize, 3])),
            "cross_entropy: target 3 of row 1, but there are 3 classes in [2, 3]"
        );
        assert_eq!(
            error(&Tensor::from([1_usize, 3, 0])),
            "cross_entropy: the targets' shape is not the predictions' without the last axis: [3] and [2, 3]"
        );
        let none = Tensor::<f64>::zeros(&[0, 3]);
        assert!(none.try_cross_entropy(&Tensor::zeros(&[0])).is_err());
        assert!(
            Tensor::scalar(1.0)
                .try_cross_entropy(&Tensor::zeros(&[]))
                .is_err()
        );
    }
}
