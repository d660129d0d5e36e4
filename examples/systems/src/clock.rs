//! What a program uses: time and memory.

use std::fs;
use std::time::{Duration, Instant};

/// Measures how long something takes that this thread does: in processor time where the system tells it, since other programs take turns with this one.
pub struct Clock {
    start: Instant,
    used: Option<u64>,
}

impl Clock {
    /// Starts now.
    pub fn start() -> Self {
        Clock {
            start: Instant::now(),
            used: used(),
        }
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        match (self.used, used()) {
            (Some(before), Some(now)) => Duration::from_nanos(now - before),
            _ => self.start.elapsed(),
        }
    }
}

/// The nanoseconds that this thread has run so far; Linux tells them.
fn used() -> Option<u64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}

/// The most memory that the process has had so far, in bytes; Linux tells it.
pub fn peak_memory() -> Option<usize> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: usize = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}
