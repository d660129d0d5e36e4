//! Traps of slopes that are infinite: what guards skip, what is smooth all the same, and zeros that meet them.

use super::{change, guarded, looped};
use crate::generate::{Generator, Part, Stmt};

/// The traps of this file that set infinite slopes: all of them.
pub(super) const NAMES: [&str; 6] = [
    "guarded_quotient",
    "skipped_logarithm",
    "tested_overflow",
    "selected_distance",
    "smooth_through_root",
    "slope_meets_two_products",
];

/// A statement that binds a name to what is zero everywhere, or where an input is.
fn zero(g: &mut Generator) -> (String, Stmt) {
    let (x, y) = (g.some(), g.some());
    let name = g.fresh("o");
    let value = match g.random.below(3) {
        0 => format!("({x} - 3.0).max(0.0)"),
        1 => format!("{x}.max(0.0)"),
        _ => format!("({x} - 3.0).max(0.0) * {y}"),
    };
    let stub = format!("let {name}: {} = 0.5;", g.scalar);
    let bound = Stmt::binding(format!("let {name} = {value};"), stub, &[&name]);
    (name, bound)
}

fn bind(g: &mut Generator, value: &str) -> (String, Stmt) {
    let name = g.fresh("r");
    let stub = format!("let {name}: {} = 0.5;", g.scalar);
    let bound = Stmt::binding(format!("let {name} = {value};"), stub, &[&name]);
    (name, bound)
}

pub(super) fn guarded_quotient(g: &mut Generator) -> Vec<Stmt> {
    let (zero, first) = zero(g);
    let (x, y) = (g.some(), g.some());
    let (inverse, second) = bind(g, &format!("1.0 / {zero}"));
    let (scaled, third) = bind(g, &format!("{x} * {inverse}"));
    let last = match g.random.below(4) {
        0 => g.let_value(&format!("if {zero} > 0.4 {{ 0.2 * {scaled} }} else {{ {y} }}")),
        1 => g.let_value(&format!(
            "if {scaled}.is_finite() && {scaled}.abs() < 2.0 {{ {scaled} }} else {{ {y} }}"
        )),
        2 => g.let_value(&format!(
            "if {zero} > 0.9 {{ 0.2 * {scaled} }} else if {zero} > 0.4 {{ 0.1 * {scaled} * {y} }} else {{ {x} }}"
        )),
        _ => {
            let (z, new) = g.new_scalar();
            let body = vec![guarded(
                &format!("{zero} > 0.4"),
                vec![change(format!("{z} = 0.3 * {z} * {scaled}.sin();"), &[&z])],
            )];
            return vec![first, second, third, new, looped("_ in 0..2", body)];
        }
    };
    vec![first, second, third, last]
}

pub(super) fn skipped_logarithm(g: &mut Generator) -> Vec<Stmt> {
    let n = g.random.between(2, 4);
    let ((a, first), (z, second)) = (g.new_list(n), g.new_scalar());
    let x = g.some();
    let (count, log) = (g.fresh("c"), g.fresh("r"));
    let stub = |name: &str| format!("let {name}: {} = 0.5;", g.scalar);
    let counted = Stmt::binding(
        format!("let {count} = ({a}[i] - 0.3).max(0.0);"),
        stub(&count),
        &[&count],
    );
    let logged = Stmt::binding(
        format!("let {log} = {count}.ln() * {x};"),
        stub(&log),
        &[&log],
    );
    let taken = if g.random.chance(0.5) {
        format!("{z} += 0.2 * {count} * {log};")
    } else {
        format!("{z} = 0.5 * {z} + 0.2 * {count} * {log} * {z}.sin();")
    };
    let taken = guarded(&format!("{count} > 0.0"), vec![change(taken, &[&z])]);
    let body = vec![counted, logged, taken];
    vec![first, second, looped(&format!("i in 0..{n}"), body)]
}

pub(super) fn tested_overflow(g: &mut Generator) -> Vec<Stmt> {
    let (x, y) = (g.some(), g.some());
    let (e, first) = bind(g, &format!("({x} * {x} + 900.0).exp()"));
    let (scaled, second) = bind(g, &format!("{e} * {y}"));
    let last = g.let_value(&format!(
        "if {scaled}.is_finite() {{ {scaled}.sin() }} else {{ {y} * {x} }}"
    ));
    vec![first, second, last]
}

pub(super) fn selected_distance(g: &mut Generator) -> Vec<Stmt> {
    let n = g.random.between(2, 4);
    let ((a, first), (z, second)) = (g.new_list(n), g.new_scalar());
    let x = g.some();
    let (d, e) = (g.fresh("s"), g.fresh("r"));
    let s = g.scalar;
    // What the rounds remember, or nothing.
    let term = *g.random.pick(&["E * E", "E * E.sin()"]);
    let inner = looped(
        "j in 0..2",
        vec![
            Stmt::binding(
                format!("let {e} = {a}[i] - {x} * (j as {s} + 0.3);"),
                format!("let {e}: {s} = 0.5;"),
                &[&e],
            ),
            change(format!("{d} += {};", term.replace('E', &e)), &[&d]),
        ],
    );
    let taken = Stmt::nested(
        vec![
            Part::Text(format!("{z} = if {d} < {z} {{")),
            Part::Body(Vec::new()),
            Part::Text(format!("    {d}\n}} else {{\n    {z}\n}};")),
        ],
        "",
        &[&z],
    );
    let body = vec![
        Stmt::binding(
            format!("let mut {d}: {s} = 0.0;"),
            format!("let mut {d}: {s} = 0.5;"),
            &[&d],
        ),
        inner,
        taken,
    ];
    vec![first, second, looped(&format!("i in 0..{n}"), body)]
}

pub(super) fn smooth_through_root(g: &mut Generator) -> Vec<Stmt> {
    let (zero, first) = zero(g);
    let y = g.some();
    let (root, second) = bind(g, &format!("{zero}.sqrt()"));
    let value = match g.random.below(3) {
        0 => format!("{root} * {root} + {y}"),
        1 => format!("{root}.powi(2) * {y}"),
        _ => format!("{root} * {y} * {root}"),
    };
    vec![first, second, g.let_value(&value)]
}

pub(super) fn slope_meets_two_products(g: &mut Generator) -> Vec<Stmt> {
    let (x, y) = (g.some(), g.some());
    let (root, first) = bind(g, &format!("{x}.max(0.0).sqrt()"));
    let (steep, second) = bind(g, &format!("{root} * ({y} + 1.7)"));
    let (none, third) = bind(g, &format!("({y} - {y})"));
    vec![
        first,
        second,
        third,
        g.let_value(&format!("{steep} * {none} + {y}")),
    ]
}
