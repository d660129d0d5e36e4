//! The traits of the crate `num-traits`, so that numeric code of others runs on variables.

use core::num::FpCategory;

use num_traits::{
    Bounded, FloatConst, FromPrimitive, Num, NumCast, One, Signed, ToPrimitive, Zero,
};

use super::Var;
use crate::float::Float;

/// What is asked of the float itself.
pub trait Primitive: Float + num_traits::Float + FloatConst + FromPrimitive + Signed {}

impl Primitive for f64 {}
impl Primitive for f32 {}

impl<T: Primitive> Zero for Var<'_, T> {
    fn zero() -> Self {
        Var::constant(T::ZERO)
    }
    fn is_zero(&self) -> bool {
        self.value == T::ZERO
    }
}

impl<T: Primitive> One for Var<'_, T> {
    fn one() -> Self {
        Var::constant(T::ONE)
    }
}

impl<T: Primitive> Num for Var<'_, T> {
    type FromStrRadixErr = T::FromStrRadixErr;
    fn from_str_radix(text: &str, radix: u32) -> Result<Self, Self::FromStrRadixErr> {
        T::from_str_radix(text, radix).map(Var::constant)
    }
}

impl<T: Primitive> Bounded for Var<'_, T> {
    fn min_value() -> Self {
        Var::constant(T::MIN)
    }
    fn max_value() -> Self {
        Var::constant(T::MAX)
    }
}

impl<T: Primitive> ToPrimitive for Var<'_, T> {
    fn to_i64(&self) -> Option<i64> {
        self.value.to_i64()
    }
    fn to_u64(&self) -> Option<u64> {
        self.value.to_u64()
    }
    fn to_f64(&self) -> Option<f64> {
        Some(Float::to_f64(self.value))
    }
}

/// Numbers become constants; a variable that passes through this does, too.
impl<T: Primitive> NumCast for Var<'_, T> {
    fn from<N: ToPrimitive>(number: N) -> Option<Self> {
        <T as NumCast>::from(number).map(Var::constant)
    }
}

impl<T: Primitive> FromPrimitive for Var<'_, T> {
    fn from_i64(n: i64) -> Option<Self> {
        T::from_i64(n).map(Var::constant)
    }
    fn from_u64(n: u64) -> Option<Self> {
        T::from_u64(n).map(Var::constant)
    }
    fn from_f64(x: f64) -> Option<Self> {
        Some(Var::constant(Float::from_f64(x)))
    }
}

impl<T: Primitive> Signed for Var<'_, T> {
    #[track_caller]
    fn abs(&self) -> Self {
        Var::abs(*self)
    }
    #[track_caller]
    fn abs_sub(&self, other: &Self) -> Self {
        Var::abs_sub(*self, *other)
    }
    #[track_caller]
    fn signum(&self) -> Self {
        Var::signum(*self)
    }
    fn is_positive(&self) -> bool {
        self.value.is_positive()
    }
    fn is_negative(&self) -> bool {
        self.value.is_negative()
    }
}

macro_rules! constants {
    ($($name:ident)*) => {
        impl<T: Primitive> FloatConst for Var<'_, T> {
            $(
                fn $name() -> Self {
                    Var::constant(T::$name())
                }
            )*
        }
    };
}
constants! {
    E FRAC_1_PI FRAC_1_SQRT_2 FRAC_2_PI FRAC_2_SQRT_PI FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8
    LN_10 LN_2 LOG10_E LOG2_E PI SQRT_2 TAU LOG10_2 LOG2_10
}

macro_rules! float {
    (
        constants { $($constant:ident)* }
        questions { $($question:ident: $answer:ty,)* }
        methods { $($method:ident($($arg:ident: $ty:ty),*);)* }
    ) => {
        impl<T: Primitive> num_traits::Float for Var<'_, T> {
            $(
                fn $constant() -> Self {
                    Var::constant(<T as num_traits::Float>::$constant())
                }
            )*
            $(
                fn $question(self) -> $answer {
                    num_traits::Float::$question(self.value)
                }
            )*
            $(
                #[inline]
                #[track_caller]
                fn $method(self $(, $arg: $ty)*) -> Self {
                    Var::$method(self $(, $arg)*)
                }
            )*
            #[inline]
            #[track_caller]
            fn sin_cos(self) -> (Self, Self) {
                Var::sin_cos(self)
            }
        }
    };
}
float! {
    constants { nan infinity neg_infinity neg_zero min_value max_value min_positive_value epsilon }
    questions {
        is_nan: bool,
        is_infinite: bool,
        is_finite: bool,
        is_normal: bool,
        is_sign_positive: bool,
        is_sign_negative: bool,
        classify: FpCategory,
        integer_decode: (u64, i16, i8),
    }
    methods {
        floor();
        ceil();
        round();
        trunc();
        fract();
        abs();
        signum();
        mul_add(a: Self, b: Self);
        recip();
        powi(n: i32);
        powf(n: Self);
        sqrt();
        cbrt();
        exp();
        exp2();
        exp_m1();
        ln();
        ln_1p();
        log(base: Self);
        log2();
        log10();
        to_degrees();
        to_radians();
        max(other: Self);
        min(other: Self);
        clamp(low: Self, high: Self);
        abs_sub(other: Self);
        copysign(sign: Self);
        hypot(other: Self);
        sin();
        cos();
        tan();
        asin();
        acos();
        atan();
        atan2(other: Self);
        sinh();
        cosh();
        tanh();
        asinh();
        acosh();
        atanh();
    }
}
