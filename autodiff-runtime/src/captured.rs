//! What closures that are passed to calls capture of lists: one copy for all calls, and cotangents of the elements that are used alone.

use alloc::collections::BTreeMap;
#[cfg(not(target_has_atomic = "ptr"))]
use alloc::rc::Rc as Counted;
#[cfg(target_has_atomic = "ptr")]
use alloc::sync::Arc as Counted;
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::mem::take;
use core::ops::{Index, IndexMut};

use crate::tangent::{Accumulate, Differentiable};

/// A copy of memory that does not change, made when the first closure captures it.
#[derive(Debug)]
pub struct Shared<T>(OnceCell<Counted<T>>);

impl<T> Shared<T> {
    /// No copy yet.
    #[inline]
    #[allow(clippy::new_without_default, reason = "generated code calls it")]
    pub const fn new() -> Self {
        Shared(OnceCell::new())
    }

    /// The copy, made by `copied` for the first who asks.
    #[inline]
    pub fn get(&self, copied: impl FnOnce() -> T) -> Counted<T> {
        self.0.get_or_init(|| Counted::new(copied())).clone()
    }
}

/// The cotangents of a list of numbers, of which few may be used: there is an element where something was added to it.
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
const DENSE: usize = 8;

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

impl<A: Accumulate<B>, B> Accumulate<Sparse<B>> for Vec<A> {
    #[inline]
    #[track_caller]
    fn __accumulate(&mut self, t: &Sparse<B>) {
        self.as_mut_slice().__accumulate(t);
    }
}

#[cfg(test)]
mod tests {
    use super::{Shared, Sparse};
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
    fn there_is_one_copy() {
        let shared = Shared::new();
        let first = shared.get(|| 1);
        assert_eq!((*first, *shared.get(|| 2)), (1, 1));
    }
}
