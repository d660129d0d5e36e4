//! Making a failing program smaller: statements are replaced by constants as long as it still fails.

use std::io;

use super::batch::{Outcome, Workshop};
use super::glue::{Forms, module_text};
use super::series::{Series, forms_of};
use crate::generate::{Part, Program, Stmt, plain};

/// The way to a statement: places in lists of statements and in lists of parts, alternating.
type Path = Vec<usize>;

/// The smallest failing program found in a few rounds; each round compiles one crate.
///
/// # Errors
///
/// If files cannot be written, or cargo cannot be run.
pub fn reduce(series: &Series, program: &Program, message: &str) -> io::Result<Program> {
    let workshop = Workshop::new("reduce")?;
    let kind = kind_of(message);
    // Only the forms that the message speaks of are compiled again and again.
    let mut forms = forms_of(series, program);
    forms.without = forms.without.filter(|rule| message.contains(rule));
    forms.verify &= message.contains("verify");
    forms.dynamic &= message.contains("dynamic") || message.contains("operation by operation");
    forms.second &= ["hessian", "hvp", "differences of the gradient", "compile"]
        .iter()
        .any(|word| message.contains(word));
    if forms
        .variant
        .as_ref()
        .is_some_and(|(name, _)| !message.contains(name))
    {
        forms.variant = None;
    }
    let needed = |candidate: &Program| {
        let variant = forms_of(series, candidate)
            .variant
            .filter(|_| forms.variant.is_some());
        Forms {
            variant,
            ..forms.clone()
        }
    };
    let mut best = program.clone();
    for _ in 0..12 {
        let mut candidates: Vec<Program> = Vec::new();
        for function in 0..=best.helpers.len() {
            for path in paths(&function_of(&best, function).body) {
                let mut candidate = best.clone();
                if stub_out(&mut function_mut(&mut candidate, function).body, &path) {
                    candidates.push(candidate);
                }
            }
        }
        // Two halves at once go faster than one statement at a time.
        let body = best.main.body.len();
        for (low, high) in [(0, body / 2), (body / 2, body), (body / 4, 3 * body / 4)] {
            let mut candidate = best.clone();
            for k in (low..high).rev() {
                stub_out(&mut candidate.main.body, &[k]);
            }
            candidates.push(candidate);
        }
        candidates.extend(shorter_tails(&best));
        if let Some(unused) = (0..best.helpers.len()).find(|&k| !mentioned(&best, k)) {
            let mut candidate = best.clone();
            candidate.helpers.remove(unused);
            candidates.push(candidate);
        }
        candidates.retain(|candidate| size(candidate) < size(&best));
        candidates.sort_by_key(size);
        candidates.truncate(48);
        // The candidates differ by their place; the forms are those of the program that failed.
        let modules: Vec<(String, String)> = candidates
            .iter()
            .zip(0..)
            .map(|(candidate, place)| {
                let numbered = Program {
                    index: place,
                    ..candidate.clone()
                };
                (
                    numbered.module(),
                    module_text(&numbered, &needed(candidate)),
                )
            })
            .collect();
        let outcomes = workshop.run(modules.chunks(24).map(<[_]>::to_vec).collect(), &[])?;
        let fails = |name: &String| matches!(outcomes.get(name), Some(Outcome::Failed(text)) if kind_of(text) == kind);
        match modules
            .iter()
            .zip(&candidates)
            .find(|((name, _), _)| fails(name))
        {
            Some((_, smaller)) => best = smaller.clone(),
            None => break,
        }
    }
    Ok(best)
}

/// Is the called function mentioned outside of itself?
fn mentioned(program: &Program, helper: usize) -> bool {
    let name = format!("{}(", program.helpers[helper].name);
    let others = program
        .helpers
        .iter()
        .enumerate()
        .filter(|(k, _)| *k != helper)
        .map(|(_, function)| function);
    others
        .chain([&program.main])
        .any(|function| function.render(program.scalar, "").contains(&name))
}

/// The program with fewer terms in the sum at its end.
fn shorter_tails(program: &Program) -> Vec<Program> {
    let tail = plain(&program.main.tail);
    let mut terms = vec![String::new()];
    let mut depth = 0;
    for word in tail.split_inclusive(' ') {
        if depth == 0 && word == "+ " {
            terms.push(String::new());
            continue;
        }
        depth += word.matches(['(', '[', '{']).count() as i32
            - word.matches([')', ']', '}']).count() as i32;
        if let Some(last) = terms.last_mut() {
            last.push_str(word);
        }
    }
    let with = |terms: &[String]| {
        let mut shorter = program.clone();
        let texts: Vec<&str> = terms.iter().map(|term| term.trim()).collect();
        shorter.main.tail = texts.join(" + ");
        shorter
    };
    let half = terms.len() / 2;
    let mut found: Vec<Program> = (0..terms.len())
        .filter(|_| half > 0)
        .map(|k| with(&[&terms[..k], &terms[k + 1..]].concat()))
        .collect();
    if half > 0 {
        found.extend([with(&terms[..half]), with(&terms[half..])]);
    }
    found
}

/// The part of a message that does not depend on numbers.
fn kind_of(message: &str) -> String {
    message
        .split(['(', '`', '['])
        .next()
        .unwrap_or_default()
        .chars()
        .filter(|c| !c.is_ascii_digit())
        .take(40)
        .collect()
}

fn function_of(program: &Program, number: usize) -> &crate::generate::Function {
    program.helpers.get(number).unwrap_or(&program.main)
}

fn function_mut(program: &mut Program, number: usize) -> &mut crate::generate::Function {
    if number < program.helpers.len() {
        &mut program.helpers[number]
    } else {
        &mut program.main
    }
}

/// The number of characters of the program.
fn size(program: &Program) -> usize {
    program.render("").len()
}

/// The ways to all statements.
fn paths(body: &[Stmt]) -> Vec<Path> {
    let mut found = Vec::new();
    for (k, stmt) in body.iter().enumerate() {
        found.push(vec![k]);
        for (p, part) in stmt.parts.iter().enumerate() {
            if let Part::Body(inner) = part {
                found.extend(
                    paths(inner)
                        .into_iter()
                        .map(|path| [vec![k, p], path].concat()),
                );
            }
        }
    }
    found
}

/// Puts a statement's stub in its place; false if it stands there already.
fn stub_out(body: &mut Vec<Stmt>, path: &[usize]) -> bool {
    match path {
        [k] => {
            let stub = body[*k].stub.clone();
            if stub.is_empty() {
                body.remove(*k);
                return true;
            }
            let unchanged =
                matches!(body[*k].parts.as_slice(), [Part::Text(text)] if *text == stub);
            body[*k].parts = vec![Part::Text(stub)];
            !unchanged
        }
        [k, p, rest @ ..] => match &mut body[*k].parts[*p] {
            Part::Body(inner) => stub_out(inner, rest),
            Part::Text(_) => false,
        },
        [] => false,
    }
}
