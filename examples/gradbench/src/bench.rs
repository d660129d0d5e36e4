//! What gradients cost: beside their functions, beside gradients by hand, in memory, and when there is ten times as much to do.

mod data;
mod measure;
mod memory;
mod picture;
mod problems;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::Path;

use measure::fastest;
pub(crate) use memory::peak;
use problems::{Problem, Which, problems};

/// What was measured of a problem.
struct Row {
    eval: &'static str,
    workload: String,
    /// Seconds.
    primal: f64,
    gradient: f64,
    hand: Option<f64>,
    /// Bytes, where the system tells them.
    memory: Option<u64>,
    memory_by_hand: Option<u64>,
    /// How much longer function and gradient take for ten times the work.
    growth: Option<(f64, f64)>,
}

/// Measures the evals with these names, all if there are none, and prints tables; a picture goes to `svg`. Returns whether there is such an eval.
pub(crate) fn bench(evals: &[String], svg: Option<&Path>, out: &mut dyn Write) -> io::Result<bool> {
    let all = problems();
    // An eval that is written in several styles stands for all of them.
    let named = |problem: &Problem, name: &str| {
        let rest = problem.eval.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    if let Some(unknown) = evals.iter().find(|e| !all.iter().any(|p| named(p, e))) {
        let mut names: Vec<&str> = all.iter().map(|problem| problem.eval).collect();
        names.dedup();
        let names = names.join(", ");
        writeln!(
            out,
            "there is no problem `{unknown}` to measure, but there are {names}"
        )?;
        return Ok(false);
    }
    let chosen = |p: &&Problem| evals.is_empty() || evals.iter().any(|name| named(p, name));
    let mut rows: Vec<Row> = Vec::new();
    let mut modes = Vec::new();
    for problem in all.iter().filter(chosen) {
        eprintln!("{} {}", problem.eval, problem.workload);
        match &problem.which {
            Which::Gradient(made) => rows.push(row(problem, &made(), rows.last())?),
            Which::Modes(made) => {
                let runs = made();
                let times = fastest(&runs.iter().map(|(_, run)| &**run).collect::<Vec<_>>());
                let names = runs.iter().map(|(name, _)| *name);
                modes.push((problem, names.zip(times).collect::<Vec<_>>()));
            }
        }
    }
    if !rows.is_empty() {
        table(&rows, out)?;
    }
    for (problem, times) in modes {
        table_of_modes(problem, &times, out)?;
    }
    if let Some(path) = svg {
        picture::draw(path, &rows)?;
    }
    Ok(true)
}

/// Compares the gradients with each other, and measures.
fn row(problem: &Problem, made: &problems::Gradients, before: Option<&Row>) -> io::Result<Row> {
    let differ = |reason: String| {
        let place = format!("{} {}", problem.eval, problem.workload);
        io::Error::other(format!("{place}: the gradient by hand {reason}"))
    };
    if let Some(hand) = &made.hand {
        close(&made.gradient.result(), &hand.result()).map_err(differ)?;
    }
    let mut runs: Vec<&dyn Fn()> = vec![&*made.primal.run, &*made.gradient.run];
    runs.extend(made.hand.as_ref().map(|hand| &*hand.run));
    let times = fastest(&runs);
    let small = before.filter(|row| problem.is_ten_times && row.eval == problem.eval);
    Ok(Row {
        eval: problem.eval,
        workload: problem.workload.clone(),
        primal: times[0],
        gradient: times[1],
        hand: times.get(2).copied(),
        memory: memory::of(problem, "gradient"),
        memory_by_hand: made.hand.as_ref().and_then(|_| memory::of(problem, "hand")),
        growth: small.map(|small| (times[0] / small.primal, times[1] / small.gradient)),
    })
}

/// Whether two gradients are the same but for rounding.
fn close(ours: &[f64], hand: &[f64]) -> Result<(), String> {
    if ours.len() != hand.len() {
        return Err("has another length".to_owned());
    }
    let norm = |numbers: &mut dyn Iterator<Item = f64>| numbers.map(|x| x * x).sum::<f64>().sqrt();
    let off = norm(&mut ours.iter().zip(hand).map(|(a, b)| a - b));
    let most = 1e-9 * norm(&mut hand.iter().copied());
    if off <= most {
        return Ok(());
    }
    Err(format!("is off by {off:.1e}, where {most:.1e} are allowed"))
}

fn table(rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "| eval | workload | primal | gradient | by hand | gradient / primal | by hand / primal | gradient / by hand | memory | by hand | growth |"
    )?;
    writeln!(out, "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")?;
    for row in rows {
        let ratio = |over: f64, under: f64| format!("{:.2}", over / under);
        let hand = |cell: &dyn Fn(f64) -> String| row.hand.map_or(String::new(), cell);
        let growth = row.growth.map(|(primal, gradient)| {
            format!("{primal:.1}, {gradient:.1}: {:.2}", gradient / primal)
        });
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            row.eval,
            row.workload,
            time(row.primal),
            time(row.gradient),
            hand(&time),
            ratio(row.gradient, row.primal),
            hand(&|hand| ratio(hand, row.primal)),
            hand(&|hand| ratio(row.gradient, hand)),
            size(row.memory),
            size(row.memory_by_hand),
            growth.unwrap_or_default(),
        )?;
    }
    writeln!(out)
}

fn table_of_modes(problem: &Problem, times: &[(&str, f64)], out: &mut dyn Write) -> io::Result<()> {
    let best = times
        .iter()
        .fold(f64::INFINITY, |best, (_, t)| best.min(*t));
    writeln!(
        out,
        "| {} {} | time | to the best |",
        problem.eval, problem.workload
    )?;
    writeln!(out, "|---|--:|--:|")?;
    for (name, taken) in times {
        writeln!(out, "| {name} | {} | {:.2} |", time(*taken), taken / best)?;
    }
    writeln!(out)
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.1} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.2} µs", s * 1e6),
        s => format!("{:.2} ms", s * 1e3),
    }
}

fn size(bytes: Option<u64>) -> String {
    bytes.map_or(String::new(), |bytes| {
        format!("{:.1} MB", bytes as f64 / 1e6)
    })
}
