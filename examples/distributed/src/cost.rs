//! What sums over processes cost: measured between those that are there, and computed for more of them.

use std::io::Write;
use std::time::Instant;

use mpi::collective::SystemOperation;
use mpi::traits::CommunicatorCollectives;

/// How long a sum over processes takes, as a line: seconds before the first number arrives, and bytes a second from then on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// The time of a message without a length, in seconds.
    pub latency: f64,
    /// Bytes a second of one process to the next.
    pub bandwidth: f64,
}

impl Network {
    /// The seconds that `p` processes need for the sum of so many bytes, in a ring: 2 (p − 1) messages of an p-th of it each.
    ///
    /// After Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations" (2009).
    pub fn ring(&self, bytes: f64, processes: f64) -> f64 {
        let messages = 2.0 * (processes - 1.0);
        messages * (self.latency + bytes / processes / self.bandwidth)
    }

    /// The line through the fastest sums of few and of many numbers between the processes that are there.
    pub fn measured(world: &impl CommunicatorCollectives) -> Network {
        let processes = f64::from(world.size());
        let messages = 2.0 * (processes - 1.0);
        // Many sums one after the other: of a single one a process sees nothing that comes to it last.
        let fastest = |numbers: usize, sums: u32| {
            let sent = vec![1.0_f32; numbers];
            let mut received = vec![0.0_f32; numbers];
            let mut round = || {
                world.barrier();
                let start = Instant::now();
                for _ in 0..sums {
                    world.all_reduce_into(&sent[..], &mut received[..], SystemOperation::sum());
                }
                start.elapsed().as_secs_f64() / f64::from(sums)
            };
            (0..5).map(|_| round()).fold(f64::INFINITY, f64::min)
        };
        let (few, many) = (fastest(1, 2000), fastest(MANY, 5));
        let bytes = (MANY * size_of::<f32>()) as f64 / processes;
        Network {
            latency: few / messages,
            bandwidth: messages * bytes / (many - few).max(f64::MIN_POSITIVE),
        }
    }

    /// For numbers of processes, what a step takes in which each computes for `seconds` and then all sum `bytes` of gradient.
    pub fn table(&self, seconds: f64, bytes: f64, out: &mut dyn Write) -> std::io::Result<()> {
        writeln!(
            out,
            "a message takes {:.1} µs, and {:.2} GB a second go from one process to the next",
            self.latency * 1e6,
            self.bandwidth * 1e-9
        )?;
        writeln!(out, "processes   sum, ms   step, ms   of it computing")?;
        for processes in [2.0, 8.0, 64.0, 512.0] {
            let sum = self.ring(bytes, processes);
            let step = seconds + sum;
            writeln!(
                out,
                "{processes:9}   {:7.2}   {:8.1}   {:13.0} %",
                sum * 1e3,
                step * 1e3,
                100.0 * seconds / step
            )?;
        }
        Ok(())
    }
}

/// Numbers enough that the time before the first is none of the matter: 16 MB.
const MANY: usize = 1 << 22;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_of_two_exchanges_halves_twice() {
        let network = Network {
            latency: 1e-6,
            bandwidth: 1e9,
        };
        let time = network.ring(1e6, 2.0);
        assert!((time - 2.0 * (1e-6 + 0.5e-3)).abs() < 1e-12, "{time}");
        assert!(network.ring(1e6, 1.0).abs() < 1e-12);
    }

    #[test]
    fn many_processes_cost_twice_the_bytes_and_their_messages() {
        let network = Network {
            latency: 1e-6,
            bandwidth: 1e9,
        };
        let time = network.ring(1e6, 512.0);
        assert!(
            (time - (1022e-6 + 2.0 * 511.0 / 512.0 * 1e-3)).abs() < 1e-9,
            "{time}"
        );
    }
}
