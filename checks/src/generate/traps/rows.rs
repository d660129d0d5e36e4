//! Traps of flat matrices: rows that generated code cuts out in front of loops, where they may overlap, or be empty.

use super::{change, looped};
use crate::generate::scope::{Form, Kind, Var};
use crate::generate::{Generator, Stmt};

/// Loops over rows of a matrix in a vector, which read and change one row or two, and neighbours.
pub(super) fn flat_rows(g: &mut Generator) -> Vec<Stmt> {
    // Two rows are cut out from eight elements on.
    let (rows, width) = (g.random.between(2, 3), *g.random.pick(&[1, 3, 8, 9]));
    let length = rows * width;
    let s = g.scalar;
    let (x, y) = (g.some(), g.some());
    let (m, w) = (g.fresh("m"), g.fresh("w"));
    let (z, first) = g.new_scalar();
    let made = Stmt::binding(
        format!("let mut {m} = vec![{x}; {length}];"),
        format!("let mut {m} = vec![0.75{s}; {length}];"),
        &[&m],
    );
    let wide = Stmt::binding(
        format!("let {w} = {m}.len() / {rows};"),
        format!("let {w} = {width}_usize;"),
        &[&w],
    );
    let spread = looped(
        &format!("k in 0..{m}.len()"),
        vec![change(format!("{m}[k] *= 0.3 + 0.1 * k as {s};"), &[&m])],
    );
    let mut stmts = vec![first, made, wide, spread];
    for _ in 0..g.random.between(1, 3) {
        let other = *g.random.pick(&["(i + 1)", "(i * 2)", "i"]);
        let here = if g.random.chance(0.5) {
            format!("i * {w} + k")
        } else {
            format!("k + i * {w}")
        };
        let there = format!("{other} % {rows} * {w} + k");
        let (columns, texts) = match g.random.below(6) {
            // A triangle, whose first row is empty.
            0 => (
                format!("i.min({w})"),
                vec![format!("{z} += {m}[{here}] * {m}[{there}] * 0.3;")],
            ),
            1 => (
                w.clone(),
                vec![format!(
                    "{m}[{here}] = ({m}[{here}] * {z}).sin() + 0.2 * {y};"
                )],
            ),
            2 => (
                w.clone(),
                vec![
                    format!("{m}[{there}] = ({m}[{here}] * {m}[{there}] + 0.2 * {y}).sin();"),
                    format!("{m}[{here}] *= 0.9 * {m}[{there}];"),
                ],
            ),
            // Rows that overlap.
            3 => (
                format!("{w} - 1"),
                vec![
                    format!("{m}[{here} + 1] += 0.4 * {m}[{here}];"),
                    format!("{m}[{here}] = {m}[{here}].sin() * {m}[{here} + 1];"),
                ],
            ),
            // What lies outside is not read.
            4 => (
                w.clone(),
                vec![format!(
                    "if i > 0 {{ {m}[{here}] += {m}[(i - 1) * {w} + k] * 0.5; }}"
                )],
            ),
            _ => (
                format!("if i == 0 {{ 0 }} else {{ {w} }}"),
                vec![format!(
                    "{z} = {z}.sin() + {m}[(i - 1) * {w} + k] * {m}[{here}];"
                )],
            ),
        };
        let texts = texts.into_iter().map(|text| change(text, &[&m, &z]));
        let reversed = if g.random.chance(0.3) { ".rev()" } else { "" };
        let inner = looped(&format!("k in (0..{columns}){reversed}"), texts.collect());
        stmts.push(looped(&format!("i in 0..{rows}"), vec![inner]));
    }
    stmts.push(change(format!("{z} = ({z} + {m}[{width}]).sin();"), &[&z]));
    g.declare(Var::new(&m, Kind::List(Form::Vector, length), true, 3.0));
    stmts
}
