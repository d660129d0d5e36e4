//! What loops remember: a stack of slots, and the alternatives of a conditional.

use alloc::vec::Vec;

/// What one of two arms of a conditional remembers; more arms nest in `B`.
#[derive(Clone, Copy, Debug)]
pub enum Arm<A, B> {
    /// The first arm ran.
    A(A),
    /// Another arm ran.
    B(B),
}

impl<A: Default, B> Default for Arm<A, B> {
    fn default() -> Self {
        Arm::A(A::default())
    }
}

/// One slot per round of a loop; nested loops share one stack over all rounds of the outer ones.
#[derive(Debug)]
pub struct Stack<T> {
    slots: Vec<T>,
}

impl<T> Default for Stack<T> {
    fn default() -> Self {
        Stack { slots: Vec::new() }
    }
}

impl<T> Stack<T> {
    /// An empty stack.
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        Stack::default()
    }

    /// Appends a slot.
    #[inline]
    pub fn push(&mut self, slot: T) {
        self.slots.push(slot);
    }

    /// Removes the last slot.
    ///
    /// # Panics
    /// If there is none: the sweeps do not match.
    #[inline]
    pub fn pop(&mut self) -> T {
        match self.slots.pop() {
            Some(slot) => slot,
            None => unreachable!("the reverse sweep recalls more than the forward sweep recorded"),
        }
    }

    /// The last `n` slots, to read from the end.
    #[inline]
    #[must_use]
    pub fn last(&self, n: usize) -> &[T] {
        &self.slots[self.slots.len() - n..]
    }

    /// Removes the last `n` slots.
    #[inline]
    pub fn close(&mut self, n: usize) {
        self.slots.truncate(self.slots.len() - n);
    }
}

impl<T: Clone + Default> Stack<T> {
    /// Appends `n` slots at once, to be written by iterating over them.
    #[inline]
    pub fn open(&mut self, n: usize) -> &mut [T] {
        let old = self.slots.len();
        self.slots.resize(old + n, T::default());
        &mut self.slots[old..]
    }
}
