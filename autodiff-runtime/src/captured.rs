//! What closures that are passed to calls capture: one copy for all calls, and cotangents that a call adds to only where it uses something.

#[cfg(feature = "alloc")]
use alloc::collections::BTreeMap;
#[cfg(all(feature = "alloc", not(target_has_atomic = "ptr")))]
use alloc::rc::Rc as Counted;
#[cfg(all(feature = "alloc", target_has_atomic = "ptr"))]
use alloc::sync::Arc as Counted;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
#[cfg(feature = "alloc")]
use core::cell::OnceCell;
use core::marker::PhantomData;
#[cfg(feature = "alloc")]
use core::mem::take;
use core::ops::Deref;
#[cfg(feature = "alloc")]
use core::ops::{Index, IndexMut};

#[cfg(feature = "alloc")]
use crate::tangent::{Accumulate, Differentiable};

/// What takes no more bytes than this and owns nothing is copied for each call.
#[cfg(feature = "alloc")]
const SMALL: usize = 64;

/// A copy of memory that does not change, made when the first closure captures it.
#[derive(Debug)]
pub struct Shared<T> {
    #[cfg(feature = "alloc")]
    copy: OnceCell<Counted<T>>,
    of: PhantomData<T>,
}

/// What a closure has captured.
#[derive(Clone, Debug)]
pub enum Kept<T> {
    /// A copy of its own.
    Own(T),
    /// The copy that all have.
    #[cfg(feature = "alloc")]
    Shared(Counted<T>),
}

impl<T> Shared<T> {
    /// No copy yet.
    #[inline]
    #[allow(clippy::new_without_default, reason = "generated code calls it")]
    pub const fn new() -> Self {
        Shared {
            #[cfg(feature = "alloc")]
            copy: OnceCell::new(),
            of: PhantomData,
        }
    }

    /// The copy, made by `copied` for the first who asks, or one for each where that costs less.
    #[inline]
    pub fn get(&self, copied: impl FnOnce() -> T) -> Kept<T> {
        #[cfg(feature = "alloc")]
        if core::mem::needs_drop::<T>() || size_of::<T>() > SMALL {
            let copy = self.copy.get_or_init(|| Counted::new(copied()));
            return Kept::Shared(copy.clone());
        }
        Kept::Own(copied())
    }
}

impl<T> Deref for Kept<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Kept::Own(own) => own,
            #[cfg(feature = "alloc")]
            Kept::Shared(copy) => copy,
        }
    }
}

/// The sum of the cotangents of what closures capture, which their calls are lent one after the other.
#[derive(Debug)]
pub struct Gathered<T>(Option<T>);

impl<T> Gathered<T> {
    /// Nothing yet.
    #[inline]
    #[allow(clippy::new_without_default, reason = "generated code calls it")]
    pub const fn new() -> Self {
        Gathered(None)
    }

    /// The sum so far, for a call to add to.
    #[inline]
    pub fn taken(&mut self, zero: impl FnOnce() -> T) -> T {
        self.0.take().unwrap_or_else(zero)
    }

    /// The sum after the call.
    #[inline]
    pub fn put(&mut self, sum: T) {
        self.0 = Some(sum);
    }

    /// Hands the sum to what adds it where it belongs, if there is one, and begins anew.
    #[inline]
    pub fn leave(&mut self, add: impl FnOnce(&T)) {
        if let Some(sum) = self.0.take() {
            add(&sum);
        }
    }
}

/// The cotangents of a list of numbers, of which few may be used: there is an element where something was added to it.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug)]
pub struct Sparse<T> {
    /// `None` for an empty list.
    zero: Option<T>,
    len: usize,
    few: BTreeMap<usize, T>,
    /// All of them, once they are many.
    all: Vec<T>,
}

/// So many elements of a list are worth one in a map.
#[cfg(feature = "alloc")]
const DENSE: usize = 8;

#[cfg(feature = "alloc")]
impl<T: Clone> Sparse<T> {
    /// Zeros for a list of numbers.
    #[inline]
    pub fn of<S: Differentiable<Tangent = T>>(list: &[S]) -> Self {
        Sparse {
            zero: list.first().map(Differentiable::zero_tangent),
            len: list.len(),
            few: BTreeMap::new(),
            all: Vec::new(),
        }
    }

    fn fill(&mut self) {
        self.all = self.zero.iter().cycle().take(self.len).cloned().collect();
        for (k, x) in take(&mut self.few) {
            self.all[k] = x;
        }
    }
}

#[cfg(feature = "alloc")]
impl<T> Index<usize> for Sparse<T> {
    type Output = T;

    #[inline]
    fn index(&self, k: usize) -> &T {
        match &self.zero {
            Some(zero) if self.all.is_empty() && k < self.len => self.few.get(&k).unwrap_or(zero),
            _ => &self.all[k],
        }
    }
}

#[cfg(feature = "alloc")]
impl<T: Clone> IndexMut<usize> for Sparse<T> {
    #[inline]
    fn index_mut(&mut self, k: usize) -> &mut T {
        if self.all.is_empty() && self.few.len() * DENSE >= self.len {
            self.fill();
        }
        match &self.zero {
            Some(zero) if self.all.is_empty() && k < self.len => {
                self.few.entry(k).or_insert_with(|| zero.clone())
            }
            _ => &mut self.all[k],
        }
    }
}

#[cfg(feature = "alloc")]
impl<A: Accumulate<B>, B> Accumulate<Sparse<B>> for [A] {
    #[inline]
    #[track_caller]
    fn __accumulate(&mut self, t: &Sparse<B>) {
        if t.all.is_empty() {
            t.few.iter().for_each(|(&k, x)| self[k].__accumulate(x));
        } else {
            self.__accumulate(&t.all);
        }
    }
}

#[cfg(feature = "alloc")]
impl<A: Accumulate<B>, B> Accumulate<Sparse<B>> for Vec<A> {
    #[inline]
    #[track_caller]
    fn __accumulate(&mut self, t: &Sparse<B>) {
        self.as_mut_slice().__accumulate(t);
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use alloc::vec;

    use super::{Gathered, Shared, Sparse};
    use crate::tangent::Accumulate;

    #[test]
    fn few_elements_and_many_add_alike() {
        let list = [0.0; 100];
        for count in [0, 1, 5, 13, 100] {
            let mut sparse = Sparse::of(&list);
            let mut dense = [1.0; 100];
            let mut expected = dense;
            for k in (0..count).map(|k| k * 37 % 100) {
                for _ in 0..2 {
                    sparse[k] += k as f64;
                    expected[k] += k as f64;
                }
                assert_eq!(sparse[k], 2.0 * k as f64);
            }
            assert_eq!(sparse[99], expected[99] - 1.0);
            dense[..].__accumulate(&sparse);
            assert_eq!(dense, expected);
        }
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn an_element_behind_the_last_panics() {
        Sparse::of(&[0.0; 3])[3] += 1.0;
    }

    #[test]
    fn there_is_one_copy_of_what_owns_memory() {
        let shared = Shared::new();
        let first = shared.get(|| vec![1]);
        assert_eq!((&*first, &*shared.get(|| vec![2])), (&vec![1], &vec![1]));
        let (small, copies) = (Shared::new(), [1, 2]);
        assert_eq!(copies.map(|copy| *small.get(|| copy)), copies);
    }

    #[test]
    fn a_sum_is_left_once() {
        let mut sum = Gathered::new();
        sum.leave(|_: &i32| panic!("there is none"));
        for expected in [5, 7] {
            let taken = sum.taken(|| 5);
            assert_eq!(taken, expected);
            sum.put(taken + 2);
        }
        let mut left = 0;
        sum.leave(|sum| left = *sum);
        sum.leave(|_| panic!("it was left"));
        assert_eq!((left, sum.taken(|| 1)), (9, 1));
    }
}
