//! Timing on a shared machine: every round takes one sample of each contestant, in random order, so that drift hits all alike.
//!
//! Samples are shorter than the slices that a busy system hands out, so that some of them run undisturbed.
//! What disturbs a sample only ever adds time, hence the fastest one and not the median.

use std::time::{Duration, Instant};

use crate::data::Random;
use crate::problem::{Contestant, Kind, Problem};

/// So long should one sample take.
const SAMPLE: Duration = Duration::from_micros(500);
/// So many rounds are measured.
const ROUNDS: usize = 201;

/// Nanoseconds per call of every contestant of one problem.
pub(crate) struct Times {
    kinds: Vec<(Kind, f64)>,
}

impl Times {
    /// Measures every contestant of `problem`.
    pub(crate) fn of(problem: &Problem) -> Self {
        let contestants = &problem.contestants;
        let counts: Vec<u64> = contestants.iter().map(calibrate).collect();
        let mut fastest = vec![f64::INFINITY; contestants.len()];
        let mut order: Vec<usize> = (0..contestants.len()).collect();
        let mut random = Random::new(7);
        for _ in 0..ROUNDS {
            random.shuffle(&mut order);
            for &k in &order {
                // The contestant before has left other things in the caches.
                (contestants[k].repeat)(1);
                let taken = time(&contestants[k], counts[k]);
                fastest[k] = fastest[k].min(taken.as_nanos() as f64 / counts[k] as f64);
            }
        }
        let kinds = contestants.iter().map(|c| c.kind);
        Times {
            kinds: kinds.zip(fastest).collect(),
        }
    }

    /// The time of `kind`, if it takes part.
    pub(crate) fn time(&self, kind: Kind) -> Option<f64> {
        let found = self.kinds.iter().find(|(k, _)| *k == kind);
        found.map(|(_, time)| *time)
    }

    /// The ratio of two times.
    pub(crate) fn ratio(&self, over: Kind, under: Kind) -> Option<f64> {
        Some(self.time(over)? / self.time(under)?)
    }
}

fn time(contestant: &Contestant, count: u64) -> Duration {
    let start = Instant::now();
    (contestant.repeat)(count);
    start.elapsed()
}

/// Warms up, and finds how many calls fill a sample.
fn calibrate(contestant: &Contestant) -> u64 {
    let mut count = 1;
    loop {
        // The best of a few: one that was interrupted would make the samples too short.
        let taken = (0..5).map(|_| time(contestant, count)).min();
        let taken = taken.unwrap_or_default();
        if taken >= SAMPLE / 2 {
            let share = SAMPLE.as_secs_f64() / taken.as_secs_f64();
            return ((count as f64 * share) as u64).max(1);
        }
        count *= 2;
    }
}

/// Runs one program so many times, and nothing else, for tools that count instructions.
#[inline(never)]
pub(crate) fn counted(contestant: &Contestant, times: u64) {
    (contestant.repeat)(times);
}
