//! Whose methods a type parameter has.
//!
//! In a generic function rustc knows no more of `T` than its bounds say, and so `(&&&&&Of(x)).__autodiff_std()` compiles only where the bounds
//! *imply* a trait whose methods are std's, under whatever name or path the user wrote it. Autoref takes the first `impl` below whose bound holds.
//! A trait of the user's own that is called `Float` implies none of them.

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
    message = "nothing says that this method of `{Self}` is std's",
    label = "the bounds of `{Self}` imply neither `autodiff::Float` nor, with the features `num-traits` and `simba`, a float trait of these crates",
    note = "a method of another trait may mean something else; put `#[grad]` on the trait, or `#[grad(assume_std)]` on the function if its methods named like std's are std's"
)]
pub trait Standard: Copy {}

macro_rules! numbers {
    ($($t:ty)*) => {$(impl Standard for $t {})*};
}
numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

impl<T> Of<T> {
    /// The last resort, whose bound is not asked for where the method is looked up: so the message is ours.
    #[inline]
    pub fn __autodiff_std(&self) -> T
    where
        T: Standard,
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
            "`{name}` is assumed to be std's, and is {a} where that is {b}; put `#[grad]` on its trait in place of `assume_std` on the function"
        );
    }
    given
}
