//! Timing on a shared machine: every round takes one sample of each contestant, so that drift hits all alike.
//!
//! Samples are shorter than the slices that a busy system hands out, so that most of them run undisturbed.

use std::time::{Duration, Instant};

use crate::problem::{Contestant, Kind, Problem};

/// So long should one sample take.
const SAMPLE: Duration = Duration::from_millis(2);
/// So many rounds are measured.
const ROUNDS: usize = 101;

/// The samples of one problem: nanoseconds per call, one entry per round.
pub(crate) struct Samples {
    kinds: Vec<(Kind, Vec<f64>)>,
}

impl Samples {
    /// Measures every contestant of `problem`.
    pub(crate) fn of(problem: &Problem) -> Self {
        let counts: Vec<u64> = problem.contestants.iter().map(calibrate).collect();
        let mut kinds: Vec<(Kind, Vec<f64>)> = problem
            .contestants
            .iter()
            .map(|c| (c.kind, Vec::with_capacity(ROUNDS)))
            .collect();
        for _ in 0..ROUNDS {
            for ((contestant, &count), (_, times)) in
                problem.contestants.iter().zip(&counts).zip(&mut kinds)
            {
                // The contestant before has left other things in the caches.
                (contestant.repeat)(1);
                times.push(time(contestant, count).as_nanos() as f64 / count as f64);
            }
        }
        Samples { kinds }
    }

    fn times(&self, kind: Kind) -> Option<&[f64]> {
        let found = self.kinds.iter().find(|(k, _)| *k == kind);
        found.map(|(_, times)| times.as_slice())
    }

    /// The median time of `kind`, in nanoseconds.
    pub(crate) fn median(&self, kind: Kind) -> Option<f64> {
        self.times(kind).map(|times| median(times.to_vec()))
    }

    /// The median over the rounds of the ratio of the two times of that round.
    pub(crate) fn ratio(&self, over: Kind, under: Kind) -> Option<f64> {
        let (over, under) = (self.times(over)?, self.times(under)?);
        Some(median(over.iter().zip(under).map(|(a, b)| a / b).collect()))
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
        let taken = time(contestant, count);
        if taken >= SAMPLE / 2 {
            let share = SAMPLE.as_secs_f64() / taken.as_secs_f64();
            return ((count as f64 * share) as u64).max(1);
        }
        count *= 2;
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        0.5 * (values[middle - 1] + values[middle])
    }
}

/// Runs one program so many times, and nothing else, for tools that count instructions.
#[inline(never)]
pub(crate) fn counted(contestant: &Contestant, times: u64) {
    (contestant.repeat)(times);
}
