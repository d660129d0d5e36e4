//! The most memory that a program has, in a process of its own.

use std::env;
use std::fs;
use std::process::Command;

use super::problems::{Problem, Which, problems};

/// The most that the process has which runs one program of a problem once, in bytes.
pub(crate) fn of(problem: &Problem, program: &str) -> Option<u64> {
    let mut command = Command::new(env::current_exe().ok()?);
    command.args(["peak", problem.eval, &problem.workload, program]);
    let output = command.output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// What such a process does: it runs the program once, and says how many bytes this process has had; nothing where there is no such program.
pub(crate) fn peak(eval: &str, workload: &str, program: &str) -> Option<u64> {
    let all = problems();
    let same = |problem: &&Problem| problem.eval == eval && problem.workload == workload;
    let Which::Gradient(made) = &all.iter().find(same)?.which else {
        return None;
    };
    let made = made();
    let chosen = match program {
        "gradient" => &made.gradient,
        "hand" => made.hand.as_ref()?,
        _ => return None,
    };
    (chosen.run)();
    most()
}

/// The most memory that the process has had so far, in bytes; Linux tells it.
fn most() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}
