//! Whether what a caller gives has the lengths of the value that it belongs to.

use core::fmt;

use crate::tangent::Differentiable;

/// What has a length: an argument or the result of a function, or a part of it.
#[derive(Clone, Copy, Debug)]
pub enum Whose<'a> {
    /// The argument of this name.
    Argument(&'a str),
    /// The result.
    Result,
    /// A field, of a struct or of a tuple.
    Field(&'a Whose<'a>, &'a str),
    /// An item of a list.
    Item(&'a Whose<'a>, usize),
}

impl Whose<'_> {
    /// What has to have the same length.
    pub(crate) fn given(&self) -> &'static str {
        match self {
            Whose::Argument(_) => "tangent or gradient buffer",
            Whose::Result => "seed",
            Whose::Field(of, _) | Whose::Item(of, _) => of.given(),
        }
    }
}

impl fmt::Display for Whose<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Whose::Argument(name) => f.write_str(name),
            Whose::Result => f.write_str("result"),
            Whose::Field(of, name) => write!(f, "{of}.{name}"),
            Whose::Item(of, k) => write!(f, "{of}[{k}]"),
        }
    }
}

/// Panics unless a tangent, buffer or seed has the length of its value, with both lengths.
#[inline]
#[track_caller]
pub fn check_length(part: Whose<'_>, length: usize, given: usize) {
    assert!(
        length == given,
        "`{part}` has length {length}, but its {} has length {given}",
        part.given()
    );
}

/// The same of all lists in a value.
#[inline]
#[track_caller]
pub fn check_tangent<T: Differentiable + ?Sized>(part: Whose<'_>, value: &T, t: &T::Tangent) {
    value.check_tangent(part, t);
}

/// The same of a list of values.
#[inline]
#[track_caller]
pub fn check_items<T: Differentiable>(part: Whose<'_>, values: &[T], t: &[T::Tangent]) {
    // To what has no derivative no tangent need be given.
    if size_of::<T::Tangent>() == 0 {
        return;
    }
    check_length(part, values.len(), t.len());
    if T::has_lists() {
        for (k, (value, t)) in values.iter().zip(t).enumerate() {
            value.check_tangent(Whose::Item(&part, k), t);
        }
    }
}

/// Whether values of a type may have lists in them.
#[inline]
#[must_use]
pub fn has_lists<T: Differentiable>() -> bool {
    T::has_lists()
}
