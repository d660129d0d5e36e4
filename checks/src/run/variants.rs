//! The same program written another way: the values keep their bits, the gradient changes by rounding at most.

use std::collections::BTreeSet;

use crate::generate::{CLOSE, Function, OPEN, Part, Program, ResultType, Stmt, plain};
use crate::random::Random;

/// The names of the ways.
pub const VARIANTS: &[&str] = &[
    "shuffled",
    "named subexpression",
    "in a loop of one round",
    "in an if",
    "in a call",
];

/// The program written in the named way; `None` if there is nothing to change.
#[must_use]
pub fn variant(program: &Program, name: &str, random: &mut Random) -> Option<Program> {
    let mut changed = program.clone();
    let effects = effects(program);
    let main = &mut changed.main;
    match name {
        "shuffled" => main.body = shuffled(&main.body, &effects, random)?,
        "named subexpression" => named(main, &effects, random)?,
        "in a loop of one round" => in_loop(main, program.scalar),
        "in an if" => in_if(main, program.scalar),
        "in a call" => {
            let mut inner = main.clone();
            "judged_inside".clone_into(&mut inner.name);
            let arguments: Vec<&str> = main
                .params
                .iter()
                .map(|param| param.name.as_str())
                .collect();
            let call = format!("judged_inside({})", arguments.join(", "));
            main.body = Vec::new();
            if main.result == ResultType::Unit {
                main.body.push(Stmt::new(format!("{call};"), &[]));
            } else {
                main.tail = call;
            }
            main.params
                .iter_mut()
                .for_each(|param| param.mutable = false);
            changed.helpers.push(inner);
        }
        _ => return None,
    }
    Some(changed)
}

/// The names whose mention is an effect: they must keep their order.
fn effects(program: &Program) -> Vec<String> {
    let mut names = vec!["tick".to_owned(), "eprintln".to_owned()];
    for helper in &program.helpers {
        let text = helper.render(program.scalar, "");
        if names.iter().any(|name| text.contains(name.as_str())) {
            names.push(helper.name.clone());
        }
    }
    names
}

/// Must the two statements keep their order?
fn ordered(a: &Stmt, b: &Stmt, effects: &[String]) -> bool {
    let (in_a, in_b) = (a.names(), b.names());
    let has_effect = |names: &BTreeSet<String>| effects.iter().any(|effect| names.contains(effect));
    a.writes.iter().any(|name| in_b.contains(name))
        || b.writes.iter().any(|name| in_a.contains(name))
        || has_effect(&in_a) && has_effect(&in_b)
        // What comes after a return does not always run.
        || in_a.contains("return")
        || in_b.contains("return")
}

/// Some other order of the statements that keeps every dependence.
fn shuffled(body: &[Stmt], effects: &[String], random: &mut Random) -> Option<Vec<Stmt>> {
    let mut left: Vec<usize> = (0..body.len()).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let ready: Vec<usize> = left
            .iter()
            .copied()
            .filter(|&k| {
                left.iter()
                    .take_while(|&&j| j != k)
                    .all(|&j| !ordered(&body[j], &body[k], effects))
            })
            .collect();
        let next = *random.pick(&ready);
        left.retain(|&k| k != next);
        order.push(next);
    }
    let moved = order.iter().enumerate().any(|(place, &k)| place != k);
    moved.then(|| order.into_iter().map(|k| body[k].clone()).collect())
}

/// One marked subexpression gets a `let` of its own before its statement.
fn named(main: &mut Function, effects: &[String], random: &mut Random) -> Option<()> {
    let mut places = Vec::new();
    for (k, stmt) in main.body.iter().enumerate() {
        if let Some(Part::Text(text)) = stmt.parts.first() {
            places.extend(text.match_indices(OPEN).map(|(at, _)| (k, at)));
        }
    }
    if places.is_empty() {
        return None;
    }
    let (k, at) = *random.pick(&places);
    let Some(Part::Text(text)) = main.body[k].parts.first_mut() else {
        return None;
    };
    let mut depth = 0;
    let end = text[at..].char_indices().find_map(|(offset, c)| {
        depth += i32::from(c == OPEN) - i32::from(c == CLOSE);
        (depth == 0).then_some(at + offset)
    })?;
    let inner = plain(&text[at..end]);
    // What stands inside braces is not always executed, and effects keep their order.
    if text[..at].contains('{') || effects.iter().any(|effect| inner.contains(effect.as_str())) {
        return None;
    }
    *text = format!("{}named{}", &text[..at], &text[end + CLOSE.len_utf8()..]);
    main.body
        .insert(k, Stmt::new(format!("let named = {inner};"), &["named"]));
    Some(())
}

fn in_loop(main: &mut Function, scalar: &str) {
    let mut inside = std::mem::take(&mut main.body);
    if main.result != ResultType::Unit {
        inside.push(Stmt::new(format!("wrapped = {};", main.tail), &["wrapped"]));
        main.body.push(Stmt::new(
            format!("let mut wrapped = {};", main.result.constant(scalar)),
            &["wrapped"],
        ));
        "wrapped".clone_into(&mut main.tail);
    }
    main.body.push(Stmt::nested(
        vec![
            Part::Text("for _ in 0..1 {".into()),
            Part::Body(inside),
            Part::Text("}".into()),
        ],
        "",
        &[],
    ));
}

fn in_if(main: &mut Function, scalar: &str) {
    let mut inside = std::mem::take(&mut main.body);
    let unit = main.result == ResultType::Unit;
    let head = if unit {
        "if true {"
    } else {
        "let wrapped = if true {"
    };
    let foot = if unit {
        "}".to_owned()
    } else {
        format!("}} else {{ {} }};", main.result.constant(scalar))
    };
    if !unit {
        inside.push(Stmt::new(
            std::mem::replace(&mut main.tail, "wrapped".to_owned()),
            &[],
        ));
    }
    main.body.push(Stmt::nested(
        vec![
            Part::Text(head.into()),
            Part::Body(inside),
            Part::Text(foot),
        ],
        "",
        &["wrapped"],
    ));
}
