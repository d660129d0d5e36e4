//! What the rounds of a loop add to neighbouring elements is carried from round to round, and stored once for each element.
//!
//! `for i { d_x[i + 1] += a; d_x[i] += b }` becomes `p = d_x[start]; for i { d_x[i] = p + b; p = d_x[i + 1] + a }`, and behind it `d_x[end] = p`.
//! An element that one round stores and the next one loads is waited for, and no vector code comes of such a loop; of one that carries a value it does.
//! What is added to an element, and in which order, stays as it was.
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

/// Carries the neighbours that loops add to; the mutation `drop_neighbour` loses what the last round leaves.
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

/// Makes a loop carry the neighbours that it adds to; what is to be done in front of it, and behind it.
fn carried(func: &mut Func, op: &mut Op, run: &Run) -> (Vec<Op>, Vec<Op>) {
    let (lo, hi) = (op.args[0], op.args[1]);
    // In front of the loop and behind it, the elements but the last that a round at its start would add to, and one at its end:
    // from start to end as they are, backwards each by the index of the one before it in the round before.
    let (first, last, reached) = if is_reversed(op) {
        (hi, lo, &run[1..])
    } else {
        (lo, hi, &run[..run.len() - 1])
    };
    let block = &mut op.blocks[0];
    let round = block.params[0];
    let added: Vec<Value> = (run.iter())
        .map(|element| block.ops[element.adds].args[0])
        .collect();
    let hint = func.at(run[0].of.root).hint.clone();
    let ty = func.ty(added[0]).clone();
    let mut fresh = || -> Vec<Value> {
        (reached.iter())
            .map(|_| func.value(hint.clone(), ty.clone()))
            .collect()
    };
    let [starts, carries, left] = [fresh(), fresh(), fresh()];
    let mut build = Build::new(func, Origin::Derived);
    build.span = op.span;

    // Where there is no round, there may be no such elements.
    let some = Opaque {
        tokens: quote!(__a0 < __a1),
        places: Vec::new(),
        writes: Vec::new(),
        pure: true,
    };
    let some = build.op(Kind::Opaque(some), vec![lo, hi], Ty::Bool, "");
    let mut before = std::mem::take(&mut build.ops);
    let mut arms = vec![build.func.block(), build.func.block()];
    for element in reached {
        let path = element.at(&mut build, round, first);
        let loaded = build.op(Kind::Load(path), Vec::new(), ty.clone(), &hint);
        arms[0].yields.push(loaded);
    }
    arms[0].ops = std::mem::take(&mut build.ops);
    for _ in reached {
        let zero = build.zero(ty.clone());
        arms[1].yields.push(zero);
    }
    arms[1].ops = std::mem::take(&mut build.ops);
    build.push(Kind::If, vec![some], starts.clone()).blocks = arms;
    before.append(&mut build.ops);

    let mut next = added.clone();
    for (at, op) in std::mem::take(&mut block.ops).into_iter().enumerate() {
        let found = run.iter().position(|element| element.adds == at);
        let (Some(k), Kind::AddTo(path)) = (found, &op.kind) else {
            block.ops.push(op);
            continue;
        };
        let path = path.clone();
        let there = match carries.get(k) {
            Some(&v) => v,
            None => build.op(Kind::Load(path.clone()), Vec::new(), ty.clone(), &hint),
        };
        let sum = build.sum(Some(there), added[k]);
        if k == 0 {
            build.push(Kind::Store(path), vec![sum], Vec::new());
        }
        next[k] = sum;
        block.ops.append(&mut build.ops);
    }
    block.params.extend(&carries);
    block.yields.extend(&next[1..]);
    op.args.extend(&starts);
    op.results.extend(&left);

    let mut arms = vec![build.func.block(), build.func.block()];
    for (&v, element) in left.iter().zip(reached) {
        let path = element.at(&mut build, round, last);
        build.push(Kind::Store(path), vec![v], Vec::new());
    }
    arms[0].ops = std::mem::take(&mut build.ops);
    build.push(Kind::If, vec![some], Vec::new()).blocks = arms;
    (before, std::mem::take(&mut build.ops))
}

impl Element {
    /// The element of another round.
    fn at(&self, build: &mut Build, round: Value, other: Value) -> Path {
        let index = match &self.index {
            None => other,
            Some(index) => {
                let args = index.args.iter();
                let args = args.map(|&v| if v == round { other } else { v }).collect();
                build.op(index.kind.clone(), args, Ty::Int, "")
            }
        };
        self.of.then(Step::Index(index))
    }
}
