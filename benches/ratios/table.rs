//! The table, as Markdown.

use crate::measure::Times;
use crate::problem::Kind;

/// Prints the head of the table.
pub(crate) fn header() {
    println!(
        "| {:<14} | {:>9} | {:>14} | {:>9} | {:>11} | {:>11} | {:>9} | {:>9} | {:>9} | {:>15} |",
        "problem",
        "primal",
        "value_and_grad",
        "hand",
        "grad/primal",
        "hand/primal",
        "grad/hand",
        "grad_into",
        "hand_into",
        "into: grad/hand",
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
}

/// Prints the row of one problem.
pub(crate) fn row(name: &str, times: &Times) {
    let time = |kind| times.time(kind).map_or(String::new(), duration);
    let ratio = |over, under| {
        let ratio = times.ratio(over, under);
        ratio.map_or(String::new(), |r| format!("{r:.2}"))
    };
    println!(
        "| {name:<14} | {:>9} | {:>14} | {:>9} | {:>11} | {:>11} | {:>9} | {:>9} | {:>9} | {:>15} |",
        time(Kind::Primal),
        time(Kind::Grad),
        time(Kind::Hand),
        ratio(Kind::Grad, Kind::Primal),
        ratio(Kind::Hand, Kind::Primal),
        ratio(Kind::Grad, Kind::Hand),
        time(Kind::GradInto),
        time(Kind::HandInto),
        ratio(Kind::GradInto, Kind::HandInto),
    );
}

fn duration(nanoseconds: f64) -> String {
    if nanoseconds < 1e3 {
        format!("{nanoseconds:.1} ns")
    } else if nanoseconds < 1e6 {
        format!("{:.2} µs", nanoseconds / 1e3)
    } else {
        format!("{:.2} ms", nanoseconds / 1e6)
    }
}
