//! What loops remember: a stack of slots.

use alloc::vec::Vec;
use core::mem::ManuallyDrop;

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

    /// Makes room for so many slots more.
    #[inline]
    pub fn reserve(&mut self, rounds: usize) {
        self.slots.reserve(rounds);
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
/// Of a loop whose rounds nobody knows beforehand, the slots are written to what [`room`](Slots::room) there is, and opened behind it:
/// so no round changes the stack, and how many there were is a number of the loop's own.
///
/// Once the heap is in use it takes all that is opened, until it is empty again: what is opened last is closed first.
/// The thread keeps its memory for the next one.
#[derive(Debug)]
pub struct Slots<T: Blank> {
    short: [T; INLINE],
    used: usize,
    /// Slots that were opened once, in part by an earlier stack; dropped by hand, so that where there are none nothing is called.
    long: ManuallyDrop<Vec<T>>,
    opened: usize,
}

impl<T: Blank> Default for Slots<T> {
    #[inline]
    fn default() -> Self {
        Slots {
            short: [T::__blank(); INLINE],
            used: 0,
            long: ManuallyDrop::new(Vec::new()),
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
            self.long = ManuallyDrop::new(kept::take(self.opened));
        }
        if self.opened > self.long.len() {
            self.long.resize(self.opened, T::__blank());
        }
    }

    /// What is there behind the slots that are opened, to be written in order.
    #[inline]
    pub fn room(&mut self) -> &mut [T] {
        if self.opened == 0 {
            &mut self.short[self.used..]
        } else {
            &mut self.long[self.opened..]
        }
    }

    /// The same once all `n` slots of it are written: they stand in it again, and more behind them.
    #[cold]
    pub fn more_room(&mut self, n: usize) -> &mut [T] {
        let old = self.opened;
        let least = old + (2 * n).max(4 * INLINE);
        if self.long.capacity() == 0 {
            self.long = ManuallyDrop::new(kept::take(least));
        }
        if self.long.len() < least {
            self.long.resize(least, T::__blank());
        }
        // On the heap there is always room for more than this, so these are not there yet.
        if old == 0 && n == INLINE - self.used {
            self.long[..n].copy_from_slice(&self.short[self.used..]);
        }
        &mut self.long[old..]
    }

    /// Opens the first `n` slots of the room, which are written.
    #[inline]
    pub fn opened(&mut self, n: usize) {
        if self.opened == 0 && n <= INLINE - self.used {
            self.used += n;
        } else {
            self.opened += n;
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
            hand_back(core::mem::take(&mut *self.long));
        }
    }
}

/// Leaves memory to the next stack.
#[cold]
fn hand_back<T: Blank>(slots: Vec<T>) {
    kept::put(slots);
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

    /// Loops of so many rounds, every third of which knows how many.
    fn loops(lengths: &[usize]) {
        let mut slots = Slots::new();
        let mut opened = alloc::vec![];
        for (k, &n) in lengths.iter().enumerate() {
            if k % 3 == 1 {
                slots.open(n).iter_mut().for_each(|slot| *slot = (k, 0));
            } else {
                let mut room = slots.room();
                for round in 0..n {
                    if round == room.len() {
                        room = slots.more_room(round);
                    }
                    room[round] = (k, round);
                }
                slots.opened(n);
            }
            opened.push((k, n));
        }
        while let Some((k, n)) = opened.pop() {
            for (round, &slot) in slots.last(n).iter().enumerate() {
                assert_eq!(slot, (k, if k % 3 == 1 { 0 } else { round }));
            }
            slots.close(n);
        }
        assert_eq!(slots.room().len(), INLINE);
    }

    #[test]
    fn loops_that_count_their_rounds_share_a_stack_with_others() {
        loops(&[3, 0, 10, 3, 1, 64, 5, 0, 200, 51, 2, 1000, 16]);
    }

    #[test]
    fn a_loop_finds_room_where_all_of_it_is_opened() {
        loops(&[4 * INLINE, 0, 10, 1, 300, 0, 7]);
    }
}
