//! What loops remember: a stack of slots.

use alloc::vec::Vec;

use crate::blank::Blank;
use crate::kept;

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
}

/// How many slots a [`Slots`] holds without a heap.
const INLINE: usize = 16;

/// A stack of plain slots that are opened several at a time; short loops need no heap.
///
/// Once the heap is in use it takes all that is opened, until it is empty again: what is opened last is closed first.
/// The thread keeps its memory for the next one.
#[derive(Debug)]
pub struct Slots<T: Blank> {
    short: [T; INLINE],
    used: usize,
    /// Slots that were opened once, in part by an earlier stack.
    long: Vec<T>,
    opened: usize,
}

impl<T: Blank> Default for Slots<T> {
    #[inline]
    fn default() -> Self {
        Slots {
            short: [T::__blank(); INLINE],
            used: 0,
            long: Vec::new(),
            opened: 0,
        }
    }
}

impl<T: Blank> Slots<T> {
    /// An empty stack.
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        Slots::default()
    }

    /// Appends `n` slots at once, to be written by iterating over them: they hold anything.
    #[inline]
    pub fn open(&mut self, n: usize) -> &mut [T] {
        if self.opened == 0 && n <= INLINE - self.used {
            let old = self.used;
            self.used += n;
            return &mut self.short[old..old + n];
        }
        let old = self.opened;
        self.opened += n;
        if self.opened > self.long.len() {
            self.grow();
        }
        &mut self.long[old..self.opened]
    }

    /// Makes room for what is opened.
    #[cold]
    fn grow(&mut self) {
        if self.long.capacity() == 0 {
            self.long = kept::take(self.opened);
        }
        if self.opened > self.long.len() {
            self.long.resize(self.opened, T::__blank());
        }
    }

    /// The last `n` slots, to read from the end.
    #[inline]
    #[must_use]
    pub fn last(&self, n: usize) -> &[T] {
        if self.opened == 0 {
            &self.short[self.used - n..self.used]
        } else {
            &self.long[self.opened - n..self.opened]
        }
    }

    /// Removes the last `n` slots.
    #[inline]
    pub fn close(&mut self, n: usize) {
        if self.opened == 0 {
            self.used -= n;
        } else {
            self.opened -= n;
        }
    }
}

impl<T: Blank> Drop for Slots<T> {
    #[inline]
    fn drop(&mut self) {
        if self.long.capacity() > 0 {
            kept::put(core::mem::take(&mut self.long));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{INLINE, Slots};

    #[test]
    fn short_and_long_loops_share_a_stack() {
        let mut slots = Slots::new();
        let mut opened = alloc::vec![];
        for (k, n) in [3, 0, 10, 4, 40, 0, 2, 1].into_iter().enumerate() {
            slots.open(n).iter_mut().for_each(|slot| *slot = k);
            opened.push((k, n));
        }
        while let Some((k, n)) = opened.pop() {
            assert!(slots.last(n).iter().all(|slot| *slot == k));
            slots.close(n);
        }
        assert_eq!(slots.open(INLINE).len(), INLINE);
    }
}
