//! Values to fill slots with before they are written.

use crate::arm::Arm;
use crate::tuples::for_tuples;

/// A plain value that some slot may hold until it is written.
///
/// `Default` would do, if arrays of any length had it.
pub trait Blank: Copy + 'static {
    /// Any value.
    fn __blank() -> Self;
}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl Blank for $t {
            #[inline]
            fn __blank() -> Self {
                <$t>::default()
            }
        }
    )*};
}
numbers!(f32 f64 bool u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl Blank for () {
    #[inline]
    fn __blank() {}
}

impl<T: Blank, const N: usize> Blank for [T; N] {
    #[inline]
    fn __blank() -> Self {
        [T::__blank(); N]
    }
}

impl<T: Copy + 'static> Blank for Option<T> {
    #[inline]
    fn __blank() -> Self {
        None
    }
}

impl<A: Blank, B: Copy + 'static> Blank for Arm<A, B> {
    #[inline]
    fn __blank() -> Self {
        Arm::A(A::__blank())
    }
}

macro_rules! tuple {
    ($($t:ident $k:tt)+) => {
        impl<$($t: Blank),+> Blank for ($($t,)+) {
            #[inline]
            fn __blank() -> Self {
                ($($t::__blank(),)+)
            }
        }
    };
}
for_tuples!(tuple);
