//! Traps of iterators that are taken on by hand, item by item.

use super::{change, guarded};
use crate::generate::{Generator, Part, Stmt};

/// The first item before the loop, another one inside it, and what is walked through changed in the end.
pub(super) fn walked_by_hand(g: &mut Generator) -> Vec<Stmt> {
    let n = g.random.between(3, 6);
    let (a, first) = g.new_list(n);
    let (z, second) = g.new_scalar();
    let (it, x) = (g.fresh("it"), g.some());
    let copied = g.random.chance(0.5);
    // By value an array is a copy, whatever is written to it meanwhile.
    let (maker, star) = if copied {
        (format!("{a}.clone().into_iter()"), "")
    } else {
        (format!("{a}.iter()"), "*")
    };
    let made = Stmt::binding(format!("let mut {it} = {maker};"), "", &[&it]);
    let mut stmts = vec![first, second, made];
    let head = change(
        format!("{z} = {star}{it}.next().unwrap() * {z} + 0.2;"),
        &[&z],
    );
    let step = change(format!("{z} = ({z} * {star}y).sin() + 0.3 * {x};"), &[&z]);
    let early = g.literal(0.2, 0.9);
    let mut body = vec![step];
    if copied {
        body.push(change(format!("{a}[0] = {a}[0] * {star}y;"), &[&a]));
    }
    let (open, close) = match g.random.below(4) {
        0 => (format!("for y in {it} {{"), "}".to_owned()),
        1 => {
            let also = change(format!("{z} -= 0.4 * {star}w * {star}y;"), &[&z]);
            body.push(Stmt::nested(
                vec![
                    Part::Text(format!("if let Some(w) = {it}.next() {{")),
                    Part::Body(vec![also]),
                    Part::Text("}".into()),
                ],
                "",
                &[],
            ));
            (
                format!("while let Some(y) = {it}.next() {{"),
                "}".to_owned(),
            )
        }
        2 => {
            body.push(guarded(
                &format!("{z} > {early}"),
                vec![change(format!("{z} *= 0.5;"), &[&z])],
            ));
            (
                format!("loop {{ match {it}.next() {{ Some(y) => {{"),
                "} None => break, } }".to_owned(),
            )
        }
        _ => (format!("for y in {it}.skip(1) {{"), "}".to_owned()),
    };
    if g.random.chance(0.7) {
        stmts.push(head);
    }
    stmts.push(Stmt::nested(
        vec![Part::Text(open), Part::Body(body), Part::Text(close)],
        "",
        &[],
    ));
    stmts.push(change(format!("{a}[1] = {z} * {a}[0];"), &[&a]));
    stmts
}
