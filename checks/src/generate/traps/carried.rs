//! Traps of loops: carried values, accumulators, rounds that do not happen, names that are bound again.

use super::{change, guarded, looped};
use crate::generate::scope::{Kind, Var};
use crate::generate::{Generator, Part, Stmt};

pub(super) fn scalar_overwritten(g: &mut Generator) -> Vec<Stmt> {
    let (z, first) = g.new_scalar();
    let x = g.some();
    let before = g.let_value(&format!("{z} * {x}"));
    let store = change(format!("{z} = {z} * {z} * {x}.cos();"), &[&z]);
    let after = g.let_value(&format!("{z} * {x}"));
    let last = change(format!("{z} = 0.5 * {x};"), &[&z]);
    vec![first, before, store, after, last]
}

pub(super) fn permutation(g: &mut Generator) -> Vec<Stmt> {
    let ((x, a), (y, b), (z, c)) = (g.new_scalar(), g.new_scalar(), g.new_scalar());
    let n = g.random.between(1, 4);
    let body = vec![change(
        format!("({x}, {y}, {z}) = ({y}, {z}, {x} * {y});"),
        &[&x, &y, &z],
    )];
    vec![a, b, c, looped(&format!("_ in 0..{n}"), body)]
}

pub(super) fn permutation_by_hand(g: &mut Generator) -> Vec<Stmt> {
    let ((x, a), (y, b), (z, c)) = (g.new_scalar(), g.new_scalar(), g.new_scalar());
    let n = g.random.between(1, 4);
    let body = vec![
        Stmt::binding(
            format!("let kept = {x};"),
            format!("let kept: {} = 0.75;", g.scalar),
            &["kept"],
        ),
        change(format!("{x} = {y};"), &[&x]),
        change(format!("{y} = {z};"), &[&y]),
        change(format!("{z} = kept * {x} * 0.9;"), &[&z]),
    ];
    vec![a, b, c, looped(&format!("_ in 0..{n}"), body)]
}

pub(super) fn carried_unchanged(g: &mut Generator) -> Vec<Stmt> {
    let ((x, a), (y, b)) = (g.new_scalar(), g.new_scalar());
    let body = vec![
        change(format!("{x} = {x} * {y};"), &[&x]),
        guarded("i > 7", vec![change(format!("{y} = {x};"), &[&y])]),
    ];
    let after = g.let_value(&format!("{y} * {x}"));
    vec![a, b, looped("i in 0..3", body), after]
}

pub(super) fn condition_on_carried(g: &mut Generator) -> Vec<Stmt> {
    let (x, a) = g.new_scalar();
    let y = g.some();
    let limit = g.literal(0.1, 0.6);
    let arms = Stmt::nested(
        vec![
            Part::Text(format!("if {x} > {limit} {{")),
            Part::Body(vec![change(
                format!("{x} = 0.6 * {x} * {x} - 0.3 * {y}.sin();"),
                &[&x],
            )]),
            Part::Text("} else {".into()),
            Part::Body(vec![change(format!("{x} = {x}.cos() + 0.2 * {y};"), &[&x])]),
            Part::Text("}".into()),
        ],
        "",
        &[],
    );
    vec![a, looped("_ in 0..4", vec![arms])]
}

/// A sum is what a branch yields, and what that yields is added to another: the sum is not only added to.
pub(super) fn sum_read_as_value(g: &mut Generator) -> Vec<Stmt> {
    let ((first, a), (second, b)) = (g.new_scalar(), g.new_scalar());
    // Which of them is read decides which slot carries it.
    let (x, y) = if g.random.below(2) == 0 {
        (&first, &second)
    } else {
        (&second, &first)
    };
    let (term, limit) = (g.some(), g.literal(0.1, 0.6));
    let read = match g.random.below(3) {
        0 => format!("if {x} > {limit} {{ {x} }} else {{ {term} }}"),
        1 => format!("if i == 1 {{ {term} }} else {{ {x} }}"),
        _ => format!("match i {{ 2 => {x}, _ => {term} }}"),
    };
    let mut body = vec![
        change(format!("{x} += 0.3 * {term};"), &[x]),
        change(format!("{y} += {read};"), &[y]),
    ];
    if g.random.below(2) == 0 {
        body.swap(0, 1);
    }
    vec![a, b, looped("i in 0..4", body)]
}

pub(super) fn bound_changed_inside(g: &mut Generator) -> Vec<Stmt> {
    let (z, first) = g.new_scalar();
    let (m, x) = (g.fresh("k"), g.some());
    let bound = Stmt::binding(
        format!("let mut {m} = 3;"),
        format!("let mut {m} = 2;"),
        &[&m],
    );
    let body = vec![
        change(format!("{m} = i;"), &[&m]),
        change(
            format!("{z} = {z}.sin() * {x} + 0.1 * {m} as {};", g.scalar),
            &[&z],
        ),
    ];
    vec![first, bound, looped(&format!("i in 0..{m}"), body)]
}

pub(super) fn accumulator_read_and_reset(g: &mut Generator) -> Vec<Stmt> {
    let ((s, a), (y, b)) = (g.new_scalar(), g.new_scalar());
    let x = g.some();
    let limit = g.literal(0.2, 1.2);
    let body = vec![
        change(format!("{s} += 0.5 * {x} * {y};"), &[&s]),
        guarded(
            &format!("{s} > {limit}"),
            vec![change(format!("{s} = 0.1;"), &[&s])],
        ),
        change(format!("{y} += 0.3 * {s} * {s};"), &[&y]),
    ];
    vec![a, b, looped("_ in 0..4", body)]
}

pub(super) fn accumulator_feeds_another(g: &mut Generator) -> Vec<Stmt> {
    let ((s, a), (q, b)) = (g.new_scalar(), g.new_scalar());
    let x = g.some();
    let mut body = vec![
        change(format!("{s} += {x}.sin() * 0.5;"), &[&s]),
        change(format!("{q} += {s} * {x};"), &[&q]),
    ];
    if g.random.chance(0.5) {
        body.swap(0, 1);
    }
    vec![a, b, looped("_ in 0..3", body)]
}

pub(super) fn nonlinear_tail(g: &mut Generator) -> Vec<Stmt> {
    let (out, first) = g.new_scalar();
    let x = g.some();
    let s = g.fresh("s");
    let inner = looped(
        "j in 0..3",
        vec![change(
            format!("{s} += ({x} * 0.3 + j as {} * 0.2).exp() * 0.2;", g.scalar),
            &[&s],
        )],
    );
    let body = vec![
        Stmt::binding(
            format!("let mut {s} = 0.1 * i as {};", g.scalar),
            format!("let mut {s}: {} = 0.0;", g.scalar),
            &[&s],
        ),
        inner,
        change(format!("{out} += ({s} * {s} + 0.5).ln();"), &[&out]),
    ];
    vec![first, looped("i in 0..2", body)]
}

pub(super) fn zero_trips(g: &mut Generator) -> Vec<Stmt> {
    let (z, first) = g.new_scalar();
    let x = g.some();
    let range = *g.random.pick(&["0..0", "3..2", "2..2"]);
    let body = vec![change(format!("{z} = {z} * {x} + 1.0;"), &[&z])];
    let after = g.let_value(&format!("{z} * {z} * {x}"));
    vec![first, looped(&format!("_ in {range}"), body), after]
}

pub(super) fn effect_in_loop(g: &mut Generator) -> Vec<Stmt> {
    let (z, first) = g.new_scalar();
    let x = g.some();
    let k = g.fresh("k");
    let count = Stmt::binding(
        format!("let {k} = autodiff_checks::effect::tick();"),
        format!("let {k} = 1usize;"),
        &[&k],
    );
    let choice = Stmt::nested(
        vec![
            Part::Text(format!("match {k} {{\n    0 => {{")),
            Part::Body(vec![change(format!("{z} = {z} * {x};"), &[&z])]),
            Part::Text("    }\n    1 => {".into()),
            Part::Body(vec![change(format!("{z} = {z}.sin();"), &[&z])]),
            Part::Text("    }\n    _ => {".into()),
            Part::Body(vec![change(
                format!("{z} += 0.4 * {x} * {k} as {};", g.scalar),
                &[&z],
            )]),
            Part::Text("    }\n}".into()),
        ],
        "",
        &[],
    );
    vec![first, looped("_ in 0..4", vec![count, choice])]
}

pub(super) fn bound_twice_in_one_let(g: &mut Generator) -> Vec<Stmt> {
    let (z, first) = g.new_scalar();
    let x = g.some();
    let (u, v) = (g.fresh("u"), g.fresh("u"));
    let stub = format!("let ({u}, {v}) = (0.75{0}, 0.5{0});", g.scalar);
    let body = vec![
        Stmt::binding(
            format!("let ({u}, {v}) = ({z} * {x}, {z}.cos());"),
            stub.clone(),
            &[&u, &v],
        ),
        Stmt::binding(
            format!("let ({v}, {u}) = ({u} * {v}, {u} + 0.3 * {v} * {v});"),
            stub,
            &[&u, &v],
        ),
        change(format!("{z} = {u}.sin() * {v};"), &[&z]),
    ];
    vec![first, looped("_ in 0..3", body)]
}

pub(super) fn shadowed_three_times(g: &mut Generator) -> Vec<Stmt> {
    let (z, first) = g.new_scalar();
    let x = g.some();
    let stub = format!("let {z}: {} = 0.75;", g.scalar);
    let middle = Stmt::binding(format!("let {z} = {z} * {z} + {x};"), stub.clone(), &[&z]);
    let inner = Stmt::nested(
        vec![
            Part::Text(format!("let {z} = {{")),
            Part::Body(vec![Stmt::binding(
                format!("let {z} = {z}.sin() * {x};"),
                stub.clone(),
                &[&z],
            )]),
            Part::Text(format!("    {z} * {z} + 0.5\n}};")),
        ],
        stub.clone(),
        &[&z],
    );
    let last = Stmt::binding(format!("let {z} = {z}.cos() + {z};"), stub, &[&z]);
    g.declare(Var::new(&z, Kind::Scalar, false, 3.0));
    vec![first, middle, inner, last]
}

pub(super) fn empty_sequence(g: &mut Generator) -> Vec<Stmt> {
    let (z, first) = g.new_scalar();
    let x = g.some();
    let e = g.fresh("e");
    let empty = Stmt::binding(
        format!("let {e}: Vec<{}> = vec![{x}; 0];", g.scalar),
        "",
        &[&e],
    );
    vec![
        first,
        empty,
        looped(
            &format!("v in {e}.iter()"),
            vec![change(format!("{z} = {z} * v;"), &[&z])],
        ),
    ]
}
