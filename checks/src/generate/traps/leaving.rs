//! Traps of ways out: what is handed on from arm to arm where some leave the loop or the function.

use super::{change, looped};
use crate::generate::{Generator, Part, Stmt};

/// A loop with a match of which one arm ends the loop, one returns early, and others call functions, in any order.
pub(super) fn leaving_match(g: &mut Generator) -> Vec<Stmt> {
    let ((x, a), (y, b)) = (g.new_scalar(), g.new_scalar());
    let limit = g.literal(0.1, 0.6);
    let mut arms = vec![
        (called(g, &x, &y), String::new()),
        (called(g, &y, &x), String::new()),
        (sometimes(g, &x, &y), "    break;\n".to_owned()),
        (sometimes(g, &y, &x), leave(g)),
    ];
    let mut patterns = vec![
        "0".to_owned(),
        "1".to_owned(),
        format!("_ if {x} > {limit}"),
    ];
    if g.random.chance(0.4) {
        patterns.push("2 | 3".to_owned());
        arms.push((called(g, &y, &y), String::new()));
    }
    patterns.push("_".to_owned());
    let scrutinee = format!("(i + {}) % 5", g.random.below(5));
    let mut parts = vec![Part::Text(format!("match {scrutinee} {{\n"))];
    for pattern in patterns {
        let (body, jump) = arms.swap_remove(g.random.below(arms.len()));
        parts.push(Part::Text(format!("{pattern} => {{")));
        parts.push(Part::Body(body));
        parts.push(Part::Text(format!("{jump}}}\n")));
    }
    parts.push(Part::Text("}".into()));
    let mut round = vec![Stmt::nested(parts, "", &[])];
    if g.random.chance(0.5) {
        round.push(change(format!("{x} = 0.7 * {x} + 0.2 * {y};"), &[&x]));
    }
    let after = g.let_value(&format!("{x} * {y}"));
    vec![a, b, looped("i in 0..4", round), after]
}

/// A variable becomes what a function makes of whatever there is, or of another.
fn called(g: &mut Generator, x: &str, y: &str) -> Vec<Stmt> {
    let call = g.call_expr().map_or_else(
        || format!("({x} * {y}).sin()"),
        |call| format!("({} * {y}).cos()", call.text),
    );
    vec![change(format!("{x} = {call} + 0.4 * {x};"), &[x])]
}

/// What stands in front of a jump, or nothing.
fn sometimes(g: &mut Generator, x: &str, y: &str) -> Vec<Stmt> {
    if g.random.chance(0.5) {
        called(g, x, y)
    } else {
        Vec::new()
    }
}

/// The function ends here, or the loop, where there is no way to return.
fn leave(g: &mut Generator) -> String {
    let jump = g.return_jump().unwrap_or_else(|| "break;".to_owned());
    format!("    {jump}\n")
}
