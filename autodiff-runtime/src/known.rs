//! Whose methods a type parameter has.
//!
//! In a generic function rustc knows no more of `T` than its bounds say, and so `(&&…&Of::<_, methods::sin>::new(x)).__autodiff_std()` compiles only
//! where the bounds *imply* a trait that has this method of std's, under whatever name or path the user wrote it. Autoref takes the first `impl` below
//! whose bounds hold. A trait of the user's own that is called `Float` implies none of them, and `FloatCore` says nothing of `sin`.

use core::marker::PhantomData;

use crate::num::{self, Numeric};

/// A value, of which the method `M` of std is called next.
#[derive(Debug)]
pub struct Of<T, M>(T, PhantomData<M>);

impl<T, M> Of<T, M> {
    /// The value.
    #[inline]
    pub fn new(x: T) -> Self {
        Of(x, PhantomData)
    }
}

/// The value, where the bounds of its type say that this method is std's.
pub trait Known<T> {
    /// The value.
    fn __autodiff_std(&self) -> T;
}

/// The methods of numbers, as types.
#[allow(non_camel_case_types, reason = "they are named as the methods are")]
pub mod methods {
    /// Methods that this library's float has: all.
    pub trait OfFloat {}

    macro_rules! all {
        (methods { $($name:ident($($arg:tt)*) $(-> $y:ident)? $($flag:ident)? = [$($partial:tt)*], at [$($at:tt)*];)* } $($others:tt)*) => {$(
            /// The method of that name.
            #[derive(Debug)]
            pub struct $name;
            impl OfFloat for $name {}
        )*};
    }
    crate::rules::table!(all);

    #[cfg(any(feature = "num-traits", feature = "simba"))]
    macro_rules! of {
        ($($(#[$doc:meta])* $trait:ident: $($name:ident)*;)*) => {$(
            $(#[$doc])*
            pub trait $trait {}
            $(impl $trait for $name {})*
        )*};
    }
    #[cfg(feature = "num-traits")]
    of! {
        /// Methods of `num_traits::real::Real`.
        OfReal: floor ceil round trunc fract abs signum mul_add recip powi powf sqrt exp exp2 ln log log2 log10 to_degrees to_radians max min abs_sub
            cbrt hypot sin cos tan asin acos atan atan2 exp_m1 ln_1p sinh cosh tanh asinh acosh atanh;
        /// Methods of `num_traits::Float` beside those.
        OfNumFloat: clamp copysign;
        /// Methods of `num_traits::float::FloatCore`.
        OfFloatCore: floor ceil round trunc fract abs signum min max clamp recip powi to_degrees to_radians;
        /// Methods of `num_traits::Signed`.
        OfSigned: abs signum;
        /// The method of `num_traits::MulAdd`.
        OfMulAdd: mul_add;
    }
    #[cfg(feature = "simba")]
    of! {
        /// Methods of `simba::scalar::ComplexField`.
        OfComplexField: floor ceil round trunc fract abs signum mul_add recip powi powf sqrt exp exp2 ln log log2 log10 cbrt hypot
            sin cos tan asin acos atan exp_m1 ln_1p sinh cosh tanh asinh acosh atanh;
        /// Methods of `simba::scalar::RealField` beside those.
        OfRealField: copysign max min clamp atan2;
    }
}

macro_rules! known {
    ($($(#[$condition:meta])* $wrapped:ty: $methods:ident, $bound:path;)*) => {$(
        $(#[$condition])*
        impl<T: Copy + $bound, M: methods::$methods> Known<T> for $wrapped {
            #[inline]
            fn __autodiff_std(&self) -> T {
                self.0
            }
        }
    )*};
}
known! {
    #[cfg(feature = "num-traits")]
    &&&&&&&&Of<T, M>: OfSigned, num_traits::Signed;
    &&&&&&&Of<T, M>: OfFloat, crate::float::Float;
    #[cfg(feature = "num-traits")]
    &&&&&&Of<T, M>: OfReal, num_traits::real::Real;
    #[cfg(feature = "num-traits")]
    &&&&&Of<T, M>: OfNumFloat, num_traits::Float;
    #[cfg(feature = "num-traits")]
    &&&&Of<T, M>: OfFloatCore, num_traits::float::FloatCore;
    #[cfg(feature = "num-traits")]
    &&&Of<T, M>: OfMulAdd, num_traits::MulAdd<Output = T>;
    #[cfg(feature = "simba")]
    &&Of<T, M>: OfComplexField, simba::scalar::ComplexField;
    #[cfg(feature = "simba")]
    &Of<T, M>: OfRealField, simba::scalar::RealField;
}

/// A type whose methods are known to be std's without a bound: a number.
#[diagnostic::on_unimplemented(
    message = "nothing says that this method of `{T}` is std's",
    label = "the bounds of `{T}` imply neither `autodiff::Float` nor, with the features `num-traits` and `simba`, a float trait of these crates that has the method",
    note = "a method of another trait may mean something else; if its methods named like std's are std's, write `#[grad(assume_std)]`, and else `T: Trait + Differentiable`, with `#[grad]` on the trait and on its `impl`s for types of your own"
)]
pub trait Standard<T: Copy> {}

macro_rules! numbers {
    ($($t:ty)*) => {$(impl<M> Standard<$t> for Of<$t, M> {})*};
}
numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

impl<T, M> Of<T, M> {
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

/// An argument as a method of the user's own takes it: by value, or by reference.
pub trait Argument<'a, T> {
    /// The argument.
    fn __autodiff_argument(x: &'a T) -> Self;
}
impl<T: Copy> Argument<'_, T> for T {
    #[inline]
    fn __autodiff_argument(x: &T) -> T {
        *x
    }
}
impl<'a, T> Argument<'a, T> for &'a T {
    #[inline]
    fn __autodiff_argument(x: &'a T) -> &'a T {
        x
    }
}

/// An argument as the method takes it that it is given to.
#[inline]
pub fn argument<'a, T, A: Argument<'a, T>>(x: &'a T) -> A {
    A::__autodiff_argument(x)
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

/// Casts by functions of `num-traits`, which are called by their paths.
pub mod casts {
    use crate::num::{self, Numeric};

    #[cfg(not(feature = "num-traits"))]
    pub use self::none::{FromPrimitive, NumCast, ToPrimitive, cast};
    #[cfg(feature = "num-traits")]
    pub use num_traits::{FromPrimitive, NumCast, ToPrimitive, cast};

    /// Without the crate no function is one of it.
    #[cfg(not(feature = "num-traits"))]
    mod none {
        macro_rules! none {
            ($($trait:ident { $($function:ident: $given:ty => $made:ty;)* })*) => {$(
                #[doc = "Nobody's trait."]
                pub trait $trait: Sized {
                    $(#[doc = "Nobody's function."]
                    #[must_use]
                    fn $function<T>(_: $given) -> Option<$made> {
                        None
                    })*
                }
                impl<T> $trait for T {}
            )*};
        }
        none! {
            NumCast { from: T => Self; }
            FromPrimitive { from_f64: T => Self; from_f32: T => Self; }
            ToPrimitive { to_f64: &T => f64; to_f32: &T => f32; }
        }

        /// Nobody's function.
        #[must_use]
        pub fn cast<T, U>(_: T) -> Option<U> {
            None
        }
    }

    /// The function that is meant, and the one that is written.
    #[derive(Debug)]
    pub struct Two<A, B>(A, B);

    /// Two functions that are one.
    #[diagnostic::on_unimplemented(
        message = "this is not the function of `num-traits` that has this name, and may be no cast",
        label = "another function, or one of `num-traits` without the feature `num-traits`",
        note = "call it by another name, with `#[grad]` on it; or take its result as a constant, by `autodiff::stop_gradient`"
    )]
    pub trait OneFunction {}
    impl<F> OneFunction for Two<F, F> {}
    // Without a second one rustc takes what is written for what is meant before it looks at it.
    impl<F> OneFunction for Two<F, Two<F, F>> {}

    /// The number in the other type.
    #[inline]
    pub fn cast_by<T: Numeric, U: Numeric, A: Fn(T) -> Option<U>, B>(x: T, _: A, _: B) -> U
    where
        Two<A, B>: OneFunction,
    {
        num::cast(x)
    }

    /// The number in the other type, by a function that takes a reference.
    #[inline]
    pub fn cast_by_reference<T: Numeric, U: Numeric, A: Fn(&T) -> Option<U>, B>(
        x: T,
        _: A,
        _: B,
    ) -> U
    where
        Two<A, B>: OneFunction,
    {
        num::cast(x)
    }
}

/// Says by its bounds that it becomes a number of another type.
///
/// Everything is into itself without a bound, and a trait of the user's own may have a method of that name: then it is ambiguous what is meant.
pub trait IntoAnotherNumber<U, By> {}
impl<T: Into<U>, U> IntoAnotherNumber<U, (T, U)> for T {}
impl<T> IntoAnotherNumber<T, ()> for T {}

/// std's `into`.
#[inline]
pub fn into<T: Numeric + Into<U> + IntoAnotherNumber<U, By>, U: Numeric, By>(x: T) -> U {
    x.into()
}
