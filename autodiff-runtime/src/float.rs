//! `Float`: what generic numerical code may ask of `f32` and `f64`.

use core::fmt::{Debug, Display};
use core::iter::{Product, Sum};
use core::ops::{
    Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign,
};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// Declares the trait and implements it for both types: a method of `core` by its name alone, one of std with the functions that stand in for it without std.
macro_rules! float {
    (
        constants { $($(#[$constant_doc:meta])* $constant:ident;)* }
        core { $($(#[$core_doc:meta])* fn $core:ident($($core_arg:ident),*);)* }
        std { $($(#[$std_doc:meta])* fn $std:ident($($arg:ident: $ty:ty),*) else $soft64:path, $soft32:path;)* }
    ) => {
        /// The floating-point types: `f32` and `f64`.
        ///
        /// The bound of generic differentiable functions.
        /// It has the operators and the differentiable methods of the primitive types under their own names, with the same bits as results.
        /// Methods that need more than `core` exist with the feature `std` (then they are std's) or `libm` (then they are those of the crate `libm`).
        ///
        /// ```
        /// use autodiff_runtime::float::Float;
        ///
        /// fn norm<T: Float>(x: T, y: T) -> T {
        ///     (x * x + y * y).sqrt()
        /// }
        ///
        /// assert_eq!(norm(3.0_f32, 4.0), 5.0);
        /// assert_eq!(norm(3.0_f64, 4.0), 5.0);
        /// ```
        #[diagnostic::on_unimplemented(
            message = "`{Self}` is no `Float`; that is `f64` and `f32`",
            label = "neither `f64` nor `f32`",
            note = "a function that variables of a tape are passed to asks for the traits of `num-traits`, or has `#[grad]` above it"
        )]
        pub trait Float:
            sealed::Sealed + Copy + Default + PartialEq + PartialOrd + Debug + Display + Send + Sync + 'static
            + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Rem<Output = Self> + Neg<Output = Self>
            + AddAssign + SubAssign + MulAssign + DivAssign + RemAssign
            + Sum + Product + for<'a> Sum<&'a Self> + for<'a> Product<&'a Self>
            + crate::num::Numeric + crate::element::Real
        {
            /// 0.
            const ZERO: Self;
            /// 1.
            const ONE: Self;
            $($(#[$constant_doc])* const $constant: Self;)*

            /// The number nearest to `x`.
            fn from_f64(x: f64) -> Self;
            /// The number as an `f64`, exactly.
            fn to_f64(self) -> f64;
            /// Whether the number is NaN.
            fn is_nan(self) -> bool;
            /// Whether the number is neither infinite nor NaN.
            fn is_finite(self) -> bool;
            $($(#[$core_doc])* #[must_use] fn $core(self $(, $core_arg: Self)*) -> Self;)*
            $($(#[$std_doc])* #[cfg(any(feature = "std", feature = "libm"))] #[must_use] fn $std(self $(, $arg: $ty)*) -> Self;)*
            /// The sine and the cosine, in radians.
            #[cfg(any(feature = "std", feature = "libm"))]
            fn sin_cos(self) -> (Self, Self) {
                (self.sin(), self.cos())
            }
        }

        float!(@impl f64 { $($constant)* } { $($core($($core_arg)*))* } { $($std($($arg: $ty),*) $soft64;)* });
        float!(@impl f32 { $($constant)* } { $($core($($core_arg)*))* } { $($std($($arg: $ty),*) $soft32;)* });
    };

    (@impl $T:ident { $($constant:ident)* } { $($core:ident($($core_arg:ident)*))* } { $($std:ident($($arg:ident: $ty:ty),*) $soft:path;)* }) => {
        impl Float for $T {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            $(const $constant: Self = Self::$constant;)*

            #[inline]
            #[allow(clippy::cast_possible_truncation, clippy::cast_lossless, reason = "one body for both types")]
            fn from_f64(x: f64) -> Self {
                x as Self
            }
            #[inline]
            #[allow(clippy::cast_lossless, reason = "one body for both types")]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline]
            fn is_nan(self) -> bool {
                <$T>::is_nan(self)
            }
            #[inline]
            fn is_finite(self) -> bool {
                <$T>::is_finite(self)
            }
            $(
                #[inline]
                fn $core(self $(, $core_arg: Self)*) -> Self {
                    <$T>::$core(self $(, $core_arg)*)
                }
            )*
            $(
                #[cfg(feature = "std")]
                #[inline]
                #[allow(deprecated, reason = "abs_sub")]
                fn $std(self $(, $arg: $ty)*) -> Self {
                    <$T>::$std(self $(, $arg)*)
                }
                #[cfg(all(feature = "libm", not(feature = "std")))]
                #[inline]
                fn $std(self $(, $arg: $ty)*) -> Self {
                    $soft(self $(, $arg)*)
                }
            )*
        }
    };
}

float! {
    constants {
        /// The difference between 1 and the next larger number.
        EPSILON;
        /// The largest finite number.
        MAX;
        /// The smallest finite number.
        MIN;
        /// The smallest positive normal number.
        MIN_POSITIVE;
        /// +∞.
        INFINITY;
        /// −∞.
        NEG_INFINITY;
        /// Not a number.
        NAN;
    }
    core {
        /// |x|.
        fn abs();
        /// 1 with the sign of x (also of −0.0), NaN for NaN.
        fn signum();
        /// x with the sign of `sign`.
        fn copysign(sign);
        /// The smaller of two numbers; the other one if one is NaN.
        fn min(other);
        /// The larger of two numbers; the other one if one is NaN.
        fn max(other);
        /// The nearest number between `low` and `high`. Panics if `low > high` or one of them is NaN.
        fn clamp(low, high);
        /// 1 / x.
        fn recip();
        /// (x + other) / 2 without overflow.
        fn midpoint(other);
        /// The least number above x.
        fn next_up();
        /// The greatest number below x.
        fn next_down();
        /// 180 x / π.
        fn to_degrees();
        /// π x / 180.
        fn to_radians();
    }
    std {
        /// The largest integer not above x.
        fn floor() else libm::floor, libm::floorf;
        /// The smallest integer not below x.
        fn ceil() else libm::ceil, libm::ceilf;
        /// The nearest integer, halves away from zero.
        fn round() else libm::round, libm::roundf;
        /// The nearest integer, halves to the even one.
        fn round_ties_even() else libm::roundeven, libm::roundevenf;
        /// The integer part, rounded towards zero.
        fn trunc() else libm::trunc, libm::truncf;
        /// x − trunc(x).
        fn fract() else soft::fract, soft::fract;
        /// x · a + b, rounded once.
        fn mul_add(a: Self, b: Self) else libm::fma, libm::fmaf;
        /// The quotient of Euclidean division: the integer q with 0 ≤ x − q · other < |other|.
        fn div_euclid(other: Self) else soft::div_euclid, soft::div_euclid;
        /// The remainder of Euclidean division, between 0 and |other|.
        fn rem_euclid(other: Self) else soft::rem_euclid, soft::rem_euclid;
        /// xⁿ for an integer n.
        fn powi(n: i32) else soft::powi, soft::powi;
        /// x to the power `exponent`.
        fn powf(exponent: Self) else libm::pow, libm::powf;
        /// The square root; NaN for negative numbers.
        fn sqrt() else libm::sqrt, libm::sqrtf;
        /// The cube root.
        fn cbrt() else libm::cbrt, libm::cbrtf;
        /// √(x² + other²) without overflow.
        fn hypot(other: Self) else libm::hypot, libm::hypotf;
        /// eˣ.
        fn exp() else libm::exp, libm::expf;
        /// 2ˣ.
        fn exp2() else libm::exp2, libm::exp2f;
        /// eˣ − 1, accurate near 0.
        fn exp_m1() else libm::expm1, libm::expm1f;
        /// The natural logarithm.
        fn ln() else libm::log, libm::logf;
        /// ln(1 + x), accurate near 0.
        fn ln_1p() else libm::log1p, libm::log1pf;
        /// The logarithm to base 2.
        fn log2() else libm::log2, libm::log2f;
        /// The logarithm to base 10.
        fn log10() else libm::log10, libm::log10f;
        /// The logarithm to base `base`.
        fn log(base: Self) else soft::log, soft::log;
        /// The sine, in radians.
        fn sin() else libm::sin, libm::sinf;
        /// The cosine, in radians.
        fn cos() else libm::cos, libm::cosf;
        /// The tangent, in radians.
        fn tan() else libm::tan, libm::tanf;
        /// The inverse sine, between −π/2 and π/2.
        fn asin() else libm::asin, libm::asinf;
        /// The inverse cosine, between 0 and π.
        fn acos() else libm::acos, libm::acosf;
        /// The inverse tangent, between −π/2 and π/2.
        fn atan() else libm::atan, libm::atanf;
        /// The angle of the point (`x`, self), between −π and π.
        fn atan2(x: Self) else libm::atan2, libm::atan2f;
        /// The hyperbolic sine.
        fn sinh() else libm::sinh, libm::sinhf;
        /// The hyperbolic cosine.
        fn cosh() else libm::cosh, libm::coshf;
        /// The hyperbolic tangent.
        fn tanh() else libm::tanh, libm::tanhf;
        /// The inverse hyperbolic sine.
        fn asinh() else libm::asinh, libm::asinhf;
        /// The inverse hyperbolic cosine.
        fn acosh() else libm::acosh, libm::acoshf;
        /// The inverse hyperbolic tangent.
        fn atanh() else libm::atanh, libm::atanhf;
        /// x − other if that is positive, else 0. std has it as a deprecated method.
        fn abs_sub(other: Self) else libm::fdim, libm::fdimf;
    }
}

/// What `libm` lacks, by std's own formulas.
#[cfg(all(feature = "libm", not(feature = "std")))]
mod soft {
    use super::Float;

    pub(super) fn fract<T: Float>(x: T) -> T {
        x - x.trunc()
    }

    pub(super) fn div_euclid<T: Float>(x: T, other: T) -> T {
        let quotient = (x / other).trunc();
        if x % other >= T::ZERO {
            quotient
        } else if other > T::ZERO {
            quotient - T::ONE
        } else {
            quotient + T::ONE
        }
    }

    pub(super) fn rem_euclid<T: Float>(x: T, other: T) -> T {
        let remainder = x % other;
        if remainder < T::ZERO {
            remainder + other.abs()
        } else {
            remainder
        }
    }

    pub(super) fn log<T: Float>(x: T, base: T) -> T {
        x.ln() / base.ln()
    }

    pub(super) fn powi<T: Float>(x: T, n: i32) -> T {
        let (mut power, mut square, mut left) = (T::ONE, x, n.unsigned_abs());
        loop {
            if left & 1 == 1 {
                power *= square;
            }
            left >>= 1;
            if left == 0 {
                break;
            }
            square *= square;
        }
        if n < 0 { power.recip() } else { power }
    }
}
