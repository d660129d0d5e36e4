//! Functions of two or three numbers, entry by entry, of tensors that are stretched to each other.

use alloc::vec;
use alloc::vec::Vec;

use super::arithmetic::{each, total};
use crate::dual::second;
use crate::float::Float;
use crate::kernels::zmul;
use crate::parallel::Work;
use crate::rules::{op, partial};
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::elementwise::{zip_by, zip3, zip3_by, zip4_by};
use crate::tensor::error::{Error, Result};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
#[cfg(test)]
use crate::tensor::testing::{pairs, shape, shifted};

/// A function of two numbers.
pub(crate) trait Function<T: Float>: Clone + Send + Sync + 'static {
    /// The name in messages.
    const NAME: &'static str;

    /// What the slopes are computed from: the arguments, or these with the result at hand.
    const KEEPS: Keeps;

    /// How much work a value or a slope is.
    const WORK: Work = Work::Function;

    /// The value.
    fn value(&self, a: T, b: T) -> T;

    /// The derivatives by a and b, where y is the value; without that it is 0 here.
    fn slopes(&self, a: T, b: T, y: T) -> [T; 2];

    /// The derivatives by a twice, by both, and by b twice.
    fn bends(&self, a: T, b: T) -> [T; 3];

    /// What is added to the arguments that it is tested at, which are between 0.3 and 1.4.
    #[cfg(test)]
    fn points() -> (Self, Vec<[f64; 2]>);
}

/// The function of every pair of entries.
#[derive(Clone)]
pub(crate) struct Zip<F>(pub(crate) F);

impl<T: Float, F: Function<T>> Operation<T> for Zip<F> {
    const NAME: &'static str = F::NAME;
    const KEEPS: Keeps = F::KEEPS;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        zip_by(F::WORK, F::NAME, x[0], x[1], |a, b| self.0.value(a, b))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let along = |k: usize| dx[k].map(|d| Along::of(&self.0, k).on(x[0], x[1], y, d));
        total(y, along(0), along(1))
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let along = |k: usize| Along::of(&self.0, k).on(x[0], x[1], y, dy);
        each(x, wanted, || along(0), || along(1))
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let (function, shifts) = F::points();
        let moved = |x: Vec<Tensor<T>>, by: [f64; 2]| {
            let pairs = x.iter().zip(by);
            pairs
                .map(|(x, by)| crate::tensor::elementwise::map(x, |x| x + T::from_f64(by)))
                .collect()
        };
        shifts
            .into_iter()
            .flat_map(|by| {
                pairs(&Zip(function.clone()))
                    .into_iter()
                    .map(move |(o, x)| (o, moved(x, by)))
            })
            .collect()
    }
}

/// A tangent or cotangent times a slope of a function, or times the slope's own.
///
/// The operands are the arguments, the result where the slopes are computed from that too, and what is multiplied.
#[derive(Clone)]
pub(crate) struct Along<F> {
    function: F,
    /// How often it is derived by each argument.
    by: [usize; 2],
}

impl<F: Clone> Along<F> {
    /// The slope by argument `k`.
    fn of(function: &F, k: usize) -> Self {
        Along {
            function: function.clone(),
            by: [usize::from(k == 0), usize::from(k == 1)],
        }
    }

    /// The slope's slope by argument `k`.
    fn bent(&self, k: usize) -> Self {
        let mut bent = self.clone();
        bent.by[k] += 1;
        bent
    }

    fn on<T: Float, A: Algebra<T>>(&self, a: &A, b: &A, y: &A, d: &A) -> A
    where
        Self: Operation<T>,
    {
        A::apply(self, &[a, b, y, d])
    }
}

impl<T: Float, F: Function<T>> Operation<T> for Along<F> {
    const NAME: &'static str = F::NAME;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let ([a, b, y, d], f) = ([x[0], x[1], x[2], x[3]], &self.function);
        let first = |k: usize| {
            if F::KEEPS == Keeps::Everything {
                zip4_by(F::WORK, F::NAME, a, b, y, d, |a, b, y, d| {
                    zmul(d, f.slopes(a, b, y)[k])
                })
            } else {
                zip3_by(F::WORK, F::NAME, a, b, d, |a, b, d| {
                    zmul(d, f.slopes(a, b, T::ZERO)[k])
                })
            }
        };
        let second = |k: usize| {
            zip3_by(F::WORK, F::NAME, a, b, d, |a, b, d| {
                zmul(d, f.bends(a, b)[k])
            })
        };
        // Known numbers in each, so that a loop computes one slope.
        match self.by {
            [1, 0] => first(0),
            [0, 1] => first(1),
            [2, 0] => second(0),
            [1, 1] => second(1),
            [0, 2] => second(2),
            _ => Err(Error::new(F::NAME, "there are derivatives up to order two")),
        }
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let bent = |k: usize| dx[k].map(|d| self.bent(k).on(x[0], x[1], x[2], &x[3].times(d)));
        let bent = match (bent(0), bent(1)) {
            (Some(a), Some(b)) => Some(a.add(&b)),
            (a, b) => a.or(b),
        };
        total(y, dx[3].map(|d| self.on(x[0], x[1], x[2], d)), bent)
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let to = |k: usize, d: A| d.summed_to(x[k].lengths());
        let bent =
            |k: usize| wanted[k].then(|| to(k, self.bent(k).on(x[0], x[1], x[2], &x[3].times(dy))));
        let along = wanted[3].then(|| to(3, self.on(x[0], x[1], x[2], dy)));
        vec![bent(0), bent(1), None, along]
    }

    /// It is tested by the second derivatives of its function.
    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        Vec::new()
    }
}

/// Functions of two numbers with their derivatives.
macro_rules! functions {
    ($(
        $(#[$doc:meta])*
        $name:ident as $label:literal keeps $keeps:ident $(by $work:ident)? at $at:expr, |$a:ident, $b:ident|
            value $value:expr, slopes($y:ident) $slopes:expr, bends $bends:expr;
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone)]
            pub(crate) struct $name;

            #[allow(unused_variables, reason = "few slopes look at everything")]
            impl<T: Float> Function<T> for $name {
                const NAME: &'static str = $label;
                const KEEPS: Keeps = Keeps::$keeps;
                $(const WORK: Work = Work::$work;)?

                #[inline]
                fn value(&self, $a: T, $b: T) -> T {
                    $value
                }

                #[inline]
                fn slopes(&self, $a: T, $b: T, $y: T) -> [T; 2] {
                    $slopes
                }

                #[inline]
                fn bends(&self, $a: T, $b: T) -> [T; 3] {
                    $bends
                }

                #[cfg(test)]
                fn points() -> (Self, Vec<[f64; 2]>) {
                    (Self, $at.to_vec())
                }
            }
        )*

        #[cfg(test)]
        mod function_checks {
            $( pastey::paste! {
                #[test]
                fn [<of_ $name:snake>]() {
                    $crate::tensor::testing::check::<super::Zip<super::$name>>();
                }
            } )*
        }
    };
}
functions! {
    /// The larger of two numbers; NaN if one is.
    Maximum as "maximum" keeps Operands by Memory at [[0.0, 0.0]], |a, b|
        value op::maximum(a, b), slopes(y) partial::maximum(a, b, y), bends [T::ZERO; 3];
    /// The smaller of two numbers; NaN if one is.
    Minimum as "minimum" keeps Operands by Memory at [[0.0, 0.0]], |a, b|
        value op::minimum(a, b), slopes(y) partial::minimum(a, b, y), bends [T::ZERO; 3];
    /// a to the power b.
    Powf as "powf" keeps Everything at [[0.0, 0.0], [0.0, -3.0]], |a, b|
        value op::powf(a, b), slopes(y) partial::powf(a, b, y), bends second::powf(a, b);
    /// The angle of the point (b, a).
    Atan2 as "atan2" keeps Operands at [[0.0, 0.0], [-1.5, -1.5]], |a, b|
        value op::atan2(a, b), slopes(y) partial::atan2(a, b, y), bends second::atan2(a, b);
    /// √(a² + b²).
    Hypot as "hypot" keeps Everything at [[0.0, 0.0], [-1.5, 0.0]], |a, b|
        value op::hypot(a, b), slopes(y) partial::hypot(a, b, y), bends second::hypot(a, b);
    /// The remainder of the division that rounds towards zero.
    Rem as "rem" keeps Everything at [[20.0, 2.0], [-23.0, 2.0]], |a, b|
        value op::rem(a, b), slopes(y) partial::rem(a, b, y), bends [T::ZERO; 3];
    /// The remainder of Euclidean division.
    RemEuclid as "rem_euclid" keeps Everything at [[20.0, 11.0], [-20.0, -12.0]], |a, b|
        value op::rem_euclid(a, b), slopes(y) partial::rem_euclid(a, b, y), bends [T::ZERO; 3];
    /// a with the sign of b.
    Copysign as "copysign" keeps Operands by Memory at [[0.0, 0.0], [0.0, -1.5], [-1.5, 0.0]], |a, b|
        value op::copysign(a, b), slopes(y) partial::copysign(a, b, y), bends [T::ZERO; 3];
    /// ln(eᵃ + eᵇ).
    Logaddexp as "logaddexp" keeps Operands at [[0.0, 0.0], [0.0, -3.0]], |a, b|
        value log_add_exp(a, b), slopes(y) shares(a, b), bends log_add_exp_bends(a, b);
    /// (a − b)².
    SquaredDifference as "squared_difference" keeps Operands by Memory at [[0.0, 0.0]], |a, b|
        value (a - b) * (a - b), slopes(y) [(a - b) + (a - b), (b - a) + (b - a)], bends [2.0, -2.0, 2.0].map(T::from_f64);
}

/// ln(eᵃ + eᵇ), where neither power is computed.
#[inline]
fn log_add_exp<T: Float>(a: T, b: T) -> T {
    if a == b {
        // Two infinite ones have no distance.
        a + T::from_f64(core::f64::consts::LN_2)
    } else {
        a.max(b) + (-(a - b).abs()).exp().ln_1p()
    }
}

/// eᵃ and eᵇ divided by their sum; 0 where both are 0.
#[inline]
fn shares<T: Float>(a: T, b: T) -> [T; 2] {
    if a == T::NEG_INFINITY && b == T::NEG_INFINITY {
        [T::ZERO; 2]
    } else if a == b {
        [T::from_f64(0.5); 2]
    } else {
        [op::sigmoid(a - b), op::sigmoid(b - a)]
    }
}

/// The second derivatives of ln(eᵃ + eᵇ).
fn log_add_exp_bends<T: Float>(a: T, b: T) -> [T; 3] {
    let bend = if a == b && a.abs() == T::INFINITY {
        T::ZERO
    } else {
        op::dsigmoid(a - b, op::sigmoid(a - b))
    };
    [bend, -bend, bend]
}

/// a + w (b − a), exactly b at w = 1.
#[derive(Clone)]
pub(crate) struct Lerp;

impl<T: Float> Operation<T> for Lerp {
    const NAME: &'static str = "lerp";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        zip3("lerp", x[0], x[1], x[2], |a, b, w| {
            if w < T::from_f64(0.5) {
                a + w * (b - a)
            } else {
                b - (T::ONE - w) * (b - a)
            }
        })
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        x[0].add(&x[2].mul(&x[1].sub(x[0])))
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        triples(&Lerp)
    }
}

/// a b + c, rounded once.
#[derive(Clone)]
pub(crate) struct MulAdd;

impl<T: Float> Operation<T> for MulAdd {
    const NAME: &'static str = "mul_add";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        zip3("mul_add", x[0], x[1], x[2], Float::mul_add)
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        x[0].mul(x[1]).add(x[2])
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        triples(&MulAdd)
    }
}

/// Three operands in ways in which they are stretched to each other.
#[cfg(test)]
fn triples<T: Float, O: Clone>(operation: &O) -> Vec<(O, Vec<Tensor<T>>)> {
    let shapes: [[&[usize]; 3]; 5] = [
        [&[2, 3], &[2, 3], &[2, 3]],
        [&[2, 3], &[], &[3]],
        [&[1, 3], &[2, 1], &[]],
        [&[], &[], &[2]],
        [&[0], &[1], &[]],
    ];
    shapes
        .map(|[a, b, c]| {
            (
                operation.clone(),
                vec![shape(a), shifted(b, 50.0), shifted(c, 90.0)],
            )
        })
        .into()
}

methods! {
    /// The larger of two entries each; half the slope to each on a tie. NaN if one is NaN, as NumPy and PyTorch have it.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, 5.0]).maximum(Tensor::from([3.0, 2.0])).to_vec(), [3.0, 5.0]);
    /// ```
    maximum(other;) -> tensor = Zip(Maximum);
    /// The smaller of two entries each; half the slope to each on a tie. NaN if one is NaN, as NumPy and PyTorch have it.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, 5.0]).minimum(2.0).to_vec(), [1.0, 2.0]);
    /// ```
    minimum(other;) -> tensor = Zip(Minimum);
    /// x to the power `exponent`, a tensor or a number; both have derivatives.
    ///
    /// At x = 0 they are the limits from the right, with 0 for the exponent's; that is NaN for negative x.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([2.0, -3.0, 0.0]).powf(2.0).to_vec(), [4.0, 9.0, 0.0]);
    /// ```
    #[doc(alias = "pow")]
    powf(exponent;) -> tensor = Zip(Powf);
    /// The angle of the point (`x`, self), between −π and π.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 1.0]).atan2(0.0).to_vec(), [0.0, 1.0_f64.atan2(0.0)]);
    /// ```
    #[doc(alias = "arctan2")]
    atan2(x;) -> tensor = Zip(Atan2);
    /// √(x² + other²) without overflow, with slopes 0 at the origin.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([3.0, 0.0]).hypot(Tensor::from([4.0, -2.0])).to_vec(), [5.0, 2.0]);
    /// ```
    hypot(other;) -> tensor = Zip(Hypot);
    /// The remainder of the division that rounds towards zero, as of `%`.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([7.5, -7.5]).rem(2.0).to_vec(), [1.5, -1.5]);
    /// ```
    #[doc(alias = "fmod")]
    rem(other;) -> tensor = Zip(Rem);
    /// The remainder of Euclidean division, between 0 and |other|; for positive divisors PyTorch's `remainder`.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([7.5, -7.5]).rem_euclid(2.0).to_vec(), [1.5, 0.5]);
    /// ```
    #[doc(alias = "remainder")]
    rem_euclid(other;) -> tensor = Zip(RemEuclid);
    /// x with the sign of `sign`.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([2.0, -3.0]).copysign(-1.0).to_vec(), [-2.0, -3.0]);
    /// ```
    copysign(sign;) -> tensor = Zip(Copysign);
    /// ln(eˣ + e^other), where no power overflows; −∞ with slopes 0 where both are −∞.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 2000.0]).logaddexp(0.0).to_vec(), [2.0_f64.ln(), 2000.0]);
    /// ```
    logaddexp(other;) -> tensor = Zip(Logaddexp);
    /// (x − other)².
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([2.0, -3.0]).squared_difference(1.0).to_vec(), [1.0, 16.0]);
    /// ```
    squared_difference(other;) -> tensor = Zip(SquaredDifference);
    /// x + weight (end − x), exactly `end` where the weight is 1.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([0.0, 10.0]).lerp(20.0, 0.25).to_vec(), [5.0, 12.5]);
    /// ```
    lerp(end, weight;) -> tensor = Lerp;
    /// x a + b, rounded once.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([2.0, 3.0]).mul_add(10.0, 1.0).to_vec(), [21.0, 31.0]);
    /// ```
    mul_add(a, b;) -> tensor = MulAdd;
}

#[cfg(test)]
crate::tensor::testing::operations!(Lerp MulAdd);

#[cfg(test)]
mod traps {
    use alloc::string::ToString;

    use super::*;
    use crate::tensor::testing::slopes;

    const INF: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;

    #[test]
    fn ties_share_equally() {
        let (a, b) = ([1.0, 0.0, -0.0, INF], [1.0, -0.0, 0.0, INF]);
        let (_, derivatives) = slopes(&Zip(Maximum), &[&a, &b]);
        assert_eq!(
            derivatives,
            [
                [[0.5; 4].to_vec(), [0.0; 4].to_vec()],
                [[0.5; 4].to_vec(), [0.0; 4].to_vec()]
            ]
        );
        let (_, derivatives) = slopes(&Zip(Minimum), &[&a, &b]);
        assert_eq!(derivatives[0][0], [0.5; 4]);
        assert_eq!(derivatives[1][0], [0.5; 4]);
    }

    #[test]
    fn nan_is_the_larger_and_the_smaller() {
        for (y, derivatives) in [
            slopes(&Zip(Maximum), &[&[NAN, 1.0, NAN], &[1.0, NAN, NAN]]),
            slopes(&Zip(Minimum), &[&[NAN, 1.0, NAN], &[1.0, NAN, NAN]]),
        ] {
            assert!(y.iter().all(|y| y.is_nan()));
            assert_eq!(derivatives[0][0], [1.0, 0.0, 0.5]);
            assert_eq!(derivatives[1][0], [0.0, 1.0, 0.5]);
        }
    }

    #[test]
    fn powers() {
        let bases = [0.0, 0.0, 0.0, 0.0, -2.0, -2.0, 0.0];
        let exponents = [0.0, 1.0, 2.0, 3.0, 3.0, -1.0, 0.5];
        let (y, derivatives) = slopes(&Zip(Powf), &[&bases, &exponents]);
        assert_eq!(y, [1.0, 0.0, 0.0, 0.0, -8.0, -0.5, 0.0]);
        assert_eq!(derivatives[0][0], [0.0, 1.0, 0.0, 0.0, 12.0, -0.25, INF]);
        assert_eq!(derivatives[1][0][..4], [0.0; 4]);
        assert!(derivatives[1][0][4].is_nan());
    }

    /// Of a constant exponent nothing comes, whatever its slope is.
    #[test]
    fn powers_with_a_constant_exponent() {
        let x = Tensor::from([0.0, -2.0, 3.0]);
        let one = Tensor::ones(&[3]);
        for (exponent, slope, bend) in [
            (0.0, [0.0; 3], [0.0; 3]),
            (1.0, [1.0; 3], [0.0; 3]),
            (2.0, [0.0, -4.0, 6.0], [2.0; 3]),
            (3.0, [0.0, 12.0, 27.0], [0.0, -12.0, 18.0]),
        ] {
            let (_, dot, back) = x.__jvp_fwd_powf(exponent, &one, 0.0);
            assert_eq!(dot.to_vec(), slope);
            let (mut bar, mut dot_bar) = (x.outline(), x.outline());
            back(one.clone(), x.outline(), &x, &one, &mut bar, &mut dot_bar);
            assert_eq!(bar.to_vec(), slope);
            assert_eq!(dot_bar.to_vec(), bend);
        }
    }

    #[test]
    fn smooth_where_the_operands_are_equal() {
        let ([a, b], ln2) = (
            [[0.0, -INF, INF, 1e308, -INF], [0.0, -INF, INF, -1e308, 3.0]],
            2.0_f64.ln(),
        );
        let (y, derivatives) = slopes(&Zip(Logaddexp), &[&a, &b]);
        assert_eq!(y, [ln2, -INF, INF, 1e308, 3.0]);
        assert_eq!(derivatives[0][0], [0.5, 0.0, 0.5, 1.0, 0.0]);
        assert_eq!(derivatives[1][0], [0.5, 0.0, 0.5, 0.0, 1.0]);
        let x = Tensor::from([0.0]);
        let (_, _, back) = x.__jvp_fwd_logaddexp(0.0, &Tensor::ones(&[1]), 0.0);
        let (mut bar, mut dot_bar) = (x.outline(), x.outline());
        let (_, (other,)) = back(
            Tensor::ones(&[1]),
            x.outline(),
            &x,
            &x,
            &mut bar,
            &mut dot_bar,
        );
        assert_eq!((dot_bar.item(), other), (0.25, -0.25));
    }

    #[test]
    fn the_origin() {
        let (_, derivatives) = slopes(&Zip(Hypot), &[&[0.0], &[0.0]]);
        assert_eq!([derivatives[0][0][0], derivatives[1][0][0]], [0.0, 0.0]);
        let x = Tensor::from([0.0]);
        let (y, back) = x.__fwd_atan2(0.0);
        let mut bar = x.outline();
        back(y, &x, &mut bar);
        assert_eq!(bar.item(), 0.0);
    }

    #[test]
    fn the_ends_of_an_interpolation() {
        let x = Tensor::from([0.1, -3.0, 1e17]);
        let end = Tensor::from([0.3, 7.0, 1.0]);
        assert_eq!(x.lerp(&end, 1.0), end);
        assert_eq!(x.lerp(&end, 0.0), x);
    }

    /// An operand that is used twice counts twice.
    #[test]
    fn with_itself() {
        let x = Tensor::from([1.5, -2.0]);
        let (y, back) = x.__fwd_maximum(&x);
        assert_eq!(y, x);
        let (mut bar, mut more) = (x.outline(), x.outline());
        back(Tensor::ones(&[2]), &x, &x, &mut bar, &mut more);
        assert_eq!((bar + more).to_vec(), [1.0, 1.0]);
    }

    #[test]
    fn refusals() {
        let (a, b) = (Tensor::from([1.0, 2.0]), Tensor::<f64>::ones(&[3]));
        assert_eq!(
            a.try_powf(&b).unwrap_err().to_string(),
            "powf: the shapes [2] and [3] do not go together: axis 0 has 2 and 3"
        );
        assert!(
            a.try_lerp(0.0, &b)
                .unwrap_err()
                .to_string()
                .starts_with("lerp: ")
        );
    }
}
