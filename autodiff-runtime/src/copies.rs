//! Copies that derivatives keep: by `Clone`, or part by part of types with the derive that are not `Clone`.

use core::marker::PhantomData;

use crate::fallible::PartOf;
use crate::tuples::for_tuples;

/// Values of which there are copies.
#[diagnostic::on_unimplemented(
    message = "derivatives keep a copy of a `{Self}`, and there is none; derive `Clone` for it, and for what it is generic in (`impl<S: Clone>`)",
    label = "`Clone` is not implemented"
)]
pub trait HasCopy {
    /// A copy.
    #[must_use]
    fn have_copy(&self) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Clone> HasCopy for T {
    #[inline]
    fn have_copy(&self) -> T {
        self.clone()
    }
}

/// A copy of a value that is used again.
#[inline]
pub fn copy<T: HasCopy>(x: &T) -> T {
    x.have_copy()
}

/// A value that is copied where its type is known: by `Clone` if it has that, else part by part.
#[derive(Debug)]
pub struct Original<'a, T>(pub &'a T);

impl<T: HasCopy> Original<'_, T> {
    /// A copy.
    #[inline]
    #[must_use]
    pub fn __copy(self) -> T {
        self.0.have_copy()
    }
}

/// What generated code imports: the copy of a type that is not `Clone`.
pub trait CopyByParts<T> {
    /// A copy.
    #[must_use]
    fn __copy(self) -> T;
}

impl<T: ByParts> CopyByParts<T> for Original<'_, T> {
    #[inline]
    fn __copy(self) -> T {
        self.0.__copied()
    }
}

/// The last resort, whose bound is not asked for where the method is looked up: so the message is ours.
pub trait NoCopy<T> {
    /// A copy.
    #[must_use]
    fn __copy(&self) -> T
    where
        T: HasCopy;
}

impl<T> NoCopy<T> for Original<'_, T> {
    #[inline]
    fn __copy(&self) -> T
    where
        T: HasCopy,
    {
        self.0.have_copy()
    }
}

/// Types that are copied part by part: those with the derive, as far as their fields are such types or `Clone`.
pub trait ByParts: Sized {
    /// A copy.
    #[must_use]
    fn __copied(&self) -> Self;
}

/// A field of a type of the user's own.
pub trait CopiedPart<T> {
    /// A copy of the field.
    fn __part(x: &T) -> T;
}

impl<T: ByParts> CopiedPart<T> for PartOf<'_, T> {
    #[inline]
    fn __part(x: &T) -> T {
        x.__copied()
    }
}

/// A field of which `Clone` is asked.
pub trait ClonedPart<T> {
    /// A copy of the field.
    fn __part(x: &T) -> T;
}

impl<T: Clone> ClonedPart<T> for PartOf<'_, T> {
    #[inline]
    fn __part(x: &T) -> T {
        x.clone()
    }
}

/// Types without parts of the user's own.
macro_rules! cloned {
    ($({$($generics:tt)*} $t:ty $(where [$($bound:tt)*])?;)*) => {$(
        impl<$($generics)*> ByParts for $t $(where $($bound)*)? {
            #[inline]
            fn __copied(&self) -> Self {
                self.clone()
            }
        }
    )*};
}
cloned! {
    {} f32; {} f64; {} bool; {} char;
    {} u8; {} u16; {} u32; {} u64; {} u128; {} usize;
    {} i8; {} i16; {} i32; {} i64; {} i128; {} isize;
    {} core::time::Duration;
    {'a, T: ?Sized} &'a T;
    {T: ?Sized} PhantomData<T>;
}
#[cfg(feature = "alloc")]
cloned! {
    {} alloc::string::String;
    {T: ?Sized} alloc::rc::Rc<T>;
    {T: ?Sized} alloc::sync::Arc<T>;
}
#[cfg(feature = "nalgebra")]
cloned! {
    {T, R, C, S} nalgebra::Matrix<T, R, C, S> where [nalgebra::Matrix<T, R, C, S>: Clone];
    {T: nalgebra::Scalar, D: nalgebra::DimName} nalgebra::OPoint<T, D>
        where [nalgebra::DefaultAllocator: nalgebra::allocator::Allocator<D>];
    {T: Clone} nalgebra::Quaternion<T>;
    {T: Clone} nalgebra::Unit<T>;
    {T: Clone, const D: usize} nalgebra::Rotation<T, D>;
}
#[cfg(feature = "ndarray")]
cloned! {
    {S: ndarray::RawDataClone, D: Clone} ndarray::ArrayBase<S, D>;
}
#[cfg(feature = "num-complex")]
cloned! {
    {T: Clone} num_complex::Complex<T>;
}
#[cfg(all(feature = "tensor", any(feature = "std", feature = "libm")))]
cloned! {
    {T: crate::element::Element} crate::tensor::Tensor<T>;
}

impl<T: ByParts, const N: usize> ByParts for [T; N] {
    #[inline]
    fn __copied(&self) -> Self {
        self.each_ref().map(T::__copied)
    }
}

impl<T: ByParts> ByParts for Option<T> {
    #[inline]
    fn __copied(&self) -> Self {
        self.as_ref().map(T::__copied)
    }
}

#[cfg(feature = "alloc")]
impl<T: ByParts> ByParts for alloc::boxed::Box<T> {
    #[inline]
    fn __copied(&self) -> Self {
        Self::new((**self).__copied())
    }
}

/// Collections of values.
#[cfg(feature = "alloc")]
macro_rules! collected {
    ($($List:ident)*) => {$(
        impl<T: ByParts> ByParts for alloc::collections::$List<T> {
            #[inline]
            fn __copied(&self) -> Self {
                self.iter().map(T::__copied).collect()
            }
        }
    )*};
}
#[cfg(feature = "alloc")]
collected!(VecDeque LinkedList);

#[cfg(feature = "alloc")]
impl<T: ByParts> ByParts for alloc::vec::Vec<T> {
    #[inline]
    fn __copied(&self) -> Self {
        self.iter().map(T::__copied).collect()
    }
}

macro_rules! tuple {
    ($($T:ident $k:tt)*) => {
        impl<$($T: ByParts),*> ByParts for ($($T,)*) {
            #[inline]
            #[allow(clippy::unused_unit, reason = "of a tuple without parts")]
            fn __copied(&self) -> Self {
                ($(self.$k.__copied(),)*)
            }
        }
    };
}
for_tuples!(tuple);

/// Makes a type [`ByParts`]: for each variant, or the one shape of a struct, its fields with a name, what asks for a copy, and the type.
#[doc(hidden)]
#[macro_export]
macro_rules! __by_parts {
    ([$($generics:tt)*] [$($of:tt)*] [$($conditions:tt)*] $([$($variant:tt)*] { $($member:tt $x:ident $How:ident $part:ty),* })*) => {
        #[automatically_derived]
        #[allow(private_bounds)]
        impl $($generics)* $crate::copies::ByParts for $($of)*
        where
            $($conditions)*
            $($(for<'any> $crate::fallible::PartOf<'any, $part>: $crate::copies::$How<$part>,)*)*
        {
            #[inline]
            fn __copied(&self) -> Self {
                match self {
                    $($($variant)* { $($member: $x),* } => $($variant)* {
                        $($member: <$crate::fallible::PartOf<'_, $part> as $crate::copies::$How<$part>>::__part($x)),*
                    },)*
                }
            }
        }
    };
}
