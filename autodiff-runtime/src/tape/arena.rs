//! One growable array that is written through a shared reference.
//!
//! Unsafe code. What it buys: in prototypes recording took 0.4 to 0.8 of the time that it takes with a `RefCell<Vec<_>>`,
//! because the borrow flag is one more thing to load, check and store for each operation.
//!
//! Why it is sound. The array is owned through a pointer and a capacity, as `Vec` owns it, from which it comes and into which it is turned back.
//! Slots below the length are initialised, and the length is at most the capacity: `push` fills a slot only where the length is below `limit`, which is at most the capacity,
//! or where `make_room` has just compared it with the capacity itself. While the array is taken out, `limit` is zero, and the array that is put back is the same one, or a longer one with the same contents.
//! No reference into the array leaves this module but in `read`, which takes the array out for as long as the reference lives;
//! so nothing can be written, freed or moved under it, whatever the closure does.
//! The type is not `Sync`.
#![allow(unsafe_code, reason = "see the argument above")]

use alloc::vec::Vec;
use core::cell::Cell;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};

/// Each generation of each arena has a number of its own, until 2³² of them have been used up in one process.
static GENERATIONS: AtomicU32 = AtomicU32::new(1);

/// So many items fit at most; positions above have other meanings.
const MOST: usize = u32::MAX as usize - 8;

/// An array of slots, each with a number: the generation of the arena in the upper half, the position in the lower.
pub(super) struct Arena<N> {
    /// The number of the next slot.
    next: Cell<u64>,
    /// From this number on `push` has to ask for room.
    limit: Cell<u64>,
    slots: Cell<NonNull<N>>,
    capacity: Cell<usize>,
    /// Whether the array is with `read`.
    lent: Cell<bool>,
    /// Whether somebody wants to know of each `push` before.
    watched: Cell<bool>,
}

// SAFETY: it owns its slots, as a vector does, and shares them with nothing.
unsafe impl<N: Send> Send for Arena<N> {}

impl<N: Copy> Arena<N> {
    /// An arena in the memory of `items`.
    pub(super) fn new(items: Vec<N>) -> Self {
        let arena = Arena {
            next: Cell::new(0),
            limit: Cell::new(0),
            slots: Cell::new(NonNull::dangling()),
            capacity: Cell::new(0),
            lent: Cell::new(false),
            watched: Cell::new(false),
        };
        arena.put(items);
        arena.clear();
        arena
    }

    /// The number of the next slot.
    #[inline]
    pub(super) fn next(&self) -> u64 {
        self.next.get()
    }

    pub(super) fn len(&self) -> usize {
        position(self.next.get())
    }

    /// From now on `asks` is always true.
    pub(super) fn watch(&self) {
        self.watched.set(true);
        self.allow();
    }

    pub(super) fn is_watched(&self) -> bool {
        self.watched.get()
    }

    /// Forgets the contents and starts a new generation.
    pub(super) fn clear(&self) {
        assert!(!self.lent.get(), "the tape is cleared while it is read");
        let mut generation = 0;
        // 0 is that of constants.
        while generation == 0 {
            generation = GENERATIONS.fetch_add(1, Ordering::Relaxed);
        }
        self.next.set(u64::from(generation) << 32);
        self.allow();
    }

    /// Whether `push` has to ask for room, or the arena is watched.
    #[inline(always)]
    pub(super) fn asks(&self) -> bool {
        self.next.get() >= self.limit.get()
    }

    /// Fills the next slot, and returns its number.
    #[inline(always)]
    pub(super) fn push(&self, item: N) -> u64 {
        if self.asks() {
            self.make_room();
        }
        let next = self.next.get();
        // SAFETY: the position is below the capacity: it is if `next` is below `limit`, and after `make_room`.
        unsafe {
            self.slots.get().add(position(next)).write(item);
        }
        self.next.set(next + 1);
        next
    }

    /// Room for one more.
    #[cold]
    #[inline(never)]
    fn make_room(&self) {
        assert!(
            !self.lent.get(),
            "something is recorded while the tape is read"
        );
        let len = self.len();
        assert!(len < MOST, "the tape is full: it holds {len} operations");
        if len == self.capacity.get() {
            let mut items = self.take();
            let more = items.try_reserve(len.max(64));
            // Without the memory, what is recorded stays.
            self.put(items);
            self.allow();
            assert!(more.is_ok(), "no memory for more than {len} operations");
        }
    }

    /// Lets `push` use the whole array without asking, unless it is watched.
    fn allow(&self) {
        let free = self.capacity.get().min(MOST) as u64;
        let generation = self.next.get() >> 32 << 32;
        self.limit.set(if self.watched.get() {
            0
        } else {
            generation | free
        });
    }

    /// Hands the contents to `f`.
    pub(super) fn read<R>(&self, f: impl FnOnce(&[N]) -> R) -> R {
        /// Puts the array back, also when the closure panics.
        struct Lent<'a, N: Copy>(&'a Arena<N>, Vec<N>);
        impl<N: Copy> Drop for Lent<'_, N> {
            fn drop(&mut self) {
                self.0.put(core::mem::take(&mut self.1));
                self.0.lent.set(false);
                self.0.allow();
            }
        }
        assert!(!self.lent.get(), "the tape is read while it is read");
        let items = self.take();
        self.lent.set(true);
        self.limit.set(0);
        let lent = Lent(self, items);
        f(&lent.1)
    }

    /// The array as a vector, whose contents are forgotten. A new generation starts.
    pub(super) fn free(&self) -> Vec<N> {
        self.clear();
        self.take()
    }

    /// The array as a vector; leaves none behind. Whoever calls it puts one back that holds as much, or has nothing recorded.
    fn take(&self) -> Vec<N> {
        let slots = self.slots.replace(NonNull::dangling());
        let capacity = self.capacity.replace(0);
        // From here on `push` has to ask for room.
        self.limit.set(0);
        // SAFETY: pointer and capacity come from a vector, in `put`, and are given away here; so many slots are filled.
        unsafe { Vec::from_raw_parts(slots.as_ptr(), self.len(), capacity) }
    }

    fn put(&self, items: Vec<N>) {
        let mut items = ManuallyDrop::new(items);
        self.capacity.set(items.capacity());
        if let Some(slots) = NonNull::new(items.as_mut_ptr()) {
            self.slots.set(slots);
        }
    }
}

impl<N> Drop for Arena<N> {
    fn drop(&mut self) {
        // SAFETY: as in `take`. Items are `Copy`, so no more than the memory has to be dropped.
        drop(unsafe { Vec::from_raw_parts(self.slots.get().as_ptr(), 0, self.capacity.get()) });
    }
}

/// The position in a slot's number.
#[inline(always)]
fn position(number: u64) -> usize {
    number as u32 as usize
}
