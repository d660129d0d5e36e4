//! Work that is divided between the threads of rayon, with the feature `rayon`; without it there is one thread, and nothing is divided.
//!
//! What is divided are results, never sums: each entry of a result is computed by one call, in the same way wherever the cuts are.
//! A sum is divided where it is added in halves in any case. So results have the same bits with any number of threads, and without the feature.
//!
//! Threads fill slices of buffers that the calling thread has allocated, and which go back to its pool.
#![cfg_attr(
    not(feature = "tensor"),
    allow(dead_code, reason = "optimisers use a part of it")
)]

use core::ops::Range;

/// What limits a piece of work, from which it follows how much of it is worth a thread.
///
/// A second thread costs some 4 µs, and where no other processor is free, it brings nothing. So a part has to last for 10 to 20 µs at least:
/// then two threads take 0.6 to 0.7 of the time of one where there are two processors, and 1.05 of it where there is one. (`cargo bench -p autodiff-runtime --features tensor,rayon --bench threads`)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Some operations for each entry, which wait for memory: 0.2 ns each.
    Memory,
    /// An elementary function, or as much, for each entry: 1 ns each.
    Function,
    /// A multiplication and an addition of a matrix product: 0.015 ns each.
    Product,
}

impl Work {
    /// How many operations the part of a thread has at least; below twice as many nothing is divided.
    const fn least(self) -> usize {
        if cfg!(test) {
            // So that tests divide all that they look at.
            return 1;
        }
        match self {
            Work::Memory => 1 << 16,
            Work::Function => 1 << 14,
            Work::Product => 1 << 20,
        }
    }
}

/// So much work: units that cannot be divided, and how many operations each of them is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amount {
    pub(crate) work: Work,
    pub(crate) units: usize,
    pub(crate) each: usize,
}

impl Amount {
    /// Into how many parts it is divided.
    fn parts(self) -> usize {
        let least = self.work.least().div_ceil(self.each.max(1)).max(1);
        let parts = self.units / least;
        if parts < 2 {
            return 1;
        }
        match (threads(), self.work) {
            (1, _) => 1,
            // Each part of a product brings the other operand into order anew, which takes as long as some 20 rows.
            (threads, Work::Product) => parts.min(threads),
            (threads, _) => parts.min(8 * threads),
        }
    }
}

/// Results that can be divided between two units.
pub(crate) trait Cut: Sized + Send {
    /// Those of so many units, and those of the others.
    fn cut(self, units: usize) -> (Self, Self);
}

/// One entry for each unit.
impl<T: Send> Cut for &mut [T] {
    fn cut(self, units: usize) -> (Self, Self) {
        self.split_at_mut(units)
    }
}

impl<C: Cut> Cut for Option<C> {
    fn cut(self, units: usize) -> (Self, Self) {
        self.map(|some| some.cut(units)).unzip()
    }
}

impl<A: Cut, B: Cut> Cut for (A, B) {
    fn cut(self, units: usize) -> (Self, Self) {
        let ((a, c), (b, d)) = (self.0.cut(units), self.1.cut(units));
        ((a, b), (c, d))
    }
}

impl<C: Cut, const N: usize> Cut for [C; N] {
    fn cut(self, units: usize) -> (Self, Self) {
        let mut rights = [const { None }; N];
        let mut to = rights.iter_mut();
        let lefts = self.map(|some| {
            let (left, right) = some.cut(units);
            if let Some(to) = to.next() {
                *to = Some(right);
            }
            left
        });
        let rights = rights.map(|right| right.unwrap_or_else(|| unreachable!("one for each")));
        (lefts, rights)
    }
}

#[cfg(feature = "tensor")]
impl<C: Cut> Cut for alloc::vec::Vec<C> {
    fn cut(self, units: usize) -> (Self, Self) {
        self.into_iter().map(|some| some.cut(units)).unzip()
    }
}

/// So many entries for each unit; the last one may have fewer.
pub(crate) struct Blocks<'a, T>(pub(crate) &'a mut [T], pub(crate) usize);

impl<T: Send> Cut for Blocks<'_, T> {
    fn cut(self, units: usize) -> (Self, Self) {
        let (left, right) = self.0.split_at_mut(units * self.1);
        (Blocks(left, self.1), Blocks(right, self.1))
    }
}

/// Calls `f` with parts of the results that together are all of them, and with the numbers of the units of each.
///
/// What `f` computes for a unit must not depend on where the cuts are.
pub(crate) fn divide<C: Cut>(results: C, amount: Amount, f: impl Fn(Range<usize>, C) + Sync) {
    parts(results, 0..amount.units, amount.parts(), &f);
}

fn parts<C: Cut>(
    results: C,
    units: Range<usize>,
    number: usize,
    f: &(impl Fn(Range<usize>, C) + Sync),
) {
    if number == 1 {
        return f(units, results);
    }
    let (left, length) = (number / 2, units.len());
    // Without a product that could overflow.
    let length = length / number * left + length % number * left / number;
    let (at, (a, b)) = (units.start + length, results.cut(length));
    join(
        || parts(a, units.start..at, left, f),
        || parts(b, at..units.end, number - left, f),
    );
}

/// Both results: side by side where so many operations are worth two threads.
pub(crate) fn both<A: Send, B: Send>(
    work: Work,
    operations: usize,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    let amount = Amount {
        work,
        units: operations,
        each: 1,
    };
    if amount.parts() == 1 {
        (a(), b())
    } else {
        join(a, b)
    }
}

#[cfg(feature = "rayon")]
fn threads() -> usize {
    rayon_core::current_num_threads()
}

#[cfg(feature = "rayon")]
fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    rayon_core::join(a, b)
}

#[cfg(not(feature = "rayon"))]
const fn threads() -> usize {
    1
}

#[cfg(not(feature = "rayon"))]
fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}
