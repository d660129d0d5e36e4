//! Which memory has as many elements as other memory, or as an integer says.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::ir::{Block, Func, Kind, Op, Opaque, Path, Place, Shape, Step, Ty, Value};

/// The value is the number of the place's elements.
pub(crate) fn is_length(func: &Func, p: Place, v: Value) -> bool {
    let by = defining(&func.body, v);
    if let Some(Kind::Len(path)) = by.map(|op| &op.kind) {
        if path.root == p && path.steps.is_empty() {
            return keeps_length(func, p);
        }
    }
    if let Ty::Array(_, Some(len)) = &func.at(p).ty {
        return by.is_some_and(
            |op| matches!(&op.kind, Kind::Lit(tokens) if tokens.to_string() == len.to_string()),
        );
    }
    made_long(func, p) == Some(v)
}

/// The path names as many elements as the place has.
pub(crate) fn as_long(func: &Func, path: &Path, p: Place) -> bool {
    let q = path.root;
    match path.steps[..] {
        [] if q == p => true,
        [] => {
            let arrays = match (&func.at(q).ty, &func.at(p).ty) {
                (Ty::Array(_, Some(one)), Ty::Array(_, Some(other))) => {
                    one.to_string() == other.to_string()
                }
                _ => false,
            };
            let as_made =
                |one, other| made_long(func, one).is_some_and(|v| is_length(func, other, v));
            arrays || as_made(q, p) || as_made(p, q)
        }
        [Step::Range(None, Some(end))] => is_length(func, p, end),
        [Step::Range(Some(start), Some(end))] => {
            between(func, start, end).is_some_and(|v| is_length(func, p, v))
        }
        _ => false,
    }
}

/// How many elements a place is made with and keeps: `n` of `vec![x; n]`.
fn made_long(func: &Func, p: Place) -> Option<Value> {
    let made = find(
        &func.body.ops,
        &|op| matches!(&op.kind, Kind::New(of) if *of == p),
    );
    let of = defining(&func.body, *made?.args.first()?)?;
    match &of.kind {
        Kind::Aggregate(Shape::VecRepeat) => of.args.get(1).copied(),
        Kind::Opaque(opaque) => repeated(&opaque.tokens, &of.args),
        _ => None,
    }
}

fn keeps_length(func: &Func, p: Place) -> bool {
    let mut kept = true;
    for op in &func.body.ops {
        op.walk(&mut |op| kept &= !op.reshapes(func).contains(&p));
    }
    kept
}

/// The difference of two integers: `n` of `start..start + n`, and of `i * n..(i + 1) * n`.
fn between(func: &Func, start: Value, end: Value) -> Option<Value> {
    let op = defining(&func.body, end)?;
    let Kind::Opaque(opaque) = &op.kind else {
        return None;
    };
    let said = |of: &Op, opaque: &Opaque| said(&opaque.tokens, &of.args);
    let end = said(op, opaque);
    let start = match defining(&func.body, start).map(|op| (op, &op.kind)) {
        Some((op, Kind::Opaque(opaque))) if is_arithmetic(&opaque.tokens) => {
            [name(start), said(op, opaque)]
        }
        _ => [name(start), name(start)],
    };
    op.args.iter().copied().find(|&n| {
        let n = name(n);
        let after = start.iter().any(|start| end == format!("{start} + {n}"));
        let next = op.args.iter().any(|&i| {
            let i = name(i);
            start.contains(&format!("{i} * {n}")) && end == format!("({i} + 1) * {n}")
                || start.contains(&format!("{n} * {i}")) && end == format!("{n} * ({i} + 1)")
        });
        after || next
    })
}

/// Of operands and numbers, by operators that bind no weaker than a sum does: the same wherever it is written, and with a term behind it.
fn is_arithmetic(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().all(|token| match token {
        TokenTree::Ident(name) => name.to_string().starts_with("__a"),
        TokenTree::Literal(_) => true,
        TokenTree::Punct(sign) => "+-*/%".contains(sign.as_char()),
        TokenTree::Group(group) => {
            group.delimiter() == Delimiter::Parenthesis && is_arithmetic(&group.stream())
        }
    })
}

fn name(v: Value) -> String {
    format!("{v:?}")
}

/// The text of an expression, with its operands named.
fn said(tokens: &TokenStream, args: &[Value]) -> String {
    fn name_operands(tokens: TokenStream, args: &[Value], out: &mut String) {
        for token in tokens {
            let text = token.to_string();
            let operand = (text.strip_prefix("__a")).and_then(|k| k.parse::<usize>().ok());
            match (token, operand.and_then(|k| args.get(k))) {
                (TokenTree::Group(group), _) => {
                    out.push('(');
                    name_operands(group.stream(), args, out);
                    out.push(')');
                }
                (_, Some(&v)) => out.push_str(&name(v)),
                (TokenTree::Punct(_), None) => out.extend([" ", &text, " "]),
                _ => out.push_str(&text),
            }
        }
    }
    let mut out = String::new();
    name_operands(tokens.clone(), args, &mut out);
    out
}

/// The number of elements of `vec![x; n]`.
fn repeated(tokens: &TokenStream, args: &[Value]) -> Option<Value> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let [
        TokenTree::Ident(name),
        TokenTree::Punct(_),
        TokenTree::Group(group),
    ] = &tokens[..]
    else {
        return None;
    };
    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
    let [.., TokenTree::Punct(semicolon), TokenTree::Ident(count)] = &inner[..] else {
        return None;
    };
    let count = count.to_string();
    let number: usize = count.strip_prefix("__a")?.parse().ok()?;
    (name == "vec" && semicolon.as_char() == ';').then(|| args.get(number).copied())?
}

/// The operation that defines a value, at any depth.
pub(crate) fn defining(block: &Block, v: Value) -> Option<&Op> {
    find(&block.ops, &|op| op.results.contains(&v))
}

/// The first operation of that sort, at any depth.
pub(crate) fn find<'a>(ops: &'a [Op], is: &dyn Fn(&Op) -> bool) -> Option<&'a Op> {
    ops.iter().find_map(|op| {
        let inside = || op.blocks.iter().find_map(|block| find(&block.ops, is));
        if is(op) { Some(op) } else { inside() }
    })
}
