//! Types of the standard library, and by feature of other crates, that hold no floats: their tangent is `()`, and the derive asks for no `#[constant]`.
//!
//! What may change while it is lent, as a `Cell`, is not among them: it is no constant before someone says so.

use core::marker::PhantomData;
use core::{cmp, mem, net, num, ops, time};

use crate::tangent::{Differentiable, Parameters, Scalar, Shaped};
use crate::tuples::for_tuples;

/// A type without floats in it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no derivative in a range, a map, a queue or a shared pointer; take a `Vec`, write `#[constant]` before the parameter or field, or `#[grad(fallible)]` above a function that returns a result by another name",
    label = "this type has no derivative",
    note = "without `#[constant]` such a type may hold integers, text and the like"
)]
pub trait Numberless {}

/// The type of what code that is copied as it stands decides by numbers with a derivative.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` may have numbers in it that depend on a differentiable parameter, and come from code that cannot be looked into; make that code a #[grad] function, or write `autodiff::stop_gradient(…)` if the value is to be a constant",
    label = "the derivative of this value would be lost"
)]
pub trait Decision {}

#[diagnostic::do_not_recommend]
impl<T: Numberless> Decision for T {}

/// What only decides is a constant; rustc checks that no float is in it.
#[inline]
pub fn decided<T: Decision>(decision: T) -> T {
    decision
}

/// The traits of types with the tangent `()`.
macro_rules! constant {
    ({$($generics:tt)*} $t:ty) => {
        impl<$($generics)*> Differentiable for $t {
            type Tangent = ();
            #[inline]
            fn zero_tangent(&self) {}
            fn write_flat(&self, _: &mut [f64]) {}
        }
        impl<$($generics)*> Parameters for $t {
            #[inline]
            fn move_by(&mut self, _: f64, (): &()) {}
            #[inline]
            fn read_flat(&mut self, _: &[f64]) {}
        }
        impl<$($generics)*> Shaped for $t {
            type Shape = Scalar<()>;
            #[inline]
            fn __shape(&self) -> Scalar<()> {
                Scalar::default()
            }
        }
    };
}

macro_rules! numberless {
    ($({$($generics:tt)*} $t:ty;)*) => {$(
        impl<$($generics)*> Numberless for $t {}
        constant!({$($generics)*} $t);
    )*};
}

numberless! {
    {} ();
    {} bool;
    {} char;
    {} str;
    {} u8;
    {} u16;
    {} u32;
    {} u64;
    {} u128;
    {} usize;
    {} i8;
    {} i16;
    {} i32;
    {} i64;
    {} i128;
    {} isize;
    {} num::NonZero<u8>;
    {} num::NonZero<u16>;
    {} num::NonZero<u32>;
    {} num::NonZero<u64>;
    {} num::NonZero<u128>;
    {} num::NonZero<usize>;
    {} num::NonZero<i8>;
    {} num::NonZero<i16>;
    {} num::NonZero<i32>;
    {} num::NonZero<i64>;
    {} num::NonZero<i128>;
    {} num::NonZero<isize>;
    {} cmp::Ordering;
    {} num::FpCategory;
    {} time::Duration;
    {} net::IpAddr;
    {} net::Ipv4Addr;
    {} net::Ipv6Addr;
    {} net::SocketAddr;
    {} net::SocketAddrV4;
    {} net::SocketAddrV6;
    {} core::any::TypeId;
    {} ops::RangeFull;
    {T: ?Sized} PhantomData<T>;
    {T} mem::Discriminant<T>;
    {T: Numberless} num::Wrapping<T>;
    {T: Numberless} cmp::Reverse<T>;
    {T: Numberless} ops::Bound<T>;
    {T: Numberless} ops::Range<T>;
    {T: Numberless} ops::RangeFrom<T>;
    {T: Numberless} ops::RangeTo<T>;
    {T: Numberless} ops::RangeInclusive<T>;
    {T: Numberless} ops::RangeToInclusive<T>;
    {T: Numberless, E: Numberless} Result<T, E>;
}

/// Pointers to functions; those that take references of any lifetime are types that no `impl` covers.
macro_rules! functions {
    ($($a:ident)*) => {
        numberless! { {R, $($a),*} fn($($a),*) -> R; }
    };
}
functions!();
functions!(A);
functions!(A B);
functions!(A B C);
functions!(A B C D);
functions!(A B C D E);
functions!(A B C D E F);

impl<T: Numberless + ?Sized> Numberless for &T {}
impl<T: Numberless> Numberless for Option<T> {}
impl<T: Numberless> Numberless for [T] {}
impl<T: Numberless, const N: usize> Numberless for [T; N] {}

macro_rules! tuple {
    ($($a:ident $k:tt)+) => {
        impl<$($a: Numberless),+> Numberless for ($($a,)+) {}
    };
}
for_tuples!(tuple);

#[cfg(feature = "alloc")]
mod lists {
    use super::{Differentiable, Numberless, Parameters, Scalar, Shaped};
    use alloc::borrow::{Cow, ToOwned};
    use alloc::boxed::Box;
    use alloc::collections::{BTreeMap, BTreeSet, BinaryHeap, LinkedList, VecDeque};
    use alloc::rc::Rc;
    use alloc::string::String;
    use alloc::vec::Vec;

    impl<T: Numberless> Numberless for Vec<T> {}
    impl<T: Numberless + ?Sized> Numberless for Box<T> {}
    constant!({} Box<str>);

    numberless! {
        {} String;
        {T: Numberless + ?Sized} Rc<T>;
        {T: Numberless + ?Sized + ToOwned} Cow<'_, T>;
        {T: Numberless} VecDeque<T>;
        {T: Numberless} LinkedList<T>;
        {T: Numberless} BinaryHeap<T>;
        {T: Numberless} BTreeSet<T>;
        {K: Numberless, V: Numberless} BTreeMap<K, V>;
    }

    #[cfg(target_has_atomic = "ptr")]
    numberless! {
        {T: Numberless + ?Sized} alloc::sync::Arc<T>;
    }
}

#[cfg(feature = "std")]
mod system {
    use super::{Differentiable, Numberless, Parameters, Scalar, Shaped};
    use std::collections::{HashMap, HashSet};
    use std::ffi::{OsStr, OsString};
    use std::path::{Path, PathBuf};
    use std::time::{Instant, SystemTime};

    numberless! {
        {} Instant;
        {} SystemTime;
        {} Path;
        {} PathBuf;
        {} OsStr;
        {} OsString;
        {T: Numberless, S} HashSet<T, S>;
        {K: Numberless, V: Numberless, S} HashMap<K, V, S>;
    }
}

#[cfg(feature = "chrono")]
mod of_chrono {
    use super::{Differentiable, Numberless, Parameters, Scalar, Shaped};

    numberless! {
        {} chrono::FixedOffset;
        {} chrono::IsoWeek;
        {} chrono::Month;
        {} chrono::NaiveDate;
        {} chrono::NaiveDateTime;
        {} chrono::NaiveTime;
        {} chrono::TimeDelta;
        {} chrono::Utc;
        {} chrono::Weekday;
        {Tz: chrono::TimeZone} chrono::DateTime<Tz>;
    }
}

#[cfg(feature = "time")]
mod of_time {
    use super::{Differentiable, Numberless, Parameters, Scalar, Shaped};

    numberless! {
        {} ::time::Date;
        {} ::time::Duration;
        {} ::time::Month;
        {} ::time::OffsetDateTime;
        {} ::time::PrimitiveDateTime;
        {} ::time::Time;
        {} ::time::UtcOffset;
        {} ::time::Weekday;
    }
}

#[cfg(feature = "uuid")]
mod of_uuid {
    use super::{Differentiable, Numberless, Parameters, Scalar, Shaped};

    numberless! {
        {} uuid::Uuid;
    }
}

#[cfg(all(test, any(feature = "chrono", feature = "time", feature = "uuid")))]
mod tests {
    use super::*;

    /// What a parameter and a derived field need, and what is a constant.
    fn constant<T: Parameters + Shaped + Differentiable<Tangent = ()> + Decision>() {}

    #[cfg(feature = "chrono")]
    #[test]
    fn dates_of_chrono_are_constants() {
        constant::<chrono::DateTime<chrono::Utc>>();
        constant::<chrono::NaiveDate>();
        constant::<chrono::TimeDelta>();
    }

    #[cfg(feature = "time")]
    #[test]
    fn dates_of_time_are_constants() {
        constant::<::time::OffsetDateTime>();
        constant::<::time::Date>();
        constant::<::time::Duration>();
    }

    #[cfg(feature = "uuid")]
    #[test]
    fn identifiers_are_constants() {
        constant::<uuid::Uuid>();
    }
}
