//! Methods that are named like those of numbers without a derivative, of types that may be the user's own.
//!
//! `b.floor()` of a number has no derivative, that of a type of the user's own may have one, which must not be lost.
//! What tells them apart are the types, which only rustc knows: a result that may carry a derivative is accepted of a number alone.

use core::cell::Cell;
use core::fmt;
use core::marker::PhantomData;

use crate::tangent::Differentiable;

/// A result that is still to be checked.
pub struct Checked<R>(Cell<Option<R>>);

impl<R> fmt::Debug for Checked<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Checked")
    }
}

/// Every result can be checked.
pub trait Check: Sized {
    /// Marks it.
    #[inline]
    fn __checked(self) -> Checked<Self> {
        Checked(Cell::new(Some(self)))
    }
}

impl<R> Check for R {}

/// The tangent of what has no derivative.
pub trait NoTangent {}

impl NoTangent for () {}
/// Of an option of what has none.
impl NoTangent for Option<()> {}
/// Of a list of what has none.
#[cfg(feature = "alloc")]
impl NoTangent for alloc::vec::Vec<()> {}

/// A result of the method of an `X` that carries no derivative.
#[diagnostic::on_unimplemented(
    message = "a method named like one of numbers or lists that has no derivative, but of `{X}`: the derivative of what it returns would be lost",
    label = "what it returns has a derivative",
    note = "call it by its path, `Type::method(&x)`, or give it another name; if its result is to be a constant, write `stop_gradient(x.method())`"
)]
pub trait Without<X: ?Sized> {}

impl<R: Differentiable<Tangent: NoTangent>, X: ?Sized> Without<X> for R {}
impl Without<f64> for f64 {}
impl Without<f32> for f32 {}
impl Without<&f64> for f64 {}
impl Without<&f32> for f32 {}

/// For results of types that have derivatives, or might.
pub trait CarriesNothing<R> {
    /// The result.
    fn __carries_nothing<X: ?Sized>(self, of: &X) -> R
    where
        R: Without<X>;
}

impl<R: Differentiable> CarriesNothing<R> for Checked<R> {
    #[inline]
    fn __carries_nothing<X: ?Sized>(self, _: &X) -> R
    where
        R: Without<X>,
    {
        self.0.into_inner().expect("it is taken once")
    }
}

/// For results of all other types.
pub trait HasNothing<R> {
    /// The result.
    fn __carries_nothing<X: ?Sized>(self, of: &X) -> R;
}

impl<R> HasNothing<R> for &Checked<R> {
    #[inline]
    fn __carries_nothing<X: ?Sized>(self, _: &X) -> R {
        self.0.take().expect("it is taken once")
    }
}

/// A type that the macro takes for one of the standard library by its name.
#[derive(Debug)]
pub struct Named<T>(PhantomData<T>);

/// The tangent of such a type.
#[diagnostic::on_unimplemented(
    message = "a type of this name is taken for that of the standard library, and this one has a derivative; give it another name, or write `#[constant]` before the parameter",
    label = "has a derivative"
)]
pub trait OfStandardType {}

impl OfStandardType for () {}

impl<T: Differentiable> Named<T> {
    /// rustc checks that the type has no derivative.
    #[inline]
    pub fn check()
    where
        T::Tangent: OfStandardType,
    {
    }
}

/// For types that cannot have one.
pub trait Undifferentiated {
    /// Nothing is to be checked.
    #[inline]
    fn check() {}
}

impl<T> Undifferentiated for Named<T> {}

/// What the sibling of a method that only looks yields if there is none: the method is one of the standard library.
#[derive(Debug)]
pub struct OfStandardLibrary;

/// Siblings of methods that only look, for all that has none of its own.
pub trait StandardMethods {
    /// Of `as_ref`.
    fn __fwd_as_ref(&self) -> OfStandardLibrary {
        OfStandardLibrary
    }

    /// Of `as_mut`.
    fn __fwd_as_mut(&self) -> OfStandardLibrary {
        OfStandardLibrary
    }

    /// Of `as_slice`.
    fn __fwd_as_slice(&self) -> OfStandardLibrary {
        OfStandardLibrary
    }

    /// Of `as_mut_slice`.
    fn __fwd_as_mut_slice(&self) -> OfStandardLibrary {
        OfStandardLibrary
    }

    /// Of `to_owned`.
    fn __fwd_to_owned(&self) -> OfStandardLibrary {
        OfStandardLibrary
    }

    /// Of `reserve`.
    fn __fwd_reserve(&self) -> OfStandardLibrary {
        OfStandardLibrary
    }

    /// Of `reserve_exact`.
    fn __fwd_reserve_exact(&self) -> OfStandardLibrary {
        OfStandardLibrary
    }

    /// Of `shrink_to`.
    fn __fwd_shrink_to(&self) -> OfStandardLibrary {
        OfStandardLibrary
    }

    /// Of `shrink_to_fit`.
    fn __fwd_shrink_to_fit(&self) -> OfStandardLibrary {
        OfStandardLibrary
    }
}

impl<T: ?Sized> StandardMethods for T {}

/// Sequences whose iterators yield the elements at the indices 0, 1, … in this order: loops over them become loops over indices.
#[diagnostic::on_unimplemented(
    message = "`{Self}` may have iterators of its own, and generated code walks by index; loop over indices, `for i in 0..x.len()`, or over a slice of it, `&x[..]`; ask for what is in an option by `if let`",
    label = "this is no slice, array or vector"
)]
pub trait ByIndex {}

#[diagnostic::do_not_recommend]
impl<T> ByIndex for [T] {}
#[diagnostic::do_not_recommend]
impl<T, const N: usize> ByIndex for [T; N] {}
#[diagnostic::do_not_recommend]
impl<T: ByIndex + ?Sized> ByIndex for &T {}
#[diagnostic::do_not_recommend]
impl<T: ByIndex + ?Sized> ByIndex for &mut T {}
#[diagnostic::do_not_recommend]
#[cfg(feature = "alloc")]
impl<T> ByIndex for alloc::vec::Vec<T> {}
#[diagnostic::do_not_recommend]
#[cfg(feature = "alloc")]
impl<T> ByIndex for alloc::collections::VecDeque<T> {}
#[diagnostic::do_not_recommend]
#[cfg(feature = "alloc")]
impl<T: ByIndex + ?Sized> ByIndex for alloc::boxed::Box<T> {}
#[diagnostic::do_not_recommend]
#[cfg(feature = "alloc")]
impl<T: ByIndex + ?Sized> ByIndex for alloc::rc::Rc<T> {}
#[diagnostic::do_not_recommend]
#[cfg(feature = "alloc")]
impl<T: ByIndex + ?Sized> ByIndex for alloc::sync::Arc<T> {}

/// Makes sure that a loop over something may be one over its indices.
#[inline]
pub fn walked<S: ByIndex + ?Sized>(_: &S) {}

/// Tangents that have the index that values have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no such index as the type that it belongs to; write `#[grad]` on the `impl Index` of the type, and on its `impl IndexMut`",
    label = "the index of this type has no derivative"
)]
pub trait IndexedBy<I> {}

#[diagnostic::do_not_recommend]
impl<T: core::ops::Index<I> + ?Sized, I> IndexedBy<I> for T {}

/// An index, whose type is known before that of what has it.
#[derive(Debug)]
pub struct Indexed<I>(pub I);

impl<I> Indexed<I> {
    /// Makes sure that the tangent has it.
    #[inline]
    pub fn of<S: crate::tangent::Differentiable + ?Sized>(self, _: &S)
    where
        S::Tangent: IndexedBy<I>,
    {
    }
}

/// Two functions that are one: each function has a type of its own.
#[derive(Debug)]
pub struct Same<F> {
    /// The one that is meant.
    pub one: F,
    /// The one that is written.
    pub other: F,
}

/// What a method of a reference to a number yields, if it is the number's.
#[derive(Debug)]
pub struct OfNumbers;

/// A result of what is a method of numbers.
#[diagnostic::on_unimplemented(
    message = "another trait has a method of this name, which rustc prefers here",
    label = "not the method of numbers",
    note = "of a reference to a number rustc takes a method that takes `&self`: take the number out of it where its own method is meant, `(*x).abs()`"
)]
pub trait IsOfNumbers {}
impl IsOfNumbers for OfNumbers {}

/// Makes sure that a method is one of numbers.
pub fn of_numbers<M: IsOfNumbers>(_: M) {}

/// What a method of a reference to a number yields that `num_traits::Signed` has as well.
#[derive(Debug)]
pub struct Found<T, R>(core::marker::PhantomData<(T, R)>);

impl<T, R> Found<T, R> {
    /// Of a number, and the result.
    pub fn new(_: &T, _: R) -> Self {
        Found(core::marker::PhantomData)
    }

    /// The last resort, whose bound is not asked for where the method is looked up.
    pub fn __autodiff_of_numbers(&self)
    where
        R: IsOfNumbers,
    {
    }
}

/// A method that is one of numbers, if not by its result then by the bounds of the number: there can be no other beside that of `Signed`.
pub trait OfNumbersOrSigned {
    /// Makes sure of it.
    fn __autodiff_of_numbers(&self) {}
}
impl<T> OfNumbersOrSigned for &&Found<T, OfNumbers> {}
#[cfg(feature = "num-traits")]
impl<T: num_traits::Signed> OfNumbersOrSigned for &Found<T, T> {}
#[cfg(all(feature = "simba", not(feature = "num-traits")))]
impl<T: simba::scalar::RealField> OfNumbersOrSigned for &Found<T, T> {}

/// An argument of a method that is never called.
#[derive(Debug)]
pub struct Any;

/// An argument of whatever type a method takes.
///
/// # Panics
/// Always; but nothing calls it.
#[must_use]
pub fn any<A>() -> A {
    unreachable!("only the types are looked at")
}

/// Methods of numbers, on references to numbers.
macro_rules! by_reference {
    (methods { $(
        $name:ident($self:ident $(, $arg:ident $(: $integer:ident)?)*) $(-> $y:ident)? $($flag:ident)? = [$($partial:expr),*], at [$($at:tt)*];
    )* } $($others:tt)*) => {
        /// Where a trait of the user's own is in scope that takes a reference to a number, rustc does not know which of the two is meant, or takes that.
        pub trait MethodsOfNumbers {
            $(
                #[allow(missing_docs)]
                fn $name(&self $(, $arg: Any)*) -> OfNumbers {
                    $(let _ = $arg;)*
                    OfNumbers
                }
            )*
            #[allow(missing_docs)]
            fn sin_cos(&self) -> OfNumbers {
                OfNumbers
            }
        }
    };
}
crate::rules::table!(by_reference);

impl<T: crate::num::Numeric> MethodsOfNumbers for T {}

/// Casts by reference, of numbers themselves: rustc takes a method of the user's own that takes the number first, and these before one by reference.
pub trait MethodsByValue: Sized {
    #[allow(missing_docs)]
    fn to_f64(self) -> OfNumbers {
        OfNumbers
    }
    #[allow(missing_docs)]
    fn to_f32(self) -> OfNumbers {
        OfNumbers
    }
}
impl<T: crate::num::Numeric> MethodsByValue for T {}
