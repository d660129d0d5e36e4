//! Parts of tangents whose type cannot be spelled: what a variant holds, and what may be the tangent of a constant.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, rc::Rc, vec::Vec};
use core::ops::{Deref, DerefMut, Index, IndexMut};
use core::slice::SliceIndex;

use autodiff_rules::field;

use crate::tangent::{Accumulate, Differentiable, Shape, Shaped, Tangent};

/// An index: the field with this [key](field), of an enum or its tangent that of the variant with the other key, which is there; of the tangent of a struct or tuple, which may be that of a constant.
///
/// A name that is called alone may be that of a variant or of a struct, so a struct has its fields under the key of any variant.
#[derive(Clone, Copy, Debug)]
pub struct Field<const KEY: u64, const VARIANT: u64>;

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

/// What leads to an enum, as a pattern of the enum asks for it: itself, or what owns it or refers to it.
///
/// `**b` of a variable that a pattern bound may be the enum in a box, or the enum behind two references: only rustc knows.
pub trait LeadsTo<T: ?Sized> {
    /// The enum.
    fn behind(&self) -> &T;
}

impl<T: ?Sized> LeadsTo<T> for T {
    #[inline]
    fn behind(&self) -> &T {
        self
    }
}

macro_rules! lead {
    ($($pointer:ty),*) => {$(
        impl<T: ?Sized> LeadsTo<T> for $pointer {
            #[inline]
            fn behind(&self) -> &T {
                self
            }
        }
    )*};
}

lead!(&T, &mut T, &&T);
#[cfg(feature = "alloc")]
lead!(Box<T>, Rc<T>, &Box<T>, &Rc<T>);

/// What is matched with a pattern of an enum, whose type the pattern says.
#[inline]
pub fn behind<T: ?Sized>(whole: &(impl LeadsTo<T> + ?Sized)) -> &T {
    whole.behind()
}

/// A reference to what may be a box: what `*` of it leads to, only the type can say.
#[derive(Debug)]
pub struct Behind<R>(pub R);

#[cfg(feature = "alloc")]
impl<'a, T: ?Sized> Behind<&'a Box<T>> {
    /// What is in the box.
    #[inline]
    #[must_use]
    pub fn inside(self) -> &'a T {
        self.0
    }
}

#[cfg(feature = "alloc")]
impl<'a, T: ?Sized> Behind<&'a mut Box<T>> {
    /// What is in the box.
    #[inline]
    #[must_use]
    pub fn inside(self) -> &'a mut T {
        self.0
    }
}

/// What is no box is what it stands for itself; the methods of a box hide these.
pub trait Itself {
    /// The reference.
    type To;
    /// The same.
    fn inside(self) -> Self::To;
}

impl<R> Itself for Behind<R> {
    type To = R;
    #[inline]
    fn inside(self) -> R {
        self.0
    }
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

impl<const KEY: u64, const VARIANT: u64> Index<Field<KEY, VARIANT>> for () {
    type Output = ();
    #[inline]
    fn index(&self, _: Field<KEY, VARIANT>) -> &() {
        self
    }
}

impl<const KEY: u64, const VARIANT: u64> IndexMut<Field<KEY, VARIANT>> for () {
    #[inline]
    fn index_mut(&mut self, _: Field<KEY, VARIANT>) -> &mut () {
        self
    }
}

/// What is in an option, where it is.
impl<T> Index<Field<{ field("0") }, { field("Some") }>> for Option<T> {
    type Output = T;
    #[inline]
    #[track_caller]
    fn index(&self, _: Field<{ field("0") }, { field("Some") }>) -> &T {
        match self {
            Some(inside) => inside,
            None => other_variant("a tangent of an option has nothing in it where the option has"),
        }
    }
}

impl<T> IndexMut<Field<{ field("0") }, { field("Some") }>> for Option<T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, _: Field<{ field("0") }, { field("Some") }>) -> &mut T {
        match self {
            Some(inside) => inside,
            None => other_variant("a tangent of an option has nothing in it where the option has"),
        }
    }
}

macro_rules! part {
    ($key:literal $k:tt $part:ident of $($all:ident)+) => {
        impl<$($all),+> Index<Field<{ field($key) }, 0>> for ($($all,)+) {
            type Output = $part;
            #[inline]
            fn index(&self, _: Field<{ field($key) }, 0>) -> &$part {
                &self.$k
            }
        }

        impl<$($all),+> IndexMut<Field<{ field($key) }, 0>> for ($($all,)+) {
            #[inline]
            fn index_mut(&mut self, _: Field<{ field($key) }, 0>) -> &mut $part {
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

/// A value and the tangent that stands in its field of a tangent: its own, or `()` where the field is a constant.
#[derive(Debug)]
pub struct Part<'a, P, D>(pub &'a P, pub D);

/// The same of the value's shape.
#[derive(Debug)]
pub struct Formed<'a, S, D>(pub &'a S, pub D);

impl<P: Differentiable> Part<'_, P, ()> {
    /// The tangent: zero.
    #[inline]
    pub fn settle(self) -> P::Tangent {
        self.0.zero_tangent()
    }
}

impl<S: Shape> Formed<'_, S, ()> {
    /// The tangent: zero.
    #[inline]
    pub fn settle(self) -> S::Zero {
        self.0.zero()
    }
}

/// The tangent of a value, where that is what stands in the field.
pub trait Own {
    /// Its type.
    type Tangent;
    /// The tangent.
    fn settle(self) -> Self::Tangent;
}

impl<P, D> Own for Part<'_, P, D> {
    type Tangent = D;
    #[inline]
    fn settle(self) -> D {
        self.1
    }
}

impl<S, D> Own for Formed<'_, S, D> {
    type Tangent = D;
    #[inline]
    fn settle(self) -> D {
        self.1
    }
}

/// A place for a tangent, which keeps nothing if it is that of a constant.
#[derive(Debug)]
pub struct Slot<'a, D: ?Sized>(pub &'a mut D);

impl Slot<'_, ()> {
    /// Forgets it.
    #[inline]
    pub fn put<T>(self, _: T) {}

    /// Nothing is computed for it.
    #[inline]
    pub fn add<T>(self, _: impl FnOnce(&mut T)) {}

    /// Forgets it; there was nothing.
    #[inline]
    pub fn exchange<T>(self, _: T) {}

    /// Forgets it.
    #[inline]
    pub fn fill<T>(self, _: T) {}

    /// Forgets it.
    #[inline]
    pub fn copy<F: ?Sized>(self, _: &F) {}

    /// Gives nothing.
    #[inline]
    pub fn give<F: ?Sized>(self, _: &mut F) {}

    /// The sum of nothing.
    #[inline]
    pub fn sum_zero<T>(self, zero: T) -> T {
        zero
    }

    /// Does nothing.
    #[inline]
    pub fn swap(self, _: usize, _: usize) {}

    /// Forgets it.
    #[inline]
    pub fn push<T>(self, _: T) {}

    /// Forgets it.
    #[inline]
    pub fn append<T>(self, _: T) {}

    /// Forgets it.
    #[inline]
    pub fn insert<T>(self, _: usize, _: T) {}

    /// There was nothing.
    #[inline]
    pub fn cut(self, _: usize) {}

    /// There was nothing.
    #[inline]
    pub fn remove(self, _: usize) {}

    /// There was nothing.
    #[inline]
    pub fn pop(self) {}
}

/// A part of a struct, or what is put there.
#[derive(Debug)]
pub struct PartOf<'a, T: ?Sized>(pub &'a T);

/// What has a tangent may stand in any part.
pub trait PartWithTangent<T: Shaped + ?Sized> {
    /// Its zero tangent.
    fn zero(&self) -> T::Tangent;
    /// Its shape.
    fn shape(&self) -> T::Shape;
}

impl<T: Shaped + ?Sized> PartWithTangent<T> for PartOf<'_, T> {
    #[inline]
    fn zero(&self) -> T::Tangent {
        self.0.zero_tangent()
    }

    #[inline]
    fn shape(&self) -> T::Shape {
        self.0.__shape()
    }
}

/// What has none only stands where there are constants.
pub trait PartWithoutTangent {
    /// Nothing.
    #[inline]
    fn zero(&self) {}
    /// Nothing.
    #[inline]
    fn shape(&self) {}
}

impl<T: ?Sized> PartWithoutTangent for &PartOf<'_, T> {}

/// Puts a tangent where there is a place for it.
pub trait Put<D> {
    /// Writes the place over.
    fn put(self, tangent: D);
    /// Writes the place over, and yields what was there.
    fn exchange(self, zero: D) -> D;
    /// Adds to what is there.
    fn add(self, add: impl FnOnce(&mut D));
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

    #[inline]
    fn add(self, add: impl FnOnce(&mut D)) {
        add(self.0);
    }
}

/// What is done to all tangents of a sequence, of which another may be that of a constant.
pub trait All<T> {
    /// Writes all of them over.
    fn fill(self, tangent: T)
    where
        T: Clone;
    /// Writes all of them over by others; by zeros where those are constants.
    fn copy<F: Sequence<T> + ?Sized>(self, from: &F)
    where
        T: Tangent;
    /// Adds all of them to others, and leaves zeros.
    fn give<F: Sequence<T> + ?Sized>(self, to: &mut F)
    where
        T: Tangent + Accumulate;
    /// Their sum, added to `zero`; they are set to zero.
    fn sum_zero(self, zero: T) -> T
    where
        T: Tangent + Accumulate;
    /// Exchanges two of them.
    fn swap(self, i: usize, j: usize);
}

impl<T, D: Sequence<T> + AsMut<[T]> + ?Sized> All<T> for Slot<'_, D> {
    #[inline]
    fn fill(self, tangent: T)
    where
        T: Clone,
    {
        self.0.as_mut().fill(tangent);
    }

    #[inline]
    #[track_caller]
    fn copy<F: Sequence<T> + ?Sized>(self, from: &F)
    where
        T: Tangent,
    {
        let to = self.0.as_mut();
        match from.tangents() {
            Some(from) => to.clone_from_slice(from),
            None => to.iter_mut().for_each(|t| *t = t.zero_like()),
        }
    }

    #[inline]
    #[track_caller]
    fn give<F: Sequence<T> + ?Sized>(self, to: &mut F)
    where
        T: Tangent + Accumulate,
    {
        let from = self.0.as_mut();
        match to.tangents_mut() {
            Some(to) => crate::generated::give(to, from),
            None => from.iter_mut().for_each(|t| *t = t.zero_like()),
        }
    }

    #[inline]
    fn sum_zero(self, zero: T) -> T
    where
        T: Tangent + Accumulate,
    {
        crate::generated::sum_zero(self.0.as_mut(), zero)
    }

    #[inline]
    #[track_caller]
    fn swap(self, i: usize, j: usize) {
        self.0.as_mut().swap(i, j);
    }
}

/// Tangents in a row, or that of a constant.
pub trait Sequence<T> {
    /// The tangents.
    fn tangents(&self) -> Option<&[T]>;
    /// The tangents.
    fn tangents_mut(&mut self) -> Option<&mut [T]>;
}

impl<T> Sequence<T> for () {
    #[inline]
    fn tangents(&self) -> Option<&[T]> {
        None
    }
    #[inline]
    fn tangents_mut(&mut self) -> Option<&mut [T]> {
        None
    }
}

macro_rules! sequence {
    ($(#[$attr:meta])* [$($generics:tt)*] $of:ty) => {
        $(#[$attr])*
        impl<$($generics)*> Sequence<T> for $of {
            #[inline]
            fn tangents(&self) -> Option<&[T]> {
                Some(self)
            }
            #[inline]
            fn tangents_mut(&mut self) -> Option<&mut [T]> {
                Some(self)
            }
        }
    };
}
sequence!([T][T]);
sequence!([T, const N: usize] [T; N]);
sequence!(#[cfg(feature = "alloc")] [T] Vec<T>);

/// Changes of the length of a vector of tangents.
#[cfg(feature = "alloc")]
pub trait Grow<T> {
    /// Appends one.
    fn push(self, tangent: T);
    /// Appends several.
    fn append(self, tail: Vec<T>);
    /// Inserts one.
    fn insert(self, at: usize, tangent: T);
    /// Removes all from there on.
    fn cut(self, at: usize) -> Vec<T>;
    /// Removes one.
    fn remove(self, at: usize) -> T;
    /// Removes the last one.
    fn pop(self) -> T;
}

#[cfg(feature = "alloc")]
impl<T> Grow<T> for Slot<'_, Vec<T>> {
    #[inline]
    fn push(self, tangent: T) {
        self.0.push(tangent);
    }
    #[inline]
    fn append(self, mut tail: Vec<T>) {
        self.0.append(&mut tail);
    }
    #[inline]
    #[track_caller]
    fn insert(self, at: usize, tangent: T) {
        self.0.insert(at, tangent);
    }
    #[inline]
    #[track_caller]
    fn cut(self, at: usize) -> Vec<T> {
        self.0.split_off(at)
    }
    #[inline]
    #[track_caller]
    fn remove(self, at: usize) -> T {
        self.0.remove(at)
    }
    #[inline]
    #[track_caller]
    fn pop(self) -> T {
        crate::generated::pop(self.0)
    }
}

/// A reference to a tangent, and what makes the zero that a function is lent in its place if it is that of a constant.
#[derive(Debug)]
pub struct Lent<R, F>(pub Option<R>, pub F);

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
    /// The zero, before it is asked for.
    #[inline]
    pub fn spare(self) -> Z {
        self.1()
    }

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

/// A tangent of something that is a constant to the function that is given it: whether its type has one, only the caller knows.
pub trait Ignored {}

impl<T> Ignored for T {}

/// What has no derivative for the function is lent as such: an array of nothing as nothing.
pub trait LendNothing: Sized {
    /// The zero, before it is asked for.
    #[inline]
    fn spare(self) {}
    /// The zero.
    #[inline]
    fn lend(self) -> Forgotten<()> {
        Forgotten(())
    }
}

impl<R, F: FnOnce()> LendNothing for Lent<R, F> {}

/// Lends a tangent.
pub trait Lend: Sized {
    /// The reference to it.
    type Reference;
    /// The tangent.
    fn lend(self) -> Self::Reference;
    /// No zero is needed.
    #[inline]
    fn spare(self) -> Forgotten<()> {
        Forgotten(())
    }
}

impl<R, F> Lend for &mut Lent<R, F> {
    type Reference = R;
    #[inline]
    #[track_caller]
    fn lend(self) -> R {
        self.0.take().expect("it is lent once")
    }
}
