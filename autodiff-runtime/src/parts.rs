//! Parts of tangents whose type cannot be spelled: what a variant holds, and what may be the tangent of a constant.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut, Index, IndexMut};
use core::slice::SliceIndex;

/// An index: the field with this [key](field), of an enum or its tangent that of the variant that is there; of the tangent of a struct or tuple, which may be that of a constant.
#[derive(Clone, Copy, Debug)]
pub struct Field<const KEY: u64>;

/// The key of a field, such as `Circle.radius` or `0`: FNV-1a of its name.
#[must_use]
pub const fn field(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut key = 0xcbf2_9ce4_8422_2325_u64;
    let mut k = 0;
    while k < bytes.len() {
        key = (key ^ bytes[k] as u64).wrapping_mul(0x0100_0000_01b3);
        k += 1;
    }
    key
}

/// Says that the tangent of an enum is not of the value's variant.
///
/// # Panics
/// Always.
#[cold]
#[track_caller]
pub fn other_variant(message: &str) -> ! {
    panic!("{message}")
}

/// Says that two tangents of an enum are of different variants.
///
/// # Panics
/// Always.
#[cold]
#[track_caller]
pub fn variants_differ() -> ! {
    panic!("two tangents of an enum are combined that are of different variants")
}

/// An index into a tangent that may be that of a constant.
#[derive(Clone, Copy, Debug)]
pub struct At<I>(pub I);

/// Of a constant every part is as constant as the whole.
impl<I> Index<At<I>> for () {
    type Output = ();
    #[inline]
    fn index(&self, _: At<I>) -> &() {
        self
    }
}

impl<I> IndexMut<At<I>> for () {
    #[inline]
    fn index_mut(&mut self, _: At<I>) -> &mut () {
        self
    }
}

impl<const KEY: u64> Index<Field<KEY>> for () {
    type Output = ();
    #[inline]
    fn index(&self, _: Field<KEY>) -> &() {
        self
    }
}

impl<const KEY: u64> IndexMut<Field<KEY>> for () {
    #[inline]
    fn index_mut(&mut self, _: Field<KEY>) -> &mut () {
        self
    }
}

macro_rules! part {
    ($key:literal $k:tt $part:ident of $($all:ident)+) => {
        impl<$($all),+> Index<Field<{ field($key) }>> for ($($all,)+) {
            type Output = $part;
            #[inline]
            fn index(&self, _: Field<{ field($key) }>) -> &$part {
                &self.$k
            }
        }

        impl<$($all),+> IndexMut<Field<{ field($key) }>> for ($($all,)+) {
            #[inline]
            fn index_mut(&mut self, _: Field<{ field($key) }>) -> &mut $part {
                &mut self.$k
            }
        }
    };
}
macro_rules! tuples {
    ($($key:literal $k:tt $part:ident)+; $all:tt) => {
        $(tuples!(@ $key $k $part $all);)+
    };
    (@ $key:literal $k:tt $part:ident [$($all:ident)+]) => {
        part!($key $k $part of $($all)+);
    };
}
tuples!("0" 0 A; [A]);
tuples!("0" 0 A "1" 1 B; [A B]);
tuples!("0" 0 A "1" 1 B "2" 2 C; [A B C]);
tuples!("0" 0 A "1" 1 B "2" 2 C "3" 3 D; [A B C D]);
tuples!("0" 0 A "1" 1 B "2" 2 C "3" 3 D "4" 4 E; [A B C D E]);
tuples!("0" 0 A "1" 1 B "2" 2 C "3" 3 D "4" 4 E "5" 5 F; [A B C D E F]);
tuples!("0" 0 A "1" 1 B "2" 2 C "3" 3 D "4" 4 E "5" 5 F "6" 6 G; [A B C D E F G]);
tuples!("0" 0 A "1" 1 B "2" 2 C "3" 3 D "4" 4 E "5" 5 F "6" 6 G "7" 7 H; [A B C D E F G H]);
tuples!("0" 0 A "1" 1 B "2" 2 C "3" 3 D "4" 4 E "5" 5 F "6" 6 G "7" 7 H "8" 8 I; [A B C D E F G H I]);
tuples!("0" 0 A "1" 1 B "2" 2 C "3" 3 D "4" 4 E "5" 5 F "6" 6 G "7" 7 H "8" 8 I "9" 9 J; [A B C D E F G H I J]);
tuples!("0" 0 A "1" 1 B "2" 2 C "3" 3 D "4" 4 E "5" 5 F "6" 6 G "7" 7 H "8" 8 I "9" 9 J "10" 10 K; [A B C D E F G H I J K]);
tuples!("0" 0 A "1" 1 B "2" 2 C "3" 3 D "4" 4 E "5" 5 F "6" 6 G "7" 7 H "8" 8 I "9" 9 J "10" 10 K "11" 11 L; [A B C D E F G H I J K L]);

macro_rules! indexed {
    ($of:ty;) => {
        impl<T, I: SliceIndex<[T]>> Index<At<I>> for $of {
            type Output = I::Output;
            #[inline]
            #[track_caller]
            fn index(&self, at: At<I>) -> &I::Output {
                &self[..][at.0]
            }
        }

        impl<T, I: SliceIndex<[T]>> IndexMut<At<I>> for $of {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, at: At<I>) -> &mut I::Output {
                &mut self[..][at.0]
            }
        }
    };
}
// Arrays take every index of slices.
indexed! { [T]; }
#[cfg(feature = "alloc")]
indexed! { Vec<T>; }

/// A place for a tangent, which keeps nothing if it is that of a constant.
#[derive(Debug)]
pub struct Slot<'a, D>(pub &'a mut D);

impl Slot<'_, ()> {
    /// Forgets it.
    #[inline]
    pub fn put<T>(self, _: T) {}

    /// Hands it back: it is a zero.
    #[inline]
    pub fn exchange<T>(self, zero: T) -> T {
        zero
    }
}

/// Puts a tangent where there is a place for it.
pub trait Put<D> {
    /// Writes the place over.
    fn put(self, tangent: D);
    /// Writes the place over, and yields what was there.
    fn exchange(self, zero: D) -> D;
}

impl<D> Put<D> for Slot<'_, D> {
    #[inline]
    fn put(self, tangent: D) {
        *self.0 = tangent;
    }

    #[inline]
    fn exchange(self, zero: D) -> D {
        core::mem::replace(self.0, zero)
    }
}

/// A reference to a tangent, and what makes a zero if it is that of a constant.
#[derive(Debug)]
pub struct Lent<R, F>(pub R, pub F);

/// A zero for a function that adds to it, or reads it.
#[derive(Debug)]
pub struct Forgotten<Z>(Z);

impl<Z> Deref for Forgotten<Z> {
    type Target = Z;
    #[inline]
    fn deref(&self) -> &Z {
        &self.0
    }
}

impl<Z> DerefMut for Forgotten<Z> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Z {
        &mut self.0
    }
}

impl<Z, F: FnOnce() -> Z> Lent<&(), F> {
    /// The zero.
    #[inline]
    pub fn lend(self) -> Forgotten<Z> {
        Forgotten(self.1())
    }
}

impl<Z, F: FnOnce() -> Z> Lent<&mut (), F> {
    /// The zero.
    #[inline]
    pub fn lend(self) -> Forgotten<Z> {
        Forgotten(self.1())
    }
}

/// Lends a tangent.
pub trait Lend {
    /// The reference to it.
    type Reference;
    /// The tangent.
    fn lend(self) -> Self::Reference;
}

impl<R, F> Lend for Lent<R, F> {
    type Reference = R;
    #[inline]
    fn lend(self) -> R {
        self.0
    }
}
