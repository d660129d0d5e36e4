//! Loops that keep their state now and then, and run again from there in the reverse sweep.
//!
//! The forms are those of a `#[grad]` function whose first parameter is some rounds of the loop, `(first, last, state) → state`:
//! so many rounds run as one loop, whose pullback has one tape for all of them.
//! Rounds are run for their value and their pullback at once; where the value alone is wanted, the pullback is dropped.
#![allow(
    non_camel_case_types,
    missing_debug_implementations,
    clippy::type_complexity,
    reason = "types are named after functions and have their forms, as those made by `#[grad]`"
)]

use alloc::vec::Vec;

use crate::tangent::Differentiable;

/// So many rounds are run again at once, whatever the schedule.
const LEAF: usize = 64;
/// So many states are kept for each doubling of the number of rounds.
const KEPT: u32 = 12;

macro_rules! common_forms {
    () => {
        #[inline]
        pub fn __zero_1<T: ?Sized>(_: &T) {}
        #[inline]
        pub fn __zero_2<T: ?Sized>(_: &T) {}
        #[inline]
        pub fn __zero_3<S: Differentiable>(state: &S) -> S::Tangent {
            state.zero_tangent()
        }

        /// Forward mode needs no states of the past.
        #[inline]
        pub fn __jvp<I: Iterator, S: Differentiable, F>(
            f: F,
            _: usize,
            rounds: I,
            mut state: S,
            (): (),
            (): (),
            mut tangent: S::Tangent,
        ) -> (S, S::Tangent)
        where
            I::Item: Clone,
            F: Fn(I::Item, I::Item, S, (), (), S::Tangent) -> (S, S::Tangent),
        {
            for item in rounds {
                (state, tangent) = f(item.clone(), item, state, (), (), tangent);
            }
            (state, tangent)
        }
    };
}

/// A loop with its rounds, as the reverse sweep runs them again.
struct Rounds<I, F> {
    items: I,
    f: F,
}

impl<I: Iterator + Clone, F> Rounds<I, F> {
    /// The rounds from `start` to `end`, of which there is one at least.
    fn run<S, B>(&self, start: usize, end: usize, state: S) -> (S, B)
    where
        F: Fn(I::Item, I::Item, S) -> (S, B),
    {
        let item = |round| self.items.clone().nth(round).expect("a round of the loop");
        (self.f)(item(start), item(end - 1), state)
    }

    /// The state after the rounds from `start` to `end`.
    fn advance<S, B>(&self, mut start: usize, end: usize, mut state: S) -> S
    where
        F: Fn(I::Item, I::Item, S) -> (S, B),
    {
        while start < end {
            let next = end.min(start + LEAF);
            state = self.run(start, next, state).0;
            start = next;
        }
        state
    }

    /// The rounds from `start` to `end`, forward and back.
    fn back<S: Differentiable, B, E>(
        &self,
        start: usize,
        end: usize,
        state: S,
        bar: S::Tangent,
        env: &mut E,
    ) -> S::Tangent
    where
        F: Fn(I::Item, I::Item, S) -> (S, B),
        B: FnOnce(S::Tangent, &mut E) -> ((), (), S::Tangent),
    {
        if start == end {
            return bar;
        }
        self.run(start, end, state).1(bar, env).2
    }

    /// The same with room for `free` states on the way.
    fn schedule<S: Differentiable + Clone, B, E>(
        &self,
        (start, end): (usize, usize),
        free: usize,
        state: S,
        bar: S::Tangent,
        env: &mut E,
    ) -> S::Tangent
    where
        F: Fn(I::Item, I::Item, S) -> (S, B),
        B: FnOnce(S::Tangent, &mut E) -> ((), (), S::Tangent),
    {
        let Some(first) = split(end - start, free) else {
            return self.back(start, end, state, bar, env);
        };
        let middle = start + first;
        let later = self.advance(start, middle, state.clone());
        let bar = self.schedule((middle, end), free - 1, later, bar, env);
        self.schedule((start, middle), free, state, bar, env)
    }
}

/// `#[checkpoint(every = k)]`: the state is kept every `k` rounds.
pub struct checkpoint_every {}

impl checkpoint_every {
    common_forms!();

    #[inline]
    #[track_caller]
    pub fn __fwd<I, S, F, B, E>(
        f: F,
        every: usize,
        items: I,
        state: S,
    ) -> (
        S,
        impl FnOnce(S::Tangent, &mut E) -> ((), (), S::Tangent) + use<I, S, F, B, E>,
    )
    where
        I: Iterator + Clone,
        S: Differentiable + Clone,
        F: Fn(I::Item, I::Item, S) -> (S, B),
        B: FnOnce(S::Tangent, &mut E) -> ((), (), S::Tangent),
    {
        assert!(
            every > 0,
            "`#[checkpoint(every = 0)]`: every how many rounds?"
        );
        let rounds = Rounds { items, f };
        let count = rounds.items.size_hint().0;
        let (mut kept, mut start, mut now) = (Vec::new(), 0, state);
        while start < count {
            kept.push(now.clone());
            let end = count.min(start.saturating_add(every));
            now = rounds.advance(start, end, now);
            start = end;
        }
        let back = move |seed: S::Tangent, env: &mut E| {
            let (mut bar, mut end) = (seed, count);
            while let Some(state) = kept.pop() {
                let start = kept.len() * every;
                bar = rounds.back(start, end, state, bar, env);
                end = start;
            }
            ((), (), bar)
        };
        (now, back)
    }
}

/// `#[checkpoint]`: as many states as the logarithm of the number of rounds, by the binomial schedule of Griewank and Walther.
pub struct checkpoint_binomial {}

impl checkpoint_binomial {
    common_forms!();

    #[inline]
    pub fn __fwd<I, S, F, B, E>(
        f: F,
        _: usize,
        items: I,
        state: S,
    ) -> (
        S,
        impl FnOnce(S::Tangent, &mut E) -> ((), (), S::Tangent) + use<I, S, F, B, E>,
    )
    where
        I: Iterator + Clone,
        S: Differentiable + Clone,
        F: Fn(I::Item, I::Item, S) -> (S, B),
        B: FnOnce(S::Tangent, &mut E) -> ((), (), S::Tangent),
    {
        let rounds = Rounds { items, f };
        let count = rounds.items.size_hint().0;
        let mut free = room(count);
        // The states that the schedule wants first are met on the way.
        let (mut kept, mut start, mut now) = (Vec::new(), 0, state);
        loop {
            kept.push((start, free, now.clone()));
            let Some(first) = split(count - start, free) else {
                break;
            };
            now = rounds.advance(start, start + first, now);
            start += first;
            free -= 1;
        }
        let now = rounds.advance(start, count, now);
        let back = move |seed: S::Tangent, env: &mut E| {
            let (mut bar, mut end) = (seed, count);
            while let Some((start, free, state)) = kept.pop() {
                bar = rounds.schedule((start, end), free, state, bar, env);
                end = start;
            }
            ((), (), bar)
        };
        (now, back)
    }
}

/// What both forms of loops with a condition have alike: beside their state stands whether there is another round.
macro_rules! conditional_forms {
    () => {
        #[inline]
        pub fn __zero_1<T: ?Sized>(_: &T) {}
        #[inline]
        pub fn __zero_2<S: Differentiable>(state: &(S, bool)) -> (S::Tangent, ()) {
            state.zero_tangent()
        }

        /// Forward mode needs no states of the past.
        #[inline]
        pub fn __jvp<S: Differentiable, F>(
            f: F,
            _: usize,
            mut state: (S, bool),
            (): (),
            mut tangent: (S::Tangent, ()),
        ) -> ((S, bool), (S::Tangent, ()))
        where
            F: Fn(
                usize,
                usize,
                (S, bool),
                (),
                (),
                (S::Tangent, ()),
            ) -> ((S, bool), (S::Tangent, ())),
        {
            let mut round = 0;
            while state.1 {
                (state, tangent) = f(round, round, state, (), (), tangent);
                round += 1;
            }
            (state, tangent)
        }
    };
}

/// `#[checkpoint(every = k)]` on a loop with a condition.
pub struct checkpoint_while_every {}

impl checkpoint_while_every {
    conditional_forms!();

    #[inline]
    #[track_caller]
    pub fn __fwd<S, F, B, E>(
        f: F,
        every: usize,
        state: (S, bool),
    ) -> (
        (S, bool),
        impl FnOnce((S::Tangent, ()), &mut E) -> ((), (S::Tangent, ())) + use<S, F, B, E>,
    )
    where
        S: Differentiable + Clone,
        F: Fn(usize, usize, (S, bool)) -> ((S, bool), B),
        B: FnOnce((S::Tangent, ()), &mut E) -> ((), (), (S::Tangent, ())),
    {
        assert!(
            every > 0,
            "`#[checkpoint(every = 0)]`: every how many rounds?"
        );
        let rounds = Rounds {
            items: 0..usize::MAX,
            f,
        };
        let (mut kept, mut count, mut now) = (Vec::new(), 0, state);
        while now.1 {
            if count % every == 0 {
                kept.push(now.clone());
            }
            now = (rounds.f)(count, count, now).0;
            count += 1;
        }
        let back = move |seed: (S::Tangent, ()), env: &mut E| {
            let (mut bar, mut end) = (seed, count);
            while let Some(state) = kept.pop() {
                let start = kept.len() * every;
                bar = rounds.back(start, end, state, bar, env);
                end = start;
            }
            ((), bar)
        };
        (now, back)
    }
}

/// `#[checkpoint]` on a loop with a condition, whose number of rounds is not known before: of the states that are kept every other one goes whenever they are too many.
pub struct checkpoint_while {}

impl checkpoint_while {
    conditional_forms!();

    #[inline]
    pub fn __fwd<S, F, B, E>(
        f: F,
        _: usize,
        state: (S, bool),
    ) -> (
        (S, bool),
        impl FnOnce((S::Tangent, ()), &mut E) -> ((), (S::Tangent, ())) + use<S, F, B, E>,
    )
    where
        S: Differentiable + Clone,
        F: Fn(usize, usize, (S, bool)) -> ((S, bool), B),
        B: FnOnce((S::Tangent, ()), &mut E) -> ((), (), (S::Tangent, ())),
    {
        let rounds = Rounds {
            items: 0..usize::MAX,
            f,
        };
        let (mut kept, mut gap, mut count, mut now) = (Vec::new(), LEAF, 0, state);
        while now.1 {
            if count % gap == 0 {
                if kept.len() >= room(count) {
                    gap *= 2;
                    let mut odd = true;
                    kept.retain(|_| {
                        odd = !odd;
                        !odd
                    });
                }
                if count % gap == 0 {
                    kept.push(now.clone());
                }
            }
            now = (rounds.f)(count, count, now).0;
            count += 1;
        }
        let back = move |seed: (S::Tangent, ()), env: &mut E| {
            let (mut bar, mut end) = (seed, count);
            while let Some(state) = kept.pop() {
                let start = kept.len() * gap;
                bar = rounds.schedule((start, end), room(count), state, bar, env);
                end = start;
            }
            ((), bar)
        };
        (now, back)
    }
}

/// So many states are kept of so many rounds.
fn room(count: usize) -> usize {
    (KEPT * (usize::BITS - count.leading_zeros()).max(1)) as usize
}

/// How many of `count` rounds come before the next state that is kept, with room for `free`; `None` to run them all at once.
///
/// With room for `c` states, `binomial(c + r, r)` leaves are reached where none is run over more than `r` times.
fn split(count: usize, free: usize) -> Option<usize> {
    if count <= LEAF || free == 0 {
        return None;
    }
    let leaves = count.div_ceil(LEAF);
    let mut repeats = 1;
    while reach(free, repeats) < leaves {
        repeats += 1;
    }
    // What is left for the part behind it may be as much as `free - 1` states reach.
    let before = reach(free, repeats - 1).min(leaves - 1);
    let least = leaves.saturating_sub(reach(free - 1, repeats)).max(1);
    Some(before.max(least) * LEAF)
}

/// `binomial(free + repeats, repeats)`
fn reach(free: usize, repeats: usize) -> usize {
    (1..=repeats).fold(1_usize, |all, k| {
        // Exact at every step: the product is itself a binomial coefficient.
        let next = all as u128 * (free + k) as u128 / k as u128;
        usize::try_from(next).unwrap_or(usize::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;

    /// How often a round was run, and how many states are alive at most.
    #[derive(Default)]
    struct Counters {
        rounds: Cell<usize>,
        alive: Cell<usize>,
        most: Cell<usize>,
    }

    struct State<'a>(f64, &'a Counters);

    impl<'a> State<'a> {
        fn new(x: f64, counters: &'a Counters) -> Self {
            counters.alive.set(counters.alive.get() + 1);
            counters
                .most
                .set(counters.most.get().max(counters.alive.get()));
            State(x, counters)
        }
    }

    impl Clone for State<'_> {
        fn clone(&self) -> Self {
            State::new(self.0, self.1)
        }
    }

    impl Drop for State<'_> {
        fn drop(&mut self) {
            self.1.alive.set(self.1.alive.get() - 1);
        }
    }

    impl Differentiable for State<'_> {
        type Tangent = f64;
        fn zero_tangent(&self) -> f64 {
            0.0
        }
        fn write_flat(&self, out: &mut [f64]) {
            out[0] = self.0;
        }
    }

    /// Rounds of a nonlinear recurrence, and their pullback.
    fn recurrence(
        first: usize,
        last: usize,
        mut x: f64,
        counters: &Counters,
    ) -> (f64, impl FnOnce(f64, &mut f64) -> ((), (), f64) + use<>) {
        let mut tape = Vec::new();
        for i in first..=last {
            counters.rounds.set(counters.rounds.get() + 1);
            let k = 1.0 + 1e-3 * (i % 7) as f64;
            tape.push((x, k));
            x = (k * x).sin();
        }
        let back = move |mut bar: f64, sum: &mut f64| {
            for (x, k) in tape.into_iter().rev() {
                *sum += bar * x;
                bar *= k * (k * x).cos();
            }
            ((), (), bar)
        };
        (x, back)
    }

    /// The derivative of `n` rounds of a nonlinear recurrence, with its counters.
    fn run(n: usize, every: Option<usize>) -> (f64, f64, Counters) {
        let counters = Counters::default();
        let rounds = |first: usize, last: usize, s: State<'_>| {
            let (x, back) = recurrence(first, last, s.0, &counters);
            (State::new(x, &counters), back)
        };
        let mut sum = 0.0;
        let (last, bar) = match every {
            Some(k) => {
                let (last, back) =
                    checkpoint_every::__fwd(rounds, k, 0..n, State::new(0.5, &counters));
                (last.0, back(1.0, &mut sum).2)
            }
            None => {
                let (last, back) =
                    checkpoint_binomial::__fwd(rounds, 0, 0..n, State::new(0.5, &counters));
                (last.0, back(1.0, &mut sum).2)
            }
        };
        (last, bar + sum, counters)
    }

    #[test]
    fn every_schedule_gives_the_same_bits() {
        for n in [0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 1000, 4097, 20_000] {
            let plain = run(n, Some(usize::MAX));
            for every in [Some(1), Some(2), Some(7), Some(64), Some(1000), None] {
                let (last, bar, _) = run(n, every);
                assert_eq!(last.to_bits(), plain.0.to_bits(), "{n} {every:?}");
                assert_eq!(bar.to_bits(), plain.1.to_bits(), "{n} {every:?}");
            }
        }
    }

    #[test]
    fn states_and_rounds_are_few() {
        for n in [1000, 100_000, 1_000_000] {
            let (_, _, counters) = run(n, None);
            let doublings = (usize::BITS - n.leading_zeros()) as usize;
            assert!(counters.most.get() <= KEPT as usize * doublings + 4);
            assert!(
                counters.rounds.get() <= 3 * n + LEAF,
                "{} rounds of {n}",
                counters.rounds.get()
            );
        }
        let (_, _, counters) = run(10_000, Some(100));
        assert!(counters.most.get() <= 103);
        assert_eq!(counters.rounds.get(), 20_000);
    }

    /// The same with the number of rounds as a condition.
    fn run_while(n: usize, every: Option<usize>) -> (f64, f64, Counters) {
        let counters = Counters::default();
        let rounds = |first: usize, last: usize, (s, _): (State<'_>, bool)| {
            let (x, back) = recurrence(first, last, s.0, &counters);
            let back = move |bar: (f64, ()), sum: &mut f64| {
                let ((), (), bar) = back(bar.0, sum);
                ((), (), (bar, ()))
            };
            ((State::new(x, &counters), last + 1 < n), back)
        };
        let start = (State::new(0.5, &counters), n > 0);
        let mut sum = 0.0;
        let (last, bar) = match every {
            Some(k) => {
                let (last, back) = checkpoint_while_every::__fwd(rounds, k, start);
                (last.0.0, back((1.0, ()), &mut sum).1.0)
            }
            None => {
                let (last, back) = checkpoint_while::__fwd(rounds, 0, start);
                (last.0.0, back((1.0, ()), &mut sum).1.0)
            }
        };
        (last, bar + sum, counters)
    }

    #[test]
    fn loops_with_a_condition_give_the_same_bits() {
        for n in [0, 1, 2, 63, 64, 65, 129, 1000, 4097, 20_000] {
            let plain = run(n, Some(usize::MAX));
            for every in [Some(1), Some(7), Some(1000), None] {
                let (last, bar, _) = run_while(n, every);
                assert_eq!(last.to_bits(), plain.0.to_bits(), "{n} {every:?}");
                assert_eq!(bar.to_bits(), plain.1.to_bits(), "{n} {every:?}");
            }
        }
    }

    #[test]
    fn of_loops_with_a_condition_few_states_are_kept() {
        for n in [1000, 100_000, 1_000_000] {
            let (_, _, counters) = run_while(n, None);
            assert!(
                counters.most.get() <= 2 * room(n) + 4,
                "{} states of {n}",
                counters.most.get()
            );
            assert!(
                counters.rounds.get() <= 3 * n + LEAF,
                "{} rounds of {n}",
                counters.rounds.get()
            );
        }
    }

    #[test]
    fn coefficients() {
        assert_eq!(reach(3, 0), 1);
        assert_eq!(reach(3, 2), 10);
        assert_eq!(reach(240, 3), 2_362_041);
    }
}
