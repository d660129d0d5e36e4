//! What derivatives of generic functions do with a type parameter.
//!
//! The user's bounds decide what the user's code may do; what derivative code does must neither need more of them nor get in their way.
//! So it asks for one hidden bound, [`Numeric`], whose methods have names that nobody else uses and which has no operators, and computes with the functions below.

use crate::blank::Blank;
use crate::float::Float;
use crate::kernels;
use crate::operators::{
    Accumulated, AddAgain, AddAssignAgain, AddAssignRule, AddRule, DivAgain, DivAssignAgain,
    DivAssignRule, DivRule, MulAgain, MulAssignAgain, MulAssignRule, MulRule, NegAgain, NegRule,
    Number, SubAgain, SubAssignAgain, SubAssignRule, SubRule,
};
use crate::tangent::{Accumulate, Differentiable, Shaped, Tangent};

/// The bound that derivatives of generic functions add: the type is `f32` or `f64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no float: the type parameters of a `#[grad]` function stand for `f32` or `f64`, and with `order = 3` all arithmetic is theirs",
    label = "neither `f32` nor `f64`",
    note = "a parameter that is a constant of another type is marked with `#[constant]`; so is a type parameter that stands for no number, `<#[constant] U: Unit>`"
)]
pub trait Numeric:
    Copy
    + Blank
    + crate::fallible::Filled
    + Number
    + Accumulated
    + Differentiable<Tangent = Self>
    + Tangent
    + Shaped
    + Accumulate
    + AddRule<Self, Result = Self>
    + SubRule<Self, Result = Self>
    + MulRule<Self, Result = Self>
    + DivRule<Self, Result = Self>
    + NegRule<Result = Self>
    + AddAssignRule<Self, Result = Self>
    + SubAssignRule<Self, Result = Self>
    + MulAssignRule<Self, Result = Self>
    + DivAssignRule<Self, Result = Self>
    + AddAgain<Self>
    + SubAgain<Self>
    + MulAgain<Self>
    + DivAgain<Self>
    + NegAgain
    + AddAssignAgain<Self>
    + SubAssignAgain<Self>
    + MulAssignAgain<Self>
    + DivAssignAgain<Self>
    + 'static
{
    /// The type itself, as one that has arithmetic.
    type __AutodiffFloat: Float;

    /// The number.
    fn __autodiff_float(self) -> Self::__AutodiffFloat;

    /// The number.
    fn __autodiff_from(x: Self::__AutodiffFloat) -> Self;
}

macro_rules! numeric {
    ($($t:ty)*) => {$(
        impl Numeric for $t {
            type __AutodiffFloat = $t;
            #[inline]
            fn __autodiff_float(self) -> $t {
                self
            }
            #[inline]
            fn __autodiff_from(x: $t) -> $t {
                x
            }
        }
    )*};
}
numeric!(f32 f64);

/// The number nearest to a literal.
#[inline]
#[must_use]
pub fn lit<T: Numeric>(x: f64) -> T {
    T::__autodiff_from(Float::from_f64(x))
}

/// `x as U`.
#[inline]
#[must_use]
pub fn cast<T: Numeric, U: Numeric>(x: T) -> U {
    lit(x.__autodiff_float().to_f64())
}

/// Bitwise the same, or both NaN.
#[must_use]
pub fn same<T: Numeric>(a: T, b: T) -> bool {
    let (a, b) = (a.__autodiff_float().to_f64(), b.__autodiff_float().to_f64());
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

macro_rules! lifted {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),*) = $e:expr;)*) => {$(
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $name<T: Numeric>($($arg: T),*) -> T {
            $(let $arg = $arg.__autodiff_float();)*
            T::__autodiff_from($e)
        }
    )*};
}
lifted! {
    /// a + b.
    add(a, b) = a + b;
    /// a − b.
    sub(a, b) = a - b;
    /// a · b.
    mul(a, b) = a * b;
    /// a / b.
    div(a, b) = a / b;
    /// −a.
    neg(a) = -a;
    /// d · p, and 0 where p = 0.
    select(d, p) = kernels::select(d, p);
    /// s · p, and 0 where p = 0, for an s that is the same in a loop.
    absorb(s, p) = kernels::absorb(s, p);
    /// d · p, and 0 where d = 0.
    smul(d, p) = kernels::smul(d, p);
    /// d / b, and 0 where d = 0.
    sdiv(d, b) = kernels::sdiv(d, b);
    /// a · b, and 0 where one of them is 0.
    zmul(a, b) = kernels::zmul(a, b);
}

/// s · p, and 0 where p = 0, if s may be infinite.
#[inline]
#[must_use]
pub fn select_if<T: Numeric>(s: T, p: T, steep: bool) -> T {
    let (s, p) = (s.__autodiff_float(), p.__autodiff_float());
    T::__autodiff_from(kernels::select_if(s, p, steep))
}

/// s · p, and 0 where p = 0, if s may be infinite.
#[inline]
#[must_use]
pub fn absorb_if<T: Numeric>(s: T, p: T, steep: bool) -> T {
    let (s, p) = (s.__autodiff_float(), p.__autodiff_float());
    T::__autodiff_from(kernels::absorb_if(s, p, steep))
}

#[cfg(any(feature = "std", feature = "libm"))]
mod rows {
    use super::Numeric;
    use crate::rules::{op, table};

    /// The Rust type of an argument.
    macro_rules! argument {
        ($T:ident) => {
            $T
        };
        ($T:ident $integer:ident) => {
            $integer
        };
    }

    macro_rules! pass {
        ($arg:ident) => {
            $arg.__autodiff_float()
        };
        ($arg:ident $integer:ident) => {
            $arg
        };
    }

    macro_rules! lifted {
        ($($section:ident { $(
            $name:ident($($arg:ident $(: $integer:ident)? $(= $given:ident($($from:ident),*))?),*) $(-> $y:ident)? $($flag:ident)? = $partials:tt, at $at:tt;
        )* })*) => { $($(
            /// The row of that name.
            #[inline]
            #[must_use]
            pub fn $name<T: Numeric>($($arg: argument!(T $($integer)?)),*) -> T {
                T::__autodiff_from(op::$name($(pass!($arg $($integer)?)),*))
            }
        )*)* };
    }
    table!(lifted);
}
#[cfg(any(feature = "std", feature = "libm"))]
pub use self::rows::*;

/// `x as U`, as `Float::from_f64` and `Float::to_f64` do it.
#[inline]
#[must_use]
pub fn convert<T: Float, U: Float>(x: T) -> U {
    U::from_f64(x.to_f64())
}
