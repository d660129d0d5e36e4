//! Traps of memory: elements, fields and whole arrays that are read, overwritten and used again.

use super::{change, guarded, looped};
use crate::generate::scope::{Form, Kind, Var};
use crate::generate::{Generator, Stmt};

pub(super) fn square_in_place(g: &mut Generator) -> Vec<Stmt> {
    let n = g.random.between(2, 4);
    let (a, first) = g.new_list(n);
    let body = vec![change(format!("{a}[i] = {a}[i] * {a}[i] * 0.7;"), &[&a])];
    let square = looped(&format!("i in 0..{n}"), body);
    if g.random.chance(0.4) {
        vec![first, looped("_ in 0..2", vec![square])]
    } else {
        vec![first, square]
    }
}

pub(super) fn recurrence(g: &mut Generator, range: &str, neighbour: &str) -> Vec<Stmt> {
    let n = g.random.between(3, 5);
    let (a, first) = g.new_list(n);
    let factor = g.some();
    let text = match g.random.below(3) {
        0 => format!("{a}[i] = {a}[{neighbour}] * {a}[i];"),
        1 => format!("{a}[i] = {a}[{neighbour}].sin() * {a}[i] + 0.3 * {factor};"),
        _ => format!("{a}[i] *= {a}[{neighbour}] + 0.4;"),
    };
    vec![
        first,
        looped(
            &format!("i in {}", range.replace('N', &n.to_string())),
            vec![change(text, &[&a])],
        ),
    ]
}

pub(super) fn constant_over_active(g: &mut Generator) -> Vec<Stmt> {
    let (a, first) = g.new_list(3);
    let (i, x) = (g.random.below(3), g.some());
    let constant = g.literal(0.3, 0.9);
    let before = g.let_value(&format!("{a}[{i}] * {x}"));
    let store = change(format!("{a}[{i}] = {constant};"), &[&a]);
    let after = g.let_value(&format!("{a}[{i}] * {x}.sin()"));
    vec![first, before, store, after]
}

pub(super) fn read_overwrite_use(g: &mut Generator) -> Vec<Stmt> {
    let (a, first) = g.new_list(3);
    let (i, x) = (g.random.below(3), g.some());
    let t = g.fresh("q");
    let read = Stmt::binding(
        format!("let {t} = {a}[{i}];"),
        format!("let {t}: {} = 0.75;", g.scalar),
        &[&t],
    );
    let store = change(format!("{a}[{i}] = {x} * 0.8;"), &[&a]);
    let after = g.let_value(&format!("{t} * {t} * {a}[{i}] + {t}.exp() * 0.1"));
    vec![first, read, store, after]
}

pub(super) fn one_branch_overwrites(g: &mut Generator) -> Vec<Stmt> {
    let (a, first) = g.new_list(2);
    let (x, condition) = (g.some(), g.condition());
    let read = g.let_value(&format!("{a}[0] * {a}[1]"));
    let branch = guarded(
        &condition,
        vec![change(format!("{a}[0] = {x} * {a}[1];"), &[&a])],
    );
    let after = g.let_value(&format!("{a}[0] * {a}[0] * {x}"));
    vec![first, read, branch, after]
}

pub(super) fn later_round_overwrites(g: &mut Generator) -> Vec<Stmt> {
    let (a, first) = g.new_list(2);
    let (z, second) = g.new_scalar();
    let (x, round) = (g.some(), g.random.below(3));
    let body = vec![
        change(format!("{z} += 0.4 * {a}[0] * {a}[0] * {x};"), &[&z]),
        guarded(
            &format!("i == {round}"),
            vec![change(format!("{a}[0] = {z}.sin() * {a}[1];"), &[&a])],
        ),
    ];
    vec![first, second, looped("i in 0..3", body)]
}

pub(super) fn inactive_into_active(g: &mut Generator) -> Vec<Stmt> {
    let (a, first) = g.new_list(2);
    let x = g.some();
    let (c, d) = (g.literal(0.4, 1.1), g.fresh("d"));
    let constant = Stmt::binding(
        format!("let {d} = {c}{};", g.scalar),
        format!("let {d}: {} = 0.75;", g.scalar),
        &[&d],
    );
    let into = change(format!("{a}[0] = {d};"), &[&a]);
    let read = g.let_value(&format!("{a}[0] * {x} + {a}[1]"));
    let back = change(format!("{a}[0] = {x} * {a}[0];"), &[&a]);
    vec![first, constant, into, read, back]
}

pub(super) fn swapped_rows(g: &mut Generator) -> Vec<Stmt> {
    let (a, first) = g.new_list(4);
    let x = g.some();
    let body = vec![
        change(format!("{a}[i] = {a}[i] * {a}[3 - i] + 0.2 * {x};"), &[&a]),
        guarded(
            &format!("{a}[i] > {a}[0]"),
            vec![change(format!("{a}.swap(i, 0);"), &[&a])],
        ),
    ];
    vec![first, looped("i in 1..4", body)]
}

pub(super) fn buffers_swapped(g: &mut Generator) -> Vec<Stmt> {
    let x = g.some();
    let (u, w) = (g.fresh("a"), g.fresh("a"));
    let s = g.scalar;
    let bind = |name: &str, value: &str| {
        Stmt::binding(
            format!("let mut {name} = vec![{value}; 3];"),
            format!("let mut {name} = vec![0.75{s}; 3];"),
            &[name],
        )
    };
    let inner = looped(
        "i in 0..3",
        vec![change(
            format!("{w}[i] = {u}[i].sin() * {u}[(i + 1) % 3] + 0.3 * {x} * i as {s};"),
            &[&w],
        )],
    );
    let swap = change(format!("std::mem::swap(&mut {u}, &mut {w});"), &[&u, &w]);
    g.declare(Var::new(&u, Kind::List(Form::Vector, 3), true, 3.0));
    g.declare(Var::new(&w, Kind::List(Form::Vector, 3), true, 3.0));
    vec![
        bind(&u, &x),
        bind(&w, "0.0"),
        looped("_ in 0..3", vec![inner, swap]),
    ]
}

pub(super) fn clone_then_change_one(g: &mut Generator) -> Vec<Stmt> {
    let (a, first) = g.new_list(3);
    let x = g.some();
    let c = g.fresh("b");
    let vector = matches!(
        g.vars.last(),
        Some(Var {
            kind: Kind::List(Form::Vector, _),
            ..
        })
    );
    let copy = if vector {
        format!("{a}.clone()")
    } else {
        a.clone()
    };
    let stub = if vector {
        format!("let mut {c} = vec![0.75{}; 3];", g.scalar)
    } else {
        format!("let mut {c} = [0.75{}; 3];", g.scalar)
    };
    let second = Stmt::binding(format!("let mut {c} = {copy};"), stub, &[&c]);
    let form = if vector { Form::Vector } else { Form::Array };
    g.declare(Var::new(&c, Kind::List(form, 3), true, 3.0));
    let changed = if g.random.chance(0.5) {
        (&a, &c)
    } else {
        (&c, &a)
    };
    let change_one = change(
        format!(
            "{}[1] = {}[1] * {}[0] * {x};",
            changed.0, changed.1, changed.0
        ),
        &[changed.0],
    );
    vec![first, second, change_one]
}

pub(super) fn stencil_in_place(g: &mut Generator) -> Vec<Stmt> {
    let (a, first) = g.new_list(5);
    let x = g.some();
    let body = vec![change(
        format!("{a}[i] = {a}[i - 1] * {a}[i + 1] * 0.5 + {a}[i] * {x}.sin();"),
        &[&a],
    )];
    vec![first, looped("_ in 0..2", vec![looped("i in 1..4", body)])]
}

pub(super) fn triangular_update(g: &mut Generator) -> Vec<Stmt> {
    let name = g.fresh("m");
    let rows: Vec<String> = (0..3)
        .map(|_| {
            format!(
                "[{}, {}, {}]",
                g.float(1, 1.5).text,
                g.float(1, 1.5).text,
                g.float(1, 1.5).text
            )
        })
        .collect();
    g.declare(Var::new(&name, Kind::Nested(3, 3), true, 3.0));
    let first = Stmt::binding(
        format!("let mut {name} = [{}];", rows.join(", ")),
        format!("let mut {name} = [[0.75{}; 3]; 3];", g.scalar),
        &[&name],
    );
    let inner = looped(
        "j in k..3",
        vec![change(
            format!("{name}[i][j] -= 0.5 * {name}[i][k] * {name}[k][j];"),
            &[&name],
        )],
    );
    vec![
        first,
        looped("k in 0..2", vec![looped("i in k + 1..3", vec![inner])]),
    ]
}

pub(super) fn same_place_twice(g: &mut Generator) -> Vec<Stmt> {
    let (a, first) = g.new_list(3);
    let x = g.some();
    let index = g.fresh("ix");
    let indices = Stmt::binding(
        format!("let {index} = [0usize, 2, 0, 1, 2];"),
        format!("let {index} = [1usize; 5];"),
        &[&index],
    );
    let text = if g.random.chance(0.5) {
        format!("{a}[{index}[k]] += 0.3 * {a}[{index}[k]] * {x};")
    } else {
        format!("{a}[{index}[k]] = {a}[{index}[4 - k]] * {x} + 0.2 * {a}[{index}[k]];")
    };
    vec![
        first,
        indices,
        looped("k in 0..5", vec![change(text, &[&a])]),
    ]
}

pub(super) fn field_overwritten(g: &mut Generator) -> Vec<Stmt> {
    let name = g.fresh("t");
    let (x, y) = (g.some(), g.some());
    g.declare(Var::new(&name, Kind::Pair, true, 3.0));
    let first = Stmt::binding(
        format!("let mut {name} = ({x}, {y});"),
        format!("let mut {name} = (0.75{0}, 0.5{0});", g.scalar),
        &[&name],
    );
    let body = vec![
        change(format!("{name}.0 = {name}.0 * {name}.1;"), &[&name]),
        change(format!("{name}.1 = {name}.0.sin() + 0.3 * {x};"), &[&name]),
    ];
    vec![first, looped("_ in 0..3", body)]
}

pub(super) fn read_before_inner_loop(g: &mut Generator) -> Vec<Stmt> {
    let (a, first) = g.new_list(3);
    let (z, second) = g.new_scalar();
    let x = g.some();
    let t = g.fresh("q");
    let body = vec![
        Stmt::binding(
            format!("let {t} = {a}[i];"),
            format!("let {t}: {} = 0.75;", g.scalar),
            &[&t],
        ),
        looped(
            "j in 0..3",
            vec![change(format!("{a}[j] = {a}[j] * {t} + 0.2 * {x};"), &[&a])],
        ),
        change(format!("{z} += {t} * {t} * {a}[i];"), &[&z]),
    ];
    vec![first, second, looped("i in 0..3", body)]
}

pub(super) fn iter_mut_reads_itself(g: &mut Generator) -> Vec<Stmt> {
    let x = g.some();
    let (a, first) = g.new_list(3);
    let (z, second) = g.new_scalar();
    let body = vec![
        change(format!("*v = *v * *v * {x} + 0.3 * {z};"), &[&a]),
        change(format!("{z} = {z}.sin() * *v;"), &[&a, &z]),
    ];
    vec![first, second, looped(&format!("v in {a}.iter_mut()"), body)]
}

pub(super) fn row_copied_then_changed(g: &mut Generator) -> Vec<Stmt> {
    let name = g.fresh("m");
    let (x, y) = (g.some(), g.some());
    g.declare(Var::new(&name, Kind::Nested(2, 2), true, 3.0));
    let s = g.scalar;
    let first = Stmt::binding(
        format!("let mut {name} = [[{x}, 0.4 * {y}], [{y}, {x} * {y}]];"),
        format!("let mut {name} = [[0.75{s}; 2]; 2];"),
        &[&name],
    );
    let row = g.fresh("r");
    let copy = Stmt::binding(
        format!("let {row} = {name}[0];"),
        format!("let {row} = [0.75{s}; 2];"),
        &[&row],
    );
    let store = change(format!("{name}[0][1] = {row}[0] * {name}[1][1];"), &[&name]);
    let rows = change(format!("{name}[1] = {row};"), &[&name]);
    let after = g.let_value(&format!("{row}[1] * {name}[0][1]"));
    vec![first, copy, store, rows, after]
}

pub(super) fn vec_moved_out_of_round(g: &mut Generator) -> Vec<Stmt> {
    let x = g.some();
    let (last, w) = (g.fresh("a"), g.fresh("a"));
    let s = g.scalar;
    let first = Stmt::binding(
        format!("let mut {last} = vec![{x}; 2];"),
        format!("let mut {last} = vec![0.75{s}; 2];"),
        &[&last],
    );
    let body = vec![
        Stmt::binding(
            format!("let {w} = vec![{last}[1] * {x}, {last}[0].sin() + 0.2 * i as {s}];"),
            format!("let {w} = vec![0.75{s}; 2];"),
            &[&w],
        ),
        change(format!("{last} = {w};"), &[&last]),
    ];
    g.declare(Var::new(&last, Kind::List(Form::Vector, 2), true, 3.0));
    vec![first, looped("i in 0..3", body)]
}

pub(super) fn index_from_float(g: &mut Generator) -> Vec<Stmt> {
    let (a, first) = g.new_list(4);
    let x = g.some();
    let k = g.fresh("k");
    let index = Stmt::binding(
        format!("let {k} = ({a}[i].abs() * 3.0 + {x}.abs()) as usize % 4;"),
        format!("let {k} = 1usize;"),
        &[&k],
    );
    let store = change(
        format!("{a}[{k}] = {a}[{k}].sin() + {a}[i] * {x}.cos();"),
        &[&a],
    );
    vec![first, looped("i in 0..4", vec![index, store])]
}

/// Every element goes elsewhere, and each is read for itself afterwards.
pub(super) fn reordered(g: &mut Generator) -> Vec<Stmt> {
    let n = g.random.between(3, 5);
    let (a, first) = g.new_list(n);
    let (x, by) = (g.some(), g.random.below(n));
    let how = match g.random.below(5) {
        0 => format!("{a}.sort_by(|p, q| p.partial_cmp(q).unwrap());"),
        1 => format!("{a}.sort_unstable_by(|p, q| q.total_cmp(p));"),
        2 => format!("{a}.reverse();"),
        3 => format!("{a}.rotate_left({by});"),
        _ => format!("{a}[..{}].rotate_right(1);", n - 1),
    };
    let body = vec![
        change(how, &[&a]),
        change(format!("{a}[0] = {a}[0] * {a}[{by}] + 0.2 * {x};"), &[&a]),
    ];
    let read = g.let_value(&format!("{a}[0] * {a}[1] - 0.7 * {a}[{}]", n - 1));
    if g.random.chance(0.5) {
        vec![first, looped("_ in 0..2", body), read]
    } else {
        [vec![first], body, vec![read]].concat()
    }
}
