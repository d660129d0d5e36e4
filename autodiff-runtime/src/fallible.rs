//! What generated code does with results: an error is moved, beside the graph, into a slot.
//!
//! A hidden form of a fallible function returns a value in any case, and is given where to put an error.
//! Whoever calls it asks whether there is one before the value is looked at.

use core::cell::Cell;
use core::fmt::Debug;
use core::marker::PhantomData;

use crate::numberless::Numberless;
use crate::tuples::for_tuples;

/// A result, as the functions that are made beside one need it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `Result`",
    label = "a fallible function returns a `Result`"
)]
pub trait Fallible {
    /// What it is when nothing fails.
    type Value;
    /// Why there is no value.
    type Error;
    /// The same with another value.
    type With<G>;
}

impl<T, E> Fallible for Result<T, E> {
    type Value = T;
    type Error = E;
    type With<G> = Result<G, E>;
}

/// How an error is copied.
type Copied<E> = fn(&E) -> E;

/// Where the error of a call is kept.
pub struct Slot<E> {
    error: Cell<Option<E>>,
    /// It stays so when the error is taken out: a result that can be copied is looked at again.
    failed: Cell<bool>,
    /// How the error of such a result is copied.
    copy: Cell<Option<Copied<E>>>,
}

impl<E> Slot<E> {
    /// Without an error.
    #[must_use]
    #[inline]
    pub const fn new() -> Slot<E> {
        Slot {
            error: Cell::new(None),
            failed: Cell::new(false),
            copy: Cell::new(None),
        }
    }

    /// By which the error is put in.
    #[inline]
    pub fn failure(&self) -> Failure<'_, E> {
        Failure(self)
    }

    /// Takes the error out; one that can be copied stays, where that was asked for.
    #[inline]
    pub fn take(&self) -> Option<E> {
        let error = self.error.take();
        if let (Some(error), Some(copy)) = (&error, self.copy.get()) {
            self.error.set(Some(copy(error)));
        }
        error
    }
}

impl<E: Copy> Slot<E> {
    /// Keeps the error for when the result is looked at again.
    #[inline]
    pub fn keep(&self) {
        self.copy.set(Some(|error| *error));
    }
}

/// The slots of errors that cannot be copied: nobody looks at such a result again.
pub trait Kept {
    /// Does nothing.
    #[inline]
    fn keep(&self) {}
}

impl<E> Kept for Slot<E> {}

impl<E> Default for Slot<E> {
    #[inline]
    fn default() -> Slot<E> {
        Slot::new()
    }
}

/// What was computed, if there was no error.
#[inline]
pub fn joined<T, E>(value: T, error: Option<E>) -> Result<T, E> {
    match error {
        None => Ok(value),
        Some(error) => Err(error),
    }
}

/// What a function computes, or the error that it reports.
#[inline]
pub fn tried<T, E>(run: impl FnOnce(Failure<'_, E>) -> T) -> Result<T, E> {
    let slot = Slot::new();
    let value = run(slot.failure());
    joined(value, slot.take())
}

/// How a function reports its error.
pub struct Failure<'a, E>(&'a Slot<E>);

impl<E> Clone for Failure<'_, E> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Failure<'_, E> {}

impl<E> Failure<'_, E> {
    /// Whether there is an error.
    #[must_use]
    #[inline]
    pub fn is_set(self) -> bool {
        self.0.failed.get()
    }
}

/// Where the rounds of a loop report errors that keeps few states, and runs them again in a pullback, which may outlive where the function reports its own.
#[cfg(feature = "alloc")]
pub struct Shared<E>(alloc::rc::Rc<Slot<E>>);

#[cfg(feature = "alloc")]
impl<E> Shared<E> {
    /// Without an error, of the type that the function reports.
    #[inline]
    pub fn new(_: Failure<'_, E>) -> Shared<E> {
        Shared(alloc::rc::Rc::default())
    }
}

#[cfg(feature = "alloc")]
impl<E> Clone for Shared<E> {
    #[inline]
    fn clone(&self) -> Self {
        Shared(alloc::rc::Rc::clone(&self.0))
    }
}

/// By which a round reports its error.
#[cfg(feature = "alloc")]
#[inline]
pub fn of_round<E>(shared: &Shared<E>) -> Failure<'_, E> {
    shared.0.failure()
}

/// Passes the error of a round on.
#[cfg(feature = "alloc")]
#[inline]
pub fn pass_on<E>(shared: &Shared<E>, to: Failure<'_, E>) {
    pass(&shared.0, to);
}

/// By which a call reports its error.
#[inline]
pub fn failure<E>(slot: &Slot<E>) -> Failure<'_, E> {
    slot.failure()
}

/// Whether a call has failed.
#[inline]
pub fn failed<E>(slot: &Slot<E>) -> bool {
    slot.failure().is_set()
}

/// Reports an error.
#[inline]
pub fn fail<E>(to: Failure<'_, E>, error: E) {
    to.0.error.set(Some(error));
    to.0.failed.set(true);
}

/// Reports an error as `?` does.
#[inline]
pub fn fail_into<A, E: From<A>>(to: Failure<'_, E>, error: A) {
    fail(to, E::from(error));
}

/// Reports an error as `?` does, in place of one in a slot.
#[inline]
pub fn fail_from<A, E: From<A>>(to: Failure<'_, E>, _: &Slot<A>, error: A) {
    fail(to, E::from(error));
}

/// Passes an error on as `?` does.
#[inline]
pub fn convert<A, E: From<A>>(slot: &Slot<A>, to: Failure<'_, E>) {
    fail(to, E::from(error(slot)));
}

/// Passes an error on as `?` does that would be in another slot.
#[inline]
pub fn convert_as<A, E: From<A>>(slot: &Slot<A>, to: Failure<'_, E>, _: &Slot<A>) {
    convert(slot, to);
}

/// Passes an error on as it is, if there is one.
#[inline]
pub fn pass<E>(slot: &Slot<E>, to: Failure<'_, E>) {
    if failed(slot) {
        fail(to, error(slot));
    }
}

/// Passes on what is made of an error.
#[inline]
pub fn map<A, E>(slot: &Slot<A>, to: Failure<'_, E>, of: impl FnOnce(A) -> E) {
    fail(to, of(error(slot)));
}

/// The error of a call that has failed.
#[inline]
pub fn error<E>(slot: &Slot<E>) -> E {
    match slot.take() {
        Some(error) => error,
        None => panic!("the error of one call is used twice; bind it to a variable in one `match`"),
    }
}

/// Leaves an error that was only looked at where it was.
#[inline]
pub fn put_back<E>(slot: &Slot<E>, error: E) {
    slot.error.set(Some(error));
}

/// The error of a call, if it has failed.
#[inline]
pub fn taken<E>(slot: &Slot<E>) -> Option<E> {
    slot.take()
}

/// Panics as `unwrap` does of an error.
#[track_caller]
#[cold]
pub fn unwrap<E: Debug>(slot: &Slot<E>) -> ! {
    match Err::<(), E>(error(slot)) {
        Err(error) => panic!("called `Result::unwrap()` on an `Err` value: {error:?}"),
        Ok(()) => unreachable!(),
    }
}

/// Panics as `expect` does of an error.
#[track_caller]
#[cold]
pub fn expect<E: Debug>(slot: &Slot<E>, message: &str) -> ! {
    panic!("{message}: {:?}", error(slot))
}

/// The value of constant code; if it has failed, that is reported as `?` does.
#[inline]
pub fn attempt<T, A, E: From<A>>(to: Failure<'_, E>, result: Result<T, A>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            fail(to, E::from(error));
            None
        }
    }
}

/// Whether constant code of which only the error matters has failed; that is reported as `?` does.
#[inline]
pub fn check<T, A, E: From<A>>(to: Failure<'_, E>, result: Result<T, A>) -> bool {
    attempt(to, result).is_none()
}

/// Whether code that returns errors has returned one, which is reported.
#[inline]
pub fn caught<E>(to: Failure<'_, E>, code: impl FnOnce() -> Result<(), E>) -> bool {
    match code() {
        Ok(()) => false,
        Err(error) => {
            fail(to, error);
            true
        }
    }
}

/// The value of a function of the user's own, or something in its place.
#[inline]
pub fn split<T: Absent, E>(result: Result<T, E>, to: Failure<'_, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => {
            fail(to, error);
            T::absent()
        }
    }
}

/// Types of which there is a value that stands for one that a function has failed to compute.
#[diagnostic::on_unimplemented(
    message = "a `Result` of `{Self}` has no derivative, because there is no `{Self}` to compute with where the function fails; write `Default` for it",
    label = "`Default` is not implemented"
)]
pub trait Absent {
    /// Such a value, which nobody looks at.
    fn absent() -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Default> Absent for T {
    #[inline]
    fn absent() -> T {
        T::default()
    }
}

/// A type of which such a value is asked for where its bounds are known: autoref takes the first `impl` below whose bound holds.
#[derive(Debug)]
pub struct Absence<T>(PhantomData<T>);

impl<T> Absence<T> {
    /// Of that type.
    #[inline]
    pub fn new() -> Self {
        Absence(PhantomData)
    }

    /// The last resort, whose bound is not asked for where the method is looked up: so the message is ours.
    #[inline]
    pub fn __autodiff_absent(&self) -> T
    where
        T: Absent,
    {
        T::absent()
    }
}

impl<T> Default for Absence<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// The value that stands for one that there is not.
pub trait KnownAbsent<T> {
    /// That value.
    fn __autodiff_absent(&self) -> T;
}

impl<T: crate::num::Numeric> KnownAbsent<T> for &&&Absence<T> {
    #[inline]
    fn __autodiff_absent(&self) -> T {
        crate::num::lit(0.0)
    }
}

#[cfg(feature = "num-traits")]
impl<T: num_traits::Zero> KnownAbsent<T> for &&Absence<T> {
    #[inline]
    fn __autodiff_absent(&self) -> T {
        T::zero()
    }
}

/// Types of which a value is made of values of their parts: those with the derive, as far as their fields are such types.
pub trait Filled: Sized {
    /// Any value.
    fn __filled() -> Self;
}

impl<T: Filled> KnownAbsent<T> for &Absence<T> {
    #[inline]
    fn __autodiff_absent(&self) -> T {
        T::__filled()
    }
}

/// The type of a field, of which it is asked where the value is made, and not where the type is defined, whether it is [`Filled`].
#[derive(Debug)]
pub struct PartOf<'a, T>(PhantomData<&'a ()>, PhantomData<T>);

/// A field of which there is a value.
pub trait FilledPart<T> {
    /// Any value.
    fn __part() -> T;
}

impl<T: Filled> FilledPart<T> for PartOf<'_, T> {
    #[inline]
    fn __part() -> T {
        T::__filled()
    }
}

/// Types that are filled with their default.
macro_rules! by_default {
    ($($({$($generics:tt)*})? $t:ty),*) => {$(
        impl<$($($generics)*)?> Filled for $t {
            #[inline]
            fn __filled() -> Self {
                <Self as Default>::default()
            }
        }
    )*};
}
by_default! {
    f32, f64, bool, char, u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, core::time::Duration,
    {T: ?Sized} PhantomData<T>, {T} Option<T>, {'a, T} &'a [T], {'a} &'a str
}
#[cfg(feature = "alloc")]
by_default! { alloc::string::String, {T} alloc::vec::Vec<T> }
#[cfg(feature = "ndarray")]
by_default! { {T: Default, D: ::ndarray::Dimension} ::ndarray::Array<T, D> }

impl<T: Filled, const N: usize> Filled for [T; N] {
    #[inline]
    fn __filled() -> Self {
        core::array::from_fn(|_| T::__filled())
    }
}

#[cfg(feature = "alloc")]
impl<T: Filled> Filled for alloc::boxed::Box<T> {
    #[inline]
    fn __filled() -> Self {
        alloc::boxed::Box::new(T::__filled())
    }
}

macro_rules! tuple {
    ($($T:ident $k:tt)*) => {
        impl<$($T: Filled),*> Filled for ($($T,)*) {
            #[inline]
            fn __filled() -> Self {
                ($($T::__filled(),)*)
            }
        }
    };
}
for_tuples!(tuple);

/// Makes a type one of the user's own, and [`Filled`]: of a struct all fields, of an enum those of one variant.
#[doc(hidden)]
#[macro_export]
macro_rules! __own_type {
    ([$($generics:tt)*] [$($of:tt)*] [$($conditions:tt)*] [$($made:tt)*] $($member:tt: $part:ty),*) => {
        #[automatically_derived]
        impl $($generics)* $crate::generated::OwnType for $($of)* where $($conditions)* {}
        #[automatically_derived]
        #[allow(private_bounds)]
        impl $($generics)* $crate::fallible::Filled for $($of)* where $($conditions)* $(for<'any> $crate::fallible::PartOf<'any, $part>: $crate::fallible::FilledPart<$part>),* {
            #[inline]
            fn __filled() -> Self {
                $($made)* { $($member: <$crate::fallible::PartOf<'_, $part> as $crate::fallible::FilledPart<$part>>::__part()),* }
            }
        }
    };
    // Of a struct all fields also say how they are copied.
    ($generics:tt [$($of:tt)*] $conditions:tt [$($made:tt)*] $($member:tt $x:ident $How:ident $part:ty),*) => {
        $crate::__own_type! { $generics [$($of)*] $conditions [$($made)*] $($member: $part),* }
        $crate::__by_parts! { $generics [$($of)*] $conditions [$($made)*] { $($member $x $How $part),* } }
    };
}

/// See [`Absent`].
#[inline]
pub fn absent<T: Absent>() -> T {
    T::absent()
}

/// What may come out of an error: no number is in it.
#[diagnostic::on_unimplemented(
    message = "what comes out of an error is a constant, and there may be numbers in a `{Self}`, whose derivative would be lost; return them beside the value, or write `autodiff::stop_gradient(…)` if they are to be constants",
    label = "the derivative of a number in this would be lost",
    note = "a type of your own without numbers in it may derive `Differentiable`, which shows that"
)]
pub trait Outcome {}

#[diagnostic::do_not_recommend]
impl<T: Numberless + ?Sized> Outcome for T {}

/// What is made of an error; rustc checks that no number is in it.
#[inline]
pub fn outcome<T: Outcome>(outcome: T) -> T {
    outcome
}

/// Checks the same of a variable.
#[inline]
pub fn is_outcome<T: Outcome + ?Sized>(_: &T) {}
