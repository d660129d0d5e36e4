//! Loops that keep their state now and then, and run again from there in the reverse sweep.
//!
//! The forms are those of a `#[grad]` function whose first parameter is some rounds of the loop, `(first, last, state) → state`:
//! so many rounds run as one loop, whose pullback has one tape for all of them.
//! Rounds are run for their value and their pullback at once; where the value alone is wanted, the pullback is dropped.
#![allow(
    non_camel_case_types,
    missing_debug_implementations,
    clippy::too_many_arguments,
    clippy::type_complexity,
    reason = "types are named after functions and have their forms, as those made by `#[grad]`"
)]

use alloc::vec::Vec;
use core::panic::Location;

use crate::generated::Order;
use crate::tangent::{Differentiable, Tangent};

/// So many rounds are run again at once, whatever the schedule.
const LEAF: usize = 64;
/// So many states are kept for each doubling of the number of rounds.
const KEPT: u32 = 12;

/// A loop with its rounds, as the reverse sweep runs them again: each run gives the state after it, and what leads back.
///
/// The states of a derivative are those of the loop with their tangents, and the cotangents alike; so every order takes the same ways.
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
    fn back<S: Printed, B, C>(
        &self,
        (start, end): (usize, usize),
        state: S,
        bar: C,
        met: &mut Met,
        pull: &mut impl FnMut(B, C) -> C,
    ) -> C
    where
        F: Fn(I::Item, I::Item, S) -> (S, B),
    {
        if start == end {
            return bar;
        }
        let before = state.print();
        let (after, back) = self.run(start, end, state);
        met.check(after.print());
        met.print = before;
        pull(back, bar)
    }

    /// The same with room for `free` states on the way.
    fn schedule<S: Printed + Clone, B, C>(
        &self,
        (start, end): (usize, usize),
        free: usize,
        state: S,
        bar: C,
        met: &mut Met,
        pull: &mut impl FnMut(B, C) -> C,
    ) -> C
    where
        F: Fn(I::Item, I::Item, S) -> (S, B),
    {
        let Some(first) = split(end - start, free) else {
            return self.back((start, end), state, bar, met, pull);
        };
        let middle = start + first;
        let later = self.advance(start, middle, state.clone());
        let bar = self.schedule((middle, end), free - 1, later, bar, met, pull);
        self.schedule((start, middle), free, state, bar, met, pull)
    }
}

/// The state behind the rounds that run again: where they do something else than they did, a generator of random numbers for one, it is another.
struct Met {
    print: u64,
    /// The loop.
    at: &'static Location<'static>,
}

impl Met {
    fn check(&self, print: u64) {
        assert!(
            self.print == print,
            "the loop with `#[checkpoint]` at {} did something else when it ran again: what it calls must do the same each time; draw random numbers before the loop, or leave `#[checkpoint]` out",
            self.at
        );
    }
}

/// A state of which a number tells whether it is the same.
trait Printed {
    /// All of its floats, mixed.
    fn print(&self) -> u64;
}

impl<S: Differentiable> Printed for S {
    fn print(&self) -> u64 {
        let count = self.zero_tangent().scalar_count();
        let (mut few, mut many) = ([0.0; 16], Vec::new());
        let flat = match few.get_mut(..count) {
            Some(few) => few,
            None => {
                many.resize(count, 0.0);
                &mut many[..]
            }
        };
        self.write_flat(flat);
        flat.iter().fold(count as u64, |mixed, x: &f64| {
            // Which NaN it is, is nobody's promise.
            let bits = if x.is_nan() { u64::MAX } else { x.to_bits() };
            (mixed.rotate_left(5) ^ bits).wrapping_mul(0x517c_c1b7_2722_0a95)
        })
    }
}

/// What a loop has kept on the way forward.
struct Kept<I, F, S> {
    rounds: Rounds<I, F>,
    count: usize,
    /// Where a state was met, how many may be kept behind it, and the state.
    states: Vec<(usize, usize, S)>,
    /// The last state.
    met: Met,
}

impl<I: Iterator + Clone, F, S: Printed + Clone> Kept<I, F, S> {
    /// The cotangent of the first state, from that of the last one.
    fn back<B, C>(mut self, seed: C, mut pull: impl FnMut(B, C) -> C) -> C
    where
        F: Fn(I::Item, I::Item, S) -> (S, B),
    {
        let (mut bar, mut end) = (seed, self.count);
        while let Some((start, free, state)) = self.states.pop() {
            bar = self
                .rounds
                .schedule((start, end), free, state, bar, &mut self.met, &mut pull);
            end = start;
        }
        bar
    }
}

/// The state is kept every so many rounds.
#[track_caller]
fn in_steps<I, F, S, B>(rounds: Rounds<I, F>, every: usize, state: S) -> (S, Kept<I, F, S>)
where
    I: Iterator + Clone,
    S: Printed + Clone,
    F: Fn(I::Item, I::Item, S) -> (S, B),
{
    assert_some(every);
    let count = rounds.items.size_hint().0;
    let (mut states, mut start, mut now) = (Vec::new(), 0, state);
    while start < count {
        states.push((start, 0, now.clone()));
        let end = count.min(start.saturating_add(every));
        now = rounds.advance(start, end, now);
        start = end;
    }
    let met = Met {
        print: now.print(),
        at: Location::caller(),
    };
    let kept = Kept {
        rounds,
        count,
        states,
        met,
    };
    (now, kept)
}

/// The states that the binomial schedule wants first are met on the way.
#[track_caller]
fn binomially<I, F, S, B>(rounds: Rounds<I, F>, _: usize, state: S) -> (S, Kept<I, F, S>)
where
    I: Iterator + Clone,
    S: Printed + Clone,
    F: Fn(I::Item, I::Item, S) -> (S, B),
{
    let count = rounds.items.size_hint().0;
    let mut free = room(count);
    let (mut states, mut start, mut now) = (Vec::new(), 0, state);
    loop {
        states.push((start, free, now.clone()));
        let Some(first) = split(count - start, free) else {
            break;
        };
        now = rounds.advance(start, start + first, now);
        start += first;
        free -= 1;
    }
    let now = rounds.advance(start, count, now);
    let met = Met {
        print: now.print(),
        at: Location::caller(),
    };
    let kept = Kept {
        rounds,
        count,
        states,
        met,
    };
    (now, kept)
}

/// Every so many rounds of a loop with a condition.
#[track_caller]
fn while_in_steps<I, F, S, B>(rounds: Rounds<I, F>, every: usize, state: S) -> (S, Kept<I, F, S>)
where
    I: Iterator + Clone,
    S: Goes + Printed + Clone,
    F: Fn(I::Item, I::Item, S) -> (S, B),
{
    assert_some(every);
    let (mut states, mut count, mut now) = (Vec::new(), 0, state);
    while now.goes() {
        if count % every == 0 {
            states.push((count, 0, now.clone()));
        }
        now = rounds.run(count, count + 1, now).0;
        count += 1;
    }
    let met = Met {
        print: now.print(),
        at: Location::caller(),
    };
    let kept = Kept {
        rounds,
        count,
        states,
        met,
    };
    (now, kept)
}

/// Of the states that are kept every other one goes whenever they are too many.
#[track_caller]
fn while_thinned<I, F, S, B>(rounds: Rounds<I, F>, _: usize, state: S) -> (S, Kept<I, F, S>)
where
    I: Iterator + Clone,
    S: Goes + Printed + Clone,
    F: Fn(I::Item, I::Item, S) -> (S, B),
{
    let (mut states, mut gap, mut count, mut now) = (Vec::new(), LEAF, 0, state);
    while now.goes() {
        if count % gap == 0 {
            if states.len() >= room(count) {
                gap *= 2;
                let mut odd = true;
                states.retain(|_| {
                    odd = !odd;
                    !odd
                });
            }
            if count % gap == 0 {
                states.push((count, 0, now.clone()));
            }
        }
        now = rounds.run(count, count + 1, now).0;
        count += 1;
    }
    for (_, free, _) in &mut states {
        *free = room(count);
    }
    let met = Met {
        print: now.print(),
        at: Location::caller(),
    };
    let kept = Kept {
        rounds,
        count,
        states,
        met,
    };
    (now, kept)
}

#[track_caller]
fn assert_some(every: usize) {
    assert!(
        every > 0,
        "`#[checkpoint(every = 0)]`: every how many rounds?"
    );
}

/// A state, and its tangents.
#[derive(Clone)]
struct Dual<S, T>(S, T);

/// What its tangents are follows from it.
impl<S: Printed, T> Printed for Dual<S, T> {
    fn print(&self) -> u64 {
        self.0.print()
    }
}

/// Whether there is another round, as the state of a loop with a condition says it.
pub trait Goes {
    fn goes(&self) -> bool;
}

impl<S> Goes for (S, bool) {
    fn goes(&self) -> bool {
        self.1
    }
}

impl<S: Goes, T> Goes for Dual<S, T> {
    fn goes(&self) -> bool {
        self.0.goes()
    }
}

/// The state of a loop over a range, whose rounds are counted.
pub trait Counted {
    fn goes(&self) -> bool {
        true
    }
}

impl<S> Counted for S {}

/// What is there once for a value and each of its tangents of two orders.
type Four<T> = (T, T, T, T);

/// The forms of a loop, of which `$keep` is the way forward.
macro_rules! forms {
    ($(#[$doc:meta])* $name:ident, $keep:ident, $state:ident) => {
        $(#[$doc])*
        pub struct $name {}

        impl $name {
            pub const __STEEP: bool = true;

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
            pub fn __jvp<I: Iterator, S: Differentiable + $state, F>(
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
                    if !state.goes() {
                        break;
                    }
                    (state, tangent) = f(item.clone(), item, state, (), (), tangent);
                }
                (state, tangent)
            }

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
                S: Differentiable + $state + Clone,
                F: Fn(I::Item, I::Item, S) -> (S, B),
                B: FnOnce(S::Tangent, &mut E) -> ((), (), S::Tangent),
            {
                let (now, kept) = $keep(Rounds { items, f }, every, state);
                let back = move |seed: S::Tangent, env: &mut E| {
                    ((), (), kept.back(seed, |back: B, bar| back(bar, env).2))
                };
                (now, back)
            }

            /// Second derivatives: states are kept with their tangents.
            #[inline]
            #[track_caller]
            pub fn __jvp_fwd<I, S, F, B, E>(
                f: F,
                every: usize,
                items: I,
                state: S,
                (): (),
                (): (),
                tangent: S::Tangent,
            ) -> (
                S,
                S::Tangent,
                impl FnOnce(
                    S::Tangent,
                    S::Tangent,
                    &mut E,
                    &mut E,
                ) -> (((), (), S::Tangent), ((), (), S::Tangent))
                + use<I, S, F, B, E>,
            )
            where
                I: Iterator + Clone,
                S: Differentiable + $state + Clone,
                F: Fn(I::Item, I::Item, S, (), (), S::Tangent) -> (S, S::Tangent, B),
                B: FnOnce(
                    S::Tangent,
                    S::Tangent,
                    &mut E,
                    &mut E,
                ) -> (((), (), S::Tangent), ((), (), S::Tangent)),
            {
                let f = move |first: I::Item, last: I::Item, s: Dual<S, S::Tangent>| {
                    let (s, dot, back) = f(first, last, s.0, (), (), s.1);
                    (Dual(s, dot), back)
                };
                let (now, kept) = $keep(Rounds { items, f }, every, Dual(state, tangent));
                let back = move |seed, dot_seed, env: &mut E, dot_env: &mut E| {
                    let (bar, dot_bar) = kept.back((seed, dot_seed), |back: B, (bar, dot_bar)| {
                        let (bars, dot_bars) = back(bar, dot_bar, env, dot_env);
                        (bars.2, dot_bars.2)
                    });
                    (((), (), bar), ((), (), dot_bar))
                };
                (now.0, now.1, back)
            }

            /// Third derivatives.
            #[inline]
            #[track_caller]
            pub fn __jvp_jvp_fwd<I, S, F, B, E>(
                f: F,
                every: usize,
                items: I,
                state: S,
                (): (),
                (): (),
                dot: S::Tangent,
                (): (),
                (): (),
                dot2: S::Tangent,
                (): (),
                (): (),
                dot3: S::Tangent,
            ) -> (
                S,
                S::Tangent,
                S::Tangent,
                S::Tangent,
                impl FnOnce(
                    S::Tangent,
                    S::Tangent,
                    S::Tangent,
                    S::Tangent,
                    &mut E,
                    &mut E,
                    &mut E,
                    &mut E,
                ) -> Four<((), (), S::Tangent)>
                + use<I, S, F, B, E>,
            )
            where
                I: Iterator + Clone,
                S: Differentiable + $state + Clone,
                F: Fn(
                    I::Item,
                    I::Item,
                    S,
                    (),
                    (),
                    S::Tangent,
                    (),
                    (),
                    S::Tangent,
                    (),
                    (),
                    S::Tangent,
                ) -> (S, S::Tangent, S::Tangent, S::Tangent, B),
                B: FnOnce(
                    S::Tangent,
                    S::Tangent,
                    S::Tangent,
                    S::Tangent,
                    &mut E,
                    &mut E,
                    &mut E,
                    &mut E,
                ) -> Four<((), (), S::Tangent)>,
            {
                let f = move |first: I::Item, last: I::Item, s: Dual<S, [S::Tangent; 3]>| {
                    let Dual(s, [dot, dot2, dot3]) = s;
                    let (s, dot, dot2, dot3, back) =
                        f(first, last, s, (), (), dot, (), (), dot2, (), (), dot3);
                    (Dual(s, [dot, dot2, dot3]), back)
                };
                let (now, kept) = $keep(Rounds { items, f }, every, Dual(state, [dot, dot2, dot3]));
                let back = move |seed, seed1, seed2, seed3, e: &mut E, e1: &mut E, e2: &mut E, e3: &mut E| {
                    let bars = kept.back((seed, seed1, seed2, seed3), |back: B, c: Four<S::Tangent>| {
                        let c = back(c.0, c.1, c.2, c.3, e, e1, e2, e3);
                        (c.0.2, c.1.2, c.2.2, c.3.2)
                    });
                    (((), (), bars.0), ((), (), bars.1), ((), (), bars.2), ((), (), bars.3))
                };
                let Dual(now, [dot, dot2, dot3]) = now;
                (now, dot, dot2, dot3, back)
            }
        }

        impl<const N: u32> Order<N> for $name {}
    };
}

forms! {
    /// `#[checkpoint(every = k)]`: the state is kept every `k` rounds.
    checkpoint_every, in_steps, Counted
}

forms! {
    /// `#[checkpoint]`: as many states as the logarithm of the number of rounds, by the binomial schedule of Griewank and Walther.
    checkpoint_binomial, binomially, Counted
}

forms! {
    /// `#[checkpoint(every = k)]` on a loop with a condition, beside whose state stands whether there is another round.
    checkpoint_while_every, while_in_steps, Goes
}

forms! {
    /// `#[checkpoint]` on a loop with a condition, whose number of rounds is not known before.
    checkpoint_while, while_thinned, Goes
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
                let (last, back) = checkpoint_while_every::__fwd(rounds, k, 0..usize::MAX, start);
                (last.0.0, back((1.0, ()), &mut sum).2.0)
            }
            None => {
                let (last, back) = checkpoint_while::__fwd(rounds, 0, 0..usize::MAX, start);
                (last.0.0, back((1.0, ()), &mut sum).2.0)
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
    #[should_panic(expected = "did something else when it ran again")]
    fn rounds_that_draw_random_numbers_are_noticed() {
        let drawn = Cell::new(0.0);
        let rounds = |first: usize, last: usize, mut x: f64| {
            for _ in first..=last {
                drawn.set(drawn.get() + 1.0);
                x *= drawn.get();
            }
            (x, move |bar: f64, (): &mut ()| ((), (), bar))
        };
        let (_, back) = checkpoint_binomial::__fwd(rounds, 0, 0..3, 1.0);
        back(1.0, &mut ());
    }

    #[test]
    fn coefficients() {
        assert_eq!(reach(3, 0), 1);
        assert_eq!(reach(3, 2), 10);
        assert_eq!(reach(240, 3), 2_362_041);
    }
}
