//! `--check`: the first lines in which a file differs from what would be written.

use std::fmt::Write;

/// Lines that are shown of each side, and before them.
const SHOWN: usize = 5;
const BEFORE: usize = 2;

/// The first lines that differ, `-` those that are there and `+` those that would be; line ends do not count.
pub(crate) fn difference(there: &str, now: &str) -> Option<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (there.lines().collect(), now.lines().collect());
    let first = (0..old.len().max(new.len())).find(|&k| old.get(k) != new.get(k))?;
    // What follows the difference is the same again, if only that many lines were changed.
    let same = |(a, b): &(&&str, &&str)| a == b;
    let (rest_old, rest_new) = (&old[first.min(old.len())..], &new[first.min(new.len())..]);
    let after = rest_old
        .iter()
        .rev()
        .zip(rest_new.iter().rev())
        .take_while(same)
        .count();
    let rest_old = &rest_old[..rest_old.len() - after];
    let rest_new = &rest_new[..rest_new.len() - after];
    let mut out = format!("@@ line {} @@\n", first + 1);
    for line in &old[first.saturating_sub(BEFORE).min(old.len())..first.min(old.len())] {
        let _ = writeln!(out, " {line}");
    }
    for (sign, lines) in [('-', rest_old), ('+', rest_new)] {
        for line in lines.iter().take(SHOWN) {
            let _ = writeln!(out, "{sign}{line}");
        }
        if lines.len() > SHOWN {
            let _ = writeln!(
                out,
                "{sign}… {} more lines up to the last difference",
                lines.len() - SHOWN
            );
        }
    }
    Some(out)
}
