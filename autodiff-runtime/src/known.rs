//! Whose methods a type parameter has.
//!
//! In a generic function rustc knows no more of `T` than its bounds say, and so `(&&&&&Of(x)).__autodiff_std()` compiles only where the bounds
//! *imply* a trait whose methods are std's, under whatever name or path the user wrote it. Autoref takes the first `impl` below whose bound holds.
//! A trait of the user's own that is called `Float` implies none of them.

use core::marker::PhantomData;

use crate::num::{self, Numeric};

/// A value, of which a method of std is called next.
#[derive(Debug)]
pub struct Of<T>(pub T);

/// The value, where the bounds of its type say that its methods are std's.
pub trait Known<T> {
    /// The value.
    fn __autodiff_std(&self) -> T;
}

macro_rules! known {
    ($($(#[$condition:meta])* $wrapped:ty: $bound:path;)*) => {$(
        $(#[$condition])*
        impl<T: Copy + $bound> Known<T> for $wrapped {
            #[inline]
            fn __autodiff_std(&self) -> T {
                self.0
            }
        }
    )*};
}
known! {
    &&&&Of<T>: crate::float::Float;
    #[cfg(feature = "num-traits")]
    &&&Of<T>: num_traits::real::Real;
    #[cfg(feature = "num-traits")]
    &&Of<T>: num_traits::float::FloatCore;
    #[cfg(feature = "simba")]
    &Of<T>: simba::scalar::ComplexField;
}

/// A type whose methods are known to be std's without a bound: a number.
#[diagnostic::on_unimplemented(
    message = "nothing says that this method of `{T}` is std's",
    label = "the bounds of `{T}` imply neither `autodiff::Float` nor, with the features `num-traits` and `simba`, a float trait of these crates",
    note = "a method of another trait may mean something else; if its methods named like std's are std's, write `#[grad(assume_std)]`, and else `T: Trait + Differentiable`, with `#[grad]` on the trait and on its `impl`s for types of your own"
)]
pub trait Standard<T: Copy> {}

macro_rules! numbers {
    ($($t:ty)*) => {$(impl Standard<$t> for Of<$t> {})*};
}
numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

impl<T> Of<T> {
    /// The last resort, whose bound is not asked for where the method is looked up: so the message is ours.
    #[inline]
    pub fn __autodiff_std(&self) -> T
    where
        T: Copy,
        Self: Standard<T>,
    {
        self.0
    }
}

/// The value of a method that the user says is std's; compared with std's in debug builds, or `always`.
///
/// # Panics
/// If they differ by more than rounding does.
#[inline]
#[track_caller]
pub fn assume_std<T: Numeric>(name: &str, always: bool, given: T, std: impl FnOnce() -> T) -> T {
    if always || cfg!(debug_assertions) {
        let (a, b): (f64, f64) = (num::cast(given), num::cast(std()));
        let near = a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-5 * b.abs().max(1e-30);
        assert!(
            near,
            "`{name}` is assumed to be std's, and is {a} where that is {b}; take `assume_std` away"
        );
    }
    given
}

/// A number that a function of another crate turns into one of the type `U`, if it fits.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "num-traits"),
    allow(dead_code, reason = "nothing is known to be a cast")
)]
pub struct Casting<T, U>(T, PhantomData<U>);

impl<T, U> Casting<T, U> {
    /// A number, and what it becomes.
    #[inline]
    pub fn new(x: T) -> Self {
        Casting(x, PhantomData)
    }
}

/// What is known to be a cast by the bounds of its types.
#[diagnostic::on_unimplemented(
    message = "nothing says that this function of another trait is a cast",
    label = "neither bound implies the trait of `num-traits` that has this function",
    note = "with the feature `num-traits`, `NumCast::from`, `FromPrimitive::from_f64` and `ToPrimitive::to_f64` of active values are casts"
)]
pub trait Cast {}

macro_rules! casts {
    ($($(#[$doc:meta])* $trait:ident $method:ident ($T:ident, $U:ident) $of:ident: $bound:path;)*) => {$(
        $(#[$doc])*
        pub trait $trait<$U> {
            /// The number in the other type.
            fn $method(&self) -> $U;
        }

        #[cfg(feature = "num-traits")]
        impl<$T: Numeric, $U: Numeric> $trait<$U> for &Casting<$T, $U>
        where
            $of: $bound,
        {
            #[inline]
            fn $method(&self) -> $U {
                num::cast(self.0)
            }
        }

        impl<$T, $U> Casting<$T, $U> {
            /// The last resort, as of [`Of`].
            ///
            /// # Panics
            /// Always; but nothing has its bound.
            pub fn $method(&self) -> $U
            where
                Casting<$T, $U>: Cast,
            {
                unreachable!("no cast")
            }
        }
    )*};
}
casts! {
    /// By `NumCast::from`.
    KnownFrom __autodiff_from (T, U) U: num_traits::NumCast;
    /// By `FromPrimitive::from_f64`, `from_f32`.
    KnownFromPrimitive __autodiff_from_primitive (T, U) U: num_traits::FromPrimitive;
    /// By `ToPrimitive::to_f64`, `to_f32`.
    KnownTo __autodiff_to (T, U) T: num_traits::ToPrimitive;
}

/// std's `into`.
#[inline]
pub fn into<T: Into<U>, U>(x: T) -> U {
    x.into()
}
