//! Times of several programs that take turns, so that whatever else the machine does hits all alike.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// So long should a sample take at least: far above what reading the clock takes.
const SAMPLE: Duration = Duration::from_micros(500);
/// So long are the programs of a problem measured together.
const TOGETHER: Duration = Duration::from_millis(1500);
/// So many samples are taken of each, however long they take.
const SAMPLES: usize = 5;

/// The processor time that this thread has used so far: others take turns with it.
fn used() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        time.tv_nsec.unsigned_abs() as u32,
    )
}

fn since(start: Duration) -> Duration {
    used().saturating_sub(start)
}

/// How long one run of each takes, in seconds: that of the fastest sample, since what disturbs one only ever adds time.
pub(crate) fn fastest(runs: &[&dyn Fn()]) -> Vec<f64> {
    let counts: Vec<u32> = runs.iter().map(|run| calibrate(run)).collect();
    let mut fastest = vec![f64::INFINITY; runs.len()];
    let start = used();
    let mut samples = 0;
    while samples < SAMPLES || since(start) < TOGETHER {
        for (k, run) in runs.iter().enumerate() {
            if counts[k] > 1 {
                // The program before has left other things in the caches.
                run();
            }
            let taken = sample(run, counts[k]).as_secs_f64() / f64::from(counts[k]);
            fastest[k] = fastest[k].min(taken);
        }
        samples += 1;
    }
    fastest
}

fn sample(run: &dyn Fn(), count: u32) -> Duration {
    let start = used();
    for _ in 0..count {
        run();
    }
    since(start)
}

/// How many runs make a sample.
fn calibrate(run: &dyn Fn()) -> u32 {
    let mut count = 1;
    while sample(run, count) < SAMPLE {
        count *= 2;
    }
    count
}
