//! Buffers of entries, and the pool that keeps them for reuse.
//!
//! Fresh memory from the system is what costs most in a training step; so what a tensor leaves is kept by its thread for the next of about that size.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cell::Cell;

use crate::element::Element;

/// Buffers below this size are cheaper to allocate than to look up.
const SMALLEST: usize = 1024;

/// How many bytes of unused buffers a thread keeps where nobody says otherwise.
const DEFAULT_LIMIT: usize = 1 << 30;

std::thread_local! {
    /// How many bytes of unused buffers this thread keeps at most, and how many it has.
    static KEPT: Cell<[usize; 2]> = const { Cell::new([DEFAULT_LIMIT, 0]) };
}

/// The unused buffers of one thread, by their length.
#[derive(Debug)]
pub struct Pool<T> {
    free: BTreeMap<usize, Vec<Vec<T>>>,
}

impl<T: Element> Pool<T> {
    /// A pool without buffers.
    pub(crate) const fn new() -> Self {
        Pool {
            free: BTreeMap::new(),
        }
    }

    /// A buffer of at least this length and at most twice that.
    fn take(&mut self, length: usize) -> Option<Vec<T>> {
        let (&size, same) = self.free.range_mut(length..=2 * length).next()?;
        let buffer = same.pop();
        if same.is_empty() {
            self.free.remove(&size);
        }
        account(|kept| kept - size * size_of::<T>());
        buffer
    }

    fn give(&mut self, buffer: Vec<T>) {
        let bytes = buffer.len() * size_of::<T>();
        let [limit, kept] = KEPT.get();
        if kept + bytes <= limit {
            account(|kept| kept + bytes);
            self.free.entry(buffer.len()).or_default().push(buffer);
        }
    }

    fn clear(&mut self) {
        let bytes: usize = (self.free.iter())
            .map(|(size, same)| size * same.len() * size_of::<T>())
            .sum();
        account(|kept| kept - bytes);
        self.free.clear();
    }
}

fn account(change: impl FnOnce(usize) -> usize) {
    let [limit, kept] = KEPT.get();
    KEPT.set([limit, change(kept)]);
}

/// Gives the buffers back to the system that tensors of this thread have left.
pub(crate) fn release() {
    with_pool::<f32, _>(Pool::clear);
    with_pool::<f64, _>(Pool::clear);
    with_pool::<usize, _>(Pool::clear);
    with_pool::<bool, _>(Pool::clear);
}

/// How many bytes of unused buffers this thread keeps.
pub(crate) fn unused() -> usize {
    KEPT.get()[1]
}

/// Keeps at most so many bytes of unused buffers in this thread.
pub(crate) fn set_limit(bytes: usize) {
    let [_, kept] = KEPT.get();
    KEPT.set([bytes, kept]);
    if kept > bytes {
        release();
    }
}

/// The entries of a tensor; what it leaves goes back to the pool.
#[derive(Debug)]
pub(crate) struct Buffer<T: Element>(pub(crate) Vec<T>);

impl<T: Element> Drop for Buffer<T> {
    fn drop(&mut self) {
        T::keep(core::mem::take(&mut self.0));
    }
}

/// Lends the buffers that this thread keeps for reuse; `None` while the thread ends.
fn with_pool<T: Element, R>(f: impl FnOnce(&mut Pool<T>) -> R) -> Option<R> {
    T::pool().try_with(|pool| f(&mut pool.borrow_mut())).ok()
}

/// Keeps a buffer that is worth it, unless it was made to grow much larger: that is not written whole only to be kept.
pub(crate) fn kept<T: Element>(mut entries: Vec<T>) {
    if entries.capacity() >= SMALLEST && entries.capacity() <= 2 * entries.len().max(1) {
        with_pool(|pool| {
            // Whole, so that the next user need not write what it overwrites.
            entries.resize(entries.capacity(), T::default());
            pool.give(entries);
        });
    }
}

/// A list of this length with anything in it.
pub(crate) fn taken<T: Element>(length: usize) -> Vec<T> {
    if length < SMALLEST {
        return alloc::vec![T::default(); length];
    }
    let Some(mut entries) = with_pool(|pool: &mut Pool<T>| pool.take(length)).flatten() else {
        return alloc::vec![T::default(); length];
    };
    entries.truncate(length);
    entries
}

/// A list of this length with anything in it.
pub(crate) fn anything<T: Element>(length: usize) -> Vec<T> {
    T::anything(length)
}

/// A list of this length of one number.
pub(crate) fn filled<T: Element>(length: usize, with: T) -> Vec<T> {
    let mut entries = anything(length);
    entries.fill(with);
    entries
}
