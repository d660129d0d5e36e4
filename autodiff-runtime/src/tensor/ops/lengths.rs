//! Lengths of vectors: norms of any order.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::extrema::largest;
use super::reductions::{Lanes, reduction, sum_by};
use crate::float::Float;
use crate::parallel::Work;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::elementwise::map;
use crate::tensor::error::{Error, Result, expect};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::anything;
#[cfg(test)]
use crate::tensor::testing::{shape, shifted};

/// y where it is not 0, and ∞ where it is, so that what is divided by it is 0 there.
#[derive(Clone)]
pub(crate) struct Divisor;

impl Divisor {
    fn passes<T: Float, A: Algebra<T>>(x: &A) -> A {
        let passes = |x| if x == T::ZERO { T::ZERO } else { T::ONE };
        A::constant(map(x.primal(), passes))
    }
}

impl<T: Float> Operation<T> for Divisor {
    const NAME: &'static str = "norm";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let safe = |x| if x == T::ZERO { T::INFINITY } else { x };
        Ok(map(x[0], safe))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        dx[0].map_or_else(|| y.nothing(), |d| d.times(&Self::passes(x[0])))
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.times(&Self::passes(x[0])))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![(Divisor, vec![shape(&[2, 3])])]
    }
}

/// |x|^q, times the sign of x if it is signed; a signed one is 0 at 0 for every q.
#[derive(Clone)]
pub(crate) struct AbsPower {
    exponent: f64,
    signed: bool,
}

impl AbsPower {
    /// q |x|^(q − 1), with the sign of x if it had none.
    fn slope<T: Float, A: Algebra<T>>(&self, x: &A) -> A {
        if self.exponent == 0.0 {
            return x.nothing();
        }
        let power = AbsPower {
            exponent: self.exponent - 1.0,
            signed: !self.signed,
        };
        x.then(power).scaled(self.exponent)
    }
}

/// −1, 0 or 1, or NaN.
fn sign<T: Float>(x: T) -> T {
    if x == T::ZERO { T::ZERO } else { x.signum() }
}

impl<T: Float> Operation<T> for AbsPower {
    const NAME: &'static str = "norm";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let exponent = T::from_f64(self.exponent);
        let power = |x: T| {
            if !self.signed {
                x.abs().powf(exponent)
            } else if x == T::ZERO {
                T::ZERO
            } else {
                x.abs().powf(exponent) * sign(x)
            }
        };
        Ok(map(x[0], power))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        dx[0].map_or_else(|| y.nothing(), |d| d.times(&self.slope(x[0])))
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.times(&self.slope(x[0])))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let signs = |x: T| if x < T::from_f64(0.8) { -x } else { x };
        let mixed = || map(&shape::<T>(&[2, 3]), signs);
        [(2.0, false), (0.5, true), (-1.5, false), (0.0, true)]
            .into_iter()
            .map(|(exponent, signed)| (AbsPower { exponent, signed }, vec![mixed()]))
            .collect()
    }
}

/// (Σ |x|ᵖ)^(1/p) over axes.
#[derive(Clone)]
pub(crate) struct Length {
    lanes: Lanes,
    order: f64,
}

impl Length {
    /// The norm of a row: of what is divided by the largest entry where powers overflow or vanish.
    #[allow(clippy::float_cmp, reason = "orders with a formula of their own")]
    fn of<T: Float>(&self, row: &[T]) -> T {
        let most = || largest(row, T::abs);
        if self.order == 1.0 {
            return sum_by(row, T::abs);
        }
        if self.order == f64::INFINITY {
            return if row.is_empty() { T::ZERO } else { most() };
        }
        if self.order == 2.0 {
            let squares = sum_by(row, |x| x * x);
            if squares.is_finite() && squares > T::MIN_POSITIVE / T::EPSILON {
                return squares.sqrt();
            }
        }
        let most = most();
        if row.is_empty() || most == T::ZERO {
            return T::ZERO;
        }
        if !most.is_finite() {
            return most;
        }
        if self.order == 2.0 {
            return sum_by(row, |x| (x / most) * (x / most)).sqrt() * most;
        }
        let order = T::from_f64(self.order);
        sum_by(row, |x| (x / most).abs().powf(order)).powf(order.recip()) * most
    }

    /// The sign of the largest entries, shared by those that are tied.
    fn shares<T: Float>(&self, x: &Tensor<T>, y: &Tensor<T>) -> Tensor<T> {
        let [axes, kept, _] = expect(self.lanes.shapes("norm", x.shape()));
        let (rows, y) = (x.rows(&axes), y.reshaped(&kept));
        let length = rows.length.max(1);
        let mut shares = anything(x.len());
        for ((out, row), y) in (shares.chunks_exact_mut(length))
            .zip(rows.entries().chunks_exact(length))
            .zip(&y)
        {
            let chosen = |x: T| x.abs() == y || x.is_nan();
            let tied = row.iter().filter(|x| chosen(**x)).count();
            for (out, x) in out.iter_mut().zip(row) {
                *out = if chosen(*x) {
                    sign(*x) / T::from_f64(tied as f64)
                } else {
                    T::ZERO
                };
            }
        }
        rows.back(shares)
    }

    /// The slopes: sign(x) (|x| / y)^(p − 1), and 0 throughout a lane of zeros.
    #[allow(clippy::float_cmp, reason = "orders with a formula of their own")]
    fn slope<T: Float, A: Algebra<T>>(&self, x: &A, y: &A) -> A {
        if self.order == 1.0 {
            return A::constant(map(x.primal(), sign));
        }
        if self.order == f64::INFINITY {
            return A::constant(self.shares(x.primal(), y.primal()));
        }
        let ratio = x.over(&self.lanes.repeated(&y.then(Divisor), x.lengths()));
        if self.order == 2.0 {
            return ratio;
        }
        ratio.then(AbsPower {
            exponent: self.order - 1.0,
            signed: true,
        })
    }
}

impl<T: Float> Operation<T> for Length {
    const NAME: &'static str = "norm";

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        if self.order.is_nan() || self.order <= 0.0 {
            return Err(Error::new(
                "norm",
                format!("the order is {}, which must be positive", self.order),
            ));
        }
        let [axes, _, left] = self.lanes.shapes("norm", x[0].shape())?;
        let rows = x[0].rows(&axes);
        let norms = rows.each(Work::Memory, |row| self.of(row));
        Ok(norms.reshaped(&left))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let sum = |d: &A| self.lanes.summed(&d.times(&self.slope(x[0], y)));
        dx[0].map_or_else(|| y.nothing(), sum)
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let d = self.lanes.repeated(dy, x[0].lengths());
        vec![Some(d.times(&self.slope(x[0], y)))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let mut points = super::reductions::lanes(|lanes| Length { lanes, order: 2.0 }, true);
        for order in [0.5, 1.0, 1.5, 3.0, f64::INFINITY] {
            let x = map(&shifted::<T>(&[3, 3], 4.0), |x| x - T::from_f64(0.75));
            let lanes = Lanes::dropped(0);
            points.push((Length { lanes, order }, vec![x]));
        }
        points
    }
}

reduction!(
    norm(),
    "The 2-norm √(Σ x²), without overflow (0 of nothing; the derivative is 0 where all entries are)",
    "assert_eq!((x - 3.0).norm(), 14.0_f64.sqrt());",
    (|lanes| Length { lanes, order: 2.0 })
);
reduction!(
    norm_p(order: f64),
    "The p-norm (Σ |x|ᵖ)^(1/p) for an order p > 0 (∞: the largest |x|; those that are tied share the derivative), without overflow",
    "assert_eq!((x - 3.0).norm_p(1.0), 6.0);",
    (|lanes, order| Length { lanes, order })
);

/// The cosine of the angle between vectors: Σ a b / (‖a‖ ‖b‖), and 0 if one is 0.
#[derive(Clone)]
pub(crate) struct CosineSimilarity {
    axis: isize,
}

impl<T: Float> Operation<T> for CosineSimilarity {
    const NAME: &'static str = "cosine_similarity";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let name = "cosine_similarity";
        let shape = crate::tensor::dims::broadcast(name, x[0].shape(), x[1].shape())?;
        crate::tensor::dims::axis(name, shape.len(), self.axis)?;
        crate::tensor::dims::size(name, &shape)?;
        Ok(self.formula(x))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let [a, b] = [x[0].lengths(), x[1].lengths()];
        let shape = expect(crate::tensor::dims::broadcast("cosine_similarity", a, b));
        let along = Length {
            lanes: Lanes::kept(self.axis),
            order: 2.0,
        };
        let [a, b] = [x[0], x[1]].map(|x| {
            let x = x.stretched_to(&shape);
            x.over(&x.then(along.clone()).then(Divisor))
        });
        Lanes::dropped(self.axis).summed(&a.mul(&b))
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let pair = |a: &[usize], b: &[usize]| vec![shape(a), shifted(b, 5.0)];
        vec![
            (CosineSimilarity { axis: -1 }, pair(&[2, 3], &[2, 3])),
            (CosineSimilarity { axis: 0 }, pair(&[3, 2], &[3, 1])),
            (CosineSimilarity { axis: 0 }, pair(&[3], &[3])),
            (CosineSimilarity { axis: 1 }, pair(&[0, 3], &[0, 3])),
        ]
    }
}

methods! {
    /// The cosine of the angle between the vectors along an axis: Σ a b / (‖a‖ ‖b‖), and 0 with derivative 0 where one of them is 0.
    ///
    /// The operands are stretched to each other; shapes that do not go together are an error.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([[3.0, 4.0], [0.0, 0.0]]);
    /// assert_eq!(x.cosine_similarity(Tensor::from([[5.0, 0.0]]), 1).to_vec(), [0.6, 0.0]);
    /// ```
    cosine_similarity(other; axis: given [isize]) -> tensor = CosineSimilarity { axis };
}

#[cfg(test)]
crate::tensor::testing::operations!(Divisor AbsPower Length CosineSimilarity);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::testing::{pulled, pushed, second};

    #[test]
    fn a_lane_of_zeros_has_no_slope_and_leaves_the_others_alone() {
        let x = [Tensor::from([[0.0, 0.0], [3.0, -4.0]])];
        let c = Tensor::from([1.0, 5.0]);
        let d = [Tensor::from([[1.0, 2.0], [5.0, 0.0]])];
        for (order, expected) in [
            (1.0, [5.0, -5.0]),
            (2.0, [3.0, -4.0]),
            (f64::INFINITY, [0.0, -5.0]),
        ] {
            let norm = Length {
                lanes: Lanes::dropped(1),
                order,
            };
            let bar = &pulled(&norm, &x, &c)[0];
            assert_eq!(bar.to_vec(), [0.0, 0.0, expected[0], expected[1]]);
            assert_eq!(pushed(&norm, &x, &d)[[0]], 0.0);
            let (_, dots) = second(&norm, &x, &d, &c, &c.outline());
            assert_eq!(dots[0].to_vec()[..2], [0.0, 0.0]);
            assert!(dots[0].iter().all(f64::is_finite));
        }
        for order in [0.5, 1.5, 3.0] {
            let norm = Length {
                lanes: Lanes::dropped(1),
                order,
            };
            let zero = [Tensor::from([[0.0, 0.0], [0.0, 2.0]])];
            assert_eq!(pulled(&norm, &zero, &c)[0].to_vec(), [0.0, 0.0, 0.0, 5.0]);
        }
    }

    #[test]
    fn squares_neither_overflow_nor_vanish() {
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-15, "{a} and {b}");
        near(Tensor::from([3e200, 4e200]).norm(), 5e200);
        near(Tensor::from([3e-200, 4e-200]).norm(), 5e-200);
        near(
            Tensor::from([1e200, 1e200]).norm_p(3.0),
            2.0_f64.cbrt() * 1e200,
        );
        assert_eq!(Tensor::from([3e30_f32, 4e30]).norm(), 5e30);
        assert_eq!(Tensor::from([f64::INFINITY, 1.0]).norm(), f64::INFINITY);
        assert!(Tensor::from([f64::NAN, 1.0]).norm_p(f64::INFINITY).is_nan());
        assert_eq!(Tensor::<f64>::zeros(&[0]).norm(), 0.0);
        assert_eq!(Tensor::<f64>::zeros(&[0]).norm_p(f64::INFINITY), 0.0);
        let norm = Length {
            lanes: Lanes::all(),
            order: 2.0,
        };
        let bar = pulled(&norm, &[Tensor::from([3e200, 4e200])], &Tensor::scalar(1.0));
        near(bar[0][[0]], 0.6);
        near(bar[0][[1]], 0.8);
    }

    #[test]
    fn ties_share_in_the_largest_and_other_orders_are_refused() {
        let norm = Length {
            lanes: Lanes::all(),
            order: f64::INFINITY,
        };
        let bar = pulled(
            &norm,
            &[Tensor::from([2.0, -2.0, 1.0])],
            &Tensor::scalar(1.0),
        );
        assert_eq!(bar[0].to_vec(), [0.5, -0.5, 0.0]);
        let x = Tensor::from([1.0]);
        assert!(x.try_norm_p(0.0).is_err() && x.try_norm_p(f64::NAN).is_err());
    }

    #[test]
    fn a_vector_without_direction_has_cosine_zero() {
        let x = [
            Tensor::from([[0.0, 0.0], [1e200, 0.0]]),
            Tensor::from([[1.0, 2.0], [1e-200, 0.0]]),
        ];
        let cosine = CosineSimilarity { axis: 1 };
        assert_eq!(x[0].cosine_similarity(&x[1], 1).to_vec(), [0.0, 1.0]);
        let c = Tensor::from([1.0, 1.0]);
        for bar in pulled(&cosine, &x, &c) {
            assert_eq!(bar.to_vec(), [0.0; 4]);
        }
        assert!(x[0].try_cosine_similarity(Tensor::ones(&[3]), 1).is_err());
        assert!(x[0].try_cosine_similarity(&x[1], 2).is_err());
    }
}
