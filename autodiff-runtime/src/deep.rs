//! The pullbacks of a function that calls itself, on a stack of the heap.
//!
//! So neither sweep needs much more of the machine's stack than the function does, nor does it take any to drop them.
//! What a level leaves on that stack is what counts: nothing of a pullback has to be freed after it ran, and what finds one is a call of its own.

use alloc::{boxed::Box, vec::Vec};
use core::cell::Cell;

/// The pullbacks of calls that have returned, each behind those of the calls in it.
pub struct Deep<B: ?Sized> {
    all: Vec<Box<B>>,
    /// So many are yet to run.
    left: Cell<usize>,
}

impl<B: ?Sized> Deep<B> {
    /// None yet.
    #[inline]
    #[allow(clippy::new_without_default, reason = "generated code calls it")]
    pub const fn new() -> Self {
        Deep {
            all: Vec::new(),
            left: Cell::new(0),
        }
    }

    /// Keeps the pullback of a call that returns.
    #[inline(never)]
    pub fn keep(&mut self, back: Box<B>) {
        self.all.push(back);
        self.left.set(self.all.len());
    }

    /// The pullback of the last call that the reverse sweep has not come to.
    #[inline(never)]
    pub fn last(&self) -> &B {
        let left = self.left.get() - 1;
        self.left.set(left);
        &self.all[left]
    }

    /// The reverse sweep has come to all of them.
    #[inline]
    pub fn finish(&self) {
        assert!(self.left.get() == 0, "a call was not reversed");
    }
}

/// A pullback, until it runs.
pub struct Waiting<F>(Cell<Option<F>>);

impl<F> Waiting<F> {
    /// It waits in a box.
    #[inline]
    pub fn new(back: F) -> Box<Self> {
        Box::new(Waiting(Cell::new(Some(back))))
    }

    /// The pullback; there is none left.
    #[inline]
    pub fn take(&self) -> F {
        match self.0.take() {
            Some(back) => back,
            None => unreachable!("a pullback runs once"),
        }
    }
}
