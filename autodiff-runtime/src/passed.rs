//! Arguments of which generated code does not know whether they are references: what a macro cannot see, the type says.
//!
//! Methods of [`Passed`] are those for references, where it is one; [`ByValue`], to which it dereferences, has them for everything else.

#[cfg(feature = "alloc")]
use alloc::borrow::ToOwned;
#[cfg(feature = "alloc")]
use core::borrow::Borrow;
use core::ops::Deref;

use crate::tangent::Accumulate;

/// A constant argument.
#[derive(Debug)]
pub struct Passed<'a, X: ?Sized>(ByValue<'a, X>);

/// A constant argument that is passed by value.
#[derive(Debug)]
pub struct ByValue<'a, X: ?Sized>(&'a X);

/// A constant argument, from where it lies, of which it is not known either whether it may be copied.
#[derive(Debug)]
pub struct Argument<'a, X: ?Sized>(Passed<'a, X>);

/// A constant argument, from where it lies.
#[inline]
#[must_use]
pub fn passed<X: ?Sized>(x: &X) -> Argument<'_, X> {
    Argument(Passed(ByValue(x)))
}

impl<X: ?Sized> Argument<'_, X> {
    /// The argument itself.
    #[cfg(any(feature = "nalgebra", feature = "ndarray"))]
    pub(crate) fn itself(&self) -> &X {
        self.0.0.0
    }
}

impl<'a, X: ?Sized> Deref for Argument<'a, X> {
    type Target = Passed<'a, X>;
    #[inline]
    fn deref(&self) -> &Passed<'a, X> {
        &self.0
    }
}

/// What nobody changes while it is lent.
#[diagnostic::on_unimplemented(
    message = "a method lends this `{Self}` to a function with derivatives, which would be given a copy of it: a pullback outlives the reference",
    label = "what is changed in the copy would be lost",
    note = "name the field where it is lent, `f(x, &state.counter)`, or take the `{Self}` as a `#[constant]` parameter of its own"
)]
pub trait Unchanged {}

/// What may change while it is lent is not copied: methods of [`Argument`] come before those that copy.
macro_rules! shared {
    ($({$($generics:tt)*} $t:ty;)*) => {$(
        impl<'b, $($generics)*> Argument<'_, &'b $t> {
            /// Refused.
            ///
            /// # Panics
            /// Always; but nothing has its bound.
            pub fn to_held(&self) -> &'b $t
            where
                $t: Unchanged,
            {
                unreachable!("refused")
            }

            /// Refused.
            ///
            /// # Panics
            /// Always; but nothing has its bound.
            pub fn to_kept(&self) -> &'b $t
            where
                $t: Unchanged,
            {
                unreachable!("refused")
            }
        }
    )*};
}
shared! {
    {T} core::cell::Cell<T>;
    {T} core::cell::RefCell<T>;
    {T} core::cell::OnceCell<T>;
}

/// What a method returned or a field holds, in the code itself, which is passed on where derivatives pass on what they have of it.
#[derive(Debug)]
pub struct Returned<X>(pub X);

/// What a method returns as its derivatives do: not a reference, of which these return a copy.
#[diagnostic::on_unimplemented(
    message = "this method returns a `&{Self}`, of which derivatives have a copy, and it is passed on; lend that by a reference of its own, `f(&state.q())`, or declare it first, `let q: &{Self} = state.q();`",
    label = "a reference out of a method is passed on",
    note = "one to what has no floats is a constant: `let lent = autodiff::stop_gradient(…);`"
)]
pub trait ReturnedByValue {}

impl<'b, T: ?Sized> Returned<&'b T> {
    /// Refused.
    pub fn passed_on(self) -> &'b T
    where
        T: ReturnedByValue,
    {
        self.0
    }
}

/// What is no reference is passed on as it is: the method of [`Returned`] comes before this one.
pub trait PassedOn<X> {
    /// What was returned.
    fn passed_on(self) -> X;
    /// What a field holds.
    fn of_field(self) -> X;
}

impl<X> PassedOn<X> for Returned<X> {
    fn passed_on(self) -> X {
        self.0
    }
    fn of_field(self) -> X {
        self.0
    }
}

/// What has the methods of lists that change how long it is.
#[diagnostic::on_unimplemented(
    message = "a method of `{Self}` is named like one of lists, and is taken for that where the macro does not see the type; call it by its path, `Type::method(&mut place, …)`, or give it another name",
    label = "this is not a `Vec`"
)]
pub trait Growing {}

#[cfg(feature = "alloc")]
impl<T> Growing for alloc::vec::Vec<T> {}
impl<L: Growing + ?Sized> Growing for &mut L {}
#[cfg(feature = "alloc")]
impl<L: Growing + ?Sized> Growing for alloc::boxed::Box<L> {}

/// What a method named like one of lists is called on.
pub fn a_list<L: Growing + ?Sized>(_: &L) {}

/// What a constant is whose `map` is followed from its name alone.
#[diagnostic::on_unimplemented(
    message = "a constant of type `{Self}` is no array, and its `map` is followed where its type shows; bind it to a variable of that type first, `let limit: Option<f64> = LIMIT;`",
    label = "this is no array"
)]
pub trait IsArray {
    /// The array itself.
    type Array;
    /// The constant.
    fn array(self) -> Self::Array;
}

impl<T, const N: usize> IsArray for [T; N] {
    type Array = Self;
    #[inline]
    fn array(self) -> Self {
        self
    }
}

/// A constant that is an array.
#[inline]
pub fn an_array<A: IsArray>(constant: A) -> A::Array {
    constant.array()
}

/// What is passed on of a field whose type is not known: not a reference, of which a pullback is given what it refers to.
#[diagnostic::on_unimplemented(
    message = "this field is a reference, `&{Self}`, and it is passed on by its name, which stands for a value where the macro does not see a lifetime; lend what it refers to, `f(&*p.xs)`",
    label = "a field that is a reference is passed on",
    note = "or write its lifetime in the type of the parameter, `p: &Problem<'_>`"
)]
pub trait FieldByValue {}

impl<'b, T: ?Sized> Returned<&'b T> {
    /// Refused.
    pub fn of_field(self) -> &'b T
    where
        T: FieldByValue,
    {
        self.0
    }
}

impl<'a, X: ?Sized> Deref for Passed<'a, X> {
    type Target = ByValue<'a, X>;
    #[inline]
    fn deref(&self) -> &ByValue<'a, X> {
        &self.0
    }
}

/// A copy of what a reference refers to: a pullback outlives the reference.
#[cfg(feature = "alloc")]
#[derive(Debug)]
pub struct Kept<T: ToOwned + ?Sized>(T::Owned);

#[cfg(any(feature = "nalgebra", feature = "ndarray"))]
impl<T: ToOwned + ?Sized> Kept<T> {
    /// What is lent again as a reference to it.
    pub(crate) fn of(owned: T::Owned) -> Self {
        Kept(owned)
    }
}

#[cfg(feature = "alloc")]
impl<T: ToOwned + ?Sized> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Kept(self.0.borrow().to_owned())
    }
}

macro_rules! lent {
    ($to:ty, $one:ident => $lent:expr) => {
        /// What the function is given.
        #[inline]
        #[must_use]
        pub fn arg(&self) -> $to {
            let $one = self.0.0;
            $lent
        }

        /// What the pullback is given.
        #[inline]
        #[must_use]
        pub fn again(&self) -> $to {
            self.arg()
        }

        /// Its zero tangent.
        #[inline]
        pub fn zero<Z>(&self, zero: impl FnOnce($to) -> Z) -> Z {
            zero(self.arg())
        }

        /// The tangent as the function is given it.
        #[inline]
        #[must_use]
        pub fn tangent<'z, Z: ?Sized>(&self, zero: &'z Z) -> &'z Z {
            zero
        }

        /// The tangent as the pullback is given it.
        #[inline]
        #[must_use]
        pub fn tangent_again<'z, Z: ?Sized>(&self, zero: &'z Z) -> &'z Z {
            zero
        }

        /// The shadow as the pullback is given it.
        #[inline]
        #[must_use]
        pub fn shadow<'z, Z: ?Sized>(&self, zero: &'z mut Z) -> &'z mut Z {
            zero
        }

        /// The pullback has added its cotangent.
        #[inline]
        pub fn gather<Z: ?Sized>(&self, (): &(), _: &mut Z) {}
    };
}

#[cfg(feature = "alloc")]
impl<T: ToOwned + ?Sized> Passed<'_, &T> {
    /// A copy of what it refers to.
    #[inline]
    #[must_use]
    pub fn to_held(&self) -> T::Owned {
        (*self.0.0).to_owned()
    }
}

#[cfg(not(feature = "alloc"))]
impl<T: Clone> Passed<'_, &T> {
    /// A copy of what it refers to.
    #[inline]
    #[must_use]
    pub fn to_held(&self) -> T {
        (*self.0.0).clone()
    }
}

impl<'b, T: ?Sized> Passed<'_, &'b T> {
    lent!(&'b T, x => *x);

    /// What an operator is given, of which its pullback keeps the type.
    #[inline]
    #[must_use]
    pub fn to_operand(&self) -> &'b T {
        self.0.0
    }

    /// What stays until the pullback runs.
    #[cfg(feature = "alloc")]
    #[inline]
    #[must_use]
    pub fn to_kept(&self) -> Kept<T>
    where
        T: ToOwned,
    {
        Kept((*self.0.0).to_owned())
    }
}

#[cfg(feature = "alloc")]
impl<'a, T: ToOwned + ?Sized> Passed<'a, Kept<T>> {
    lent!(&'a T, kept => kept.0.borrow());
}

#[allow(
    clippy::unused_self,
    reason = "methods of the same names as those for references"
)]
impl<'a, X> ByValue<'a, X> {
    /// What the function is given.
    #[inline]
    #[must_use]
    pub fn arg(&self) -> X
    where
        X: Clone,
    {
        self.0.clone()
    }

    /// The pullback is given nothing.
    #[inline]
    pub fn again(&self) {}

    /// Its zero tangent.
    #[inline]
    pub fn zero<Z>(&self, zero: impl FnOnce(&'a X) -> Z) -> Z {
        zero(self.0)
    }

    /// The tangent as the function is given it.
    #[inline]
    #[must_use]
    pub fn tangent<Z: Clone>(&self, zero: &Z) -> Z {
        zero.clone()
    }

    /// The pullback is given none.
    #[inline]
    pub fn tangent_again<Z: ?Sized>(&self, _: &Z) {}

    /// The pullback returns its cotangent.
    #[inline]
    pub fn shadow<Z: ?Sized>(&self, _: &mut Z) {}

    /// Adds the cotangent that the pullback returned.
    #[inline]
    pub fn gather<Z, S: Accumulate<Z> + ?Sized>(&self, bar: &Z, shadow: &mut S) {
        shadow.__accumulate(bar);
    }

    /// What an operator is given.
    #[inline]
    #[must_use]
    pub fn to_operand(&self) -> X
    where
        X: Clone,
    {
        self.0.clone()
    }

    /// A copy of it.
    #[inline]
    #[must_use]
    pub fn to_held(&self) -> X
    where
        X: Clone,
    {
        self.0.clone()
    }

    /// What stays until the pullback runs.
    #[inline]
    #[must_use]
    pub fn to_kept(&self) -> X
    where
        X: Clone,
    {
        self.0.clone()
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use alloc::{string::String, vec, vec::Vec};

    #[test]
    fn a_reference_is_lent_again() {
        let list: Vec<f64> = vec![1.0, 2.0];
        let kept = passed(&&list).to_kept();
        let lent: &Vec<f64> = passed(&kept).arg();
        assert_eq!(lent, &list);
        let mut zero = passed(&kept).zero(Vec::len);
        assert_eq!(passed(&kept).shadow(&mut zero), &mut 2);
        assert_eq!(passed(&&list[1..]).again(), &[2.0]);
        let text: String = passed(&"text").to_kept().0;
        assert_eq!(text, "text");
    }

    #[test]
    fn a_value_is_passed_once() {
        let kept: f64 = passed(&2.5).to_kept();
        assert_eq!(passed(&kept).arg(), 2.5);
        let () = passed(&kept).again();
        let mut zero = passed(&kept).zero(|_| 0.0);
        let () = passed(&kept).shadow(&mut zero);
        let () = passed(&kept).tangent_again(&zero);
        assert_eq!(passed(&kept).tangent(&zero), 0.0);
    }
}
