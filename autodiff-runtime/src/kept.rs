//! Memory that a thread keeps for its next derivative: of tapes, and of what loops remember.
//!
//! Large blocks go back to the system when they are freed, and come back as pages that fault one by one: recording on a fresh block takes three times as long as on a used one.
//! So what one derivative leaves is kept for the next, by the type of its elements, up to a limit; without `std` there are no threads to keep anything.

use alloc::vec::Vec;

#[cfg(feature = "std")]
use self::thread::KEPT;

/// A list with memory that was used before, if there is any: what it holds is what it held when it was [`put`] away.
///
/// The smallest one that has room for so many elements, or else the largest.
pub(crate) fn take<N: Copy + 'static>(room: usize) -> Vec<N> {
    #[cfg(feature = "std")]
    {
        let taken = KEPT.try_with(|kept| kept.borrow_mut().take(room));
        taken.ok().flatten().unwrap_or_default()
    }
    #[cfg(not(feature = "std"))]
    {
        let _ = room;
        Vec::new()
    }
}

/// Keeps the memory of a list, with what it holds; all but the largest of many go back to the allocator.
pub(crate) fn put<N: Copy + 'static>(items: Vec<N>) {
    #[cfg(feature = "std")]
    if items.capacity() * size_of::<N>() > 0 {
        // Where the thread has ended, the memory is freed.
        let _ = KEPT.try_with(|kept| kept.borrow_mut().put(items));
    }
    #[cfg(not(feature = "std"))]
    drop(items);
}

/// Gives the memory back to the system that derivatives of this thread have left: what loops remembered, tapes, tensors.
///
/// What they leave is kept for the next ones, up to [`set_memory_limit`].
///
/// ```
/// autodiff_runtime::release_memory();
/// ```
#[cfg(feature = "std")]
pub fn release_memory() {
    let _ = KEPT.try_with(|kept| kept.borrow_mut().clear());
    #[cfg(feature = "tensor")]
    crate::tensor::storage::release();
}

/// Keeps at most so many bytes of what loops and tapes of this thread have left, and as many of its tensors; 2²⁸ and 2³⁰ where nobody says otherwise.
///
/// ```
/// // Nothing is kept in this thread.
/// autodiff_runtime::set_memory_limit(0);
/// ```
#[cfg(feature = "std")]
pub fn set_memory_limit(bytes: usize) {
    let _ = KEPT.try_with(|kept| kept.borrow_mut().set_limit(bytes));
    #[cfg(feature = "tensor")]
    crate::tensor::storage::set_limit(bytes);
}

/// How many bytes this thread keeps of what its derivatives have left.
///
/// Nothing is kept of what is still in use: by how much more it is once a pullback is dropped, that pullback has held in tensors.
///
/// ```
/// autodiff_runtime::release_memory();
/// assert_eq!(autodiff_runtime::kept_memory(), 0);
/// ```
#[cfg(feature = "std")]
#[must_use]
pub fn kept_memory() -> usize {
    let lists = KEPT.try_with(|kept| kept.borrow().bytes()).unwrap_or(0);
    #[cfg(feature = "tensor")]
    let tensors = crate::tensor::storage::unused();
    #[cfg(not(feature = "tensor"))]
    let tensors = 0;
    lists + tensors
}

#[cfg(feature = "std")]
mod thread {
    use alloc::boxed::Box;
    use alloc::vec::Vec;
    use core::any::Any;
    use core::cell::RefCell;

    /// So many bytes are kept where nobody says otherwise.
    const MOST: usize = 256 << 20;

    /// So many lists of one type are kept, which are gone through each time: loops that call leave as many as they have rounds.
    const LISTS: usize = 16;

    std::thread_local! {
        pub(super) static KEPT: RefCell<Kept> = const { RefCell::new(Kept { lists: Vec::new(), bytes: 0, limit: MOST }) };
    }

    /// The lists that a thread keeps.
    #[derive(Debug)]
    pub(super) struct Kept {
        /// For each type of elements, its lists: a `Vec<Vec<N>>`.
        lists: Vec<Box<dyn Any>>,
        bytes: usize,
        limit: usize,
    }

    impl Kept {
        pub(super) fn bytes(&self) -> usize {
            self.bytes
        }

        pub(super) fn take<N: 'static>(&mut self, room: usize) -> Option<Vec<N>> {
            let lists = self.of()?;
            let fits = |list: &&Vec<N>| list.capacity() >= room;
            let best = (lists.iter().filter(fits).map(Vec::capacity).min())
                .or_else(|| lists.iter().map(Vec::capacity).max())?;
            let at = lists.iter().position(|list| list.capacity() == best)?;
            let list = lists.swap_remove(at);
            self.bytes -= bytes(&list);
            Some(list)
        }

        pub(super) fn put<N: 'static>(&mut self, list: Vec<N>) {
            let room = self.limit - self.bytes;
            if bytes(&list) > room {
                return;
            }
            let more = bytes(&list);
            match self.of() {
                None => self.lists.push(Box::new(alloc::vec![list])),
                Some(lists) if lists.len() < LISTS => lists.push(list),
                Some(lists) => {
                    let least = lists.iter_mut().min_by_key(|kept| kept.capacity());
                    if let Some(least) = least.filter(|least| least.capacity() < list.capacity()) {
                        let less = bytes(least);
                        *least = list;
                        self.bytes -= less;
                    } else {
                        return;
                    }
                }
            }
            self.bytes += more;
        }

        fn of<N: 'static>(&mut self) -> Option<&mut Vec<Vec<N>>> {
            (self.lists.iter_mut()).find_map(|lists| lists.downcast_mut::<Vec<Vec<N>>>())
        }

        pub(super) fn clear(&mut self) {
            self.lists.clear();
            self.bytes = 0;
        }

        pub(super) fn set_limit(&mut self, bytes: usize) {
            self.limit = bytes;
            if self.bytes > bytes {
                self.clear();
            }
        }
    }

    fn bytes<N>(list: &Vec<N>) -> usize {
        list.capacity() * size_of::<N>()
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use alloc::vec::Vec;

    use super::{put, release_memory, set_memory_limit, take};

    #[test]
    fn the_smallest_list_with_room_is_given_again_as_it_was_left() {
        for length in [200, 2000, 500] {
            put(alloc::vec![length as f64; length]);
        }
        put(alloc::vec![1_u8; 1024]);
        assert_eq!(take::<f64>(300), alloc::vec![500.0; 500]);
        assert_eq!(take::<f64>(5000), alloc::vec![2000.0; 2000]);
        assert_eq!(take::<u8>(0), alloc::vec![1; 1024]);
        assert_eq!(take::<u8>(0).capacity(), 0);
        release_memory();
        assert_eq!(take::<f64>(0).capacity(), 0);
    }

    #[test]
    fn of_many_lists_the_largest_are_kept() {
        for length in (2000..2040).rev().chain(2000..2060) {
            put(alloc::vec![0_u8; length]);
        }
        let mut lengths: Vec<_> = core::iter::repeat_with(|| take::<u8>(0).len())
            .take_while(|length| *length > 0)
            .collect();
        lengths.sort_unstable();
        assert_eq!(lengths, (2044..2060).collect::<Vec<_>>());
    }

    #[test]
    fn no_more_is_kept_than_the_limit() {
        set_memory_limit(5000);
        put(alloc::vec![0_u8; 3000]);
        put(alloc::vec![0_u8; 3000]);
        assert_eq!(take::<u8>(0).len(), 3000);
        assert_eq!(take::<u8>(0).capacity(), 0);
        put(alloc::vec![0_u8; 3000]);
        set_memory_limit(2500);
        assert_eq!(take::<u8>(0).capacity(), 0);
    }
}
