//! Memory that a thread keeps for its next tape or gradient.
//!
//! Large blocks go back to the system when they are freed, and come back as pages that fault one by one: recording on a fresh block takes three times as long as on a used one.
//! So each thread keeps the last block of each type, if it is not very large.

use alloc::vec::Vec;

/// So many bytes of each type are kept where nobody says otherwise.
#[cfg(feature = "std")]
const MOST: usize = 256 << 20;

#[cfg(feature = "std")]
std::thread_local! {
    /// So many bytes of each type are kept at most.
    static LIMIT: core::cell::Cell<usize> = const { core::cell::Cell::new(MOST) };
    static KEPT: core::cell::RefCell<Vec<alloc::boxed::Box<dyn core::any::Any>>> =
        const { core::cell::RefCell::new(Vec::new()) };
}

/// An empty vector, with memory that was used before if there is any.
pub(super) fn take<N: 'static>() -> Vec<N> {
    #[cfg(feature = "std")]
    {
        let kept = KEPT.try_with(|kept| {
            let mut kept = kept.borrow_mut();
            let slot = kept
                .iter_mut()
                .find_map(|slot| slot.downcast_mut::<Vec<N>>());
            slot.map(core::mem::take)
        });
        kept.ok().flatten().unwrap_or_default()
    }
    #[cfg(not(feature = "std"))]
    Vec::new()
}

/// Keeps the memory of a vector.
pub(super) fn put<N: 'static>(mut items: Vec<N>) {
    #[cfg(feature = "std")]
    {
        let limit = LIMIT.try_with(core::cell::Cell::get).unwrap_or(0);
        if items.capacity() == 0 || items.capacity() > limit / size_of::<N>().max(1) {
            return;
        }
        items.clear();
        // Where the thread has ended, the memory is freed.
        let _ = KEPT.try_with(|kept| {
            let mut kept = kept.borrow_mut();
            let slot = kept
                .iter_mut()
                .find_map(|slot| slot.downcast_mut::<Vec<N>>());
            match slot {
                Some(slot) if slot.capacity() < items.capacity() => *slot = items,
                Some(_) => {}
                None => kept.push(alloc::boxed::Box::new(items)),
            }
        });
    }
    #[cfg(not(feature = "std"))]
    items.clear();
}

/// Gives back what the thread keeps.
#[cfg(feature = "tensor")]
pub(crate) fn release() {
    let _ = KEPT.try_with(|kept| kept.borrow_mut().clear());
}

/// Keeps at most so many bytes of each type.
#[cfg(feature = "tensor")]
pub(crate) fn set_limit(bytes: usize) {
    let _ = LIMIT.try_with(|limit| limit.set(bytes));
    release();
}
