//! Special functions, each a row of the rule table under `special`.
//!
//! They are defined for numbers alone; tensors have them by `map`. Formulas are those of the NIST Digital Library of Mathematical Functions (DLMF, <https://dlmf.nist.gov>).

use super::softplus;
use crate::dual::{Dual, Part, partial as lifted, row};
use crate::float::Float;
use crate::generated::{HasValueAndGrad, Order};
use crate::graph::Graph;
use crate::kernels::{self, gamma as gammas, incomplete, inverse, logarithms, zmul};
use crate::lanes::{Lanes, Width};
#[cfg(feature = "alloc")]
use crate::rules::flag;
use crate::rules::{partial, table};
#[cfg(all(feature = "alloc", target_has_atomic = "32"))]
use crate::tape::{Var, rows};
#[cfg(feature = "alloc")]
use crate::trace::Recorder;

/// x ln(y), and 0 where x = 0 (unless y is NaN), as in entropies and likelihoods.
///
/// At x = 0 the derivative by x is ln(y), that by y is 0; y < 0 gives NaN.
///
/// ```
/// use autodiff_runtime::functions::xlogy;
///
/// assert_eq!(xlogy(2.0_f64, 3.0), 2.0 * 3.0_f64.ln());
/// assert_eq!(xlogy(0.0, 0.0), 0.0);
/// assert_eq!(xlogy::grad(2.0, 1.0), (0.0, 2.0));
/// ```
#[inline]
#[must_use]
pub fn xlogy<T: Float>(x: T, y: T) -> T {
    logarithms::xlogy(x, y)
}

/// ln(eᵃ + eᵇ), without overflow. [`logsumexp`](super::logsumexp) is the same of a list.
///
/// Of equal infinities each has half of the derivative.
///
/// ```
/// use autodiff_runtime::functions::logaddexp;
///
/// assert_eq!(logaddexp(1000.0, 1000.0), 1000.0 + std::f64::consts::LN_2);
/// assert_eq!(logaddexp(f64::NEG_INFINITY, 1.0), 1.0);
/// assert_eq!(logaddexp::grad(3.0, 3.0), (0.5, 0.5));
/// ```
#[inline]
#[must_use]
pub fn logaddexp<T: Float>(a: T, b: T) -> T {
    logarithms::logaddexp(a, b)
}

/// ln(1 − eˣ) for x < 0, accurate near 0 and far from it: the logarithm of what a probability eˣ leaves.
///
/// −∞ at 0, NaN above. (Some libraries take −x for their argument.) By M. Mächler, "Accurately computing log(1 − exp(−|a|))".
///
/// ```
/// use autodiff_runtime::functions::log1mexp;
///
/// assert_eq!(log1mexp(-1e-20), 1e-20_f64.ln());
/// assert_eq!(log1mexp(-50.0), -(-50.0_f64).exp());
/// assert!((log1mexp::grad(-1.0_f64) + 1.0 / (1.0_f64.exp() - 1.0)).abs() < 1e-15);
/// ```
#[inline]
#[must_use]
pub fn log1mexp<T: Float>(x: T) -> T {
    logarithms::log1mexp(x)
}

/// ln(1 + eˣ) without overflow: another name of [`softplus`].
///
/// ```
/// use autodiff_runtime::functions::log1p_exp;
///
/// assert_eq!(log1p_exp(0.0), std::f64::consts::LN_2);
/// assert_eq!(log1p_exp::grad(0.0), 0.5);
/// ```
#[inline]
#[must_use]
pub fn log1p_exp<T: Float>(x: T) -> T {
    softplus(x)
}

/// sin(πx) / (πx), and 1 at 0: the normalized cardinal sine, as in NumPy. For sin(x) / x write `sinc(x / PI)`.
///
/// 0 at all other integers and at ±∞.
///
/// ```
/// use autodiff_runtime::functions::sinc;
///
/// assert_eq!((sinc(0.0), sinc(3.0)), (1.0, 0.0));
/// assert_eq!(sinc(0.5), std::f64::consts::FRAC_2_PI);
/// assert_eq!((sinc::grad(0.0), sinc::grad(1.0)), (0.0, -1.0));
/// ```
#[inline]
#[must_use]
pub fn sinc<T: Float>(x: T) -> T {
    kernels::dsinc(x, 0)
}

/// The density of the standard normal distribution, e^(−x²/2) / √(2π).
///
/// With a mean and a deviation write `normal_pdf((x - mean) / sigma) / sigma`.
///
/// ```
/// use autodiff_runtime::functions::normal_pdf;
///
/// assert_eq!(normal_pdf(0.0), 0.3989422804014327);
/// assert_eq!(normal_pdf::grad(1.0), -normal_pdf(1.0));
/// ```
#[inline]
#[must_use]
pub fn normal_pdf<T: Float>(x: T) -> T {
    kernels::normal_pdf(x)
}

/// The distribution function of the standard normal distribution, Φ(x) = erfc(−x/√2) / 2, accurate also where it is tiny.
///
/// ```
/// use autodiff_runtime::functions::{normal_cdf, normal_pdf};
///
/// assert_eq!(normal_cdf(0.0), 0.5);
/// assert_eq!(normal_cdf(-10.0), 7.619853024160526e-24);
/// assert_eq!(normal_cdf::grad(1.5), normal_pdf(1.5));
/// ```
#[inline]
#[must_use]
pub fn normal_cdf<T: Float>(x: T) -> T {
    kernels::normal_cdf(x)
}

/// The inverse of [`normal_cdf`]: the x with Φ(x) = p. ∓∞ at 0 and 1, NaN outside.
///
/// By Halley's method from Abramowitz and Stegun 26.2.23.
///
/// ```
/// use autodiff_runtime::functions::normal_quantile;
///
/// assert_eq!(normal_quantile(0.5), 0.0);
/// assert!((normal_quantile(0.975) - 1.959963984540054_f64).abs() < 1e-15);
/// assert!((normal_quantile::grad(0.5_f64) - std::f64::consts::TAU.sqrt()).abs() < 1e-15);
/// ```
#[must_use]
pub fn normal_quantile<T: Float>(p: T) -> T {
    T::from_f64(inverse::normal_quantile(p.to_f64()))
}

/// The inverse of [`erf`](fn@super::erf). ±∞ at ±1, NaN outside.
///
/// ```
/// use autodiff_runtime::functions::{erf, erfinv};
///
/// assert_eq!(erfinv(0.0), 0.0);
/// assert!((erfinv(erf(0.7_f64)) - 0.7).abs() < 1e-15);
/// assert!((erfinv::grad(0.0_f64) - std::f64::consts::PI.sqrt() / 2.0).abs() < 1e-15);
/// ```
#[must_use]
pub fn erfinv<T: Float>(x: T) -> T {
    T::from_f64(inverse::erfinv(x.to_f64()))
}

/// Lambert's W, the principal branch: the w ≥ −1 with w eʷ = x, for x ≥ −1/e (DLMF 4.13).
///
/// At the number nearest to −1/e it is −1 with derivative +∞; NaN below.
///
/// ```
/// use autodiff_runtime::functions::lambert_w;
///
/// assert_eq!(lambert_w(0.0), 0.0);
/// assert!((lambert_w(std::f64::consts::E) - 1.0).abs() < 1e-15);
/// assert_eq!(lambert_w::grad(0.0), 1.0);
/// ```
#[must_use]
pub fn lambert_w<T: Float>(x: T) -> T {
    T::from_f64(inverse::lambert_w(x.to_f64()))
}

/// ln |Γ(x)|, the logarithm of the gamma function. +∞ at 0, −1, −2, …, where its derivative is not defined.
///
/// The values are those of the crate `libm`; the derivative is [`digamma`].
///
/// ```
/// use autodiff_runtime::functions::{digamma, ln_gamma};
///
/// assert_eq!(ln_gamma(2.0), 0.0);
/// assert!((ln_gamma(101.0_f64) - 363.73937555556349).abs() < 1e-12);
/// assert_eq!(ln_gamma::grad(0.3), digamma(0.3));
/// ```
#[inline]
#[must_use]
pub fn ln_gamma<T: Float>(x: T) -> T {
    T::from_f64(gammas::ln_gamma(x.to_f64()))
}

/// The gamma function, Γ(x) = ∫₀^∞ t^(x−1) e⁻ᵗ dt. ±∞ at ±0, NaN at −1, −2, …; +∞ from 171.7 on.
///
/// The values are those of the crate `libm`.
///
/// ```
/// use autodiff_runtime::functions::gamma;
///
/// assert_eq!(gamma(5.0), 24.0);
/// assert!((gamma::grad(1.0_f64) + 0.5772156649015329).abs() < 1e-15);
/// ```
#[inline]
#[must_use]
pub fn gamma<T: Float>(x: T) -> T {
    T::from_f64(gammas::gamma(x.to_f64()))
}

/// The digamma function ψ(x), the derivative of ln Γ(x). ∓∞ at ±0, NaN at −1, −2, ….
///
/// By recurrence, reflection and the asymptotic series (DLMF 5.5.2, 5.5.4, 5.11.2).
///
/// ```
/// use autodiff_runtime::functions::{digamma, trigamma};
///
/// assert!((digamma(1.0_f64) + 0.5772156649015329).abs() < 1e-15);
/// assert_eq!(digamma::grad(0.7), trigamma(0.7));
/// ```
#[must_use]
pub fn digamma<T: Float>(x: T) -> T {
    kernels::polygamma(x, 0)
}

/// The trigamma function ψ′(x), the second derivative of ln Γ(x). +∞ at 0, −1, −2, ….
///
/// ```
/// use autodiff_runtime::functions::trigamma;
///
/// assert!((trigamma(1.0_f64) - std::f64::consts::PI.powi(2) / 6.0).abs() < 1e-14);
/// ```
#[must_use]
pub fn trigamma<T: Float>(x: T) -> T {
    kernels::polygamma(x, 1)
}

/// ln |B(a, b)|, the logarithm of the beta function, without cancellation where a and b differ much.
///
/// ```
/// use autodiff_runtime::functions::ln_beta;
///
/// assert!((ln_beta(2.0_f64, 3.0) + 12.0_f64.ln()).abs() < 1e-15);
/// assert!((ln_beta(2.0_f64, 1e10) + 2.0 * 1e10_f64.ln()).abs() < 1e-9);
/// ```
#[must_use]
pub fn ln_beta<T: Float>(a: T, b: T) -> T {
    T::from_f64(gammas::ln_beta(a.to_f64(), b.to_f64()))
}

/// The beta function, B(a, b) = Γ(a) Γ(b) / Γ(a + b) = ∫₀¹ t^(a−1) (1 − t)^(b−1) dt.
///
/// +∞ where one argument is 0 and the other positive; NaN at the poles below.
///
/// ```
/// use autodiff_runtime::functions::beta;
///
/// assert!((beta(2.0_f64, 3.0) - 1.0 / 12.0).abs() < 1e-16);
/// assert_eq!(beta(0.5_f64, 1e9) > 0.0, true);
/// ```
#[must_use]
pub fn beta<T: Float>(a: T, b: T) -> T {
    T::from_f64(gammas::beta(a.to_f64(), b.to_f64()))
}

/// The regularized lower incomplete gamma function, P(a, x) = ∫₀ˣ t^(a−1) e⁻ᵗ dt / Γ(a), for a ≥ 0 and x ≥ 0: the distribution function of the gamma distribution.
///
/// Differentiable by both arguments; by the shape a to about ten digits. NaN outside; 1 at a = 0. Of a large shape it takes time ∝ √a, up to a = 10⁷.
/// By the series, the continued fraction and the expansion of DLMF 8.11.4, 8.9.2 and 8.12.3.
///
/// ```
/// use autodiff_runtime::functions::{gamma_p, gamma_q};
///
/// assert!((gamma_p(1.0_f64, 2.0) - (1.0 - (-2.0_f64).exp())).abs() < 1e-15);
/// let (by_shape, by_x) = gamma_p::grad(1.0_f64, 2.0);
/// assert!((by_x - (-2.0_f64).exp()).abs() < 1e-15);
/// assert!(by_shape < 0.0);
/// assert_eq!(gamma_q::grad(1.0, 2.0), (-by_shape, -by_x));
/// ```
#[must_use]
pub fn gamma_p<T: Float>(a: T, x: T) -> T {
    T::from_f64(incomplete::gamma_p(a.to_f64(), x.to_f64()))
}

/// The regularized upper incomplete gamma function, Q(a, x) = 1 − P(a, x), accurate also where it is tiny.
///
/// See [`gamma_p`].
///
/// ```
/// use autodiff_runtime::functions::gamma_q;
///
/// assert!((gamma_q(1.0_f64, 50.0) / (-50.0_f64).exp() - 1.0).abs() < 1e-14);
/// ```
#[must_use]
pub fn gamma_q<T: Float>(a: T, x: T) -> T {
    T::from_f64(incomplete::gamma_q(a.to_f64(), x.to_f64()))
}

/// The regularized incomplete beta function, Iₓ(a, b) = ∫₀ˣ t^(a−1) (1 − t)^(b−1) dt / B(a, b), for a, b > 0 and 0 ≤ x ≤ 1: the distribution function of the beta distribution.
///
/// Differentiable by all arguments; by the shapes a and b to about ten digits. NaN outside. Of large shapes it takes time ∝ the root of the larger one.
/// By the continued fraction of DLMF 8.17.22.
///
/// ```
/// use autodiff_runtime::functions::beta_inc;
///
/// assert!((beta_inc(2.0_f64, 1.0, 0.3) - 0.09).abs() < 1e-16);
/// let (_, _, by_x) = beta_inc::grad(2.0_f64, 1.0, 0.3);
/// assert!((by_x - 0.6).abs() < 1e-15);
/// ```
#[must_use]
pub fn beta_inc<T: Float>(a: T, b: T, x: T) -> T {
    T::from_f64(incomplete::beta_inc(a.to_f64(), b.to_f64(), x.to_f64()))
}

/// The Bessel function of the first kind Jₙ(x), of any integer order and for every x (DLMF 10.2.2).
///
/// The values are those of the crate `libm`; the derivative is (Jₙ₋₁ − Jₙ₊₁) / 2. J₋ₙ(x) = Jₙ(−x) = (−1)ⁿ Jₙ(x); 0 at ±∞. It takes time ∝ n.
///
/// ```
/// use autodiff_runtime::functions::bessel_j;
///
/// assert_eq!(bessel_j(0, 0.0), 1.0);
/// assert_eq!(bessel_j::grad(0, 2.0), -bessel_j(1, 2.0));
/// assert_eq!(bessel_j(-1, 2.0), -bessel_j(1, 2.0));
/// ```
#[must_use]
pub fn bessel_j<T: Float>(n: i32, x: T) -> T {
    kernels::dbessel_j(n, x, 0)
}

/// The Bessel function of the second kind Yₙ(x), of any integer order, for x ≥ 0 (DLMF 10.2.3). −∞ at 0, NaN below.
///
/// ```
/// use autodiff_runtime::functions::bessel_y;
///
/// assert!((bessel_y(0, 1.0_f64) - 0.08825696421567698).abs() < 1e-15);
/// assert_eq!(bessel_y::grad(0, 2.0), -bessel_y(1, 2.0));
/// ```
#[must_use]
pub fn bessel_y<T: Float>(n: i32, x: T) -> T {
    kernels::dbessel_y(n, x, 0)
}

/// The modified Bessel function of the first kind Iₙ(x), of any integer order and for every x, by its series (DLMF 10.25.2).
///
/// I₋ₙ = Iₙ, Iₙ(−x) = (−1)ⁿ Iₙ(x). It takes time ∝ n + |x|.
///
/// ```
/// use autodiff_runtime::functions::bessel_i;
///
/// assert_eq!(bessel_i(0, 0.0), 1.0);
/// assert_eq!(bessel_i::grad(0, 2.0), bessel_i(1, 2.0));
/// ```
#[must_use]
pub fn bessel_i<T: Float>(n: i32, x: T) -> T {
    kernels::dbessel_i(n, x, 0)
}

/// The modified Bessel function of the second kind Kₙ(x), of any integer order, for x ≥ 0. +∞ at 0, NaN below.
///
/// By the series and the integral of DLMF 10.31.1 and 10.32.9, and recurrence. K₋ₙ = Kₙ.
///
/// ```
/// use autodiff_runtime::functions::bessel_k;
///
/// assert!((bessel_k(0, 1.0_f64) - 0.42102443824070833).abs() < 1e-15);
/// assert_eq!(bessel_k::grad(0, 2.0), -bessel_k(1, 2.0));
/// ```
#[must_use]
pub fn bessel_k<T: Float>(n: i32, x: T) -> T {
    kernels::dbessel_k(n, x, 0)
}

/// `()` for an integer argument, which has no tangent.
macro_rules! unit {
    ($n:ident) => {
        ()
    };
}

/// `T` for a number.
#[cfg(feature = "alloc")]
macro_rules! number {
    ($T:ident $x:ident) => {
        $T
    };
}

/// A variable for a number.
#[cfg(all(feature = "alloc", target_has_atomic = "32"))]
macro_rules! variable {
    ($t:lifetime $T:ident $x:ident) => {
        Var<$t, $T>
    };
}

/// The place of an integer among partials.
macro_rules! nothing {
    ($n:ident) => {
        _
    };
}

/// One alone as it is, several as a tuple.
macro_rules! bundle {
    ($one:tt) => { $one };
    ($($one:tt)+) => { ($($one),+) };
}

/// The type of an integer.
macro_rules! integer {
    ($n:ident) => {
        i32
    };
}

/// The float, in place of a number.
macro_rules! width {
    ($x:ident $float:ident) => {
        $float
    };
}

/// Whether a slope may be infinite where its function is finite.
macro_rules! steep {
    (guarded) => {
        true
    };
    ($($flag:ident)?) => {
        false
    };
}

/// A number of either type as a dual one.
fn dual<T: Float>(value: T, dot: T) -> Dual<f64> {
    Dual {
        value: value.to_f64(),
        dot: dot.to_f64(),
    }
}

/// A number with tangents in two directions, and what of both is bilinear.
fn twice<T: Float>(value: T, d1: T, d2: T, d12: T) -> Dual<Dual<f64>> {
    Dual {
        value: dual(value, d1),
        dot: dual(d2, d12),
    }
}

fn parts<T: Float>(x: Dual<f64>) -> [T; 2] {
    [x.value, x.dot].map(T::from_f64)
}

fn parts_twice<T: Float>(x: Dual<Dual<f64>>) -> [T; 4] {
    [x.value.value, x.value.dot, x.dot.value, x.dot.dot].map(T::from_f64)
}

/// The derivatives of the functions above: a type of the same name, as beside every `#[grad]` function, which computes with dual numbers. No row here is a selection.
macro_rules! derivatives {
    (
        methods $methods:tt
        functions $functions:tt
        special { $($name:ident($($args:tt)*) $(-> $y:ident)? $($flag:ident)? = $partials:tt, at $at:tt;)* }
        kernels $kernels:tt
    ) => { $(
        derivatives!(@split $name [$($flag)?] [] [] $($args)*);
    )* };
    (@split $name:ident $flag:tt [$($n:ident)*] [] $arg:ident: i32, $($rest:tt)*) => {
        derivatives!(@split $name $flag [$($n)* $arg] [] $($rest)*);
    };
    (@split $name:ident $flag:tt [] [] $a:ident) => {
        derivatives!(@forms $name $flag [] [($a d0 e0 f0 T __zero_0)] "0" [0] [1]);
    };
    (@split $name:ident $flag:tt [] [] $a:ident, $b:ident) => {
        derivatives!(@forms $name $flag [] [($a d0 e0 f0 T __zero_0) ($b d1 e1 f1 T __zero_1)] "0 1" [0 1] [2]);
    };
    (@split $name:ident $flag:tt [] [] $a:ident, $b:ident, $c:ident) => {
        derivatives!(@forms $name $flag [] [($a d0 e0 f0 T __zero_0) ($b d1 e1 f1 T __zero_1) ($c d2 e2 f2 T __zero_2)] "0 1 2" [0 1 2] [3]);
    };
    (@split $name:ident $flag:tt [$n:ident] [] $a:ident) => {
        derivatives!(@forms $name $flag [($n __zero_0)] [($a d0 e0 f0 T __zero_1)] "0 1" [0 1] [2]);
    };
    // For callers that do not know what of their arguments is a reference: nothing is.
    (@even [$($n:ident)*] [$($x:ident $d:ident $e:ident $f:ident $T:ident),+] [$(($u:ident))+]) => {
        #[doc(hidden)]
        #[inline]
        #[allow(clippy::type_complexity, reason = "the form that generated code calls")]
        pub fn __even<T: Float>($($n: i32,)* $($x: T),+) -> (T, impl FnOnce(T $(, unit!($u))+) -> ($(unit!($n),)* $($T,)+) + use<T>) {
            let (y, back) = Self::__fwd($($n,)* $($x),+);
            (y, move |seed $(, _: unit!($u))+| back(seed))
        }

        #[doc(hidden)]
        #[inline]
        #[allow(clippy::type_complexity, reason = "the form that generated code calls")]
        pub fn __jvp_even<T: Float>(
            $($n: i32,)*
            $($x: T,)+
            $(_: unit!($n),)*
            $($d: T),+
        ) -> (T, T, impl FnOnce(T, T $(, unit!($u), unit!($u))+) -> (($(unit!($n),)* $($T,)+), ($(unit!($n),)* $($T,)+)) + use<T>) {
            let (y, dot, back) = Self::__jvp_fwd($($n,)* $($x,)+ $(unit!($n),)* $($d),+);
            (y, dot, move |seed, dot_seed $(, _: unit!($u), _: unit!($u))+| back(seed, dot_seed))
        }

        #[doc(hidden)]
        #[inline]
        #[allow(clippy::type_complexity, clippy::too_many_arguments, reason = "the form that generated code calls")]
        pub fn __jvp_jvp_even<T: Float>(
            $($n: i32,)*
            $($x: T,)+
            $(_: unit!($n),)*
            $($d: T,)+
            $(_: unit!($n),)*
            $($e: T,)+
            $(_: unit!($n),)*
            $($f: T),+
        ) -> (
            T,
            T,
            T,
            T,
            impl FnOnce(T, T, T, T $(, unit!($u), unit!($u), unit!($u), unit!($u))+) -> (($(unit!($n),)* $($T,)+), ($(unit!($n),)* $($T,)+), ($(unit!($n),)* $($T,)+), ($(unit!($n),)* $($T,)+)) + use<T>,
        ) {
            let (y, y1, y2, y12, back) = Self::__jvp_jvp_fwd($($n,)* $($x,)+ $(unit!($n),)* $($d,)+ $(unit!($n),)* $($e,)+ $(unit!($n),)* $($f),+);
            (y, y1, y2, y12, move |s0, s1, s2, s12 $(, _: unit!($u), _: unit!($u), _: unit!($u), _: unit!($u))+| back(s0, s1, s2, s12))
        }
    };
    (@forms $name:ident [$($flag:ident)?] [$(($n:ident $zero_n:ident))*] [$(($x:ident $d:ident $e:ident $f:ident $T:ident $zero:ident))+] $operands:literal [$($k:literal)+] [$last:literal]) => {
        #[doc = concat!("The derivatives of the function `", stringify!($name), "`, as of every `#[grad]` function.")]
        #[doc(hidden)]
        #[allow(non_camel_case_types, reason = "named like the function")]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name {}

        impl $name {
            #[doc(hidden)]
            pub const __STEEP: bool = steep!($($flag)?);

            #[doc(hidden)]
            pub fn __of_single(_: fn($(integer!($n),)* $(width!($x f32)),+) -> f32) {}

            #[doc(hidden)]
            pub fn __of_double(_: fn($(integer!($n),)* $(width!($x f64)),+) -> f64) {}

            /// The derivative by each number.
            #[inline]
            #[must_use]
            pub fn grad<T: Float>($($n: i32,)* $($x: T),+) -> bundle!($($T)+) {
                Self::value_and_grad($($n,)* $($x),+).1
            }

            /// The value and the derivatives.
            #[inline]
            #[must_use]
            pub fn value_and_grad<T: Float>($($n: i32,)* $($x: T),+) -> (T, bundle!($($T)+)) {
                let y = $name($($n,)* $($x),+);
                let [$(nothing!($n),)* $($x),+] = partial::$name($($n,)* $($x,)+ y);
                (y, bundle!($($x)+))
            }

            /// The value, and the derivative along a tangent.
            #[inline]
            #[must_use]
            pub fn jvp<T: Float>($($n: i32,)* $($x: T,)+ tangents: bundle!($($T)+)) -> (T, T) {
                let bundle!($($d)+) = tangents;
                Self::__jvp($($n,)* $($x,)+ $(unit!($n),)* $($d),+)
            }

            /// The value, and the derivatives times a cotangent.
            #[inline]
            #[must_use]
            pub fn vjp<T: Float>($($n: i32,)* $($x: T,)+ seed: T) -> (T, bundle!($($T)+)) {
                let (y, ($(nothing!($n),)* $($x,)+)) = Self::__vjp($($n,)* $($x,)+ seed);
                (y, bundle!($($x)+))
            }

            $(
                #[doc(hidden)]
                #[inline]
                pub fn $zero_n<X: ?Sized>(_: &X) {}
            )*
            $(
                #[doc(hidden)]
                #[inline]
                #[must_use]
                pub fn $zero<T: Float>(_: &T) -> T {
                    -T::ZERO
                }
            )+

            #[doc(hidden)]
            #[inline]
            #[must_use]
            pub fn __jvp<T: Float>($($n: i32,)* $($x: T,)+ $(_: unit!($n),)* $($d: T),+) -> (T, T) {
                let y = $name($($n,)* $($x),+);
                let [$(nothing!($n),)* $($x),+] = partial::$name($($n,)* $($x,)+ y);
                (y, [$(zmul($d, $x)),+].into_iter().fold(-T::ZERO, |sum, more| sum + more))
            }

            crate::generated::with_tape! {
                /// The function of variables.
                #[inline]
                #[must_use]
                #[track_caller]
                #[allow(clippy::elidable_lifetime_names, reason = "some have several variables")]
                pub fn on_tape<'t, T: Float>($($n: i32,)* $($x: Var<'t, T>),+) -> Var<'t, T> {
                    rows::$name($($n,)* $($x),+)
                }

                #[doc(hidden)]
                pub fn __dynamic<'t, T: Float>(_: fn($(number!(i32 $n),)* $($T),+) -> T) -> fn($(number!(i32 $n),)* $(variable!('t T $x)),+) -> Var<'t, T> {
                    Self::on_tape
                }
            }

            /// The computation graph: one operation.
            #[must_use]
            pub fn graph() -> &'static Graph {
                const NODES: &str = concat!(
                    $("parameter\t", stringify!($n), "\t0\t0\t0\tnot needed\t\n",)*
                    $("parameter\t", stringify!($x), "\t0\t0\t0\t*kept\t\n",)+
                    stringify!($name), "\t\t0\t0\t0\t*not needed\t", $operands, "\n"
                );
                static GRAPH: Graph = Graph::encoded(stringify!($name), file!(), NODES, "", &[$($k),+], &[$last]);
                &GRAPH
            }

            #[cfg(feature = "alloc")]
            #[doc(hidden)]
            pub fn __trace<T: Float>($($n: i32,)* $($x: T,)+ $(_: unit!($n),)* $($d: T,)+ trace: &mut Recorder) -> (T, T) {
                let y = $name($($n,)* $($x),+);
                let partials = partial::$name($($n,)* $($x,)+ y);
                let operands = [$((T::from_f64(f64::from($n)), T::ZERO),)* $(($x, $d)),+];
                (y, trace.elementary(flag!($($flag)?), y, &operands, &partials))
            }

            #[doc(hidden)]
            #[inline]
            #[must_use]
            #[allow(clippy::type_complexity, reason = "the form that generated code calls")]
            pub fn __vjp<T: Float>($($n: i32,)* $($x: T,)+ seed: T) -> (T, ($(unit!($n),)* $($T,)+)) {
                let y = $name($($n,)* $($x),+);
                let [$(nothing!($n),)* $($x),+] = partial::$name($($n,)* $($x,)+ y);
                (y, ($(unit!($n),)* $(zmul(seed, $x),)+))
            }

            #[doc(hidden)]
            #[inline]
            pub fn __fwd<T: Float>($($n: i32,)* $($x: T),+) -> (T, impl FnOnce(T) -> ($(unit!($n),)* $($T,)+) + use<T>) {
                let y = $name($($n,)* $($x),+);
                (y, move |seed| {
                    let [$(nothing!($n),)* $($x),+] = partial::$name($($n,)* $($x,)+ y);
                    ($(unit!($n),)* $(zmul(seed, $x),)+)
                })
            }

            #[doc(hidden)]
            #[inline]
            #[allow(clippy::type_complexity, reason = "the form that generated code calls")]
            pub fn __jvp_fwd<T: Float>(
                $($n: i32,)*
                $($x: T,)+
                $(_: unit!($n),)*
                $($d: T),+
            ) -> (T, T, impl FnOnce(T, T) -> (($(unit!($n),)* $($T,)+), ($(unit!($n),)* $($T,)+)) + use<T>) {
                let y = $name($($n,)* $($x),+);
                $(let $x = dual($x, $d);)+
                let lifted = row::$name($($n,)* $($x),+);
                let [$(nothing!($n),)* $($x),+] = lifted::$name($($n,)* $($x,)+ lifted);
                (y, T::from_f64(lifted.dot), move |seed, dot_seed| {
                    let seed = dual(seed, dot_seed);
                    $(let [$x, $d] = parts(seed.zmul($x));)+
                    (($(unit!($n),)* $($x,)+), ($(unit!($n),)* $($d,)+))
                })
            }

            #[doc(hidden)]
            #[inline]
            #[allow(clippy::type_complexity, clippy::too_many_arguments, reason = "the form that generated code calls")]
            pub fn __jvp_jvp_fwd<T: Float>(
                $($n: i32,)*
                $($x: T,)+
                $(_: unit!($n),)*
                $($d: T,)+
                $(_: unit!($n),)*
                $($e: T,)+
                $(_: unit!($n),)*
                $($f: T),+
            ) -> (
                T,
                T,
                T,
                T,
                impl FnOnce(T, T, T, T) -> (($(unit!($n),)* $($T,)+), ($(unit!($n),)* $($T,)+), ($(unit!($n),)* $($T,)+), ($(unit!($n),)* $($T,)+)) + use<T>,
            ) {
                let y = $name($($n,)* $($x),+);
                $(let $x = twice($x, $d, $e, $f);)+
                let lifted = row::$name($($n,)* $($x),+);
                let [$(nothing!($n),)* $($x),+] = lifted::$name($($n,)* $($x,)+ lifted);
                let [_, y1, y2, y12] = parts_twice(lifted);
                (y, y1, y2, y12, move |s0, s1, s2, s12| {
                    let seed = twice(s0, s1, s2, s12);
                    $(let [$x, $d, $e, $f] = parts_twice(seed.zmul($x));)+
                    (($(unit!($n),)* $($x,)+), ($(unit!($n),)* $($d,)+), ($(unit!($n),)* $($e,)+), ($(unit!($n),)* $($f,)+))
                })
            }

            derivatives!(@even [$($n)*] [$($x $d $e $f $T),+] [$(($n) ($n))* $(($x) ($x))+]);

            #[doc(hidden)]
            #[inline]
            #[allow(clippy::type_complexity, reason = "the form that generated code calls")]
            pub fn __lanes_fwd<T: Float, const N: usize>(
                width: Width<N>,
                $($n: i32,)*
                $($x: T,)+
                $(_: unit!($n),)*
                $($d: Lanes<T, N>),+
            ) -> (
                T,
                Lanes<T, N>,
                impl FnOnce(T, Lanes<T, N>) -> (($(unit!($n),)* $($T,)+), ($(unit!($n),)* $(Lanes<$T, N>,)+)) + use<T, N>,
            ) {
                let _ = width;
                let (y, ($(nothing!($n),)* $($e,)+)) = Self::__vjp($($n,)* $($x,)+ T::ONE);
                let mut tangent = Lanes([-T::ZERO; N]);
                $(tangent = tangent.zip($d.map(|d| zmul(d, $e)), |sum, more| sum + more);)+
                (y, tangent, move |seed, dot_seed: Lanes<T, N>| {
                    $(let mut $f = dot_seed.map(|seed| zmul(seed, $e));)+
                    for k in 0..N {
                        $(let $x = dual($x, $d.0[k]);)+
                        let lifted = row::$name($($n,)* $($x),+);
                        let [$(nothing!($n),)* $($x),+] = lifted::$name($($n,)* $($x,)+ lifted);
                        $($f.0[k] += zmul(seed, T::from_f64($x.dot));)+
                    }
                    (($(unit!($n),)* $(zmul(seed, $e),)+), ($(unit!($n),)* $($f,)+))
                })
            }
        }

        impl Order<2> for $name {}
        impl Order<3> for $name {}

        #[allow(clippy::unused_self, clippy::type_complexity, clippy::too_many_arguments, reason = "the forms that generated code calls")]
        const _: () = {
            /// The derivatives of the function's gradient. The Hessian is symmetric, so a cotangent is brought back as a tangent is brought forward.
            #[derive(Clone, Copy, Debug, Default)]
            struct Slope {}

            impl Slope {
                #[inline]
                #[must_use]
                fn __jvp<T: Float>(self, $($n: i32,)* $($x: T,)+ $(_: unit!($n),)* $($d: T),+) -> (bundle!($($T)+), bundle!($($T)+)) {
                    let gradient = $name::grad($($n,)* $($x),+);
                    $(let $x = dual($x, $d);)+
                    let lifted = row::$name($($n,)* $($x),+);
                    let [$(nothing!($n),)* $($x),+] = lifted::$name($($n,)* $($x,)+ lifted);
                    $(let $x = T::from_f64($x.dot);)+
                    (gradient, bundle!($($x)+))
                }

                #[inline]
                fn __fwd<T: Float>(self, $($n: i32,)* $($x: T),+) -> (bundle!($($T)+), impl FnOnce(bundle!($($T)+)) -> ($(unit!($n),)* $($T,)+) + use<T>) {
                    ($name::grad($($n,)* $($x),+), move |seed| {
                        let bundle!($($d)+) = seed;
                        let (_, bar) = self.__jvp($($n,)* $($x,)+ $(unit!($n),)* $($d),+);
                        let bundle!($($x)+) = bar;
                        ($(unit!($n),)* $($x,)+)
                    })
                }

                #[inline]
                fn __jvp_fwd<T: Float>(
                    self,
                    $($n: i32,)*
                    $($x: T,)+
                    $(_: unit!($n),)*
                    $($d: T),+
                ) -> (
                    bundle!($($T)+),
                    bundle!($($T)+),
                    impl FnOnce(bundle!($($T)+), bundle!($($T)+)) -> (($(unit!($n),)* $($T,)+), ($(unit!($n),)* $($T,)+)) + use<T>,
                ) {
                    let (gradient, bend) = self.__jvp($($n,)* $($x,)+ $(unit!($n),)* $($d),+);
                    (gradient, bend, move |seed, dot_seed| {
                        let bundle!($($e)+) = seed;
                        let bundle!($($f)+) = dot_seed;
                        $(let $x = twice($x, $d, $e, $f);)+
                        let lifted = row::$name($($n,)* $($x),+);
                        let [$(nothing!($n),)* $($x),+] = lifted::$name($($n,)* $($x,)+ lifted);
                        $(let [_, _, $x, $d] = parts_twice($x);)+
                        (($(unit!($n),)* $($x,)+), ($(unit!($n),)* $($d,)+))
                    })
                }
            }

            /// Those of the value and the gradient.
            #[derive(Clone, Copy, Debug, Default)]
            pub struct Both {}

            impl Both {
                $(
                    #[inline]
                    pub fn $zero_n<X: ?Sized>(self, _: &X) {}
                )*
                $(
                    #[inline]
                    #[must_use]
                    pub fn $zero<T: Float>(self, _: &T) -> T {
                        -T::ZERO
                    }
                )+

                #[inline]
                #[must_use]
                pub fn __jvp<T: Float>(self, $($n: i32,)* $($x: T,)+ $(_: unit!($n),)* $($d: T),+) -> ((T, bundle!($($T)+)), (T, bundle!($($T)+))) {
                    let (y, tangent) = $name::__jvp($($n,)* $($x,)+ $(unit!($n),)* $($d),+);
                    let (gradient, bend) = Slope {}.__jvp($($n,)* $($x,)+ $(unit!($n),)* $($d),+);
                    ((y, gradient), (tangent, bend))
                }

                #[inline]
                pub fn __fwd<T: Float>(self, $($n: i32,)* $($x: T),+) -> ((T, bundle!($($T)+)), impl FnOnce((T, bundle!($($T)+))) -> ($(unit!($n),)* $($T,)+) + use<T>) {
                    let (y, of_value) = $name::__fwd($($n,)* $($x),+);
                    let (gradient, of_gradient) = Slope {}.__fwd($($n,)* $($x),+);
                    ((y, gradient), move |seed: (T, bundle!($($T)+))| {
                        let ($(nothing!($n),)* $($d,)+) = of_value(seed.0);
                        let ($(nothing!($n),)* $($e,)+) = of_gradient(seed.1);
                        ($(unit!($n),)* $($d + $e,)+)
                    })
                }

                #[inline]
                pub fn __jvp_fwd<T: Float>(
                    self,
                    $($n: i32,)*
                    $($x: T,)+
                    $(_: unit!($n),)*
                    $($d: T),+
                ) -> (
                    (T, bundle!($($T)+)),
                    (T, bundle!($($T)+)),
                    impl FnOnce((T, bundle!($($T)+)), (T, bundle!($($T)+))) -> (($(unit!($n),)* $($T,)+), ($(unit!($n),)* $($T,)+)) + use<T>,
                ) {
                    let (y, tangent, of_value) = $name::__jvp_fwd($($n,)* $($x,)+ $(unit!($n),)* $($d),+);
                    let (gradient, bend, of_gradient) = Slope {}.__jvp_fwd($($n,)* $($x,)+ $(unit!($n),)* $($d),+);
                    let back = move |seed: (T, bundle!($($T)+)), dot_seed: (T, bundle!($($T)+))| {
                        let (($(nothing!($n),)* $($x,)+), ($(nothing!($n),)* $($d,)+)) = of_value(seed.0, dot_seed.0);
                        let (($(nothing!($n),)* $($e,)+), ($(nothing!($n),)* $($f,)+)) = of_gradient(seed.1, dot_seed.1);
                        (($(unit!($n),)* $($x + $e,)+), ($(unit!($n),)* $($d + $f,)+))
                    };
                    ((y, gradient), (tangent, bend), back)
                }
            }

            impl HasValueAndGrad for $name {
                type Forms = Both;
            }
        };
    };
}
table!(derivatives);
