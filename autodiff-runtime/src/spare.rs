//! Zeros for arguments that are constants where a function is called in a loop.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::lanes::Lanes;

/// A zero that serves many calls, one after the other: where it was kept, and what makes it.
#[derive(Debug)]
pub struct Spare<'a, Z, F>(pub &'a mut Option<Z>, pub F);

#[cfg(feature = "alloc")]
impl<'a, T: Number, F: FnOnce() -> Vec<T>> Spare<'a, Vec<T>, F> {
    /// The one of before, if it has the length of what it belongs to.
    ///
    /// What was added to it is still there.
    #[inline]
    pub fn lend<U>(self, of: &[U]) -> &'a mut Vec<T> {
        if self.0.as_ref().is_none_or(|kept| kept.len() != of.len()) {
            *self.0 = None;
        }
        self.0.get_or_insert_with(self.1)
    }
}

/// Zeros of other shapes are made anew.
pub trait Again<'a, Z> {
    /// The zero.
    fn lend<X: ?Sized>(self, of: &X) -> &'a mut Z;
}

impl<'a, Z, F: FnOnce() -> Z> Again<'a, Z> for Spare<'a, Z, F> {
    #[inline]
    fn lend<X: ?Sized>(self, _: &X) -> &'a mut Z {
        self.0.insert(self.1())
    }
}

/// Numbers, of which every zero is alike.
pub trait Number: Copy {}

impl Number for f32 {}
impl Number for f64 {}
impl Number for () {}
impl<T: Number, const N: usize> Number for Lanes<T, N> {}
