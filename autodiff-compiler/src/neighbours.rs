//! What the rounds of a loop add to neighbouring elements is carried from round to round, and stored once for each element.
//!
//! `for i { d_x[i + 1] += a; d_x[i] += b }` becomes `for i { d_x[i] += p + b; p = a }`, and behind it `d_x[end] += p`.
//! An element that one round stores and the next one loads is waited for, and no vector code comes of such a loop; of one that carries a value it does.
//! The order in which cotangents are added up is free.
//!
//! Runs behind `onward`: what is left are loops whose rounds share elements.

use rustc_hash::FxHashSet;

use quote::quote;

use crate::build::Build;
use crate::from_zero::{self, Apart, Literals};
use crate::ir::{Func, Kind, Op, Opaque, Origin, Path, Place, Step, Ty, Value};
use crate::sums::{changing, is_number, is_reversed, runs_from_start_to_end};

/// So many elements are carried at most.
const CARRIED: usize = 2;

/// Carries what loops add to neighbours; the mutation `drop_neighbour` loses what the last round leaves.
pub(crate) fn neighbours(func: &mut Func, mutate: Option<&str>) {
    let mut ops = std::mem::take(&mut func.body.ops);
    let drops = mutate == Some("drop_neighbour");
    in_ops(func, &mut ops, &mut Literals::default(), drops);
    func.body.ops = ops;
}

fn in_ops(func: &mut Func, ops: &mut Vec<Op>, literals: &mut Literals, drops: bool) {
    for mut op in std::mem::take(ops) {
        from_zero::collect(&op, literals);
        for block in &mut op.blocks {
            in_ops(func, &mut block.ops, literals, drops);
        }
        let mut behind = Vec::new();
        if runs_from_start_to_end(&op) {
            while let Some(run) = run(func, &op, literals) {
                let (mut before, after) = carried(func, &mut op, &run);
                ops.append(&mut before);
                behind.extend(after);
            }
        }
        ops.push(op);
        ops.extend(behind.into_iter().filter(|_| !drops));
    }
}

/// An element that a round adds a number to.
struct Element {
    /// The position in the block of what adds to it.
    adds: usize,
    /// The sequence.
    of: Path,
    /// How its index is computed from the number of the round; `None` where it is that number.
    index: Option<Op>,
    /// How far it is from the number of the round.
    apart: Apart,
}

/// What each round adds to neighbouring elements and does nothing else with: the one that no later round reaches first.
type Run = Vec<Element>;

fn run(func: &Func, op: &Op, literals: &Literals) -> Option<Run> {
    let block = &op.blocks[0];
    let inside = changing(block);
    let mut places: Vec<Place> = Vec::new();
    for op in &block.ops {
        if let Kind::AddTo(path) = &op.kind {
            if !places.contains(&path.root) {
                places.push(path.root);
            }
        }
    }
    let step = if is_reversed(op) { -1 } else { 1 };
    places.into_iter().find_map(|place| {
        let elements: Option<Run> = (0..block.ops.len())
            .filter(|&at| block.ops[at].mentions(place))
            .map(|at| element(func, op, at, &inside, literals))
            .collect();
        let mut run = elements?;
        run.sort_by_key(|element| step * element.apart.number);
        let first = &run[0];
        let consecutive = run.iter().zip(0..).all(|(element, n)| {
            element.of == first.of
                && element.apart.rest == first.apart.rest
                && element.apart.number == first.apart.number + step * n
        });
        (consecutive && (2..=1 + CARRIED).contains(&run.len())).then_some(run)
    })
}

/// The element that an operation of a round adds a number to.
fn element(
    func: &Func,
    around: &Op,
    at: usize,
    inside: &FxHashSet<Value>,
    literals: &Literals,
) -> Option<Element> {
    let block = &around.blocks[0];
    let op = &block.ops[at];
    let Kind::AddTo(path) = &op.kind else {
        return None;
    };
    let (Step::Index(index), above) = path.steps.split_last()? else {
        return None;
    };
    let found = above.iter().all(|step| match step {
        Step::Field(_) => true,
        Step::Index(v) => !inside.contains(v),
        Step::Range(..) => false,
    });
    let of = Path {
        root: path.root,
        steps: above.to_vec(),
    };
    let known = matches!(func.path_ty(&of), Ty::Slice(_) | Ty::Vec(_) | Ty::Array(..));
    let tangent = func.at(path.root).tangent && func.through_field(&of);
    let number = is_number(func, &func.path_ty(path)) && is_number(func, func.ty(op.args[0]));
    let plain = found && known && !tangent && number && op.origin == Origin::Derived;
    let round = block.params[0];
    let (index, apart) = if *index == round {
        (None, Apart::default())
    } else {
        let made = block.ops.iter().find(|op| op.results == [*index])?;
        let sum = from_zero::Sum::of(made, inside)?;
        let apart = sum
            .apart(&made.args, literals)
            .filter(|_| sum.of == round)?;
        (Some(made.clone()), apart)
    };
    plain.then_some(Element {
        adds: at,
        of,
        index,
        apart,
    })
}

/// Makes a loop carry what it adds to neighbours; what is to be done in front of it, and behind it.
fn carried(func: &mut Func, op: &mut Op, run: &Run) -> (Vec<Op>, Vec<Op>) {
    let reversed = is_reversed(op);
    let block = &mut op.blocks[0];
    let round = block.params[0];
    let added: Vec<Value> = (run.iter())
        .map(|element| block.ops[element.adds].args[0])
        .collect();
    let hint = func.at(run[0].of.root).hint.clone();
    let ty = func.ty(added[0]).clone();
    let mut fresh = || -> Vec<Value> {
        (run[1..].iter())
            .map(|_| func.value(hint.clone(), ty.clone()))
            .collect()
    };
    let (pending, left) = (fresh(), fresh());
    let mut build = Build::new(func, Origin::Derived);
    build.span = op.span;
    // What is pending for an element, and what the round adds itself.
    let mut sums = Vec::new();
    for (k, &v) in added.iter().enumerate() {
        let sum = match pending.get(k) {
            Some(&p) => build.sum(Some(p), v),
            None => v,
        };
        sums.push((sum, std::mem::take(&mut build.ops)));
    }
    let starts: Vec<Value> = (pending.iter()).map(|_| build.zero(ty.clone())).collect();
    let before = std::mem::take(&mut build.ops);

    block.params.extend(&pending);
    block.yields.extend(sums[1..].iter().map(|(sum, _)| *sum));
    for (at, mut op) in std::mem::take(&mut block.ops).into_iter().enumerate() {
        let Some(k) = run.iter().position(|element| element.adds == at) else {
            block.ops.push(op);
            continue;
        };
        let (sum, ops) = &mut sums[k];
        block.ops.append(ops);
        if k == 0 {
            op.args[0] = *sum;
            block.ops.push(op);
        }
    }
    op.args.extend(&starts);
    op.results.extend(&left);

    // What is pending is for elements that the last round has reached: if there was one.
    let some = Opaque {
        tokens: quote!(__a0 < __a1),
        places: Vec::new(),
        writes: Vec::new(),
        pure: true,
    };
    let (lo, hi) = (op.args[0], op.args[1]);
    let some = build.op(Kind::Opaque(some), vec![lo, hi], Ty::Bool, "");
    let mut behind = std::mem::take(&mut build.ops);
    // From start to end, the index of each in the round behind the last one; backwards, the index in the last round of the one before it.
    let (end, reached) = if reversed {
        (lo, &run[1..])
    } else {
        (hi, &run[..])
    };
    for (&v, element) in left.iter().zip(reached) {
        let at = match &element.index {
            None => end,
            Some(index) => {
                let args = index.args.iter();
                let args = args.map(|&v| if v == round { end } else { v }).collect();
                build.op(index.kind.clone(), args, Ty::Int, "")
            }
        };
        let path = element.of.then(Step::Index(at));
        build.push(Kind::AddTo(path), vec![v], Vec::new());
    }
    let mut arms = vec![build.func.block(), build.func.block()];
    arms[0].ops = std::mem::take(&mut build.ops);
    build.push(Kind::If, vec![some], Vec::new()).blocks = arms;
    behind.append(&mut build.ops);
    (before, behind)
}
