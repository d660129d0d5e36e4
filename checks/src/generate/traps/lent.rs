//! Traps of what is lent: a pullback borrows it again, a reference of constant code ends with what it refers to.

use super::{change, looped};
use crate::generate::{Function, Generator, ParamType, ResultType, Stmt};

/// A list without a derivative is lent to a function, and changes afterwards.
pub(super) fn lent_then_changed(g: &mut Generator) -> Vec<Stmt> {
    let (z, first) = g.new_scalar();
    let (helper, n) = takes_lists(g);
    let items: Vec<String> = (0..n).map(|_| g.literal(0.2, 0.9)).collect();
    let list = g.fresh("k");
    let scalar = g.scalar;
    let prefix = if g.random.chance(0.4) && g.use_of("vec") {
        "vec!"
    } else {
        ""
    };
    let text = format!(
        "let mut {list} = {prefix}[{}{scalar}];",
        items.join(&format!("{scalar}, "))
    );
    let table = Stmt::binding(
        text,
        format!("let mut {list} = {prefix}[0.75{scalar}; {n}];"),
        &[&list],
    );
    let value = match &helper {
        Some(helper) => {
            g.used.insert("call");
            let arguments: Vec<String> = helper
                .params
                .iter()
                .map(|param| match param.ty {
                    ParamType::Slice(m) if m == n && g.random.chance(0.7) => format!("&{list}"),
                    ParamType::Slice(m) => format!("&{list}[..{m}]"),
                    ParamType::Int(bound) => g.random.below(bound + 1).to_string(),
                    _ => g.float(1, 2.0).text,
                })
                .collect();
            format!("{}({}).sin()", helper.name, arguments.join(", "))
        }
        None => format!("{list}[0] * {}", g.some()),
    };
    let i = g.random.below(n);
    let changed = match g.random.below(4) {
        0 => format!("{list}[{i}] += 0.4;"),
        1 => format!("{list}.rotate_left(1);"),
        2 => format!("{list}.swap(0, {i});"),
        _ => format!("{list}[{i}] = -0.5 * {list}[{i}];"),
    };
    let call = change(format!("{z} = {value} + 0.4 * {z};"), &[&z]);
    let changed = change(changed, &[&list]);
    if g.on.on("for") && g.random.chance(0.6) {
        g.used.insert("for");
        vec![first, table, looped("_ in 0..3", vec![call, changed])]
    } else {
        let again = change(format!("{z} = {value} * {z};"), &[&z]);
        vec![first, table, call, changed, again]
    }
}

/// A function that is lent lists, and how long the longest must be.
fn takes_lists(g: &mut Generator) -> (Option<Function>, usize) {
    let is_slice = |ty: ParamType| matches!(ty, ParamType::Slice(_));
    let helper = g.helper(|function| {
        let mut params = function.params.iter();
        function.result == ResultType::Scalar
            && params.clone().any(|param| is_slice(param.ty))
            && params.all(|param| {
                is_slice(param.ty) || matches!(param.ty, ParamType::Scalar | ParamType::Int(_))
            })
    });
    let n = match &helper {
        Some(helper) => {
            let lengths = helper.params.iter().map(|param| match param.ty {
                ParamType::Slice(n) => n,
                _ => 0,
            });
            lengths.max().unwrap_or(0).max(2)
        }
        None => 2,
    };
    (helper, n)
}

/// A call of a function that lends scratch in a loop, which another one overwrites.
pub(super) fn lent_scratch(g: &mut Generator) -> Vec<Stmt> {
    let n = g.random.between(2, 4);
    let [name, p, c] = ["h", "p", "p"].map(|kind| g.fresh(kind));
    let Some(function) = g.lending_scratch(&name, (&p, &c), n) else {
        return lent_then_changed(g);
    };
    g.helpers.push(function);
    let (z, first) = g.new_scalar();
    let (list, made) = g.new_list(n);
    let other = g.some();
    let used = change(
        format!("{z} = {name}(&{list}, {z}.sin()) + {other};"),
        &[&z],
    );
    vec![first, made, used]
}

/// A row of constant data, of which nothing but its type says that it is a reference, is handed on to a function.
pub(super) fn handed_on(g: &mut Generator) -> Vec<Stmt> {
    let (helper, n) = takes_lists(g);
    let Some(helper) = helper else {
        return lent_then_changed(g);
    };
    g.used.insert("call");
    let (z, first) = g.new_scalar();
    let scalar = g.scalar;
    let (rows, r) = (g.fresh("k"), g.fresh("r"));
    let row = |g: &mut Generator| {
        let items: Vec<String> = (0..n).map(|_| g.literal(0.2, 0.9)).collect();
        format!("vec![{}{scalar}]", items.join(&format!("{scalar}, ")))
    };
    let (one, two) = (row(g), row(g));
    let table = Stmt::binding(
        format!("let {rows} = vec![{one}, {two}];"),
        format!("let {rows} = vec![vec![0.75{scalar}; {n}]; 2];"),
        &[&rows],
    );
    let number = format!("{rows}p({}, 1)", g.random.below(2));
    let arguments: Vec<String> = helper
        .params
        .iter()
        .map(|param| match param.ty {
            ParamType::Slice(m) if m == n => r.clone(),
            ParamType::Slice(m) => format!("&{r}[..{m}]"),
            ParamType::Int(bound) => g.random.below(bound + 1).to_string(),
            _ if g.random.chance(0.4) => number.clone(),
            _ => g.float(1, 2.0).text,
        })
        .collect();
    let k = g.random.below(2);
    let call = format!(
        "{z} = {}({}).sin() + 0.4 * {z};",
        helper.name,
        arguments.join(", ")
    );
    let text = match g.random.below(7) {
        0 => {
            format!("let {r} = {rows}.iter().find(|r| r[0] > 0.5).unwrap_or(&{rows}[{k}]); {call}")
        }
        1 => format!("let {rows}r = |k: usize| &{rows}[k]; let {r} = {rows}r({k}); {call}"),
        2 => format!(
            "let {r} = if {rows}.len() > {k} {{ &{rows}[0] }} else {{ &{rows}[1] }}; {call}"
        ),
        3 => format!("for {r} in {rows}.iter().rev() {{ {call} }}"),
        4 => format!("if let Some({r}) = {rows}.get({k}) {{ {call} }}"),
        5 => format!(
            "let {rows}o = {rows}.first().map(|r| &r[..]); let {r} = {rows}o.unwrap(); {call}"
        ),
        _ => format!("for ({rows}i, {r}) in {rows}.iter().enumerate() {{ {call} }}"),
    };
    let text = format!("let {rows}p = |i: usize, k: usize| {rows}[i][k]; {text}");
    let used = change(text, &[&z]);
    if g.on.on("for") && g.random.chance(0.5) {
        g.used.insert("for");
        return vec![first, table, looped("_ in 0..2", vec![used])];
    }
    vec![first, table, used]
}

/// Numbers of a constant list, by reference: none of the references may be there in the reverse sweep.
pub(super) fn constants_by_reference(g: &mut Generator) -> Vec<Stmt> {
    let (z, first) = g.new_scalar();
    let scalar = g.scalar;
    let items: Vec<String> = (0..3).map(|_| g.literal(0.2, 0.9)).collect();
    let (list, r) = (g.fresh("k"), g.fresh("r"));
    let prefix = if g.use_of("vec") { "vec!" } else { "" };
    let table = Stmt::binding(
        format!(
            "let {list} = {prefix}[{}{scalar}];",
            items.join(&format!("{scalar}, "))
        ),
        format!("let {list} = {prefix}[0.75{scalar}; 3];"),
        &[&list],
    );
    let (k, other) = (g.random.below(3), g.some());
    let text = match g.random.below(8) {
        0 => format!("let {r} = &{list}[{k}]; {z} = {z}.sin() * {r} + {other};"),
        1 => format!("let {r} = {list}.last().unwrap(); {z} = {z}.sin() * {r} - {r} * {other};"),
        2 => format!("if let Some({r}) = {list}.get({k}) {{ {z} = {z}.sin() * {r}; }}"),
        3 => format!(
            "let {r} = {list}.iter().find(|r| **r > 0.5).unwrap_or(&{list}[{k}]); {z} = {z}.sin() * {r} * (*{r} * 2.0);"
        ),
        4 => format!(
            "let mut {r} = &{list}[..]; if {z} > 0.3 {{ {r} = &{r}[1..]; }} {z} = {z}.sin() * {r}[1] + {other} * {r}[0];"
        ),
        5 => format!(
            "let (mut {r}, mut {r}o) = (&{list}[..], &{list}[1..]); for _ in 0..3 {{ {z} = {z}.sin() * {r}[0] + {r}o[1]; std::mem::swap(&mut {r}, &mut {r}o); }}"
        ),
        6 => format!(
            "{z} += match &{list}[{k}..] {{ [{r}] => {r} * {other}, [{r}, ..] if *{r} > 0.5 => {r} * {z}.sin(), [.., {r}] => {z} - {r}, [] => {z} }};"
        ),
        _ => format!(
            "let {r} = if {z} > 0.3 {{ &{list}[0] }} else {{ &{list}[2] }}; {z} = {z}.sin() * {r};"
        ),
    };
    let used = change(text, &[&z]);
    if g.on.on("for") && g.random.chance(0.6) {
        g.used.insert("for");
        if g.random.chance(0.5) {
            return vec![first, table, looped("_ in 0..3", vec![used])];
        }
        return vec![first, looped("_ in 0..3", vec![table, used])];
    }
    vec![first, table, used]
}
