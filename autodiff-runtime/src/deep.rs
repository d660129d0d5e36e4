//! The pullbacks of a function that calls itself, on a stack: so neither sweep needs more of the machine's stack than it has to, nor does it to drop them.

use alloc::{boxed::Box, vec::Vec};

/// A function that calls itself.
pub trait Recursive {
    /// Its pullback, which is given the others at last.
    type Back: ?Sized;
}

/// The pullbacks of the calls that have returned, each behind those of the calls in it.
pub struct Deep<F: Recursive>(Vec<Box<F::Back>>);

impl<F: Recursive> Deep<F> {
    /// None yet.
    #[inline]
    #[allow(clippy::new_without_default, reason = "generated code calls it")]
    pub const fn new() -> Self {
        Deep(Vec::new())
    }

    /// Keeps the pullback of a call that returns.
    #[inline]
    pub fn keep(&mut self, back: Box<F::Back>) {
        self.0.push(back);
    }

    /// The pullback of the last call that the reverse sweep has not come to.
    #[inline]
    pub fn last(&mut self) -> Box<F::Back> {
        self.0.pop().unwrap_or_else(|| unreachable!())
    }

    /// The reverse sweep has come to all of them.
    #[inline]
    pub fn finish(self) {
        assert!(self.0.is_empty(), "a call was not reversed");
    }
}
