//! State that a function changes, and that is a constant to its derivatives: a generator of random numbers, a counter.
//!
//! What runs such a function several times begins each time with what there was at first.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::borrow::{Borrow as _, BorrowMut};

/// State that there are copies of.
#[diagnostic::on_unimplemented(
    message = "this derivative runs the function several times, and there is no copy of `{Self}`, a constant that the function changes; derive `Clone` for it, or ask for a derivative that runs the function once, such as `grad`, `jvp` or `vjp`",
    label = "there is no copy of `{Self}`"
)]
pub trait Copied {
    /// A copy, owned.
    type Own: BorrowMut<Self>;

    /// Makes a copy.
    fn copied(&self) -> Self::Own;

    /// Becomes one.
    fn become_copy(&mut self, of: &Self::Own);
}

#[diagnostic::do_not_recommend]
impl<T: Clone> Copied for T {
    type Own = T;
    #[inline]
    fn copied(&self) -> T {
        self.clone()
    }
    #[inline]
    fn become_copy(&mut self, of: &T) {
        self.clone_from(of);
    }
}

#[cfg(feature = "alloc")]
#[diagnostic::do_not_recommend]
impl<T: Clone> Copied for [T] {
    type Own = Vec<T>;
    #[inline]
    fn copied(&self) -> Vec<T> {
        self.to_vec()
    }
    #[inline]
    fn become_copy(&mut self, of: &Vec<T>) {
        self.clone_from_slice(of);
    }
}

/// State as it was before the first run, for the others.
#[derive(Debug)]
pub struct Start<T: Copied + ?Sized>(T::Own);

impl<T: Copied + ?Sized> Start<T> {
    /// Of what the first run is going to change.
    #[inline]
    pub fn of(state: &T) -> Self {
        Start(state.copied())
    }

    /// Another one.
    #[inline]
    #[must_use]
    pub fn again(&self) -> Self {
        Start::of(self.0.borrow())
    }

    /// Makes the state what it was.
    #[inline]
    pub fn put_back(&self, state: &mut T) {
        state.become_copy(&self.0);
    }

    /// The state itself, to be changed by a run.
    #[inline]
    pub fn lend(&mut self) -> &mut T {
        self.0.borrow_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_begins_with_what_there_was() {
        let start = Start::of(&7);
        for _ in 0..2 {
            let mut run = start.again();
            *run.lend() += 1;
            assert_eq!(*run.lend(), 8);
        }
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn a_slice_has_a_copy() {
        let mut memory = [1.0, 2.0];
        let start = Start::<[f64]>::of(&memory);
        memory[0] = 3.0;
        assert_eq!(
            (memory[0], start.again().lend()),
            (3.0, &mut [1.0, 2.0][..])
        );
    }
}
