//! Normalisation: rows brought to mean 0 and variance 1, then scaled and shifted by learnt weights.
//!
//! Sources: Ba, Kiros, Hinton, Layer Normalization, 2016; Zhang, Sennrich, Root Mean Square Layer Normalization, 2019;
//! Ioffe, Szegedy, Batch Normalization, 2015.

#![allow(
    clippy::inline_always,
    reason = "what a row is made of has to be compiled with the loop over rows"
)]

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::reductions::{sum, sum_by, sum_by_two};
use super::spread::{Centred, mean};
use crate::float::Float;
use crate::kernels::zmul;
use crate::lane::dispatch;
use crate::parallel::{Amount, Blocks, Work, divide};
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::{Axes, Dims, count};
use crate::tensor::elementwise::map;
use crate::tensor::error::{Error, Result};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::filled;
#[cfg(test)]
use crate::tensor::testing::{shape, shifted};

/// 1 / √(x + ε), and 0 where x + ε is 0: a row without spread has no direction.
#[derive(Clone)]
pub(crate) struct InverseRoot {
    eps: f64,
}

fn inverse_root<T: Float>(x: T, eps: f64) -> T {
    let x = x + T::from_f64(eps);
    if x == T::ZERO {
        T::ZERO
    } else {
        x.sqrt().recip()
    }
}

impl InverseRoot {
    /// − y³ / 2.
    fn slope<T: Float, A: Algebra<T>>(y: &A) -> A {
        y.mul(y).mul(y).scaled(-0.5)
    }
}

impl<T: Float> Operation<T> for InverseRoot {
    const NAME: &'static str = "rsqrt";
    const KEEPS: Keeps = Keeps::Result;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        Ok(map(x[0], |x| inverse_root(x, self.eps)))
    }

    fn push<A: Algebra<T>>(&self, _: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        dx[0].map_or_else(|| y.nothing(), |d| d.times(&Self::slope(y)))
    }

    fn pull<A: Algebra<T>>(&self, _: &[&A], y: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.times(&Self::slope(y)))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![(InverseRoot { eps: 0.1 }, vec![shape(&[2, 3])])]
    }
}

/// What is normalised, and how.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// The last axis.
    Layer,
    /// The last axis, which is not centred.
    Rms,
    /// All axes but axis 1, which is the channels'.
    Batch,
}

/// Rows brought to mean 0 (unless by their mean square) and variance 1, times a weight, plus a bias if there is a third operand.
#[derive(Clone, Copy)]
pub(crate) struct Norm {
    kind: Kind,
    eps: f64,
}

impl Norm {
    fn name(self) -> &'static str {
        match self.kind {
            Kind::Layer => "layernorm",
            Kind::Rms => "rmsnorm",
            Kind::Batch => "batchnorm_train",
        }
    }

    fn centred(self) -> bool {
        self.kind != Kind::Rms
    }

    /// The axes of a row.
    fn axes(self, rank: usize) -> Dims {
        match self.kind {
            Kind::Layer | Kind::Rms => Dims::from_elem(rank - 1, 1),
            Kind::Batch => (0..rank).filter(|axis| *axis != 1).collect(),
        }
    }

    /// The axis that weights go along.
    fn axis(self, rank: usize) -> usize {
        match self.kind {
            Kind::Layer | Kind::Rms => rank - 1,
            Kind::Batch => 1,
        }
    }

    /// The shape of weights that is stretched to the operand's.
    fn lifted(self, lengths: &[usize]) -> Dims {
        let rank = lengths.len();
        let mut shape = Dims::from_elem(1, rank);
        shape[self.axis(rank)] = lengths[self.axis(rank)];
        shape
    }

    fn check<T: Float>(self, x: &[&Tensor<T>]) -> Result<()> {
        let lengths = x[0].shape();
        let fail = |reason| Err(Error::new(self.name(), reason));
        if lengths.len() < if self.kind == Kind::Batch { 2 } else { 1 } {
            return fail(format!("the shape {lengths:?} has too few axes"));
        }
        let n = lengths[self.axis(lengths.len())];
        for (what, weight) in ["weight", "bias"].into_iter().zip(&x[1..]) {
            if weight.shape() != [n] {
                return fail(format!(
                    "the {what} has shape {:?}, which is not [{n}], for {lengths:?}",
                    weight.shape()
                ));
            }
        }
        if self.kind == Kind::Batch && n > 0 && count(lengths) / n < 2 {
            return fail(format!(
                "a channel needs more than one value to have a variance, in {lengths:?}"
            ));
        }
        if self.eps.is_nan() || self.eps < 0.0 {
            return fail(format!("ε is {}, which must not be negative", self.eps));
        }
        Ok(())
    }

    /// The mean of a row, and the inverse root of its variance.
    fn statistics<T: Float>(self, row: &[T]) -> (T, T) {
        let mean = if self.centred() { mean(row) } else { T::ZERO };
        let squares = sum_by(row, |x| (x - mean) * (x - mean));
        let n = T::from_f64(row.len() as f64);
        (mean, inverse_root(squares / n, self.eps))
    }

    /// The normalised rows without weights, and the inverse root of their variances.
    fn standard<T: Float, A: Algebra<T>>(self, x: &A) -> (A, A) {
        let axes = self.axes(x.lengths().len());
        let centred = self.centred_rows(x);
        let square = mean_over(&centred.mul(&centred), &axes);
        let root = square.then(InverseRoot { eps: self.eps });
        (centred.times(&root), root)
    }

    fn centred_rows<T: Float, A: Algebra<T>>(self, x: &A) -> A {
        if self.centred() {
            let axes: Vec<isize> = self
                .axes(x.lengths().len())
                .iter()
                .map(|axis| *axis as isize)
                .collect();
            x.then(Centred {
                axes: Axes::from(&axes[..]),
            })
        } else {
            x.clone()
        }
    }
}

/// The mean over axes, which stay with length 1.
fn mean_over<T: Float, A: Algebra<T>>(x: &A, axes: &[usize]) -> A {
    let n: usize = axes.iter().map(|axis| x.lengths()[*axis]).product();
    x.summed_over(axes).scaled(1.0 / n as f64)
}

/// Weights, row by row of what they are stretched to.
enum Weights<'a, T> {
    /// The same in each row.
    Within(&'a [T]),
    /// One for each row.
    Each(&'a [T]),
}

impl<T: Float> Weights<'_, T> {
    /// The weights of row `k`.
    fn row<'a>(&'a self, k: usize, room: &'a mut [T]) -> &'a [T] {
        match self {
            Weights::Within(row) => row,
            Weights::Each(all) => {
                room.fill(all[k]);
                room
            }
        }
    }
}

impl Norm {
    fn weights<T>(self, all: &[T]) -> Weights<'_, T> {
        match self.kind {
            Kind::Layer | Kind::Rms => Weights::Within(all),
            Kind::Batch => Weights::Each(all),
        }
    }
}

impl<T: Float> Operation<T> for Norm {
    const NAME: &'static str = "norm";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        self.check(x)?;
        let rows = x[0].rows(&self.axes(x[0].rank()));
        let length = rows.length;
        let weight = x[1].contiguous();
        let bias = x.get(2).map(|bias| bias.contiguous());
        let (weight, bias) = (
            self.weights(weight.dense().unwrap_or(&[])),
            self.weights(bias.as_ref().and_then(|bias| bias.dense()).unwrap_or(&[])),
        );
        let room = || [vec![T::ZERO; length], vec![T::ZERO; length]];
        Ok(rows.write(
            Work::Function,
            room,
            #[inline(always)]
            |[a, b]: &mut [Vec<T>; 2], k, row: &[T], out: &mut [T]| {
                let (mean, root) = self.statistics(row);
                let weight = weight.row(k, a);
                for ((out, x), w) in out.iter_mut().zip(row).zip(weight) {
                    *out = (*x - mean) * root * *w;
                }
                if x.len() > 2 {
                    for (out, b) in out.iter_mut().zip(bias.row(k, b)) {
                        *out += *b;
                    }
                }
            },
        ))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let lifted = self.lifted(y.lengths());
        let by_input = dx[0].map(|d| {
            let one = A::constant(Tensor::ones(x[1].lengths()));
            let back = A::apply(&NormBack(*self), &[x[0], &one, d]);
            back.times(&x[1].shaped(&lifted))
        });
        let by_weight = dx[1].map(|d| A::apply(self, &[x[0], d]));
        let by_bias = dx.get(2).copied().flatten();
        let by_bias = by_bias.map(|d| d.shaped(&lifted).stretched_to(y.lengths()));
        [by_input, by_weight, by_bias]
            .into_iter()
            .flatten()
            .reduce(|a, b| a.add(&b))
            .unwrap_or_else(|| y.nothing())
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let mut bars = vec![
            wanted[0].then(|| A::apply(&NormBack(*self), &[x[0], x[1], dy])),
            wanted[1].then(|| A::apply(&NormWeight(*self), &[x[0], dy])),
        ];
        if let Some(bias) = x.get(2) {
            let sum = || dy.summed_to(&self.lifted(dy.lengths()));
            bars.push(wanted[2].then(|| sum().shaped(bias.lengths())));
        }
        bars
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        norms(|norm, lengths, n| {
            let mut x = vec![shape(lengths), shifted(&[n], 3.0)];
            if norm.kind != Kind::Rms {
                x.push(shifted(&[n], 8.0));
            }
            (norm, x)
        })
    }
}

/// The cotangent of what was normalised, from its own, the weight and the result's.
#[derive(Clone)]
pub(crate) struct NormBack(Norm);

impl<T: Float> Operation<T> for NormBack {
    const NAME: &'static str = "norm";

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let norm = self.0;
        let axes = norm.axes(x[0].rank());
        let (rows, cotangents) = (x[0].rows(&axes), x[2].rows(&axes));
        let (length, weight) = (rows.length, x[1].contiguous());
        let weight = norm.weights(weight.dense().unwrap_or(&[]));
        let n = T::from_f64(length as f64);
        let room = || vec![T::ZERO; length];
        Ok(rows.write(
            Work::Function,
            room,
            #[inline(always)]
            |room: &mut Vec<T>, k, row: &[T], out: &mut [T]| {
                let (mean, root) = norm.statistics(row);
                let d = cotangents.row(k);
                for ((out, d), w) in out.iter_mut().zip(d).zip(weight.row(k, room)) {
                    *out = zmul(*d, *w);
                }
                let shift = if norm.centred() {
                    sum(out) / n
                } else {
                    T::ZERO
                };
                let along = sum_by_two(out, row, |d, x| d * (x - mean)) * root / n;
                for (out, x) in out.iter_mut().zip(row) {
                    *out = zmul(*out - shift - (*x - mean) * root * along, root);
                }
            },
        ))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let lengths = x[0].lengths();
        let (standard, root) = self.0.standard(x[0]);
        let d = x[2].times(&x[1].shaped(&self.0.lifted(lengths)));
        let along = mean_over(&d.times(&standard), &self.0.axes(lengths.len()));
        let left = self.0.centred_rows(&d).sub(&standard.times(&along));
        left.times(&root)
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        norms(|norm, lengths, n| {
            let x = vec![shape(lengths), shifted(&[n], 3.0), shifted(lengths, 8.0)];
            (NormBack(norm), x)
        })
    }
}

/// The rows of a sum; those sums are then added, so that rounding errors do not grow with the number of rows.
const AT_ONCE: usize = 64;

/// The cotangent of the weight: the normalised rows times the result's, summed.
#[derive(Clone)]
pub(crate) struct NormWeight(Norm);

impl<T: Float> Operation<T> for NormWeight {
    const NAME: &'static str = "norm";

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let norm = self.0;
        let axes = norm.axes(x[0].rank());
        let (rows, cotangents) = (x[0].rows(&axes), x[1].rows(&axes));
        let n = x[0].shape()[norm.axis(x[0].rank())];
        if norm.kind == Kind::Batch {
            return Ok(rows.each_in(
                Work::Function,
                || (),
                |(), k, row| {
                    let (mean, root) = norm.statistics(row);
                    sum_by_two(cotangents.row(k), row, |d, x| zmul(d, (x - mean) * root))
                },
            ));
        }
        let mut sums = filled(n * rows.number.div_ceil(AT_ONCE), T::ZERO);
        let amount = Amount {
            work: Work::Function,
            units: rows.number.div_ceil(AT_ONCE),
            each: AT_ONCE * n,
        };
        divide(Blocks(&mut sums, n), amount, |some, Blocks(sums, _)| {
            dispatch(
                #[inline(always)]
                |_| {
                    for (sum, at) in sums.chunks_exact_mut(n.max(1)).zip(some) {
                        for k in at * AT_ONCE..rows.number.min((at + 1) * AT_ONCE) {
                            let (row, d) = (rows.row(k), cotangents.row(k));
                            let (mean, root) = norm.statistics(row);
                            for ((sum, x), d) in sum.iter_mut().zip(row).zip(d) {
                                *sum += zmul(*d, (*x - mean) * root);
                            }
                        }
                    }
                },
            );
        });
        let mut out = filled(n, T::ZERO);
        for sum in sums.chunks_exact(n.max(1)) {
            for (out, sum) in out.iter_mut().zip(sum) {
                *out += *sum;
            }
        }
        Ok(Tensor::of(Dims::from_elem(n, 1), out))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let lifted = self.0.lifted(x[0].lengths());
        let products = x[1].times(&self.0.standard(x[0]).0);
        let n = count(&lifted);
        products.summed_to(&lifted).shaped(&[n])
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        norms(|norm, lengths, _| {
            let x = vec![shape(lengths), shifted(lengths, 8.0)];
            (NormWeight(norm), x)
        })
    }
}

/// Norms to test at shapes with so many weights.
#[cfg(test)]
fn norms<R>(point: impl Fn(Norm, &[usize], usize) -> R) -> Vec<R> {
    let points: [(Kind, &[usize]); 11] = [
        (Kind::Layer, &[2, 3]),
        (Kind::Layer, &[5]),
        (Kind::Layer, &[2, 1, 4]),
        (Kind::Layer, &[0, 3]),
        (Kind::Layer, &[2, 1]),
        (Kind::Rms, &[2, 3]),
        (Kind::Rms, &[2, 2, 1]),
        (Kind::Rms, &[0, 2]),
        (Kind::Batch, &[4, 3]),
        (Kind::Batch, &[2, 3, 2, 2]),
        (Kind::Batch, &[2, 0]),
    ];
    points
        .into_iter()
        .map(|(kind, lengths)| {
            let norm = Norm { kind, eps: 0.01 };
            point(norm, lengths, lengths[norm.axis(lengths.len())])
        })
        .collect()
}

methods! {
    /// The last axis brought to mean 0 and variance 1, times a weight, plus a bias: (x − mean) / √(variance + ε) · w + b, by the biased variance.
    ///
    /// Weight and bias have one axis, of the last axis' length; other shapes are an error.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([[1.0, 3.0], [7.0, 7.0]]);
    /// let (weight, bias) = (Tensor::from([2.0, 2.0]), Tensor::from([0.0, 1.0]));
    /// assert_eq!(x.layernorm(weight, bias, 0.0).to_vec(), [-2.0, 3.0, 0.0, 1.0]);
    /// ```
    layernorm(weight, bias; eps: given [f64]) -> tensor = Norm { kind: Kind::Layer, eps };
    /// The last axis brought to a mean square of 1, times a weight: x / √(mean(x²) + ε) · w.
    ///
    /// The weight has one axis, of the last axis' length; other shapes are an error.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([[2.0, -2.0], [0.0, 0.0]]);
    /// assert_eq!(x.rmsnorm(Tensor::from([1.0, 3.0]), 0.0).to_vec(), [1.0, -3.0, 0.0, 0.0]);
    /// ```
    rmsnorm(weight; eps: given [f64]) -> tensor = Norm { kind: Kind::Rms, eps };
    /// Each channel (axis 1) brought to mean 0 and variance 1 over all other axes, times the channel's weight, plus its bias, as in training.
    ///
    /// The variance is the biased one. Weight and bias have one axis, of as many as there are channels; other shapes, and channels of one value, are an error.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([[1.0, 5.0], [3.0, 5.0]]);
    /// let (weight, bias) = (Tensor::from([1.0, 1.0]), Tensor::from([0.0, 0.5]));
    /// assert_eq!(x.batchnorm_train(weight, bias, 0.0).to_vec(), [-1.0, 0.5, 1.0, 0.5]);
    /// ```
    batchnorm_train(weight, bias; eps: given [f64]) -> tensor = Norm { kind: Kind::Batch, eps };
}

#[cfg(test)]
crate::tensor::testing::operations!(InverseRoot Norm NormBack NormWeight);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::tensor::testing::{pulled, pushed, second};

    const LAYER: Norm = Norm {
        kind: Kind::Layer,
        eps: 1e-5,
    };

    #[test]
    fn constant_rows_give_the_bias() {
        // A third of the sum of three times 0.1 is not 0.1.
        let x = Tensor::from([[0.1, 0.1, 0.1], [0.0, 0.0, 0.0]]);
        let (w, b) = (Tensor::from([2.0, 3.0, 4.0]), Tensor::from([0.5, 1.0, 7.0]));
        for eps in [0.0, 1e-5] {
            let norm = Norm { eps, ..LAYER };
            let y = x.layernorm(&w, &b, eps);
            assert_eq!(y.to_vec(), [0.5, 1.0, 7.0, 0.5, 1.0, 7.0]);
            let operands = [x.clone(), w.clone(), b.clone()];
            let c = Tensor::from([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]);
            let bars = pulled(&norm, &operands, &c);
            assert_eq!(bars[1].to_vec(), [0.0; 3]);
            assert_eq!(bars[2].to_vec(), [2.0, 3.0, 4.0]);
            let (_, dots) = second(&norm, &operands, &operands, &c, &c);
            for (bar, dot) in bars.iter().zip(&dots) {
                assert!(bar.iter().chain(dot).all(f64::is_finite));
            }
            assert_eq!(pulled(&norm, &operands, &c)[0].to_vec().len(), 6);
        }
    }

    #[test]
    fn rows_of_one_have_no_slope() {
        let operands = [
            Tensor::from([[3.3], [-1e9]]),
            Tensor::from([2.0]),
            Tensor::from([0.5]),
        ];
        let d = operands.clone().map(|x| x.outline());
        let d = [Tensor::from([[1.0], [2.0]]), d[1].clone(), d[2].clone()];
        assert_eq!(
            operands[0]
                .layernorm(&operands[1], &operands[2], 1e-5)
                .to_vec(),
            [0.5, 0.5]
        );
        assert_eq!(pushed(&LAYER, &operands, &d).to_vec(), [0.0, 0.0]);
        let c = Tensor::from([[1.0], [3.0]]);
        let (bars, dots) = second(&LAYER, &operands, &d, &c, &c);
        assert_eq!(bars[0].to_vec(), [0.0, 0.0]);
        assert_eq!(bars[1].to_vec(), [0.0]);
        assert_eq!(dots[0].to_vec(), [0.0, 0.0]);
    }

    #[test]
    fn no_rows_and_no_batch() {
        let (w, b) = (Tensor::from([1.0, 2.0]), Tensor::from([0.0, 0.0]));
        let operands = [Tensor::zeros(&[0, 2]), w.clone(), b.clone()];
        let bars = pulled(&LAYER, &operands, &Tensor::zeros(&[0, 2]));
        assert_eq!(bars[1].to_vec(), [0.0, 0.0]);
        assert_eq!(bars[2].to_vec(), [0.0, 0.0]);
        let y = Tensor::from([1.0, 3.0]).layernorm(w, b, 0.0);
        assert_eq!(y.to_vec(), [-1.0, 2.0]);
    }

    #[test]
    fn a_large_mean_and_a_small_spread() {
        let x = Tensor::from([[1e8, 1e8 + 1.0, 1e8 + 2.0]]);
        let (w, b) = (Tensor::from([1.0; 3]), Tensor::from([0.0; 3]));
        let y = x.layernorm(&w, &b, 0.0);
        assert!((y[[0, 2]] - 1.5_f64.sqrt()).abs() < 1e-14);
        let x = Tensor::from([[1e4_f32, 1e4 + 1.0, 1e4 + 2.0]]);
        let y = x.layernorm(Tensor::from([1.0_f32; 3]), Tensor::from([0.0_f32; 3]), 0.0);
        assert!((y[[0, 2]] - 1.5_f32.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn what_is_refused() {
        let x = Tensor::<f64>::ones(&[2, 3]);
        let (two, three) = (Tensor::ones(&[2]), Tensor::ones(&[3]));
        assert_eq!(
            x.try_layernorm(&three, &two, 1e-5).unwrap_err().to_string(),
            "layernorm: the bias has shape [2], which is not [3], for [2, 3]"
        );
        assert!(x.try_rmsnorm(1.0, 1e-5).is_err());
        assert!(x.try_rmsnorm(&three, f64::NAN).is_err());
        assert_eq!(
            Tensor::<f64>::ones(&[1, 3])
                .try_batchnorm_train(&three, &three, 1e-5)
                .unwrap_err()
                .to_string(),
            "batchnorm_train: a channel needs more than one value to have a variance, in [1, 3]"
        );
        assert_eq!(
            three
                .try_batchnorm_train(&three, &three, 1e-5)
                .unwrap_err()
                .to_string(),
            "batchnorm_train: the shape [3] has too few axes"
        );
        assert!(
            Tensor::<f64>::scalar(1.0)
                .try_layernorm(&three, &three, 0.0)
                .is_err()
        );
    }
}
