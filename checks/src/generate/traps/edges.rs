//! Traps of values: infinities, NaN and zeros that must not reach the gradient.

use super::change;
use crate::generate::{Generator, Stmt};

pub(super) fn unused_infinite(g: &mut Generator) -> Vec<Stmt> {
    let x = g.some();
    let name = g.fresh("_q");
    vec![Stmt::binding(
        format!("let {name} = ({x} - {x}).sqrt();"),
        "",
        &[&name],
    )]
}

pub(super) fn sqrt_of_max(g: &mut Generator) -> Vec<Stmt> {
    let x = g.some();
    let shift = g.literal(0.5, 2.0);
    vec![g.let_value(&format!("({x} - {shift}).max(0.0).sqrt()"))]
}

pub(super) fn zero_times_infinity(g: &mut Generator) -> Vec<Stmt> {
    let (x, y) = (g.some(), g.some());
    let zero = g.fresh("w");
    let weight = Stmt::binding(
        format!("let {zero} = 0.0 * 0.5{};", g.scalar),
        format!("let {zero} = 0.0{};", g.scalar),
        &[&zero],
    );
    let value = match g.random.below(3) {
        0 => format!("(({x} - 3.0).max(0.0)).sqrt() * {zero} * {y}"),
        1 => format!("({x} * {x} - {x} * {x}).abs().sqrt() * {zero} + {y}"),
        _ => format!("({x} - {x}).powf(0.5) * ({y} - {y})"),
    };
    vec![weight, g.let_value(&value)]
}

pub(super) fn selection_over_nan(g: &mut Generator) -> Vec<Stmt> {
    let (x, y) = (g.some(), g.some());
    let name = *g.random.pick(&["max", "min"]);
    vec![g.let_value(&format!("({x}.abs() - 40.0).sqrt().{name}({y})"))]
}

pub(super) fn untaken_nan(g: &mut Generator) -> Vec<Stmt> {
    let (x, y) = (g.some(), g.some());
    let shift = g.literal(0.1, 0.9);
    let value = match g.random.below(2) {
        0 => format!("if {x} > {shift} {{ ({x} - {shift}).ln() * 0.2 }} else {{ {y} }}"),
        _ => format!("if {x} < {shift} {{ {y} * 0.5 }} else {{ ({x} - {shift}).sqrt() + {y} }}"),
    };
    vec![g.let_value(&value)]
}

pub(super) fn negative_zero(g: &mut Generator) -> Vec<Stmt> {
    let x = g.some();
    let (z, first) = g.new_scalar();
    vec![
        first,
        change(format!("{z} = -0.0 * {x} * {z};"), &[&z]),
        g.let_value(&format!("{z}.cos() * {x} + {z}")),
    ]
}
